"""Texts of answers enter with what bears on them; they leave again as long as nothing of that has changed.

They are kept packed: the texts about one job or dataset repeat themselves, and ten times as many fit.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable

import zstandard

from lineage_hub.query.memory import Memory

# What more entities bear on costs as much to check as to find out again.
MOST_BEARING = 2_000
LEVEL = 1


class Answers:
    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        # A packer serves one thread at a time.
        self._own = threading.local()

    def get(self, what: str, about: Iterable[int]) -> dict[int, bytes]:
        kept = self._memory.get(what, about)
        if not kept:
            return {}
        unpack = self._packers()[1].decompress
        return {one: unpack(packed) for one, packed in kept.items()}

    def put(self, what: str, epoch: int, about: int, text: bytes, bearing: Collection[int]) -> None:
        if len(bearing) <= MOST_BEARING:
            packed = self._packers()[0].compress(text)
            self._memory.put(what, epoch, {about: packed}, lambda _: bearing)

    def _packers(self) -> tuple[zstandard.ZstdCompressor, zstandard.ZstdDecompressor]:
        packers: tuple[zstandard.ZstdCompressor, zstandard.ZstdDecompressor] | None
        packers = getattr(self._own, "packers", None)
        if packers is None:
            packers = self._own.packers = zstandard.ZstdCompressor(level=LEVEL), zstandard.ZstdDecompressor()
        return packers
