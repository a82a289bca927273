"""Against a running service: SAFECONDUCT_URL and SAFECONDUCT_API_KEY (all scopes); sdk/test starts one.

SAFECONDUCT_RANDOM names the folder that sdk/vectors/random.mjs wrote.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
import unittest
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Callable, Dict, List

from safeconduct import (
    ActionDenied,
    ApiError,
    AsyncSafeconduct,
    Safeconduct,
    digest,
    verify_decision,
    verify_receipt,
    verify_token,
)

POLICY = "system.command.execute.v1"


def verified(lines: List[bytes], keys: Any) -> int:
    """Return how many of the decisions verify."""
    return sum(verify_decision(line, keys) for line in lines)


def forked(does: Callable[[], bool]) -> int:
    """Return the id of a process that does it, and is killed if it hangs."""
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            os._exit(0 if does() else 1)
        finally:
            os._exit(2)
    return child


@unittest.skipUnless(os.environ.get("SAFECONDUCT_URL"), "no SAFECONDUCT_URL: sdk/test sets it")
class ServiceTest(unittest.TestCase):
    """The client with a real service."""

    client: Safeconduct
    agent: Dict[str, Any]

    @classmethod
    def setUpClass(cls) -> None:
        cls.client = Safeconduct(timeout=20)
        cls.agent = cls.client.issue(
            {
                "name": "A test",
                "description": "An agent of a test.",
                "capabilities": [{"id": "system.command.execute"}],
                "limits": {"system.command.execute": {"allowed_commands": ["ls"]}},
            }
        )

    @classmethod
    def tearDownClass(cls) -> None:
        cls.client.close()

    def question(self, command: Any, **more: Any) -> Dict[str, Any]:
        return {"agent_id": self.agent["agent_id"], "policy": POLICY, "context": {"command": command, **more}}

    def test_allow_and_deny(self) -> None:
        allow = self.client.check(**self.question("ls"))
        self.assertEqual((True, True, "oap.allowed"), (allow.allow, allow.verified, allow.reason.code))
        deny = self.client.check(**self.question("reboot “é” \U0001f600"))
        self.assertEqual((False, True, "oap.command_not_allowed"), (deny.allow, deny.verified, deny.reason.code))
        keys = self.client.keys()
        self.assertTrue(verify_decision(allow.raw, keys))
        self.assertFalse(verify_decision({**deny.raw, "allow": True}, keys))

    def test_guard(self) -> None:
        self.assertEqual(7, self.client.guard(lambda: 7, **self.question("ls")))
        with self.assertRaises(ActionDenied) as caught:
            self.client.guard(lambda: self.fail("it ran"), **self.question("nmap"))
        self.assertEqual("oap.command_not_allowed", caught.exception.code)
        self.assertIsNotNone(caught.exception.decision_id)

    def test_guard_with_reservation(self) -> None:
        self.assertEqual(7, self.client.guard(lambda: 7, reserve=True, **self.question("ls")))
        with self.assertRaises(ZeroDivisionError):
            self.client.guard(lambda: 1 // 0, reserve=True, **self.question("ls"))

    def test_contexts_have_one_digest(self) -> None:
        for more in (
            {"x": [1.0, -0.0, 1e21, 1e-7, 5e-324, None, {"é": "e\u0301", "\U0001f600": 1, "ﬃ": 2}]},
            {"n": [2**53 + 1, 10**25, -(10**25), 123456789012345678], "t": "\u0001\u2028\"\\"},
        ):
            question = self.question("ls", **more)
            decision = self.client.check(**question)
            self.assertIsNotNone(decision.decision_id, decision)
            self.assertEqual(digest(question["context"]), decision.raw["context_digest"])

    def test_batch(self) -> None:
        decisions = self.client.check_batch([self.question("ls"), self.question("nmap"), self.question("ls")])
        self.assertEqual([True, False, True], [d.allow for d in decisions])
        self.assertTrue(all(d.verified for d in decisions))

    def test_token(self) -> None:
        question = self.question("ls")
        token = self.client.token(**question)
        self.assertIsNotNone(token)
        expected = {"agent_id": self.agent["agent_id"], "policy": POLICY, "audience": self.agent["owner_id"]}
        keys, right = self.client.keys(), digest(question["context"])
        self.assertIsNotNone(verify_token(str(token), keys, context_digest=right, **expected))
        self.assertIsNone(verify_token(str(token), keys, context_digest=digest({}), **expected))

    def test_receipt(self) -> None:
        decision = self.client.check(**self.question("ls"))
        record = self.client.request("GET", f"/api/audit/{decision.decision_id}")
        proof = self.client.request("GET", f"/api/audit/{decision.decision_id}/proof")
        self.assertTrue(verify_receipt(record, proof, self.client.keys(), decision.raw))
        self.assertFalse(verify_receipt({**record, "code": "x"}, proof, self.client.keys()))

    def test_errors(self) -> None:
        unknown = self.client.check(agent_id=self.agent["agent_id"], policy="no.such.pack.v1", context={})
        self.assertEqual((False, 404), (unknown.allow, unknown.status))
        with Safeconduct(api_key="sck_stranger", timeout=20) as stranger:
            denied = stranger.check(**self.question("ls"))
        self.assertEqual((False, "unauthorized"), (denied.allow, denied.error_code))
        with self.assertRaises(ApiError) as caught:
            self.client.set_status(self.agent["agent_id"], "asleep")
        self.assertEqual(400, caught.exception.status)

    def test_suspension_drops_stored_allows(self) -> None:
        async def run() -> None:
            async with AsyncSafeconduct(timeout=20, cache=True) as client:
                question = self.question("ls")
                stored = await client.check(**question)
                for _ in range(200):
                    stored = await client.check(**question)
                    if stored.cached:
                        break
                    await asyncio.sleep(0.05)
                self.assertTrue(stored.cached)
                await client.set_status(self.agent["agent_id"], "suspended", "a test")
                try:
                    for _ in range(200):
                        if not (await client.check(**question)).allow:
                            break
                        await asyncio.sleep(0.05)
                    else:
                        self.fail("the suspension did not arrive")
                finally:
                    await client.set_status(self.agent["agent_id"], "active", "a test")

        asyncio.run(run())

    @unittest.skipUnless(hasattr(os, "fork"), "no processes that fork")
    def test_forked_processes(self) -> None:
        with Safeconduct(timeout=20, cache=True) as client:
            other = client.issue({"name": "Another", "description": "An agent of a test.", "capabilities": []})
            self.cached(client)

            def reads_only(agent_id: str) -> bool:
                return all(client.passport(agent_id)["agent_id"] == agent_id for _ in range(100))

            def closes() -> bool:
                client.close()
                return True

            stream = client._revocations._stream
            # As if another thread held them.
            with client._lock, client._transport._lock, client._revocations._lock:
                children = [
                    forked(lambda: reads_only(other["agent_id"]) and self.cached(client)),
                    forked(closes),
                ]
            right = reads_only(self.agent["agent_id"])
            self.assertEqual((True, [0, 0]), (right, [os.waitpid(child, 0)[1] for child in children]))
            self.assertTrue(self.cached(client))
            self.assertIs(stream, client._revocations._stream)

    def cached(self, client: Safeconduct) -> bool:
        """Ask until a stored allow answers."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if client.check(**self.question("ls")).cached:
                return True
        return False

    def test_random_decisions(self) -> None:
        folder = Path(os.environ["SAFECONDUCT_RANDOM"])
        keys = json.loads((folder / "jwks.json").read_text("utf-8"))
        for file, share in (("decisions.ndjson", 1), ("changed.ndjson", 0)):
            lines = (folder / file).read_bytes().splitlines()
            self.assertTrue(lines)
            parts = [lines[i::2] for i in range(2)]
            with ProcessPoolExecutor(2) as pool:
                found = sum(pool.map(partial(verified, keys=keys), parts))
            self.assertEqual(share * len(lines), found, file)


if __name__ == "__main__":
    unittest.main()
