"""What was measured enters as spans and metrics; their JSON in the hub's envelope leaves.

Times are nanoseconds since 1970 as integers, exact from end to end. Attributes keep their types.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from numbers import Integral, Real
from typing import Any, Literal

import msgspec

from lineage_hub.errors import InvalidRequest
from lineage_hub.sdk.trace_context import is_id, new_span_id, new_trace_id

Kind = Literal["INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"]
Status = Literal["UNSET", "OK", "ERROR"]
MetricKind = Literal["gauge", "counter", "updown"]
_INT64 = range(-(2**63), 2**63)
_DEEPEST = 20


def default_service() -> str:
    """OpenTelemetry's variable, and its name for who has none."""
    return os.environ.get("OTEL_SERVICE_NAME") or "unknown_service:python"


class SpanEvent(msgspec.Struct, frozen=True):
    """Something that happened inside a span, such as an exception."""

    name: str
    time_ns: int
    attributes: Mapping[str, Any] = {}


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """`Span(name="load", start_ns=…, end_ns=…)`; without ids it is a trace of its own."""

    name: str
    start_ns: int
    end_ns: int
    trace_id: str = msgspec.field(default_factory=new_trace_id)
    span_id: str = msgspec.field(default_factory=new_span_id)
    parent_span_id: str = ""
    trace_state: str = ""
    kind: Kind = "INTERNAL"
    status: Status = "UNSET"
    message: str = ""
    """Why, if the status is ERROR."""
    service_name: str = msgspec.field(default_factory=default_service)
    attributes: Mapping[str, Any] = {}
    resource_attributes: Mapping[str, Any] = {}
    events: Sequence[SpanEvent] = ()
    namespace: str = ""

    def validate(self) -> None:
        _check(bool(self.name), "name", self.name, "name the span")
        _check(is_id(self.trace_id, 32), "trace_id", self.trace_id, "write 32 hexadecimal digits in lower case")
        _check(is_id(self.span_id, 16), "span_id", self.span_id, "write 16 hexadecimal digits in lower case")
        parent = self.parent_span_id
        _check(not parent or is_id(parent, 16), "parent_span_id", parent, "write 16 hexadecimal digits in lower case")
        _check(0 <= self.start_ns <= self.end_ns < 2**63, "end_ns", self.end_ns, "give nanoseconds, start before end")


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """One point of a metric. A counter's value is what was added since `start_ns`."""

    name: str
    value: int | float
    kind: MetricKind = "gauge"
    unit: str = ""
    description: str = ""
    time_ns: int = msgspec.field(default_factory=time.time_ns)
    start_ns: int = 0
    service_name: str = msgspec.field(default_factory=default_service)
    attributes: Mapping[str, Any] = {}
    resource_attributes: Mapping[str, Any] = {}
    namespace: str = ""

    def validate(self) -> None:
        _check(bool(self.name), "name", self.name, "name the metric")
        _check(isinstance(self.value, int | float), "value", self.value, "give a number")
        _check(0 <= self.start_ns <= self.time_ns < 2**63, "time_ns", self.time_ns, "give nanoseconds since 1970")


def _check(holds: bool, field: str, value: object, action: str) -> None:
    if not holds:
        raise InvalidRequest(f"{field}={value!r} is not valid", subject=field, action=action)


def telemetry_text(given: Any) -> bytes:
    """In the columns of the hub's tables. A mapping goes as it is: then the fields are the caller's."""
    if isinstance(given, Span | Metric):
        given.validate()
        return msgspec.json.encode(_row_of_span(given) if isinstance(given, Span) else _row_of_metric(given))
    if isinstance(given, Mapping):
        return msgspec.json.encode(plain(given))
    raise InvalidRequest(
        f"a {type(given).__name__} is neither a span nor a metric",
        subject=type(given).__name__,
        action="send a Span, a Metric or a mapping",
    )


def _row_of_span(span: Span) -> dict[str, Any]:
    from lineage_hub.wire.times import instant_text

    row = {
        "timestamp": instant_text(span.start_ns),
        "trace_id": span.trace_id,
        "span_id": span.span_id,
        "parent_span_id": span.parent_span_id,
        "operation_name": text(span.name),
        "service_name": text(span.service_name),
        "duration_ns": span.end_ns - span.start_ns,
        "status_code": span.status,
        "status_message": text(span.message),
        "span_kind": span.kind,
        "trace_state": span.trace_state,
        "attributes": plain(span.attributes),
        "resource_attributes": plain(span.resource_attributes),
        "events": [
            {"timestamp": instant_text(one.time_ns), "name": text(one.name), "attributes": plain(one.attributes)}
            for one in span.events
        ],
    }
    return {**row, "namespace": span.namespace} if span.namespace else row


def _row_of_metric(metric: Metric) -> dict[str, Any]:
    from lineage_hub.wire.times import instant_text

    row = {
        "timestamp": instant_text(metric.time_ns),
        "metric_name": text(metric.name),
        "metric_type": metric.kind,
        "value": plain(metric.value),
        "unit": text(metric.unit),
        "description": text(metric.description),
        "service_name": text(metric.service_name),
        "attributes": plain(metric.attributes),
        "resource_attributes": plain(metric.resource_attributes),
    }
    if metric.start_ns:
        row["start_timestamp"] = instant_text(metric.start_ns)
    return {**row, "namespace": metric.namespace} if metric.namespace else row


def plain(value: Any) -> Any:
    """What JSON can say of it: a number that isn't one is its name, bytes are base64."""
    value = cleaned(value)
    if isinstance(value, float) and not math.isfinite(value):
        return not_a_number(value)
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value


def not_a_number(value: float) -> str:
    """As protobuf's JSON spells it."""
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def cleaned(value: Any, depth: int = 0) -> Any:
    """One of None, bool, int of 64 bits, float, str, bytes, list and dict; anything else is told by its text."""
    if isinstance(value, Enum):
        value = value.value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return text(value)
    if isinstance(value, Integral):
        return int(value) if int(value) in _INT64 else str(int(value))
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    if depth >= _DEEPEST:
        # A circle has no end.
        return "…"
    if isinstance(value, Mapping):
        return {text(str(key)): cleaned(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [cleaned(each, depth + 1) for each in value]
    if getattr(value, "shape", None) == () and callable(getattr(value, "item", None)):
        # A single number of an array library.
        return cleaned(value.item(), depth + 1)
    return _told(value)


def _told(value: Any) -> str:
    try:
        return text(str(value))
    except Exception:
        return type(value).__name__


def text(value: str) -> str:
    """Half a surrogate pair, as file names may have, is escaped: UTF-8 has no place for it."""
    value = str(value)
    if value.isascii():
        return value
    return value.encode(errors="backslashreplace").decode()


def tags_as_attributes(tags: Mapping[str, Any] | Iterable[str] | None) -> dict[str, Any]:
    if tags is None:
        return {}
    found = tags if isinstance(tags, Mapping) else dict.fromkeys([tags] if isinstance(tags, str) else tags, True)
    content: dict[str, Any] = cleaned(found)
    return content
