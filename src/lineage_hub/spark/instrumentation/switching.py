"""A Spark session enters; its application is followed from then on, until the handle that leaves is stopped."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from pyspark import SparkContext
from pyspark.sql import SparkSession

from lineage_hub.sdk import threads
from lineage_hub.sdk.warnings import warn_once
from lineage_hub.spark.instrumentation import streams, watching
from lineage_hub.spark.instrumentation.application import Application, quietly
from lineage_hub.spark.plan import checkpoints

_lock = threading.RLock()
_handles: dict[SparkContext, Handle] = {}


class Handle:
    """What `instrument` gives: `stop()` ends it, and leaves pyspark as it was before."""

    def __init__(self, application: Application | None) -> None:
        self._application = application

    def stop(self) -> None:
        """Again it does nothing."""
        application, self._application = self._application, None
        if application is None:
            return
        with _lock:
            if _handles.get(application.context) is self:
                del _handles[application.context]
            if not _handles:
                _uninstall()
        quietly(application.end)


def instrument(spark: SparkSession) -> Handle:
    """What this application writes is told: by writers, by `spark.sql`, by streams, from every session of it.

    A second time it gives the same handle. Never raises.
    """
    if type(spark).__module__.startswith("pyspark.sql.connect"):
        warn_once("spark connect", "a session of Spark Connect has no plan to read here: nothing of it is told")
        return Handle(None)
    return quietly(lambda: _follow(spark)) or Handle(None)


def _follow(spark: SparkSession) -> Handle:
    with _lock:
        found = _handles.get(spark.sparkContext)
        if found is None:
            # A run that the program is inside of is also that of its threads.
            threads.install()
            found = Handle(Application(spark))
            _handles[spark.sparkContext] = found
            _install()
        return found


def _find(context: SparkContext) -> Application | None:
    handle = _handles.get(context)
    return handle._application if handle is not None else None


def _install() -> None:
    watching.install(_find)
    streams.install(_find)
    watching.replace(SparkContext, "stop", _stopping)
    checkpoints.install()


def _uninstall() -> None:
    watching.uninstall()
    streams.uninstall()
    watching.restore(SparkContext, "stop")
    checkpoints.uninstall()


def _stopping(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def stop(self: SparkContext) -> Any:
        handle = _handles.get(self)
        try:
            return original(self)
        finally:
            if handle is not None:
                quietly(lambda: _stopped(handle))

    return stop


def _stopped(handle: Handle) -> None:
    if handle._application is not None:
        handle._application.await_streams()
    handle.stop()
