"""Wide and deep plans are read, and what they cost is counted in calls and work, not in seconds of a busy machine."""

import time

import pytest
from pyspark.sql import functions as F  # noqa: N812

from lineage_hub.spark.plan import lineage

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]


def wide(spark, folder, count):
    return spark.read.schema(", ".join(f"c{number} int" for number in range(count))).csv(str(folder))


def test_five_thousand_columns(spark, tmp_path):
    frame = wide(spark, tmp_path, 5000)
    answer = lineage(frame.select(*(F.col(one) + 1 for one in frame.columns)).distinct())
    assert len(answer.columns) == 5000
    name = "(c4999 + 1)"
    assert {one.kind for one in answer.columns.own[name]} == {"TRANSFORMATION"}
    assert len(answer.columns[name]) == 5001


def test_opaque_columns_of_a_wide_frame_share_what_they_depend_on(spark, tmp_path):
    frame = wide(spark, tmp_path, 2000)
    answer = lineage(frame.mapInPandas(lambda rows: rows, frame.schema))
    assert len({id(one) for one in answer.columns.own.values()}) == 1
    assert len(answer.columns["c0"]) == 2000


def test_five_hundred_steps(spark, tmp_path):
    frame = wide(spark, tmp_path, 3)
    for number in range(500):
        frame = frame.withColumn("c0", F.col("c0") + F.col("c1") * number)
    answer = lineage(frame)
    assert {(one.field, one.kind) for one in answer.columns["c0"]} == {
        ("c0", "TRANSFORMATION"),
        ("c1", "TRANSFORMATION"),
    }


def test_reading_costs_little_more_cpu_than_getting_the_plan(spark, tmp_path):
    frame = wide(spark, tmp_path, 3000)
    frame = frame.select(*((F.col(one) + 1).alias(one) for one in frame.columns)).filter("c1 > 0")
    lineage(frame)
    started = time.thread_time()
    lineage(frame)
    assert time.thread_time() - started < 3
