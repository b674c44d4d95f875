"""A window of time enters; how many events lie in it leaves, and where a page far inside it begins.

Events are counted once, in slices of time. Counts only grow, so when they add up to the number of all events,
each of them is right; what came in since is looked for in the newest slices first.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from typing import NamedTuple

from lineage_hub.model import FOREVER
from lineage_hub.store.reader import Reader

SIZE = 2_048
# One more than the least number of 64 bits, which a window may lie after.
BEGINNING = 1 - 2**63


class Piece(NamedTuple):
    """A part of a window, from `begin` on and before `end`."""

    begin: int
    end: int
    events: int


class TimeSlices:
    def __init__(self, size: int = SIZE) -> None:
        self._size = size
        self._lock = threading.Lock()
        # The last number that was counted; a slice begins at its time and ends where the next one begins.
        self._seq = 0
        self._total = 0
        self._begins: list[int] = [BEGINNING]
        self._counts: list[int] = [0]

    @property
    def is_begun(self) -> bool:
        """Whether events were counted; what came in since is counted soon."""
        return self._seq > 0

    def pieces(self, reader: Reader, begin: int, end: int) -> list[Piece] | None:
        """The window in the order of time; None where the reader sees less than what was counted."""
        with self._lock:
            if not self._catch_up(reader):
                return None
            begins, counts = list(self._begins), list(self._counts)
        if begin >= end:
            return []
        found = []
        for at in range(bisect_right(begins, begin) - 1, bisect_left(begins, end)):
            from_, to = begins[at], begins[at + 1] if at + 1 < len(begins) else FOREVER
            if begin <= from_ and to <= end:
                found.append(Piece(from_, to, counts[at]))
            else:
                cut = max(begin, from_), min(end, to)
                found.append(Piece(*cut, reader.count_between(*cut)))
        return found

    def _catch_up(self, reader: Reader) -> bool:
        seq = reader.last_seq()
        if seq < self._seq:
            return False
        if seq > self._seq:
            self._total += reader.count_written_after(self._seq)
            self._recount(reader)
            self._seq = seq
        return True

    def _recount(self, reader: Reader) -> None:
        missing = self._total - sum(self._counts)
        for at in reversed(range(len(self._begins))):
            if not missing:
                break
            end = self._begins[at + 1] if at + 1 < len(self._begins) else FOREVER
            count = reader.count_between(self._begins[at], end)
            missing -= count - self._counts[at]
            self._counts[at] = count
            if count > 2 * self._size:
                self._split(reader, at, end)

    def _split(self, reader: Reader, at: int, end: int) -> None:
        begins, counts = [self._begins[at]], []
        left = self._counts[at]
        while left > 2 * self._size:
            following = reader.time_of(begins[-1], self._size)
            if following == begins[-1]:
                # More events than a slice holds happened at one time: they stay together.
                following = reader.time_after(begins[-1])
            if following is None or following >= end:
                break
            counts.append(reader.count_between(begins[-1], following))
            left -= counts[-1]
            begins.append(following)
        counts.append(left)
        self._begins[at : at + 1], self._counts[at : at + 1] = begins, counts


def seek(pieces: list[Piece], offset: int, *, descending: bool) -> tuple[int, int, int]:
    """The window that is left when whole pieces were skipped, and how many events must be skipped in it."""
    begin, end = pieces[0].begin, pieces[-1].end
    for piece in reversed(pieces) if descending else pieces:
        if offset < piece.events:
            break
        offset -= piece.events
        begin, end = (begin, piece.begin) if descending else (piece.end, end)
    return begin, end, offset
