"""A store enters; snapshots of it leave, and what may be remembered between them is held here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lineage_hub.model import EVERYTHING, NOW, Moment, Scope
from lineage_hub.query.first_mentions import FirstMentions
from lineage_hub.query.history import History
from lineage_hub.query.horizon import horizon_of, refuse_before
from lineage_hub.query.memory import Memory
from lineage_hub.query.overview.lately import Lately
from lineage_hub.query.said import Listening
from lineage_hub.query.search.indexing import Indexing
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.time_slices import TimeSlices
from lineage_hub.store.open import LineageStore


class Queries:
    """Opens snapshots of one store; holds what may be remembered between them."""

    def __init__(self, store: LineageStore, memory_mb: int = 256) -> None:
        self.store = store
        self.memory = Memory(store.changes, memory_mb)
        self.history = History()
        self.listening = Listening(store.changes)
        self.indexing = Indexing(store)
        self._counted = (0, 0)
        self.slices = TimeSlices()
        self.first_mentions = FirstMentions()
        self.lately = Lately()

    def listen(self) -> None:
        """Learn what was said and written until now."""
        with self.at(EVERYTHING, NOW):
            pass

    @contextmanager
    def at(self, scope: Scope, moment: Moment) -> Iterator[Snapshot]:
        epoch = self.store.changes.epoch
        with self.store.reading() as connection:
            counters = self.store.changes.catch_up(connection)
            if self._counted != (counters.swept, counters.fold):
                # What is only ever added to was taken away from.
                self._counted = (counters.swept, counters.fold)
                self.slices, self.first_mentions, self.history = TimeSlices(), FirstMentions(), History()
                self.lately = Lately()
            horizon_at = horizon_of(scope, self.store.changes.horizons)
            if horizon_at is not None:
                refuse_before(horizon_at, moment)
            said = self.listening.until_now(connection, epoch)
            snapshot = Snapshot(self, connection, scope, moment, epoch, counters.rules, horizon_at)
            snapshot.said = said if snapshot.sees_all else self.listening.at(connection, scope, moment)
            yield snapshot
