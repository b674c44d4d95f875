"""A function of DataFrames enters; one that behaves the same leaves, and each call tells its lineage as a run of a job.

What the frames' plans say is added to what is declared; no job runs on Spark for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from pyspark.sql import DataFrame

from lineage_hub.sdk import outbox, threads
from lineage_hub.sdk.config import get_config
from lineage_hub.sdk.datasets import DatasetSpec, resolved
from lineage_hub.sdk.frames import frames_in, frames_of_result, matched
from lineage_hub.sdk.runs import Run, current_run, innermost, leave
from lineage_hub.sdk.warnings import warn_once
from lineage_hub.sdk.wrapping import Begin, wrapped
from lineage_hub.spark import telling
from lineage_hub.spark.plan import DatasetName, lineage

F = TypeVar("F", bound=Callable[..., Any])
DatasetInfo = DatasetSpec
# A spec, a mapping or an address, or several of them.
Datasets = DatasetSpec | Mapping[str, Any] | str | Iterable[Any]


@dataclass(frozen=True, slots=True)
class _Job:
    name: str
    namespace: str | None
    description: str | None
    tags: Mapping[str, Any] | Iterable[str] | None
    inputs: Sequence[Any]
    outputs: Sequence[Any]


@overload
def openlineage_job(job_name: F) -> F: ...
@overload
def openlineage_job(
    job_name: str | None = None,
    description: str | None = None,
    inputs: Datasets = (),
    outputs: Datasets = (),
    namespace: str | None = None,
    tags: Mapping[str, Any] | Iterable[str] | None = None,
) -> Callable[[F], F]: ...
def openlineage_job(
    job_name: Any = None,
    description: str | None = None,
    inputs: Datasets = (),
    outputs: Datasets = (),
    namespace: str | None = None,
    tags: Mapping[str, Any] | Iterable[str] | None = None,
) -> Any:
    """`@openlineage_job(job_name="clean", inputs=[DatasetInfo(…)], outputs=[DatasetInfo(…)])`, or bare.

    DataFrames that the function returns are what its outputs hold, in their order: their columns and where they come
    from are told.
    """
    read, written = _each(inputs), _each(outputs)

    def begin_for(name: str) -> Begin:
        given = job_name if isinstance(job_name, str) else name
        job = _Job(given, namespace, description, tags, read, written)
        return lambda args, kwargs: _Call(job, frames_in((*args, *kwargs.values())))

    if callable(job_name):
        return wrapped(job_name, begin_for)
    return lambda function: wrapped(function, begin_for)


def _each(datasets: Datasets) -> list[Any]:
    return [datasets] if isinstance(datasets, str | Mapping | DatasetSpec) else list(datasets)


class _Call:
    """A run that never raises."""

    def __init__(self, job: _Job, frames: list[Any]) -> None:
        self._outputs = job.outputs
        self._run: Run | None = None
        try:
            threads.install()
            run = Run(job.namespace or get_config().namespace, job.name, outbox.send, parent=current_run())
            if job.description:
                run.describe(job.description)
            if job.tags:
                run.tag(job.tags)
            for one, frame in matched(job.inputs, frames):
                run.add_input(one, frame=frame)
            for one in job.outputs:
                run.add_output(one)
            run.start()
            self._run = run
        except Exception as error:
            _warn(error)

    def __enter__(self) -> None:
        """Calls made meanwhile are children of this one."""
        self._token = innermost.set(self._run) if self._run is not None else None

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            leave(self._token)

    def complete(self, result: Any = None) -> None:
        if self._run is None:
            return
        frames = [one for one in frames_of_result(result) if isinstance(one, DataFrame)]
        outputs = self._outputs if len(frames) == len(self._outputs) else [None] * len(frames)
        for frame, output in zip(frames, outputs, strict=True):
            try:
                self._tell(self._run, frame, output)
            except Exception as error:
                _warn(error)
        self._end(None)

    def fail(self, error: BaseException) -> None:
        self._end(error)

    def _tell(self, run: Run, frame: DataFrame, output: Any) -> None:
        """Of frames that no output is declared for it is told what they are made from."""
        found = lineage(frame)
        for source in found.inputs:
            run.put("inputs", source.name, telling.source_facets(source))
        if output is not None:
            key, _ = resolved(DatasetSpec.of(output), run.namespace)
            schema = {"schema": telling.schema_facet(telling.fields_of(frame))}
            run.put("outputs", DatasetName(*key), {**schema, **telling.column_facet(found.columns, found.opaque)})

    def _end(self, error: BaseException | None) -> None:
        try:
            if self._run is not None:
                self._run.end(error)
        except Exception as trouble:
            _warn(trouble)


def _warn(error: Exception) -> None:
    warn_once(f"spark job {type(error).__name__}", "a call could not be told of: %s: %s", type(error).__name__, error)
