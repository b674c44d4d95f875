"""Answers about the present enter with what they speak of; they leave again as long as nothing of that has changed.

Only the view without bounds and without tenant limits is remembered: it is what nearly every reader asks for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lineage_hub.store.changes import Changes

MIB = 1024 * 1024
# What an entry takes beside its text, roughly.
_ENTRY_BYTES = 300
_NUMBER_BYTES = 8
_COLLECTIONS = (tuple, list, dict, set)
DependsOn = Callable[[int], Iterable[int]]


def itself(one: int) -> tuple[int]:
    return (one,)


class _Entry:
    __slots__ = ("depends_on", "epoch", "size", "value")

    def __init__(self, epoch: int, depends_on: tuple[int, ...], value: Any) -> None:
        self.epoch, self.depends_on, self.value = epoch, depends_on, value
        self.size = _size(value) + _NUMBER_BYTES * len(depends_on)


_Kept = dict[str, dict[int, _Entry]]


class Notes:
    """What one request has found out already; nothing of it changes while it is asked."""

    is_filling = False

    def __init__(self) -> None:
        self._kept: dict[str, dict[int, Any]] = {}

    def get(self, what: str, about: Iterable[int]) -> dict[int, Any]:
        kept = self._kept.get(what)
        return {one: kept[one] for one in about if one in kept} if kept else {}

    def put(self, what: str, _epoch: int, values: Mapping[int, Any], _depends_on: DependsOn = itself) -> None:
        self._kept.setdefault(what, {}).update(values)


class Memory:
    """In two generations, each of half its bound: what nobody asked for while one filled up is forgotten.

    That is nearly what was used least lately, and costs nothing when something is found.
    """

    def __init__(self, changes: Changes, limit_mb: int) -> None:
        self.changes, self._limit = changes, limit_mb * MIB // 2
        self._young: _Kept = {}
        self._old: _Kept = {}
        self._size = self._old_size = 0
        self._topology = 0
        self._lock = threading.Lock()

    @property
    def is_filling(self) -> bool:
        """Whether half of the bound is in use, so that what is packed lets more stay."""
        return self._size + self._old_size > self._limit

    def get(self, what: str, about: Iterable[int]) -> dict[int, Any]:
        """Those that are still true; the others are left out."""
        changes = self.changes
        epoch = changes.epoch
        last = changes.last
        if changes.topology != self._topology:
            self._topology = changes.topology
            self._forget()
        kept, old = self._young.get(what), self._old.get(what)
        found: dict[int, Any] = {}
        if old:
            about = list(about)
            kept = self._of_both(what, about, kept or {}, old)
        if kept:
            for one in about:
                entry = kept.get(one)
                if entry is None:
                    continue
                if entry.epoch < epoch:
                    for entity in entry.depends_on:
                        if last.get(entity, 0) > entry.epoch:
                            break
                    else:
                        # Looked at once, it needn't be again until something else changes.
                        entry.epoch = epoch
                        found[one] = entry.value
                    continue
                found[one] = entry.value
        return found

    def _of_both(
        self, what: str, about: list[int], young: Mapping[int, _Entry], old: Mapping[int, _Entry]
    ) -> dict[int, _Entry]:
        """Of both generations; other threads may take from either meanwhile."""
        found: dict[int, _Entry] = {}
        again: dict[int, _Entry] = {}
        for one in about:
            entry = young.get(one)
            if entry is None and (entry := old.get(one)) is not None:
                again[one] = entry
            if entry is not None:
                found[one] = entry
        if again:
            self._renew(what, again)
        return found

    def put(self, what: str, epoch: int, values: Mapping[int, Any], depends_on: DependsOn = itself) -> None:
        """`epoch` was read before the snapshot began, so a write in between makes the entry stale, never wrong."""
        if epoch < self.changes.topology:
            return
        fresh = {about: _Entry(epoch, tuple(depends_on(about)), value) for about, value in values.items()}
        with self._lock:
            for about, entry in fresh.items():
                before = self._old.get(what, {}).pop(about, None)
                if before is not None:
                    self._old_size -= before.size
                self._take(what, about, entry)

    def _renew(self, what: str, again: Mapping[int, _Entry]) -> None:
        """What is asked for again stays for another generation."""
        with self._lock:
            for one, entry in again.items():
                old = self._old.get(what, {})
                if old.get(one) is entry:
                    del old[one]
                    self._old_size -= entry.size
                    self._take(what, one, entry)

    def _take(self, what: str, about: int, entry: _Entry) -> None:
        if self._size + entry.size > self._limit:
            self._old, self._old_size = self._young, self._size
            self._young, self._size = {}, 0
        kept = self._young.setdefault(what, {})
        before = kept.get(about)
        self._size += entry.size - (before.size if before is not None else 0)
        kept[about] = entry

    def _forget(self) -> None:
        with self._lock:
            self._young, self._old = {}, {}
            self._size = self._old_size = 0


def _size(value: Any) -> int:
    if isinstance(value, bytes):
        return _ENTRY_BYTES + len(value)
    if isinstance(value, _COLLECTIONS):
        return _ENTRY_BYTES * (1 + len(value)) + sum([len(one) for one in value if isinstance(one, bytes)])
    return _ENTRY_BYTES
