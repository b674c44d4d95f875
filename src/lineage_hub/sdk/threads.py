"""What a caller is inside of follows it into the threads that it starts and the work that it gives to executors.

Tasks of asyncio take their caller's context with them, threads don't. Only the variables that are carried go along:
the context of the program itself is its own affair.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any

_carried: list[ContextVar[Any]] = []
_lock = threading.Lock()
_is_installed = False


def carry(variable: ContextVar[Any]) -> None:
    """Its default must be None, which stands for being inside of nothing."""
    _carried.append(variable)


def install() -> None:
    """Once; from the first call that is told of, so that importing changes nothing."""
    global _is_installed  # noqa: PLW0603
    if _is_installed:
        return
    with _lock:
        if not _is_installed:
            threading.Thread.start = _starting(threading.Thread.start)  # type: ignore[assignment, method-assign]
            ThreadPoolExecutor.submit = _submitting(ThreadPoolExecutor.submit)  # type: ignore[method-assign]
            _is_installed = True


def _inside_of() -> tuple[Any, ...] | None:
    values = tuple([variable.get() for variable in _carried])
    return None if all(value is None for value in values) else values


class _Inside:
    """Sets the carried variables for a while."""

    __slots__ = ("_tokens", "_values")

    def __init__(self, values: tuple[Any, ...]) -> None:
        self._values = values

    def __enter__(self) -> None:
        self._tokens = [variable.set(value) for variable, value in zip(_carried, self._values, strict=False)]

    def __exit__(self, *_: object) -> None:
        for variable, token in zip(_carried, self._tokens, strict=False):
            variable.reset(token)


def _starting(start: Callable[[threading.Thread], None]) -> Callable[[threading.Thread], None]:
    @functools.wraps(start)
    def followed(self: threading.Thread) -> None:
        values = _inside_of()
        if values is not None:
            run = self.run

            def inside() -> None:
                with _Inside(values):
                    run()

            self.run = inside  # type: ignore[method-assign]
        start(self)

    return followed


def _submitting(submit: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(submit)
    def followed(self: ThreadPoolExecutor, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        values = _inside_of()
        if values is None:
            return submit(self, fn, *args, **kwargs)

        @functools.wraps(fn, updated=())
        def inside(*given: Any, **named: Any) -> Any:
            with _Inside(values):
                return fn(*given, **named)

        # A thread that the executor starts now serves others later: it is inside of nothing.
        with _Inside((None,) * len(_carried)):
            return submit(self, inside, *args, **kwargs)

    return followed
