"""Ids of runs enter; how each of them stands leaves, without what it read or wrote; each is read once for an answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from lineage_hub.lineage.rows import RunKey
from lineage_hub.lineage.runs import ENDS, outcome
from lineage_hub.lineage.shapes import RUNNING, START
from lineage_hub.query.snapshot import Snapshot


class Heard(NamedTuple):
    """A run as its own events tell it."""

    key: RunKey
    state: str
    last_at: int
    end_at: int
    """Of one that hasn't ended, its last event."""
    is_open: bool


class Standings:
    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._known: dict[bytes, list[Heard]] = {}

    def of(self, runs: Iterable[bytes]) -> list[Heard]:
        """All runs that have one of these ids, of whichever job."""
        wanted = set(runs)
        missing = wanted - self._known.keys()
        for run in missing:
            self._known[run] = []
        for key, rows in self._snapshot.reader.runs(missing).items() if missing else ():
            events = sorted(rows)
            state, end, _ = outcome(events)
            types = {row.type for row in events}
            is_open = types.isdisjoint(ENDS) and not types.isdisjoint((START, RUNNING))
            last_at = events[-1].event_at
            self._known[key[2]].append(Heard(key, state, last_at, last_at if end is None else end[0], is_open))
        return [one for run in wanted for one in self._known[run]]
