"""Spans and metrics arrive as they were made: times to the nanosecond, attributes with their types."""

import base64
import json
import uuid
from datetime import UTC, datetime
from enum import Enum
from pathlib import PurePosixPath
from typing import Any

import numpy
import pytest
from google.protobuf.json_format import Parse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import AGGREGATION_TEMPORALITY_DELTA
from opentelemetry.proto.trace.v1.trace_pb2 import Span as SpanMessage
from opentelemetry.proto.trace.v1.trace_pb2 import Status as StatusMessage

from lineage_hub.errors import InvalidRequest, InvalidSetting, Overloaded
from lineage_hub.sdk import LineageHubClient, Metric, Span, SpanEvent, TelemetryClient, TelemetryResult
from lineage_hub.wire import instant
from tests.sdk.twins import ask, both_kinds, quick
from tests.transports.recorder import Recorder, Reply, Request

TRACE, SPAN, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", "00f067aa0ba902b7"
# Neither a float nor microseconds can hold them.
START, END = 1_793_491_200_123_456_789, 1_793_491_201_987_654_321


class Colour(Enum):
    RED = "red"


ATTRIBUTES: dict[str, Any] = {
    "text": "ü",
    "yes": True,
    "count": 7,
    "largest": 2**63 - 1,
    "too large": 2**80,
    "ratio": 0.1,
    "nothing is a number": float("nan"),
    "endless": float("-inf"),
    "raw": b"\x00\xff",
    "list": [1, "two", [3.5, None]],
    "map": {"a": {"b": False}},
    "none": None,
    "colour": Colour.RED,
    "when": datetime(2026, 11, 1, tzinfo=UTC),
    "id": uuid.UUID(int=1),
    "path": PurePosixPath("/a/b"),
    "half a pair": "\ud800",
    "of numpy": numpy.int64(5),
    "a flag of numpy": numpy.bool_(True),
}


def span(**more: Any) -> Span:
    fields: dict[str, Any] = {
        "name": "load", "start_ns": START, "end_ns": END, "trace_id": TRACE, "span_id": SPAN, "parent_span_id": PARENT,
        "kind": "CLIENT", "status": "ERROR", "message": "no room", "service_name": "etl", "attributes": ATTRIBUTES,
        "resource_attributes": {"host.name": "h1"}, "events": [SpanEvent("retry", START + 1, {"try": 2})],
        "trace_state": "vendor=1",
    }  # fmt: skip
    return Span(**{**fields, **more})


def metric(**more: Any) -> Metric:
    fields: dict[str, Any] = {"name": "rows", "value": 5, "time_ns": END, "service_name": "etl", "unit": "1"}
    return Metric(**{**fields, "attributes": ATTRIBUTES, **more})


def taken(request: Request) -> Reply:
    """As a hub that takes everything."""
    envelope = json.loads(request.body)
    answer = {
        "traces_accepted": len(envelope["traces"]), "traces_rejected": 0,
        "metrics_accepted": len(envelope["metrics"]), "metrics_rejected": 0,
        "errors": [], "namespace": envelope["namespace"],
    }  # fmt: skip
    return 200, {}, json.dumps(answer).encode()


def call(kind: str, url: str, method: str, *args: Any, protocol: str = "hub", **settings: Any) -> Any:
    made = {"base_url": url, "api_key": "key", "protocol": protocol, "config": quick(**settings)}
    return ask(kind, TelemetryClient, method, *args, made=made)


@both_kinds
def test_traces_and_metrics_go_in_one_envelope_with_the_key_in_the_header(kind: str) -> None:
    with Recorder(taken) as hub:
        made = {"base_url": hub.url, "api_key": "key", "config": quick()}
        result = ask(
            kind,
            LineageHubClient,
            "send_telemetry_data",
            [span(), {"own": "fields"}],
            [metric()],
            made=made,
            source="s",
        )
        (request,) = hub.requests
    assert result == TelemetryResult(2, 0, 1, 0, (), "team-a")
    assert (result.accepted, result.rejected) == (3, 0)
    assert (request.path, request.headers["authorization"]) == ("/api/v1/telemetry/ingest", "Bearer key")
    envelope = json.loads(request.body)
    assert (envelope["namespace"], envelope["source"]) == ("team-a", "s")
    assert envelope["traces"][1] == {"own": "fields"}


@both_kinds
def test_nothing_to_send_is_no_request(kind: str) -> None:
    with Recorder(taken) as hub:
        made = {"base_url": hub.url, "config": quick()}
        assert ask(kind, LineageHubClient, "send_telemetry_data", made=made) == TelemetryResult(namespace="team-a")
        for protocol in ("hub", "otlp"):
            assert call(kind, hub.url, "send_traces", [], protocol=protocol).accepted == 0
            assert call(kind, hub.url, "send_metrics", [], protocol=protocol).accepted == 0
        assert hub.requests == []


@both_kinds
def test_a_span_has_the_columns_of_the_hub_and_loses_no_nanosecond(kind: str) -> None:
    with Recorder(taken) as hub:
        call(kind, hub.url, "send_span", span())
        (row,) = json.loads(hub.requests[0].body)["traces"]
    assert instant(row["timestamp"]) == START
    assert row["duration_ns"] == END - START
    assert (row["trace_id"], row["span_id"], row["parent_span_id"]) == (TRACE, SPAN, PARENT)
    assert (row["operation_name"], row["service_name"], row["span_kind"]) == ("load", "etl", "CLIENT")
    assert (row["status_code"], row["status_message"]) == ("ERROR", "no room")
    assert row["resource_attributes"] == {"host.name": "h1"}
    (told,) = row["events"]
    assert (told["name"], instant(told["timestamp"]), told["attributes"]) == ("retry", START + 1, {"try": 2})


@both_kinds
def test_a_metric_keeps_its_attributes_and_its_time(kind: str) -> None:
    with Recorder(taken) as hub:
        call(kind, hub.url, "send_metric", metric(kind="counter", start_ns=START))
        (row,) = json.loads(hub.requests[0].body)["metrics"]
    assert (row["metric_name"], row["metric_type"], row["value"], row["unit"]) == ("rows", "counter", 5, "1")
    assert (instant(row["start_timestamp"]), instant(row["timestamp"])) == (START, END)
    found = row["attributes"]
    assert (found["text"], found["yes"], found["count"], found["ratio"]) == ("ü", True, 7, 0.1)
    assert (found["largest"], found["too large"]) == (2**63 - 1, str(2**80))
    assert (found["nothing is a number"], found["endless"]) == ("NaN", "-Infinity")
    assert base64.b64decode(found["raw"]) == b"\x00\xff"
    assert (found["list"], found["map"], found["none"]) == ([1, "two", [3.5, None]], {"a": {"b": False}}, None)
    assert (found["of numpy"], found["a flag of numpy"], found["path"]) == (5, True, "/a/b")
    assert found.keys() == ATTRIBUTES.keys()


def hex_to_base64(value: Any, key: str = "") -> Any:
    """protobuf's JSON has bytes as base64 where OTLP's has ids in hexadecimal."""
    if isinstance(value, dict):
        return {name: hex_to_base64(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [hex_to_base64(each) for each in value]
    if key in ("traceId", "spanId", "parentSpanId"):
        return base64.b64encode(bytes.fromhex(value)).decode()
    return value


def parsed(body: bytes, message: Any) -> Any:
    """By protobuf's own reader, which refuses a field that isn't in the schema."""
    return Parse(json.dumps(hex_to_base64(json.loads(body))), message)


def value_of(any_value: AnyValue) -> Any:
    field = any_value.WhichOneof("value")
    if field is None:
        return None
    if field == "array_value":
        return [value_of(one) for one in any_value.array_value.values]
    if field == "kvlist_value":
        return {one.key: value_of(one.value) for one in any_value.kvlist_value.values}
    return getattr(any_value, field)


def attributes_of(pairs: Any) -> dict[str, Any]:
    return {one.key: value_of(one.value) for one in pairs}


def check_attributes(found: dict[str, Any]) -> None:
    assert found.keys() == {*ATTRIBUTES}
    assert found["text"] == "ü"
    assert found["yes"] is True
    assert type(found["count"]) is int
    assert (found["count"], found["largest"], found["too large"]) == (7, 2**63 - 1, str(2**80))
    assert found["ratio"] == 0.1
    assert found["nothing is a number"] != found["nothing is a number"]
    assert found["endless"] == float("-inf")
    assert found["raw"] == b"\x00\xff"
    assert found["list"] == [1, "two", [3.5, None]]
    assert found["map"] == {"a": {"b": False}}
    assert found["none"] is None
    assert (found["colour"], found["path"], found["id"]) == ("red", "/a/b", str(uuid.UUID(int=1)))
    assert (found["of numpy"], found["a flag of numpy"]) == (5, True)


@both_kinds
def test_otlp_traces_are_what_the_schema_says(kind: str) -> None:
    with Recorder(lambda _: (200, {}, b"{}")) as receiver:
        result = call(kind, receiver.url, "send_traces", [span(), span(service_name="api")], protocol="otlp")
        (request,) = receiver.requests
    assert result == TelemetryResult(traces_accepted=2, namespace="team-a")
    assert (request.path, request.headers["content-type"]) == ("/v1/traces", "application/json")
    assert request.headers["authorization"] == "Bearer key"
    message = parsed(request.body, ExportTraceServiceRequest())
    assert [attributes_of(one.resource.attributes)["service.name"] for one in message.resource_spans] == ["etl", "api"]
    resource = attributes_of(message.resource_spans[0].resource.attributes)
    assert (resource["service.namespace"], resource["host.name"]) == ("team-a", "h1")
    (found,) = message.resource_spans[0].scope_spans[0].spans
    assert (found.trace_id.hex(), found.span_id.hex(), found.parent_span_id.hex()) == (TRACE, SPAN, PARENT)
    assert (found.start_time_unix_nano, found.end_time_unix_nano) == (START, END)
    assert (found.name, found.kind, found.trace_state) == ("load", SpanMessage.SPAN_KIND_CLIENT, "vendor=1")
    assert (found.status.code, found.status.message) == (StatusMessage.STATUS_CODE_ERROR, "no room")
    check_attributes(attributes_of(found.attributes))
    (told,) = found.events
    assert (told.name, told.time_unix_nano, attributes_of(told.attributes)) == ("retry", START + 1, {"try": 2})


def test_otlp_writes_ids_in_hexadecimal_and_long_integers_as_text() -> None:
    with Recorder(lambda _: (200, {}, b"")) as receiver:
        call("plain", receiver.url, "send_span", span(parent_span_id=""), protocol="otlp")
        sent = json.loads(receiver.requests[0].body)["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    assert (sent["traceId"], sent["spanId"], sent["startTimeUnixNano"]) == (TRACE, SPAN, str(START))
    assert "parentSpanId" not in sent
    assert {"key": "count", "value": {"intValue": "7"}} in sent["attributes"]


@both_kinds
def test_otlp_metrics_are_what_the_schema_says(kind: str) -> None:
    made = [metric(), metric(name="share", value=0.5), metric(kind="counter", start_ns=START, value=2**62 + 1)]
    made += [metric(kind="updown", value=-3), metric(value=float("inf"))]
    with Recorder(lambda _: (200, {}, b'{"partialSuccess": {}}')) as receiver:
        result = call(kind, receiver.url, "send_metrics", made, protocol="otlp")
        (request,) = receiver.requests
    assert result == TelemetryResult(metrics_accepted=5, namespace="team-a")
    assert request.path == "/v1/metrics"
    (resource,) = parsed(request.body, ExportMetricsServiceRequest()).resource_metrics
    rows, share, counter, updown, endless = resource.scope_metrics[0].metrics
    (point,) = rows.gauge.data_points
    assert (rows.name, rows.unit, point.as_int, point.time_unix_nano) == ("rows", "1", 5, END)
    check_attributes(attributes_of(point.attributes))
    assert share.gauge.data_points[0].as_double == 0.5
    (point,) = counter.sum.data_points
    assert (point.as_int, point.start_time_unix_nano, point.time_unix_nano) == (2**62 + 1, START, END)
    assert counter.sum.is_monotonic
    assert counter.sum.aggregation_temporality == AGGREGATION_TEMPORALITY_DELTA
    assert (updown.sum.data_points[0].as_int, updown.sum.is_monotonic) == (-3, False)
    assert endless.gauge.data_points[0].as_double == float("inf")


@both_kinds
def test_otlp_takes_mappings_in_the_names_of_fields_columns_and_schema(kind: str) -> None:
    mappings = [
        {"name": "a", "start_ns": START, "end_ns": END, "attributes": {"n": 1}},
        {"operation_name": "b", "traceId": TRACE, "startTimeUnixNano": str(START), "endTimeUnixNano": END, "tags": {}},
    ]
    with Recorder(lambda _: (200, {}, b"{}")) as receiver:
        call(kind, receiver.url, "send_traces", mappings, protocol="otlp")
        found = parsed(receiver.requests[0].body, ExportTraceServiceRequest()).resource_spans[0].scope_spans[0].spans
    assert [(one.name, one.start_time_unix_nano, one.end_time_unix_nano) for one in found] == [
        ("a", START, END),
        ("b", START, END),
    ]
    assert found[1].trace_id.hex() == TRACE
    assert len(found[0].trace_id) == 16


@both_kinds
@pytest.mark.parametrize(
    ("given", "about"),
    [
        ({"name": "a", "start_ns": 1, "end_ns": 2, "duration": 3}, "duration"),
        ({"name": "a"}, "start_ns"),
        ({"name": "a", "start_ns": 0.5, "end_ns": 1}, "start_ns"),
        (Span(name="", start_ns=1, end_ns=2), "name"),
        (Span(name="a", start_ns=2, end_ns=1), "end_ns"),
        (Span(name="a", start_ns=1, end_ns=2, trace_id="0" * 32), "trace_id"),
        (Span(name="a", start_ns=1, end_ns=2, span_id="XYZ"), "span_id"),
        (7, "int"),
    ],
)
def test_a_span_that_is_none_is_an_error_before_anything_is_sent(kind: str, given: Any, about: str) -> None:
    with Recorder(lambda _: (200, {}, b"{}")) as receiver:
        with pytest.raises(InvalidRequest, match=about) as told:
            call(kind, receiver.url, "send_traces", [span(), given], protocol="otlp")
        assert receiver.requests == []
    assert told.value.action


@both_kinds
def test_spans_that_a_receiver_refuses_do_not_count_as_accepted(kind: str) -> None:
    answer = b'{"partialSuccess": {"rejectedSpans": "2", "errorMessage": "too old"}}'
    with Recorder(lambda _: (200, {}, answer)) as receiver:
        result = call(kind, receiver.url, "send_traces", [span()] * 3, protocol="otlp")
    assert (result.traces_accepted, result.traces_rejected, result.errors) == (1, 2, ("too old",))
    hubs = {"traces_accepted": 1, "traces_rejected": 2, "errors": ["span 1: no"], "namespace": "team-a"}
    with Recorder(lambda _: (200, {}, json.dumps(hubs).encode())) as hub:
        result = call(kind, hub.url, "send_traces", [span()] * 3)
    assert (result.accepted, result.rejected, result.errors) == (1, 2, ("span 1: no",))


@both_kinds
@pytest.mark.parametrize("protocol", ["hub", "otlp"])
@pytest.mark.parametrize("body", [b"<html>", b'{"traces_accepted": 9, "partialSuccess": {"rejectedSpans": 9}}'])
def test_a_success_that_is_no_receivers_is_no_success(kind: str, protocol: str, body: bytes) -> None:
    with Recorder(lambda _: (200, {}, body)) as receiver, pytest.raises(InvalidSetting):
        call(kind, receiver.url, "send_span", span(), protocol=protocol)


@both_kinds
@pytest.mark.parametrize("protocol", ["hub", "otlp"])
def test_a_receiver_that_is_busy_is_asked_again(kind: str, protocol: str) -> None:
    with Recorder() as receiver:
        good = taken if protocol == "hub" else lambda _: (200, {}, b"{}")
        receiver.reply = lambda request: (503, {}, b"") if len(receiver.requests) < 1 else good(request)
        assert call(kind, receiver.url, "send_span", span(), protocol=protocol).accepted == 1
        receiver.reply = lambda _: (429, {}, b"")
        with pytest.raises(Overloaded):
            call(kind, receiver.url, "send_span", span(), protocol=protocol, retry_attempts=2)


@both_kinds
@pytest.mark.parametrize("protocol", ["hub", "otlp"])
def test_telemetry_that_is_switched_off_is_not_sent(kind: str, protocol: str) -> None:
    with Recorder(taken) as hub:
        result = call(kind, hub.url, "send_span", span(), protocol=protocol, enable_telemetry=False)
        assert (result.accepted, result.rejected, hub.requests) == (0, 0, [])


def test_an_unknown_protocol_names_those_that_are_known() -> None:
    with pytest.raises(InvalidSetting) as told:
        TelemetryClient("http://127.0.0.1:9", protocol="grpc")
    assert "otlp" in str(told.value.action)
