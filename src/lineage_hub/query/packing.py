"""Texts of answers enter and leave; in between they take a tenth of the room."""

from __future__ import annotations

import threading

import zstandard

LEVEL = 1
# A shorter one is mostly names and times, of which little is left out.
SHORTEST = 1_000
_FRAME = zstandard.FRAME_HEADER
# Neither may be used by two threads at a time.
_local = threading.local()


def packed(text: bytes) -> bytes:
    if len(text) < SHORTEST:
        return text
    compressor = getattr(_local, "compressor", None)
    if compressor is None:
        compressor = _local.compressor = zstandard.ZstdCompressor(level=LEVEL)
    frame: bytes = compressor.compress(text)
    return frame


def unpacked(kept: bytes) -> bytes:
    """A text that isn't packed leaves as it is: JSON doesn't begin as a frame does."""
    if kept[:4] != _FRAME:
        return kept
    decompressor = getattr(_local, "decompressor", None)
    if decompressor is None:
        decompressor = _local.decompressor = zstandard.ZstdDecompressor()
    text: bytes = decompressor.decompress(kept)
    return text
