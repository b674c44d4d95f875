"""Runs enter; the trace of each leaves: that which it names, else one that names it, else one of its name and time.

The last is a guess and says so: `joined_by` is `trace`, `attribute` or `name`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from lineage_hub.errors import NotFound
from lineage_hub.lineage.rows import RunKey
from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.model import Scope
from lineage_hub.query.runs import find_run
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.telemetry.asking import DAY_NS, Row, Telemetry, Where
from lineage_hub.query.telemetry.traces import Trace, as_stored, find_trace
from lineage_hub.wire.described import TRACE_FACET, TraceContext, lenient
from lineage_hub.wire.raw import decode_run

TRACE, ATTRIBUTE, NAME = "trace", "attribute", "name"
# The attributes openlineage.run_id and pipeline.run_id, as columns; the one that says more comes first.
ATTRIBUTES = ("run_id", "pipeline_run_id")
# Of spans that may be meant by a name; more would not make the guess better.
_MOST_GUESSES = 10_000


@dataclass(frozen=True, slots=True)
class Joined:
    trace_id: str
    span_id: str
    """The span that stands for the run."""
    joined_by: str

    @property
    def inferred(self) -> bool:
        return self.joined_by == NAME


def trace_of_run(
    store: Telemetry, scope: Scope, snapshot: Snapshot, run_id: str, now: int
) -> tuple[RunFacts, Joined, Trace]:
    run, _ = find_run(snapshot, run_id)
    if run is None:
        raise NotFound(f"Run '{run_id}' not found.", subject=run_id, action="check the run id and the moment")
    joined = traces_of_runs(store, scope, snapshot, [run], now).get(run.key)
    found = find_trace(store, scope, joined.trace_id) if joined is not None else None
    if found is None and joined is not None and joined.joined_by == TRACE:
        # Its program's spans may have been sent elsewhere, those of what it called here.
        named = (_by_attribute(store, scope, [run], column, now).get(run.key) for column in ATTRIBUTES)
        other = next((one for one in named if one is not None), None)
        if other is not None:
            joined, found = other, find_trace(store, scope, other.trace_id)
    if joined is None or found is None:
        told = f" (it names trace {joined.trace_id})" if joined is not None else ""
        raise NotFound(
            f"No span of run '{run_id}' is here{told}.",
            subject=run_id,
            action="send its program's spans to this hub (OTLP: /v1/traces), with the attribute openlineage.run_id",
        )
    return run, joined, found


def traces_of_runs(
    store: Telemetry, scope: Scope, snapshot: Snapshot, runs: Collection[RunFacts], now: int
) -> dict[RunKey, Joined]:
    """For many runs at once; those without any trace are left out. `now` ends what hasn't ended."""
    found = {key: Joined(told.traceId, told.spanId, TRACE) for key, told in told_traces(snapshot, runs).items()}
    for column in ATTRIBUTES:
        left = [run for run in runs if run.key not in found]
        if left:
            found.update(_by_attribute(store, scope, left, column, now))
    left = [run for run in runs if run.key not in found]
    if left:
        found.update(_by_name(store, scope, snapshot, left, now))
    return found


def told_traces(snapshot: Snapshot, runs: Collection[RunFacts]) -> dict[RunKey, TraceContext]:
    """What the runs' own events say: the last one, which has all that the SDK says of a run, else the first."""
    rows = {row.seq: (row, run.key) for run in runs for row in (run.events[0], run.events[-1])}
    texts = snapshot.reader.texts([row for row, _ in rows.values()])
    found: dict[RunKey, TraceContext] = {}
    for row, key in sorted(rows.values(), key=lambda one: one[0].ord):
        event = decode_run(texts[row.seq])
        facet = ((event.run.facets if event.run else None) or {}).get(TRACE_FACET)
        told = lenient(bytes(facet) if facet is not None else None, TraceContext)
        trace_id, span_id = as_stored(told.traceId, 32), as_stored(told.spanId, 16)
        if trace_id:
            found[key] = TraceContext(trace_id, span_id)
    return found


def lasted(run: RunFacts, now: int) -> tuple[int, int]:
    return run.start[0], max(run.end[0] if run.end is not None else now, run.start[0])


def _around(runs: Iterable[RunFacts], now: int) -> tuple[int, int]:
    """Clocks of a run's events and of its spans may differ, and spans may outlive it."""
    times = [lasted(run, now) for run in runs]
    return min(start for start, _ in times) - DAY_NS, max(end for _, end in times) + DAY_NS


def _by_attribute(
    store: Telemetry, scope: Scope, runs: Collection[RunFacts], column: str, now: int
) -> dict[RunKey, Joined]:
    """Of several traces that name a run the one with most of its spans; of these spans the first and longest."""
    by_id: dict[str, list[RunFacts]] = {}
    for run in runs:
        by_id.setdefault(run_text(run.key[2]), []).append(run)
    where = Where(scope).add(f"{column} IN {{runs:Array(String)}}", runs=sorted(by_id))
    where.starts_within(*_around(runs, now))
    rows = store.ask(
        f"""
        SELECT {column} AS run, trace_id, count() AS spans, min(timestamp) AS first,
            argMin(span_id, (timestamp, -toInt64(duration_ns), span_id)) AS span
        FROM traces WHERE {where} GROUP BY run, trace_id ORDER BY run, spans DESC, first, trace_id
        """,
        where.parameters,
    )
    found: dict[RunKey, Joined] = {}
    for row in rows:
        for run in by_id[row["run"]]:
            found.setdefault(run.key, Joined(row["trace_id"], row["span"], ATTRIBUTE))
    return found


def _by_name(
    store: Telemetry, scope: Scope, snapshot: Snapshot, runs: Collection[RunFacts], now: int
) -> dict[RunKey, Joined]:
    names = snapshot.names({run.key[1] for run in runs})
    where = Where(scope).add(
        "operation_name IN {names:Array(String)} AND run_id = '' AND pipeline_run_id = ''",
        names=sorted({names[run.key[1]][1] for run in runs}),
    )
    where.starts_within(*_around(runs, now))
    rows = store.ask(
        f"""
        SELECT operation_name, trace_id, span_id, toUnixTimestamp64Nano(timestamp) AS started_at, duration_ns
        FROM traces WHERE {where} ORDER BY timestamp DESC, span_id LIMIT {{most:UInt32}}
        """,
        {**where.parameters, "most": _MOST_GUESSES},
    )
    found: dict[RunKey, Joined] = {}
    for run in runs:
        of_name = [row for row in rows if row["operation_name"] == names[run.key[1]][1]]
        best = best_fit(lasted(run, now), of_name)
        if best is not None:
            found[run.key] = Joined(best["trace_id"], best["span_id"], NAME)
    return found


def best_fit(time: tuple[int, int], spans: Iterable[Row]) -> Row | None:
    """The span that shares most of its time with the run, if any shares some; then the one that starts nearest."""
    best: tuple[float, int, str] | None = None
    chosen: Row | None = None
    for row in spans:
        start, end = row["started_at"], row["started_at"] + row["duration_ns"]
        if start > time[1] or end < time[0]:
            continue
        shared = min(end, time[1]) - max(start, time[0])
        whole = max(end, time[1]) - min(start, time[0])
        rank = (shared / whole if whole else 1.0, -abs(start - time[0]), row["span_id"])
        if best is None or rank > best:
            best, chosen = rank, row
    return chosen
