"""Verification of Ed25519 signatures (RFC 8032 section 5.1.7) with the standard library alone.

Python has no Ed25519 of its own, and this package has no dependencies. Only public data passes
through here, so nothing needs constant time. One verification takes about a
millisecond.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import List, Optional, Tuple

__all__ = ["verify"]

_Point = Tuple[int, int, int, int]

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_SQRT_MINUS_ONE = pow(2, (_P - 1) // 4, _P)
_NEUTRAL: _Point = (0, 1, 1, 0)


def _add(a: _Point, b: _Point) -> _Point:
    e = (a[1] - a[0]) * (b[1] - b[0]) % _P
    f = (a[1] + a[0]) * (b[1] + b[0]) % _P
    g = 2 * a[3] * b[3] * _D % _P
    h = 2 * a[2] * b[2] % _P
    x, y, z, t = f - e, h - g, h + g, f + e
    return x * y % _P, z * t % _P, y * z % _P, x * t % _P


def _table(point: _Point) -> List[List[_Point]]:
    """Return the multiples of a point that `_multiply` adds: d * 16**i for 64 digits."""
    table = []
    for _ in range(64):
        row = [_NEUTRAL, point]
        while len(row) < 16:
            row.append(_add(row[-1], point))
        table.append(row)
        point = _add(row[-1], point)
    return table


def _multiply(scalar: int, table: List[List[_Point]]) -> _Point:
    result = _NEUTRAL
    for row in table:
        digit = scalar & 15
        if digit:
            result = _add(result, row[digit])
        scalar >>= 4
    return result


def _decode(data: bytes) -> Optional[_Point]:
    """Return the point, or None if the 32 bytes are not the canonical form of one."""
    y = int.from_bytes(data, "little")
    sign = y >> 255
    y &= (1 << 255) - 1
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if x * x % _P != square:
        x = x * _SQRT_MINUS_ONE % _P
    if x * x % _P != square or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = _P - x
    return x, y, 1, x * y % _P


def _encode(point: _Point) -> bytes:
    inverse = pow(point[2], _P - 2, _P)
    x, y = point[0] * inverse % _P, point[1] * inverse % _P
    return (y | (x & 1) << 255).to_bytes(32, "little")


@lru_cache(maxsize=1)
def _base_table() -> List[List[_Point]]:
    base = _decode((4 * pow(5, _P - 2, _P) % _P).to_bytes(32, "little"))
    assert base is not None
    return _table(base)


@lru_cache(maxsize=16)
def _negated_table(key: bytes) -> Optional[List[List[_Point]]]:
    point = _decode(key)
    if point is None:
        return None
    table = _table((_P - point[0], point[1], 1, _P - point[3]))
    # A key of small order accepts signatures that nobody made.
    return None if _encode(table[0][8]) == _encode(_NEUTRAL) else table


def verify(key: bytes, message: bytes, signature: bytes) -> bool:
    """Tell whether the 64 bytes are the signature of the message by the 32-byte public key."""
    if len(key) != 32 or len(signature) != 64:
        return False
    table = _negated_table(bytes(key))
    scalar = int.from_bytes(signature[32:], "little")
    if table is None or scalar >= _ORDER:
        return False
    hashed = hashlib.sha512(signature[:32] + key + message).digest()
    challenge = int.from_bytes(hashed, "little") % _ORDER
    expected = _add(_multiply(scalar, _base_table()), _multiply(challenge, table))
    return _encode(expected) == signature[:32]
