"""Nothing enters but what is new in the store; when each namespace was first heard of leaves.

Such a time can only become an earlier one, so what was written since is all that must be looked at.
"""

from __future__ import annotations

import threading

from lineage_hub.store.changes import entities_of
from lineage_hub.store.reader import Reader


class FirstMentions:
    """Of the view without bounds; a reader whose snapshot is older than what was seen is told what is known."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seq = -1
        self._first: dict[str, int] = {}

    def of(self, reader: Reader) -> dict[str, int]:
        with self._lock:
            seq = reader.last_seq()
            if self._seq < 0:
                self._first = reader.first_mentions()
                self._seq = seq
            elif seq > self._seq:
                self._first = self._with_those_after(reader, self._seq)
                self._seq = seq
            return self._first

    def _with_those_after(self, reader: Reader, seq: int) -> dict[str, int]:
        numbers = reader.shapes_written_after(seq)
        bounds = reader.bounds(numbers)
        entities = {number: entities_of(shape) for number, shape in reader.shapes(numbers).items()}
        names = reader.names({entity for found in entities.values() for entity in found})
        first = dict(self._first)
        for number, (begun, _) in bounds.items():
            for entity in entities[number]:
                space = names[entity][0]
                if not space:
                    continue  # a producer, which has none
                first[space] = min(begun, first.get(space, begun))
        return first
