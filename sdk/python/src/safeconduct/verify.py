"""Checks without the network: decisions, decision tokens, and receipts of the audit log."""

from __future__ import annotations

import base64
import hashlib
import re
import time
from typing import Any, Dict, Iterable, Mapping, Optional

from . import ed25519
from .jcs import canonical, digest, parse
from .decision import signed_object

__all__ = ["verify_decision", "verify_receipt", "verify_token"]

_DECISION_KEY = "oap:registry:decision-"
_TOKEN_KEY = "oap:registry:decision_token-"
_CHECKPOINT_KEY = "oap:registry:checkpoint-"
_CLOCK_DIFFERENCE_SECONDS = 5
#: 32 bytes in Base64url.
_KEY = re.compile("[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]")
_PRIME = 2**255 - 19
#: The y of keys that accept signatures which nobody made.
_SMALL_ORDER = {
    0,
    1,
    _PRIME - 1,
    0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826,
    0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7,
}
#: Members of a record that repeat those of its decision.
_COPIES = {
    "record_id": "decision_id",
    "org_id": "owner_id",
    "at": "issued_at",
    "agent_id": "agent_id",
    "policy_id": "policy_id",
    "allow": "allow",
}


def verify_decision(decision: Any, keys: Any) -> bool:
    """Tell whether the service signed this decision.

    `decision` is an answer of the verify operation in any form, as text or parsed, or
    `Decision.raw`; `keys` is the key set (``/jwks.json``). Members beside the signed object must
    equal its own. A true answer says that the decision is genuine, not that it allows, or that it
    is still valid.
    """
    try:
        parsed = parse(decision) if isinstance(decision, (str, bytes)) else decision
        signed = dict(signed_object(parsed))
        signature = signed.pop("signature", None)
        signed.pop("log_index", None)
        key = _key(keys, signed.get("kid"), _DECISION_KEY)
        prefix, _, encoded = signature.partition(":") if isinstance(signature, str) else ("", "", "")
        return (
            key is not None
            and prefix == "ed25519"
            and ed25519.verify(key, canonical(signed), _base64(encoded))
        )
    except (ValueError, TypeError):
        return False


def verify_token(
    token: str,
    keys: Any,
    *,
    context_digest: str,
    agent_id: Optional[str] = None,
    policy: Optional[str] = None,
    issuer: Optional[str] = None,
    audience: Optional[str] = None,
    now: Optional[float] = None,
) -> Optional[Dict[str, Any]]:
    """Return the claims of a decision token, or None if it does not allow this action.

    `context_digest` is that of the action at hand (`digest` of its context). `agent_id`, `policy`,
    `issuer` (the service's public address) and `audience` (your organization) are compared if they
    are given. `now` is in seconds since 1970. A token says nothing about a suspension in the last
    30 seconds; follow ``GET /api/revocations`` for that.
    """
    if not isinstance(context_digest, str):
        raise TypeError("context_digest is missing: a token is for one context only")
    try:
        head, body, signature = token.split(".")
        header, claims = parse(_base64url(head)), parse(_base64url(body))
        if not isinstance(header, dict) or not isinstance(claims, dict):
            return None
        key = _key(keys, header.get("kid"), _TOKEN_KEY)
        if header.get("alg") != "EdDSA" or header.get("typ") != "decision+jwt" or "crit" in header:
            return None
        if key is None or not ed25519.verify(key, f"{head}.{body}".encode(), _base64url(signature)):
            return None
    except (ValueError, AttributeError):
        return None
    wanted = {"context_digest": context_digest, "sub": agent_id, "policy_id": policy, "iss": issuer, "aud": audience}
    if any(value is not None and claims.get(name) != value for name, value in wanted.items()):
        return None
    issued, expires = claims.get("iat"), claims.get("exp")
    if not _is_time(issued) or not _is_time(expires) or expires - issued > 30:
        return None
    clock = time.time() if now is None else now
    if clock >= expires or clock < issued - _CLOCK_DIFFERENCE_SECONDS:
        return None
    return claims if claims.get("allow") is True else None


def verify_receipt(record: Any, proof: Any, keys: Any, decision: Any = None) -> bool:
    """Tell whether an audit record is in the log that a signed checkpoint describes.

    `record` is an answer of ``GET /api/audit/{record_id}``, `proof` that of its ``/proof`` or the
    text of a C2SP tlog-proof, `keys` the key set. Checks the leaf (RFC 6962 section 2.1), the path,
    the checkpoint's signature (C2SP signed note) and, if the record is a decision, its signature.
    A `decision` that is given must be that of the record.
    """
    try:
        members = dict(record)
        salt = _hex(members.pop("salt"), 16)
        index = members.pop("log_index")
        leaf = _sha(b"\0" + _sha(salt + _sha(canonical(members))))
        if isinstance(proof, str):
            proof = _tlog_proof(proof, leaf, salt)
        size = proof["tree_size"]
        # To Python, 1 equals True and 1.0.
        if type(index) is not int or type(proof["index"]) is not int:
            return False
        if index != proof["index"] or leaf.hex() != proof["leaf_hash"]:
            return False
        root = _root(leaf, index, size, [_hex(item, 32) for item in proof["inclusion_path"]])
        if root is None or not _is_checkpoint(proof["checkpoint"], size, root, keys):
            return False
        return _is_its_decision(members, index, decision, keys)
    except (ValueError, LookupError, TypeError, AttributeError):
        return False


def _is_its_decision(record: Mapping[str, Any], index: int, decision: Any, keys: Any) -> bool:
    if record.get("kind") != "decision":
        return decision is None
    body = record["body"]
    recorded = {**body, "log_index": index, "signature": record["signature"]}
    copies = all(record[name] is not None and record[name] == body[of] for name, of in _COPIES.items())
    same = decision is None or canonical(signed_object(decision)) == canonical(recorded)
    return copies and same and verify_decision(recorded, keys)


def _tlog_proof(text: str, leaf: bytes, salt: bytes) -> Dict[str, Any]:
    """Return the members of a C2SP tlog-proof, whose extra data is the salt."""
    head, _, checkpoint = text.partition("\n\n")
    version, extra, index, *path = head.split("\n")
    if version != "c2sp.org/tlog-proof@v1" or extra != "extra " + base64.b64encode(salt).decode():
        raise ValueError("not a proof of this record")
    if not re.fullmatch("index [0-9]{1,15}", index):
        raise ValueError("the proof has no index")
    return {
        "index": int(index[6:]),
        "leaf_hash": leaf.hex(),
        "tree_size": int(checkpoint.split("\n")[1]),
        "inclusion_path": [_base64(line).hex() for line in path],
        "checkpoint": checkpoint,
    }


def _root(leaf: bytes, index: int, size: int, path: Iterable[bytes]) -> Optional[bytes]:
    """Return the root that an inclusion path leads to (RFC 9162 section 2.1.3.2)."""
    if not 0 <= index < size:
        return None
    node, last = leaf, size - 1
    for sibling in path:
        if len(sibling) != 32 or last == 0:
            return None
        if index & 1 or index == last:
            node = _sha(b"\1" + sibling + node)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            node = _sha(b"\1" + node + sibling)
        index, last = index >> 1, last >> 1
    return node if last == 0 else None


def _is_checkpoint(note: str, size: int, root: bytes, keys: Any) -> bool:
    text, _, signatures = note.partition("\n\n")
    lines = text.split("\n")
    if len(lines) < 3 or not signatures.endswith("\n") or lines[1] != str(size) or _base64(lines[2]) != root:
        return False
    origin, signed = lines[0], (text + "\n").encode()
    verified = False
    for line in signatures[:-1].split("\n"):
        dash, _, rest = line.partition(" ")
        name, _, encoded = rest.rpartition(" ")
        if dash != "\u2014" or not name:
            return False
        if name != origin:
            continue  # a witness
        signature = _base64(encoded)
        for key in _keys(keys, _CHECKPOINT_KEY):
            # The key's id: C2SP signed-note, "Signatures", with the type of Ed25519.
            if _sha(name.encode() + b"\n\x01" + key)[:4] == signature[:4]:
                if not ed25519.verify(key, signed, signature[4:]):
                    return False
                verified = True
    return verified


def _key(keys: Any, kid: Any, purpose: str) -> Optional[bytes]:
    if not isinstance(kid, str) or not kid.startswith(purpose):
        return None
    return _public_keys(keys).get(kid)


def _keys(keys: Any, purpose: str) -> Iterable[bytes]:
    return [key for kid, key in _public_keys(keys).items() if kid.startswith(purpose)]


def _public_keys(keys: Any) -> Dict[str, bytes]:
    """Return the keys by id. Keys of other kinds are ignored (RFC 7517 section 5)."""
    listed = keys.get("keys") if isinstance(keys, dict) else None
    if not isinstance(listed, list):
        raise ValueError("keys is not a key set")
    found: Dict[str, bytes] = {}
    for key in listed:
        if not isinstance(key, dict) or key.get("kty") != "OKP" or key.get("crv") != "Ed25519":
            continue
        kid, x = key.get("kid"), key.get("x")
        if not isinstance(kid, str) or not isinstance(x, str) or not _KEY.fullmatch(x):
            continue
        y = int.from_bytes(_base64url(x), "little") % 2**255
        if y >= _PRIME or y in _SMALL_ORDER:
            continue
        if kid in found:
            raise ValueError(f"two keys have the id {kid}")
        found[kid] = _base64url(x)
    return found


def _is_time(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _hex(text: str, length: int) -> bytes:
    data = bytes.fromhex(text)
    if len(data) != length or data.hex() != text:
        raise ValueError("not canonical hexadecimal")
    return data


def _base64(text: str) -> bytes:
    data = base64.b64decode(text, validate=True)
    if base64.b64encode(data).decode() != text:
        raise ValueError("not canonical Base64")
    return data


def _base64url(text: str) -> bytes:
    data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if base64.urlsafe_b64encode(data).rstrip(b"=").decode() != text:
        raise ValueError("not canonical Base64url")
    return data


def _sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def matches(signed: Mapping[str, Any], question: Any) -> bool:
    """Tell whether a decision answers this question and not another one."""
    asked = question.agent_id or question.context.get("agent_id")
    ids = (signed.get("agent_id"), signed.get("passport_id"))
    return (
        signed.get("policy_id") == question.policy
        and signed.get("dry_run") is question.dry_run
        and any(isinstance(i, str) and _bare_id(i) == _bare_id(str(asked)) for i in ids)
        and (_is_rewritten(question.context) or signed.get("context_digest") == digest(question.context))
    )


def _bare_id(agent_id: str) -> str:
    """Return what the usual spellings of a UUID have in common; any other id in lower case."""
    lower = agent_id.strip().lower()
    digits = (lower[3:] if lower.startswith("ap_") else lower).replace("-", "")
    return digits if re.fullmatch("[0-9a-f]{32}", digits) else lower


def _is_rewritten(context: Mapping[str, Any]) -> bool:
    """The service may lift members of these, whose digest is then that of the result."""
    containers = (context.get(name) for name in ("context", "params", "tool_params", "input"))
    return any(isinstance(value, (str, dict)) for value in containers)
