"""The adapters, with stand-ins for the frameworks that the package registries here do not have."""

from __future__ import annotations

import asyncio
import sys
import types
import unittest
from typing import Any, Dict, List

from safeconduct import Decision, Reason, Safeconduct
from safeconduct.adapters.asgi import SafeconductMiddleware
from safeconduct.adapters.crewai import safeconduct_hook
from safeconduct.adapters.langchain import safeconduct_middleware
from safeconduct.adapters.openai_agents import safeconduct_guardrail
from safeconduct.adapters.pydantic_ai import safeconduct_before_tool_execute
from safeconduct.adapters.tools import Tools


class Fixed(Safeconduct):
    """A client whose service allows `ls` and nothing else."""

    def __init__(self) -> None:
        super().__init__("http://127.0.0.1:1", "sck_test", agent_id="ap_1")

    def check(self, **question: Any) -> Decision:
        allow = question["context"] == {"command": "ls"} and question.get("agent_id") in (None, "ap_1")
        return Decision(allow, (Reason("oap.allowed" if allow else "oap.command_not_allowed", "x"),), "d")


TOOLS = Tools(
    Fixed(),
    {
        "shell": lambda a: {"policy": "system.command.execute.v1", "context": {"command": a["command"]}},
        "dry": lambda a: {"policy": "system.command.execute.v1", "context": dict(a), "dry_run": True},
    },
)
CALLS = [
    ("shell", {"command": "ls"}, True),
    ("shell", '{"command": "ls"}', True),
    ("shell", {"command": "rm"}, False),
    ("shell", {}, False),
    ("shell", None, False),
    ("shell", "not JSON", False),
    ("shell", "[1]", False),
    ("other", {"command": "ls"}, False),
    ("shell", '{"command": "rm", "command": "ls"}', False),
    ("dry", {"command": "ls"}, False),
    (["shell"], {"command": "ls"}, False),
]


def module(name: str, **members: Any) -> types.ModuleType:
    """Stand in for a module of a framework."""
    made = types.ModuleType(name)
    made.__dict__.update(members)
    sys.modules[name] = made
    return made


class AdaptersTest(unittest.TestCase):
    """Each adapter runs what is allowed and nothing else."""

    def test_tools(self) -> None:
        for name, arguments, allowed in CALLS:
            self.assertIs(allowed, TOOLS.check(name, arguments).allow, (name, arguments))

    def test_crewai(self) -> None:
        hook = safeconduct_hook(TOOLS)
        for name, arguments, allowed in CALLS:
            context = types.SimpleNamespace(tool_name=name, tool_input=arguments)
            self.assertIs(None if allowed else False, hook(context))
        self.assertIs(False, hook(object()))

    def test_langchain(self) -> None:
        class Message:
            def __init__(self, **members: Any) -> None:
                self.__dict__.update(members)

        module("langchain")
        module("langchain.agents")
        module("langchain.agents.middleware", AgentMiddleware=object)
        module("langchain_core")
        module("langchain_core.messages", ToolMessage=Message)
        middleware = safeconduct_middleware(TOOLS)

        async def handler(_: Any) -> str:
            return "ran"

        for name, arguments, allowed in CALLS:
            request = types.SimpleNamespace(tool_call={"name": name, "args": arguments, "id": "c1"})
            for result in (
                middleware.wrap_tool_call(request, lambda _: "ran"),
                asyncio.run(middleware.awrap_tool_call(request, handler)),
            ):
                if allowed:
                    self.assertEqual("ran", result)
                else:
                    self.assertEqual(("error", "c1"), (result.status, result.tool_call_id))

    def test_openai_agents(self) -> None:
        output = types.SimpleNamespace(allow=lambda: "allow", reject_content=lambda text: text)
        module("agents", ToolGuardrailFunctionOutput=output, tool_input_guardrail=lambda fn: fn)
        guardrail = safeconduct_guardrail(TOOLS)
        for name, arguments, allowed in CALLS:
            context = types.SimpleNamespace(tool_name=name, tool_arguments=arguments)
            result = asyncio.run(guardrail(types.SimpleNamespace(context=context)))
            self.assertEqual(allowed, result == "allow")

    def test_pydantic_ai(self) -> None:
        class SkipToolExecution(Exception):
            pass

        module("pydantic_ai")
        module("pydantic_ai.exceptions", SkipToolExecution=SkipToolExecution)
        before = safeconduct_before_tool_execute(TOOLS)
        for name, arguments, allowed in CALLS:
            run = before(None, call=None, tool_def=types.SimpleNamespace(name=name), args=arguments)
            if allowed:
                self.assertEqual(arguments, asyncio.run(run))
            else:
                self.assertRaises(SkipToolExecution, asyncio.run, run)

    def test_asgi(self) -> None:
        async def app(scope: Dict[str, Any], receive: Any, send: Any) -> None:
            self.assertTrue(scope["safeconduct"].allow)
            await send({"type": "http.response.start", "status": 200, "headers": []})

        def question(scope: Dict[str, Any]) -> Any:
            asked = {"policy": "system.command.execute.v1", "context": {"command": scope["path"][-2:]}}
            return {**asked, "dry_run": True} if scope["path"].startswith("/dry") else asked

        sent: List[Dict[str, Any]] = []

        def status(path: str, headers: List[Any], kind: str = "http", client: Any = Fixed()) -> Any:
            sent.clear()

            async def send(message: Dict[str, Any]) -> None:
                sent.append(message)

            scope = {"type": kind, "path": path, "headers": headers}
            asyncio.run(SafeconductMiddleware(app, client, question)(scope, None, send))
            return sent[0].get("status", sent[0].get("code"))

        agent = (b"x-agent-passport-id", b"ap_1")
        self.assertEqual(200, status("/ls", [agent]))
        self.assertEqual(403, status("/rm", [agent]))
        self.assertEqual(403, status("/ls", [(b"x-agent-passport-id", b"ap_2")]))
        self.assertEqual(503, status("/dry/ls", [agent]))
        away = Safeconduct("http://127.0.0.1:1", agent_id="ap_1")
        self.assertEqual(503, status("/ls", [agent], client=away))
        self.assertNotIn(b"127.0.0.1", sent[1]["body"])
        self.assertEqual(401, status("/ls", []))
        self.assertEqual(401, status("/ls", [agent, agent]))
        self.assertEqual(1008, status("/rm", [agent], "websocket"))


if __name__ == "__main__":
    unittest.main()
