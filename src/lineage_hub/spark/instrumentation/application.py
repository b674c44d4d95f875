"""A Spark application that is followed enters with what it does; the runs of its actions leave, inside of one run.

That run is the SDK's, if the program is inside of one; else the application has a run of its own, until it stops.
"""

from __future__ import annotations

import atexit
import functools
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from pyspark import SparkContext
from pyspark.sql import SparkSession

from lineage_hub import __version__
from lineage_hub.sdk import outbox
from lineage_hub.sdk.config import get_config
from lineage_hub.sdk.runs import Run, current_run
from lineage_hub.sdk.said import facet
from lineage_hub.sdk.warnings import warn_once
from lineage_hub.spark import telling
from lineage_hub.spark.instrumentation.action import Action, lifecycle_facet, output_facets, statistics_facet
from lineage_hub.spark.jobs import JobStore

T = TypeVar("T")
_PATIENCE_MS = 1_000
_LAST_MOMENT_S = 2.0


class Application:
    """All sessions of one SparkContext."""

    def __init__(self, spark: SparkSession) -> None:
        self.context: SparkContext = spark.sparkContext
        self.name = str(self.context.appName)
        self._engine = facet(
            "1-1-1/ProcessingEngineRunFacet", name="spark", version=spark.version, openlineageAdapterVersion=__version__
        )
        self._store = JobStore(self.context)
        self._lock = threading.Lock()
        self._run: Run | None = None
        self._streams: list[tuple[Run, threading.Thread]] = []
        if current_run() is None:
            self.parent()

    def parent(self) -> Run:
        """The innermost run that the program is in, or the application's own, which begins when it is first needed."""
        found = current_run()
        while found is not None and found.ended:
            found = found.parent
        return found if found is not None else self._own_run()

    def _own_run(self) -> Run:
        with self._lock:
            if self._run is None:
                run = self.begin(self.name, None)
                kind = facet(
                    "2-0-3/JobTypeJobFacet", processingType="BATCH", integration="SPARK", jobType="APPLICATION"
                )
                run.add_facet("jobType", kind, of="job")
                run.start()
                self._run = run
                self._await_exit()
            return self._run

    def _await_exit(self) -> None:
        """After an event has been told, so that what sends it is still there when this is called."""
        atexit.unregister(self._exit)
        atexit.register(self._exit)

    def begin(self, job: str, parent: Run | None) -> Run:
        """Not started yet."""
        run = Run(get_config().namespace, job, outbox.send, parent=parent)
        run.add_facet("processing_engine", self._engine)
        return run

    def perform(self, action: Action, call: Callable[[], T]) -> T:
        """What `call` gives or raises; its run is told whatever becomes of it."""
        run = quietly(lambda: self.started(action))
        if run is None:
            return call()
        tag = f"lineage-hub-{run.id}"
        try:
            # A tag, since the group of jobs and its description are the program's own.
            quietly(lambda: self.context.addJobTag(tag))
            result = call()
        except BaseException as error:
            quietly(lambda: self.context.removeJobTag(tag))
            quietly(functools.partial(run.end, error))
            raise
        quietly(lambda: self.context.removeJobTag(tag))
        quietly(lambda: self._tell_results(run, action, tag))
        quietly(run.end)
        return result

    def started(self, action: Action) -> Run:
        run = self.begin(action.job_name(self.name), self.parent())
        for name, content in action.job_facets().items():
            run.add_facet(name, content, of="job")
        tell_datasets(run, action)
        run.start()
        return run

    def _tell_results(self, run: Run, action: Action, tag: str) -> None:
        outputs = action.lineage.outputs
        for target in outputs:
            run.put("outputs", target.name, lifecycle_facet(target))
        # A part of the figures would be wrong ones.
        if len(outputs) == 1 and self._store.wait_until_told(_PATIENCE_MS):
            run.put("outputs", outputs[0].name, statistics_facet(self._store.of_tag(tag)))

    def add_stream(self, run: Run, end: threading.Thread) -> None:
        """`end` is a thread that tells of the stream's end."""
        with self._lock:
            self._await_exit()
            self._streams = [*(one for one in self._streams if not one[0].ended), (run, end)]

    def end(self) -> None:
        """While an exception is on its way, how the program ends is known only at its end."""
        error = sys.exc_info()[1]
        if isinstance(error, SystemExit):
            error = _of_exit(error)
        elif error is not None:
            return
        self._end_own_run(error)

    def await_streams(self) -> None:
        """With Spark they end."""
        for _, thread in self._streams:
            thread.join(_LAST_MOMENT_S)

    def _exit(self) -> None:
        # At a prompt an exception ends nothing.
        last = None if hasattr(sys, "ps1") else getattr(sys, "last_value", None)
        error = last if isinstance(last, BaseException) else None
        for stream, _ in self._streams:
            quietly(functools.partial(stream.end, error or SystemExit("the program ended before the stream did")))
        self._end_own_run(error)

    def _end_own_run(self, error: BaseException | None) -> None:
        with self._lock:
            run, self._run = self._run, None
        if run is not None:
            quietly(functools.partial(run.end, error))


def tell_datasets(run: Run, action: Action) -> None:
    found = action.lineage
    for source in found.inputs:
        run.put("inputs", source.name, telling.source_facets(source))
    for target in found.outputs:
        run.put("outputs", target.name, output_facets(target, found))
    if found.unknown:
        run.add_facet("lineageHub_unknownOperators", {"operators": list(found.unknown)})


def _of_exit(end: SystemExit) -> Exception | None:
    if end.code in (None, 0):
        return None
    return RuntimeError(f"the program ended with exit code {end.code}" if isinstance(end.code, int) else str(end.code))


def quietly(tell: Callable[[], T]) -> T | None:
    try:
        return tell()
    except Exception as error:
        said: Any = str(error).partition("\n")[0]
        warn_once(
            f"spark {type(error).__name__}", "a part of Spark's work is not told: %s: %s", type(error).__name__, said
        )
        return None
