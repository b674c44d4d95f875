"""JSON text that hasn't wholly the shape of a struct enters; what of it has the shape leaves, as that struct.

A part that doesn't fit says nothing: of a list or map the element is left out, an optional member has its default. What
lacks a required member doesn't fit itself. Producers write null, or another type, where the spec wants something else.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import Raw, Struct, inspect

S = TypeVar("S", bound=Struct)
_decode_map = msgspec.json.Decoder(dict[str, Raw]).decode
_decode_list = msgspec.json.Decoder(list[Raw]).decode
_LEAVES: dict[type, msgspec.json.Decoder[Any]] = {
    inspect.StrType: msgspec.json.Decoder(str),
    inspect.IntType: msgspec.json.Decoder(int),
    inspect.FloatType: msgspec.json.Decoder(float),
    inspect.BoolType: msgspec.json.Decoder(bool),
    inspect.NoneType: msgspec.json.Decoder(None),
}


class Unfit(ValueError):
    """Nothing of it fits."""


def decode(decoder: msgspec.json.Decoder[S], text: bytes) -> S:
    """At once if all of it fits, as nearly all does. Raises Unfit, or DecodeError for what is no JSON."""
    try:
        return decoder.decode(text)
    except msgspec.ValidationError:
        found: S = _fit(_info(decoder.type), text)
        return found


@cache
def _info(kind: type[Struct]) -> inspect.Type:
    return inspect.type_info(kind)


def _fit(kind: inspect.Type, text: bytes) -> Any:
    try:
        if isinstance(kind, inspect.StructType):
            return _fit_struct(kind, _decode_map(text))
        if isinstance(kind, inspect.UnionType):
            return _fit_any(kind, text)
        if isinstance(kind, inspect.ListType):
            return _fitting(kind.item_type, _decode_list(text))
        if isinstance(kind, inspect.VarTupleType):
            return tuple(_fitting(kind.item_type, _decode_list(text)))
        if isinstance(kind, inspect.DictType):
            members = _decode_map(text)
            found = {name: _fitting(kind.value_type, [value]) for name, value in members.items()}
            return {name: fits[0] for name, fits in found.items() if fits}
        if isinstance(kind, inspect.RawType):
            return Raw(text)
        return _fit_leaf(kind, text)
    except msgspec.ValidationError as error:
        raise Unfit(str(error)) from None


def _fit_struct(kind: inspect.StructType, members: dict[str, Raw]) -> Any:
    fits = {}
    for field in kind.fields:
        text = members.get(field.encode_name)
        found = [] if text is None else _fitting(field.type, [text])
        if found:
            fits[field.name] = found[0]
        elif field.required:
            raise Unfit(f"{field.encode_name} is missing")
    return kind.cls(**fits)


def _fitting(kind: inspect.Type, texts: list[Raw]) -> list[Any]:
    found = []
    for text in texts:
        try:
            found.append(_fit(kind, bytes(text)))
        except Unfit:
            continue
    return found


def _fit_any(kind: inspect.UnionType, text: bytes) -> Any:
    for one in kind.types:
        try:
            return _fit(one, text)
        except Unfit:
            continue
    raise Unfit("it is of another type")


def _fit_leaf(kind: inspect.Type, text: bytes) -> Any:
    try:
        return _LEAVES[type(kind)].decode(text)
    except msgspec.ValidationError:
        if not isinstance(kind, inspect.IntType):
            raise
    number: float = _LEAVES[inspect.FloatType].decode(text)
    # A count is a whole number, however it is spelled.
    if not number.is_integer():
        raise Unfit("it is no whole number")
    return int(number)
