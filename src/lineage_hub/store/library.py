"""Numbers enter, the immutable values they stand for leave: names, shapes and facet bodies, from memory where possible.

A number's value never changes once written, so nothing here is ever invalidated, only forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection, select

from lineage_hub.lineage.rules.rewriting import Rules
from lineage_hub.lineage.shapes import Shape
from lineage_hub.store import tables
from lineage_hub.store.codec import Codec

K = TypeVar("K")
V = TypeVar("V")
_DICTIONARIES = select(tables.dictionary.c.body)


class Shelf(Generic[K, V]):
    """The values used lately, in two generations."""

    def __init__(self, limit: int) -> None:
        self._limit = limit // 2
        self._young: dict[K, V] = {}
        self._old: dict[K, V] = {}

    def fetch(self, wanted: Iterable[K], load: Callable[[list[K]], Iterable[tuple[K, V]]]) -> dict[K, V]:
        keys = dict.fromkeys(wanted)
        young, old = self._young, self._old
        found = {key: young[key] for key in keys if key in young}
        if len(found) < len(keys):
            again = {key: old[key] for key in keys if key in old and key not in found}
            found.update(again)
            young.update(again)
            missing = [key for key in keys if key not in found]
            if missing:
                loaded = dict(load(missing))
                found.update(loaded)
                young.update(loaded)
        if len(young) > self._limit:
            self._old, self._young = young, {}
        return found


class Library:
    def __init__(self, codec: Codec, entries: int = 400_000) -> None:
        self._codec = codec
        self.names: Shelf[int, tuple[str, str]] = Shelf(entries)
        self.shapes: Shelf[int, Shape] = Shelf(entries // 4)
        self.blobs: Shelf[int, bytes] = Shelf(entries // 8)
        self.rules: Shelf[int, Rules] = Shelf(32)

    def text(self, connection: Connection, frame: bytes) -> bytes:
        return unpacked(connection, self._codec, frame)


def unpacked(connection: Connection, codec: Codec, frame: bytes) -> bytes:
    try:
        return codec.decompress(frame)
    except KeyError:
        # Another process trained a dictionary after this one started.
        bodies: Any = connection.execute(_DICTIONARIES).scalars()
        for body in bodies:
            codec.learn(bytes(body))
        return codec.decompress(frame)
