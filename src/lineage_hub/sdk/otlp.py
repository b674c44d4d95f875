"""Spans and metrics enter; bodies of OTLP/HTTP in JSON leave, and how many of them a receiver refused.

https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding: ids are hexadecimal, 64-bit integers are texts,
enums are numbers, bytes are base64.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from lineage_hub import __version__
from lineage_hub.errors import InvalidRequest
from lineage_hub.sdk.spans import Metric, Span, cleaned, not_a_number, text

TRACES, METRICS = "/v1/traces", "/v1/metrics"
_KINDS = {"INTERNAL": 1, "SERVER": 2, "CLIENT": 3, "PRODUCER": 4, "CONSUMER": 5}
_STATUSES = {"UNSET": 0, "OK": 1, "ERROR": 2}
_DELTA = 1
_SAMPLED = 1
_SCOPE = {"name": "lineage_hub.sdk", "version": __version__}
T = TypeVar("T", Span, Metric)
# Names that OTLP and the hub's tables have for fields of ours.
_ALSO = {
    "traceId": "trace_id", "spanId": "span_id", "parentSpanId": "parent_span_id", "traceState": "trace_state",
    "startTimeUnixNano": "start_ns", "endTimeUnixNano": "end_ns", "timeUnixNano": "time_ns",
    "operation_name": "name", "operationName": "name", "metric_name": "name", "serviceName": "service_name",
    "span_kind": "kind", "metric_type": "kind", "type": "kind", "status_code": "status", "tags": "attributes",
    "status_message": "message",
}  # fmt: skip


def traces_body(spans: Sequence[Any], namespace: str) -> bytes:
    groups = _by_resource([_read(one, Span) for one in spans], namespace, _span)
    return msgspec.json.encode(
        {"resourceSpans": [{"resource": r, "scopeSpans": [{"scope": _SCOPE, "spans": found}]} for r, found in groups]}
    )


def metrics_body(metrics: Sequence[Any], namespace: str) -> bytes:
    groups = _by_resource([_read(one, Metric) for one in metrics], namespace, _metric)
    return msgspec.json.encode(
        {"resourceMetrics": [{"resource": r, "scopeMetrics": [{"scope": _SCOPE, "metrics": m}]} for r, m in groups]}
    )


def _read(given: Any, wanted: type[T]) -> T:
    """A value of ours, or a mapping with its fields."""
    found = given if isinstance(given, wanted) else _from_mapping(given, wanted)
    found.validate()
    return found


def _from_mapping(given: Any, wanted: type[T]) -> T:
    if not isinstance(given, Mapping):
        raise InvalidRequest(
            f"a {type(given).__name__} is no {wanted.__name__.lower()}",
            subject=type(given).__name__,
            action=f"send a {wanted.__name__} or a mapping with its fields",
        )
    fields = {_ALSO.get(str(key), str(key)): value for key, value in given.items()}
    unknown = sorted(fields.keys() - set(wanted.__struct_fields__))
    if unknown:
        raise InvalidRequest(
            f"a {wanted.__name__.lower()} has no field {unknown[0]!r}",
            subject=unknown[0],
            action=f"use {', '.join(wanted.__struct_fields__)}",
        )
    try:
        return msgspec.convert(fields, wanted, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidRequest(
            f"a {wanted.__name__.lower()} can't be read: {error}", subject=wanted.__name__, action="correct it"
        ) from None


def _by_resource(
    items: Iterable[T], namespace: str, write: Callable[[T], dict[str, Any]]
) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """In one group what one service made: its name stands once."""
    groups: dict[bytes, tuple[dict[str, Any], list[dict[str, Any]]]] = {}
    for item in items:
        own = {
            "service.name": item.service_name,
            "service.namespace": item.namespace or namespace,
            **item.resource_attributes,
        }
        resource = {"attributes": _attributes(own)}
        groups.setdefault(msgspec.json.encode(resource), (resource, []))[1].append(write(item))
    return list(groups.values())


def _span(span: Span) -> dict[str, Any]:
    content: dict[str, Any] = {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        "name": text(span.name),
        "kind": _KINDS[span.kind],
        "startTimeUnixNano": str(span.start_ns),
        "endTimeUnixNano": str(span.end_ns),
        "attributes": _attributes(span.attributes),
        "events": [
            {"timeUnixNano": str(one.time_ns), "name": text(one.name), "attributes": _attributes(one.attributes)}
            for one in span.events
        ],
        "status": {"code": _STATUSES[span.status]} | ({"message": text(span.message)} if span.message else {}),
        "flags": _SAMPLED,
    }
    if span.parent_span_id:
        content["parentSpanId"] = span.parent_span_id
    if span.trace_state:
        content["traceState"] = span.trace_state
    return content


def _metric(metric: Metric) -> dict[str, Any]:
    point: dict[str, Any] = {
        "attributes": _attributes(metric.attributes), "timeUnixNano": str(metric.time_ns), **_number(metric.value),
    }  # fmt: skip
    content: dict[str, Any] = {
        "name": text(metric.name), "unit": text(metric.unit), "description": text(metric.description),
    }  # fmt: skip
    if metric.kind == "gauge":
        content["gauge"] = {"dataPoints": [point]}
        return content
    point["startTimeUnixNano"] = str(metric.start_ns or metric.time_ns)
    content["sum"] = {
        "dataPoints": [point], "aggregationTemporality": _DELTA, "isMonotonic": metric.kind == "counter",
    }  # fmt: skip
    return content


def _number(value: float) -> dict[str, Any]:
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return {"asInt": str(int(value))}
    return {"asDouble": _double(float(value))}


def _double(value: float) -> float | str:
    return value if math.isfinite(value) else not_a_number(value)


def _attributes(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _any(value)} for key, value in cleaned(given).items()]


def _any(value: Any) -> dict[str, Any]:
    """Of a cleaned value."""
    if value is None:
        return {}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": _double(value)}
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, bytes):
        return {"bytesValue": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": key, "value": _any(each)} for key, each in value.items()]}}
    return {"arrayValue": {"values": [_any(each) for each in value]}}


class _PartialSuccess(msgspec.Struct, rename="camel"):
    rejected_spans: int = 0
    rejected_data_points: int = 0
    error_message: str = ""


class _Response(msgspec.Struct, rename="camel"):
    partial_success: _PartialSuccess | None = None


def read_response(body: bytes) -> tuple[int, str]:
    """How many were refused, and why; raises msgspec.DecodeError for what is no answer of OTLP."""
    # Counts are texts, as every 64-bit integer, though some receivers write numbers.
    found = msgspec.json.decode(body, type=_Response, strict=False) if body.strip() else _Response()
    partial = found.partial_success or _PartialSuccess()
    return partial.rejected_spans + partial.rejected_data_points, partial.error_message
