"""What is written enters as it is asked about; which shapes tell of checks, and how many events an hour has, leave.

Both only ever grow, so that what was found once needn't be looked for again. Beside them stand the books of the others.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from lineage_hub.model import EVERYTHING, NOW, Scope
from lineage_hub.query.time_slices import TimeSlices
from lineage_hub.store import lately
from lineage_hub.store.lately import Text
from lineage_hub.store.reader import Reader
from lineage_hub.wire.quality import tells_of_checks

if TYPE_CHECKING:
    from lineage_hub.query.overview.book import Book
    from lineage_hub.query.overview.everything import Everything
    from lineage_hub.query.overview.going_on import GoingOn
    from lineage_hub.query.overview.late import Due
    from lineage_hub.query.overview.runs import RunsBook
    from lineage_hub.query.overview.schemas import Change
    from lineage_hub.query.overview.silence import Silence

HOUR = 3_600_000_000_000
# Of hours that are kept: more than the longest stretch has.
_MOST_HOURS = 1_000


class Found(NamedTuple):
    """`left` is how many numbers of events were not looked at yet."""

    shapes: frozenset[int]
    left: int


class Checks:
    """Shapes of events whose texts tell of checks. No shape says so itself: what checks found differs by the run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # All numbers after `_low` and up to `_high` were looked at.
        self._low = self._high = -1
        self._shapes: frozenset[int] = frozenset()

    def look(self, reader: Reader, scope: Scope, most: int) -> Found:
        """What came in since first, then what is older, at most so many texts."""
        with self._lock:
            last = reader.last_seq()
            if self._high < 0:
                self._low = self._high = last
            if last > self._high:
                new = lately.texts_after(reader.connection, scope, reader.library, self._high, most)
                self._note(new)
                self._high = new[-1].seq if len(new) == most else last
                most -= len(new)
            if most > 0 and self._low > 0:
                old = lately.texts_up_to(reader.connection, scope, reader.library, self._low, most)
                self._note(old)
                self._low = old[-1].seq - 1 if len(old) == most else 0
            return Found(self._shapes, self._low + max(0, last - self._high))

    def _note(self, texts: Iterable[Text]) -> None:
        known = self._shapes
        self._shapes = known | {one.shape for one in texts if one.shape not in known and tells_of_checks(one.body)}


class Hours:
    """Counts of whole hours. They are right as long as they add up to all events of the stretch."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[int, int] = {}

    def count(self, reader: Reader, slices: TimeSlices, begin: int, hours: int) -> list[int]:
        """From `begin` on, of which an hour begins."""
        starts = [begin + number * HOUR for number in range(hours)]
        end, last = begin + hours * HOUR, starts[-1]
        # To begin with counting all that there is takes longer than to count the stretch.
        pieces = slices.pieces(reader, begin, end) if slices.is_begun else None
        if pieces is None:
            return self._read(reader, starts, end)
        total = sum(piece.events for piece in pieces)
        with self._lock:
            known = [self._counts.get(start) for start in starts[:-1]]
        closed = [count for count in known if count is not None]
        # The present hour is still being filled.
        present = reader.count_between(last, end)
        if len(closed) == len(known) and sum(closed) + present == total:
            return [*closed, present]
        counts = self._read(reader, starts, end)
        with self._lock:
            if len(self._counts) > _MOST_HOURS:
                self._counts = {}
            self._counts.update(zip(starts[:-1], counts, strict=False))
        return counts

    def _read(self, reader: Reader, starts: list[int], end: int) -> list[int]:
        found = lately.count_by_step(reader.connection, EVERYTHING, NOW, starts[0], end, HOUR)
        return [found.get(number, 0) for number in range(len(starts))]


class Lately:
    """Of the view without bounds; whoever takes events away, or folds them otherwise, makes a new one.

    The books stand in modules that read snapshots, and a snapshot brings this: they are made when first asked for.
    """

    def __init__(self) -> None:
        self.checks, self.hours = Checks(), Hours()

    @cached_property
    def everything(self) -> Everything:
        from lineage_hub.query.overview.everything import Everything

        return Everything()

    @cached_property
    def runs(self) -> RunsBook:
        from lineage_hub.query.overview.runs import RunsBook

        return RunsBook()

    @cached_property
    def due(self) -> Book[Due]:
        from lineage_hub.query.overview.book import Book

        return Book()

    @cached_property
    def schemas(self) -> Book[tuple[Change, ...]]:
        from lineage_hub.query.overview.book import Book

        return Book()

    @cached_property
    def silence(self) -> Silence:
        from lineage_hub.query.overview.silence import Silence

        return Silence()

    @cached_property
    def going_on(self) -> GoingOn:
        from lineage_hub.query.overview.going_on import GoingOn

        return GoingOn()
