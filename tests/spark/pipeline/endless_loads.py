"""A program that loads the same target again and again until it is killed; the test runs it, and knows what each makes.

python -m tests.spark.pipeline.endless_loads FORMAT MODE PLACE
"""

import json
import sys

from pyspark.sql import SparkSession

from lineage_hub.spark.pipeline.definition import Load, Pipeline
from lineage_hub.spark.pipeline.load import prepare
from lineage_hub.spark.session import session

ROWS = 20
Content = frozenset[tuple[int, int]]


def content_after(mode: str, number: int) -> Content:
    """What is in the target when the load of that number, counted from 0, is the last."""
    if mode == "overwrite":
        return frozenset((row, number) for row in range(ROWS))
    if mode == "append":
        return frozenset((load * ROWS + row, load) for load in range(number + 1) for row in range(ROWS))
    return frozenset({(row, number) for row in range(ROWS)} | {(ROWS + load, load) for load in range(number + 1)})


def rows_of(mode: str, number: int) -> list[tuple[int, int]]:
    """What the load of that number brings."""
    if mode == "append":
        return [(number * ROWS + row, number) for row in range(ROWS)]
    return [(row, number) for row in range(ROWS)] + ([(ROWS + number, number)] if mode == "merge" else [])


def load_into(format: str, mode: str, place: str) -> Load:
    where = {"url": place, "table": "endless"} if format == "jdbc" else {"path": place}
    keys = {"keys": ["id"]} if mode == "merge" else {}
    return Load.model_validate({"from": "source", "format": format, "mode": mode, **where, **keys})


def run_load(spark: SparkSession, load: Load, number: int) -> None:
    frame = spark.createDataFrame(rows_of(load.mode, number), "id INT, v INT").repartition(2)
    # Every other load takes the shorter way that nothing can stop.
    prepare(spark, frame, load, f"load {number}", checked=number % 2 == 0).publish()


def main() -> None:
    load = load_into(*sys.argv[1:])
    stages = {
        "source": {"extract": {"format": "csv", "path": "/nowhere"}},
        "load": {"load": load.model_dump(by_alias=True, exclude_none=True)},
    }
    conf = {
        "spark.sql.shuffle.partitions": 2,
        "spark.databricks.delta.snapshotPartitions": 2,
        "spark.driver.memory": "1g",
    }
    pipeline = Pipeline.model_validate({"name": "endless", "stages": stages, "spark": {"conf": conf}})
    spark = session(pipeline, master="local[2]")
    number = 0
    while True:
        print(json.dumps({"loading": number}), flush=True)
        run_load(spark, load, number)
        print(json.dumps({"loaded": number}), flush=True)
        number += 1


if __name__ == "__main__":
    main()
