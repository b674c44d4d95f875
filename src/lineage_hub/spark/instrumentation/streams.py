"""A stream that begins enters; its run leaves, from its start to its end, with a run for each batch of `foreachBatch`.

How a stream ends is awaited by a thread of its own: nothing is registered in the JVM.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter

from lineage_hub.sdk.runs import Run
from lineage_hub.spark.current import inside
from lineage_hub.spark.instrumentation import watching
from lineage_hub.spark.instrumentation.action import Action, subject_of, subject_of_path
from lineage_hub.spark.instrumentation.application import Application, quietly, tell_datasets
from lineage_hub.spark.plan import lineage, lineage_of_plan
from lineage_hub.spark.plan.catalog import options_of, private
from lineage_hub.spark.plan.checkpoints import remember_checkpoint

_METHODS = frozenset(("start", "toTable"))
_BATCHES = "_lineage_hub_batches"
_SLICE_MS = 1_000


def install(find: watching.Find) -> None:
    for name in _METHODS:
        watching.replace(DataStreamWriter, name, functools.partial(_starting, find))
    watching.replace(DataStreamWriter, "foreachBatch", functools.partial(_by_batch, find))


def uninstall() -> None:
    for name in (*_METHODS, "foreachBatch"):
        watching.restore(DataStreamWriter, name)


class Batches:
    """What is called for each batch of a stream that may not have begun yet."""

    def __init__(self, application: Application, frame: DataFrame, function: Callable[..., Any]) -> None:
        self._application, self._frame, self._function = application, frame, function
        self.name = str(getattr(function, "__name__", type(function).__name__))
        self.stream: Run | None = None

    def following(self) -> Callable[..., Any]:
        @functools.wraps(self._function, updated=())
        def batch(frame: DataFrame, number: int) -> Any:
            run = quietly(lambda: self._started(frame, number))
            if run is None:
                return self._function(frame, number)
            try:
                with inside(run):
                    result = self._function(frame, number)
            except BaseException as error:
                quietly(functools.partial(run.end, error))
                raise
            quietly(run.end)
            return result

        return batch

    def _started(self, frame: DataFrame, number: int) -> Run | None:
        if self.stream is None:
            return None
        run = self._application.begin(f"{self.stream.name}.batch", self.stream)
        run.add_facet("lineageHub_batch", {"batchId": number})
        run.start()
        # Spark hands over bare rows: where they come from is known of the stream.
        quietly(lambda: remember_checkpoint(self._frame, frame))
        return run


def _by_batch(find: watching.Find, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def foreachBatch(self: Any, func: Any) -> Any:  # noqa: N802
        application = quietly(lambda: find(self._spark.sparkContext))
        if application is None or not callable(func):
            return original(self, func)
        batches = Batches(application, self._df, func)
        setattr(self, _BATCHES, batches)
        return original(self, batches.following())

    return foreachBatch


def _starting(find: watching.Find, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def told(self: Any, *args: Any, **kwargs: Any) -> Any:
        application = quietly(lambda: watching.followed(self, "_jwrite", find))
        if application is None:
            return original(self, *args, **kwargs)

        def act(jwriter: Any, name: str, given: tuple[Any, ...], call: Callable[[], Any]) -> Any:
            return _start(application, self, jwriter, given, call)

        return watching.watched_call(self, "_jwrite", _METHODS, act, lambda: original(self, *args, **kwargs))

    return told


def _start(application: Application, writer: Any, jwriter: Any, given: tuple[Any, ...], call: Callable[[], Any]) -> Any:
    batches: Batches | None = getattr(writer, _BATCHES, None)
    run = quietly(lambda: application.started(_action(writer, jwriter, given, batches)))
    if run is None:
        return call()
    if batches is not None:
        batches.stream = run
    try:
        query = call()
    except BaseException as error:
        quietly(functools.partial(run.end, error))
        raise
    quietly(lambda: _tell_target(run, query, writer._spark))
    quietly(lambda: application.add_stream(run, follow(run, query)))
    return query


def _action(writer: Any, jwriter: Any, given: tuple[Any, ...], batches: Batches | None) -> Action:
    """Its output is known when it has begun."""
    options = {key.lower(): value for key, value in options_of(private(jwriter, "extraOptions")).items()}
    place = str(given[0]) if given else options.get("path", "")
    named = options.get("queryname") or (subject_of_path(place) if "/" in place else place)
    subject = named or (batches.name if batches is not None else str(private(jwriter, "source")))
    return Action("stream", subject, lineage(writer._df), is_stream=True)


def _tell_target(run: Run, query: Any, spark: SparkSession) -> None:
    execution = query.streamingQuery() if hasattr(query, "streamingQuery") else query
    found = lineage_of_plan(private(execution, "plan"), spark)
    if found.outputs:
        tell_datasets(run, Action("stream", subject_of(found.outputs[0]), found, is_stream=True))
        run.update()


def await_end(run: Run, query: Any) -> None:
    """Of a query of the JVM; without a word if Spark is gone, when the application's end says the rest."""
    try:
        while not query.awaitTermination(_SLICE_MS):
            pass
    except StreamingQueryException as error:
        quietly(functools.partial(run.end, error))
    except Exception:
        return
    else:
        quietly(run.end)


def follow(run: Run, query: Any) -> threading.Thread:
    thread = threading.Thread(target=await_end, args=(run, query), name="lineage-hub-stream", daemon=True)
    thread.start()
    return thread
