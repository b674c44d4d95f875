"""A trace's id enters; its spans leave as a tree with self times and the critical path."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lineage_hub.errors import InvalidRequest, NotFound
from lineage_hub.lineage.critical_path import critical_path, time_on_path
from lineage_hub.lineage.traces import SpanTree, self_times, span_tree
from lineage_hub.model import Scope
from lineage_hub.model.span import Span
from lineage_hub.query.telemetry.asking import STRETCH_OF_TRACES, Answer, Telemetry, Where
from lineage_hub.query.telemetry.values import SPAN_COLUMNS, span_of
from lineage_hub.wire import instant_text

# More than a person can look at; what is beyond is counted.
MOST_SPANS = 10_000
_HEX = re.compile(r"[0-9a-f]+")


@dataclass(frozen=True, slots=True)
class Trace:
    trace_id: str
    tree: SpanTree
    hidden: int
    """How many spans are beyond the most that are read."""
    errors: int
    """Of all its spans."""

    @property
    def started_at(self) -> int:
        return min(one.started_at for one in self.tree.spans)

    @property
    def ended_at(self) -> int:
        return max(one.ended_at for one in self.tree.spans)


def as_stored(text: str, digits: int) -> str:
    """The id of a trace or span; also from a UUID. Nothing for what can't be one, and for zeros, which say so."""
    found = text.strip().lower().replace("-", "")
    return found if len(found) == digits and _HEX.fullmatch(found) and found.strip("0") else ""


def trace_id_of(text: str) -> str:
    return _asked_id(text, 32, "trace")


def span_id_of(text: str) -> str:
    return _asked_id(text, 16, "span")


def _asked_id(text: str, digits: int, what: str) -> str:
    found = as_stored(text, digits)
    if not found:
        raise InvalidRequest(
            f"{text[:80]!r} is not the id of a {what}",
            subject=text[:80],
            action=f"write its {digits} hexadecimal digits",
        )
    return found


def find_trace(store: Telemetry, scope: Scope, trace_id: str, most: int = MOST_SPANS) -> Trace | None:
    """None if no span of it is there."""
    where = Where(scope).of_traces([trace_id])
    rows = store.ask(
        f"{STRETCH_OF_TRACES} SELECT {SPAN_COLUMNS} FROM traces WHERE {where}"
        " ORDER BY timestamp, span_id LIMIT {most:UInt32}",
        {**where.parameters, "most": most},
    )
    if not rows:
        return None
    tree = span_tree(map(span_of, rows))
    if len(rows) < most:
        return Trace(trace_id, tree, 0, sum(one.failed for one in tree.spans))
    (counted,) = store.ask(
        f"{STRETCH_OF_TRACES} SELECT count() AS spans, countIf(status_code = 'ERROR') AS errors"
        f" FROM traces WHERE {where}",
        where.parameters,
    )
    return Trace(trace_id, tree, counted["spans"] - most, counted["errors"])


def range_of(store: Telemetry, trace_id: str) -> tuple[int, int] | None:
    """When its first span starts and its last ends."""
    rows = store.ask(
        """
        SELECT toUnixTimestamp64Nano(min(ranges.started_at)) AS first,
            toUnixTimestamp64Nano(max(ranges.ended_at)) AS last
        FROM trace_ranges AS ranges WHERE trace_id = {trace_id:String} HAVING count() > 0
        """,
        {"trace_id": trace_id},
    )
    return (rows[0]["first"], rows[0]["last"]) if rows else None


def trace(store: Telemetry, scope: Scope, text: str) -> Trace:
    trace_id = trace_id_of(text)
    found = find_trace(store, scope, trace_id)
    if found is None:
        raise no_spans(trace_id)
    return found


def no_spans(trace_id: str) -> NotFound:
    return NotFound(
        f"No span of trace '{trace_id}' is here.",
        subject=trace_id,
        action="check the id, and that the program's spans are sent to this hub (OTLP: /v1/traces)",
    )


def trace_answer(found: Trace) -> Answer:
    tree = found.tree
    path = critical_path(tree)
    return {
        "traceId": found.trace_id,
        "startedAt": instant_text(found.started_at),
        "endedAt": instant_text(found.ended_at),
        "durationNs": found.ended_at - found.started_at,
        "services": sorted({one.service for one in tree.spans}),
        "spanCount": len(tree.spans) + found.hidden,
        "errorCount": found.errors,
        "truncated": found.hidden > 0,
        "hiddenSpans": found.hidden,
        "repeatedSpans": tree.repeated,
        "spans": spans_answer(tree, found.started_at, time_on_path(path)),
        "criticalPath": [
            {
                "spanId": tree.spans[one.at].span_id,
                "offsetNs": one.started_at - found.started_at,
                "durationNs": one.duration_ns,
            }
            for one in path
        ],
    }


def spans_answer(tree: SpanTree, zero: int, on_path: dict[int, int]) -> list[Answer]:
    """As they are drawn: a parent before its children. Offsets count from `zero`."""
    own = self_times(tree)
    answers = []
    for at, one in enumerate(tree.spans):
        answer = {
            "spanId": one.span_id,
            "parentSpanId": one.parent_span_id or None,
            "depth": tree.depths[at],
            "offsetNs": one.started_at - zero,
            "selfNs": own[at],
            "criticalNs": on_path.get(at, 0),
            **_told(one, zero),
        }
        marks = {"orphan": at in tree.orphans, "cycle": at in tree.cut, "outsideParent": tree.is_outside(at)}
        answers.append({**answer, **_besides(one), **{name: True for name, holds in marks.items() if holds}})
    return answers


def _besides(one: Span) -> Answer:
    """What few spans have."""
    found: Answer = {}
    if one.trace_state:
        found["traceState"] = one.trace_state
    if any(one.scope):
        found["scope"] = dict(zip(("name", "version"), one.scope, strict=True))
    if any(one.dropped):
        found["dropped"] = dict(zip(("attributes", "events", "links"), one.dropped, strict=True))
    return found


def _told(one: Span, zero: int) -> Answer:
    return {
        "name": one.name,
        "service": one.service,
        "kind": one.kind,
        "startedAt": instant_text(one.started_at),
        "durationNs": one.duration_ns,
        "status": one.status,
        "statusMessage": one.status_message,
        "runId": one.run_id or None,
        "pipelineRunId": one.pipeline_run_id or None,
        "attributes": one.attributes,
        "resourceAttributes": one.resource,
        "events": [
            {"at": instant_text(e.at), "offsetNs": e.at - zero, "name": e.name, "attributes": e.attributes}
            for e in one.events
        ],
        "links": [
            {
                "traceId": e.trace_id,
                "spanId": e.span_id,
                "attributes": e.attributes,
                **({"traceState": e.trace_state} if e.trace_state else {}),
            }
            for e in one.links
        ],
    }
