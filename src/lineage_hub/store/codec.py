"""Event and facet texts enter, small frames leave; and back.

Events of one team look alike, so a dictionary trained on its own first events makes a frame several times smaller.
"""

from __future__ import annotations

import threading
from typing import Any

import zstandard

LEVEL = 3
DICTIONARY_BYTES = 16_384
SAMPLES = 500
# More teach nothing more, and cost the CPU of hundreds of events. An odd step: START and COMPLETE often take turns.
SAMPLE_STEP = 9
# What a search for the best finds for events; the search itself costs more than the training.
SEGMENT_BYTES = 1_500


class Codec:
    """Compression is for one thread (the writer); decompression for any."""

    def __init__(self, dictionaries: list[bytes]) -> None:
        self._dictionaries: dict[int, zstandard.ZstdCompressionDict] = {}
        self._local = threading.local()
        self._compressor = zstandard.ZstdCompressor(level=LEVEL)
        for body in dictionaries:
            self.use(body)

    @property
    def is_trained(self) -> bool:
        return bool(self._dictionaries)

    def learn(self, body: bytes) -> int:
        """Frames made with this dictionary can be read from now on."""
        dictionary = zstandard.ZstdCompressionDict(body)
        number = dictionary.dict_id()
        self._dictionaries.setdefault(number, dictionary)
        return number

    def use(self, body: bytes) -> int:
        number = self.learn(body)
        self._compressor = zstandard.ZstdCompressor(
            level=LEVEL, dict_data=zstandard.ZstdCompressionDict(body), write_content_size=True
        )
        return number

    def compress(self, text: bytes) -> bytes:
        return self._compressor.compress(text)

    def decompress(self, frame: bytes) -> bytes:
        """Of a frame whose dictionary wasn't learned yet a KeyError tells."""
        number = zstandard.get_frame_parameters(frame).dict_id
        known: dict[Any, zstandard.ZstdDecompressor] = self._local.__dict__
        decompressor = known.get(number)
        if decompressor is None:
            dictionary = self._dictionaries[number] if number else None
            decompressor = known[number] = zstandard.ZstdDecompressor(dict_data=dictionary)
        return decompressor.decompress(frame)


def train(samples: list[bytes]) -> bytes:
    samples = samples[::SAMPLE_STEP]
    return zstandard.train_dictionary(DICTIONARY_BYTES, list[Any](samples), k=SEGMENT_BYTES, d=8).as_bytes()
