"""A rule that looks at one row alone enters; which rows break it, why, and what is measured beside that, leave.

Null breaks `not_null` and nothing else. A rule that doesn't fit the frame is an error here, before any job.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf
from pyspark.sql.types import BooleanType, NullType

from lineage_hub.errors import InvalidStage
from lineage_hub.spark.jvm import java_class
from lineage_hub.spark.pipeline.columns import column, quoted, spelled, type_of
from lineage_hub.spark.pipeline.definition import AcceptedValues, Range, Regex, Rule
from lineage_hub.spark.pipeline.explained import SparkError, explained
from lineage_hub.spark.pipeline.literals import bound, literal

# An aggregate, and what of each row goes into it: so that it can be kept to some of the rows.
Measure = tuple[Callable[[Column], Column], Column]


@dataclass(frozen=True, slots=True)
class RowRule:
    """`broken` is true of a row that breaks it and never null; `reason` says why, of such a row.

    Measured is how many are broken, or `present_0`: of a single column, how many rows have it.
    """

    broken: Column
    reason: Column
    columns: tuple[str, ...]
    measures: Mapping[str, Measure]


def row_rule(rule: Rule, frame: DataFrame) -> RowRule | None:
    """None for a rule of another kind."""
    make = _KINDS.get(rule.kind)
    return None if make is None else make(frame, getattr(rule, rule.kind))


def _not_null(frame: DataFrame, names: Sequence[str]) -> RowRule:
    columns = tuple(dict.fromkeys(spelled(frame, names)))
    nulls = [column(name).isNull() for name in columns]
    said = sf.concat_ws(", ", *(sf.when(null, sf.lit(name)) for null, name in zip(nulls, columns, strict=True)))
    broken = reduce(or_, nulls)
    # What is there costs Spark half of what a count of nulls does.
    measures: dict[str, Measure] = {f"present_{at}": (sf.count, column(name)) for at, name in enumerate(columns)}
    if len(columns) > 1:
        measures |= _count(broken)
    return RowRule(broken, sf.concat(said, sf.lit(" is null")), columns, measures)


def _accepted_values(frame: DataFrame, given: AcceptedValues) -> RowRule:
    (name,) = spelled(frame, [given.column])
    kind = type_of(frame, name)
    broken = _certain(~column(name).isin(*(literal(value, kind) for value in given.values)))
    return RowRule(broken, sf.concat(_told(name), sf.lit(", which is not accepted")), (name,), _count(broken))


def _range(frame: DataFrame, given: Range) -> RowRule:
    (name,) = spelled(frame, [given.column])
    kind = type_of(frame, name)
    sides = []
    if given.min is not None:
        sides.append((column(name) < bound(given.min, kind), f", below {given.min}"))
    if given.max is not None:
        sides.append((column(name) > bound(given.max, kind), f", above {given.max}"))
    if not sides:
        raise InvalidStage(f"the range of {quoted(name)} has no ends", subject=name, action="give `min`, `max` or both")
    broken = _certain(reduce(or_, (side for side, _ in sides)))
    why = sf.coalesce(*(sf.when(side, sf.lit(text)) for side, text in sides))
    return RowRule(broken, sf.concat(_told(name), why), (name,), _count(broken))


def _regex(frame: DataFrame, given: Regex) -> RowRule:
    (name,) = spelled(frame, [given.column])
    # `$` would let a line break at the end pass.
    whole = rf"\A(?:{given.pattern})\z"
    text = column(name).cast("string")
    try:
        java_class(frame.sparkSession, "java.util.regex.Pattern").compile(whole)
    except SparkError as error:
        said = explained(error, ()).message.splitlines()[0]
        raise InvalidStage(
            f"{given.pattern!r} is no regular expression: {said}",
            subject=name,
            action="write one of Java's java.util.regex",
        ) from None
    why = sf.concat(_told(name), sf.lit(f", which doesn't match {given.pattern}"))
    broken = _certain(~text.rlike(whole))
    return RowRule(broken, why, (name,), _count(broken))


def _expression(frame: DataFrame, sql: str) -> RowRule:
    selected = frame.select(sf.expr(sql))
    kind = selected.schema.fields[0].dataType
    if not isinstance(kind, BooleanType | NullType):
        raise InvalidStage(
            f"`{sql}` is {kind.simpleString().upper()}, not true or false", subject=sql, action="write a condition"
        )
    if not selected._jdf.queryExecution().analyzed().expressions().apply(0).deterministic():
        # Counted and taken out are asked one after the other, and would be of different rows.
        raise InvalidStage(
            f"`{sql}` has another answer each time it is asked",
            subject=sql,
            action="derive it as a column in an earlier step, and name that column",
        )
    broken = _certain(~sf.expr(sql))
    return RowRule(broken, sf.lit(f"not true: {sql}"), (), _count(broken))


_KINDS: dict[str, Callable[[DataFrame, Any], RowRule]] = {
    "not_null": _not_null,
    "accepted_values": _accepted_values,
    "range": _range,
    "regex": _regex,
    "expression": _expression,
}


def counted(condition: Column) -> Column:
    return sf.count(sf.when(condition, sf.lit(1)))


def _count(broken: Column) -> dict[str, Measure]:
    return {"broken": (counted, broken)}


def _certain(condition: Column) -> Column:
    """Null is not broken."""
    return sf.coalesce(condition, sf.lit(False))


def _told(name: str) -> Column:
    return sf.concat(sf.lit(f"{name} is "), column(name).cast("string"))
