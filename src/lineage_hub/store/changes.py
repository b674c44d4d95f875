"""What was written enters, by this process or another; which entities changed since an epoch leaves.

Answers that are remembered carry the epoch they were read at, and count only while nothing they speak of is newer.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, bindparam, func, select

from lineage_hub.lineage.shapes import CUTS, Shape, decode
from lineage_hub.store import tables
from lineage_hub.store.prepared import Prepared

_SEQ = Prepared(select(tables.counter.c.value).where(tables.counter.c.name == "seq"))
_LAST_SHAPE = Prepared(select(func.max(tables.shape.c.id)))
_SHAPES = (
    select(tables.shape.c.id, tables.shape.c.body)
    .where(tables.shape.c.id.in_(select(tables.raw.c.shape).where(tables.raw.c.seq > bindparam("seen"))))
)  # fmt: skip
# After more events than this the memory is better forgotten than looked through.
MANY = 20_000


class Changes:
    def __init__(self) -> None:
        self.epoch = 0
        # Cuts and symlinks can change what any name resolves to.
        self.topology = 0
        # The epoch of each entity's last change.
        self.last: dict[int, int] = {}
        self._seen: int | None = None
        self._last_shape = 0
        self._lock = threading.Lock()

    def apply(self, entities: Iterable[int], *, topology: bool, first_seq: int = 0, last_seq: int = 0) -> None:
        with self._lock:
            # The epoch goes last: who has read it may rely on all that belongs to it.
            epoch = self.epoch + 1
            for entity in entities:
                self.last[entity] = epoch
            if topology:
                self.topology = epoch
            self.epoch = epoch
            if self._seen is not None and first_seq == self._seen + 1:
                self._seen = last_seq

    def catch_up(self, connection: Connection) -> None:
        """Learn what other processes wrote before this snapshot."""
        seq = int(_SEQ.rows(connection, {})[0][0])
        if self._seen is None:
            self._last_shape = int(_LAST_SHAPE.rows(connection, {})[0][0] or 0)
            self._seen = seq
        seen = self._seen
        if seq <= seen:
            return
        if seq - seen > MANY:
            self.apply((), topology=True)
        else:
            self._learn(connection, seen)
        # Only now: another request that finds nothing to do relies on what was learned.
        with self._lock:
            self._seen = max(self._seen, seq)

    def _learn(self, connection: Connection, seen: int) -> None:
        rows: Any = connection.execute(_SHAPES, {"seen": seen})
        shapes = {number: decode(bytes(body)) for number, body in rows}
        entities = {entity for shape in shapes.values() for entity in entities_of(shape)}
        known = self._last_shape
        self.apply(entities, topology=any(moves_names(one, number > known) for number, one in shapes.items()))
        self._last_shape = max(known, max(shapes, default=0))


def entities_of(shape: Shape) -> set[int]:
    entities = {shape.subject, *shape.named}
    for mention in shape.mentions:
        entities.add(mention.dataset)
        entities.update(mention.sources)
    return entities


def moves_names(shape: Shape, is_new: bool) -> bool:
    """What an old shape links was linked before; which of its links count, the names that bear on an answer tell."""
    return any(mention.marks & CUTS or (is_new and "symlinks" in mention.facets) for mention in shape.mentions)
