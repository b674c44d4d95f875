"""Conditions enter; a page of traces that have a span which meets all of them leaves, the latest first."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from lineage_hub.model import Scope
from lineage_hub.query.telemetry.asking import Answer, Telemetry, Where
from lineage_hub.query.telemetry.traces import ranges
from lineage_hub.wire import instant_text


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


def traces(store: Telemetry, scope: Scope, asked: TraceQuestion) -> Answer:
    where = Where(scope).starts_within(asked.since, asked.until)
    if asked.service is not None:
        where.add("service_name = {service:String}", service=asked.service)
    if asked.operation is not None:
        where.add("operation_name = {operation:String}", operation=asked.operation)
    if asked.least_ns:
        where.add("duration_ns >= {least:UInt64}", least=asked.least_ns)
    if asked.errors_only:
        where.add("status_code = 'ERROR'")
    where.with_attributes(asked.attributes)
    # The id decides between traces that begin at one moment, so that pages never overlap.
    rows = store.ask(
        f"""
        SELECT trace_id, max(timestamp) AS latest FROM traces WHERE {where} GROUP BY trace_id
        ORDER BY latest DESC, trace_id LIMIT {{limit:UInt32}} OFFSET {{offset:UInt32}}
        """,
        {**where.parameters, "limit": asked.limit, "offset": asked.offset},
    )
    counted = store.ask(f"SELECT uniqExact(trace_id) AS total FROM traces WHERE {where}", where.parameters)
    known = summaries(store, scope, [row["trace_id"] for row in rows])
    return {
        "from": instant_text(asked.since),
        "to": instant_text(asked.until),
        "totalCount": counted[0]["total"],
        "traces": [known[row["trace_id"]] for row in rows if row["trace_id"] in known],
    }


def summaries(store: Telemetry, scope: Scope, trace_ids: Collection[str]) -> dict[str, Answer]:
    """Of whole traces; one whose spans are gone is left out."""
    bounds = ranges(store, trace_ids) if trace_ids else {}
    if not bounds:
        return {}
    where = Where(scope).add("trace_id IN {ids:Array(String)}", ids=sorted(bounds))
    where.starts_within(min(start for start, _ in bounds.values()), max(end for _, end in bounds.values()) + 1)
    rows = store.ask(
        f"""
        SELECT trace_id,
            toUnixTimestamp64Nano(min(timestamp)) AS started_at,
            max(toUnixTimestamp64Nano(timestamp) + duration_ns) AS ended_at,
            uniqExact(span_id) AS spans,
            uniqExactIf(span_id, status_code = 'ERROR') AS errors,
            arraySort(groupUniqArray(service_name)) AS services,
            argMin((operation_name, service_name, status_code), (parent_span_id != '', timestamp, span_id)) AS root
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
        }
        for row in rows
    }
