"""Jobs enter; the run or JobEvent that each job's current version is, leaves: its head."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lineage_hub.lineage.rows import EventRow
from lineage_hub.lineage.runs import RunFacts

if TYPE_CHECKING:
    from lineage_hub.query.snapshot import Snapshot

PAGE = 200


def find_heads(snapshot: Snapshot, jobs: list[int]) -> dict[int, RunFacts]:
    with_datasets = _with_datasets(snapshot, jobs)
    rows = snapshot.reader.candidates(with_datasets)
    snapshot.runs_of(row for events in rows.values() for row in events)
    heads: dict[int, RunFacts] = {}
    for job in with_datasets:
        events = sorted(rows.get(job, ()), key=lambda row: row.ord, reverse=True)
        head = _first_candidate(snapshot, events)
        if head is None and events:
            head = _search_candidates(snapshot, job, events[0].event_at)
        head = head or _last_started_with_datasets(snapshot, job)
        if head is not None:
            heads[job] = head
    return heads


def _with_datasets(snapshot: Snapshot, jobs: Iterable[int]) -> list[int]:
    """Jobs of which any event names a dataset; spares the search through the runs of the others."""
    jobs = list(jobs)
    by_job = snapshot.shapes_of(jobs)
    shapes = snapshot.reader.shapes({shape for job in jobs for shape in by_job[job]})
    return [job for job in jobs if any(shapes[n].subject == job and shapes[n].has_datasets for n in by_job[job])]


def _first_candidate(snapshot: Snapshot, events: Iterable[EventRow]) -> RunFacts | None:
    for row in events:
        facts = snapshot.facts_of(row)
        if facts.candidate == row.ord:
            return facts
    return None


def _search_candidates(snapshot: Snapshot, job: int, event_at: int) -> RunFacts | None:
    """Backwards in time, past runs that failed or named no dataset."""
    limit = PAGE
    while True:
        rows = snapshot.reader.candidates_before(job, event_at, limit)
        snapshot.runs_of(rows)
        found = _first_candidate(snapshot, rows)
        if found is not None or len(rows) < limit:
            return found
        if rows[-1].event_at == event_at:
            limit *= 2
        event_at = rows[-1].event_at


def _last_started_with_datasets(snapshot: Snapshot, job: int) -> RunFacts | None:
    offset = 0
    while rows := snapshot.reader.starts(job, PAGE, offset):
        runs = snapshot.runs_of(rows)
        for row in rows:
            if runs[row.run_key].has_datasets:
                return runs[row.run_key]
        offset += PAGE
    return None
