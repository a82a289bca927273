"""Pydantic AI: a hook before each tool runs.

Written against the documented interface of ``pydantic-ai`` (`Hooks.before_tool_execute`).
"""

from __future__ import annotations

from typing import Any, Callable

from ..aio import on_thread
from .tools import Tools, refusal

__all__ = ["safeconduct_before_tool_execute"]


def safeconduct_before_tool_execute(tools: Tools) -> Callable[..., Any]:
    """Return a function for ``Hooks(before_tool_execute=…)``; a denied call does not run."""

    async def before_tool_execute(ctx: Any, *, call: Any, tool_def: Any, args: Any) -> Any:
        from pydantic_ai.exceptions import SkipToolExecution

        decision = await on_thread(tools.check, tool_def.name, args)
        if decision.allow is not True:
            raise SkipToolExecution(refusal(decision))
        return args

    return before_tool_execute
