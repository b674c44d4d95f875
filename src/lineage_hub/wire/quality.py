"""Facets about data quality and volume enter as JSON text, in every spelling that producers use; their values leave.

A part that hasn't its proper shape says nothing, the rest counts.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec
from msgspec import Raw, Struct

from lineage_hub.wire.canonical import canonical
from lineage_hub.wire.described import ColumnMetrics, Statistics, lenient

# The spec's name, and the one that Great Expectations' action used before and beside it.
ASSERTION_FACETS = ("dataQualityAssertions", "greatExpectations_assertions")
METRIC_FACETS = ("dataQualityMetrics", "dataQuality")
READ_FACET, WRITTEN_FACET = "inputStatistics", "outputStatistics"


_MARKS = tuple(name.encode() for name in ASSERTION_FACETS)


class Assertion(NamedTuple):
    """`success` is None when the producer doesn't say."""

    assertion: str
    column: str | None
    success: bool | None
    severity: str | None = None
    expected: str | None = None
    actual: str | None = None


class _List(Struct):
    assertions: list[Raw] = []


class _Assertion(Struct):
    assertion: str | None = None
    expectationType: str | None = None
    column: str | None = None
    columnId: str | None = None
    success: bool | None = None
    severity: str | None = None
    expected: Raw = Raw(b"null")
    actual: Raw = Raw(b"null")


class _Columns(Struct):
    columnMetrics: dict[str, Raw] = {}


class _Numbers(Struct):
    rowCount: int | None = None
    bytes: int | None = None
    fileCount: int | None = None


class Metrics(NamedTuple):
    rows: int | None
    size: int | None
    files: int | None
    columns: dict[str, ColumnMetrics]


def tells_of_checks(text: bytes) -> bool:
    """Whether the text of an event may hold such a facet, wherever it stands."""
    if b"\\u" in text:
        # A key may be spelled with escapes.
        text = msgspec.json.encode(msgspec.json.decode(text))
    return any(mark in text for mark in _MARKS)


def read_assertions(body: bytes) -> list[Assertion]:
    found = []
    for text in lenient(body, _List).assertions:
        one = lenient(bytes(text), _Assertion)
        name = one.assertion or one.expectationType
        if name:
            column = one.column or one.columnId
            shown = [_shown(value) for value in (one.expected, one.actual)]
            found.append(Assertion(name, column or None, one.success, one.severity, *shown))
    return found


def _shown(value: Raw) -> str | None:
    """A text as it is, anything else as JSON."""
    text = canonical(bytes(value))
    if text == b"null":
        return None
    return msgspec.json.decode(text, type=str) if text[:1] == b'"' else text.decode()


def read_metrics(body: bytes) -> Metrics:
    numbers, columns = lenient(body, _Numbers), lenient(body, _Columns).columnMetrics
    return Metrics(
        numbers.rowCount,
        numbers.bytes,
        numbers.fileCount,
        {name: lenient(bytes(text), ColumnMetrics) for name, text in columns.items()},
    )


def read_statistics(body: bytes) -> Statistics:
    return lenient(body, Statistics)
