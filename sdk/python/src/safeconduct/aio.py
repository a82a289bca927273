"""The same client for asyncio."""

from __future__ import annotations

import asyncio
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Awaitable, Callable, Dict, Iterable, List, Mapping, Optional, TypeVar

from .client import Safeconduct, refuse_unless_allowed
from .decision import Decision

__all__ = ["AsyncSafeconduct"]

T = TypeVar("T")


class AsyncSafeconduct:
    """`Safeconduct` with coroutines. Takes the same arguments; each request runs on a thread of its own.

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
        await on_thread(self._client.close)

    async def check(self, **question: Any) -> Decision:
        """As `Safeconduct.check`."""
        return await on_thread(self._client.check, **question)

    async def check_batch(self, actions: Iterable[Mapping[str, Any]], **options: Any) -> List[Decision]:
        """As `Safeconduct.check_batch`."""
        return await on_thread(self._client.check_batch, list(actions), **options)

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
            await asyncio.shield(on_thread(self._client.settle_quietly, self._client.release, reservation))
            raise
        await on_thread(self._client.settle_quietly, self._client.commit, reservation)
        return result

    async def wait_for_approval(
        self, decision: Decision, *, timeout: float = 600.0, **question: Any
    ) -> Decision:
        """As `Safeconduct.wait_for_approval`; no thread waits meanwhile."""
        ends = time.monotonic() + timeout
        key = str(uuid.uuid4())
        while decision.approval_required and time.monotonic() < ends:
            await asyncio.sleep(min(self._client.poll_interval, max(ends - time.monotonic(), 0)))
            decision, key = await on_thread(self._client.ask_again, decision, key, **question)
        return decision

    async def commit(self, reservation_id: str) -> Dict[str, Any]:
        """As `Safeconduct.commit`."""
        return await on_thread(self._client.commit, reservation_id)

    async def release(self, reservation_id: str) -> Dict[str, Any]:
        """As `Safeconduct.release`."""
        return await on_thread(self._client.release, reservation_id)

    async def token(self, **question: Any) -> Optional[str]:
        """As `Safeconduct.token`."""
        return await on_thread(self._client.token, **question)

    async def keys(self) -> Optional[Mapping[str, Any]]:
        """As `Safeconduct.keys`."""
        return await on_thread(self._client.keys)

    async def passport(self, agent_id: Optional[str] = None) -> Dict[str, Any]:
        """As `Safeconduct.passport`."""
        return await on_thread(self._client.passport, agent_id)

    async def passports(self, **filters: Any) -> Dict[str, Any]:
        """As `Safeconduct.passports`."""
        return await on_thread(self._client.passports, **filters)

    async def issue(self, passport: Mapping[str, Any]) -> Dict[str, Any]:
        """As `Safeconduct.issue`."""
        return await on_thread(self._client.issue, passport)

    async def set_status(self, agent_id: str, status: str, reason: Optional[str] = None) -> Dict[str, Any]:
        """As `Safeconduct.set_status`."""
        return await on_thread(self._client.set_status, agent_id, status, reason)

    async def request(
        self, method: str, path: str, body: Optional[Mapping[str, Any]] = None
    ) -> Dict[str, Any]:
        """As `Safeconduct.request`."""
        return await on_thread(self._client.request, method, path, body)


async def on_thread(fn: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """Run `fn` on a thread of its own.

    The few threads of the event loop may all be busy, and the time-out of a request begins only when it runs.
    """
    loop = asyncio.get_running_loop()
    call = partial(fn, *args, **kwargs)
    thread = ThreadPoolExecutor(1, "safeconduct")
    try:
        try:
            running = loop.run_in_executor(thread, call)
        except RuntimeError:  # the process has too many threads
            running = loop.run_in_executor(None, call)
        return await running
    finally:
        thread.shutdown(wait=False)
