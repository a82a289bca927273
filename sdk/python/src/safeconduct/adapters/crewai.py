"""CrewAI: a hook before each tool call.

Written against the documented interface of ``crewai`` 1.9 (`register_before_tool_call_hook`).
CrewAI swallows an exception of a hook and runs the tool, so the hook returns False instead.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

from .tools import Tools

__all__ = ["safeconduct_hook"]


def safeconduct_hook(tools: Tools) -> Callable[[Any], Optional[bool]]:
    """Return a hook for ``register_before_tool_call_hook``; a denied call does not run."""

    def hook(context: Any) -> Optional[bool]:
        try:
            allowed = tools.check(context.tool_name, context.tool_input).allow is True
        except BaseException:
            allowed = False
        return None if allowed else False

    return hook
