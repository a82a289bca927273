"""The cases that the clients in all languages pass: sdk/vectors."""

from __future__ import annotations

import asyncio
import copy
import json
import re
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Dict

from script_server import ScriptServer, wait_until

from safeconduct import (
    ActionDenied,
    ApiError,
    AsyncSafeconduct,
    Safeconduct,
    ServiceUnavailable,
    canonical,
    digest,
    verify_decision,
    verify_receipt,
    verify_token,
)
from safeconduct.jcs import parse

VECTORS = Path(__file__).resolve().parents[2] / "vectors"


def load(name: str) -> Dict[str, Any]:
    """Read a file of vectors."""
    return json.loads((VECTORS / name).read_text("utf-8"))


class OfflineTest(unittest.TestCase):
    """Checks without the network."""

    def each(self, name: str, check: Callable[[Dict[str, Any], Any], None]) -> None:
        file = load(name)
        self.assertTrue(file["cases"])
        for case in file["cases"]:
            with self.subTest(case["name"]):
                check(case, case.get("jwks", file.get("jwks")))

    def test_canonical(self) -> None:
        def check(case: Dict[str, Any], _: Any) -> None:
            if case.get("refused"):
                with self.assertRaises(ValueError):
                    canonical(parse(case["json"]))
            else:
                self.assertEqual(case["canonical"], canonical(parse(case["json"])).decode())
                self.assertEqual("sha256:" + case["sha256"], digest(parse(case["json"])))

        self.each("canonical.json", check)

    def test_signatures(self) -> None:
        self.each(
            "signatures.json",
            lambda case, keys: self.assertIs(case["valid"], verify_decision(case["decision"], keys)),
        )

    def test_tokens(self) -> None:
        def check(case: Dict[str, Any], keys: Any) -> None:
            options = {"context_digest": "", **case["options"]}
            self.assertEqual(case["valid"], verify_token(case["token"], keys, **options) is not None)

        self.each("tokens.json", check)

    def test_a_token_without_a_context(self) -> None:
        file = load("tokens.json")
        case = file["cases"][0]
        with self.assertRaises(TypeError):
            verify_token(case["token"], file["jwks"], **{**case["options"], "context_digest": None})

    def test_receipts(self) -> None:
        def check(case: Dict[str, Any], keys: Any) -> None:
            valid = verify_receipt(case["record"], case.get("proof"), keys, case.get("decision"))
            self.assertIs(case["valid"], valid)

        self.each("receipts.json", check)

    def test_an_index_with_a_fraction(self) -> None:
        file = load("receipts.json")
        record, proof = file["cases"][0]["record"], file["cases"][0]["proof"]
        index = float(record["log_index"])
        self.assertFalse(verify_receipt({**record, "log_index": index}, proof, file["jwks"]))
        self.assertFalse(verify_receipt(record, {**proof, "index": index}, file["jwks"]))


class ActionFailed(Exception):
    """Raised by an action that fails."""


class Runner:
    """Runs one case with the client of threads, or with that of asyncio."""

    def __init__(self, test: unittest.TestCase, case: Dict[str, Any], recorded: Dict[str, Any], is_async: bool) -> None:
        self.test, self.recorded, self.is_async = test, recorded, is_async
        self.server = ScriptServer(case, recorded)
        self.case = json.loads(self.server.fill(json.dumps(case)))
        self.server.case = self.case
        self.server.answers = list(self.case.get("server", ()))
        self.has_run = False

    def run(self) -> None:
        """Play the case and compare."""
        late = self.case.get("listen_after_ms")
        if late is None and not self.case.get("refused"):
            self.server.start()
        client = None
        try:
            try:
                client = self.client()
            except ValueError:
                self.test.assertEqual("argument", self.case["steps"][0]["expect"].get("throws"))
                return
            if late is not None:
                threading.Timer(late / 1000, self.server.start).start()
            for step in self.case["steps"]:
                self.step(client, step)
            self.compare_requests()
        finally:
            if client is not None:
                self.wait(client.close)
            self.server.stop()

    def client(self) -> Any:
        """Make the client that the case asks for."""
        options = self.case.get("options", {})
        return (AsyncSafeconduct if self.is_async else Safeconduct)(
            f"http://127.0.0.1:{self.server.port}" + options.get("base_url_suffix", ""),
            options.get("api_key", "sck_test"),
            timeout=options.get("timeout_ms", 20000) / 1000,
            require_signature=options.get("require_signature"),
            cache=options.get("cache", False),
            minimal_context=options.get("minimal_context", False),
            poll_interval=options.get("poll_ms", 2000) / 1000,
        )

    def wait(self, call: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a method of either client and return its result."""
        result = call(*args, **kwargs)
        return self.loop.run_until_complete(result) if asyncio.iscoroutine(result) else result

    def step(self, client: Any, step: Dict[str, Any]) -> None:
        """Do one step."""
        stream = (client._client if self.is_async else client)._revocations
        call = step["call"]
        if call == "connect":
            wait_until(stream.is_live)
        elif call == "event":
            epoch = stream.epoch
            self.server.tell(step["event"], step["data"])
            wait_until(lambda: stream.epoch > epoch)
        elif call == "end_stream":
            self.server.end_stream()
            wait_until(lambda: not stream.is_live())
        elif call == "silence":
            self.server.is_silent = True
        elif call == "wait":
            time.sleep(step["ms"] / 1000)  # the time is what the case is about
        else:
            self.call(client, step)

    def call(self, client: Any, step: Dict[str, Any]) -> None:
        """Call the client and compare the outcome."""
        self.has_run = False
        expect = step.get("expect", {})
        started = time.monotonic()
        try:
            outcome = self.outcome(client, step)
            thrown = None
        except (ActionDenied, ApiError, ServiceUnavailable, ValueError, ActionFailed) as e:
            outcome, thrown = None, e
        took = (time.monotonic() - started) * 1000
        if step["call"] == "batch":
            for wanted, decision in zip(expect, outcome):
                self.compare(wanted, decision, thrown, step)
            self.test.assertEqual(len(expect), len(outcome))
            return
        self.compare(expect, outcome, thrown, step)
        self.test.assertLess(took, step.get("within_ms", expect.get("within_ms", 60_000)))
        self.test.assertGreaterEqual(took, step.get("after_ms", expect.get("after_ms", 0)))

    def outcome(self, client: Any, step: Dict[str, Any]) -> Any:
        """Return what the call returns."""
        call, options = step["call"], dict(step.get("options", {}))
        if call == "batch":
            return self.wait(client.check_batch, [self.question(q) for q in step["questions"]])
        if call == "set_status":
            return self.wait(client.set_status, step["agent_id"], step["status"], step.get("reason"))
        if call == "passport":
            return self.wait(client.passport, step["agent_id"])
        if call == "issue":
            return self.wait(client.issue, step["passport"])
        question = {"policy": "", "context": {}, **self.question(step["question"]), **options}
        if call == "check":
            return self.wait(client.check, **question)
        waits = question.pop("wait_for_approval_ms", 0) / 1000
        fn = self.async_action if self.is_async else self.action
        self.failing = step.get("fn") == "throws"
        return self.wait(client.guard, fn, wait_for_approval=waits, **question)

    def action(self) -> str:
        """The guarded action."""
        self.has_run = True
        if self.failing:
            raise ActionFailed
        return "done"

    async def async_action(self) -> str:
        """The guarded action."""
        return self.action()

    def question(self, question: Any) -> Dict[str, Any]:
        """Return a question, by its name if it has one."""
        return self.recorded["questions"][question] if isinstance(question, str) else question

    def compare(self, expect: Dict[str, Any], outcome: Any, thrown: Any, step: Dict[str, Any]) -> None:
        """Compare an outcome with what the case expects."""
        equal = self.test.assertEqual
        kinds = {ActionDenied: "denied", ApiError: "api", ServiceUnavailable: "unavailable", ActionFailed: "fn"}
        kind = None if thrown is None else kinds.get(type(thrown), "argument")
        equal(expect.get("throws"), kind, str(thrown))
        decision = thrown.decision if isinstance(thrown, ActionDenied) else outcome
        for name, wanted in expect.items():
            if name in ("throws", "within_ms", "after_ms"):
                continue
            if name == "ran":
                equal(wanted, self.has_run)
            elif name == "returns":
                equal(wanted, outcome)
            elif name == "result":
                for pointer, value in wanted.items():
                    place, last = ScriptServer.place(outcome, pointer)
                    equal(value, place[last])
            elif kind == "api":
                equal(wanted, getattr(thrown, name))
            elif name == "code":
                equal(wanted, decision.reason.code, decision)
            elif name == "approval":
                equal(wanted, decision.approval is not None)
            else:
                equal(wanted, getattr(decision, name), decision)

    def compare_requests(self) -> None:
        """Compare what the server received with what the case expects."""
        equal = self.test.assertEqual
        if "jwks_requests" in self.case:
            equal(self.case["jwks_requests"], self.server.jwks_requests)
        if "requests" not in self.case:
            return
        received = self.server.requests
        equal(len(self.case["requests"]), len(received), received)
        for wanted, request in zip(self.case["requests"], received):
            for name in ("method", "path", "body"):
                if name in wanted:
                    equal(wanted[name], request[name])
            for name, value in wanted.get("headers", {}).items():
                self.compare_header(name, value, request)
            if "body_of" in wanted:
                question = self.recorded["questions"][wanted["body_of"]]
                for member in ("agent_id", "context"):
                    equal(question[member], request["body"][member])
            for name, value in wanted.get("body_has", {}).items():
                equal(value, request["body"][name])

    def compare_header(self, name: str, wanted: Any, request: Dict[str, Any]) -> None:
        """Compare one header."""

        def header(sent: Dict[str, Any]) -> Any:
            return {n.lower(): v for n, v in sent["headers"].items()}.get(name.lower())

        value = header(request)
        if wanted is None:
            self.test.assertIsNone(value)
        elif wanted == "*":
            self.test.assertIsNotNone(value)
        elif re.fullmatch("=[0-9]", wanted):
            self.test.assertEqual(header(self.server.requests[int(wanted[1])]), value)
        elif re.fullmatch("![0-9]", wanted):
            self.test.assertNotEqual(header(self.server.requests[int(wanted[1])]), value)
        elif wanted.startswith("~"):
            self.test.assertRegex(value, re.compile(wanted[1:]))
        else:
            self.test.assertEqual(wanted, value)


class ClientTest(unittest.TestCase):
    """A client against a server that plays a script."""

    def test_threads_and_asyncio(self) -> None:
        recorded, cases = load("answers.json"), load("client.json")["cases"]
        self.assertTrue(cases)

        def play(case: Dict[str, Any], is_async: bool) -> None:
            runner = Runner(self, copy.deepcopy(case), recorded, is_async)
            runner.loop = asyncio.new_event_loop()
            try:
                runner.run()
            finally:
                runner.loop.close()

        # Most of the time of a case is waiting, so some are played at once.
        with ThreadPoolExecutor(8) as pool:
            played = [(case["name"], a, pool.submit(play, case, a)) for case in cases for a in (False, True)]
            for name, is_async, each in played:
                with self.subTest(name, is_async=is_async):
                    each.result()


if __name__ == "__main__":
    unittest.main()
