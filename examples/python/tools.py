"""Decides the tool calls of an agent, whatever framework makes them."""

import subprocess
from typing import Any, Dict

from safeconduct import Safeconduct
from safeconduct.adapters.tools import Tools, refusal


def shell(command: str) -> str:
    """A tool of the agent."""
    return subprocess.check_output(command.split(), text=True).strip()


TOOLS = Tools(
    Safeconduct(),
    {"shell": lambda args: {"policy": "system.command.execute.v1", "context": {"command": args["command"]}}},
)


def call(name: str, arguments: Dict[str, Any]) -> str:
    """Run a tool call that a model asked for."""
    decision = TOOLS.check(name, arguments)
    return "allowed: " + shell(**arguments) if decision.allow else "denied: " + refusal(decision)


print(call("shell", {"command": "echo hello"}))
print(call("shell", {"command": "reboot"}))
