"""DataFrames enter as they are checkpointed; where their columns come from is remembered for what is made of them.

A checkpoint cuts a plan: afterwards Spark itself knows only rows. `install()` makes `DataFrame.checkpoint` and
`localCheckpoint` remember; frames that were checkpointed before stay opaque.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame

from lineage_hub.spark.plan.leaves import Remembered

_KEPT = 1000
_METHODS = ("checkpoint", "localCheckpoint")
_remembered: OrderedDict[tuple[str, int], Remembered] = OrderedDict()
_lock = threading.Lock()
_log = logging.getLogger(__name__)


def recall(spark: SparkSession, rdd: int) -> Remembered | None:
    with _lock:
        return _remembered.get((spark.sparkContext.applicationId, rdd))


def remember_checkpoint(before: DataFrame, after: DataFrame) -> None:
    """`after` holds the rows of `before`; the oldest of a thousand is forgotten."""
    from lineage_hub.spark.plan.api import remembered

    # Another application counts its RDDs from the start.
    key = (before.sparkSession.sparkContext.applicationId, after._jdf.queryExecution().analyzed().rdd().id())
    found = remembered(before)
    with _lock:
        _remembered[key] = found
        while len(_remembered) > _KEPT:
            _remembered.popitem(last=False)


def install() -> None:
    """Once is enough; a second time changes nothing."""
    for name in _METHODS:
        original = getattr(ClassicDataFrame, name)
        if not hasattr(original, "lineage_hub_original"):
            setattr(ClassicDataFrame, name, _remembering(original))


def uninstall() -> None:
    for name in _METHODS:
        installed = getattr(ClassicDataFrame, name)
        setattr(ClassicDataFrame, name, getattr(installed, "lineage_hub_original", installed))


def _remembering(original: Callable[..., DataFrame]) -> Callable[..., DataFrame]:
    @functools.wraps(original)
    def checkpointed(self: DataFrame, *args: Any, **options: Any) -> DataFrame:
        after = original(self, *args, **options)
        try:
            remember_checkpoint(self, after)
        except Exception:
            _log.warning("the lineage of a checkpoint is lost", exc_info=True)
        return after

    checkpointed.lineage_hub_original = original  # type: ignore[attr-defined]
    return checkpointed
