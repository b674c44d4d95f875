"""Jobs enter; the runs of each that started last leave, with all events of the job since then, in two reads for all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from lineage_hub.lineage.rows import EventRow, Ord, RunKey
from lineage_hub.lineage.runs import RunFacts, Said, run_facts

if TYPE_CHECKING:
    from lineage_hub.query.snapshot import Snapshot

SHOWN = 10
# A few more than are shown: what the earliest of these read was written by an earlier run.
READ = SHOWN + 2


class Latest(NamedTuple):
    """Of one job."""

    runs: list[RunFacts]
    """The one that started last first."""
    completed: list[tuple[Ord, RunFacts]]
    """All that ended well from a time on, with their ends, the last first."""
    since: int | None
    """That time; None if there are no earlier events."""


def load_latest(snapshot: Snapshot, jobs: Iterable[int]) -> None:
    """Those that weren't yet, for `snapshot.latest` and for whatever asks for their runs."""
    missing = [job for job in jobs if job not in snapshot.latest]
    if not missing:
        return
    rows = snapshot.reader.latest(missing, READ)
    by_run: dict[RunKey, list[EventRow]] = {}
    for events in rows.values():
        for row in events:
            by_run.setdefault(row.run_key, []).append(row)
    _know_runs(snapshot, by_run)
    keys: dict[int, list[RunKey]] = {job: [] for job in missing}
    for key in by_run:
        keys[key[1]].append(key)
    for job in missing:
        begun = min([row.event_at for row in rows.get(job, ())], default=0)
        snapshot.latest[job] = _latest(begun, snapshot.known_runs(keys[job]))


def _know_runs(snapshot: Snapshot, by_run: dict[RunKey, list[EventRow]]) -> None:
    """Of most runs all events are among these; those of the others are read."""
    counted = snapshot.reader.count_events_of({key[2] for key in by_run})
    shapes = snapshot.reader.shapes({row.shape for events in by_run.values() for row in events})
    parted: set[bytes] = set()
    whole: list[RunFacts] = []
    alike: dict[tuple[int, ...], Said] = {}
    for key, events in by_run.items():
        if counted[key[2]] == len(events):
            whole.append(run_facts(key, events, shapes, alike))
        else:
            parted.add(key[2])
    snapshot.know_runs(whole)
    if parted:
        snapshot.runs_by_id(parted)


def _latest(begun: int, runs: list[RunFacts]) -> Latest:
    # One that started before the first of these events started before all that are looked for.
    started = sorted([run for run in runs if run.start[0] >= begun], key=_start, reverse=True)
    ended = [(run.end, run) for run in runs if run.state == "COMPLETED" and run.end and run.end[0] >= begun]
    ended.sort(key=_end, reverse=True)
    return Latest(started, ended, begun if len(started) >= READ else None)


def _start(run: RunFacts) -> Ord:
    return run.start


def _end(one: tuple[Ord, RunFacts]) -> Ord:
    return one[0]
