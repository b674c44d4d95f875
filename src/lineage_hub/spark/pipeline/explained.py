"""What Spark says of a statement that doesn't fit its data enters; one error of ours leaves, short and with an action.

Spark's own message carries the whole plan; the cause, the place in the statement and the nearest name are kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from lineage_hub.errors import InvalidStage
from lineage_hub.spark.pipeline.columns import nearest, quoted

SparkError = (PySparkException, Py4JJavaError)
_PART = re.compile(r"`((?:[^`]|``)+)`")
_PLACE = re.compile(r"\(?line (\d+),? pos (\d+)\)?")


def explained(
    error: PySparkException | Py4JJavaError, columns: Sequence[str], stages: Sequence[str] = ()
) -> InvalidStage:
    """`columns` and `stages` are the names that the statement could have used."""
    condition, parameters = _condition(error)
    place = _place(error)
    if condition.startswith("UNRESOLVED_COLUMN"):
        parts = _parts(parameters.get("objectName", ""))
        # Spark proposes qualified names where several sides have columns: those are all that it could be.
        proposed = [_parts(one)[-1] for one in parameters.get("proposal", "").split(", ") if one]
        action = nearest(parts[-1], columns or proposed, "columns")
        return InvalidStage(
            f"there is no column {'.'.join(map(quoted, parts))}{place}", subject=parts[-1], action=action
        )
    if condition == "TABLE_OR_VIEW_NOT_FOUND":
        name = _parts(parameters.get("relationName", ""))[-1]
        action = nearest(name, stages, "stages in `from`")
        return InvalidStage(f"there is no stage or table {quoted(name)}{place}", subject=name, action=action)
    if condition == "AMBIGUOUS_REFERENCE":
        name = _parts(parameters.get("name", ""))[-1]
        could = parameters.get("referenceNames", "").strip("[]")
        return InvalidStage(
            f"{quoted(name)} could be any of {could}{place}", subject=name, action="write the stage's name before it"
        )
    if condition == "UNRESOLVED_ROUTINE":
        name = _parts(parameters.get("routineName", ""))[-1]
        return InvalidStage(
            f"Spark has no function {quoted(name)}{place}",
            subject=name,
            action="check its spelling; a function of yours is registered by a `python` step or a jar",
        )
    if condition == "UNSUPPORTED_DATATYPE":
        name = parameters.get("typeName", "").strip('"').lower()
        return InvalidStage(
            f"Spark has no type {name!r}", subject=name, action="write one such as int, decimal(12,2), date, string"
        )
    action = "correct the SQL" if condition.startswith("PARSE") else "correct the statement, or cast before"
    return InvalidStage(f"{_sentence(error)}{place}", subject=condition or None, action=action)


def _condition(error: PySparkException | Py4JJavaError) -> tuple[str, dict[str, str]]:
    if isinstance(error, Py4JJavaError):
        return "", {}
    return error.getCondition() or "", dict(error.getMessageParameters() or {})


def _parts(name: str) -> list[str]:
    """Of a name that Spark has quoted."""
    return [part.replace("``", "`") for part in _PART.findall(name)] or [name]


def _place(error: Exception) -> str:
    found = _PLACE.search(str(error))
    return f" (line {found[1]}, character {int(found[2]) + 1})" if found else ""


def _sentence(error: PySparkException | Py4JJavaError) -> str:
    """The first paragraph, without Spark's codes at both ends."""
    text = _java_message(error.java_exception) if isinstance(error, Py4JJavaError) else str(error)
    text = re.sub(r"^\s*\[[A-Z0-9_.]+\]\s*", "", text)
    return re.split(r"\s*SQLSTATE:|\n\n|; line \d+ pos|\(line \d+, pos", text, maxsplit=1)[0].strip().rstrip(".")


def _java_message(exception: Any) -> str:
    return str(exception.getMessage() or exception.getClass().getSimpleName())
