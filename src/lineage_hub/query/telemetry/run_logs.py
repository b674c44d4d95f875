"""A run enters; which logs are its own leaves: those that name it, and those of the spans that it is made of."""

from __future__ import annotations

from lineage_hub.errors import NotFound
from lineage_hub.model import Scope
from lineage_hub.query.runs import find_run
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.telemetry.asking import Telemetry
from lineage_hub.query.telemetry.logs import SpansOfRun
from lineage_hub.query.telemetry.run_trace import lasted, traces_of_runs
from lineage_hub.query.telemetry.trace_diff import part_of_run
from lineage_hub.query.telemetry.traces import find_trace


def logs_of_run(
    store: Telemetry, scope: Scope, snapshot: Snapshot, run_id: str, now: int
) -> tuple[SpansOfRun, tuple[int, int]]:
    """And when the run was. A trace that only fits by name and time makes no log a run's own."""
    run, _ = find_run(snapshot, run_id)
    if run is None:
        raise NotFound(f"Run '{run_id}' not found.", subject=run_id, action="check the run id and the moment")
    joined = traces_of_runs(store, scope, snapshot, [run], now).get(run.key)
    found = find_trace(store, scope, joined.trace_id) if joined is not None and not joined.inferred else None
    if joined is None or found is None:
        return SpansOfRun(run_id), lasted(run, now)
    spans = tuple(sorted(one.span_id for one in part_of_run(found, joined).spans))
    return SpansOfRun(run_id, found.trace_id, spans), lasted(run, now)
