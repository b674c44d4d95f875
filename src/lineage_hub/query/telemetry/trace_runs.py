"""Traces enter as a page of them; the runs that the spans of each name leave, with their jobs.

Runs that name a trace themselves, or that only fit its time, are told of the trace alone: to find them takes its spans.
"""

from __future__ import annotations

from collections.abc import Collection

from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.lineage.shapes import run_key
from lineage_hub.model import Scope
from lineage_hub.query.nodes import named
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.telemetry.asking import Answer, Telemetry, Where
from lineage_hub.query.telemetry.traces import ranges

MOST_OF_ONE = 10


def with_runs(store: Telemetry, scope: Scope, snapshot: Snapshot, page: Answer) -> Answer:
    """The same page, each of its traces with the first runs and how many there are."""
    rows = _named(store, scope, [one["traceId"] for one in page["traces"]])
    told = snapshot.reader.runs({run_key(run) for runs, _ in rows.values() for run in runs})
    names = snapshot.names({job for _, job, _ in told})
    # Of several jobs that have a run of this id the one whose run started last, as everywhere.
    ordered = sorted(told, key=lambda key: (min(row.ord for row in told[key]), names[key[1]]))
    jobs = {run_text(run): named(names[job]) for _, job, run in ordered}
    found = []
    for one in page["traces"]:
        runs, count = rows.get(one["traceId"], ([], 0))
        found.append({**one, "runs": [{"id": run, "job": jobs.get(run)} for run in runs], "runCount": count})
    return {**page, "traces": found}


def _named(store: Telemetry, scope: Scope, trace_ids: Collection[str]) -> dict[str, tuple[list[str], int]]:
    bounds = ranges(store, trace_ids) if trace_ids else {}
    if not bounds:
        return {}
    where = Where(scope).add("trace_id IN {ids:Array(String)}", ids=sorted(bounds))
    where.starts_within(min(start for start, _ in bounds.values()), max(end for _, end in bounds.values()) + 1)
    rows = store.ask(
        f"""
        SELECT trace_id, run, count() OVER (PARTITION BY trace_id) AS runs FROM (
            SELECT trace_id, run, min(timestamp) AS first
            FROM traces ARRAY JOIN [run_id, pipeline_run_id] AS run
            WHERE {where} AND run != '' GROUP BY trace_id, run
        )
        ORDER BY trace_id, first, run LIMIT {{most:UInt32}} BY trace_id
        """,
        {**where.parameters, "most": MOST_OF_ONE},
    )
    found: dict[str, tuple[list[str], int]] = {}
    for row in rows:
        runs, _ = found.setdefault(row["trace_id"], ([], row["runs"]))
        text = run_text(run_key(row["run"]))
        if text not in runs:
            runs.append(text)
    return found
