"""Answers about the present enter with what they speak of; they leave again as long as nothing of that has changed.

Only the view without bounds and without tenant limits is remembered: it is what nearly every reader asks for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lineage_hub.store.changes import Changes

LIMIT = 2_000_000


class Memory:
    def __init__(self, changes: Changes) -> None:
        self.changes = changes
        self._kept: dict[tuple[str, int], tuple[int, tuple[int, ...], Any]] = {}
        self._topology = 0

    def get(self, what: str, about: int) -> Any | None:
        if self.changes.topology != self._topology:
            self._topology = self.changes.topology
            self._kept = {}
        entry = self._kept.get((what, about))
        if entry is None or self.changes.last(entry[1]) > entry[0]:
            return None
        return entry[2]

    def put(self, what: str, about: int, epoch: int, depends_on: Iterable[int], value: Any) -> None:
        """`epoch` was read before the snapshot began, so a write in between makes the entry stale, never wrong."""
        if epoch >= self.changes.topology:
            if len(self._kept) > LIMIT:
                self._kept = {}
            self._kept[(what, about)] = (epoch, tuple(depends_on), value)
