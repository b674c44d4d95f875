"""Nothing enters but what is new in the store; the names of all jobs and datasets leave sorted, a page at a time.

Names are never taken back, so what was read once stays true, and only what was added since is read.
"""

from __future__ import annotations

import threading
from bisect import insort
from collections.abc import Iterator
from itertools import chain, islice

from lineage_hub.store.reader import Reader

# A name and the entity's number.
Entry = tuple[str, int]
# Of more than that many new ones a sort is cheaper than a search for the place of each.
FEW = 200


class Listing:
    """The entities of one kind, in one namespace or in all, in the order of their names."""

    def __init__(self, parts: list[list[Entry]], left_out: frozenset[int]) -> None:
        self._parts, self._left_out = parts, left_out

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def __iter__(self) -> Iterator[int]:
        return (number for _, number in chain.from_iterable(self._parts) if number not in self._left_out)

    def page(self, limit: int, offset: int) -> tuple[int, list[int]]:
        """How many there are, and the numbers of the page."""
        if self._left_out:
            every = list(self)
            return len(every), every[offset : offset + limit]
        found: list[int] = []
        skip = offset
        for part in self._parts:
            if len(found) == limit:
                break
            if skip >= len(part):
                skip -= len(part)
                continue
            found += [number for _, number in islice(part, skip, skip + limit - len(found))]
            skip = 0
        return len(self), found


class Catalogue:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen = 0
        self._spaces: dict[int, str] = {}
        self._entries: dict[tuple[int, str], list[Entry]] = {}

    def listing(
        self, reader: Reader, kind: int, namespace: str | None = None, left_out: frozenset[int] = frozenset()
    ) -> Listing:
        """As the reader's snapshot has it."""
        last = reader.last_entity()
        with self._lock:
            if last > self._seen:
                self._add(reader, last)
            seen = self._seen
            if namespace is not None:
                parts = [list(self._entries.get((kind, namespace), ()))]
            else:
                keys = sorted(key for key in self._entries if key[0] == kind)
                parts = [list(self._entries[key]) for key in keys]
        if seen > last:
            # Another request has seen more since this one's snapshot.
            parts = [[entry for entry in part if entry[1] <= last] for part in parts]
        return Listing(parts, left_out)

    def _add(self, reader: Reader, last: int) -> None:
        added: dict[tuple[int, str], list[Entry]] = {}
        for number, kind, space, name in reader.entities_after(self._seen):
            if space not in self._spaces:
                self._spaces = reader.spaces()
            added.setdefault((kind, self._spaces[space]), []).append((name, number))
        for key, entries in added.items():
            known = self._entries.setdefault(key, [])
            if len(entries) > FEW:
                known += entries
                known.sort()
            else:
                for entry in entries:
                    insort(known, entry)
        self._seen = last
