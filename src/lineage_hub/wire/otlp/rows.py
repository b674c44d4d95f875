"""A span or a metric enters as a mapping, with fields as the SDK, OTLP or the tables name them; OTLP's JSON leaves.

Attributes may be a plain mapping or OTLP's list. A field with a name that nobody knows is an error: it would be lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lineage_hub.errors import InvalidRequest
from lineage_hub.wire.otlp.json_form import Unreadable
from lineage_hub.wire.times import instant

Row = dict[str, Any]
_COMMON = frozenset(
    {"name", "service_name", "attributes", "resource_attributes", "namespace", "scope_name", "scope_version", "flags"}
)
_SPAN = _COMMON | {
    "trace_id", "span_id", "parent_span_id", "trace_state", "start_ns", "end_ns", "duration_ns", "kind", "status",
    "message", "events", "links",
}  # fmt: skip
_METRIC = _COMMON | {"kind", "value", "unit", "description", "time_ns", "start_ns", "temporality", "is_monotonic"}
# Names that OTLP and the hub's tables have for the fields of the SDK.
_ALSO = {
    "traceId": "trace_id", "spanId": "span_id", "parentSpanId": "parent_span_id", "traceState": "trace_state",
    "startTimeUnixNano": "start_ns", "endTimeUnixNano": "end_ns", "start_time_unix_nano": "start_ns",
    "end_time_unix_nano": "end_ns", "timeUnixNano": "time_ns", "time_unix_nano": "time_ns",
    "start_timestamp": "start_ns", "operation_name": "name", "operationName": "name", "metric_name": "name",
    "metricName": "name", "serviceName": "service_name", "span_kind": "kind", "spanKind": "kind",
    "metric_type": "kind", "metricType": "kind", "type": "kind", "status_code": "status", "statusCode": "status",
    "tags": "attributes", "resourceAttributes": "resource_attributes", "status_message": "message",
    "durationNs": "duration_ns", "aggregationTemporality": "temporality", "isMonotonic": "is_monotonic",
}  # fmt: skip
_INT64 = range(-(2**63), 2**63)
_DEEPEST = 20


def span_of(given: Any) -> tuple[Row, Row]:
    """The fields by the SDK's names, and OTLP's span."""
    row = _fields(given, _SPAN, {**_ALSO, "timestamp": "start_ns"})
    start = _time(row, "start_ns")
    end = start + _whole(row["duration_ns"], "duration_ns") if row.get("duration_ns") is not None else None
    if row.get("end_ns") is not None:
        end = _time(row, "end_ns")
    if end is None:
        raise Unreadable("it has neither duration_ns nor end_ns")
    return row, {
        "traceId": row.get("trace_id"), "spanId": row.get("span_id"), "parentSpanId": row.get("parent_span_id"),
        "traceState": row.get("trace_state"), "name": _named(row), "flags": row.get("flags"),
        "kind": _spelled(row.get("kind"), "SPAN_KIND_"), "startTimeUnixNano": start, "endTimeUnixNano": end,
        "status": _status(row.get("status"), row.get("message")), "attributes": attributes_of(row.get("attributes")),
        "events": [_event(one) for one in _listed(row, "events")],
        "links": [_link(one) for one in _listed(row, "links")],
    }  # fmt: skip


def metric_of(given: Any) -> tuple[Row, Row]:
    """The fields by the SDK's names, and OTLP's metric with its one point."""
    row = _fields(given, _METRIC, {**_ALSO, "timestamp": "time_ns"})
    time, value, kind = _time(row, "time_ns"), row.get("value"), row.get("kind") or "gauge"
    start = _time(row, "start_ns") if row.get("start_ns") else 0
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise Unreadable(f"value: {value!r} is no number")
    number: Row = {"asInt": value} if isinstance(value, int) and value in _INT64 else {"asDouble": value}
    point = {
        "attributes": attributes_of(row.get("attributes")), "timeUnixNano": time, "flags": row.get("flags"), **number,
    }  # fmt: skip
    metric: Row = {"name": _named(row), "unit": row.get("unit"), "description": row.get("description")}
    if kind == "gauge":
        return row, {**metric, "gauge": {"dataPoints": [{**point, "startTimeUnixNano": start}]}}
    if kind not in ("counter", "updown", "sum"):
        raise Unreadable(f"kind: {str(kind)[:40]!r} is none of gauge, counter, updown and sum; OTLP has more")
    return row, {
        **metric,
        "sum": {
            "dataPoints": [{**point, "startTimeUnixNano": start or time}],
            "aggregationTemporality": _spelled(row.get("temporality") or "DELTA", "AGGREGATION_TEMPORALITY_"),
            "isMonotonic": row.get("is_monotonic", kind == "counter"),
        },
    }


def _fields(given: Any, known: frozenset[str], also: Mapping[str, str]) -> Row:
    if not isinstance(given, dict):
        raise Unreadable(f"{type(given).__name__} in the place of an object")
    found: Row = {}
    for name, value in given.items():
        field = also.get(name, name)
        if field not in known:
            raise Unreadable(f"{name[:40]!r} is no field of it")
        if field in found:
            raise Unreadable(f"{field} is given twice, once as {name}")
        found[field] = value
    return found


def _named(row: Row) -> str:
    name = row.get("name")
    if not isinstance(name, str) or not name:
        raise Unreadable("it has no name")
    return name


def _time(row: Row, field: str) -> int:
    """Nanoseconds since 1970, or a time as text."""
    value = row.get(field)
    if isinstance(value, str) and not value.isdigit():
        try:
            value = instant(value, field)
        except InvalidRequest as error:
            raise Unreadable(error.message) from None
    found = _whole(value, field)
    if found < 0:
        raise Unreadable(f"{field}: it is before 1970")
    return found


def _whole(value: Any, field: str) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 40:
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise Unreadable(f"{field}: {str(value)[:40]!r} is no whole number of nanoseconds")
    return int(value)


def _spelled(value: Any, prefix: str) -> Any:
    """Tables have names without what OTLP puts before them."""
    if not isinstance(value, str) or value.isdigit() or value.startswith(prefix):
        return value
    return prefix + value.upper()


def _status(status: Any, message: Any) -> Row:
    if isinstance(status, dict):
        return status
    return {"code": _spelled(status, "STATUS_CODE_"), "message": message}


def _listed(row: Row, field: str) -> list[Any]:
    found = row.get(field)
    if found is None:
        return []
    if not isinstance(found, list):
        raise Unreadable(f"{field}: {type(found).__name__} in the place of a list")
    return found


def _event(given: Any) -> Row:
    known = frozenset({"time_ns", "name", "attributes"})
    event = _fields(given, known, {**_ALSO, "timestamp": "time_ns"})
    attributes = attributes_of(event.get("attributes"))
    return {"timeUnixNano": _time(event, "time_ns"), "name": event.get("name"), "attributes": attributes}


def _link(given: Any) -> Row:
    link = _fields(given, frozenset({"trace_id", "span_id", "trace_state", "attributes", "flags"}), _ALSO)
    return {**link, "attributes": attributes_of(link.get("attributes"))}


def attributes_of(given: Any) -> list[Any]:
    if given is None:
        return []
    if isinstance(given, list):
        return given
    if not isinstance(given, dict):
        raise Unreadable(f"attributes: {type(given).__name__} in the place of an object")
    return [{"key": key, "value": _any(value)} for key, value in given.items()]


def _any(value: Any, depth: int = 0) -> Row:
    if depth > _DEEPEST:
        raise Unreadable("attributes: nested too deeply")
    if value is None:
        return {}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": value} if value in _INT64 else {"stringValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_any(one, depth + 1) for one in value]}}
    return {"kvlistValue": {"values": [{"key": key, "value": _any(one, depth + 1)} for key, one in value.items()]}}
