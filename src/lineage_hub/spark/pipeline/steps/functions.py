"""A frame and a Python function enter, by itself or as `module:function`; the frame that it returns leaves.

Its first parameter gets the rows so far, the others the stages of their names, and `spark` the session.
"""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from types import TracebackType
from typing import Any

from pyspark.sql import DataFrame

from lineage_hub.errors import FunctionFailed, InvalidStage, LineageHubError
from lineage_hub.spark.pipeline.columns import nearest, quoted
from lineage_hub.spark.pipeline.explained import SparkError, explained
from lineage_hub.spark.pipeline.steps.surroundings import Surroundings


def call(frame: DataFrame, given: str | Callable[..., Any], around: Surroundings) -> DataFrame:
    function = found(given) if isinstance(given, str) else given
    name = given if isinstance(given, str) else f"{function.__module__}:{getattr(function, '__qualname__', function)}"
    arguments = _arguments(function, name, around)
    try:
        result = function(frame, **arguments)
    except Exception as error:
        raise _failure(error, name, function, frame) from error
    if not isinstance(result, DataFrame):
        said = "nothing" if result is None else f"a {type(result).__name__}"
        raise FunctionFailed(
            f"{name} returned {said}, not a DataFrame ({_place(function)})",
            subject=name,
            action="return the DataFrame that later steps go on with",
        )
    return result


def found(path: str) -> Callable[..., Any]:
    """`module:function`; a dotted name after the colon leads into a class."""
    module, colon, inside = path.partition(":")
    if not (module and colon and inside):
        raise FunctionFailed(f"{path!r} names no function", subject=path, action="write module:function")
    try:
        place: Any = import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise _broken_module(module, error) from error
        raise FunctionFailed(
            f"there is no module {error.name!r}",
            subject=path,
            action="install it, or name its folder in PYTHONPATH",
        ) from error
    except Exception as error:
        raise _broken_module(module, error) from error
    for part in inside.split("."):
        if not hasattr(place, part):
            names = [name for name in vars(place) if not name.startswith("_")] if hasattr(place, "__dict__") else []
            raise FunctionFailed(
                f"{module} has no {inside!r}", subject=path, action=nearest(part, names, "names that it has")
            )
        place = getattr(place, part)
    if not callable(place):
        raise FunctionFailed(f"{path} is no function", subject=path, action="name one that takes a DataFrame")
    function: Callable[..., Any] = place
    return function


def _broken_module(module: str, error: Exception) -> FunctionFailed:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return FunctionFailed(
        f"{module} can't be imported: {type(error).__name__}: {error} ({last.filename}:{last.lineno})",
        subject=module,
        action="correct the module",
    )


def _arguments(function: Callable[..., Any], name: str, around: Surroundings) -> dict[str, Any]:
    """For every parameter after the first; one without a stage of its name keeps its default."""
    known: dict[str, Any] = {"spark": around.spark, **around.frames}
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return {}
    if not parameters or parameters[0].kind in (parameters[0].KEYWORD_ONLY, parameters[0].VAR_KEYWORD):
        raise FunctionFailed(
            f"{name} takes no DataFrame ({_place(function)})", subject=name, action="give it a first parameter"
        )
    arguments = {}
    for one in parameters[1:]:
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            continue
        if one.name in known and one.kind is not one.POSITIONAL_ONLY:
            arguments[one.name] = known[one.name]
        elif one.default is one.empty:
            raise InvalidStage(
                f"{name} wants {quoted(one.name)}, and no stage in `from` is called so ({_place(function)})",
                subject=one.name,
                action=nearest(one.name, list(known), "stages"),
            )
    return arguments


def _failure(error: Exception, name: str, function: Callable[..., Any], frame: DataFrame) -> LineageHubError:
    """Of what it raised, with the line of its own file where it was: deeper lines are Spark's or a library's."""
    said = explained(error, frame.columns) if isinstance(error, SparkError) else None
    what = said.message if said else f"{type(error).__name__}: {error}"
    place = _raised_at(error.__traceback__, function) or _place(function)
    return FunctionFailed(
        f"{name} raised {what} ({place})", subject=name, action=said.action if said else "correct the function"
    )


def _raised_at(trace: TracebackType | None, function: Callable[..., Any]) -> str | None:
    file = _file(function)
    lines = [one for one in traceback.extract_tb(trace) if one.filename == file]
    return f"{lines[-1].filename}:{lines[-1].lineno}" if lines else None


def _place(function: Callable[..., Any]) -> str:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else "no file"


def _file(function: Callable[..., Any]) -> str | None:
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is not None:
        return str(code.co_filename)
    module = sys.modules.get(getattr(function, "__module__", "") or "")
    return getattr(module, "__file__", None)
