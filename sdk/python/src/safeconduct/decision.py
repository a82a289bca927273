"""What the service answers: decisions, their reasons, and approvals that wait for a person."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Tuple

from .jcs import canonical

__all__ = ["Approval", "Decision", "Reason"]

UNAVAILABLE = "client.unavailable"


@dataclass(frozen=True)
class Reason:
    """Why a decision is as it is: a stable code and a sentence for people."""

    code: str
    message: str


@dataclass(frozen=True)
class Approval:
    """An approval that a person has yet to give. ``link`` is the page where they can."""

    approval_id: str
    expires_at: str
    link: str


@dataclass(frozen=True)
class Decision:
    """The answer to "may this agent do this, now?".

    ``allow`` is true only if the service said so and the answer passed every check of this client.
    If it could not be reached, or its answer is not valid, ``allow`` is false, the first reason is
    ``client.unavailable``, and ``decision_id`` is None. ``expires_in`` is in seconds.
    """

    allow: bool
    reasons: Tuple[Reason, ...]
    decision_id: Optional[str] = None
    expires_at: Optional[str] = None
    expires_in: int = 0
    approval: Optional[Approval] = None
    reservation_id: Optional[str] = None
    #: True if the signature was checked with the service's key set.
    verified: bool = False
    #: True if it is a stored allow for the same question.
    cached: bool = False
    #: HTTP status and error code of an answer that was not a decision.
    status: Optional[int] = None
    error_code: Optional[str] = None
    #: The signed object as it was sent, for `verify_decision` and for keeping. Empty if there is none.
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def reason(self) -> Reason:
        """The deciding reason."""
        return self.reasons[0]

    @property
    def approval_required(self) -> bool:
        """True if a person can still allow this action: see `Safeconduct.wait_for_approval`."""
        return self.approval is not None and not self.allow


def unavailable(
    message: str, status: Optional[int] = None, error_code: Optional[str] = None
) -> Decision:
    """Return the deny for a service that did not give a valid answer."""
    return Decision(False, (Reason(UNAVAILABLE, message),), status=status, error_code=error_code)


def read_decision(answer: Any) -> Decision:
    """Read an answer of the verify operation.

    Only the members under the signature decide; the copies beside them must be equal. Raises
    ``ValueError`` if the answer does not have the documented form.
    """
    signed = signed_object(answer)
    reasons = signed.get("reasons")
    if not isinstance(reasons, list) or not reasons:
        raise ValueError("reasons is not a list of reasons")
    return Decision(
        allow=_typed(signed, "allow", bool),
        reasons=tuple(_reason(item) for item in reasons),
        decision_id=_typed(signed, "decision_id", str) or _missing("decision_id"),
        expires_at=_typed(signed, "expires_at", str),
        expires_in=_seconds(signed),
        approval=_approval(answer.get("approval")),
        reservation_id=_optional_text(answer, "reservation_id"),
        raw=signed,
    )


def signed_object(answer: Any) -> Mapping[str, Any]:
    """Return the signed object of an answer: ``decision`` if it has one, else the answer itself."""
    if not isinstance(answer, dict):
        raise ValueError("the answer is not an object")
    if "decision" not in answer:
        return answer
    signed = answer["decision"]
    if not isinstance(signed, dict):
        raise ValueError("decision is not an object")
    for name in signed:
        # To Python, 1 equals True.
        if name in answer and canonical(answer[name]) != canonical(signed[name]):
            raise ValueError(f"{name} differs from decision.{name}")
    if answer.get("verified", signed.get("allow")) is not signed.get("allow"):
        raise ValueError("verified differs from decision.allow")
    return signed


def _reason(item: Any) -> Reason:
    if not isinstance(item, dict):
        raise ValueError("a reason is not an object")
    return Reason(_typed(item, "code", str), _optional_text(item, "message") or "")


def _approval(value: Any) -> Optional[Approval]:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise ValueError("approval is not an object")
    return Approval(
        _typed(value, "approval_id", str),
        _typed(value, "expires_at", str),
        _optional_text(value, "approval_url") or "",
    )


def _seconds(signed: Mapping[str, Any]) -> int:
    seconds = signed.get("expires_in")
    if isinstance(seconds, bool) or not isinstance(seconds, int) or not 0 <= seconds <= 30:
        raise ValueError("expires_in is not a number of seconds up to 30")
    return seconds


def _typed(members: Mapping[str, Any], name: str, kind: type) -> Any:
    value = members.get(name)
    if not isinstance(value, kind):
        raise ValueError(f"{name} is missing or has the wrong type")
    return value


def _missing(name: str) -> Any:
    raise ValueError(f"{name} is empty")


def _optional_text(members: Mapping[str, Any], name: str) -> Optional[str]:
    value = members.get(name)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{name} is not a string")
    return value
