"""What a connection holds that is kept for the next request."""

from __future__ import annotations

import asyncio
import json
import select
import socket
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any
from unittest import mock

from safeconduct import AsyncSafeconduct, Safeconduct

QUESTION = {"policy": "system.command.execute.v1", "context": {"command": "ls"}}


class StrayAnswers(threading.Thread):
    """A server that names the path in each answer; `stray` sends one that nobody asked for."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.connections: list[socket.socket] = []

    def run(self) -> None:
        """Serve connections one after the other, each until the client closes it."""
        while True:
            connection, _ = self.listener.accept()
            self.connections.append(connection)
            with connection, connection.makefile("rb") as requests, suppress(ConnectionError):
                for line in requests:
                    if line.startswith(b"GET "):
                        connection.sendall(self.answer(line.split()[1].decode()))

    def answer(self, path: str) -> bytes:
        body = json.dumps({"path": path})
        return (
            f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        ).encode()


class ConnectionsTest(unittest.TestCase):
    def test_an_answer_that_nobody_asked_for(self) -> None:
        server = StrayAnswers()
        server.start()
        port = server.listener.getsockname()[1]
        with Safeconduct(f"http://127.0.0.1:{port}", "sck_test", timeout=20) as client:
            for i in range(3):
                self.assertEqual({"path": f"/{i}"}, client.request("GET", f"/{i}"))
            self.assertEqual(1, len(server.connections))
            server.connections[0].sendall(server.answer("/stray"))
            select.select([client._transport._idle[0].sock], [], [], 20)  # until it has arrived
            for i in range(3):
                self.assertEqual({"path": f"/{i}"}, client.request("GET", f"/{i}"))
            self.assertEqual(2, len(server.connections))

    def test_a_resolver_that_does_not_answer(self) -> None:
        answered = threading.Event()
        self.addCleanup(answered.set)

        def resolve(*_: Any, **__: Any) -> list[Any]:
            answered.wait(20)
            return []

        with mock.patch("socket.getaddrinfo", resolve):
            decision = Safeconduct("http://service.example", agent_id="ap_1", timeout=0.2).check(**QUESTION)
        self.assertFalse(decision.allow)
        self.assertEqual("Safeconduct did not answer in time.", decision.reason.message)

    def test_an_event_loop_whose_threads_are_busy(self) -> None:
        free = threading.Event()
        self.addCleanup(free.set)

        async def check() -> str:
            loop = asyncio.get_running_loop()
            loop.set_default_executor(ThreadPoolExecutor(1))
            busy = loop.run_in_executor(None, free.wait, 60)
            client = AsyncSafeconduct("http://127.0.0.1:1", agent_id="ap_1", timeout=0.2)
            try:
                return (await asyncio.wait_for(client.check(**QUESTION), 20)).reason.code
            finally:
                free.set()
                await busy

        self.assertEqual("client.unavailable", asyncio.run(check()))

    def test_a_process_that_starts_no_more_threads(self) -> None:
        async def check() -> str:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(None, int)  # the loop has a thread
            client = AsyncSafeconduct("http://127.0.0.1:1", agent_id="ap_1", timeout=0.2)
            with mock.patch("threading.Thread.start", side_effect=RuntimeError("can't start new thread")):
                return (await asyncio.wait_for(client.check(**QUESTION), 20)).reason.code

        self.assertEqual("client.unavailable", asyncio.run(check()))

    def test_few_connections_are_kept(self) -> None:
        client = Safeconduct("http://127.0.0.1:1")
        for _ in range(100):
            client._transport._give_back(mock.Mock())
        self.assertEqual(32, len(client._transport._idle))


if __name__ == "__main__":
    unittest.main()
