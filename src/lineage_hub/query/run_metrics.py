"""A stretch of time enters; how the runs of pipelines went in it leaves: rates, durations, records, errors by stage.

A pipeline is a job whose runs are named as parents; its stages are the jobs whose runs name them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import quantiles
from typing import Any

from lineage_hub.lineage.runs import RunFacts
from lineage_hub.query.jobs import visible_jobs
from lineage_hub.query.raw import raw_events
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.wire import instant_text
from lineage_hub.wire.described import Statistics, lenient

Answer = dict[str, Any]
_PAGE = 200
_HOUR_NS = 3_600_000_000_000
_ENDED = ("COMPLETED", "FAILED", "ABORTED")


def run_metrics(snapshot: Snapshot, namespace: str | None, since: int, until: int) -> Answer:
    runs = {job: _runs_within(snapshot, job, since, until) for job in visible_jobs(snapshot, namespace)}
    above = {job: _pipelines_of(found) for job, found in runs.items()}
    pipelines = {one for named in above.values() for one in named}
    stages = {job: found for job, found in runs.items() if above[job] and found}
    outermost = [run for job in pipelines - stages.keys() for run in runs.get(job, ())]
    records = {job: _records(snapshot, found) for job, found in stages.items()}
    names = snapshot.names({*pipelines, *stages})
    return {
        "from": instant_text(since),
        "to": instant_text(until),
        "pipelines": {
            **_summary(outermost),
            "recordsPerHour": sum(records.values()) / max((until - since) / _HOUR_NS, 1e-9),
        },
        "byPipeline": [
            {**_named(names[job]), **_summary(runs[job])}
            for job in sorted(pipelines, key=names.__getitem__)
            if runs.get(job)
        ],
        "byStage": [
            {**_named(names[job]), **_summary(found), "records": records[job]}
            for job, found in sorted(stages.items(), key=lambda one: names[one[0]])
        ],
    }


def _runs_within(snapshot: Snapshot, job: int, since: int, until: int) -> list[RunFacts]:
    """Those that started then; they come newest first, so older ones need no look."""
    found: list[RunFacts] = []
    for offset in range(0, 1 << 40, _PAGE):
        rows = snapshot.reader.starts(job, _PAGE, offset)
        within = [row for row in rows if since <= row.event_at < until]
        runs = snapshot.runs_of(within)
        found += [runs[row.run_key] for row in within]
        if len(rows) < _PAGE or rows[-1].event_at < since:
            break
    return found


def _pipelines_of(found: Iterable[RunFacts]) -> set[int]:
    return {row.parent for run in found for row in run.events if row.parent}


def _summary(found: Sequence[RunFacts]) -> Answer:
    ended = [run for run in found if run.state in _ENDED]
    failed = sum(run.state == "FAILED" for run in ended)
    took = sorted((run.end[0] - run.start[0]) / 1e6 for run in ended if run.end is not None)
    return {
        "runs": len(found),
        "completed": sum(run.state == "COMPLETED" for run in ended),
        "failed": failed,
        "aborted": sum(run.state == "ABORTED" for run in ended),
        "running": len(found) - len(ended),
        "successRate": sum(run.state == "COMPLETED" for run in ended) / len(ended) if ended else None,
        "errorRate": failed / len(ended) if ended else None,
        "durationMs": _quantiles(took),
    }


def _quantiles(took: Sequence[float]) -> Answer:
    if not took:
        return {"p50": None, "p95": None}
    if len(took) == 1:
        return {"p50": took[0], "p95": took[0]}
    cuts = quantiles(took, n=20, method="inclusive")
    return {"p50": cuts[9], "p95": cuts[18]}


def _records(snapshot: Snapshot, found: Iterable[RunFacts]) -> int:
    """What the runs say to have written, in the last event that says it of a dataset."""
    total = 0
    for run in found:
        rows: dict[tuple[str, str], int] = {}
        for _, event in raw_events(snapshot, run.events):
            for dataset in event.outputs or ():
                text = (dataset.outputFacets or {}).get("outputStatistics")
                count = lenient(bytes(text), Statistics).rowCount if text is not None else None
                if count is not None:
                    rows[dataset.namespace, dataset.name] = count
        total += sum(rows.values())
    return total


def _named(name: tuple[str, str]) -> Answer:
    return {"namespace": name[0], "name": name[1]}
