# ruff: noqa: E501 - one case is one line
"""Columns and their origins, where the plan can be known from the code; nothing where it can't."""

from __future__ import annotations

import pytest

from tests.connectors.databricks.program.reading_programs import table

SETUP = """
from pyspark.sql import functions as F, Window
from pyspark.sql.functions import col, expr, from_json, lit
from pyspark.sql.types import StructType, StructField, StringType
a, b = spark.table("a"), spark.table("b")
k = spark.readStream.format("kafka").option("subscribe", "t").load()
schema = StructType([StructField("id", StringType()), StructField("n", StringType())])
"""

UDFS = """
@F.udf("string")
def typed(x, y):
    return x

@F.udf
def plain(x):
    return x

named = F.udf(lambda x: x, StringType())
@F.udf(returnType=StringType())
def by_keyword(x):
    return x
"""

KNOWN = [
    ('a.select(F.count("*").alias("n"), expr("count(*) as m"))', {"n": set(), "m": set()}),
    ('a.select(typed(col("x"), "y").alias("u"), plain("x").alias("p"))', {"u": {"a.x", "a.y"}, "p": {"a.x"}}),
    ('a.select(named("x").alias("n"), by_keyword(a.y).alias("k"))', {"n": {"a.x"}, "k": {"a.y"}}),
    ('a.select("x", "y")', {"x": {"a.x"}, "y": {"a.y"}}),
    ('a.select(["x", "y"])', {"x": {"a.x"}, "y": {"a.y"}}),
    ('a.select(col("x").alias("z"))', {"z": {"a.x"}}),
    ('a.select(a.x, a["y"])', {"x": {"a.x"}, "y": {"a.y"}}),
    ('a.select("a.x")', {"x": {"a.x"}}),
    ('a.select(F.upper("x").alias("u"))', {"u": {"a.x"}}),
    ('a.select(F.concat("x", F.lit("-"), col("y")).alias("c"))', {"c": {"a.x", "a.y"}}),
    ('a.select(F.date_format("x", "yyyy").alias("d"))', {"d": {"a.x"}}),
    ('a.select((col("x") + col("y") * 2).alias("s"))', {"s": {"a.x", "a.y"}}),
    ('a.select((col("x") > 1).alias("s"))', {"s": {"a.x"}}),
    ('a.select((1 - col("x")).alias("s"))', {"s": {"a.x"}}),
    ('a.select(F.when(col("x") > 0, col("y")).otherwise(col("z")).alias("w"))', {"w": {"a.x", "a.y", "a.z"}}),
    ('a.select(col("x").cast("int"))', {"x": {"a.x"}}),
    ('a.select(lit(1).alias("one"), F.current_timestamp().alias("now"))', {"one": set(), "now": set()}),
    ('a.select(expr("x + y as s"))', {"s": {"a.x", "a.y"}}),
    ('a.selectExpr("x", "cast(y as int) as y", "z z2")', {"x": {"a.x"}, "y": {"a.y"}, "z2": {"a.z"}}),
    ('a.select("x").withColumn("z", col("x"))', {"x": {"a.x"}, "z": {"a.x"}}),
    ('a.withColumn("Total", col("p")).select("total")', {"total": {"a.p"}}),
    ('a.select("X").withColumn("x", lit(1))', {"x": set()}),
    ('a.select("Id", "x").drop("id")', {"x": {"a.x"}}),
    ('a.select("Id", "x").withColumnRenamed("id", "key")', {"key": {"a.Id"}, "x": {"a.x"}}),
    ('a.select(F.sum("v").over(Window.partitionBy("k", col("m")).rowsBetween(-1, 0)).alias("s"))', {"s": {"a.v", "a.k", "a.m"}}),
    ('a.select("x").withColumns({"z": F.lower("x")})', {"x": {"a.x"}, "z": {"a.x"}}),
    ('a.withColumnRenamed("x", "z").select("z")', {"z": {"a.x"}}),
    ('a.select("x", "y").drop("y")', {"x": {"a.x"}}),
    ('a.select("x", "y").drop(col("y"))', {"x": {"a.x"}}),
    ('a.select("x").filter("x > 1").orderBy("x").limit(3).distinct()', {"x": {"a.x"}}),
    ('a.select("x", "y").toDF("p", "q")', {"p": {"a.x"}, "q": {"a.y"}}),
    ('a.groupBy("x").count()', {"x": {"a.x"}, "count": set()}),
    ('a.groupBy("x").agg(F.sum("y").alias("s"), F.count("*").alias("n"))', {"x": {"a.x"}, "s": {"a.y"}, "n": set()}),
    ('a.groupBy("x").sum("y")', {"x": {"a.x"}, "sum(y)": {"a.y"}}),
    ('a.join(b, "id").select("id", a.x, b.y)', {"id": {"a.id", "b.id"}, "x": {"a.x"}, "y": {"b.y"}}),
    ('a.alias("l").join(b.alias("r"), "id").select("l.x", col("r.y"))', {"x": {"a.x"}, "y": {"b.y"}}),
    ('a.select("x", "id").join(b.select("id", "y"), "id")', {"x": {"a.x"}, "id": {"a.id", "b.id"}, "y": {"b.y"}}),
    ('a.select("x").join(b, a.x == b.x, "left_semi")', {"x": {"a.x"}}),
    ('a.select("x").union(b.select("y"))', {"x": {"a.x", "b.y"}}),
    ('a.select("x").unionByName(b.select("x"))', {"x": {"a.x", "b.x"}}),
    ('k.select(from_json(col("value").cast("string"), schema).alias("d")).select("d.*")', {"id": {"t.value"}, "n": {"t.value"}}),
    ('k.select(from_json("value", "id STRING, m MAP<STRING, INT>").alias("d")).select("d.id", "d.m")', {"id": {"t.value"}, "m": {"t.value"}}),
    ('k.select("key", "timestamp")', {"key": {"t.key"}, "timestamp": {"t.timestamp"}}),
    ('spark.sql("SELECT x, y + 1 AS z FROM q")', {"x": {"q.x"}, "z": {"q.y"}}),
    ('a.select(*[col(c) for c in ("x", "y")])', {"x": {"a.x"}, "y": {"a.y"}}),
    ('a.select("x").na.fill(0)', {"x": {"a.x"}}),
]  # fmt: skip


@pytest.mark.parametrize(("frame", "columns"), KNOWN, ids=[one[0] for one in KNOWN])
def test_columns_are_told_with_their_origins(frame: str, columns: dict[str, set[str]]) -> None:
    found = table(f'{SETUP}{UDFS}\n{frame}.write.saveAsTable("o")', "o").columns
    assert found is not None
    direct = {name: {f"{one.table}.{one.column}" for one in origins if one.direct} for name, origins in found.items()}
    assert direct == columns


DECIDING = [
    ('a.where("z > 1 and w is null").select("x")', {"a.z", "a.w"}),
    ('a.filter(col("z") > a.w).select("x")', {"a.z", "a.w"}),
    ('a.select("x", "z").where(F.upper("z") == "A").select("x")', {"a.z"}),
    ('a.select(F.upper("z").alias("x")).where("x is not null")', {"a.z"}),
    ('a[a.z > 1].select("x")', {"a.z"}),
    ('a.groupBy("z", col("w")).agg(F.sum("y").alias("x"))', {"a.z", "a.w"}),
    ('a.groupBy("z").count().select(col("count").alias("x"))', {"a.z"}),
    ('a.join(b, "id").select(a.x)', {"a.id", "b.id"}),
    ('a.join(b, ["id", "day"], "left").select(a.x)', {"a.id", "b.id", "a.day", "b.day"}),
    ('a.join(b, a.id == b.key).select(a.x)', {"a.id", "b.key"}),
    ('a.join(b.where("z = 1"), "id").select(a.x)', {"a.id", "b.id", "b.z"}),
    ('a.select("x").union(b.where("z = 1").select("x"))', {"b.z"}),
    ('a.orderBy("z").limit(3).select("x")', {"a.z"}),
    ('a.dropDuplicates(["id", "z"]).select("x")', {"a.id", "a.z"}),
    ('(a.where("z = 1") if elsewhere else a).select("x")', {"a.z"}),
    ('a.where(elsewhere).where("z = 1").select("x")', {"a.z"}),
    ('a.select("x")', set()),
    ('a.alias("l").join(b.alias("r"), col("l.id") == col("r.key")).select("l.x")', {"a.id", "b.key"}),
    ('a.alias("l").join(b.alias("r"), expr("l.id = r.key")).select("l.x")', {"a.id", "b.key"}),
    ('a.alias("L").join(b, expr("l.id = b.key")).select("l.x")', {"a.id", "b.key"}),
    ('a.join(b, col("id") == col("key")).select(a.x)', set()),
    ('a.join(b, [a.id == b.key, a.d == b.e], "left_semi").select("x")', {"a.id", "b.key", "a.d", "b.e"}),
    ('a.alias("l").join(b.alias("r"), "id").select("l.*", "r.y").where("l.z > 1").select("x")', {"a.id", "b.id", "a.z"}),
    ('a.dropDuplicates(subset=["z"]).select("x")', {"a.z"}),
    ('a.filter(condition=col("z") == 1).select("x")', {"a.z"}),
    ('a.withColumn("n", F.row_number().over(Window.partitionBy("k").orderBy(F.desc("t")))).where("n = 1").select("x")', {"a.k", "a.t"}),
]  # fmt: skip


@pytest.mark.parametrize(("frame", "columns"), DECIDING, ids=[one[0] for one in DECIDING])
def test_what_decides_about_rows_is_told_of_each_column_and_is_not_its_content(frame: str, columns: set[str]) -> None:
    found = table(f'{SETUP}{UDFS}\n{frame}.write.saveAsTable("o")', "o").columns
    assert found is not None
    assert {f"{one.table}.{one.column}" for one in found["x"] if not one.direct} == columns


UNKNOWN = [
    'a.select(F.to_json(F.struct("*")).alias("value"))',
    'a.select(F.struct(col("*")).alias("value"))',
    'a.select("x").selectExpr("to_json(struct(*)) as value")',
    'a.selectExpr("hash(a.*) as h")',
    "a",
    'a.select("*")',
    'a.withColumn("x", lit(1))',
    'a.join(b, "id")',
    'a.join(b, "id").select("x")',
    'a.select(F.upper("x"))',
    'a.select(F.some_function("x", "y").alias("z"))',
    'a.select("x").some_method_of_the_future()',
    'a.select(elsewhere("x").alias("z"))',
    'a.select(F.rank().over(elsewhere).alias("z"))',
    'spark.table("p.t").alias("t").join(spark.table("q.t"), "id").select("t.x")',
    'a.groupBy("x").applyInPandas(elsewhere, "x INT")',
    'a.select(*elsewhere)',
    'k.select(from_json("value", elsewhere).alias("d")).select("d.*")',
    'a.selectExpr("(select max(x) from b) as m")',
    'spark.read.table(elsewhere).select("x")',
]  # fmt: skip


@pytest.mark.parametrize("frame", UNKNOWN)
def test_a_plan_that_the_code_does_not_tell_has_no_columns(frame: str) -> None:
    assert table(f'{SETUP}{UDFS}\nfrom outside import elsewhere\n{frame}.write.saveAsTable("o")', "o").columns is None
