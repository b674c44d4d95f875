"""Numbers enter, the immutable values they stand for leave: names, shapes and facet bodies, from memory where possible.

A number's value never changes once written, so nothing here is ever invalidated, only forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

import zstandard
from sqlalchemy import Connection, select

from lineage_hub.lineage.shapes import Shape
from lineage_hub.store import tables
from lineage_hub.store.codec import Codec

V = TypeVar("V")
_DICTIONARIES = select(tables.dictionary.c.body)


class Shelf(Generic[V]):
    """The values used lately, in two generations."""

    def __init__(self, limit: int) -> None:
        self._limit = limit // 2
        self._young: dict[int, V] = {}
        self._old: dict[int, V] = {}

    def fetch(self, numbers: Iterable[int], load: Callable[[list[int]], Iterator[tuple[int, V]]]) -> dict[int, V]:
        found: dict[int, V] = {}
        missing: list[int] = []
        young, old = self._young, self._old
        for number in numbers:
            if number in found:
                continue
            value = young.get(number)
            if value is None:
                value = old.get(number)
                if value is None:
                    missing.append(number)
                    continue
                young[number] = value
            found[number] = value
        if missing:
            loaded = dict(load(list(dict.fromkeys(missing))))
            found.update(loaded)
            young.update(loaded)
        if len(young) > self._limit:
            self._old, self._young = young, {}
        return found


class Library:
    def __init__(self, codec: Codec, entries: int = 400_000) -> None:
        self._codec = codec
        self.names: Shelf[tuple[str, str]] = Shelf(entries)
        self.shapes: Shelf[Shape] = Shelf(entries // 4)
        self.blobs: Shelf[bytes] = Shelf(entries // 8)

    def text(self, connection: Connection, frame: bytes) -> bytes:
        return unpacked(connection, self._codec, frame)


def unpacked(connection: Connection, codec: Codec, frame: bytes) -> bytes:
    number = zstandard.get_frame_parameters(frame).dict_id
    if number and not codec.knows(number):
        # Another process trained a dictionary after this one started.
        bodies: Any = connection.execute(_DICTIONARIES).scalars()
        for body in bodies:
            codec.learn(bytes(body))
    return codec.decompress(frame)
