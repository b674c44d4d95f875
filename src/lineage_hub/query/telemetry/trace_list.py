"""Conditions enter; a page of traces that have a span which meets all of them leaves, the latest first.

Without conditions the table of ranges tells what began when, and only hours in part are looked up among the spans.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from lineage_hub.lineage.shapes import run_id, run_key
from lineage_hub.model import Scope
from lineage_hub.query.telemetry.asking import (
    STRETCH_OF_TRACES,
    Answer,
    Telemetry,
    Where,
    has_attribute,
    started_between,
    total_of,
)
from lineage_hub.query.telemetry.rollups import HOUR_NS, around, whole
from lineage_hub.wire import instant_text

# As the index `of_resource` has it.
_OF_RESOURCE = (
    "arrayMap((name, value) -> cityHash64(name, value), mapKeys(resource_attributes), mapValues(resource_attributes))"
)


@dataclass(frozen=True, slots=True)
class TraceQuestion:
    since: int
    until: int
    service: str | None = None
    operation: str | None = None
    least_ns: int = 0
    errors_only: bool = False
    attributes: tuple[tuple[str, str], ...] = ()
    limit: int = 25
    offset: int = 0

    @property
    def is_plain(self) -> bool:
        """Whether time is the only condition."""
        named = self.service is not None or self.operation is not None
        return not (named or self.least_ns or self.errors_only or self.attributes)


def traces(store: Telemetry, scope: Scope, asked: TraceQuestion) -> Answer:
    source, parameters = _ranges_of(scope, asked) if asked.is_plain else _spans_of(store, scope, asked)
    # The id decides between traces that begin at one moment, so that pages never overlap.
    rows = store.ask(
        f"""
        SELECT trace_id, min(first) AS began, count() OVER () AS found FROM {source} GROUP BY trace_id
        ORDER BY began DESC, trace_id LIMIT {{limit:UInt32}} OFFSET {{offset:UInt32}}
        """,
        {**parameters, "limit": asked.limit, "offset": asked.offset},
    )
    known = summaries(store, scope, [row["trace_id"] for row in rows])
    return {
        "from": instant_text(asked.since),
        "to": instant_text(asked.until),
        "totalCount": total_of(store, rows, source, "trace_id", parameters),
        "traces": [known[row["trace_id"]] for row in rows if row["trace_id"] in known],
    }


def _ranges_of(scope: Scope, asked: TraceQuestion) -> tuple[str, dict[str, object]]:
    stretch = (asked.since, asked.until)
    hours = whole(stretch, HOUR_NS)
    parts: list[str] = []
    parameters: dict[str, object] = {}
    if hours is not None:
        where = Where(scope).add(
            "hour >= {first_hour:UInt32} AND hour < {last_hour:UInt32}",
            first_hour=hours[0] // HOUR_NS,
            last_hour=hours[1] // HOUR_NS,
        )
        parts.append(f"SELECT trace_id, started_at AS first FROM trace_ranges WHERE {where}")
        parameters |= where.parameters
    for number, (start, end) in enumerate(around(stretch, hours)):
        where = Where(scope).add(
            started_between(f"start_{number}", f"end_{number}"),
            **{f"start_{number}": start, f"end_{number}": end},
        )
        parts.append(f"SELECT trace_id, timestamp AS first FROM traces WHERE {where}")
        parameters |= where.parameters
    nothing = "SELECT trace_id, timestamp AS first FROM traces WHERE 0"
    return f"({' UNION ALL '.join(parts or [nothing])})", parameters


def _spans_of(store: Telemetry, scope: Scope, asked: TraceQuestion) -> tuple[str, dict[str, object]]:
    where = Where(scope).starts_within(asked.since, asked.until)
    if asked.service is not None:
        where.add("service_name = {service:String}", service=asked.service)
    if asked.operation is not None:
        where.add("operation_name = {operation:String}", operation=asked.operation)
    if asked.least_ns:
        where.add("duration_ns >= {least:UInt64}", least=asked.least_ns)
    if asked.errors_only:
        where.add("status_code = 'ERROR'")
    where.with_attributes(asked.attributes, lambda number: _is_in_resources(store, where, number, asked))
    return f"(SELECT trace_id, timestamp AS first FROM traces WHERE {where})", where.parameters


def _is_in_resources(store: Telemetry, where: Where, number: int, asked: TraceQuestion) -> bool:
    """Whether any span that meets the conditions so far has this attribute of its resource."""
    held = has_attribute("resource_attributes", number, asked.attributes[number][1])
    hint = f"indexHint(has({_OF_RESOURCE}, cityHash64({{name_{number}:String}}, {{value_{number}:String}})))"
    return bool(store.ask(f"SELECT 1 FROM traces WHERE {where} AND {held} AND {hint} LIMIT 1", where.parameters))


def summaries(store: Telemetry, scope: Scope, trace_ids: Collection[str]) -> dict[str, Answer]:
    """Of whole traces, with the ids of runs that their spans name; one whose spans are gone is left out."""
    if not trace_ids:
        return {}
    where = Where(scope).of_traces(trace_ids)
    rows = store.ask(
        f"""
        {STRETCH_OF_TRACES}
        SELECT trace_id,
            toUnixTimestamp64Nano(min(timestamp)) AS started_at,
            max(toUnixTimestamp64Nano(timestamp) + duration_ns) AS ended_at,
            uniqExact(span_id) AS spans,
            uniqExactIf(span_id, status_code = 'ERROR') AS errors,
            arraySort(groupUniqArray(service_name)) AS services,
            argMin((operation_name, service_name, status_code), (parent_span_id != '', timestamp, span_id)) AS root,
            minMap([run_id, pipeline_run_id], [timestamp, timestamp]) AS runs
        FROM traces WHERE {where} GROUP BY trace_id
        """,
        where.parameters,
    )
    return {
        row["trace_id"]: {
            "traceId": row["trace_id"],
            "name": row["root"][0],
            "service": row["root"][1],
            "status": row["root"][2],
            "startedAt": instant_text(row["started_at"]),
            "durationNs": row["ended_at"] - row["started_at"],
            "spanCount": row["spans"],
            "errorCount": row["errors"],
            "services": row["services"],
            "runs": _in_order(*row["runs"]),
        }
        for row in rows
    }


def _in_order(runs: list[str], firsts: list[object]) -> list[str]:
    """Each once, the one whose first span started first at the head; a span that names none says so with no text."""
    named = sorted((first, run) for run, first in zip(runs, firsts, strict=True) if run)
    return list(dict.fromkeys(run_id(run_key(run)) for _, run in named))
