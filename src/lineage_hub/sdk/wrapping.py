"""A function enters with a way to begin the record of a call; one that behaves the same leaves.

Functions, generators and their async kinds, and methods of all kinds. Each call is begun before the function's own
code runs, completed or failed exactly once after it, and what happens meanwhile is inside it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any, Protocol


class Call(Protocol):
    """The record of one call. It never raises: what is observed must not notice."""

    def __enter__(self) -> None:
        """What happens until `__exit__` is inside the call; a generator enters it for each of its steps."""

    def __exit__(self, *_: object) -> None: ...
    def complete(self, result: Any = None) -> None: ...
    def fail(self, error: BaseException) -> None: ...


Begin = Callable[[tuple[Any, ...], dict[str, Any]], Call]


def wrapped(function: Any, begin_for: Callable[[str], Begin]) -> Any:
    """`begin_for` gets the function's name, once."""
    if isinstance(function, staticmethod | classmethod):
        return type(function)(wrapped(function.__func__, begin_for))
    name = getattr(function, "__qualname__", getattr(function, "__name__", type(function).__name__))
    begin = begin_for(name.replace(".<locals>", ""))
    if inspect.isasyncgenfunction(function):
        return _async_generator(function, begin)
    if inspect.isgeneratorfunction(function):
        return _generator(function, begin)
    if inspect.iscoroutinefunction(function):
        return _coroutine(function, begin)
    return _plain(function, begin)


def _plain(function: Any, begin: Begin) -> Any:
    @functools.wraps(function)
    def tracked(*args: Any, **kwargs: Any) -> Any:
        call = begin(args, kwargs)
        try:
            with call:
                result = function(*args, **kwargs)
        except BaseException as error:
            call.fail(error)
            raise
        call.complete(result)
        return result

    return tracked


def _coroutine(function: Any, begin: Begin) -> Any:
    @functools.wraps(function)
    async def tracked(*args: Any, **kwargs: Any) -> Any:
        call = begin(args, kwargs)
        try:
            with call:
                result = await function(*args, **kwargs)
        except BaseException as error:
            call.fail(error)
            raise
        call.complete(result)
        return result

    return tracked


def _generator(function: Any, begin: Begin) -> Any:
    """Driven step by step: between two of them whoever iterates is not inside the run."""

    @functools.wraps(function)
    def tracked(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        call = begin(args, kwargs)
        inner = function(*args, **kwargs)
        step: Callable[[], Any] = functools.partial(inner.send, None)
        try:
            while True:
                with call:
                    value = step()
                try:
                    step = functools.partial(inner.send, (yield value))
                except GeneratorExit:
                    inner.close()
                    raise
                except BaseException as thrown:
                    step = functools.partial(inner.throw, thrown)
        except StopIteration as end:
            call.complete(end.value)
            return end.value
        except BaseException as error:
            call.fail(error)
            raise

    return tracked


def _async_generator(function: Any, begin: Begin) -> Any:
    @functools.wraps(function)
    async def tracked(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        call = begin(args, kwargs)
        inner = function(*args, **kwargs)
        step: Callable[[], Any] = functools.partial(inner.asend, None)
        try:
            while True:
                with call:
                    value = await step()
                try:
                    step = functools.partial(inner.asend, (yield value))
                except GeneratorExit:
                    await inner.aclose()
                    raise
                except BaseException as thrown:
                    step = functools.partial(inner.athrow, thrown)
        except StopAsyncIteration:
            call.complete()
        except BaseException as error:
            call.fail(error)
            raise

    return tracked
