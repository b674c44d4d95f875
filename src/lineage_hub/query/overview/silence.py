"""A moment enters; the producers leave that have been silent for longer than usual, and for an hour at least.

One that another version has taken the place of is not silent.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lineage_hub.query.overview.patience import ENDLESS, Patience
from lineage_hub.query.producers import all_producers
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.store import lately, producers

Answer = dict[str, Any]
LEAST_S = 3600
SHOWN = 10
# Of silent ones that have told more different things the answer doesn't wait.
MOST_TOLD = 1_000
SECOND = 1_000_000_000
_MANY = 2**31


class _Kept(NamedTuple):
    """What was said of the silent ones at a time, how much each had told by then, and of what."""

    told: dict[int, int]
    at: int
    producers: list[Answer]
    epoch: int
    subjects: set[int]


class Silence:
    """What was said last: it holds until one of the silent tells something new, or speaks of what it spoke of."""

    def __init__(self) -> None:
        self.kept: _Kept | None = None

    def holds(self, snapshot: Snapshot, told: dict[int, int], at: int) -> _Kept | None:
        kept, changes = self.kept, snapshot.changes
        if kept is None or kept.told != told or kept.at > at or changes.topology > kept.epoch:
            return None
        if changes.epoch > kept.epoch:
            changed = {entity for entity, epoch in list(changes.last.items()) if epoch > kept.epoch}
            if not changed.isdisjoint(kept.subjects):
                return None
        return kept


def silent_producers(
    snapshot: Snapshot, now: int, at: int, patience: Patience = ENDLESS
) -> tuple[int, list[Answer], bool]:
    """How many, and those that fell silent last; and whether there was too much to look through."""
    where = (snapshot.reader.connection, snapshot.scope, snapshot.moment)
    every = producers.names(snapshot.reader.connection)
    since = max(at - LEAST_S * SECOND, -(2**63))
    silent = every.keys() - lately.producers_heard(*where, since, at)
    if not silent:
        return 0, [], False
    told = lately.count_told(snapshot.reader.connection, snapshot.scope, silent)
    memory = snapshot.lately.silence if snapshot.sees_all else Silence()
    kept = memory.holds(snapshot, told, at)
    if kept is None:
        if patience is not ENDLESS and sum(told.values()) > MOST_TOLD:
            return 0, [], True
        # Whatever they tell next speaks of one of these, or is something that they never told.
        spoken_of = producers.subjects(*where)
        subjects = set[int]().union(*[spoken_of[one] for one in silent if one in spoken_of])
        listed = all_producers(snapshot, now, LEAST_S, _MANY, 0)["producers"]
        kept = memory.kept = _Kept(told, at, listed, snapshot.epoch, subjects)
    later_s = (at - kept.at) / SECOND
    found = [
        {
            "producer": one["producer"],
            "integration": one["integration"],
            "version": one["version"],
            "lastEventAt": one["lastEventAt"],
            "usualGapS": one["usualGapS"],
            "silentForS": one["silentForS"] + later_s,
        }
        for one in kept.producers
        if one["usualGapS"] is not None and one["silentForS"] + later_s > one["usualGapS"]
    ]
    found.sort(key=lambda one: (one["silentForS"], one["producer"]))
    return len(found), found[:SHOWN], False
