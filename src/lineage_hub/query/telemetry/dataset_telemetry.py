"""A dataset enters; the runs that wrote and read it leave, the latest first, each with its trace in short."""

from __future__ import annotations

from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.model import Scope
from lineage_hub.query.datasets import find_dataset
from lineage_hub.query.nodes import named
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.telemetry.asking import Answer, Telemetry
from lineage_hub.query.telemetry.run_trace import traces_of_runs
from lineage_hub.query.telemetry.touched import datasets_of
from lineage_hub.query.telemetry.trace_list import summaries
from lineage_hub.wire import instant_text

_LATEST = 100


def dataset_telemetry(
    store: Telemetry, scope: Scope, snapshot: Snapshot, namespace: str, name: str, limit: int, now: int
) -> Answer:
    dataset = find_dataset(snapshot, namespace, name)
    present = snapshot.name(dataset)
    runs = _runs(snapshot, dataset, present, limit)
    joined = traces_of_runs(store, scope, snapshot, [run for run, _ in runs], now) if runs else {}
    known = summaries(store, scope, {one.trace_id for one in joined.values()})
    answers = []
    for run, sides in runs:
        trace = joined.get(run.key)
        answers.append(
            {
                "id": run_text(run.key[2]),
                "job": named(snapshot.name(run.key[1])),
                "as": sides,
                "state": run.state,
                "startedAt": instant_text(run.start[0]),
                "endedAt": instant_text(run.end[0]) if run.end is not None else None,
                "joinedBy": trace.joined_by if trace is not None else None,
                "inferred": trace is not None and trace.inferred,
                "traceId": trace.trace_id if trace is not None else None,
                "trace": _alone(known.get(trace.trace_id)) if trace is not None else None,
            }
        )
    return {"dataset": named(present), "runs": answers}


def _alone(trace: Answer | None) -> Answer | None:
    """Without the runs that it names: here it stands beside one."""
    return None if trace is None else {name: value for name, value in trace.items() if name != "runs"}


def _runs(snapshot: Snapshot, dataset: int, name: tuple[str, str], limit: int) -> list[tuple[RunFacts, list[str]]]:
    """Among the latest runs of each job that ever spoke of it."""
    jobs = snapshot.jobs_speaking_of([dataset])
    rows = [row for job in jobs for row in snapshot.reader.starts(job, max(limit, _LATEST))]
    rows = sorted(rows, key=lambda row: row.ord, reverse=True)
    found: list[tuple[RunFacts, list[str]]] = []
    runs = snapshot.runs_of(rows)
    for row in rows:
        inputs, outputs = datasets_of(snapshot, runs[row.run_key])
        sides = [side for side, names in (("input", inputs), ("output", outputs)) if name in names]
        if sides:
            found.append((runs[row.run_key], sides))
            if len(found) >= limit:
                break
    return found[:limit]
