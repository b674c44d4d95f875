"""A function enters; one that behaves the same leaves, and tells of each call as a run of a job.

Whatever goes wrong here stays here: the function runs exactly once, and its results and errors are its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from lineage_hub.sdk import outbox, threads
from lineage_hub.sdk.config import get_config
from lineage_hub.sdk.frames import frames_in, frames_of_result, matched
from lineage_hub.sdk.runs import Run, innermost, leave
from lineage_hub.sdk.said import Said
from lineage_hub.sdk.warnings import warn_once
from lineage_hub.sdk.wrapping import Begin, wrapped

F = TypeVar("F", bound=Callable[..., Any])
# A spec, a mapping, an address, several of them, or a function of the arguments (and of the result) that gives them.
Datasets = Any


@dataclass(frozen=True, slots=True)
class _Job:
    name: str | None
    namespace: str | None
    inputs: Datasets
    outputs: Datasets
    description: str | None
    tags: Mapping[str, Any] | Iterable[str] | None
    run_id: str | None


class _Told:
    """What all runs of one job say alike, worked out once for each namespace that the configuration names."""

    def __init__(self, job: _Job, name: str, *, waits: bool = False) -> None:
        self.job, self._name, self.waits = job, job.name or name, waits
        self._said: Said | None = None

    def said(self) -> Said:
        namespace = self.job.namespace or get_config().namespace
        said = self._said
        if said is None or said.namespace != namespace:
            threads.install()
            said = Said(namespace, self._name)
            if self.job.description:
                said.describe(self.job.description)
            if self.job.tags:
                said.tag(self.job.tags)
            for side, datasets in (("inputs", self.job.inputs), ("outputs", self.job.outputs)):
                if not callable(datasets):
                    for one in _each(datasets):
                        said.add_dataset(side, one)
            self._said = said
        return said


class _Call:
    """A run that never raises."""

    __slots__ = ("_args", "_kwargs", "_token", "_told", "run")

    def __init__(self, told: _Told, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.run: Run | None = None
        self._told, self._args, self._kwargs = told, args, kwargs
        try:
            job, said = told.job, told.said()
            self.run = run = Run(said.namespace, said.name, outbox.send, job.run_id, innermost.get(), said)
            if job.inputs is not None:
                frames = frames_in((*args, *kwargs.values()) if kwargs else args)
                if callable(job.inputs):
                    _add(run.add_input, job.inputs(*args, **kwargs), frames)
                elif frames:
                    _add(run.add_input, job.inputs, frames)
            run.start()
        except Exception as error:
            _warn(error)

    def complete(self, result: Any = None) -> None:
        if self.run is None:
            return
        outputs = self._told.job.outputs
        if outputs is not None:
            try:
                frames = frames_of_result(result)
                if callable(outputs):
                    _add(self.run.add_output, _of_result(outputs, result, self._args, self._kwargs), frames)
                elif frames:
                    _add(self.run.add_output, outputs, frames)
            except Exception as error:
                _warn(error)
        self._end(None)

    def fail(self, error: BaseException) -> None:
        self._end(error)

    def _end(self, error: BaseException | None) -> None:
        try:
            if self.run is not None:
                self.run.end(error)
            if self._told.waits:
                outbox.flush(get_config().timeout)
        except Exception as trouble:
            _warn(trouble)

    def __enter__(self) -> None:
        """Calls made meanwhile are children of this one."""
        self._token = innermost.set(self.run) if self.run is not None else None

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            leave(self._token)


def _warn(error: Exception) -> None:
    warn_once(f"track {type(error).__name__}", "a call could not be told of: %s: %s", type(error).__name__, error)


def _each(datasets: Datasets) -> Iterable[Any]:
    if datasets is None:
        return ()
    return [datasets] if isinstance(datasets, str | Mapping) or not isinstance(datasets, Iterable) else datasets


def _add(add: Callable[..., None], datasets: Datasets, frames: Sequence[Any]) -> None:
    for one, frame in matched(list(_each(datasets)), frames):
        try:
            add(one, frame=frame)
        except Exception as error:
            _warn(error)


def _of_result(datasets: Callable[..., Any], result: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`lambda result: …`, or the same with the arguments after it."""
    try:
        wanted = inspect.signature(datasets).parameters.values()
    except ValueError:
        return datasets(result)  # a built-in that doesn't say
    positional = [one for one in wanted if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    takes_all = any(one.kind is one.VAR_POSITIONAL for one in wanted)
    return datasets(result) if len(positional) == 1 and not takes_all else datasets(result, *args, **kwargs)


@overload
def lineage_track(job_name: F) -> F: ...
@overload
def lineage_track(
    job_name: str | None = None,
    namespace: str | None = None,
    inputs: Datasets = None,
    outputs: Datasets = None,
    description: str | None = None,
    tags: Mapping[str, Any] | Iterable[str] | None = None,
    run_id: str | None = None,
    send_async: bool = True,
) -> Callable[[F], F]: ...
def lineage_track(
    job_name: Any = None,
    namespace: str | None = None,
    inputs: Datasets = None,
    outputs: Datasets = None,
    description: str | None = None,
    tags: Mapping[str, Any] | Iterable[str] | None = None,
    run_id: str | None = None,
    send_async: bool = True,
) -> Any:
    """Bare or with arguments, on functions, methods, generators and their async kinds.

    With `send_async=False` a call returns after its events have reached the hub, or after the configured timeout.
    """
    if job_name is not None and not isinstance(job_name, str):
        return _wrapped(job_name, _Job(None, None, None, None, None, None, None), send_async=True)
    job = _Job(job_name, namespace, _read_once(inputs), _read_once(outputs), description, tags, run_id)
    return lambda function: _wrapped(function, job, send_async=send_async)


def _read_once(datasets: Datasets) -> Datasets:
    """What is no function may be an iterator, which can be read once only."""
    return datasets if datasets is None or callable(datasets) else list(_each(datasets))


def _wrapped(function: Any, job: _Job, *, send_async: bool) -> Any:
    def begin_for(name: str) -> Begin:
        told = _Told(job, name, waits=not send_async)
        return lambda args, kwargs: _Call(told, args, kwargs)

    return wrapped(function, begin_for)


@contextmanager
def track(
    job_name: str,
    *,
    namespace: str | None = None,
    inputs: Datasets = None,
    outputs: Datasets = None,
    description: str | None = None,
    tags: Mapping[str, Any] | Iterable[str] | None = None,
    run_id: str | None = None,
) -> Generator[Run, None, None]:
    """A block as a run: `with track("load", inputs="s3://lake/orders") as run: … run.add_output(…)`."""
    call = _Call(_Told(_Job(job_name, namespace, inputs, outputs, description, tags, run_id), job_name), (), {})
    run = call.run or Run(namespace or "default", job_name, lambda _: None)
    try:
        with call:
            yield run
    except BaseException as error:
        call.fail(error)
        raise
    call.complete()
