"""Attributes enter as the bytes of OTLP's KeyValue; keys, texts and types leave in flat lists.

Every value is kept as text; one that isn't a string has its type beside it.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from itertools import accumulate, chain, compress
from math import isfinite, isnan
from operator import itemgetter
from typing import Any

import msgspec

from lineage_hub.wire.otlp import schema
from lineage_hub.wire.otlp.columns import MapColumn
from lineage_hub.wire.otlp.texts import read_message

MOST_ATTRIBUTES = 1024
MOST_BYTES = 1 << 20
# Key, text and type; a string has the type ''.
Attribute = tuple[str, str, str]
_KEY, _TEXT, _TYPE = itemgetter(0), itemgetter(1), itemgetter(2)
_encode = msgspec.json.Encoder().encode


class _Known(dict[bytes, Attribute]):
    """Attributes as they were sent before. Those that aren't sent again go when it was filled twice.

    It holds a few attributes with ten thousand values each, in some 20 MB: such a stream is read in two thirds of the
    time that a table for the processor's caches takes, one in which every value is new in a fifth more.
    """

    MOST = 1 << 16
    LONGEST = 128

    def __init__(self) -> None:
        super().__init__()
        self.before: dict[bytes, Attribute] = {}

    def __missing__(self, raw: bytes) -> Attribute:
        found = self.before.get(raw) or read_attribute(raw)
        if len(raw) <= self.LONGEST:
            if len(self) >= self.MOST:
                self.before = dict(self)
                self.clear()
            self[raw] = found
        return found


_known = _Known()
_lookup = _known.__getitem__


def forget() -> None:
    """All that was met before; it is met again at the cost of reading it."""
    _known.clear()
    _known.before = {}


class Doubtful(Exception):
    """Something of a body can't be kept; it takes a look at each item to tell which."""


def read_attribute(raw: bytes) -> Attribute:
    """Raises Doubtful for one that can't be read or is too long."""
    return _short_text(raw) or _any_attribute(raw)


def _short_text(raw: bytes) -> Attribute | None:
    """A string of less than 126 bytes under a short key, which nearly all are, in half of protobuf's time.

    Such a KeyValue is 0x0a, length, key; 0x12, length, and there the AnyValue: 0x0a, length, text.
    """
    try:
        at = raw[1] + 2
        tag, length, inner, size = raw[at : at + 4]
        if raw[0] == tag - 8 == inner == 0x0A and at < 130 and length == size + 2 < 0x80 and at + 4 + size == len(raw):
            return raw[2:at].decode(), raw[at + 4 :].decode(), ""
    except (IndexError, ValueError):
        pass
    return None


def _any_attribute(raw: bytes) -> Attribute:
    if len(raw) > MOST_BYTES:
        raise Doubtful
    try:
        found = read_message(schema.key_value_class(), raw)
    except schema.decode_error():
        raise Doubtful from None
    return (found.key, *told(found.value))


def told(value: Any) -> tuple[str, str]:
    """The text of an AnyValue, and its type, which is '' for a string."""
    which = value.WhichOneof("value")
    if which == "string_value":
        return value.string_value, ""
    if which == "int_value":
        return str(value.int_value), "int"
    if which == "double_value":
        return double_text(value.double_value), "double"
    if which == "bool_value":
        return "true" if value.bool_value else "false", "bool"
    if which == "bytes_value":
        return base64.b64encode(value.bytes_value).decode(), "bytes"
    if which == "array_value":
        return _encode(_json(value)).decode(), "array"
    if which == "kvlist_value":
        return _encode(_json(value)).decode(), "map"
    return "", "empty"


def double_text(value: float) -> str:
    """As protobuf's JSON spells what is no number."""
    if isfinite(value):
        return repr(value)
    return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _json(value: Any) -> dict[str, Any]:
    """As OTLP's JSON has it."""
    which = value.WhichOneof("value")
    if which == "array_value":
        return {"arrayValue": {"values": [_json(one) for one in value.array_value.values]}}
    if which == "kvlist_value":
        pairs = [{"key": one.key, "value": _json(one.value)} for one in value.kvlist_value.values]
        return {"kvlistValue": {"values": pairs}}
    text, kind = told(value)
    if kind == "double":
        return {"doubleValue": value.double_value if isfinite(value.double_value) else text}
    if kind == "bool":
        return {"boolValue": value.bool_value}
    name = {"": "stringValue", "int": "intValue", "bytes": "bytesValue"}.get(kind)
    return {} if name is None else {name: text}


def complaint(raws: Sequence[bytes]) -> str | None:
    """What is wrong with the attributes of one item."""
    if len(raws) > MOST_ATTRIBUTES:
        return f"{len(raws)} attributes are more than {MOST_ATTRIBUTES}"
    for at, raw in enumerate(raws):
        if len(raw) > MOST_BYTES:
            return f"attribute {at} has {len(raw)} bytes, more than {MOST_BYTES}"
        try:
            _lookup(raw)
        except Doubtful:
            return f"attribute {at} can't be read"
    return None


def as_dict(raws: Sequence[bytes]) -> dict[str, str]:
    """Of an event, a link or an exemplar; of a key that was sent twice the last is kept."""
    if len(raws) > MOST_ATTRIBUTES:
        raise Doubtful
    return {key: text for key, text, _ in map(_lookup, raws)}


def types_of(raws: Sequence[bytes]) -> dict[str, str]:
    """Of those that `as_dict` keeps, the types of those that are no text."""
    found = {key: kind for key, _, kind in map(_lookup, raws)}
    return {key: kind for key, kind in found.items() if kind}


def map_columns(each: Sequence[Sequence[bytes]]) -> tuple[MapColumn, MapColumn]:
    """The texts and the types of every item's attributes."""
    counts = list(map(len, each))
    if max(counts, default=0) > MOST_ATTRIBUTES:
        raise Doubtful
    offsets = list(accumulate(counts, initial=0))
    # A slice is one call where an iterator is one for each attribute.
    found = list(map(_lookup, chain.from_iterable([one[:] for one in each])))
    keys, types = list(map(_KEY, found)), list(map(_TYPE, found))
    texts = MapColumn(offsets, keys, list(map(_TEXT, found)))
    if not any(types):
        return texts, MapColumn([0] * len(offsets))
    typed = list(accumulate(map(bool, types), initial=0))
    return texts, MapColumn([typed[at] for at in offsets], list(compress(keys, types)), list(filter(None, types)))


def values_of(key: str, column: MapColumn, otherwise: list[str]) -> list[str]:
    """The text that each row has for a key; few bodies have such a key at all, and those are found at once."""
    found, keys, at = otherwise, column.keys, 0
    for row, end in enumerate(column.offsets[1:]) if key in keys else ():
        if at < end:
            try:
                found[row] = column.values[keys.index(key, at, end)]
            except ValueError:
                pass
            at = end
    return found
