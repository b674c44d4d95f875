"""Stages that are to be cached enter; their rows are kept while the run lasts, read by one job, whoever needs them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pyspark import SparkContext, StorageLevel

from lineage_hub.spark.pipeline.building import Built

_GROUP = ("spark.jobGroup.id", "spark.job.description")


class KeptRows:
    """The caches of one run."""

    def __init__(self, context: SparkContext, group_of: Callable[[str], str]) -> None:
        self._context, self._group_of = context, group_of
        self._lock = threading.Lock()
        self._kept: dict[str, Built] = {}

    def keep(self, built: Built) -> None:
        """One job fills a cache: what two loads at the same time would compute of it, neither would observe whole."""
        with self._lock:
            if built.name in self._kept:
                return
            self._kept[built.name] = built
            built.frame.persist(StorageLevel.MEMORY_AND_DISK)
            with self._as_jobs_of(built.name):
                built.frame.write.format("noop").mode("overwrite").save()

    def release(self) -> None:
        for built in self._kept.values():
            built.frame.unpersist()

    @contextmanager
    def _as_jobs_of(self, stage: str) -> Iterator[None]:
        """The thread belongs to another stage."""
        before = {name: self._context.getLocalProperty(name) for name in _GROUP}
        self._context.setLocalProperty(_GROUP[0], self._group_of(stage))
        self._context.setLocalProperty(_GROUP[1], stage)
        try:
            yield
        finally:
            for name, value in before.items():
                self._context.setLocalProperty(name, value or "")
