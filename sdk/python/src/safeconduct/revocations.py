"""The stream of revocations, which ends the life of stored allows."""

from __future__ import annotations

import threading
import time
from typing import Callable, Optional

from .errors import ServiceUnavailable
from .http import Stream, Transport

__all__ = ["Revocations"]

_PATH = "/api/revocations"
_SILENCE_SECONDS = 1.0
_FIRST_PAUSE = 0.2
_LONGEST_PAUSE = 10.0


class Revocations:
    """Follows the stream on a thread of its own, from the first use on.

    Drops every stored allow at each event, and when nothing was heard for a second: then a
    suspension may have been missed. `epoch` grows with each drop.
    """

    def __init__(self, transport: Transport, drop: Callable[[], None]) -> None:
        self._transport = transport
        self._drop_allows = drop
        self._heard = float("-inf")
        self._stream: Optional[Stream] = None
        self._thread: Optional[threading.Thread] = None
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self.epoch = 0

    def is_live(self) -> bool:
        """Tell whether the stream was heard within the last second; starts it if need be."""
        with self._lock:
            if self._thread is None and not self._closed.is_set():
                thread = threading.Thread(target=self._follow, name="safeconduct-revocations", daemon=True)
                try:
                    thread.start()
                except RuntimeError:  # the process has too many threads
                    return False
                self._thread = thread
        return time.monotonic() - self._heard < _SILENCE_SECONDS

    def close(self) -> None:
        """End the stream."""
        self._closed.set()
        stream = self._stream
        if stream is not None:
            stream.close()

    def forked(self) -> None:
        """Start again in a forked process, which has no such thread. The stream is its parent's."""
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.abandon()
        self._heard, self._thread = float("-inf"), None
        self._lock = threading.Lock()
        closed, self._closed = self._closed.is_set(), threading.Event()
        if closed:
            self._closed.set()

    def _follow(self) -> None:
        pause = _FIRST_PAUSE
        while not self._closed.is_set():
            try:
                self._stream = self._transport.stream(_PATH, {"Accept": "text/event-stream"}, _SILENCE_SECONDS)
                if self._stream.status == 200:
                    self._drop()
                    if self._read(self._stream):
                        pause = _FIRST_PAUSE
            except (ServiceUnavailable, OSError, ValueError):
                pass
            finally:
                self._heard = float("-inf")
                self._drop()
                if self._stream is not None:
                    self._stream.close()
            self._closed.wait(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _read(self, stream: Stream) -> bool:
        heard = False
        while not self._closed.is_set():
            line = stream.line()
            if line is None:
                break
            if line.startswith("data:"):
                self._drop()
            # Only now are the allows of before the event gone.
            self._heard = time.monotonic()
            heard = True
        return heard

    def _drop(self) -> None:
        self.epoch += 1
        self._drop_allows()
