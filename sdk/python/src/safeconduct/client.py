"""The client: ask before an agent acts."""

from __future__ import annotations

import os
import ssl
import threading
import time
import uuid
import weakref
from dataclasses import replace
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple, TypeVar
from urllib.parse import urlencode

from .jcs import canonical
from .decision import UNAVAILABLE, Decision, read_decision, unavailable
from .errors import ActionDenied, ApiError, SafeconductError, ServiceUnavailable
from .http import Answer, Transport, check_header, encode, segment, trace_headers
from .revocations import Revocations
from .verify import matches, verify_decision

__all__ = ["Safeconduct"]

T = TypeVar("T")

_KEY_SET = "/jwks.json"
_KEY_SET_RENEWAL_SECONDS = 5
_MAX_CACHED = 10_000


class Safeconduct:
    """A client of one Safeconduct service. Threads and forked processes can share it.

    Every fault denies: if the service cannot be reached within the time-out, or its answer is not
    valid, `check` returns a deny with the reason ``client.unavailable``, and `guard` does not run
    the action. No option changes that.

    :param base_url: address of the service; default: ``SAFECONDUCT_URL``
    :param api_key: an API key; default: ``SAFECONDUCT_API_KEY``
    :param agent_id: the agent that acts if a call names none; default: ``SAFECONDUCT_AGENT_ID``
    :param timeout: seconds for one call with its retries
    :param keys: the service's key set, if you pin it; default: fetched from ``/jwks.json``
    :param require_signature: refuse decisions without a valid signature. Default: refuse them
        unless the service publishes no key set.
    :param cache: use an allow again for the same question as long as its ``expires_in`` says. The
        client then follows the revocation stream, and uses no stored allow while that is broken.
    :param minimal_context: send only the members that the policy declares, for built-in policies
    :param on_unavailable: is called with the reason (a string) when the service did not answer; it
        cannot change the outcome
    :param poll_interval: seconds between two questions about an approval
    :param ssl_context: for a private certificate authority
    """

    def __init__(
        self,
        base_url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        agent_id: Optional[str] = None,
        timeout: float = 2.0,
        keys: Optional[Mapping[str, Any]] = None,
        require_signature: Optional[bool] = None,
        cache: bool = False,
        minimal_context: bool = False,
        on_unavailable: Optional[Callable[[str], None]] = None,
        poll_interval: float = 2.0,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        address = base_url or os.environ.get("SAFECONDUCT_URL")
        if not address:
            raise ValueError("base_url is missing; give it, or set SAFECONDUCT_URL")
        if isinstance(timeout, bool) or not 0 < timeout <= 3600:
            raise ValueError("timeout is not a number of seconds up to 3600")
        if not poll_interval > 0:
            raise ValueError("poll_interval is not a number of seconds above 0")
        self._agent_id = agent_id or os.environ.get("SAFECONDUCT_AGENT_ID") or None
        self._timeout = timeout
        self._transport = Transport(
            address, api_key or os.environ.get("SAFECONDUCT_API_KEY") or None, ssl_context
        )
        self._pinned = keys
        self._keys: Optional[Mapping[str, Any]] = keys
        self._renewed_at = float("-inf")
        self._require_signature = require_signature
        self._declared = _declared_members() if minimal_context else {}
        self._on_unavailable = on_unavailable
        self.poll_interval = poll_interval
        self._lock = threading.Lock()
        self._cache: Dict[bytes, tuple[float, Decision]] = {}
        self._revocations = Revocations(self._transport, self._drop) if cache else None
        _clients.add(self)

    def __enter__(self) -> "Safeconduct":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the revocation stream and close idle connections."""
        if self._revocations is not None:
            self._revocations.close()
        self._transport.close()

    def _forked(self) -> None:
        # Another thread may have held a lock when the process forked.
        self._lock = threading.Lock()
        self._transport.forked()
        if self._revocations is not None:
            self._revocations.forked()

    # Decisions

    def check(
        self,
        *,
        policy: str,
        context: Mapping[str, Any],
        agent_id: Optional[str] = None,
        approval_id: Optional[str] = None,
        reserve: bool = False,
        dry_run: bool = False,
        idempotency_key: Optional[str] = None,
        request_id: Optional[str] = None,
        traceparent: Optional[str] = None,
    ) -> Decision:
        """Ask whether an action is allowed, and return the decision.

        `context` describes the action in the members of the policy. `approval_id` names the
        approval of this very action. With `reserve`, what an allow uses of a limit can be given
        back: see `commit` and `release`. With `dry_run` nothing counts against a limit. `request_id`
        and `traceparent` (W3C Trace Context) are passed on to the service.

        Raises ``ValueError`` for wrong arguments. Everything else that goes wrong is a deny.
        """
        question = _Question(self._agent(agent_id), policy, context, approval_id, reserve, dry_run)
        trace = trace_headers(request_id, traceparent)
        if idempotency_key is not None:
            check_header("idempotency_key", idempotency_key)
        try:
            return self._check(self._minimal(question), idempotency_key, trace)
        except ServiceUnavailable as e:
            return self._deny(e)

    def check_batch(
        self, actions: Iterable[Mapping[str, Any]], *, agent_id: Optional[str] = None
    ) -> List[Decision]:
        """Ask for up to 100 actions at once; returns the decisions in their order.

        Each action has ``policy``, ``context`` and, if it differs, ``agent_id``. What the first
        action uses up of a limit is gone for the next.
        """
        questions = [
            _Question(self._agent(a.get("agent_id") or agent_id), a["policy"], a["context"])
            for a in actions
        ]
        if not 1 <= len(questions) <= 100:
            raise ValueError("actions must be 1 to 100 actions")
        try:
            questions = [self._minimal(q) for q in questions]
            evaluations = [
                {**self._body(q), "policy_id": q.policy, "idempotency_key": str(uuid.uuid4())}
                for q in questions
            ]
            answer = self._send(
                "POST", "/api/verify/batch", {"evaluations": evaluations}, repeatable=True
            )
            if answer.status != 200:
                raise _refusal(answer)
            decisions = answer.body.get("decisions") if isinstance(answer.body, dict) else None
            if not isinstance(decisions, list) or len(decisions) != len(questions):
                raise ValueError("decisions does not answer every action")
        except (SafeconductError, ValueError) as e:
            return [self._deny(e)] * len(questions)
        return [self._read(q, item, 200) for q, item in zip(questions, decisions)]

    def guard(
        self, fn: Callable[[], T], *, wait_for_approval: float = 0.0, **question: Any
    ) -> T:
        """Run `fn` and return its result if the action is allowed.

        Takes the arguments of `check`. With `reserve`, the charge is committed when `fn` returned,
        and released when it raised. `wait_for_approval`: seconds to wait for a person, if a person
        can allow the action.

        :raises ActionDenied: if the action is denied; `fn` did not run
        """
        decision = self.check(**question)
        if wait_for_approval > 0 and decision.approval_required:
            decision = self.wait_for_approval(decision, timeout=wait_for_approval, **question)
        refuse_unless_allowed(decision, question)
        if decision.reservation_id is None:
            return fn()
        try:
            result = fn()
        except BaseException:
            self.settle_quietly(self.release, decision.reservation_id)
            raise
        # A reservation that is not committed counts as committed when it expires.
        self.settle_quietly(self.commit, decision.reservation_id)
        return result

    def wait_for_approval(
        self, decision: Decision, *, timeout: float = 600.0, **question: Any
    ) -> Decision:
        """Ask again until a person answered, and return the decision.

        `decision` is the deny whose `approval` waits, `timeout` is in seconds; the other arguments
        must be those of its `check`. Returns the last deny if nobody answered in time, or if the
        decision does not wait for anybody.
        """
        ends = time.monotonic() + timeout
        key = str(uuid.uuid4())
        while decision.approval_required and time.monotonic() < ends:
            time.sleep(min(self.poll_interval, max(ends - time.monotonic(), 0)))
            decision, key = self.ask_again(decision, key, **question)
        return decision

    def ask_again(self, decision: Decision, key: str, **question: Any) -> Tuple[Decision, str]:
        """One step of `wait_for_approval`: returns the decision and the key of the next step."""
        if decision.approval is None:
            return decision, key
        question.update(approval_id=decision.approval.approval_id, idempotency_key=key)
        asked = self.check(**question)
        if asked.reason.code == UNAVAILABLE:
            # After a lost answer the same key returns the decision that was made.
            return decision, key
        return asked, str(uuid.uuid4())

    def commit(self, reservation_id: str) -> Dict[str, Any]:
        """Say that a reserved action was done. Needs the scope ``update``."""
        return self.request("POST", f"/api/usage/{segment(reservation_id)}/commit")

    def release(self, reservation_id: str) -> Dict[str, Any]:
        """Say that a reserved action was not done; its charge is given back. Needs ``update``."""
        return self.request("POST", f"/api/usage/{segment(reservation_id)}/release")

    def settle_quietly(self, settle: Callable[[str], Any], reservation_id: str) -> None:
        """Call `commit` or `release` after the action; a fault of it is reported, not raised."""
        try:
            settle(reservation_id)
        except (SafeconductError, ValueError) as e:
            self._deny(e)

    def token(
        self, *, policy: str, context: Mapping[str, Any], agent_id: Optional[str] = None
    ) -> Optional[str]:
        """Ask for a decision token (see `verify_token`). None if the action gets none."""
        question = _Question(self._agent(agent_id), policy, context)
        body = self._body(self._minimal(question))
        answer = self.request("POST", f"/api/verify/token/{segment(policy)}", body)
        token = answer.get("token")
        return token if isinstance(token, str) else None

    def keys(self) -> Optional[Mapping[str, Any]]:
        """The service's key set, or None if it publishes none."""
        return self._keys if self._keys is not None else self._fetch_keys()

    # Passports

    def passport(self, agent_id: Optional[str] = None) -> Dict[str, Any]:
        """Read a passport."""
        return self.request("GET", f"/api/passports/{segment(self._agent(agent_id) or '')}")

    def passports(self, **filters: Any) -> Dict[str, Any]:
        """List passports, one page: ``limit``, ``cursor`` and the filters of the API."""
        return self.request("GET", "/api/passports" + ("?" + urlencode(filters) if filters else ""))

    def issue(self, passport: Mapping[str, Any]) -> Dict[str, Any]:
        """Issue a passport for an agent of your organization. Needs the scope ``issue``."""
        return self.request("POST", "/api/passports", passport)

    def set_status(self, agent_id: str, status: str, reason: Optional[str] = None) -> Dict[str, Any]:
        """Change a passport's status, for example to ``suspended``. Needs the scope ``status``."""
        body = {"status": status, **({"reason": reason} if reason is not None else {})}
        return self.request("PUT", f"/api/passports/{segment(agent_id)}/status", body)

    def request(
        self, method: str, path: str, body: Optional[Mapping[str, Any]] = None
    ) -> Dict[str, Any]:
        """Call any other operation of the API.

        :raises ApiError: if the service refuses the request
        :raises ServiceUnavailable: if there is no valid answer
        """
        answer = self._send(method, path, body, repeatable=method == "GET")
        if not 200 <= answer.status < 300:
            raise _refusal(answer)
        if not isinstance(answer.body, dict):
            raise ServiceUnavailable("The answer of Safeconduct is not an object.", answer.status)
        return answer.body

    # Inside

    def _check(self, question: "_Question", key: Optional[str], trace: Mapping[str, str]) -> Decision:
        body = self._body(question)
        name = canonical([question.policy, body]) if self._is_cacheable(question) else None
        started = time.monotonic()
        stored = self._stored(name, started)
        if stored is not None:
            return stored
        epoch = self._revocations.epoch if self._revocations is not None else 0
        flags = [f"{name}=true" for name in ("reserve", "dry_run") if getattr(question, name)]
        answer = self._send(
            "POST",
            f"/api/verify/policy/{segment(question.policy)}" + ("?" + "&".join(flags) if flags else ""),
            body,
            repeatable=True,
            headers={"Idempotency-Key": key or str(uuid.uuid4()), **trace},
        )
        decision = self._read(question, answer.body, answer.status)
        is_fresh = answer.headers.get("idempotent-replayed", "false") != "true"
        if name is not None and decision.allow and decision.expires_in > 0 and is_fresh:
            self._store(name, started + decision.expires_in, decision, epoch)
        return decision

    def _read(self, question: "_Question", answer: Any, status: int) -> Decision:
        """Return the decision if the answer holds one for this question; else a deny."""
        try:
            if status != 200 or (isinstance(answer, dict) and "error" in answer and "decision" not in answer):
                raise _refusal(Answer(status, {}, answer))
            decision = read_decision(answer)
            if not matches(decision.raw, question):
                raise ValueError("it answers another question")
            return replace(decision, verified=self._is_genuine(decision.raw))
        except (SafeconductError, ValueError) as e:
            return self._deny(e)

    def _is_genuine(self, signed: Mapping[str, Any]) -> bool:
        """Tell whether the signature was checked. Raises ``ValueError`` if it is wrong."""
        if self._require_signature is False:
            return False
        keys = self.keys()
        if keys is None:
            if self._require_signature:
                raise ValueError("the service publishes no key set to check it with")
            return False
        if not _has_key(keys, signed.get("kid")) and self._may_renew_keys():
            keys = self._fetch_keys()
        if keys is None or not verify_decision(signed, keys):
            raise ValueError("its signature is not valid")
        return True

    def _may_renew_keys(self) -> bool:
        with self._lock:
            if self._pinned is not None or time.monotonic() - self._renewed_at < _KEY_SET_RENEWAL_SECONDS:
                return False
            self._renewed_at = time.monotonic()
            return True

    def _fetch_keys(self) -> Optional[Mapping[str, Any]]:
        answer = self._send("GET", _KEY_SET, None, repeatable=True)
        with self._lock:
            if answer.status == 200 and isinstance(answer.body, dict) and answer.body.get("keys"):
                self._keys = answer.body
            elif answer.status != 404 or not isinstance(answer.body, dict) or answer.body.get("code") != "not_found":
                raise ServiceUnavailable(f"The key set cannot be read (status {answer.status}).", answer.status)
            return self._keys

    def _deny(self, fault: Exception) -> Decision:
        if isinstance(fault, (ApiError, ServiceUnavailable)):
            denied = unavailable(str(fault), fault.status, getattr(fault, "code", None))
        else:
            denied = unavailable(f"The answer of Safeconduct is not valid: {fault}")
        if self._on_unavailable is not None:
            try:
                self._on_unavailable(denied.reason.message)
            except Exception:  # a fault of the callback must not hide the deny
                pass
        return denied

    def _send(
        self,
        method: str,
        path: str,
        body: Optional[Mapping[str, Any]],
        *,
        repeatable: bool,
        headers: Mapping[str, str] = {},
    ) -> Answer:
        data = None if body is None else encode(body)
        return self._transport.send(method, path, data, headers, self._timeout, repeatable=repeatable)

    def _agent(self, agent_id: Optional[str]) -> Optional[str]:
        return agent_id or self._agent_id

    def _minimal(self, question: "_Question") -> "_Question":
        """Leave out the members that the policy does not declare, if the client should."""
        declared = self._declared.get(question.policy)
        if declared is not None:
            question.context = {n: v for n, v in question.context.items() if n in declared}
        return question

    def _body(self, question: "_Question") -> Dict[str, Any]:
        body: Dict[str, Any] = {"context": question.context}
        if question.agent_id is not None:
            body["agent_id"] = question.agent_id
        if question.approval_id is not None:
            body["approval_id"] = question.approval_id
        return body

    # The cache

    def _is_cacheable(self, question: "_Question") -> bool:
        plain = not question.reserve and not question.dry_run and question.approval_id is None
        return self._revocations is not None and plain

    def _stored(self, name: Optional[bytes], now: float) -> Optional[Decision]:
        if name is None or self._revocations is None or not self._revocations.is_live():
            return None
        with self._lock:
            until, decision = self._cache.get(name, (0.0, None))
        return replace(decision, cached=True) if decision is not None and now < until else None

    def _store(self, name: bytes, until: float, decision: Decision, epoch: int) -> None:
        with self._lock:
            # A revocation that came while the service answered may concern this very allow.
            if self._revocations is None or self._revocations.epoch != epoch:
                return
            if len(self._cache) >= _MAX_CACHED:
                self._cache.clear()
            self._cache[name] = (until, decision)

    def _drop(self) -> None:
        with self._lock:
            self._cache.clear()


class _Question:
    """An action, as it is asked about."""

    def __init__(
        self,
        agent_id: Optional[str],
        policy: str,
        context: Mapping[str, Any],
        approval_id: Optional[str] = None,
        reserve: bool = False,
        dry_run: bool = False,
    ) -> None:
        if not isinstance(policy, str) or policy in ("", ".", ".."):
            raise ValueError("policy is not the id of a policy")
        if not isinstance(context, Mapping):
            raise ValueError("context is not a mapping")
        if agent_id is None and "agent_id" not in context:
            raise ValueError("agent_id is missing; give it, or set SAFECONDUCT_AGENT_ID")
        self.agent_id = agent_id
        self.policy = policy
        self.context = dict(context)
        self.approval_id = approval_id
        self.reserve = reserve
        self.dry_run = dry_run
        canonical(self.context)


_clients: "weakref.WeakSet[Safeconduct]" = weakref.WeakSet()


def _after_fork() -> None:
    for client in _clients:
        client._forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def refuse_unless_allowed(decision: Decision, question: Mapping[str, Any]) -> None:
    """Raise `ActionDenied` unless the decision lets the action of `guard` run."""
    if decision.allow is not True:
        raise ActionDenied(decision)
    if question.get("dry_run"):
        raise ActionDenied(unavailable("A dry run allows nothing."))
    if question.get("reserve") and decision.reservation_id is None:
        raise ActionDenied(unavailable("The allow has no reservation."))


def _declared_members() -> Mapping[str, frozenset[str]]:
    from .contexts import DECLARED  # made at build

    return DECLARED


def _refusal(answer: Answer) -> ApiError:
    body = answer.body if isinstance(answer.body, dict) else {}
    nested = body.get("error")
    if isinstance(nested, dict):
        body = nested
    status = body.get("status_code", answer.status)
    return ApiError(status if isinstance(status, int) else answer.status, body)


def _has_key(keys: Mapping[str, Any], kid: Any) -> bool:
    listed = keys.get("keys")
    return isinstance(listed, list) and any(isinstance(k, dict) and k.get("kid") == kid for k in listed)
