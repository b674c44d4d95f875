"""Answers about the present enter with what they speak of; they leave again as long as nothing of that has changed.

Only the view without bounds and without tenant limits is remembered: it is what nearly every reader asks for.
"""

from __future__ import annotations

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
    __slots__ = ("depends_on", "epoch", "value")

    def __init__(self, epoch: int, depends_on: tuple[int, ...], value: Any) -> None:
        self.epoch, self.depends_on, self.value = epoch, depends_on, value


class Notes:
    """What one request has found out already; nothing of it changes while it is asked."""

    def __init__(self) -> None:
        self._kept: dict[str, dict[int, Any]] = {}

    def get(self, what: str, about: Iterable[int]) -> dict[int, Any]:
        kept = self._kept.get(what)
        return {one: kept[one] for one in about if one in kept} if kept else {}

    def put(self, what: str, _epoch: int, values: Mapping[int, Any], _depends_on: DependsOn = itself) -> None:
        self._kept.setdefault(what, {}).update(values)


class Memory:
    """At its bound it forgets everything: what is asked for often is soon there again."""

    def __init__(self, changes: Changes, limit_mb: int) -> None:
        self.changes, self._limit = changes, limit_mb * MIB
        self._kept: dict[str, dict[int, _Entry]] = {}
        self._size = 0
        self._topology = 0

    def get(self, what: str, about: Iterable[int]) -> dict[int, Any]:
        """Those that are still true; the others are left out."""
        changes = self.changes
        epoch = changes.epoch
        last = changes.last
        if changes.topology != self._topology:
            self._topology = changes.topology
            self._forget()
        kept = self._kept.get(what)
        found: dict[int, Any] = {}
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

    def put(self, what: str, epoch: int, values: Mapping[int, Any], depends_on: DependsOn = itself) -> None:
        """`epoch` was read before the snapshot began, so a write in between makes the entry stale, never wrong."""
        if epoch < self.changes.topology:
            return
        for about, value in values.items():
            if self._size > self._limit:
                self._forget()
            kept = self._kept.setdefault(what, {})
            if about in kept:
                self._size -= _size(kept[about].value) + _NUMBER_BYTES * len(kept[about].depends_on)
            entry = _Entry(epoch, tuple(depends_on(about)), value)
            self._size += _size(value) + _NUMBER_BYTES * len(entry.depends_on)
            kept[about] = entry

    def _forget(self) -> None:
        self._kept, self._size = {}, 0


def _size(value: Any) -> int:
    if isinstance(value, bytes):
        return _ENTRY_BYTES + len(value)
    if isinstance(value, _COLLECTIONS):
        return _ENTRY_BYTES * (1 + len(value)) + sum([len(one) for one in value if isinstance(one, bytes)])
    return _ENTRY_BYTES
