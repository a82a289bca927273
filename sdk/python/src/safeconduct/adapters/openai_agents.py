"""OpenAI Agents: a guardrail on the input of a function tool.

Written against the documented interface of ``openai-agents`` (`tool_input_guardrail`). Hosted tools
and handoffs have no such guardrail and are not covered.
"""

from __future__ import annotations

from typing import Any

from ..aio import on_thread
from .tools import Tools, refusal

__all__ = ["safeconduct_guardrail"]


def safeconduct_guardrail(tools: Tools) -> Any:
    """Return a guardrail for ``tool.tool_input_guardrails``; a denied call does not run."""
    from agents import ToolGuardrailFunctionOutput, tool_input_guardrail

    @tool_input_guardrail  # type: ignore[untyped-decorator]
    async def safeconduct(data: Any) -> Any:
        context = data.context
        decision = await on_thread(tools.check, context.tool_name, context.tool_arguments)
        if decision.allow is True:
            return ToolGuardrailFunctionOutput.allow()
        return ToolGuardrailFunctionOutput.reject_content(refusal(decision))

    return safeconduct
