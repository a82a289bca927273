"""ASGI (FastAPI, Starlette, Django): check the calling agent before a request is handled."""

from __future__ import annotations

import json
from typing import Any, Awaitable, Callable, Mapping, MutableMapping, Optional

from ..aio import on_thread
from ..client import Safeconduct, refuse_unless_allowed
from ..decision import Decision
from ..errors import ActionDenied

__all__ = ["SafeconductMiddleware"]

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
#: Makes the question of a request: ``{"policy": …, "context": …}``; None leaves it unchecked.
RequestQuestion = Callable[[Scope], Optional[Mapping[str, Any]]]

_AGENT_HEADER = b"x-agent-passport-id"
_UNDECIDED = "The request could not be decided. Check the agent id, or try again later."


class SafeconductMiddleware:
    """Lets a request through only if the calling agent may do what it asks for.

    The header ``X-Agent-Passport-Id`` names the agent. The name proves nothing by itself: check
    the caller's own credential before, and that it belongs to the agent. A request without the
    header gets a 401, a denied one a 403, and a 503 if the service does not answer. The decision is
    ``scope["safeconduct"]``. WebSockets that are denied are closed.
    """

    def __init__(self, app: Any, client: Safeconduct, question: RequestQuestion) -> None:
        self._app = app
        self._client = client
        self._question = question

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one ASGI connection."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        question = self._question(scope)
        if question is None:
            await self._app(scope, receive, send)
            return
        agents = [value for name, value in scope["headers"] if name.lower() == _AGENT_HEADER]
        if len(agents) != 1 or not agents[0].strip():
            await _refuse(scope, send, 401, "agent_missing", "Name the agent in X-Agent-Passport-Id.")
            return
        agent = agents[0].decode("latin-1").strip()
        decision: Decision = await on_thread(self._client.check, agent_id=agent, **question)
        try:
            refuse_unless_allowed(decision, question)
        except ActionDenied as denied:
            if denied.decision_id is not None:
                await _refuse(scope, send, 403, denied.code, denied.decision.reason.message)
            else:
                # Why the service did not answer, and where it is, is not for the caller: see on_unavailable.
                await _refuse(scope, send, 503, denied.code, _UNDECIDED)
            return
        await self._app({**scope, "safeconduct": decision}, receive, send)


async def _refuse(scope: Scope, send: Send, status: int, code: str, message: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    body = json.dumps({"error": code, "message": message}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
