"""A run enters; which logs are its own leaves: those that name it, and those of the spans that it is made of."""

from __future__ import annotations

from lineage_hub.errors import NotFound
from lineage_hub.model import Scope
from lineage_hub.query.runs import find_run
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.telemetry.asking import Telemetry
from lineage_hub.query.telemetry.logs import SpansOfRun
from lineage_hub.query.telemetry.run_trace import Joined, lasted, traces_of_runs
from lineage_hub.query.telemetry.trace_diff import inside_of_run
from lineage_hub.query.telemetry.traces import Trace, find_trace


def logs_of_run(
    store: Telemetry, scope: Scope, snapshot: Snapshot, run_id: str, now: int
) -> tuple[SpansOfRun, tuple[int, int]]:
    """And when the run was. A trace that only fits by name and time makes no log a run's own."""
    run, _ = find_run(snapshot, run_id)
    if run is None:
        raise NotFound(f"Run '{run_id}' not found.", subject=run_id, action="check the run id and the moment")
    joined = traces_of_runs(store, scope, snapshot, [run], now).get(run.key)
    if joined is None or joined.inferred:
        return SpansOfRun(run_id), lasted(run, now)
    found = find_trace(store, scope, joined.trace_id)
    # Its own span may be on its way still: what was logged in it is here before.
    spans = {joined.span_id} | (_spans_of(found, joined, run_id) if found is not None else set())
    return SpansOfRun(run_id, joined.trace_id, tuple(sorted(spans - {""}))), lasted(run, now)


def _spans_of(found: Trace, joined: Joined, run_id: str) -> set[str]:
    """Those inside of the run's own span, and those that name the run beside it with all that is inside of them."""
    own = inside_of_run(found, joined)
    spans = {one.span_id for one in own.spans} if own is not None else set()
    for at, one in enumerate(found.tree.spans):
        if one.span_id not in spans and run_id in (one.run_id, one.pipeline_run_id):
            spans |= {found.tree.spans[inside].span_id for inside in found.tree.beneath(at)}
    return spans
