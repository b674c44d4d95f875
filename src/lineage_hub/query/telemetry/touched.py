"""A trace enters; the runs, jobs and datasets that it touched leave, each with what joins it to the trace.

Runs are those that its spans name, those that name the trace, and by job name and time those of which neither speaks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from lineage_hub.lineage.rows import RunKey
from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import WRITTEN, run_key
from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.model.span import Span
from lineage_hub.query.nodes import named
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.telemetry.asking import Answer, Row
from lineage_hub.query.telemetry.run_trace import ATTRIBUTE, NAME, TRACE, best_fit, lasted, told_traces
from lineage_hub.query.telemetry.traces import Trace
from lineage_hub.wire import instant_text

# Events of runs are sent a moment before and after their spans.
_MARGIN_NS = 5_000_000_000
# Events around the trace that are looked through for runs which name it.
MOST_EVENTS = 2_000


@dataclass(frozen=True, slots=True)
class Touched:
    runs: dict[RunKey, tuple[RunFacts, str]]
    """With what joins them: `trace`, `attribute` or `name`."""
    complete: bool
    """Whether all events around the trace were looked through."""


def touched_by(snapshot: Snapshot, found: Trace, now: int) -> Touched:
    runs = {key: (run, ATTRIBUTE) for key, run in _named_by_spans(snapshot, found).items()}
    nearby, complete = _nearby(snapshot, found)
    others = [run for run in nearby if run.key not in runs]
    told = told_traces(snapshot, others)
    runs |= {run.key: (run, TRACE) for run in others if run.key in told and told[run.key].traceId == found.trace_id}
    silent = [run for run in others if run.key not in told]
    runs |= {run.key: (run, NAME) for run in _fitting(snapshot, silent, found.tree.spans, now)}
    return Touched(runs, complete)


def _named_by_spans(snapshot: Snapshot, found: Trace) -> dict[RunKey, RunFacts]:
    ids = {text for one in found.tree.spans for text in (one.run_id, one.pipeline_run_id) if text}
    if not ids:
        return {}
    return snapshot.runs_by_id({run_key(text) for text in ids})


def _nearby(snapshot: Snapshot, found: Trace) -> tuple[Collection[RunFacts], bool]:
    """Runs that an event tells of while the trace lasted."""
    after, before = found.started_at - _MARGIN_NS, found.ended_at + _MARGIN_NS
    rows = snapshot.reader.page_events(after, before, False, MOST_EVENTS, 0)
    runs = snapshot.runs_of([row for row in rows if row.run is not None])
    return runs.values(), len(rows) < MOST_EVENTS


def _fitting(snapshot: Snapshot, runs: Collection[RunFacts], spans: Iterable[Span], now: int) -> Iterator[RunFacts]:
    """For each span that says nothing of a run, the run of a job with its name that fits its time best."""
    names = snapshot.names({run.key[1] for run in runs})
    by_name: dict[str, list[Row]] = {}
    for run in runs:
        start, end = lasted(run, now)
        one = {"started_at": start, "duration_ns": end - start, "span_id": run_text(run.key[2]), "run": run}
        by_name.setdefault(names[run.key[1]][1], []).append(one)
    for span in spans:
        if not span.run_id and not span.pipeline_run_id and span.name in by_name:
            best = best_fit((span.started_at, span.ended_at), by_name[span.name])
            if best is not None:
                yield best["run"]


def touched_answer(snapshot: Snapshot, touched: Touched) -> Answer:
    ordered = sorted(touched.runs.values(), key=lambda one: (one[0].start, snapshot.name(one[0].key[1])))
    runs = [run_answer(snapshot, run, joined_by) for run, joined_by in ordered]
    jobs = sorted({snapshot.name(run.key[1]) for run, _ in ordered})
    sides: dict[tuple[str, str], set[str]] = {}
    for one in runs:
        for side, key in (("input", "inputs"), ("output", "outputs")):
            for dataset in one[key]:
                sides.setdefault((dataset["namespace"], dataset["name"]), set()).add(side)
    return {
        "runs": runs,
        "runsComplete": touched.complete,
        "jobs": [named(name) for name in jobs],
        "datasets": [{**named(name), "as": sorted(sides[name])} for name in sorted(sides)],
    }


def run_answer(snapshot: Snapshot, run: RunFacts, joined_by: str) -> Answer:
    inputs, outputs = datasets_of(snapshot, run)
    return {
        "id": run_text(run.key[2]),
        "job": named(snapshot.name(run.key[1])),
        "state": run.state,
        "startedAt": instant_text(run.start[0]),
        "endedAt": instant_text(run.end[0]) if run.end is not None else None,
        "joinedBy": joined_by,
        "inferred": joined_by == NAME,
        "inputs": [named(name) for name in inputs],
        "outputs": [named(name) for name in outputs],
    }


def datasets_of(snapshot: Snapshot, run: RunFacts) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """What it read and what it wrote, under the present names."""
    shapes = snapshot.reader.shapes({row.shape for row in run.events})
    sides: tuple[set[int], set[int]] = (set(), set())
    for row in run.events:
        for mention in shapes[row.shape].mentions:
            lies_on = snapshot.place_mention(row, shapes[row.shape], mention, run)
            dataset = mention.dataset if lies_on is None else lies_on
            sides[mention.side in WRITTEN].add(snapshot.joined((dataset,)).of(dataset))
    names = snapshot.names(sides[0] | sides[1])
    return sorted(names[one] for one in sides[0]), sorted(names[one] for one in sides[1])
