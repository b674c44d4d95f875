"""Datasets and a moment enter; whether each is fresh, due or late leaves, by what users expect or else by its habit.

When a dataset's next write is due follows from its writes alone, and is remembered until there may be another.
"""

from __future__ import annotations

from collections.abc import Collection, Set
from typing import Any, NamedTuple

from lineage_hub.errors import ExtraMissing
from lineage_hub.lineage.expectations import read_expectation
from lineage_hub.lineage.freshness import SECOND, AsUsual, Expectation, State, freshness
from lineage_hub.lineage.rows import RunKey
from lineage_hub.lineage.shapes import RUN_EVENT, WRITTEN
from lineage_hub.query.facts import mentions_of
from lineage_hub.query.freshness import USUAL, set_expectations
from lineage_hub.query.horizon import unbroken
from lineage_hub.query.overview.book import Book
from lineage_hub.query.overview.patience import ENDLESS, Patience
from lineage_hub.query.overview.standings import Standings
from lineage_hub.query.snapshot import Snapshot
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
# Datasets whose runs are read in one go.
_TOGETHER = 50
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


def lateness(
    snapshot: Snapshot,
    standings: Standings,
    datasets: Collection[int],
    at: int,
    patience: Patience = ENDLESS,
    *,
    late_only: bool = False,
) -> Late:
    """Those of which nothing can be said are left out; where only the late ones matter, all others are."""
    looking = _Looking(snapshot, standings, at)
    set_for = set_expectations(snapshot)
    if set_for:
        visible = set(datasets)
        set_for = {one: kept for one, kept in set_for.items() if one in visible}
    found = {one: looking.expected(one, kept) for one, kept in set_for.items()}
    usual, left = looking.usual(datasets, patience, late_only=late_only)
    for dataset, due in usual.items():
        if dataset not in set_for:
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

    def usual(self, datasets: Collection[int], patience: Patience, *, late_only: bool) -> tuple[dict[int, Due], int]:
        """When the next write is due, where there is a habit. And how many were not looked at."""
        snapshot = self._snapshot
        book: Book[Due] = snapshot.lately.due if snapshot.sees_all else Book()
        with book.lock:
            book.catch_up(snapshot)
            missing = book.missing(datasets)
            done = 0
            while done < len(missing) and self._left > 0 and not patience.is_over and book.may_write(snapshot):
                some = missing[done : done + _TOGETHER]
                snapshot.load_shapes(some)
                for dataset, times in self._written(some).items():
                    written = unbroken(snapshot, times)
                    past = [one for one in written if one <= self._at]
                    # Clocks of producers may be ahead of ours: such a write counts when its time has come.
                    settled = len(past) == len(written)
                    book.write(dataset, self._due(past), self._bearing_on(dataset), settled=settled)
                done += len(some)
            left = len(book.missing(missing)) if missing else 0
            if not late_only:
                return {one: book.values[one] for one in datasets if one in book.values}, left
            late = {one: due for one, due in book.values.items() if due.late_at <= self._at}
        wanted = set(datasets) if late else set()
        return {one: due for one, due in late.items() if one in wanted}, left

    def _due(self, written: list[int]) -> Due | None:
        judged = freshness(USUAL, written, self._at, self._at)
        if judged.habit is None or judged.due_at is None or judged.late_at is None:
            return None
        return Due(judged.due_at, judged.late_at)

    def _written(self, datasets: Collection[int]) -> dict[int, list[int]]:
        """When the versions of each were made."""
        plain = [one for one in datasets if self._versions.is_plain(one)]
        found = {one: self._of_versions(one) for one in datasets if one not in set(plain)}
        # The versions of the others are the runs that wrote them, and their ends are all that matters.
        runs_of = {one: self._writers(one) for one in plain}
        self._left -= sum(len(keys) + 1 for keys in runs_of.values())
        ends: dict[RunKey, int] = {
            run.key: run.end_at
            for run in self._standings.of({run for keys in runs_of.values() for _, _, run in keys})
            if run.state == "COMPLETED"
        }
        found |= {one: [ends[key] for key in keys if key in ends] for one, keys in runs_of.items()}
        return found

    def _written_at(self, dataset: int) -> list[int]:
        return self._written([dataset])[dataset]

    def _of_versions(self, dataset: int) -> list[int]:
        self._left -= len(self._versions.placed(dataset)) + 1
        return [one.created[0] for one in self._versions.all_of(dataset)]

    def _writers(self, dataset: int) -> set[RunKey]:
        """The runs that wrote it last."""
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
        return lately.newest_runs(*where, writing, MOST_OF_ONE) if writing else set()

    def _bearing_on(self, dataset: int) -> Set[int]:
        return self._snapshot.bearing_on(dataset) | self._versions.bearing_on(dataset)


def answer(snapshot: Snapshot, late: Late, at: int) -> tuple[int, list[Answer]]:
    """How many are late, and those that became so last."""
    found = {one: told for one, told in late.by_dataset.items() if told.state == "late"}
    last = sorted((told.late_at or 0 for told in found.values()), reverse=True)[:SHOWN]
    near = [one for one, told in found.items() if (told.late_at or 0) >= last[-1]]
    names = snapshot.names(near)
    newest = sorted(near, key=lambda one: (-(found[one].late_at or 0), names[one]))[:SHOWN]
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
