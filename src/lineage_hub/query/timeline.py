"""A job and a stretch of time enter; its runs leave, the latest first, with how long they took and what is usual."""

from __future__ import annotations

from itertools import pairwise
from statistics import quantiles
from typing import Any

from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.query.horizon import begins_at
from lineage_hub.query.jobs import find_job
from lineage_hub.query.run_words import RunWords, volume_of, words_of
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.store import histories
from lineage_hub.wire import instant_text

Answer = dict[str, Any]
# What is usual is learned from so many runs, the latest of the stretch.
MOST_USUAL = 500
# Fewer that completed don't tell what is long.
LEAST_USUAL = 4
# A silence is long if it lasts so many times the usual, and is among the longest twentieth.
LONG = 2
_SECOND, _MS = 1_000_000_000, 1_000_000


def timeline(snapshot: Snapshot, namespace: str, name: str, since: int, until: int, limit: int, offset: int) -> Answer:
    job = find_job(snapshot, namespace, name)
    where = (snapshot.reader.connection, snapshot.scope, snapshot.moment, job, since, until)
    usual = _runs(snapshot, histories.starts_within(*where, MOST_USUAL, 0))
    # One more than is shown: the run before the oldest of them.
    page = _runs(snapshot, histories.starts_within(*where, limit + 1, offset))
    shown = page[:limit]
    took = sorted(run.end[0] - run.start[0] for run in usual if run.state == "COMPLETED" and run.end is not None)
    band = _quantiles(took)
    limit_ns = band[1] if band is not None and len(took) >= LEAST_USUAL else None
    earlier = {later.key: before for later, before in pairwise(page)}
    shown_name = snapshot.name(job)
    return {
        "job": {"namespace": shown_name[0], "name": shown_name[1]},
        "durations": {
            "runs": len(took),
            "p50Ms": band[0] / _MS if band else None,
            "p95Ms": band[1] / _MS if band else None,
        },
        "gaps": _gaps(usual),
        "runs": [_answer(words, earlier.get(words.run.key), limit_ns) for words in words_of(snapshot, shown)],
        "totalCount": histories.count_starts(*where),
        **begins_at(snapshot),
    }


def _runs(snapshot: Snapshot, rows: list[Any]) -> list[RunFacts]:
    runs = snapshot.runs_of(rows)
    return [runs[row.run_key] for row in rows]


def _answer(words: RunWords, before: RunFacts | None, limit_ns: float | None) -> Answer:
    run, volume = words.run, volume_of(words)
    took = run.end[0] - run.start[0] if run.end is not None else None
    answer: Answer = {
        "id": run_text(run.key[2]),
        "state": run.state,
        "startedAt": instant_text(run.start[0]),
        "endedAt": instant_text(run.end[0]) if run.end is not None else None,
        "durationMs": took // _MS if took is not None else None,
        "longerThanUsual": took > limit_ns if took is not None and limit_ns is not None else None,
        "gapBeforeS": _idle(before, run),
        "rowsRead": volume.rows_read,
        "rowsWritten": volume.rows_written,
        "bytesRead": volume.bytes_read,
        "bytesWritten": volume.bytes_written,
        "streaming": run.streaming,
    }
    if run.conflict:
        answer["conflict"] = list(run.conflict)
    return answer


def _idle(before: RunFacts | None, run: RunFacts) -> float | None:
    """From the end of the run before; none if that one was still at work."""
    if before is None or before.end is None:
        return None
    return max(run.start[0] - before.end[0], 0) / _SECOND


def _gaps(runs: list[RunFacts]) -> Answer:
    """Between the starts of runs that follow each other."""
    stretches = [(earlier.start[0], later.start[0]) for later, earlier in pairwise(runs)]
    usual = _quantiles(sorted(end - start for start, end in stretches))
    return {
        "p50S": usual[0] / _SECOND if usual else None,
        "p95S": usual[1] / _SECOND if usual else None,
        "long": [
            {"from": instant_text(start), "to": instant_text(end), "seconds": (end - start) / _SECOND}
            for start, end in stretches
            if usual is not None and end - start > LONG * usual[0] and end - start >= usual[1]
        ],
    }


def _quantiles(ordered: list[int]) -> tuple[float, float] | None:
    """The middle, and what nineteen of twenty don't exceed."""
    if not ordered:
        return None
    if len(ordered) == 1:
        return float(ordered[0]), float(ordered[0])
    cuts = quantiles(ordered, n=20, method="inclusive")
    return cuts[9], cuts[18]
