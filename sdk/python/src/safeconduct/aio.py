"""The same client for asyncio."""

from __future__ import annotations

import asyncio
import time
import uuid
from functools import partial
from typing import Any, Awaitable, Callable, Dict, Iterable, List, Mapping, Optional, TypeVar

from .client import Safeconduct, refuse_unless_allowed
from .decision import Decision

__all__ = ["AsyncSafeconduct"]

T = TypeVar("T")


class AsyncSafeconduct:
    """`Safeconduct` with coroutines. Takes the same arguments; requests run on threads.

    A cancelled call ends at once, and the action of a cancelled `guard` does not run.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._client = Safeconduct(*args, **kwargs)

    async def __aenter__(self) -> "AsyncSafeconduct":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """As `Safeconduct.close`."""
        await _run(self._client.close)

    async def check(self, **question: Any) -> Decision:
        """As `Safeconduct.check`."""
        return await _run(self._client.check, **question)

    async def check_batch(self, actions: Iterable[Mapping[str, Any]], **options: Any) -> List[Decision]:
        """As `Safeconduct.check_batch`."""
        return await _run(self._client.check_batch, list(actions), **options)

    async def guard(
        self, fn: Callable[[], Awaitable[T]], *, wait_for_approval: float = 0.0, **question: Any
    ) -> T:
        """As `Safeconduct.guard`; `fn` is a coroutine function."""
        decision = await self.check(**question)
        if wait_for_approval > 0 and decision.approval_required:
            decision = await self.wait_for_approval(decision, timeout=wait_for_approval, **question)
        refuse_unless_allowed(decision, question)
        reservation = decision.reservation_id
        if reservation is None:
            return await fn()
        try:
            result = await fn()
        except BaseException:
            await asyncio.shield(_run(self._client.settle_quietly, self._client.release, reservation))
            raise
        await _run(self._client.settle_quietly, self._client.commit, reservation)
        return result

    async def wait_for_approval(
        self, decision: Decision, *, timeout: float = 600.0, **question: Any
    ) -> Decision:
        """As `Safeconduct.wait_for_approval`; no thread waits meanwhile."""
        ends = time.monotonic() + timeout
        key = str(uuid.uuid4())
        while decision.approval_required and time.monotonic() < ends:
            await asyncio.sleep(min(self._client.poll_interval, max(ends - time.monotonic(), 0)))
            decision, key = await _run(self._client.ask_again, decision, key, **question)
        return decision

    async def commit(self, reservation_id: str) -> Dict[str, Any]:
        """As `Safeconduct.commit`."""
        return await _run(self._client.commit, reservation_id)

    async def release(self, reservation_id: str) -> Dict[str, Any]:
        """As `Safeconduct.release`."""
        return await _run(self._client.release, reservation_id)

    async def token(self, **question: Any) -> Optional[str]:
        """As `Safeconduct.token`."""
        return await _run(self._client.token, **question)

    async def keys(self) -> Optional[Mapping[str, Any]]:
        """As `Safeconduct.keys`."""
        return await _run(self._client.keys)

    async def passport(self, agent_id: Optional[str] = None) -> Dict[str, Any]:
        """As `Safeconduct.passport`."""
        return await _run(self._client.passport, agent_id)

    async def passports(self, **filters: Any) -> Dict[str, Any]:
        """As `Safeconduct.passports`."""
        return await _run(self._client.passports, **filters)

    async def issue(self, passport: Mapping[str, Any]) -> Dict[str, Any]:
        """As `Safeconduct.issue`."""
        return await _run(self._client.issue, passport)

    async def set_status(self, agent_id: str, status: str, reason: Optional[str] = None) -> Dict[str, Any]:
        """As `Safeconduct.set_status`."""
        return await _run(self._client.set_status, agent_id, status, reason)

    async def request(
        self, method: str, path: str, body: Optional[Mapping[str, Any]] = None
    ) -> Dict[str, Any]:
        """As `Safeconduct.request`."""
        return await _run(self._client.request, method, path, body)


async def _run(fn: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    return await asyncio.get_running_loop().run_in_executor(None, partial(fn, *args, **kwargs))
