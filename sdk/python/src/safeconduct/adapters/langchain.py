"""LangChain: a middleware that asks before each tool call.

Written against the documented interface of ``langchain`` 1.x (`AgentMiddleware.wrap_tool_call`).
A bare LangGraph `ToolNode` runs without middleware and is not covered.
"""

from __future__ import annotations

from typing import Any

from ..aio import on_thread
from .tools import Tools, refusal

__all__ = ["safeconduct_middleware"]


def safeconduct_middleware(tools: Tools) -> Any:
    """Return a middleware for ``create_agent(middleware=[…])``; a denied call does not run."""
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.messages import ToolMessage

    def answer(call: Any, decision: Any) -> Any:
        return ToolMessage(content=refusal(decision), tool_call_id=call["id"], name=call["name"], status="error")

    class SafeconductMiddleware(AgentMiddleware):  # type: ignore[misc]
        def wrap_tool_call(self, request: Any, handler: Any) -> Any:
            call = request.tool_call
            decision = tools.check(call["name"], call["args"])
            return handler(request) if decision.allow is True else answer(call, decision)

        async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
            call = request.tool_call
            decision = await on_thread(tools.check, call["name"], call["args"])
            return await handler(request) if decision.allow is True else answer(call, decision)

    return SafeconductMiddleware()
