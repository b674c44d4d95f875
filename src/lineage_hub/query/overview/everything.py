"""A snapshot enters; all jobs and datasets that can be seen leave, in no order, and how many namespaces they have.

Names are not read for it: what was heard of before is held, and only what is new is asked for.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

from lineage_hub.query.datasets import not_dropped, visible_datasets
from lineage_hub.query.jobs import visible_jobs
from lineage_hub.query.namespaces import namespaces
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.store import lately, tables


class Seen(NamedTuple):
    jobs: int
    datasets: list[int]
    namespaces: int


class Everything:
    """Of all that were ever heard of, whoever told of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0
        self._jobs = 0
        self._datasets: list[int] = []
        self._spaces: set[int] = set()

    def seen(self, snapshot: Snapshot) -> Seen:
        if not snapshot.sees_all or snapshot.rules or snapshot.said.hides or snapshot.said.namespaces:
            every = visible_datasets(snapshot, None)
            return Seen(len(visible_jobs(snapshot, None)), every, namespaces(snapshot, 0, 0)["totalCount"])
        with self._lock:
            self._take(snapshot)
            jobs, datasets, spaces = self._jobs, self._datasets, len(self._spaces)
        if not snapshot.is_plain:
            joined = snapshot.joined(datasets)
            datasets = not_dropped(snapshot, [one for one in datasets if joined.of(one) == one])
        return Seen(jobs, datasets, spaces)

    def _take(self, snapshot: Snapshot) -> None:
        new = lately.names_after(snapshot.reader.connection, snapshot.scope, self._last)
        if new:
            self._last = new[-1][0]
            self._jobs += sum(kind == tables.JOB for _, kind, _ in new)
            # Another one: who reads it meanwhile goes on with the one before.
            self._datasets = [*self._datasets, *(entity for entity, kind, _ in new if kind == tables.DATASET)]
            self._spaces.update([space for _, _, space in new])
