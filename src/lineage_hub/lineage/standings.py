"""The events of one run enter in the order in which they came; how the run stands after each of them leaves."""

from __future__ import annotations

from bisect import insort
from typing import NamedTuple

from lineage_hub.lineage.rows import EventRow
from lineage_hub.lineage.runs import ENDS, Outcome, outcome
from lineage_hub.lineage.shapes import INFERRED


class Standing(NamedTuple):
    state: str
    start_at: int
    end_at: int | None


class Standings:
    """Of as many events as have come so far."""

    def __init__(self) -> None:
        self.events: list[EventRow] = []
        """In their order."""
        self._outcome: Outcome | None = None
        self._has_inferred = False
        self.now: Standing | None = None

    def add(self, row: EventRow) -> None:
        self._has_inferred |= bool(row.flags & INFERRED)
        ends_again = self._ends_again(row)
        insort(self.events, row)
        # Streams complete thousands of times; what came before needn't be looked through for each.
        found = outcome(self.events) if ends_again is None else ends_again
        self._outcome = found
        self.now = Standing(found.state, self.events[0].event_at, None if found.end is None else found.end[0])

    def _ends_again(self, row: EventRow) -> Outcome | None:
        """If it is the last event and ends the run as it has ended already."""
        known = self._outcome
        if known is None or self._has_inferred or row.type not in ENDS or row < self.events[-1]:
            return None
        return known._replace(end=row.ord) if known.types == {row.type} else None
