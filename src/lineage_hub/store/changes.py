"""What was written enters, by this process or another; which entities changed since an epoch leaves.

Answers that are remembered carry the epoch they were read at, and count only while nothing they speak of is newer.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, bindparam, select

from lineage_hub.lineage.shapes import CUTS, Shape, decode
from lineage_hub.store import tables
from lineage_hub.store.prepared import Prepared

_COUNTERS = Prepared(select(tables.counter.c.name, tables.counter.c.value))
_HORIZONS = Prepared(
    select(tables.retention.c.tenant, tables.retention.c.horizon_at).where(tables.retention.c.horizon_at.is_not(None))
)
_SHAPES = (
    select(tables.shape.c.body)
    .where(tables.shape.c.id.in_(select(tables.raw.c.shape).where(tables.raw.c.seq > bindparam("seen"))))
)  # fmt: skip


class Changes:
    def __init__(self) -> None:
        self.epoch = 0
        # Cuts and symlinks can change what any name resolves to.
        self.topology = 0
        # The epoch of each entity's last change.
        self.last: dict[int, int] = {}
        self._seen: int | None = None
        # How often something was removed, and up to where for each tenant.
        self._removed: tuple[int, dict[str, int]] = (0, {})
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

    def catch_up(self, connection: Connection) -> dict[str, int]:
        """Learn what others wrote before this snapshot; up to where each tenant's events were removed leaves."""
        counters: dict[str, int] = dict(_COUNTERS.rows(connection, {}))
        swept, horizons = self._removed
        if counters["swept"] != swept:
            horizons = dict(_HORIZONS.rows(connection, {}))
            self._removed = counters["swept"], horizons
            # What is remembered may lead to events that are gone.
            self.apply((), topology=True)
        self._catch_up(connection, counters["seq"])
        return horizons

    def _catch_up(self, connection: Connection, seq: int) -> None:
        if self._seen is None:
            self._seen = seq
        if seq <= self._seen:
            return
        seen, self._seen = self._seen, seq
        bodies: Any = connection.execute(_SHAPES, {"seen": seen}).scalars()
        shapes = [decode(bytes(body)) for body in bodies]
        entities = {entity for shape in shapes for entity in entities_of(shape)}
        self.apply(entities, topology=any(moves_names(shape) for shape in shapes))


def entities_of(shape: Shape) -> set[int]:
    entities = {shape.subject, *shape.named}
    for mention in shape.mentions:
        entities.add(mention.dataset)
        entities.update(mention.sources)
    return entities


def moves_names(shape: Shape) -> bool:
    return any(mention.marks & CUTS or "symlinks" in mention.facets for mention in shape.mentions)
