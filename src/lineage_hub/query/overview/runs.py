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
from lineage_hub.model import FOREVER
from lineage_hub.query.overview.book import Book
from lineage_hub.query.overview.patience import ENDLESS, Patience
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
HOUR = 3_600_000_000_000
_TOGETHER = 50
# An hour in which fewer were heard of is looked at together with those before it.
_FEW = 500
_LINE = 300
_ERROR = "errorMessage"


def begin_of(at: int, hours: int) -> int:
    """The hour of a moment and those before it begin then."""
    return max((at // HOUR - hours + 1) * HOUR, -(2**63))


class JobRuns(NamedTuple):
    """The runs of a job: how many were last heard of in which hour, and in which state; of some all that is known."""

    counts: dict[tuple[int, str], int]
    failed: tuple[Heard, ...]
    opened: tuple[Heard, ...]


class Lately(NamedTuple):
    states: Counter[str]
    failed: list[Heard]
    truncated: bool
    """Whether jobs have runs in the stretch that were not looked at."""


class RunsBook(Book[JobRuns]):
    """By job, as far back as anybody has asked; hours are looked through for jobs from the present on."""

    def __init__(self) -> None:
        super().__init__()
        self.totals: Counter[tuple[int, str]] = Counter()
        self.notable: dict[int, JobRuns] = {}
        """Those of which more is told than how many there are."""
        self._pending: dict[int, None] = {}
        self._hours = 0
        self._down_to: int | None = None

    def drop(self, entity: int) -> None:
        kept = self.values.get(entity)
        if kept is not None:
            self.totals.subtract(kept.counts)
        super().drop(entity)
        self.notable.pop(entity, None)
        self._pending[entity] = None

    def forget(self) -> None:
        super().forget()
        self.totals, self.notable, self._pending, self._down_to = Counter(), {}, {}, None

    def reach(self, hours: int) -> None:
        if hours > self._hours:
            self._hours = hours
            self.forget()

    def look(self, snapshot: Snapshot, standings: Standings, at: int, most: int, patience: Patience) -> bool:
        """Whether all runs of the stretch are known now."""
        since = begin_of(at, self._hours)
        while most > 0 and not patience.is_over and self.may_write(snapshot):
            if not self._pending and not self._find(snapshot, at, since):
                return True
            jobs = [self._pending.popitem()[0] for _ in range(min(_TOGETHER, len(self._pending)))]
            for job, runs in _read(snapshot, standings, jobs, since).items():
                most -= len(runs)
                self._write(job, runs)
        return not self._pending and self._down_to is not None and self._down_to <= since

    def _write(self, job: int, runs: list[Heard]) -> None:
        counts = Counter((run.last_at // HOUR, run.state) for run in runs)
        failed = tuple(run for run in runs if run.state == "FAILED")
        opened = tuple(run for run in runs if run.is_open)
        self.write(job, JobRuns(dict(counts), failed, opened) if runs else None)
        self.totals.update(counts)
        if failed or opened:
            self.notable[job] = self.values[job]

    def _find(self, snapshot: Snapshot, at: int, since: int) -> bool:
        """Look through earlier hours until there are jobs to read; false where there are none."""
        where = (snapshot.reader.connection, snapshot.scope, snapshot.moment)
        step = HOUR
        while self._down_to is None or self._down_to > since:
            # What is said of the future counts too.
            until = FOREVER if self._down_to is None else self._down_to - 1
            begin = max((at // HOUR * HOUR if self._down_to is None else self._down_to - step), since)
            found = lately.subjects_between(*where, begin, until)
            self._down_to = begin
            self._pending.update(dict.fromkeys(self.missing(found)))
            if self._pending:
                return True
            step *= 1 if len(found) > _FEW else 2
        return False


def runs_lately(snapshot: Snapshot, standings: Standings, at: int, hours: int, patience: Patience = ENDLESS) -> Lately:
    """Of the hour of a moment, and of those before it."""
    book = snapshot.lately.runs if snapshot.sees_all else RunsBook()
    since = begin_of(at, hours)
    with book.lock:
        book.reach(hours)
        book.catch_up(snapshot)
        whole = book.look(snapshot, standings, at, MOST_RUNS if snapshot.sees_all else MOST_RUNS_THEN, patience)
        totals = Counter(book.totals)
        notable = list(book.notable.items())
        for job in snapshot.hidden & book.values.keys() if snapshot.hidden else ():
            totals.subtract(book.values[job].counts)
    first = since // HOUR
    states: Counter[str] = Counter()
    for (hour, state), count in totals.items():
        if hour >= first:
            states[state] += count
    shown = [(job, runs) for job, runs in notable if job not in snapshot.hidden]
    failed = [run for _, runs in shown for run in runs.failed if run.last_at >= since]
    opened = [run for _, runs in shown for run in runs.opened if run.last_at >= since]
    _join_halves(snapshot, opened, since, states, failed)
    return Lately(states, failed, not whole)


def _read(snapshot: Snapshot, standings: Standings, jobs: list[int], since: int) -> dict[int, list[Heard]]:
    """For each job its runs that were heard of since."""
    reader = snapshot.reader
    ids = lately.runs_since(reader.connection, snapshot.scope, snapshot.moment, jobs, since)
    by_job: dict[int, list[Heard]] = {job: [] for job in jobs}
    for run in standings.of({run for runs in ids.values() for run in runs}):
        # Another job may have a run of the same id.
        if run.key[1] in by_job and run.last_at >= since:
            by_job[run.key[1]].append(run)
    return by_job


def _join_halves(
    snapshot: Snapshot, opened: list[Heard], since: int, states: Counter[str], failed: list[Heard]
) -> None:
    """A run whose job was renamed meanwhile is told in two halves: it is one run, in the state that its end tells."""
    shared = snapshot.reader.shared_runs({run.key[2] for run in opened}) if opened else set()
    facts = snapshot.runs_by_id(shared) if shared else {}
    for run in opened:
        half = snapshot.other_half(facts[run.key]) if run.key in facts else None
        if half is None:
            continue
        states[run.state] -= 1
        # The other one may have been heard of last before the stretch, or be hidden.
        if half.key[1] in snapshot.hidden or half.events[-1].event_at < since:
            whole = snapshot.whole_run(facts[run.key])
            states[whole.state] += 1
            if whole.state == "FAILED":
                failed.append(run._replace(state=whole.state, end_at=whole.end[0] if whole.end else run.end_at))


def states(counts: Counter[str]) -> Answer:
    return {
        "total": counts.total(),
        **{state.lower(): counts[state] for state in ("COMPLETED", "FAILED", "ABORTED", "RUNNING", "NEW")},
    }


def failed_runs(snapshot: Snapshot, runs: Iterable[Heard]) -> tuple[int, list[Answer]]:
    """How many, and those that failed last."""
    failed = sorted(runs, key=lambda run: -run.end_at)
    # All that may be shown, then by what doesn't depend on the order in which things were first heard of.
    near = [run for run in failed if run.end_at >= failed[min(SHOWN, len(failed)) - 1].end_at]
    names = snapshot.names({run.key[1] for run in near})
    shown = sorted(near, key=lambda run: (-run.end_at, names[run.key[1]], run.key[2]))[:SHOWN]
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
