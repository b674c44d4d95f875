"""Rows to merge, and those that are there, enter; they leave as one, when the keys and the types allow it."""

from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import DataType, StructType

from lineage_hub.errors import TargetUnwritable
from lineage_hub.spark.jvm import java_class
from lineage_hub.spark.pipeline.columns import column
from lineage_hub.spark.pipeline.schemas import shown


def check_keys(rows: DataFrame, keys: Sequence[str], place: str) -> None:
    """Which of two rows with one key should stay nobody can say, so that neither is written."""
    there = {name.casefold() for name in rows.columns}
    for key in keys:
        if key.casefold() not in there:
            raise TargetUnwritable(
                f"{place}: there is no column {key} to merge by",
                subject=key,
                action=f"use one of {', '.join(rows.columns)}",
            )
    names = [f"k{place}" for place, _ in enumerate(keys)]
    counted = rows.groupBy(*(column(key).alias(name) for key, name in zip(keys, names, strict=True))).count()
    null = fn.greatest(fn.lit(False), *(fn.col(name).isNull() for name in names))
    repeated = ~null & (fn.col("count") > 1)
    [found] = counted.agg(
        fn.sum(fn.when(null, fn.col("count"))).alias("nulls"),
        fn.count_if(repeated).alias("repeated"),
        fn.min(fn.when(repeated, fn.concat_ws(", ", *(fn.col(name).cast("string") for name in names)))).alias(
            "example"
        ),
    ).collect()
    said = [
        *([f"{found['nulls']} rows have null in the key"] if found["nulls"] else []),
        *([f"{found['repeated']} keys occur twice or more, as {found['example']}"] if found["repeated"] else []),
    ]
    if said:
        raise TargetUnwritable(
            f"{place}: {' and '.join(said)} ({', '.join(keys)})",
            subject=place,
            action="take duplicates out with `drop_duplicates` and rows without a key with `filter`",
        )


def check_types(there: StructType, rows: StructType, place: str) -> None:
    """A column that both have is of one type in both."""
    by_name = {field.name.casefold(): field for field in there}
    other = [
        f"{field.name} is {shown(by_name[field.name.casefold()].dataType)} there and {shown(field.dataType)} here"
        for field in rows
        if field.name.casefold() in by_name and not same_type(by_name[field.name.casefold()].dataType, field.dataType)
    ]
    if other:
        raise TargetUnwritable(
            f"{place}: {'; '.join(other)}", subject=place, action="cast the column, or overwrite the target"
        )


def check_storable(spark: SparkSession, there: StructType, rows: StructType, place: str) -> None:
    """Whether each column that is there can hold what comes, with nothing rounded or cut off."""
    cast = java_class(spark, "org.apache.spark.sql.catalyst.expressions.Cast")
    parse = java_class(spark, "org.apache.spark.sql.types.DataType").fromJson
    by_name = {field.name.casefold(): field.dataType for field in there}
    pairs = [(field, by_name[field.name.casefold()]) for field in rows if field.name.casefold() in by_name]
    other = [
        f"{field.name} is {shown(had)} there and {shown(field.dataType)} here"
        for field, had in pairs
        if had != field.dataType and not cast.canUpCast(parse(field.dataType.json()), parse(had.json()))
    ]
    if other:
        raise TargetUnwritable(f"{place}: {'; '.join(other)}", subject=place, action="cast the column")


def same_type(one: DataType, other: DataType) -> bool:
    """Whether null is allowed is no part of it."""
    return one.simpleString() == other.simpleString()


def merged(there: DataFrame, rows: DataFrame, keys: Sequence[str]) -> DataFrame:
    """Rows replace those of the same key; a column that one side lacks is null there."""
    stay = there.join(rows.select(*map(column, keys)), on=list(keys), how="left_anti")
    return rows.unionByName(stay, allowMissingColumns=True)
