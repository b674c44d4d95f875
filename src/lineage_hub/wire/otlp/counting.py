"""A body in protobuf enters; its message leaves, if it has no more parts than there is memory for.

Two bytes can be a whole span, which takes a hundred times as much once it is read: a body within its limit of bytes
could take all memory. So the parts of a large one are counted from above, level by level, each unread until then.
"""

from __future__ import annotations

from typing import Any

from lineage_hub.errors import BodyTooLarge, InvalidRequest
from lineage_hub.wire.otlp import schema
from lineage_hub.wire.otlp.columns import Kind
from lineage_hub.wire.otlp.texts import read_message

# A body of so many bytes may have this many parts at most, so it need not be counted.
UNCOUNTED_BYTES = 512 << 10
MOST_PARTS = UNCOUNTED_BYTES // 2
_TRACE, _METRICS, _LOGS = (f".opentelemetry.proto.{name}.v1." for name in ("trace", "metrics", "logs"))
_POINTS = ("NumberDataPoint", "HistogramDataPoint", "ExponentialHistogramDataPoint", "SummaryDataPoint")
_LEVELS: dict[Kind, tuple[frozenset[str], ...]] = {
    "traces": tuple(
        frozenset(_TRACE + name for name in names)
        for names in (("ResourceSpans",), ("ScopeSpans",), ("Span",), ("Span.Event", "Span.Link"))
    ),
    "metrics": tuple(
        frozenset(_METRICS + name for name in names)
        for names in (
            ("ResourceMetrics",),
            ("ScopeMetrics",),
            ("Metric",),
            _POINTS,
            ("Exemplar", "SummaryDataPoint.ValueAtQuantile"),
        )
    ),
    "logs": tuple(frozenset({_LOGS + name}) for name in ("ResourceLogs", "ScopeLogs", "LogRecord")),
}


def parse(kind: Kind, body: bytes) -> Any:
    """The request, whose common parts are bytes."""
    try:
        if len(body) > UNCOUNTED_BYTES:
            _check_parts(kind, body)
        return read_message(schema.lean_class(kind), body)
    except schema.decode_error():
        raise InvalidRequest(
            f"the body is no {schema.request_class(kind).DESCRIPTOR.name} in protobuf",
            subject="body",
            action="send it whole, as the content type says, from an exporter of OTLP",
        ) from None


def _check_parts(kind: Kind, body: bytes) -> None:
    for level in _LEVELS[kind]:
        if _count(read_message(schema.lean_class(kind, level), body)) > MOST_PARTS:
            raise too_many()


def too_many() -> BodyTooLarge:
    return BodyTooLarge(
        f"the body has more than {MOST_PARTS} items, or parts of them",
        subject="body",
        action="send them in several requests",
    )


def _count(message: Any) -> int:
    """What is left unread is bytes; the attributes of items are counted with each item, and cost little until then."""
    found = 0
    for field, value in message.ListFields():
        if field.message_type is not None:
            found += sum(map(_count, value)) if field.is_repeated else _count(value)
        elif field.type == field.TYPE_BYTES and field.is_repeated and not field.name.endswith("attributes"):
            found += len(value)
    return found
