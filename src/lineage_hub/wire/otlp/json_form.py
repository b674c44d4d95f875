"""A body of OTLP in JSON enters; the same body in protobuf leaves, without the items that can't be read.

https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding: ids are hexadecimal, integers of 64 bits are texts or
numbers, enums numbers or names; names may be in snake case, and what has an unknown name is passed over.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import msgspec

from lineage_hub.errors import InvalidRequest
from lineage_hub.wire.otlp import schema
from lineage_hub.wire.otlp.columns import Kind, Refusals
from lineage_hub.wire.otlp.counting import MOST_PARTS, too_many

_IDS = frozenset({"trace_id", "span_id", "parent_span_id"})
# One of these that can't be read is refused alone.
_ITEMS = {
    "Span": "span",
    "LogRecord": "log record",
    "NumberDataPoint": "data point",
    "HistogramDataPoint": "data point",
    "ExponentialHistogramDataPoint": "data point",
    "SummaryDataPoint": "data point",
}
# As deep as protobuf reads.
_DEEPEST = 100
# In a text of JSON a backslash stands nowhere else: read one by one, none is taken for the end of another.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
T = TypeVar("T")
_TEXT_OF_FLOAT = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


class Unreadable(ValueError):
    """Says what of an item isn't as it must be."""


def protobuf_of(kind: Kind, body: bytes, refusals: Refusals) -> bytes:
    message = schema.request_class(kind)()
    try:
        fill(message, decoded(body), refusals)
    except Unreadable as error:
        raise InvalidRequest(
            f"the body is no {message.DESCRIPTOR.name} in JSON: {error}",
            subject="body",
            action="see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding",
        ) from None
    whole: bytes = message.SerializeToString()
    return whole


def decoded(body: bytes) -> Any:
    try:
        return decode_leniently(msgspec.json.decode, body)
    except RecursionError:
        why = "nested too deeply"
    except (msgspec.DecodeError, ValueError) as error:
        why = str(error)
    raise InvalidRequest(f"the body is not JSON: {why}", subject="body", action="send one JSON object in UTF-8")


def decode_leniently(decode: Callable[[bytes], T], body: bytes) -> T:
    """Exporters cut long texts to a length, some in the middle of a character: half of one becomes U+FFFD."""
    try:
        return decode(body)
    except msgspec.DecodeError:
        mended = _ESCAPE.sub(lambda found: b"\\ufffd" if found["half"] else found[0], body)
        if mended == body:
            raise
        return decode(mended)


def fill(message: Any, content: Any, refusals: Refusals, depth: int = 0) -> None:
    """Raises Unreadable; items beneath the message that can't be read are refused one by one."""
    if not isinstance(content, dict):
        raise Unreadable(f"{type(content).__name__} in the place of an object")
    if depth > _DEEPEST:
        raise Unreadable("nested too deeply")
    fields = _fields(message.DESCRIPTOR)
    for name, value in content.items():
        field = fields.get(name)
        if field is None or value is None:
            continue
        try:
            _fill_field(message, field, value, refusals, depth)
        except Unreadable as error:
            raise Unreadable(f"{name}: {error}") from None
        except (TypeError, ValueError, OverflowError):
            raise Unreadable(f"{name}: {str(value)[:40]!r} is no value for it") from None


@cache
def _fields(descriptor: Any) -> dict[str, Any]:
    """By both spellings."""
    return {name: field for field in descriptor.fields for name in (field.name, field.json_name)}


def _fill_field(message: Any, field: Any, value: Any, refusals: Refusals, depth: int) -> None:
    name, nested = field.name, field.message_type
    if not field.is_repeated:
        if nested is None:
            setattr(message, name, _scalar(field, value))
        else:
            part = getattr(message, name)
            part.SetInParent()
            fill(part, value, refusals, depth + 1)
        return
    if not isinstance(value, list):
        raise Unreadable(f"{type(value).__name__} in the place of a list")
    found = getattr(message, name)
    if nested is None:
        found.extend([_scalar(field, one) for one in value])
    elif nested.name == "KeyValue":
        _fill_attributes(found, value, refusals, depth)
    elif nested.name in _ITEMS:
        _fill_items(found, value, _ITEMS[nested.name], refusals, depth)
    else:
        for one in value:
            fill(found.add(), one, refusals, depth + 1)


def _fill_attributes(found: Any, value: list[Any], refusals: Refusals, depth: int) -> None:
    for one in value:
        text = _plain_text(one)
        if text is None:
            fill(found.add(), one, refusals, depth + 1)
        else:
            pair = found.add(key=one["key"])
            pair.value.string_value = text


def _plain_text(attribute: Any) -> str | None:
    """Of a string under a key and nothing else, which nearly all of a body is."""
    try:
        value = attribute["value"]
        text = value["stringValue"]
        usual = type(text) is str and type(attribute["key"]) is str and len(attribute) == 2 and len(value) == 1
    except (KeyError, TypeError):
        return None
    return text if usual else None


def _fill_items(found: Any, value: list[Any], what: str, refusals: Refusals, depth: int) -> None:
    if len(value) > MOST_PARTS:
        raise too_many()
    for at, one in enumerate(value):
        try:
            fill(found.add(), one, refusals, depth + 1)
        except Unreadable as error:
            del found[-1]
            refusals.add(f"{what} {at} of its group", str(error))


def _scalar(field: Any, value: Any) -> Any:
    kind = field.cpp_type
    if kind in (field.CPPTYPE_DOUBLE, field.CPPTYPE_FLOAT):
        return _float(value)
    if kind == field.CPPTYPE_BOOL:
        return _of_type(bool, value)
    if kind == field.CPPTYPE_ENUM:
        return _enum(field, value)
    if kind != field.CPPTYPE_STRING:
        return _int(value)
    if field.type != field.TYPE_BYTES:
        return _of_type(str, value)
    text = _of_type(str, value)
    try:
        return _hexadecimal(text) if field.name in _IDS else _base64(text)
    except (ValueError, binascii.Error):
        coding = "hexadecimal" if field.name in _IDS else "base64"
        raise Unreadable(f"{text[:40]!r} is not {coding}") from None


def _of_type(wanted: type, value: Any) -> Any:
    if not isinstance(value, wanted):
        raise Unreadable(f"{type(value).__name__} in the place of {wanted.__name__}")
    return value


def _int(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise Unreadable(f"{type(value).__name__} in the place of a whole number")
    if isinstance(value, str):
        if not value.lstrip("-").isascii() or "_" in value or value != value.strip():
            raise ValueError
        return int(value)
    if isinstance(value, float) and not value.is_integer():
        raise ValueError
    return int(value)


def _float(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise Unreadable(f"{type(value).__name__} in the place of a number")
    if isinstance(value, str):
        return _TEXT_OF_FLOAT[value] if value in _TEXT_OF_FLOAT else float(value)
    return float(value)


def _enum(field: Any, value: Any) -> int:
    if isinstance(value, str) and not value.lstrip("-").isdigit():
        known = field.enum_type.values_by_name.get(value)
        if known is None:
            raise ValueError
        return int(known.number)
    return _int(value)


def _hexadecimal(text: str) -> bytes:
    found = bytes.fromhex(text)
    if 2 * len(found) != len(text):
        # Python reads over blanks.
        raise ValueError
    return found


def _base64(text: str) -> bytes:
    """Both alphabets, with or without the padding."""
    plain = text.rstrip("=").replace("-", "+").replace("_", "/")
    return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
