"""Descriptive facets enter as JSON text, the fields that answers show leave.

A part of a facet that doesn't fit its spec says nothing here; the facet is still shown whole among the facets.
"""

from __future__ import annotations

from functools import cache
from typing import TypeVar

import msgspec
from msgspec import Raw, Struct

from lineage_hub.wire.fitting import Unfit, decode

NO_TAGS = Raw(b"[]")
# The SDK's own facet of a run.
TRACE_FACET = "lineageHub_trace"
# What users declare of a dataset, and of a run, for which OpenLineage has no facet.
DECLARED_FACET = "lineageHub_declared"
ARGUMENTS_FACET = "lineageHub_arguments"
S = TypeVar("S", bound=Struct)


class Field(Struct, gc=False):
    """As answers show it. Tags of fields stand in the tags facet; what a schema itself says of them doesn't count."""

    name: str
    type: str | None = None
    tags: Raw = NO_TAGS
    description: str | None = None


class Schema(Struct):
    fields: list[Field] = []


class Tag(Struct):
    key: str
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


class Declared(Struct):
    physicalName: str | None = None
    schemaLocation: str | None = None


class Arguments(Struct):
    arguments: dict[str, str] = {}


class Lifecycle(Struct):
    lifecycleStateChange: str = ""


class NominalTime(Struct):
    nominalStartTime: str | None = None
    nominalEndTime: str | None = None


class Owner(Struct):
    name: str
    type: str | None = None


class Ownership(Struct):
    owners: list[Owner] = []


class Storage(Struct):
    storageLayer: str | None = None
    fileFormat: str | None = None


class ColumnMetrics(Struct):
    nullCount: int | None = None
    distinctCount: int | None = None
    sum: float | None = None
    count: float | None = None
    min: float | None = None
    max: float | None = None
    quantiles: dict[str, float] | None = None


class QualityMetrics(Struct):
    rowCount: int | None = None
    bytes: int | None = None
    fileCount: int | None = None
    lastUpdated: str | None = None
    columnMetrics: dict[str, ColumnMetrics] = {}


class Assertion(Struct):
    assertion: str = ""
    success: bool | None = None
    column: str | None = None
    severity: str | None = None


class QualityAssertions(Struct):
    assertions: list[Assertion] = []


class Statistics(Struct):
    """Of an input or an output."""

    rowCount: int | None = None
    size: int | None = None
    fileCount: int | None = None


class ErrorMessage(Struct):
    message: str | None = None
    programmingLanguage: str | None = None
    stackTrace: str | None = None


class TraceContext(Struct):
    """Which trace a run is in, and which span of it stands for the run."""

    traceId: str = ""
    spanId: str = ""


class ExtractionFailure(Struct):
    errorMessage: str = ""
    stackTrace: str | None = None
    task: str | None = None
    taskNumber: int | None = None


class ExtractionError(Struct):
    totalTasks: int | None = None
    failedTasks: int | None = None
    errors: list[ExtractionFailure] = []


@cache
def _decoder(kind: type[S]) -> msgspec.json.Decoder[S]:
    return msgspec.json.Decoder(kind)


def lenient(text: bytes | None, kind: type[S]) -> S:
    if text is None:
        return kind()
    try:
        found: S = decode(_decoder(kind), text)
        return found
    except (msgspec.DecodeError, Unfit):
        return kind()


def tag_text(key: str, value: str) -> str:
    """As a tag is shown; Marquez knows no values."""
    return key if value in ("", "true") else f"{key}:{value}"
