"""A server that plays the script of a case of sdk/vectors/client.json."""

from __future__ import annotations

import base64
import copy
import json
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, List


class ScriptServer:
    """Answers as the case says, and keeps what it received."""

    def __init__(self, case: Dict[str, Any], recorded: Dict[str, Any]) -> None:
        self.case, self.recorded = case, recorded
        self.answers = list(case.get("server", ()))
        self.key_sets = list(case.get("jwks", [{"keys": "jwks"}]))
        self.requests: List[Dict[str, Any]] = []
        self.jwks_requests = 0
        self.lock = threading.Lock()
        self.done = threading.Event()
        self.stream_socket: Any = None
        self.is_silent = False
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.server: Any = None

    def start(self) -> None:
        """Listen."""
        script = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 10

            def handle_any(self) -> None:
                script.serve(self)

            do_GET = do_POST = do_PUT = handle_any

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True

            def handle_error(self, *_: Any) -> None:
                pass  # a client that leaves is part of many cases

        self.server = Server(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        """Stop listening."""
        self.done.set()
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()

    def serve(self, handler: BaseHTTPRequestHandler) -> None:
        """Answer one request."""
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        if handler.path == "/jwks.json":
            with self.lock:
                self.jwks_requests += 1
                answer = self.key_sets[0] if len(self.key_sets) == 1 else self.key_sets.pop(0)
        elif handler.path.startswith("/api/revocations"):
            self.stream(handler)
            return
        else:
            with self.lock:
                self.requests.append(
                    {
                        "method": handler.command,
                        "path": handler.path,
                        "headers": dict(handler.headers.items()),
                        "body": json.loads(body) if body else None,
                    }
                )
                answer = self.answers[0] if self.answers else {"status": 500, "text": ""}
                if self.answers and not answer.get("forever"):
                    self.answers.pop(0)
        self.send(handler, answer)

    def send(self, handler: BaseHTTPRequestHandler, answer: Dict[str, Any]) -> None:
        """Send an answer in the way it asks for."""
        if "event" in answer:
            self.tell(answer["event"]["event"], answer["event"]["data"])
            self.done.wait(0.2)
        self.done.wait(answer.get("delay_ms", 0) / 1000)
        if answer.get("close"):
            handler.close_connection = True
            handler.connection.shutdown(socket.SHUT_RDWR)
            return
        data = self.body(answer)
        handler.send_response(answer.get("status", 200))
        for name, value in {"Content-Type": "application/json", **answer.get("headers", {})}.items():
            handler.send_header(name, value)
        if answer.get("chunked"):
            handler.send_header("Transfer-Encoding", "chunked")
        else:
            handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.flush()
        self.done.wait(answer.get("body_delay_ms", 0) / 1000)
        cut = answer.get("cut")
        part = data if cut is None else data[:cut]
        if answer.get("chunked"):
            half = len(part) // 2
            for chunk in (part[:half], part[half:]):
                handler.wfile.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))
            if cut is None:
                handler.wfile.write(b"0\r\n\r\n")
        elif answer.get("drip_ms"):
            for byte in part:
                if self.done.wait(answer["drip_ms"] / 1000):
                    break
                handler.wfile.write(bytes((byte,)))
                handler.wfile.flush()
        else:
            handler.wfile.write(part)
        handler.wfile.flush()
        if cut is not None:
            handler.close_connection = True
            handler.connection.shutdown(socket.SHUT_RDWR)

    def body(self, answer: Dict[str, Any]) -> bytes:
        """Return the body that an answer describes."""
        if "text" in answer:
            data = answer["text"].encode()
        elif "base64" in answer:
            data = base64.b64decode(answer["base64"])
        else:
            data = self.fill(json.dumps(self.value(answer))).encode()
        data = (data + answer.get("append", "").encode()) * answer.get("repeat", 1)
        return data[: answer.get("keep", len(data))]

    def value(self, answer: Dict[str, Any]) -> Any:
        """Return the JSON that an answer describes."""
        if "json" in answer:
            value = answer["json"]
        elif "keys" in answer:
            value = self.recorded[answer["keys"]]
        elif "passport" in answer:
            value = self.recorded["passport"]
        else:
            value = self.recorded["answers"][answer["answer"]]
        value = copy.deepcopy(value)
        for pointer, replacement in answer.get("set", {}).items():
            place, name = self.place(value, pointer)
            place[name] = replacement
        for pointer in answer.get("remove", ()):
            place, name = self.place(value, pointer)
            del place[name]
        return value

    @staticmethod
    def place(value: Any, pointer: str) -> Any:
        """Return the container that a JSON pointer leads to, and the last name."""
        *names, last = pointer.split("/")[1:]
        for name in names:
            value = value[int(name) if isinstance(value, list) else name]
        return value, last

    def fill(self, text: str) -> str:
        """Replace {agent_id} and the other names by the recorded values."""
        answers = self.recorded["answers"]
        for name, recorded in {
            "agent_id": self.recorded["questions"]["allow"]["agent_id"],
            "kid": answers["allow"]["kid"],
            "reservation_id": answers["reserved"]["reservation_id"],
            "approval_id": answers["approval"]["approval"]["approval_id"],
        }.items():
            text = text.replace("{" + name + "}", recorded)
        return text

    # The stream of revocations

    def tell(self, event: str, data: Any) -> None:
        """Send an event."""
        self.write(f"event: {event}\nid: 7\ndata: {json.dumps(data)}\n\n")

    def stream(self, handler: BaseHTTPRequestHandler) -> None:
        """Send comments until the case says otherwise."""
        if not self.case.get("stream"):
            self.send(handler, {"status": 404, "json": {"ok": False}})
            return
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.close_connection = True
        self.stream_socket = handler.connection
        try:
            while not self.done.is_set():
                if not self.is_silent:
                    self.write(": \n\n")
                self.done.wait(0.2)
        except OSError:
            pass

    def write(self, text: str) -> None:
        """Send a piece of the stream."""
        with self.lock:
            data = text.encode()
            self.stream_socket.sendall(b"%x\r\n%b\r\n" % (len(data), data))

    def end_stream(self) -> None:
        """Cut the stream, and open no other one."""
        self.case["stream"] = False
        self.stream_socket.shutdown(socket.SHUT_RDWR)


def wait_until(condition: Any, seconds: float = 5.0) -> None:
    """Wait for a condition. Raises ``TimeoutError`` if it does not become true."""
    ends = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > ends:
            raise TimeoutError("the condition did not become true")
        threading.Event().wait(0.005)
