"""What is odd about an event that was taken is told with it: facets that don't fit their schema, a clock ahead."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lineage_hub.query.warnings import MOST, warnings

BASE = {"_producer": "https://example.com", "_schemaURL": "https://example.com/facet.json"}
UUID = "0190c2f1-aaaa-7bbb-8ccc-0123456789ab"
MINUTE = 60 * 1_000_000_000


def told(kind: str, **facets: Any) -> list[str]:
    """The warnings about facets of one kind, each after the facet's name."""
    holder: dict[str, Any] = {"namespace": "n", "name": "x", "facets": {}}
    event: dict[str, Any] = {"schemaURL": "u", "run": {"runId": "r", "facets": {}}, "job": dict(holder)}
    if kind in ("run", "job"):
        event[kind]["facets"] = facets
    elif kind == "dataset":
        event["outputs"] = [{**holder, "facets": facets}]
    else:
        event[f"{kind}s"] = [{**holder, f"{kind}Facets": facets}]
    found = warnings(json.dumps(event).encode(), 0, 0)
    return [f"{one['where'].rpartition('acets.')[2]} {one['warning']}" for one in found]


def facet(**content: Any) -> dict[str, Any]:
    return {**BASE, **content}


@pytest.mark.parametrize(
    ("kind", "name", "content"),
    [
        ("dataset", "schema", {"fields": [{"name": "a", "fields": [{"name": "b", "type": "INT"}]}]}),
        ("dataset", "schema", {"fields": None}),
        ("dataset", "version", {"datasetVersion": "1", "more": {"is": "allowed"}}),
        ("dataset", "lifecycleStateChange", {"lifecycleStateChange": "DROP"}),
        ("dataset", "columnLineage", {"fields": {"a": {"inputFields": []}}}),
        ("dataset", "dataQualityMetrics", {"columnMetrics": {"a": {"nullCount": 1, "sum": 2.5, "max": 1e400}}}),
        ("input", "inputStatistics", {"rowCount": 3.0, "size": 10**30}),
        ("output", "outputStatistics", {"rowCount": 0}),
        ("input", "inputSubset", {"inputCondition": {"type": "location", "locations": ["a"]}}),
        ("run", "nominalTime", {"nominalStartTime": "2026-03-01T00:00:00.123456789Z"}),
        ("run", "parent", {"run": {"runId": UUID}, "job": {"namespace": "n", "name": "j"}}),
        ("job", "jobType", {"processingType": "BATCH", "integration": "DBT", "jobType": None}),
        ("job", "sql", {"query": "select 1"}),
    ],
)  # fmt: skip
def test_a_facet_that_fits_its_schema_is_not_warned_of(kind: str, name: str, content: dict[str, Any]) -> None:
    assert told(kind, **{name: facet(**content)}) == []


@pytest.mark.parametrize(
    ("kind", "name", "content", "expected"),
    [
        ("dataset", "schema", {"fields": {}}, "schema fields is not a list"),
        ("dataset", "schema", {"fields": [{"type": "INT"}]}, "schema lacks fields[0].name"),
        ("dataset", "schema", {"fields": [{"name": 7}]}, "schema fields[0].name is not text"),
        ("dataset", "schema", {"fields": ["a"]}, "schema fields[0] is not an object"),
        ("dataset", "version", {}, "version lacks datasetVersion"),
        ("dataset", "version", {"datasetVersion": None}, "version datasetVersion is null"),
        ("dataset", "columnLineage", {"fields": {"a": {"inputFields": [{"name": "x", "field": "f"}]}}},
         "columnLineage lacks fields.a.inputFields[0].namespace"),
        ("dataset", "lifecycleStateChange", {"lifecycleStateChange": "MELT"},
         "lifecycleStateChange lifecycleStateChange is not one of "
         "ALTER, CREATE, DROP, OVERWRITE, RENAME, TRUNCATE"),
        ("output", "outputStatistics", {"rowCount": 1.5}, "outputStatistics rowCount is not a whole number"),
        ("output", "outputStatistics", {"rowCount": True}, "outputStatistics rowCount is not a whole number"),
        ("run", "nominalTime", {"nominalStartTime": "tomorrow"},
         "nominalTime nominalStartTime has not the form that the spec asks for"),
        ("run", "parent", {"run": {"runId": "x"}, "job": {"namespace": "n", "name": "j"}},
         "parent run.runId has not the form that the spec asks for"),
        ("run", "errorMessage", {"message": "m"}, "errorMessage lacks programmingLanguage"),
        ("run", "schema", {"fields": []}, "schema is not a facet of the OpenLineage spec"),
        ("job", "my_own", {"a": 1}, "my_own is not a facet of the OpenLineage spec"),
    ],
)  # fmt: skip
def test_a_facet_that_does_not_fit_says_where(kind: str, name: str, content: dict[str, Any], expected: str) -> None:
    assert told(kind, **{name: facet(**content)}) == [expected]


def test_a_facet_without_its_base_fields_or_that_is_no_object_is_warned_of() -> None:
    assert told("job", sql={"query": "select 1"}) == ["sql has no _producer", "sql has no _schemaURL"]
    assert told("job", sql=None, tags=[]) == ["sql is not an object", "tags is not an object"]
    assert told("dataset", schema={"_deleted": True}) == []


def test_a_clock_that_is_ahead_and_a_missing_schema_url_are_told() -> None:
    assert [one["where"] for one in warnings(b"{}", 6 * MINUTE, 0)] == ["eventTime", "schemaURL"]
    assert [one["where"] for one in warnings(b"{}", 5 * MINUTE, 0)] == ["schemaURL"]


def test_thousands_of_warnings_are_counted_and_deep_events_are_not_judged() -> None:
    many = told("dataset", **{f"own_{n}": BASE for n in range(MOST + 7)})
    assert len(many) == MOST + 1
    assert many[-1].endswith("has 7 more warnings")
    deep = b'{"schemaURL": "u", "x": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"
    assert [one["warning"] for one in warnings(deep, 0, 0)] == ["is nested too deeply to be judged"]
    fields = '{"name": "a", "fields": [' * 450 + "]}" * 450
    nested = f'{{"schemaURL": "u", "dataset": {{"facets": {{"schema": {{"fields": [{fields}]}}}}}}}}'
    assert isinstance(warnings(nested.encode(), 0, 0), list)


def test_facets_of_our_own_producers_are_known_and_those_of_others_are_not() -> None:
    assert told("run", lineageHub_trace=facet(traceId="1"), other_trace=facet(traceId="1")) == [
        "other_trace is not a facet of the OpenLineage spec"
    ]
    assert told("run", lineageHub_trace={"traceId": "1"}) == [
        "lineageHub_trace has no _producer",
        "lineageHub_trace has no _schemaURL",
    ]
