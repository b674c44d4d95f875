"""JSON text enters; its canonical form and 128-bit digest leave, the same for every spelling of one value.

Keys are sorted and white space goes; numbers stay as written, since 1.0 and 1 or two long decimals are not one fact.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from hashlib import sha256
from typing import Any, NoReturn

import msgspec

# An escaped surrogate without its other half: text that was cut inside a character.
_HALF_PAIR = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F]"
)
HALF_PAIR = "half of a surrogate pair stands alone, which is no text"
_BEFORE_A_NUMBER = b":,[ \t\r\n"


def _as_written(number: str) -> msgspec.Raw:
    return msgspec.Raw(number.encode())


_decode = msgspec.json.Decoder(float_hook=_as_written).decode
_encode = msgspec.json.Encoder(order="sorted").encode


class _Number(str):
    __slots__ = ()


def canonical(raw: bytes) -> bytes:
    if raw[:1] == b'"' and b"\\" not in raw:
        return raw  # a text without escapes has one spelling only
    if not _has_minus_zero(raw):
        try:
            return _encode(_decode(raw))
        except msgspec.ValidationError:
            pass  # an integer of thousands of digits
    value = json.loads(raw, parse_int=_Number, parse_float=_Number, parse_constant=_refuse)
    return "".join(_pieces(value)).encode()


def edited(raw: bytes, edit: Callable[[Any], Any]) -> bytes:
    """The canonical form of what `edit` makes of the value; numbers that it leaves alone stay as written."""
    if not _has_minus_zero(raw):
        try:
            return _encode(edit(_decode(raw)))
        except msgspec.ValidationError:
            pass
    value = json.loads(raw, parse_int=_Number, parse_float=_Number, parse_constant=_refuse)
    return "".join(_pieces(edit(value))).encode()


def _has_minus_zero(raw: bytes) -> bool:
    """msgspec reads the integer -0 as 0; in texts (dates, versions) the same bytes are common, and harmless."""
    at = raw.find(b"-0")
    while at >= 0:
        if at == 0 or raw[at - 1] in _BEFORE_A_NUMBER:
            return True
        at = raw.find(b"-0", at + 2)
    return False


def digest(*parts: bytes) -> bytes:
    return sha256(b"".join(parts)).digest()[:16]


def has_half_pair(raw: bytes) -> bool:
    """Asked of what was refused, to say why: the decoder takes such text for a broken escape."""
    return _HALF_PAIR.search(raw) is not None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _pieces(value: Any) -> list[str]:
    if isinstance(value, _Number):
        return [str(value)]
    if isinstance(value, dict):
        pieces = ["{"]
        for at, key in enumerate(sorted(value)):
            pieces += [",", _text(key), ":"] if at else [_text(key), ":"]
            pieces += _pieces(value[key])
        return [*pieces, "}"]
    if isinstance(value, list):
        pieces = ["["]
        for at, item in enumerate(value):
            if at:
                pieces.append(",")
            pieces += _pieces(item)
        return [*pieces, "]"]
    return [_text(value)]


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
