"""A moment enters; the producers leave that have been silent for longer than usual, and for an hour at least.

One that another version has taken the place of is not silent.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Any, NamedTuple

from lineage_hub.query.producers import all_producers
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.store import lately, producers

Answer = dict[str, Any]
LEAST_S = 3600
SHOWN = 10
SECOND = 1_000_000_000
_MANY = 2**31


class _Kept(NamedTuple):
    """What was said of the silent ones at a time, and how much each had told by then."""

    told: dict[int, int]
    at: int
    producers: list[Answer]


def silent_producers(snapshot: Snapshot, now: int, at: int) -> tuple[int, list[Answer]]:
    """How many, and those that fell silent last."""
    where = (snapshot.reader.connection, snapshot.scope, snapshot.moment)
    every = producers.names(snapshot.reader.connection)
    since = max(at - LEAST_S * SECOND, -(2**63))
    silent = every.keys() - lately.producers_heard(*where, since, at)
    if not silent:
        return 0, []
    by_producer = snapshot.shapes_of(silent)
    told = {one: len(by_producer[one]) for one in silent}
    kept: _Kept | None = snapshot.recall("silent producers", (0,)).get(0)
    if kept is None or kept.told != told or kept.at > at:
        kept = _Kept(told, at, all_producers(snapshot, now, LEAST_S, _MANY, 0)["producers"])
        snapshot.keep("silent producers", {0: kept}, lambda _: _subjects(snapshot, silent))
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
    return len(found), found[:SHOWN]


def _subjects(snapshot: Snapshot, silent: Set[int]) -> set[int]:
    """All that they told of: whatever they tell next speaks of one of these, or is something that they never told."""
    by_producer = snapshot.shapes_of(silent)
    shapes = snapshot.reader.shapes({number for one in silent for number in by_producer[one]})
    return {shape.subject for shape in shapes.values()}
