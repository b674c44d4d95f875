"""Datasets enter; how many of the checks on each passed when they were last made leaves, and which fail since when.

Only events whose texts tell of checks are read, and what was found is remembered until an event speaks of the dataset.
"""

from __future__ import annotations

from collections.abc import Collection, Set
from typing import Any, NamedTuple

from lineage_hub.query.overview.patience import ENDLESS, Patience
from lineage_hub.query.own_words import own_words
from lineage_hub.query.quality import assertions
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.spoken import BEGINNING, END
from lineage_hub.wire.quality import ASSERTION_FACETS

Answer = dict[str, Any]
# Texts of events that one answer looks through for checks, and of these those of which it reads what they found.
MOST_TEXTS = 4_000
_TEXTS_TOGETHER = 500
MOST_READ = 1_000
# Of one dataset: what was checked more often than that since is told by the last of them.
MOST_EVENTS = 1_000
SHOWN = 10


class Failing(NamedTuple):
    assertion: str
    column: str | None
    since: str


class Checked(NamedTuple):
    passing: int
    failing: tuple[Failing, ...]


class Quality(NamedTuple):
    """`truncated` says that events were not looked at, so that there may be more checks."""

    by_dataset: dict[int, Checked]
    truncated: bool


NOT_CHECKED = Checked(0, ())


def checked(snapshot: Snapshot, datasets: Collection[int], patience: Patience = ENDLESS) -> Quality:
    """Those of which no check is known are left out."""
    texts, step = MOST_TEXTS, MOST_TEXTS if patience is ENDLESS else _TEXTS_TOGETHER
    telling = snapshot.lately.checks.look(snapshot.reader, snapshot.scope, min(step, texts))
    while telling.left and (texts := texts - step) > 0 and not patience.is_over:
        telling = snapshot.lately.checks.look(snapshot.reader, snapshot.scope, min(step, texts))
    wanted = _checked_ones(snapshot, telling.shapes, datasets)
    # What is known of a dataset counts as long as no other shapes are known to tell of checks.
    known: dict[int, tuple[int, Checked]] = snapshot.recall("checked", wanted)
    found = {one: kept[1] for one, kept in known.items() if kept[0] == len(telling.shapes)}
    left = MOST_READ
    fresh: dict[int, tuple[int, Checked]] = {}
    for dataset in wanted:
        if dataset not in found and left > 0 and not patience.is_over:
            looked_at, made = _read(snapshot, dataset, telling.shapes)
            left -= max(looked_at, 1)
            fresh[dataset] = len(telling.shapes), made
            found[dataset] = made
    snapshot.keep("checked", fresh, snapshot.bearing_on)
    is_whole = len(found) == len(wanted) and not telling.left
    return Quality({one: made for one, made in found.items() if made != NOT_CHECKED}, not is_whole)


def _checked_ones(snapshot: Snapshot, telling: Set[int], datasets: Collection[int]) -> list[int]:
    """Of these datasets the ones that such events speak of, under whichever name."""
    if not telling:
        return []
    shapes = snapshot.reader.shapes(telling)
    named = {mention.dataset for shape in shapes.values() for mention in shape.mentions}
    frontier = named
    # What was said of a name may lie on the one that its content went on as.
    while (
        frontier := {
            cut.continues_as for name in frontier for cut in snapshot.cuts.get(name, ()) if cut.continues_as is not None
        }
        - named
    ):
        named = named | frontier
    joined = snapshot.joined(named)
    present = {joined.of(name) for name in named}
    return [one for one in datasets if one in present]


def _read(snapshot: Snapshot, dataset: int, telling: Set[int]) -> tuple[int, Checked]:
    told = own_words(snapshot, dataset, BEGINNING, END, MOST_EVENTS, ASSERTION_FACETS.__contains__, telling)
    series = assertions(snapshot, told)
    failing = [
        Failing(one["assertion"], one["column"], one["failingSince"]) for one in series if one["success"] is False
    ]
    return told.spoken.looked_at, Checked(sum(one["success"] is True for one in series), tuple(failing))


def answer(snapshot: Snapshot, quality: Quality) -> tuple[int, list[Answer]]:
    """How many checks fail, and those that began to last."""
    names = snapshot.names(quality.by_dataset)
    every = [(names[dataset], one) for dataset, made in quality.by_dataset.items() for one in made.failing]
    every.sort(key=lambda pair: (pair[0], pair[1].assertion, pair[1].column or ""))
    every.sort(key=lambda pair: pair[1].since, reverse=True)
    return len(every), [
        {
            "dataset": {"namespace": name[0], "name": name[1]},
            "assertion": one.assertion,
            "column": one.column,
            "failingSince": one.since,
        }
        for name, one in every[:SHOWN]
    ]
