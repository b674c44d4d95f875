"""A stretch of time enters; how many of the runs that were heard of in it are in each state leaves, and which failed.

What a job's runs came to is remembered until an event speaks of the job.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from msgspec import Raw

from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.query.overview.standings import Heard, Standings
from lineage_hub.query.raw import raw_events, shown_facets
from lineage_hub.query.run_answers import newest_run_facets
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.store import lately
from lineage_hub.wire import instant_text
from lineage_hub.wire.described import ErrorMessage, lenient

Answer = dict[str, Any]
# Runs that one answer reads; a day of more is known after a few answers.
MOST_RUNS = 4_000
# Of a moment in the past nothing is remembered, so that one answer must do.
MOST_RUNS_THEN = 10_000
SHOWN = 10
_TOGETHER = 50
_LINE = 300
_ERROR = "errorMessage"


class Lately(NamedTuple):
    runs: list[Heard]
    jobs_left: int
    """Jobs that have runs in the stretch which were not looked at."""


def runs_lately(snapshot: Snapshot, standings: Standings, since: int) -> Lately:
    reader = snapshot.reader
    heard = lately.last_heard(reader.connection, snapshot.scope, snapshot.moment, since)
    subjects = [one for one in heard if one not in snapshot.hidden] if snapshot.hidden else list(heard)
    known: dict[int, tuple[Any, ...]] = {
        job: kept for job, kept in snapshot.recall("runs lately", subjects).items() if kept[0] <= since
    }
    # Those heard last come first: should there be too many, they are what one wants to know of.
    missing = sorted([one for one in subjects if one not in known], key=lambda one: (-heard[one], one))
    left = MOST_RUNS if snapshot.sees_all else MOST_RUNS_THEN
    at = 0
    while at < len(missing) and left > 0:
        jobs = missing[at : at + _TOGETHER]
        fresh = _read(snapshot, standings, jobs, since)
        snapshot.keep("runs lately", fresh)
        known.update(fresh)
        left -= sum(len(kept) - 1 for kept in fresh.values())
        at += len(jobs)
    runs = [run for kept in known.values() for run in kept[1:] if run.last_at >= since]
    return Lately(_whole(snapshot, runs), len(missing) - min(at, len(missing)))


def _read(snapshot: Snapshot, standings: Standings, jobs: list[int], since: int) -> dict[int, tuple[Any, ...]]:
    """For each job the time from which on its runs are told, then those runs."""
    reader = snapshot.reader
    ids = lately.runs_since(reader.connection, snapshot.scope, snapshot.moment, jobs, since)
    by_job: dict[int, list[Heard]] = {job: [] for job in jobs}
    for run in standings.of({run for runs in ids.values() for run in runs}):
        # Another job may have a run of the same id.
        if run.key[1] in by_job and run.last_at >= since:
            by_job[run.key[1]].append(run)
    return {job: (since, *sorted(runs)) for job, runs in by_job.items()}


def _whole(snapshot: Snapshot, runs: list[Heard]) -> list[Heard]:
    """A run whose job was renamed meanwhile is told in two halves: it is one run, in the state that its end tells."""
    shared = snapshot.reader.shared_runs({run.key[2] for run in runs if run.is_open})
    if not shared:
        return runs
    facts = snapshot.runs_by_id(shared)
    here = {run.key for run in runs}
    found: list[Heard] = []
    for run in runs:
        half = snapshot.other_half(facts[run.key]) if run.is_open and run.key in facts else None
        if half is None:
            found.append(run)
        elif half.key not in here:
            whole = snapshot.whole_run(facts[run.key])
            found.append(run._replace(state=whole.state, end_at=whole.end[0] if whole.end else run.end_at))
    return found


def states(runs: Iterable[Heard]) -> Answer:
    counts = Counter([run.state for run in runs])
    return {
        "total": counts.total(),
        **{state.lower(): counts[state] for state in ("COMPLETED", "FAILED", "ABORTED", "RUNNING", "NEW")},
    }


def failed_runs(snapshot: Snapshot, runs: Iterable[Heard]) -> tuple[int, list[Answer]]:
    """How many, and those that failed last."""
    failed = [run for run in runs if run.state == "FAILED"]
    names = snapshot.names({run.key[1] for run in failed})
    # By what doesn't depend on the order in which things were first heard of.
    shown = sorted(failed, key=lambda run: (-run.end_at, names[run.key[1]], run.key[2]))[:SHOWN]
    facts = snapshot.runs_by_id({run.key[2] for run in shown})
    return len(failed), [
        {
            "run": run_text(run.key[2]),
            "job": {"namespace": names[run.key[1]][0], "name": names[run.key[1]][1]},
            "failedAt": instant_text(run.end_at),
            "error": _error(snapshot, facts[run.key]),
        }
        for run in shown
    ]


def _error(snapshot: Snapshot, run: RunFacts) -> str | None:
    """The first line of what the run says went wrong, as far as rules let it be seen."""
    half = snapshot.other_half(run)
    events = raw_events(snapshot, [row for one in (run, half) if one is not None for row in one.events])
    facets = newest_run_facets(events)
    if _ERROR not in facets:
        return None
    held: list[tuple[Any, dict[str, Raw]]] = [
        (row, {_ERROR: event.run.facets[_ERROR]})
        for row, event in events
        if event.run is not None and event.run.facets and _ERROR in event.run.facets
    ]
    shown = shown_facets(snapshot, run.key[0], "run", {_ERROR: facets[_ERROR]}, held)
    message = lenient(bytes(shown[_ERROR]), ErrorMessage).message if _ERROR in shown else None
    lines = [line.strip() for line in (message or "").splitlines() if line.strip()]
    return lines[0][:_LINE] if lines else None
