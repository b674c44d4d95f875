"""A body of /v1/traces enters; the columns of the table `traces` leave, without the spans that can't be kept."""

from __future__ import annotations

from itertools import chain
from operator import le, sub
from typing import Any

from lineage_hub.model.span import TYPE_OF_PART
from lineage_hub.wire.otlp import attributes, schema
from lineage_hub.wire.otlp.columns import LATEST_NS, Column, Encoding, Refusals, SpanColumns
from lineage_hub.wire.otlp.counting import parse
from lineage_hub.wire.otlp.json_form import protobuf_of
from lineage_hub.wire.otlp.origins import PIPELINE_RUN_ID, RUN_ID, Origins, gather
from lineage_hub.wire.otlp.texts import read_message

NO_TRACE, NO_SPAN = bytes(16), bytes(8)
KINDS = {1: "INTERNAL", 2: "SERVER", 3: "CLIENT", 4: "PRODUCER", 5: "CONSUMER"}
STATUSES = {1: "OK", 2: "ERROR"}


def read_traces(body: bytes, encoding: Encoding = "protobuf") -> SpanColumns:
    refusals = Refusals()
    if encoding == "json":
        body = protobuf_of("traces", body, refusals)
    groups = parse("traces", body).resource_spans
    spans, origins = gather(groups, "scope_spans", "spans", "spans", refusals)
    try:
        columns = _columns(spans, origins)
    except attributes.Doubtful:
        rows = [at for at, span in enumerate(spans) if _is_good(span, refusals)]
        spans, origins = [spans[at] for at in rows], origins.chosen(rows)
        columns = _columns(spans, origins)
    return SpanColumns(columns, len(spans), refusals.count, refusals.reasons)


def _columns(spans: list[Any], origins: Origins) -> dict[str, Column]:
    trace_ids, span_ids = [span.trace_id for span in spans], [span.span_id for span in spans]
    parents = [span.parent_span_id for span in spans]
    starts, ends = [span.start_time_unix_nano for span in spans], [span.end_time_unix_nano for span in spans]
    _doubt_ids(trace_ids, span_ids, parents)
    if max(ends, default=0) > LATEST_NS or not all(map(le, starts, ends)):
        raise attributes.Doubtful
    statuses = [read_status(span.status) for span in spans]
    texts, types = attributes.map_columns([span.attributes for span in spans])
    happened, linked = [span.events for span in spans], [span.links for span in spans]
    of_parts = {
        row: _types_of_parts(events, "events") + _types_of_parts(links, "links")
        for row, (events, links) in enumerate(zip(happened, linked, strict=True))
        if events or links
    }
    return {
        "timestamp": starts,
        "trace_id": [raw.hex() for raw in trace_ids],
        "span_id": [raw.hex() for raw in span_ids],
        "parent_span_id": [_parent(raw) for raw in parents] if NO_SPAN in parents else [raw.hex() for raw in parents],
        "trace_state": [span.trace_state for span in spans],
        "operation_name": [span.name for span in spans],
        "duration_ns": list(map(sub, ends, starts)),
        "status_code": [code for code, _ in statuses],
        "status_message": [message for _, message in statuses],
        "span_kind": [KINDS.get(span.kind, "UNSPECIFIED") for span in spans],
        "flags": [span.flags for span in spans],
        "events": [_events(found) if found else [] for found in happened],
        "links": [_links(found) if found else [] for found in linked],
        "dropped_attributes": [span.dropped_attributes_count for span in spans],
        "dropped_events": [span.dropped_events_count for span in spans],
        "dropped_links": [span.dropped_links_count for span in spans],
        "run_id": attributes.values_of(RUN_ID, texts, origins.run_ids()),
        "pipeline_run_id": attributes.values_of(PIPELINE_RUN_ID, texts, origins.pipeline_run_ids()),
        "attributes": texts,
        "attribute_types": types.with_more(of_parts) if any(of_parts.values()) else types,
        **origins.columns(),
    }


def _doubt_ids(trace_ids: list[bytes], span_ids: list[bytes], parents: list[bytes]) -> None:
    if (
        not {16}.issuperset(map(len, trace_ids))
        or not {8}.issuperset(map(len, span_ids))
        or not {0, 8}.issuperset(map(len, parents))
        or NO_TRACE in trace_ids
        or NO_SPAN in span_ids
    ):
        raise attributes.Doubtful


def _parent(raw: bytes) -> str:
    """Zeros are how some say that there is none."""
    return "" if raw == NO_SPAN else raw.hex()


def _events(events: Any) -> list[tuple[int, str, dict[str, str]]]:
    if any(one.time_unix_nano > LATEST_NS for one in events):
        raise attributes.Doubtful
    return [(one.time_unix_nano, one.name, attributes.as_dict(one.attributes)) for one in events]


def _links(links: Any) -> list[tuple[str, str, str, dict[str, str]]]:
    return [
        (one.trace_id.hex(), one.span_id.hex(), one.trace_state, attributes.as_dict(one.attributes)) for one in links
    ]


def _types_of_parts(parts: Any, what: str) -> list[tuple[str, str]]:
    """They stand among the types of the span's own attributes: columns of their own would cost every span."""
    return [
        (TYPE_OF_PART.format(what, at, name), kind)
        for at, one in enumerate(parts)
        for name, kind in attributes.types_of(one.attributes).items()
    ]


@schema.remembered(1024)
def read_status(raw: bytes) -> tuple[str, str]:
    """Code and message."""
    try:
        status = read_message(schema.module("opentelemetry.proto.trace.v1.trace_pb2").Status, raw)
    except schema.decode_error():
        raise attributes.Doubtful from None
    return STATUSES.get(status.code, "UNSET"), status.message


def _is_good(span: Any, refusals: Refusals) -> bool:
    wrong = _complaint(span)
    if wrong is not None:
        refusals.add(f"span {span.name[:80]!r} ({span.span_id[:16].hex() or 'no id'})", wrong)
    return wrong is None


def _complaint(span: Any) -> str | None:
    start, end = span.start_time_unix_nano, span.end_time_unix_nano
    if len(span.trace_id) != 16 or span.trace_id == NO_TRACE:
        return _wrong_id("trace id", span.trace_id, 16)
    if len(span.span_id) != 8 or span.span_id == NO_SPAN:
        return _wrong_id("span id", span.span_id, 8)
    if len(span.parent_span_id) not in (0, 8):
        return _wrong_id("parent's span id", span.parent_span_id, 8)
    if end < start:
        return f"it ends {start - end} ns before it starts"
    if end > LATEST_NS:
        return "its time is after 2262-04-11, the last that can be kept"
    if not _is_readable_status(span.status):
        return "its status can't be read"
    return attributes.complaint(span.attributes) or _complaint_of_parts(span)


def _wrong_id(what: str, raw: bytes, length: int) -> str:
    return f"its {what} has {len(raw)} bytes, not {length}" if len(raw) != length else f"its {what} is all zeros"


def _complaint_of_parts(span: Any) -> str | None:
    for event in span.events:
        if event.time_unix_nano > LATEST_NS:
            return f"its event {event.name[:80]!r} is after 2262-04-11, the last time that can be kept"
    for part in chain(span.events, span.links):
        wrong = attributes.complaint(part.attributes)
        if wrong is not None:
            return f"an event or a link of it: {wrong}"
    return None


def _is_readable_status(raw: bytes) -> bool:
    try:
        read_status(raw)
    except attributes.Doubtful:
        return False
    return True
