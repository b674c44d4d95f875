"""What was written enters, by this process or another; which entities changed since an epoch leaves.

Answers that are remembered carry the epoch they were read at, and count only while nothing they speak of is newer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import Connection, bindparam, func, select

from lineage_hub.lineage.shapes import CUTS, Shape, decode
from lineage_hub.store import tables
from lineage_hub.store.counters import Counters, counters
from lineage_hub.store.prepared import Prepared

_HORIZONS = Prepared(
    select(tables.retention.c.tenant, tables.retention.c.horizon_at).where(tables.retention.c.horizon_at.is_not(None))
)
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
        # Called in the thread that learned of a change, when it can be read.
        self.listeners: list[Callable[[], None]] = []
        self._seen: int | None = None
        # Events were folded again, or are to be shown otherwise, whenever this one differs.
        self._fold: int | None = None
        # How often something was removed, and up to where for each tenant.
        self._swept = 0
        self.horizons: dict[str, int] = {}
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
        for listener in tuple(self.listeners):
            listener()

    def catch_up(self, connection: Connection) -> Counters:
        """Learn what other processes wrote before this snapshot."""
        found = counters(connection)
        if found.swept != self._swept:
            self.horizons, self._swept = dict(_HORIZONS.rows(connection, {})), found.swept
            # What is remembered may lead to events that are gone.
            self.apply((), topology=True)
        if self._seen is None or self._fold is None:
            self._last_shape = int(_LAST_SHAPE.rows(connection, {})[0][0] or 0)
            self._seen, self._fold = found.seq, found.fold
        if found.fold > self._fold:
            self._fold = found.fold
            self.apply((), topology=True)
        seen = self._seen
        if found.seq <= seen:
            return found
        if found.seq - seen > MANY:
            self.apply((), topology=True)
        else:
            self._learn(connection, seen)
        # Only now: another request that finds nothing to do relies on what was learned.
        with self._lock:
            self._seen = max(self._seen, found.seq)
        return found

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
