"""Runs enter; the stages of each leave: the spans inside of the run's own that its time went by in.

A span that mostly waits for those inside of it isn't a stage, they are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from lineage_hub.lineage.causes import Stage
from lineage_hub.lineage.rows import RunKey
from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.lineage.traces import covered
from lineage_hub.model import Scope
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.telemetry.asking import DAY_NS, Row, Telemetry, Where
from lineage_hub.query.telemetry.run_trace import Joined, lasted, traces_of_runs

SECOND_NS = 1_000_000_000
MOST_SPANS = 200_000
_AT_ONCE = 500
_DEEPEST = 60
# Of a run with more the longest tell enough.
_MOST_STAGES = 300
# Spark counts its jobs and stages from the start of the application: such a number names nothing.
_NUMBERED = re.compile(r"(spark (?:job|stage)) \d+")
_COLUMNS = """
    trace_id, span_id, parent_span_id, operation_name, toUnixTimestamp64Nano(timestamp) AS started_at, duration_ns,
    status_code, status_message, run_id, attributes['spark.stage.name'] AS stage,
    attributes['spark.stage.id'] AS stage_id, attributes['spark.stage.attempt'] AS attempt,
    attributes['spark.tasks.skew'] AS skew, attributes['spark.spill.bytes'] AS spilled,
    attributes['spark.executor.gc_ms'] AS gc_ms
"""


def stages_of_runs(
    store: Telemetry, scope: Scope, snapshot: Snapshot, runs: Collection[RunFacts], now: int
) -> tuple[dict[RunKey, tuple[Stage, ...]], set[RunKey]]:
    """Those without a trace are left out; of the second runs a trace was only guessed by name and time."""
    joined = traces_of_runs(store, scope, snapshot, runs, now)
    times = [lasted(run, now) for run in runs if run.key in joined]
    if not times:
        return {}, set()
    around = min(start for start, _ in times) - DAY_NS, max(end for _, end in times) + DAY_NS
    spans: dict[str, list[Row]] = {}
    for row in _spans(store, scope, sorted({one.trace_id for one in joined.values()}), around):
        spans.setdefault(row["trace_id"], []).append(row)
    found = {}
    for run in runs:
        join = joined.get(run.key)
        if join is not None and join.trace_id in spans:
            found[run.key] = stages_of(spans[join.trace_id], join, run_text(run.key[2]))
    return found, {key for key in found if joined[key].inferred}


def _spans(store: Telemetry, scope: Scope, traces: Sequence[str], around: tuple[int, int]) -> Iterable[Row]:
    left = MOST_SPANS
    # The latest runs matter most, but traces have no order: each part gets what is left.
    for at in range(0, len(traces), _AT_ONCE):
        where = Where(scope).add("trace_id IN {traces:Array(String)}", traces=list(traces[at : at + _AT_ONCE]))
        where.starts_within(*around)
        rows = store.ask(
            f"SELECT {_COLUMNS} FROM traces WHERE {where} ORDER BY duration_ns DESC LIMIT {{most:UInt32}}",
            {**where.parameters, "most": max(left, 1)},
        )
        left -= len(rows)
        yield from rows


def stages_of(spans: Sequence[Row], joined: Joined, run_id: str) -> tuple[Stage, ...]:
    by_id = {row["span_id"]: row for row in spans}
    inside: dict[str, list[Row]] = {}
    for row in by_id.values():
        inside.setdefault(row["parent_span_id"], []).append(row)
    own = by_id.get(joined.span_id)
    if own is not None:
        tops = inside.get(own["span_id"], [])
    else:
        # The run's own span has not arrived; what is inside of it may have.
        tops = inside.get(joined.span_id, []) if joined.span_id else []
        tops = tops or [row for row in by_id.values() if row["run_id"] == run_id and row["parent_span_id"] not in by_id]
    found = [row for top in tops for row in _parts(top, inside, _DEEPEST)]
    longest = sorted(found, key=lambda row: row["duration_ns"], reverse=True)[:_MOST_STAGES]
    return _named(sorted(longest, key=lambda row: (row["started_at"], row["span_id"])))


def _parts(row: Row, inside: Mapping[str, list[Row]], deepest: int) -> list[Row]:
    children = inside.get(row["span_id"], [])
    start, end = row["started_at"], row["started_at"] + row["duration_ns"]
    within = [(max(one["started_at"], start), min(one["started_at"] + one["duration_ns"], end)) for one in children]
    if not children or not deepest or covered(within) < 0.5 * row["duration_ns"]:
        return [row]
    return [part for child in children for part in _parts(child, inside, deepest - 1)]


def _named(rows: Sequence[Row]) -> tuple[Stage, ...]:
    """Of several with one name each has its number; attempts of one stage are one."""
    found: dict[str, Stage] = {}
    ids: dict[str, str] = {}
    for row in rows:
        stage = _stage(row)
        tried = ids.get(row["stage_id"]) if row["stage_id"] else None
        if tried is not None and stage.attempts > 1:
            first = found[tried]
            found[tried] = replace(
                stage, name=tried, started_at=first.started_at, duration_s=stage.ended_at - first.started_at
            )
            continue
        name, number = stage.name, 1
        while name in found:
            number += 1
            name = f"{stage.name} ({number})"
        found[name] = replace(stage, name=name)
        ids[row["stage_id"]] = name
    return tuple(found.values())


def _stage(row: Row) -> Stage:
    gc_ms = _number(row["gc_ms"])
    return Stage(
        name=row["stage"] or _NUMBERED.sub(r"\1", row["operation_name"]),
        span_id=row["span_id"],
        started_at=row["started_at"] / SECOND_NS,
        duration_s=row["duration_ns"] / SECOND_NS,
        skew=_number(row["skew"]),
        spilled_bytes=_number(row["spilled"]),
        gc_s=gc_ms / 1000 if gc_ms is not None else None,
        attempts=1 + int(_number(row["attempt"]) or 0),
        error=(row["status_message"] or "failed") if row["status_code"] == "ERROR" else None,
    )


def _number(text: str) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None
