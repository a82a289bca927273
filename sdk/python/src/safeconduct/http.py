"""One JSON request over HTTP, within a deadline: the transport of the client."""

from __future__ import annotations

import http.client
import io
import json
import math
import os
import re
import selectors
import socket
import ssl
import threading
import time
from concurrent import futures
from dataclasses import dataclass
from typing import Any, Mapping, Optional
from urllib.parse import quote, urlsplit

from ._version import VERSION
from .jcs import parse
from .errors import ServiceUnavailable

__all__ = ["Answer", "Transport"]

_MAX_ANSWER = 4 * 1024 * 1024
_MAX_ATTEMPTS = 3
_FIRST_PAUSE = 0.05
_MAX_IDLE_SECONDS = 30
_MOST_IDLE = 32
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")


@dataclass(frozen=True)
class Answer:
    """An answer of the service: its status, headers and parsed JSON."""

    status: int
    headers: Mapping[str, str]
    body: Any


class _NotSent(Exception):
    """The connection failed before the service can have acted on the request."""


class _TimedReader(io.RawIOBase):
    """Reads a socket until a deadline, however slowly the bytes come."""

    def __init__(self, connection: "_Connection") -> None:
        self._connection = connection
        self._socket = connection.sock
        # `http.client` closes the socket of a connection that ends with the answer; this reads on.
        self._raw = connection.sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        self._socket.settimeout(_remaining(self._connection.deadline))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _TimedSocket:
    """Hands `http.client` a reader that keeps the deadline."""

    def __init__(self, connection: "_Connection") -> None:
        self._connection = connection

    def makefile(self, *_: Any, **__: Any) -> io.BufferedReader:
        return io.BufferedReader(_TimedReader(self._connection))


class _Connection(http.client.HTTPConnection):
    """A connection whose every step keeps one deadline."""

    def __init__(self, host: str, port: int, tls: Optional[ssl.SSLContext]) -> None:
        super().__init__(host, port)
        self._tls = tls
        self.deadline = 0.0
        self.last_used = 0.0
        self.process = os.getpid()

    def is_usable(self) -> bool:
        """Tell whether an idle connection can send the next request of this process.

        What there is to read is the end of the connection, or an unsolicited response, which would
        be taken for the next one.
        """
        # uWSGI forks without Python's hooks.
        if self.process != os.getpid() or time.monotonic() - self.last_used >= _MAX_IDLE_SECONDS:
            return False
        if isinstance(self.sock, ssl.SSLSocket) and self.sock.pending():
            return False
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self.sock, selectors.EVENT_READ)
                return not selector.select(0)
        except (OSError, ValueError):
            return False

    def connect(self) -> None:
        fault: Optional[OSError] = None
        for family, kind, protocol, _, address in _resolve(self.host, self.port, self.deadline):
            opened = socket.socket(family, kind, protocol)
            try:
                opened.settimeout(_remaining(self.deadline))
                opened.connect(address)
                opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.sock = (
                    self._tls.wrap_socket(opened, server_hostname=self.host) if self._tls else opened
                )
                return
            except OSError as e:
                opened.close()
                fault = e
        raise fault or OSError("the host has no address")

    def send(self, data: Any) -> None:
        if self.sock is None:
            self.connect()
        self.sock.settimeout(_remaining(self.deadline))
        self.sock.sendall(data)

    def response_class(self, sock: Any, *args: Any, **kwargs: Any) -> http.client.HTTPResponse:  # type: ignore[override]
        return http.client.HTTPResponse(_TimedSocket(self), *args, **kwargs)  # type: ignore[arg-type]


def _resolve(host: str, port: int, deadline: float) -> list[Any]:
    """Return the addresses of a host, on a thread: the system's resolver has no time-out of its own."""
    found: futures.Future[list[Any]] = futures.Future()

    def resolve() -> None:
        try:
            found.set_result(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except Exception as e:
            found.set_exception(e)

    try:
        threading.Thread(target=resolve, name="safeconduct-resolver", daemon=True).start()
    except RuntimeError as e:  # the process has too many threads
        raise OSError(str(e)) from None
    try:
        return found.result(_remaining(deadline))
    except futures.TimeoutError:
        raise socket.timeout("timed out") from None


def _remaining(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise socket.timeout("timed out")
    return left


class Transport:
    """Sends requests to one service. Threads can share it; connections are kept and reused.

    Redirects and proxies from the environment are not followed: the key goes to the configured
    address only.
    """

    def __init__(self, base_url: str, api_key: Optional[str], tls: Optional[ssl.SSLContext]) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("base_url is not a valid http or https URL")
        if parts.query or parts.fragment or parts.username or parts.password:
            raise ValueError("base_url must be an address without credentials, query or fragment")
        if api_key is not None and (not api_key or not api_key.isascii() or not api_key.isprintable()):
            raise ValueError("api_key is not a valid key")
        self._address = base_url
        self._host = parts.hostname
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._path = parts.path.rstrip("/")
        self._tls = (tls or ssl.create_default_context()) if parts.scheme == "https" else None
        self._api_key = api_key
        self._idle: list[_Connection] = []
        self._lock = threading.Lock()
        self._closed = False

    def send(
        self,
        method: str,
        path: str,
        body: Optional[bytes],
        headers: Mapping[str, str],
        timeout: float,
        *,
        repeatable: bool,
    ) -> Answer:
        """Send a request and return the answer, whatever its status is.

        A request that cannot have reached the service is sent again. A 503 with ``Retry-After`` is
        retried only if the request is `repeatable`. Both keep the time-out in seconds. Raises
        `ServiceUnavailable` if there is no valid answer within it.
        """
        deadline = time.monotonic() + timeout
        pause = _FIRST_PAUSE
        for attempt in range(1, _MAX_ATTEMPTS + 1):
            last = attempt == _MAX_ATTEMPTS
            try:
                answer = self._exchange(method, path, body, headers, deadline, repeatable)
                wait = _retry_after(answer) if repeatable and not last else None
            except _NotSent as e:
                if last:
                    raise ServiceUnavailable(f"Safeconduct at {self._address} cannot be reached: {e}") from None
                answer, wait = None, pause
                pause *= 2
            if wait is None or time.monotonic() + wait >= deadline:
                if answer is None:
                    raise ServiceUnavailable(f"Safeconduct at {self._address} cannot be reached in time.")
                return answer
            time.sleep(wait)
        raise AssertionError("unreachable")

    def _exchange(
        self,
        method: str,
        path: str,
        body: Optional[bytes],
        headers: Mapping[str, str],
        deadline: float,
        repeatable: bool,
    ) -> Answer:
        connection, reused = self._take()
        connection.deadline = deadline
        connected = reused
        response = None
        try:
            if not reused:
                connection.connect()
                connected = True
            connection.request(method, self._path + path, body, self._headers(headers, body))
            response = connection.getresponse()
            data = response.read(_MAX_ANSWER + 1)
            answer = Answer(
                response.status,
                {name.lower(): value for name, value in response.getheaders()},
                _json(response, data),
            )
        except socket.timeout:
            connection.close()
            raise ServiceUnavailable("Safeconduct did not answer in time.") from None
        except (OSError, http.client.HTTPException, ValueError) as e:
            connection.close()
            # A kept connection may have ended while it was idle.
            stale = reused and isinstance(e, (http.client.RemoteDisconnected, ConnectionError, BrokenPipeError))
            if (not connected and isinstance(e, OSError)) or (stale and repeatable):
                raise _NotSent(str(e) or type(e).__name__) from None
            status = None if response is None else response.status
            raise ServiceUnavailable(f"The answer of Safeconduct is not valid: {e}", status) from None
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            self._give_back(connection)
        return answer

    def stream(self, path: str, headers: Mapping[str, str], silence: float) -> "Stream":
        """Open a stream of server-sent events that ends after `silence` seconds without a byte."""
        connection = _Connection(self._host, self._port, self._tls)
        connection.deadline = time.monotonic() + silence
        try:
            connection.request("GET", self._path + path, None, self._headers(headers, None))
            opened = connection.sock
            response = connection.getresponse()
        except (OSError, http.client.HTTPException) as e:
            connection.close()
            raise ServiceUnavailable(f"Safeconduct at {self._address} cannot be reached: {e}") from None
        return Stream(connection, opened, response, silence)

    def close(self) -> None:
        """Close the connections that are not in use."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def forked(self) -> None:
        """Forget what a forked process shares with its parent."""
        self._lock = threading.Lock()
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _headers(self, more: Mapping[str, str], body: Optional[bytes]) -> dict[str, str]:
        headers = {"User-Agent": f"safeconduct-python/{VERSION}", "Accept": "application/json", **more}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self._api_key is not None:
            headers["X-API-Key"] = self._api_key
        return headers

    def _take(self) -> tuple[_Connection, bool]:
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                return _Connection(self._host, self._port, self._tls), False
            if connection.is_usable():
                return connection, True
            connection.close()

    def _give_back(self, connection: _Connection) -> None:
        connection.last_used = time.monotonic()
        with self._lock:
            if not self._closed and len(self._idle) < _MOST_IDLE:
                self._idle.append(connection)
                return
        connection.close()


class Stream:
    """The lines of an open stream of server-sent events."""

    def __init__(
        self,
        connection: _Connection,
        opened: socket.socket,
        response: http.client.HTTPResponse,
        silence: float,
    ) -> None:
        self._connection = connection
        # `http.client` forgets the socket of a connection that ends with the answer.
        self._socket = opened
        self._response = response
        self._silence = silence
        self.status = response.status

    def line(self) -> Optional[str]:
        """Return the next line, or None at the end. Raises ``OSError`` after too long a silence."""
        self._connection.deadline = time.monotonic() + self._silence
        try:
            data = self._response.readline(65536)
        except (http.client.HTTPException, AttributeError) as e:  # the second if `close` is called meanwhile
            raise OSError(str(e)) from None
        return data.decode("utf-8", "replace").rstrip("\r\n") if data else None

    def close(self) -> None:
        """End the stream, also while another thread reads it."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._connection.close()
        self._response.close()

    def abandon(self) -> None:
        """Close this process's copy of a stream that its parent reads."""
        descriptor = self._socket.detach()
        if descriptor >= 0:
            os.close(descriptor)


def _json(response: http.client.HTTPResponse, data: bytes) -> Any:
    if len(data) > _MAX_ANSWER:
        raise ValueError("it is too long")
    if response.length:
        raise ValueError("it was cut off")
    kind = (response.getheader("Content-Type") or "").split(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise ValueError(f"it has the status {response.status} and no JSON")
    return parse(data)


def _retry_after(answer: Answer) -> Optional[float]:
    """Return how many seconds to wait before a retry, or None if there should be none."""
    if answer.status != 503:
        return None
    try:
        seconds = float(answer.headers.get("retry-after", ""))
    except ValueError:
        return None
    return max(seconds, _FIRST_PAUSE) if math.isfinite(seconds) else None


def encode(body: Any) -> bytes:
    """Return the JSON text of a request body. Raises ``ValueError`` if it has none."""
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, RecursionError) as e:
        raise ValueError(f"the request is not JSON: {e}") from None


def check_header(name: str, value: str) -> None:
    """Raise ``ValueError`` unless the text can be sent as a header's value."""
    if not value or not value.isascii() or not value.isprintable():
        raise ValueError(f"{name} is not a valid header value")


def trace_headers(request_id: Optional[str], traceparent: Optional[str]) -> dict[str, str]:
    """Return the headers that are passed on. Raises ``ValueError`` for a value that is not valid."""
    headers: dict[str, str] = {}
    if request_id is not None:
        check_header("request_id", request_id)
        headers["X-Request-Id"] = request_id
    if traceparent is not None:
        if not _TRACEPARENT.fullmatch(traceparent):
            raise ValueError("traceparent is not a valid W3C traceparent")
        headers["traceparent"] = traceparent
    return headers


def segment(text: str) -> str:
    """Return a segment of a path. Raises ``ValueError`` for a text that cannot be one."""
    if text in ("", ".", ".."):
        raise ValueError(f'"{text}" is not an id')
    return quote(text, safe="")
