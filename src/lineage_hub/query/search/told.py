"""A facet enters as JSON text; what it tells for search leaves: columns, descriptions, tags and owners."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec import Struct

from lineage_hub.lineage.words import fold
from lineage_hub.wire.described import Documentation, Ownership, Tags, lenient, tag_text

COLUMN, COLUMN_DESCRIPTION, DESCRIPTION, TAG, OWNER = "column", "columnDescription", "description", "tag", "owner"
DATASET_FACETS = ("schema", "documentation", "tags", "ownership")
JOB_FACETS = ("documentation", "tags", "ownership")


class Told(NamedTuple):
    field: str
    text: str
    column: str | None = None


class _Field(Struct):
    name: str = ""
    description: str | None = None
    fields: list[_Field] = []


class _Schema(Struct):
    fields: list[_Field] = []


def told(facet: str, body: bytes) -> list[Told]:
    """Of a tombstone nothing."""
    if facet == "schema":
        return list(_of_columns(lenient(body, _Schema).fields))
    if facet == "documentation":
        text = lenient(body, Documentation).description
        return [Told(DESCRIPTION, text)] if text else []
    if facet == "tags":
        return [Told(TAG, tag_text(tag.key, tag.value), tag.field or None) for tag in lenient(body, Tags).tags]
    if facet == "ownership":
        return [Told(OWNER, owner.name) for owner in lenient(body, Ownership).owners if owner.name]
    return []


def _of_columns(fields: Iterable[_Field], above: str = "") -> Iterator[Told]:
    for field in fields:
        if field.name:
            name = above + field.name
            yield Told(COLUMN, name, name)
            if field.description:
                yield Told(COLUMN_DESCRIPTION, field.description, name)
            yield from _of_columns(field.fields, name + ".")


def labels(one: Told) -> tuple[str, ...]:
    """What a filter finds a tag or an owner by: the whole text, and the part of it that people say."""
    if one.field not in (TAG, OWNER):
        return ()
    whole = fold(one.text)
    before, colon, after = whole.partition(":")
    part = before if one.field == TAG else after
    return (label(one.field, whole), label(one.field, part)) if colon and part else (label(one.field, whole),)


def label(field: str, text: str) -> str:
    return f"{field} {fold(text)}"
