"""A function enters; one that behaves the same leaves, and tells of each call as a run of a job.

Whatever goes wrong here stays here: the function runs exactly once, and its results and errors are its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from lineage_hub.errors import LineageHubError
from lineage_hub.sdk import outbox, threads
from lineage_hub.sdk.config import get_config
from lineage_hub.sdk.datasets import DatasetSpec
from lineage_hub.sdk.runs import Run, current_run, enter, leave
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


class _Call:
    """A run that never raises."""

    def __init__(
        self, job: _Job, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], *, wait: bool = False
    ) -> None:
        self.run: Run | None = None
        self._wait = wait
        self._job, self._args, self._kwargs = job, args, kwargs
        try:
            threads.install()
            namespace = job.namespace or get_config().namespace
            run = Run(namespace, job.name or name, outbox.send, run_id=job.run_id, parent=current_run())
            if job.description:
                run.describe(job.description)
            if job.tags:
                run.tag(job.tags)
            self.run = run
            _add(run.add_input, job.inputs, args, kwargs)
            if not callable(job.outputs):
                _add(run.add_output, job.outputs, args, kwargs)
            run.start()
        except Exception as error:
            _warn(error)

    def complete(self, result: Any = None) -> None:
        if self.run is None:
            return
        if callable(self._job.outputs):
            try:
                _add(self.run.add_output, self._job.outputs, self._args, self._kwargs, result)
            except Exception as error:
                _warn(error)
        self._end(None)

    def fail(self, error: BaseException) -> None:
        self._end(error)

    def _end(self, error: BaseException | None) -> None:
        try:
            if self.run is not None:
                self.run.end(error)
            if self._wait:
                outbox.flush(get_config().timeout)
        except Exception as trouble:
            _warn(trouble)

    @contextmanager
    def inside(self) -> Generator[None, None, None]:
        """Calls made meanwhile are children of this one."""
        token = enter(self.run) if self.run is not None else None
        try:
            yield
        finally:
            if token is not None:
                leave(token)


def _warn(error: Exception) -> None:
    warn_once(f"track {type(error).__name__}", "a call could not be told of: %s: %s", type(error).__name__, error)


def _add(
    add: Callable[[Any], None], datasets: Datasets, args: tuple[Any, ...], kwargs: dict[str, Any], *result: Any
) -> None:
    found = datasets
    if callable(datasets):
        found = datasets(*result, *args, **kwargs) if not result else _of_result(datasets, result[0], args, kwargs)
    if found is None:
        return
    for one in [found] if isinstance(found, str | Mapping) or not isinstance(found, Iterable) else found:
        try:
            add(one)
        except Exception as error:
            _warn(error)


def _of_result(datasets: Callable[..., Any], result: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`lambda result: …`, or the same with the arguments after it."""
    wanted = inspect.signature(datasets).parameters.values()
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
    """Of what doesn't depend on a call; what can't be read is told of by each call."""
    if datasets is None or callable(datasets):
        return datasets
    given = [datasets] if isinstance(datasets, str | Mapping) or not isinstance(datasets, Iterable) else datasets
    found: list[Any] = []
    for one in given:
        try:
            found.append(DatasetSpec.of(one))
        except LineageHubError:
            found.append(one)
    return found


def _wrapped(function: Any, job: _Job, *, send_async: bool) -> Any:
    def begin_for(name: str) -> Begin:
        return lambda args, kwargs: _Call(job, name, args, kwargs, wait=not send_async)

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
    call = _Call(_Job(job_name, namespace, inputs, outputs, description, tags, run_id), job_name, (), {})
    run = call.run or Run(namespace or "default", job_name, lambda _: None)
    try:
        with call.inside():
            yield run
    except BaseException as error:
        call.fail(error)
        raise
    call.complete()
