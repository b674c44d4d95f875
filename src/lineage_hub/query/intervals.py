"""A job enters; the page of its list of runs that was asked for leaves, the micro-batches of a stream as one interval.

What was folded about the present is kept and brought up to date from the events written since, so a page of a stream
with a hundred thousand runs reads few of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from lineage_hub.lineage.intervals import (
    PAUSE_NS,
    Batch,
    BatchFacts,
    BatchRow,
    Folded,
    Interval,
    fold_intervals,
    read_batches,
)
from lineage_hub.lineage.rows import EventRow, RunKey
from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import IN, OUT, STREAM, STREAMING, run_id, run_key
from lineage_hub.query.raw import of_side, raw_events
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.wire import instant_text
from lineage_hub.wire.facets import is_tombstone, version
from lineage_hub.wire.raw import decode_run

Answer = dict[str, Any]
# So many runs are looked at for a job's latest ones: a list of jobs must not depend on how long their streams run.
LOOKED_AT = 100
# Beyond so many events since then it is quicker to fold again.
FEW = 20_000
# At so many jobs all are forgotten: what is asked for often is soon there again.
STREAMS = 2_000
# Beyond so many shapes it is quicker to ask the events.
FEW_SHAPES = 200
_BATCH_AT = [EventRow._fields.index(name) for name in BatchRow._fields]


def is_stream(snapshot: Snapshot, job: int) -> bool:
    """Whether any event of the job says that it is streaming; spares all others the search."""
    latest = snapshot.latest.get(job)
    last = snapshot.reader.starts(job, 1) if latest is None else [run.events[0] for run in latest.runs[:1]]
    if any(row.flags & STREAMING for row in last):
        return True
    numbers = snapshot.shapes_of([job])[job]
    if len(numbers) > FEW_SHAPES:
        return snapshot.reader.streams(job)
    shapes = snapshot.reader.shapes(numbers).values()
    return any(shape.processing == STREAM and shape.subject == job for shape in shapes)


def newest_intervals(snapshot: Snapshot, job: int) -> list[Interval]:
    """All of a job's runs, folded; the one that started last first."""
    if not snapshot.sees_all:
        return _all_folded(snapshot, job, 0).newest_first
    kept, seq = snapshot.history.folded, snapshot.reader.last_seq()
    folded = kept.get(job)
    if folded is not None and folded.seq > seq:
        # Another request has seen more than this snapshot shows.
        return _all_folded(snapshot, job, seq).newest_first
    if folded is None or folded.seq < seq:
        folded = (folded and _brought_up_to_date(snapshot, job, folded, seq)) or _all_folded(snapshot, job, seq)
        if len(kept) >= STREAMS:
            kept.clear()
        kept[job] = folded
    return folded.newest_first


def _all_folded(snapshot: Snapshot, job: int, seq: int) -> Folded:
    return Folded.of(fold_intervals(_read(snapshot, job, snapshot.reader.batches(job))), seq)


def _read(snapshot: Snapshot, job: int, rows: Iterable[BatchRow]) -> dict[Batch, BatchFacts]:
    def processing(shape: int) -> int:
        return snapshot.reader.shapes((shape,))[shape].processing

    return read_batches(rows, processing)


def _brought_up_to_date(snapshot: Snapshot, job: int, folded: Folded, seq: int) -> Folded | None:
    if seq - folded.seq > FEW:
        return None
    texts = snapshot.reader.texts_of(job, folded.seq)
    events = map(decode_run, texts.values())
    changed = {run_key(event.run.runId) for event in events if event.run is not None}
    if not changed:
        return Folded(seq, folded.intervals, folded.newest_first)
    rows = sorted(
        row for key, events in snapshot.reader.runs(changed).items() if key[1] == job for row in events
    )  # by ord: all have one subject, which comes first
    after = _read(snapshot, job, map(_batch_row, rows))
    before = _read(snapshot, job, (_batch_row(row) for row in rows if row.seq <= folded.seq))
    intervals = folded.intervals.with_runs(before, after)
    return Folded.of(intervals, seq) if intervals is not None else None


def _batch_row(row: EventRow) -> BatchRow:
    return BatchRow._make([row[at] for at in _BATCH_AT])


def latest_intervals(snapshot: Snapshot, job: int, limit: int) -> list[tuple[Interval, bool]]:
    """Of the runs that started last; with each, whether it may reach further back than those that were looked at."""
    rows = snapshot.reader.starts(job, LOOKED_AT + 1)
    earlier = rows[LOOKED_AT].event_at if len(rows) > LOOKED_AT else None
    runs = snapshot.runs_of(rows[:LOOKED_AT])
    events = sorted(event for run in runs.values() for event in run.events)
    folded = fold_intervals(_read(snapshot, job, map(_batch_row, events)))
    return [
        (one, earlier is not None and one.streaming and one.first[0] - earlier <= PAUSE_NS)
        for one in folded.newest_first()[:limit]
    ]


def runs_of_intervals(snapshot: Snapshot, job: int, intervals: Collection[Interval]) -> list[RunFacts]:
    """The run that each of them shows itself as: its last."""
    keys: list[RunKey] = [(one.tenant, job, one.last_run) for one in intervals]
    found = snapshot.runs_by_id({key[2] for key in keys})
    return [found[key] for key in keys]


def interval_answer(snapshot: Snapshot, job: int, one: Interval, last: RunFacts, *, more: bool = False) -> Answer:
    """`more` says that it began earlier than at the first run that was looked at."""
    answer: Answer = {
        "runs": one.runs,
        "states": dict(sorted(one.states.items())),
        "startedAt": instant_text(one.first[0]),
        "lastStartedAt": instant_text(one.last[0]),
        "updatedAt": instant_text(one.updated_at),
        "durationMs": (one.updated_at - one.first[0]) // 1_000_000,
        "firstRun": run_id(one.first_run),
        "lastRun": run_id(one.last_run),
        "offsets": _offsets(snapshot, snapshot.runs_by_id([one.first_run])[one.tenant, job, one.first_run], last),
    }
    if more:
        answer["more"] = True
    return answer


def _offsets(snapshot: Snapshot, first: RunFacts, last: RunFacts) -> list[Answer]:
    """How far a stream has come in each dataset, as the `version` facets of its first and last run tell."""
    begun, done = _versions_told(snapshot, first), _versions_told(snapshot, last)
    return [
        {"namespace": name[0], "name": name[1], "side": side, "first": begun.get((side, name)), "last": told}
        for (side, name), told in sorted(done.items())
    ]


def _versions_told(snapshot: Snapshot, run: RunFacts) -> dict[tuple[str, tuple[str, str]], str]:
    found: dict[tuple[str, tuple[str, str]], str] = {}
    for _, event in raw_events(snapshot, run.events):
        for side, number in (("in", IN), ("out", OUT)):
            for name, dataset in of_side(event, number).items():
                facet = bytes((dataset.facets or {}).get("version", b""))
                if facet[:1] == b"{":
                    found[side, name] = "" if is_tombstone(facet) else version(facet)
    return {where: told for where, told in found.items() if told}
