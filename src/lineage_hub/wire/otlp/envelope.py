"""The hub's own envelope enters, {namespace, traces[], metrics[], source?}; the columns of its spans and points leave.

Each item becomes OTLP's message first, so that one set of rules decides what can be kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from lineage_hub.errors import BodyTooLarge, InvalidRequest
from lineage_hub.model.scope import is_tenant_name
from lineage_hub.wire.otlp import schema
from lineage_hub.wire.otlp.columns import Columns, Kind, PointColumns, Refusals, SpanColumns
from lineage_hub.wire.otlp.json_form import Unreadable, decode_leniently, fill
from lineage_hub.wire.otlp.points import read_metrics
from lineage_hub.wire.otlp.rows import Row, attributes_of, metric_of, span_of
from lineage_hub.wire.otlp.spans import read_traces

_ACTION = "send {namespace, traces[], metrics[], source?}"


class _Shape(msgspec.Struct):
    namespace: str
    traces: list[Any] | None = None
    metrics: list[Any] | None = None
    source: str | None = None


_decode = msgspec.json.Decoder(_Shape).decode


@dataclass(slots=True)
class TelemetryEnvelope:
    """By namespace: a span or a metric may name another one than its envelope."""

    namespace: str
    spans: dict[str, SpanColumns] = field(default_factory=dict)
    points: dict[str, PointColumns] = field(default_factory=dict)
    spans_unread: Refusals = field(default_factory=Refusals)
    points_unread: Refusals = field(default_factory=Refusals)

    @property
    def spans_rejected(self) -> int:
        return self.spans_unread.count + sum(one.rejected for one in self.spans.values())

    @property
    def points_rejected(self) -> int:
        return self.points_unread.count + sum(one.rejected for one in self.points.values())

    @property
    def errors(self) -> list[str]:
        """Bounded, as the reasons of each part are."""
        found: list[Columns] = [*self.spans.values(), *self.points.values()]
        reasons = [*self.spans_unread.reasons, *self.points_unread.reasons]
        return reasons + [reason for one in found for reason in one.reasons]


def read_envelope(body: bytes, most: int) -> TelemetryEnvelope:
    """At most so many items."""
    try:
        shape = decode_leniently(_decode, body)
    except RecursionError:
        raise InvalidRequest("the body is nested too deeply", subject="body", action=_ACTION) from None
    except msgspec.ValidationError as error:
        raise InvalidRequest(f"the envelope is not valid: {error}", subject="envelope", action=_ACTION) from None
    except (msgspec.DecodeError, ValueError) as error:
        raise InvalidRequest(f"the body is not JSON: {error}", subject="body", action=_ACTION) from None
    _check_namespace(shape.namespace)
    traces, metrics = shape.traces or [], shape.metrics or []
    if len(traces) + len(metrics) > most:
        raise BodyTooLarge(
            f"{len(traces) + len(metrics)} spans and metrics are more than the {most} that one request may have",
            subject="body",
            action="send them in several requests, or raise ingest_max_events",
        )
    found = TelemetryEnvelope(shape.namespace)
    for namespace, spans in _bodies("traces", traces, shape.namespace, found.spans_unread).items():
        found.spans[namespace] = read_traces(spans)
    for namespace, points in _bodies("metrics", metrics, shape.namespace, found.points_unread).items():
        found.points[namespace] = read_metrics(points)
    return found


def _check_namespace(name: str) -> None:
    if not is_tenant_name(name):
        raise InvalidRequest(
            f"the namespace {name[:60]!r} is not valid",
            subject="namespace",
            action="use 3 to 50 lower-case letters, digits and hyphens, with a letter or digit at both ends",
        )


class _Request:
    """OTLP's request for one namespace, with a group for each resource and scope."""

    def __init__(self, kind: Kind) -> None:
        self.message = schema.request_class(kind)()
        self._kind = kind
        self._groups: dict[bytes, Any] = {}

    def items(self, row: Row) -> Any:
        """Where a row's item belongs."""
        resource = attributes_of(row.get("resource_attributes"))
        named = isinstance(about := row.get("resource_attributes"), dict) and "service.name" in about
        if row.get("service_name") and not named:
            resource = [{"key": "service.name", "value": {"stringValue": row["service_name"]}}, *resource]
        scope = {"name": row.get("scope_name"), "version": row.get("scope_version")}
        key = msgspec.json.encode([resource, scope])
        if key not in self._groups:
            self._groups[key] = self._new_group({"attributes": resource}, scope)
        return self._groups[key]

    def _new_group(self, resource: Row, scope: Row) -> Any:
        traces = self._kind == "traces"
        groups = self.message.resource_spans if traces else self.message.resource_metrics
        group = groups.add()
        try:
            fill(group.resource, resource, Refusals())
            scoped = group.scope_spans.add() if traces else group.scope_metrics.add()
            fill(scoped.scope, scope, Refusals())
        except Unreadable:
            del groups[-1]
            raise
        return scoped.spans if traces else scoped.metrics


_READ: dict[str, tuple[str, Callable[[Any], tuple[Row, Row]]]] = {
    "traces": ("span", span_of),
    "metrics": ("metric", metric_of),
}


def _bodies(kind: Kind, items: list[Any], namespace: str, refusals: Refusals) -> dict[str, bytes]:
    what, read = _READ[kind]
    requests: dict[str, _Request] = {}
    for at, item in enumerate(items):
        try:
            row, content = read(item)
            to = row.get("namespace") or namespace
            if not isinstance(to, str) or not is_tenant_name(to):
                raise Unreadable(f"the namespace {str(to)[:60]!r} is not valid")
            if to not in requests:
                requests[to] = _Request(kind)
            _add(requests[to].items(row), content)
        except (Unreadable, RecursionError) as error:
            refusals.add(f"{what} {at}", str(error))
    return {name: one.message.SerializeToString() for name, one in requests.items()}


def _add(found: Any, content: Row) -> None:
    inner = Refusals()
    try:
        fill(found.add(), content, inner)
    except Unreadable:
        del found[-1]
        raise
    if inner.count:
        # Its one data point was refused.
        del found[-1]
        raise Unreadable(inner.reasons[0])
