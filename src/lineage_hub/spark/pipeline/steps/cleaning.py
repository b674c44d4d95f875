"""Rows as a source wrote them enter; the same rows with cleaner values leave, or fewer of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf
from pyspark.sql.types import ArrayType, DataType, MapType, StructType, VariantType

from lineage_hub.spark.pipeline.columns import column, quoted, require_text, spelled, type_of
from lineage_hub.spark.pipeline.definition import DropDuplicates
from lineage_hub.spark.pipeline.literals import Value, literal
from lineage_hub.spark.pipeline.steps.shaping import names_or_sql
from lineage_hub.spark.pipeline.steps.surroundings import Surroundings
from lineage_hub.spark.pipeline.steps.texts import NORMALISED, stripped

_PLACE = "lineage-hub place among equals"


def trim(frame: DataFrame, names: Sequence[str], _: Surroundings) -> DataFrame:
    """Every kind of white space at both ends, as Python's `strip`: Spark's own trim takes only spaces."""
    return _changed_texts(frame, dict.fromkeys(names, stripped))


def normalise(frame: DataFrame, kinds: Mapping[str, str], _: Surroundings) -> DataFrame:
    return _changed_texts(frame, {name: NORMALISED[kind] for name, kind in kinds.items()})


def _changed_texts(frame: DataFrame, changes: Mapping[str, Callable[[Column], Column]]) -> DataFrame:
    names = spelled(frame, changes)
    for name in names:
        require_text(frame, name)
    return frame.withColumns({name: change(column(name)) for name, change in zip(names, changes.values(), strict=True)})


def cast(frame: DataFrame, types: Mapping[str, str], _: Surroundings) -> DataFrame:
    """`try_cast`: what can't be cast becomes null, in Spark's ANSI mode too."""
    names = spelled(frame, types)
    return frame.withColumns(
        {name: column(name).try_cast(kind) for name, kind in zip(names, types.values(), strict=True)}
    )


def fill(frame: DataFrame, values: Mapping[str, Value], _: Surroundings) -> DataFrame:
    names = spelled(frame, values)
    return frame.withColumns(
        {
            name: sf.coalesce(column(name), literal(value, type_of(frame, name)))
            for name, value in zip(names, values.values(), strict=True)
        }
    )


def drop_duplicates(frame: DataFrame, given: DropDuplicates, _: Surroundings) -> DataFrame:
    keys = spelled(frame, given.keys)
    if given.order_by is None:
        return frame.dropDuplicates(keys)
    # Rows that the order can't tell apart are told apart by what else they hold: each run keeps the same one.
    others = [quoted(one.name) for one in frame.schema if one.name not in keys and _can_be_ordered(one.dataType)]
    order = ", ".join([*names_or_sql(frame, given.order_by), *others])
    place = sf.expr(f"row_number() OVER (PARTITION BY {', '.join(map(quoted, keys))} ORDER BY {order})")
    return frame.withColumn(_PLACE, place).filter(column(_PLACE) == 1).drop(_PLACE)


def _can_be_ordered(kind: DataType) -> bool:
    if isinstance(kind, ArrayType):
        return _can_be_ordered(kind.elementType)
    if isinstance(kind, StructType):
        return all(_can_be_ordered(one.dataType) for one in kind.fields)
    return not isinstance(kind, MapType | VariantType)
