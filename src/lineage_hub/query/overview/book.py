"""What was found out about jobs or datasets enters; it leaves as long as nothing that it depends on has changed.

Only what changed is looked at again, so that an answer about a hundred thousand of them costs what is new.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable
from typing import Generic, TypeVar

from lineage_hub.query.snapshot import Snapshot

Value = TypeVar("Value")


class Book(Generic[Value]):
    """Hold its lock from `catch_up` until all that it is asked for was read or written."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.values: dict[int, Value] = {}
        """Of those about which there is something to tell."""
        self._looked_at: set[int] = set()
        # Those whose value depends on another one, by that; each depends on itself as well.
        self._dependents: dict[int, set[int]] = {}
        # Those that must be looked at each time, whatever is written.
        self._unsettled: set[int] = set()
        self._epoch = -1
        # The last list of which all were known, as long as nothing was dropped.
        self._whole: Collection[int] | None = None

    def catch_up(self, snapshot: Snapshot) -> None:
        """Drop what may have changed before this snapshot."""
        changes, before = snapshot.changes, self._epoch
        if snapshot.epoch > before:
            self._epoch = snapshot.epoch
            if changes.topology > before:
                self.forget()
            else:
                # A copy, since it grows while events come in.
                for entity, epoch in list(changes.last.items()):
                    if epoch > before:
                        self.drop(entity)
        for one in tuple(self._unsettled):
            self.drop(one)

    def may_write(self, snapshot: Snapshot) -> bool:
        """Not what an older snapshot shows than the one that was caught up with."""
        return snapshot.epoch >= self._epoch

    def missing(self, about: Collection[int]) -> list[int]:
        if about is self._whole:
            return []
        known = self._looked_at
        found = [one for one in about if one not in known]
        self._whole = None if found else about
        return found

    def write(self, one: int, value: Value | None, depends_on: Iterable[int] = (), *, settled: bool = True) -> None:
        """None if there is nothing to tell."""
        self._looked_at.add(one)
        if value is not None:
            self.values[one] = value
        for other in depends_on:
            if other != one:
                self._dependents.setdefault(other, set()).add(one)
        if not settled:
            self._unsettled.add(one)

    def drop(self, entity: int) -> None:
        """All that depends on it."""
        self._whole = None
        for one in (entity, *self._dependents.pop(entity, ())):
            self._looked_at.discard(one)
            self._unsettled.discard(one)
            self.values.pop(one, None)

    def forget(self) -> None:
        self.values, self._looked_at, self._dependents, self._unsettled = {}, set(), {}, set()
        self._whole = None
