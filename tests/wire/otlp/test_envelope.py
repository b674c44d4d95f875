"""The hub's envelope takes what the SDK sends, in its own, OTLP's or the tables' names, and tells what it can't."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lineage_hub.errors import BodyTooLarge, InvalidRequest
from lineage_hub.sdk.otlp import metrics_body, traces_body
from lineage_hub.sdk.spans import Metric, Span, SpanEvent, telemetry_text
from lineage_hub.wire.otlp import read_metrics, read_traces
from lineage_hub.wire.otlp.envelope import TelemetryEnvelope, read_envelope
from tests.wire.otlp.messages import T0, rows_of

SPAN = Span(
    name="load", start_ns=T0, end_ns=T0 + 7, parent_span_id="ab" * 8, trace_state="a=b", kind="SERVER", status="ERROR",
    message="gone", service_name="shop", events=[SpanEvent("exception", T0 + 1, {"n": 1})],
    attributes={"text": "x", "n": 2**62, "f": 0.5, "yes": True, "none": None, "list": [1, "a"], "map": {"k": 1}},
    resource_attributes={"host": "h"},
)  # fmt: skip
METRIC = Metric(
    name="rows", value=2**53 + 1, kind="counter", unit="1", description="d", time_ns=T0, start_ns=T0 - 5,
    service_name="shop", attributes={"a": 1},
)  # fmt: skip


def read(namespace: str = "team-a", most: int = 100, **lists: Any) -> TelemetryEnvelope:
    return read_envelope(json.dumps({"namespace": namespace, **lists}).encode(), most)


def sent(*items: Span | Metric) -> list[Any]:
    return [json.loads(telemetry_text(one)) for one in items]


def row_of(**about: Any) -> dict[str, Any]:
    return {
        "trace_id": "01" * 16, "span_id": "02" * 8, "operation_name": "load", "timestamp": "2026-11-01T00:00:00Z",
        "duration_ns": 5, **about,
    }  # fmt: skip


def test_a_span_of_the_sdk_says_the_same_as_by_otlp() -> None:
    found = read(traces=sent(SPAN))
    mine, theirs = (
        rows_of(found.spans["team-a"].columns)[0],
        rows_of(read_traces(traces_body([SPAN], "team-a"), "json").columns)[0],
    )
    differ = {"resource_attributes", "scope_name", "scope_version", "flags"}
    assert {name: mine[name] for name in mine.keys() - differ} == {name: theirs[name] for name in mine.keys() - differ}
    assert mine["resource_attributes"] == {"service.name": "shop", "host": "h"}
    assert mine["attribute_types"]["n"] == "int"
    assert (found.spans_rejected, found.errors) == (0, [])


@pytest.mark.parametrize("kind", ["gauge", "counter", "updown"])
def test_a_metric_of_the_sdk_says_the_same_as_by_otlp(kind: Any) -> None:
    metric = Metric(**{name: getattr(METRIC, name) for name in METRIC.__struct_fields__} | {"kind": kind})
    mine = rows_of(read(metrics=sent(metric)).points["team-a"].columns)[0]
    theirs = rows_of(read_metrics(metrics_body([metric], "team-a"), "json").columns)[0]
    differ = {"resource_attributes", "scope_name", "scope_version", "start_timestamp"}
    assert {name: mine[name] for name in mine.keys() - differ} == {name: theirs[name] for name in mine.keys() - differ}
    assert (mine["int_value"], mine["is_int"], mine["start_timestamp"]) == (2**53 + 1, True, T0 - 5)


@pytest.mark.parametrize(
    "span",
    [
        {"traceId": "01" * 16, "spanId": "02" * 8, "name": "load", "startTimeUnixNano": str(T0),
         "endTimeUnixNano": T0 + 5, "kind": 2, "status": {"code": 2},
         "attributes": [{"key": "a", "value": {"intValue": "1"}}]},
        {"trace_id": "01" * 16, "span_id": "02" * 8, "operation_name": "load", "start_ns": T0, "end_ns": T0 + 5,
         "span_kind": "SERVER", "status_code": "ERROR", "tags": {"a": 1}},
        {"trace_id": "01" * 16, "span_id": "02" * 8, "operationName": "load", "start_ns": T0, "duration_ns": 5,
         "kind": "SPAN_KIND_SERVER", "status": "STATUS_CODE_ERROR", "attributes": {"a": 1}},
    ],
    ids=["otlp", "table", "mixed"],
)  # fmt: skip
def test_fields_have_the_names_of_otlp_and_of_the_tables_too(span: dict[str, Any]) -> None:
    row = rows_of(read(traces=[span]).spans["team-a"].columns)[0]
    assert (row["timestamp"], row["duration_ns"], row["operation_name"]) == (T0, 5, "load")
    assert (row["span_kind"], row["status_code"]) == ("SERVER", "ERROR")
    assert (row["attributes"], row["attribute_types"]) == ({"a": "1"}, {"a": "int"})


@pytest.mark.parametrize(
    ("span", "reason"),
    [
        ("garbage", "str in the place of an object"),
        ({}, "start_ns"),
        (row_of(operation_name=""), "no name"),
        (row_of(durationns=1), "'durationns' is no field of it"),
        (row_of(name="again"), "name is given twice"),
        (row_of(duration_ns=None), "neither duration_ns nor end_ns"),
        (row_of(duration_ns=1.5), "no whole number of nanoseconds"),
        (row_of(duration_ns=-5), "ends 5 ns before it starts"),
        (row_of(timestamp="2026-11-01T00:00:00"), "has no zone"),
        (row_of(timestamp="1969-12-31T23:59:59Z"), "before 1970"),
        (row_of(timestamp=-1), "before 1970"),
        (row_of(timestamp="2300-01-01T00:00:00Z"), "outside the years"),
        (row_of(trace_id="xyz"), "traceId: 'xyz' is not hexadecimal"),
        (row_of(trace_id="01"), "trace id has 1 bytes"),
        (row_of(trace_id=None), "trace id has 0 bytes"),
        (row_of(span_kind="OTHER"), "kind: 'SPAN_KIND_OTHER'"),
        (row_of(attributes="a"), "attributes: str in the place of an object"),
        (row_of(events={}), "events: dict in the place of a list"),
        (row_of(events=[{"name": "e"}]), "time_ns"),
        (row_of(namespace="No Tenant"), "namespace 'No Tenant' is not valid"),
        (row_of(service_name=7), "int in the place of str"),
    ],
)
def test_a_span_that_can_not_be_kept_is_refused_alone(span: Any, reason: str) -> None:
    found = read(traces=[row_of(), span, row_of()])
    assert (found.spans["team-a"].count, found.spans_rejected) == (2, 1)
    assert reason in found.errors[0]


@pytest.mark.parametrize(
    ("metric", "reason"),
    [
        ({"metric_name": "n", "value": 1}, "time_ns"),
        ({"metric_name": "n", "timestamp": T0}, "value: None is no number"),
        ({"metric_name": "n", "timestamp": T0, "value": True}, "value: True is no number"),
        ({"metric_name": "n", "timestamp": T0, "value": "many"}, "asDouble: 'many'"),
        ({"metric_name": "n", "timestamp": T0, "value": 1, "metric_type": "histogram"}, "none of gauge"),
        ({"timestamp": T0, "value": 1}, "no name"),
        ({"metric_name": "n", "timestamp": T0, "value": 1, "labels": {}}, "'labels' is no field"),
    ],
)
def test_a_metric_that_can_not_be_kept_is_refused_alone(metric: Any, reason: str) -> None:
    good = {"metric_name": "n", "timestamp": T0, "value": "NaN"}
    found = read(metrics=[good, metric, good])
    assert (found.points["team-a"].count, found.points_rejected) == (2, 1)
    assert reason in found.errors[0]


def test_a_span_may_name_another_namespace() -> None:
    found = read(traces=[row_of(), row_of(namespace="team-b"), row_of(namespace="")])
    assert {name: one.count for name, one in found.spans.items()} == {"team-a": 2, "team-b": 1}


def test_spans_of_one_service_share_their_resource() -> None:
    spans = [row_of(service_name=name) for name in ("a", "b", "a")]
    columns = read(traces=spans).spans["team-a"].columns
    assert sorted(columns["service_name"]) == ["a", "a", "b"]
    assert len(columns["resource_attributes"].offsets) == 3


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"namespace": "x"}', b'{"namespace": 5}', b"\xff", b"[" * 99_999,
                                  b'{"namespace": "team-a", "traces": {}}'])  # fmt: skip
def test_what_is_no_envelope_is_refused_as_a_whole(body: bytes) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_envelope(body, 10)
    assert refused.value.subject
    assert refused.value.action


def test_too_many_items_are_refused_as_a_whole() -> None:
    with pytest.raises(BodyTooLarge, match="3 spans and metrics are more than the 2"):
        read(traces=[{}] * 2, metrics=[{}], most=2)


def test_an_envelope_may_be_empty() -> None:
    found = read(traces=None)
    assert (found.spans, found.points, found.spans_rejected) == ({}, {}, 0)


def test_half_a_character_is_marked_and_the_rest_is_taken() -> None:
    given = {"name": "cut \ud83d", "trace_id": "ab" * 16, "span_id": "cd" * 8, "start_ns": T0, "end_ns": T0}
    found = read(traces=[given])
    assert found.spans["team-a"].columns["operation_name"] == ["cut \ufffd"]
