"""JSON as Safeconduct signs it: strict parsing, and the canonical form of RFC 8785."""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

__all__ = ["canonical", "digest", "parse"]


def parse(text: str | bytes) -> Any:
    """Parse JSON text.

    Duplicate members, ``NaN`` and ``Infinity`` are refused, because two readers could understand
    them differently. Raises ``ValueError``.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8")
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a JSON object has a duplicate member")
    return members


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def canonical(value: Any) -> bytes:
    """Return the canonical form of a JSON value (RFC 8785), in UTF-8.

    Raises ``ValueError`` for a value that has no such form: a number beyond a double, a lone
    surrogate, or a type that JSON does not have.
    """
    parts: list[str] = []
    try:
        _write(value, parts)
        return "".join(parts).encode("utf-8")
    except RecursionError:
        raise ValueError("the value is nested too deeply") from None


def digest(value: Any) -> str:
    """Return ``sha256:`` and the hexadecimal SHA-256 of the canonical form."""
    return "sha256:" + hashlib.sha256(canonical(value)).hexdigest()


def _write(value: Any, parts: list[str]) -> None:
    if value is None:
        parts.append("null")
    elif value is True:
        parts.append("true")
    elif value is False:
        parts.append("false")
    elif isinstance(value, str):
        parts.append(json.dumps(value, ensure_ascii=False))
    elif isinstance(value, (int, float)):
        parts.append(_number(value))
    elif isinstance(value, dict):
        _write_object(value, parts)
    elif isinstance(value, (list, tuple)):
        parts.append("[")
        for index, item in enumerate(value):
            if index:
                parts.append(",")
            _write(item, parts)
        parts.append("]")
    else:
        raise ValueError(f"{type(value).__name__} is not a JSON type")


def _write_object(members: dict[Any, Any], parts: list[str]) -> None:
    for name in members:
        if not isinstance(name, str):
            raise ValueError("the name of a member must be a string")
    parts.append("{")
    # RFC 8785 section 3.2.3: by UTF-16 code units, which differs from code points above U+FFFF.
    for index, name in enumerate(sorted(members, key=lambda n: n.encode("utf-16-be", "surrogatepass"))):
        if index:
            parts.append(",")
        _write(name, parts)
        parts.append(":")
        _write(members[name], parts)
    parts.append("}")


def _number(number: int | float) -> str:
    """Write a number as ECMAScript does (RFC 8785 section 3.2.2.3)."""
    try:
        value = float(number)
    except OverflowError:
        raise ValueError("a number is too large for a double") from None
    if not math.isfinite(value):
        raise ValueError("a number is too large for a double")
    if value == 0:
        return "0"
    if value < 0:
        return "-" + _number(-value)
    mantissa, _, exponent = f"{value!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + ("" if fraction == "0" else fraction)).lstrip("0")
    # The value is 0.DIGITS times ten to the power of `point`.
    leading = len(whole.lstrip("0")) or -(len(fraction) - len(fraction.lstrip("0")))
    point = leading + (int(exponent) if exponent else 0)
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    sign = "+" if point > 0 else "-"
    tail = "." + digits[1:] if len(digits) > 1 else ""
    return f"{digits[0]}{tail}e{sign}{abs(point - 1)}"
