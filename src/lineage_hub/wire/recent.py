"""A bounded memory of recent values by digest: what was met lately is found, what wasn't is forgotten.

Two generations: when the young one is full it becomes the old one, so no entry needs a clock of its own.
"""

from __future__ import annotations

from typing import Generic, TypeVar

V = TypeVar("V")


class Recent(Generic[V]):
    def __init__(self, limit: int) -> None:
        """`limit` counts entries."""
        self._limit = limit // 2
        self._young: dict[bytes, V] = {}
        self._old: dict[bytes, V] = {}

    def get(self, key: bytes) -> V | None:
        value = self._young.get(key)
        if value is None:
            value = self._old.get(key)
            if value is not None:
                self.put(key, value)
        return value

    def put(self, key: bytes, value: V) -> None:
        self._young[key] = value
        if len(self._young) > self._limit:
            self._old, self._young = self._young, {}
