"""What all adapters share: which question to ask about a tool call."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping

from ..client import Safeconduct
from ..decision import Decision, Reason
from ..jcs import parse

__all__ = ["Question", "Tools", "refusal"]

#: Makes the question of a tool call from the tool's arguments: ``{"policy": …, "context": …}``.
Question = Callable[[Mapping[str, Any]], Mapping[str, Any]]

UNKNOWN_TOOL = "client.unknown_tool"
INVALID_ARGUMENTS = "client.invalid_arguments"


class Tools:
    """The tools of an agent, and the question that each call asks.

    `questions` maps a tool's name to a function of its arguments. A tool that is not listed is
    denied. For example::

        Tools(sc, {"shell": lambda args: {
            "policy": "system.command.execute.v1", "context": {"command": args["command"]}}})
    """

    def __init__(self, client: Safeconduct, questions: Mapping[str, Question]) -> None:
        self._client = client
        self._questions = dict(questions)

    def check(self, name: str, arguments: Any) -> Decision:
        """Return the decision about a tool call. Never raises: what goes wrong is a deny.

        `arguments` is a mapping, or the text of a JSON object.
        """
        question = self._questions.get(name) if isinstance(name, str) else None
        if question is None:
            return _denied(UNKNOWN_TOOL, f'The tool "{name}" has no policy.')
        try:
            if isinstance(arguments, (str, bytes)):
                arguments = parse(arguments or "{}")
            if not isinstance(arguments, Mapping):
                raise TypeError("the arguments are not an object")
            asked: Dict[str, Any] = dict(question(arguments))
            if asked.get("dry_run") or asked.get("reserve"):
                raise ValueError("a question of a tool cannot be a dry run or a reservation")
            return self._client.check(**asked)
        except Exception as e:  # a fault of the mapping must not let the tool run
            return _denied(INVALID_ARGUMENTS, f'The arguments of "{name}" give no question: {e!r}')


def refusal(decision: Decision) -> str:
    """Return what the model is told about a deny."""
    reason = decision.reason
    link = f" A person can approve it: {decision.approval.link}" if decision.approval else ""
    return f"Denied ({reason.code}): {reason.message}{link}"


def _denied(code: str, message: str) -> Decision:
    return Decision(allow=False, reasons=(Reason(code, message),))
