"""Ask Safeconduct before an agent acts.

    from safeconduct import ActionDenied, Safeconduct

    sc = Safeconduct()  # SAFECONDUCT_URL, SAFECONDUCT_API_KEY, SAFECONDUCT_AGENT_ID
    sc.guard(run, policy="system.command.execute.v1", context={"command": "git status"})
"""

from ._version import VERSION as __version__
from .aio import AsyncSafeconduct
from .jcs import canonical, digest
from .client import Safeconduct
from .decision import Approval, Decision, Reason
from .errors import ActionDenied, ApiError, SafeconductError, ServiceUnavailable
from .verify import verify_decision, verify_receipt, verify_token

__all__ = [
    "ActionDenied",
    "ApiError",
    "Approval",
    "AsyncSafeconduct",
    "Decision",
    "Reason",
    "Safeconduct",
    "SafeconductError",
    "ServiceUnavailable",
    "__version__",
    "canonical",
    "digest",
    "verify_decision",
    "verify_receipt",
    "verify_token",
]
