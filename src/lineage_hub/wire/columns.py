"""A schema facet enters as JSON text; its columns leave in their order, nested ones by their path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from msgspec import Raw, Struct

# A schema that nests further is cut there; what it says above counts.
DEEPEST = 32


class Column(NamedTuple):
    path: str
    type: str | None
    description: str | None = None


class _Field(Struct):
    name: str = ""
    type: str | None = None
    description: str | None = None
    fields: list[Raw] | None = None


class _Fields(Struct):
    fields: list[Raw] | None = None


_decode = msgspec.json.Decoder(_Fields).decode
_decode_field = msgspec.json.Decoder(_Field).decode


def schema_columns(body: bytes) -> list[Column]:
    """A field that hasn't its proper shape says nothing; of two of one name the last counts, at the first's place."""
    try:
        fields = _decode(body).fields or ()
    except msgspec.DecodeError:
        return []
    found: dict[str, Column] = {}
    for column in _columns(fields, "", DEEPEST):
        found[column.path] = column
    return list(found.values())


def _columns(fields: list[Raw] | tuple[()], above: str, deeper: int) -> Iterator[Column]:
    for text in fields:
        try:
            field = _decode_field(text)
        except msgspec.DecodeError:
            continue
        if field.name:
            path = f"{above}{field.name}"
            yield Column(path, field.type, field.description)
            if field.fields and deeper:
                yield from _columns(field.fields, f"{path}.", deeper - 1)
