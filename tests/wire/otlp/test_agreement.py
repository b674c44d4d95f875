"""Whatever is sent, the quick reading says what a slow one says, and JSON says what protobuf says."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from hypothesis import given
from hypothesis import strategies as st

from lineage_hub.errors import InvalidRequest
from lineage_hub.wire.otlp import read_logs, read_metrics, read_traces
from tests.properties.sizes import TIMEOUT_S, examples
from tests.wire.otlp import slow_reading
from tests.wire.otlp.messages import rows_of
from tests.wire.otlp.strategies import LOGS, METRICS, TRACES

pytestmark = [pytest.mark.slow, pytest.mark.timeout(TIMEOUT_S)]
RECEIVED_NS = 1_800_000_000_000_000_001
Row = dict[str, Any]


def json_of(request: Any, *, snake_case: bool = False) -> bytes:
    """OTLP's JSON is protobuf's, but ids are hexadecimal."""

    def corrected(content: Any) -> Any:
        if isinstance(content, list):
            return [corrected(one) for one in content]
        if not isinstance(content, dict):
            return content
        ids = ("traceId", "spanId", "parentSpanId", "trace_id", "span_id", "parent_span_id")
        return {
            key: base64.b64decode(value).hex() if key in ids else corrected(value) for key, value in content.items()
        }

    return json.dumps(corrected(MessageToDict(request, preserving_proto_field_name=snake_case))).encode()


def compared(rows: list[Row]) -> list[Row]:
    """Arrays and maps stand in attributes as JSON, compared by what they say."""

    def value(text: Any) -> Any:
        is_json = isinstance(text, str) and text.startswith(('{"arrayValue"', '{"kvlistValue"'))
        return slow_reading.comparable(text, "map") if is_json else text

    def unfolded(one: Any) -> Any:
        if isinstance(one, dict):
            return {key: value(text) for key, text in one.items()}
        if isinstance(one, list | tuple):
            return type(one)(unfolded(each) for each in one)
        return value(one)

    return [{name: unfolded(one) for name, one in row.items()} for row in rows]


def sorted_rows(rows: list[Row]) -> list[str]:
    """-0.0 and 0.0 differ, which `==` doesn't see."""
    return sorted(repr(sorted(row.items())) for row in compared(rows))


def agree(request: Any, read: Callable[..., Any], expected: list[Row], items: int) -> None:
    found = read(request.SerializeToString(), "protobuf")
    assert found.count == len(expected)
    assert found.count + found.rejected == items
    assert bool(found.reasons) == bool(found.rejected)
    assert all(len(column) == found.count for column in found.columns.values())
    assert sorted_rows(rows_of(found.columns)) == sorted_rows(expected)
    for snake_case in (False, True):
        by_json = read(json_of(request, snake_case=snake_case), "json")
        assert (by_json.count, by_json.rejected) == (found.count, found.rejected)
        assert sorted_rows(rows_of(by_json.columns)) == sorted_rows(expected)


@examples(150, 5_000)
@given(TRACES)
def test_spans_are_read_alike(request: Any) -> None:
    items = sum(len(scoped.spans) for group in request.resource_spans for scoped in group.scope_spans)
    expected = slow_reading.span_rows(request)
    agree(request, read_traces, expected, items)
    # Spans keep their order.
    assert [row["timestamp"] for row in rows_of(read_traces(request.SerializeToString()).columns)] == [
        row["timestamp"] for row in expected
    ]


@examples(150, 5_000)
@given(METRICS)
def test_points_are_read_alike(request: Any) -> None:
    items = sum(
        len(getattr(metric, metric.WhichOneof("data")).data_points) if metric.WhichOneof("data") else 0
        for group in request.resource_metrics
        for scoped in group.scope_metrics
        for metric in scoped.metrics
    )
    agree(request, read_metrics, slow_reading.point_rows(request), items)


@examples(150, 5_000)
@given(LOGS)
def test_log_records_are_read_alike(request: Any) -> None:
    def read(body: bytes, encoding: Any) -> Any:
        return read_logs(body, encoding, received_ns=RECEIVED_NS)

    items = sum(len(scoped.log_records) for group in request.resource_logs for scoped in group.scope_logs)
    agree(request, read, slow_reading.log_rows(request, RECEIVED_NS), items)


@examples(100, 5_000)
@given(TRACES, TRACES)
def test_columns_of_two_bodies_follow_each_other(first: Any, second: Any) -> None:
    whole, more = read_traces(first.SerializeToString()), read_traces(second.SerializeToString())
    expected = rows_of(whole.columns) + rows_of(more.columns)
    whole.extend(more)
    assert repr(rows_of(whole.columns)) == repr(expected)
    assert whole.count == len(expected)


def read_or_refuse(read: Callable[..., Any], body: bytes, encoding: str) -> None:
    """Nothing else is ever raised."""
    with suppress(InvalidRequest):
        found = read(body, encoding)
        assert all(len(column) == found.count for column in found.columns.values())


@examples(200, 20_000)
@given(st.sampled_from([read_traces, read_metrics, read_logs]), TRACES | METRICS | LOGS, st.data())
def test_a_body_that_is_cut_or_changed_is_read_or_refused(read: Any, request: Any, data: st.DataObject) -> None:
    body = bytearray(request.SerializeToString())
    if body:
        body = body[: data.draw(st.integers(0, len(body)))]
    for _ in range(data.draw(st.integers(0, 3)) if body else 0):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    read_or_refuse(read, bytes(body), "protobuf")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("SPAN_KIND_SERVER"),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["resourceSpans", "resource", "scopeSpans", "scope", "spans", "attributes", "key", "value", "stringValue",
             "arrayValue", "values", "intValue", "doubleValue", "bytesValue", "traceId", "name", "kind", "status",
             "events", "startTimeUnixNano", "endTimeUnixNano", "unknown", "metrics", "resourceMetrics", "dataPoints"]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=20,
)  # fmt: skip


@examples(300, 20_000)
@given(st.sampled_from([read_traces, read_metrics, read_logs]), JSON)
def test_any_json_is_read_or_refused(read: Any, content: Any) -> None:
    for body in (content, {"resourceSpans": [{"scopeSpans": [{"spans": [content]}]}]}):
        read_or_refuse(read, json.dumps(body).encode(), "json")
