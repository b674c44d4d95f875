"""A function of DataFrames enters; one that behaves the same leaves, and each call tells its lineage as a run of a job.

What the frames' plans say is added to what is declared; no job runs on Spark for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from pyspark.sql import DataFrame

from lineage_hub.sdk import outbox
from lineage_hub.sdk.config import get_config
from lineage_hub.sdk.datasets import DatasetSpec, resolved
from lineage_hub.sdk.runs import Run, current_run, innermost, leave
from lineage_hub.sdk.warnings import warn_once
from lineage_hub.sdk.wrapping import Begin, wrapped
from lineage_hub.spark import telling
from lineage_hub.spark.plan import DatasetName, lineage

F = TypeVar("F", bound=Callable[..., Any])
DatasetInfo = DatasetSpec


def openlineage_job(
    job_name: str | None = None,
    description: str | None = None,
    inputs: Iterable[Any] = (),
    outputs: Iterable[Any] = (),
    namespace: str | None = None,
    tags: Mapping[str, Any] | Iterable[str] | None = None,
) -> Callable[[F], F]:
    """`@openlineage_job(job_name="clean", inputs=[DatasetInfo(…)], outputs=[DatasetInfo(…)])`.

    A DataFrame that the function returns is what its outputs hold: its columns and where they come from are told.
    """
    read, written = list(inputs), list(outputs)

    def begin_for(name: str) -> Begin:
        job = (job_name or name, namespace, description, tags)
        return lambda args, kwargs: _Call(job, read, written)

    def decorate(function: F) -> F:
        decorated: F = wrapped(function, begin_for)
        return decorated

    return decorate


class _Call:
    """A run that never raises."""

    def __init__(self, job: tuple[str, str | None, str | None, Any], inputs: list[Any], outputs: list[Any]) -> None:
        name, namespace, description, tags = job
        self._outputs = outputs
        self._token: Any = None
        self._run: Run | None = None
        try:
            run = Run(namespace or get_config().namespace, name, outbox.send, parent=current_run())
            if description:
                run.describe(description)
            if tags:
                run.tag(tags)
            for one in inputs:
                run.add_input(one)
            for one in outputs:
                run.add_output(one)
            self._run = run
            run.start()
        except Exception as error:
            _warn(error)

    def __enter__(self) -> None:
        self._token = innermost.set(self._run) if self._run is not None else None

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            leave(self._token)

    def complete(self, result: Any = None) -> None:
        if self._run is None:
            return
        try:
            for frame, output in zip(_frames(result), self._outputs, strict=False):
                self._tell(frame, output)
        except Exception as error:
            _warn(error)
        self._end(None)

    def fail(self, error: BaseException) -> None:
        self._end(error)

    def _tell(self, frame: DataFrame, output: Any) -> None:
        assert self._run is not None
        found = lineage(frame)
        for source in found.inputs:
            self._run.put("inputs", source.name, telling.source_facets(source))
        key, _ = resolved(DatasetSpec.of(output), self._run.namespace)
        schema = {"schema": telling.schema_facet(telling.fields_of(frame))}
        self._run.put("outputs", DatasetName(*key), {**schema, **telling.column_facet(found.columns, found.opaque)})

    def _end(self, error: BaseException | None) -> None:
        try:
            if self._run is not None:
                self._run.end(error)
        except Exception as trouble:
            _warn(trouble)


def _frames(result: Any) -> list[DataFrame]:
    """The frame, or those in a tuple or list, in the order of the outputs."""
    found = result if isinstance(result, tuple | list) else [result]
    return [one for one in found if isinstance(one, DataFrame)]


def _warn(error: Exception) -> None:
    warn_once(f"spark job {type(error).__name__}", "a call could not be told of: %s: %s", type(error).__name__, error)
