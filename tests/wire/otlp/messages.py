"""OTLP's messages by hand: what a test doesn't say about a span, a point or a record is usual."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric, NumberDataPoint
from opentelemetry.proto.trace.v1.trace_pb2 import Span

T0 = 1_793_520_000_123_456_789
TRACE_ID, SPAN_ID = bytes(range(16)), bytes(range(8))


def any_value(value: Any) -> AnyValue:
    match value:
        case None:
            return AnyValue()
        case bool():
            return AnyValue(bool_value=value)
        case int():
            return AnyValue(int_value=value)
        case float():
            return AnyValue(double_value=value)
        case str():
            return AnyValue(string_value=value)
        case bytes():
            return AnyValue(bytes_value=value)
        case dict():
            return AnyValue(kvlist_value=KeyValueList(values=key_values(value)))
    return AnyValue(array_value=ArrayValue(values=[any_value(one) for one in value]))


def key_values(given: dict[str, Any]) -> list[KeyValue]:
    return [KeyValue(key=key, value=any_value(value)) for key, value in given.items()]


def span(attributes: dict[str, Any] | list[KeyValue] | None = None, **changes: Any) -> Span:
    found = attributes if isinstance(attributes, list) else key_values(attributes or {})
    usual: dict[str, Any] = {
        "trace_id": TRACE_ID, "span_id": SPAN_ID, "name": "load", "kind": Span.SPAN_KIND_INTERNAL,
        "start_time_unix_nano": T0, "end_time_unix_nano": T0 + 5, "attributes": found,
    }  # fmt: skip
    return Span(**{**usual, **changes})


def traces(*spans: Span, resource: dict[str, Any] | None = None) -> ExportTraceServiceRequest:
    request = ExportTraceServiceRequest()
    group = request.resource_spans.add()
    group.resource.attributes.extend(key_values({"service.name": "shop"} if resource is None else resource))
    scoped = group.scope_spans.add()
    scoped.scope.name, scoped.scope.version = "tests", "1.2"
    scoped.spans.extend(spans)
    return request


def gauge(*points: NumberDataPoint, name: str = "queue.size") -> Metric:
    return Metric(name=name, unit="1", description="waiting", gauge={"data_points": points})


def metrics(*given: Metric, resource: dict[str, Any] | None = None) -> ExportMetricsServiceRequest:
    request = ExportMetricsServiceRequest()
    group = request.resource_metrics.add()
    group.resource.attributes.extend(key_values({"service.name": "shop"} if resource is None else resource))
    scoped = group.scope_metrics.add()
    scoped.scope.name = "tests"
    scoped.metrics.extend(given)
    return request


def logs(*records: LogRecord, resource: dict[str, Any] | None = None) -> ExportLogsServiceRequest:
    request = ExportLogsServiceRequest()
    group = request.resource_logs.add()
    group.resource.attributes.extend(key_values({"service.name": "shop"} if resource is None else resource))
    scoped = group.scope_logs.add()
    scoped.scope.name = "tests"
    scoped.log_records.extend(records)
    return request


def rows_of(columns: dict[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Columns as rows, which tests can read."""
    whole = {name: list(column) for name, column in columns.items()}
    return [dict(zip(whole, row, strict=True)) for row in zip(*whole.values(), strict=True)]
