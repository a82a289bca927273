"""What this package raises."""

from __future__ import annotations

from typing import Any, Mapping, Optional

from .decision import Approval, Decision

__all__ = ["ActionDenied", "ApiError", "SafeconductError", "ServiceUnavailable"]


class SafeconductError(Exception):
    """Everything this package raises on purpose, apart from ``ValueError`` for wrong arguments."""


class ActionDenied(SafeconductError):
    """The action is denied, and did not run."""

    def __init__(self, decision: Decision) -> None:
        reason = decision.reason
        where = f" Ask for approval: {decision.approval.link}" if decision.approval else ""
        super().__init__(f"{reason.code}: {reason.message}{where}")
        self.decision = decision

    @property
    def code(self) -> str:
        """The deciding reason's code."""
        return self.decision.reason.code

    @property
    def decision_id(self) -> Optional[str]:
        """The decision's id, or None if the service did not answer."""
        return self.decision.decision_id

    @property
    def approval(self) -> Optional[Approval]:
        """The approval that a person can still give, if there is one."""
        return self.decision.approval


class ServiceUnavailable(SafeconductError):
    """The service did not give a valid answer in time. ``status`` is its HTTP status, if any."""

    def __init__(self, message: str, status: Optional[int] = None) -> None:
        super().__init__(message)
        self.status = status


class ApiError(SafeconductError):
    """The service refused a request. ``status`` is the HTTP status, ``field`` the wrong field."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        self.status = status
        self.code = _text(body.get("code")) or f"http_{status}"
        self.field = _text(body.get("field"))
        self.request_id = _text(body.get("request_id"))
        message = _text(body.get("message")) or _text(body.get("detail")) or "The service refused the request."
        self.message = message
        super().__init__(f"{self.code} ({status}): {message}")


def _text(value: Any) -> Optional[str]:
    return value if isinstance(value, str) else None
