"""Spans are taken exactly or refused one by one, with the reason."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from lineage_hub.errors import InvalidRequest
from lineage_hub.wire.otlp import MapColumn, read_traces
from lineage_hub.wire.otlp.columns import MOST_REASONS
from tests.wire.otlp.messages import SPAN_ID, T0, TRACE_ID, key_values, rows_of, span, traces

YEAR_2100, YEAR_2300 = 4_102_444_800 * 10**9, 10_413_792_000 * 10**9


def read(*spans: Span, **about: Any) -> Any:
    return read_traces(traces(*spans, **about).SerializeToString())


def test_a_span_becomes_a_row_exact_to_the_nanosecond() -> None:
    given = span(
        {"http.method": "GET", "openlineage.run_id": "run-1", "pipeline.run_id": "root-1"},
        parent_span_id=b"\xab" * 8,
        kind=Span.SPAN_KIND_SERVER,
        end_time_unix_nano=T0 + 987_654_321,
        trace_state="a=b",
        flags=257,
        status=Status(code=Status.STATUS_CODE_ERROR, message="gone"),
        events=[Span.Event(time_unix_nano=T0 + 1, name="exception", attributes=key_values({"n": 3}))],
        links=[Span.Link(trace_id=b"\x01" * 16, span_id=b"\x02" * 8, trace_state="c=d")],
        dropped_attributes_count=1,
        dropped_events_count=2,
        dropped_links_count=3,
    )
    assert rows_of(read(given).columns) == [
        {
            "timestamp": T0,
            "trace_id": TRACE_ID.hex(),
            "span_id": SPAN_ID.hex(),
            "parent_span_id": "ab" * 8,
            "trace_state": "a=b",
            "operation_name": "load",
            "duration_ns": 987_654_321,
            "status_code": "ERROR",
            "status_message": "gone",
            "span_kind": "SERVER",
            "flags": 257,
            "events": [(T0 + 1, "exception", {"n": "3"})],
            "links": [("01" * 16, "02" * 8, "c=d", {})],
            "dropped_attributes": 1,
            "dropped_events": 2,
            "dropped_links": 3,
            "run_id": "run-1",
            "pipeline_run_id": "root-1",
            "attributes": {"http.method": "GET", "openlineage.run_id": "run-1", "pipeline.run_id": "root-1"},
            "attribute_types": {"events[0].n": "int"},
            "service_name": "shop",
            "resource_attributes": {"service.name": "shop"},
            "resource_attribute_types": {},
            "scope_name": "tests",
            "scope_version": "1.2",
        }
    ]


@pytest.mark.parametrize(
    ("value", "text", "kind"),
    [
        ("text", "text", None),
        ("", "", None),
        (-(2**63), "-9223372036854775808", "int"),
        (0.1, "0.1", "double"),
        (1.0, "1.0", "double"),
        (math.nan, "NaN", "double"),
        (-math.inf, "-Infinity", "double"),
        (True, "true", "bool"),
        (False, "false", "bool"),
        (b"\x00\xff", "AP8=", "bytes"),
        (None, "", "empty"),
        ([1, "a"], '{"arrayValue":{"values":[{"intValue":"1"},{"stringValue":"a"}]}}', "array"),
        ([], '{"arrayValue":{"values":[]}}', "array"),
        (
            {"k": [math.inf, None, b"\x01", False, 0.5]},
            '{"kvlistValue":{"values":[{"key":"k","value":{"arrayValue":{"values":[{"doubleValue":"Infinity"},{},'
            '{"bytesValue":"AQ=="},{"boolValue":false},{"doubleValue":0.5}]}}}]}}',
            "map",
        ),
    ],
)
def test_every_value_is_kept_as_text_and_its_type_beside_it(value: Any, text: str, kind: str | None) -> None:
    found = read(span({"before": "x", "k": value, "after": "y"}), resource={"r": value}).columns
    assert found["attributes"][0] == {"before": "x", "k": text, "after": "y"}
    assert found["attribute_types"][0] == ({} if kind is None else {"k": kind})
    assert found["resource_attributes"][0] == {"r": text}
    assert found["resource_attribute_types"][0] == ({} if kind is None else {"r": kind})


def test_types_stand_with_their_span_when_some_have_none() -> None:
    found = read(span({"a": "x"}), span({"a": 1, "b": "y", "c": True}), span(), span({"b": 2.0})).columns
    assert list(found["attribute_types"]) == [{}, {"a": "int", "c": "bool"}, {}, {"b": "double"}]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"trace_id": b""}, "trace id has 0 bytes, not 16"),
        ({"trace_id": b"\x01" * 8}, "trace id has 8 bytes, not 16"),
        ({"trace_id": bytes(16)}, "trace id is all zeros"),
        ({"span_id": b"\x01" * 16}, "span id has 16 bytes, not 8"),
        ({"span_id": bytes(8)}, "span id is all zeros"),
        ({"parent_span_id": b"\x01"}, "parent's span id has 1 bytes, not 8"),
        ({"end_time_unix_nano": T0 - 7}, "ends 7 ns before it starts"),
        ({"end_time_unix_nano": 0}, "before it starts"),
        ({"end_time_unix_nano": YEAR_2300}, "after 2262-04-11"),
        ({"start_time_unix_nano": 2**64 - 1, "end_time_unix_nano": 2**64 - 1}, "after 2262-04-11"),
        ({"attributes": key_values({str(n): "" for n in range(1025)})}, "1025 attributes are more than 1024"),
        ({"attributes": key_values({"big": "x" * (10 << 20)})}, "attribute 0 has 104857"),
        ({"events": [Span.Event(time_unix_nano=YEAR_2300, name="late")]}, "event 'late' is after 2262-04-11"),
        ({"events": [Span.Event(attributes=key_values({"big": "x" * (2 << 20)}))]}, "event or a link of it: attribute"),
        ({"links": [Span.Link(attributes=key_values({str(n): "" for n in range(1025)}))]}, "more than 1024"),
    ],
)
def test_one_that_can_not_be_kept_is_refused_alone(changes: dict[str, Any], reason: str) -> None:
    found = read(span(name="before"), span(name="bad", **changes), span(name="after"))
    assert (found.count, found.rejected) == (2, 1)
    assert found.columns["operation_name"] == ["before", "after"]
    assert found.reasons[0].startswith("span 'bad'")
    assert reason in found.reasons[0]


@pytest.mark.parametrize("at", [0, 1, YEAR_2100, 2**63 - 1])
def test_from_1970_to_2262_every_nanosecond_is_taken(at: int) -> None:
    found = read(span(start_time_unix_nano=at, end_time_unix_nano=at))
    assert (found.columns["timestamp"], found.columns["duration_ns"]) == ([at], [0])


def test_a_span_may_have_no_name_and_zeros_as_its_parent() -> None:
    found = read(span(name="", parent_span_id=bytes(8))).columns
    assert (found["operation_name"], found["parent_span_id"]) == ([""], [""])


def test_enums_that_are_newer_than_the_hub_are_unspecified() -> None:
    found = read(span(kind=77, status=Status(code=9))).columns
    assert (found["span_kind"], found["status_code"]) == (["UNSPECIFIED"], ["UNSET"])


def test_the_run_may_be_named_by_the_resource_and_the_span_knows_better() -> None:
    found = read(span(), span({"openlineage.run_id": "own"}), resource={"openlineage.run_id": "all"}).columns
    assert found["run_id"] == ["all", "own"]
    assert found["service_name"] == ["unknown_service"] * 2


def test_an_attribute_that_can_not_be_read_costs_its_span_alone() -> None:
    body = traces(span({"kkkk": "v"}, name="bad"), span()).SerializeToString()
    # Its key is said to be longer than the attribute.
    found = read_traces(body.replace(b"\x04kkkk", b"\x7fkkkk"))
    assert (found.count, found.rejected) == (1, 1)
    assert "attribute 0 can't be read" in found.reasons[0]


def test_a_resource_that_can_not_be_kept_costs_its_spans_alone() -> None:
    request = traces(span(), span(), resource={"big": "x" * (2 << 20)})
    request.MergeFrom(traces(span(name="good")))
    found = read_traces(request.SerializeToString())
    assert (found.columns["operation_name"], found.rejected) == (["good"], 2)
    assert found.reasons[0].startswith("2 spans: their resource: attribute 0 has 20971")


def test_reasons_are_few_and_counts_are_whole() -> None:
    found = read(*[span(span_id=b"") for _ in range(300)])
    assert (found.count, found.rejected, len(found.reasons)) == (0, 300, MOST_REASONS)
    assert all(len(column) == 0 for column in found.columns.values())


@pytest.mark.parametrize("cut", [1, 7, 40, 90])
def test_a_truncated_body_is_refused_as_a_whole(cut: int) -> None:
    body = traces(span({"a": "b"})).SerializeToString()
    with pytest.raises(InvalidRequest) as refused:
        read_traces(body[:-cut])
    assert refused.value.subject == "body"
    assert "ExportTraceServiceRequest" in refused.value.message
    assert refused.value.action


def test_an_empty_body_has_no_spans() -> None:
    found = read_traces(b"")
    assert (found.count, found.rejected, found.reasons) == (0, 0, [])


def test_maps_lie_flat_and_a_resource_stands_once_for_its_spans() -> None:
    found = read(span({"a": "1", "b": "2"}), span({"a": "3"}), resource={"r": "s"}).columns
    assert found["attributes"] == MapColumn([0, 2, 3], ["a", "b", "a"], ["1", "2", "3"])
    assert found["resource_attributes"] == MapColumn([0, 1], ["r"], ["s"], [0, 0])


def test_a_key_that_was_sent_twice_is_kept_twice() -> None:
    found = read(span(attributes=[*key_values({"a": "1"}), *key_values({"a": "2"})])).columns
    assert found["attributes"].pairs(0) == [("a", "1"), ("a", "2")]


def test_what_is_nested_as_deep_as_protobuf_allows_is_kept() -> None:
    value: Any = "end"
    for _ in range(20):
        value = [value]
    text = read(span({"deep": value})).columns["attributes"][0]["deep"]
    found = json.loads(text)
    for _ in range(20):
        found = found["arrayValue"]["values"][0]
    assert found == {"stringValue": "end"}
