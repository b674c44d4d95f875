"""The mentions of a dataset enter once; how it was described at any ord leaves, with few of them looked at again."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from lineage_hub.lineage.rows import Ord
from lineage_hub.query.facts import Facts, Placed, newest_of_placed
from lineage_hub.query.snapshot import Snapshot


class Descriptions:
    """Of events that say the same of a dataset only the last one up to an ord can count."""

    def __init__(self, snapshot: Snapshot, placed: Iterable[Placed]) -> None:
        self._snapshot = snapshot
        self._alike: dict[tuple[int, int, int], list[Placed]] = {}
        for one in sorted(placed, key=lambda one: one.row.ord):
            alike = (one.row.shape, one.mention.dataset, one.mention.side)
            self._alike.setdefault(alike, []).append(one)
        self._first_at = min((each[0].row.event_at for each in self._alike.values()), default=0)

    def before(self, bound: Ord) -> Facts:
        """Facet values from the mentions up to an ord."""
        last = []
        for each in self._alike.values():
            at = bisect_right(each, bound, key=lambda one: one.row.ord)
            if at:
                last.append(each[at - 1])
        facts = newest_of_placed(self._snapshot, last)
        facts.created_at = self._first_at if last else 0
        return facts
