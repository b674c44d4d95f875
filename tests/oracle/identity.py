"""Raw bytes of an event enter; its parsed body, its id and its exact time leave.

Section "Events, ids and order" of docs/fold.md, rule by rule.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, NoReturn

Json = Any
Form = Callable[[Json], bytes]
NS = 1_000_000_000


class Number(str):
    """A JSON number as it was written: 1, 1.0 and 1e0 are three numbers."""

    __slots__ = ()


def parse(raw: bytes | str) -> Json:
    """Numbers as written; of a repeated key the last value; a lone surrogate is refused."""
    text = raw.decode() if isinstance(raw, bytes) else raw
    value = json.loads(text, parse_int=Number, parse_float=Number, parse_constant=_no_constant)
    canon(value).encode()
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _character(c: str) -> str:
    if c in SHORT_ESCAPES:
        return SHORT_ESCAPES[c]
    if c < " ":
        return f"\\u{ord(c):04x}"
    return c


def canon(value: Json) -> str:
    """JSON without white space, keys sorted by code point, numbers as written."""
    match value:
        case Number():
            return str(value)
        case str():
            return '"' + "".join(_character(c) for c in value) + '"'
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case list():
            return "[" + ",".join(canon(v) for v in value) + "]"
        case dict():
            return "{" + ",".join(canon(k) + ":" + canon(value[k]) for k in sorted(value)) + "}"
    raise TypeError(f"not JSON: {value!r}")


def h(data: bytes) -> bytes:
    return sha256(data).digest()[:16]


def text(value: Json) -> bytes:
    return canon(value).encode()


def object_of(forms: dict[str, Form], value: Json) -> bytes:
    """The canonical text of an object, but for the values of some keys."""
    if not isinstance(value, dict):
        return text(value)
    members = [text(key) + b":" + forms.get(key, text)(value[key]) for key in sorted(value)]
    return b"{" + b",".join(members) + b"}"


def facets(value: Json) -> bytes:
    if not isinstance(value, dict):
        return text(value)
    return object_of(dict.fromkeys(value, lambda facet: b"#" + h(text(facet))), value)


def described(value: Json) -> bytes:
    """A run, a job, a dataset, or one element of inputs or outputs."""
    return object_of({"facets": facets}, value)


def list_of_described(value: Json) -> bytes:
    if not isinstance(value, list):
        return text(value)
    return b"[" + b",".join(described(v) for v in value) + b"]"


def event_text(body: Json) -> bytes:
    forms: dict[str, Form] = dict.fromkeys(("run", "job", "dataset"), described)
    lists: dict[str, Form] = dict.fromkeys(("inputs", "outputs"), list_of_described)
    return object_of(forms | lists, body)


def event_id(tenant: str, body: Json) -> str:
    """32 hex digits; they sort as the 16 bytes do."""
    return h(tenant.encode() + b"\0" + event_text(body)).hex()


TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)",
    re.ASCII,
)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def time_ns(text: str) -> int:
    """`eventTime` in nanoseconds UTC, exact; a zone is required; years 1678 to 2261."""
    match = TIME.fullmatch(text)
    if match is None:
        raise ValueError(f"not a time with a zone: {text}")
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    fraction, zone = match.groups()[6:]
    whole = datetime(year, month, day, hour, minute, second, tzinfo=UTC) - _offset(zone)
    if not 1678 <= whole.year <= 2261:
        raise ValueError(f"year out of range: {text}")
    seconds = (whole - EPOCH) // timedelta(seconds=1)
    return seconds * NS + int((fraction or "").ljust(9, "0"))


def _offset(zone: str) -> timedelta:
    if zone in "Zz":
        return timedelta(0)
    minutes = int(zone[1:3]) * 60 + int(zone[4:6])
    return timedelta(minutes=-minutes if zone[0] == "-" else minutes)
