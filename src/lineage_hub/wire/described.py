"""Descriptive facets enter as JSON text, the fields that answers show leave.

A facet that doesn't fit its spec says nothing here; it is still shown whole among the facets.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec import Struct

S = TypeVar("S", bound=Struct)


class Field(Struct):
    name: str = ""
    type: str | None = None
    description: str | None = None


class Schema(Struct):
    fields: list[Field] = []


class Tag(Struct):
    key: str = ""
    value: str = ""
    field: str | None = None


class Tags(Struct):
    tags: list[Tag] = []


class Documentation(Struct):
    description: str | None = None


class DataSource(Struct):
    name: str | None = None
    uri: str | None = None


class DatasetType(Struct):
    datasetType: str | None = None


class Lifecycle(Struct):
    lifecycleStateChange: str = ""


class NominalTime(Struct):
    nominalStartTime: str | None = None
    nominalEndTime: str | None = None


def lenient(text: bytes | None, kind: type[S]) -> S:
    if text is None:
        return kind()
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return kind()
