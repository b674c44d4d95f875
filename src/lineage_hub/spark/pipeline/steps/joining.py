"""Rows and the rows of another stage enter; the rows with columns of the other, or those that have a match, leave."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf

from lineage_hub.errors import InvalidStage
from lineage_hub.spark.pipeline.columns import column, folding, nearest, quoted, spelled
from lineage_hub.spark.pipeline.definition import Join
from lineage_hub.spark.pipeline.explained import SparkError, explained
from lineage_hub.spark.pipeline.steps.surroundings import Surroundings

_SPARK = {"full": "full_outer", "semi": "left_semi", "anti": "left_anti"}
# Joins that only ask whether there is a match give no column of the other stage.
_WITHOUT_COLUMNS = ("semi", "anti")


def join(frame: DataFrame, given: Join, around: Surroundings) -> DataFrame:
    other = around.frames.get(given.with_)
    if other is None:
        raise InvalidStage(
            f"there is no stage {quoted(given.with_)}",
            subject=given.with_,
            action=nearest(given.with_, list(around.frames), "stages"),
        )
    if given.on is not None:
        return _by_columns(frame, other, given, given.on)
    return _by_condition(frame, other, given, around.first)


def _by_columns(frame: DataFrame, other: DataFrame, given: Join, on: Sequence[str]) -> DataFrame:
    """Each key is there once; of a full join it is the one of the side that has it."""
    keys, others = spelled(frame, on), _of_other(other, on, given.with_)
    added = [name for name in _added(other, given) if name not in others]
    _check_names(frame, added, given)
    renamed = [column(theirs).alias(ours) for ours, theirs in zip(keys, others, strict=True)]
    return frame.join(other.select(*renamed, *map(column, added)), keys, _how(given))


def _by_condition(frame: DataFrame, other: DataFrame, given: Join, first: str) -> DataFrame:
    """A stage that is joined with itself goes by `this` on the side of the rows so far."""
    left = "this" if first == given.with_ else first
    added = _added(other, given)
    _check_names(frame, added, given)
    condition: Column | None = None if given.condition is None else sf.expr(given.condition)
    try:
        joined = frame.alias(left).join(other.alias(given.with_), condition, _how(given))
    except SparkError as error:
        sides = [*(f"{left}.{name}" for name in frame.columns), *(f"{given.with_}.{name}" for name in other.columns)]
        raise explained(error, sides) from error
    return joined.select(
        *(sf.col(f"{quoted(left)}.{quoted(name)}") for name in frame.columns),
        *(sf.col(f"{quoted(given.with_)}.{quoted(name)}") for name in added),
    )


def _how(given: Join) -> str:
    return _SPARK.get(given.how, given.how)


def _added(other: DataFrame, given: Join) -> list[str]:
    if given.how in _WITHOUT_COLUMNS:
        return []
    return other.columns if given.columns is None else _of_other(other, given.columns, given.with_)


def _of_other(other: DataFrame, names: Sequence[str], stage: str) -> list[str]:
    try:
        return spelled(other, names)
    except InvalidStage as error:
        raise InvalidStage(f"in {stage} {error.message}", subject=error.subject, action=error.action) from None


def _check_names(frame: DataFrame, added: Sequence[str], given: Join) -> None:
    """Two columns of one name could be told apart by nothing that comes later."""
    folded = folding(frame)
    ours = set(map(folded, frame.columns))
    twice = [name for name in added if folded(name) in ours]
    if twice:
        raise InvalidStage(
            f"both sides have {', '.join(map(quoted, twice))}",
            subject=twice[0],
            action=f"name the `columns` that are wanted of {given.with_}, or rename them before",
        )
