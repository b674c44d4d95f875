"""Datasets and a moment enter; whether each is fresh, due or late leaves, by what users expect or else by its habit.

When a dataset's next write is due follows from its writes alone, and is remembered until there may be another.
"""

from __future__ import annotations

from collections.abc import Collection, Set
from typing import Any, NamedTuple

from lineage_hub.errors import ExtraMissing
from lineage_hub.lineage.expectations import read_expectation
from lineage_hub.lineage.freshness import SECOND, AsUsual, Expectation, State, freshness
from lineage_hub.lineage.shapes import RUN_EVENT
from lineage_hub.query.facts import mentions_of
from lineage_hub.query.freshness import USUAL, set_expectations
from lineage_hub.query.horizon import unbroken
from lineage_hub.query.overview.standings import Standings
from lineage_hub.query.snapshot import WRITTEN, Snapshot
from lineage_hub.query.versions import Versions
from lineage_hub.store import lately
from lineage_hub.store.expectations import Kept
from lineage_hub.wire import instant_text

Answer = dict[str, Any]
# Writes that one answer reads to learn habits; those of more datasets are known after a few answers.
MOST_WRITES = 4_000
MOST_WRITES_THEN = 10_000
# Of one dataset: more than a habit is learned from, with two or three events for each write.
MOST_OF_ONE = 1_500
SHOWN = 10
_LAST = b"\xff" * 17


class Due(NamedTuple):
    due_at: int
    late_at: int


class Lateness(NamedTuple):
    state: State
    due_at: int | None
    late_at: int | None
    learned: bool
    """Nobody set what is expected."""


class Late(NamedTuple):
    by_dataset: dict[int, Lateness]
    left: int
    """Datasets whose habits were not looked at."""


def lateness(snapshot: Snapshot, standings: Standings, datasets: Collection[int], at: int) -> Late:
    """Those of which nothing can be said are left out."""
    looking = _Looking(snapshot, standings, at)
    set_for = set_expectations(snapshot)
    expected = [one for one in datasets if one in set_for]
    found = {one: looking.expected(one, set_for[one]) for one in expected}
    others = [one for one in datasets if one not in set_for]
    usual, left = looking.usual(others)
    for dataset, due in usual.items():
        if due is not None:
            state: State = "late" if at >= due.late_at else "due" if at >= due.due_at else "fresh"
            found[dataset] = Lateness(state, due.due_at, due.late_at, True)
    return Late(found, left)


class _Looking:
    def __init__(self, snapshot: Snapshot, standings: Standings, at: int) -> None:
        self._snapshot, self._standings = snapshot, standings
        self._at, self._versions = at, Versions(snapshot)
        self._left = MOST_WRITES if snapshot.sees_all else MOST_WRITES_THEN

    def expected(self, dataset: int, kept: Kept) -> Lateness:
        expectation: Expectation = read_expectation(kept.body)
        if isinstance(expectation, AsUsual):
            written = unbroken(self._snapshot, self._written_at(dataset))
        else:
            last = self._versions.last_before(dataset, (self._at, _LAST))
            written = [] if last is None else [last.created[0]]
        past = [one for one in written if one <= self._at]
        try:
            judged = freshness(expectation, past, kept.set_at, self._at)
        except ExtraMissing:
            # What reads cron times isn't installed any more; all else can be told.
            return Lateness("unknown", None, None, False)
        return Lateness(judged.state, judged.due_at, judged.late_at, False)

    def usual(self, datasets: Collection[int]) -> tuple[dict[int, Due | None], int]:
        """When the next write is due; None where there is no habit. And how many were not looked at."""
        snapshot = self._snapshot
        found: dict[int, Due | None] = snapshot.recall("usually due", datasets)
        missing = [one for one in datasets if one not in found]
        fresh: dict[int, Due | None] = {}
        lasting: dict[int, Due | None] = {}
        snapshot.load_shapes(missing)
        for dataset in missing:
            if self._left <= 0:
                break
            written = unbroken(snapshot, self._written_at(dataset))
            past = [one for one in written if one <= self._at]
            fresh[dataset] = self._due(past)
            # Clocks of producers may be ahead of ours: such a write counts when its time has come.
            if len(past) == len(written):
                lasting[dataset] = fresh[dataset]
        snapshot.keep("usually due", lasting, self._bearing_on)
        found.update(fresh)
        return found, len(missing) - len(fresh)

    def _due(self, written: list[int]) -> Due | None:
        judged = freshness(USUAL, written, self._at, self._at)
        if judged.habit is None or judged.due_at is None or judged.late_at is None:
            return None
        return Due(judged.due_at, judged.late_at)

    def _written_at(self, dataset: int) -> list[int]:
        """When its versions were made."""
        if not self._versions.is_plain(dataset):
            self._left -= len(self._versions.placed(dataset)) + 1
            return [one.created[0] for one in self._versions.all_of(dataset)]
        # Its versions are the runs that wrote it, and their ends are all that matters.
        snapshot = self._snapshot
        names = snapshot.names_under(dataset)
        by_name = snapshot.shapes_of(names)
        shapes = snapshot.reader.shapes({number for name in names for number in by_name[name]})
        writing = {
            number
            for number, shape in shapes.items()
            if shape.kind == RUN_EVENT and any(one.side in WRITTEN for one in mentions_of(shape, names))
        }
        where = (snapshot.reader.connection, snapshot.scope, snapshot.moment)
        keys = lately.newest_runs(*where, writing, MOST_OF_ONE) if writing else set()
        self._left -= len(keys) + 1
        runs = self._standings.of({run for _, _, run in keys})
        return [run.end_at for run in runs if run.state == "COMPLETED" and run.key in keys]

    def _bearing_on(self, dataset: int) -> Set[int]:
        return self._snapshot.bearing_on(dataset) | self._versions.bearing_on(dataset)


def answer(snapshot: Snapshot, late: Late, at: int) -> tuple[int, list[Answer]]:
    """How many are late, and those that became so last."""
    found = {one: told for one, told in late.by_dataset.items() if told.state == "late"}
    names = snapshot.names(found)
    newest = sorted(found, key=lambda one: (-(found[one].late_at or 0), names[one]))[:SHOWN]
    return len(found), [
        {
            "dataset": {"namespace": names[one][0], "name": names[one][1]},
            "dueAt": instant_text(found[one].due_at or 0),
            "lateSince": instant_text(found[one].late_at or 0),
            "lateS": (at - (found[one].late_at or 0)) / SECOND,
            "learned": found[one].learned,
        }
        for one in newest
    ]
