"""A program that loads one format in every mode again and again until it is killed; the test knows what each makes.

python -m tests.spark.pipeline.endless_loads FORMAT FOLDER JDBC_URL
"""

import json
import os
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from lineage_hub.spark.pipeline.definition import Load, Pipeline
from lineage_hub.spark.pipeline.load import prepare
from lineage_hub.spark.session import session

ROWS = 20
FORMATS = ("parquet", "csv", "json", "delta", "jdbc")
MODES = ("overwrite", "append", "merge")
Content = frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Target:
    format: str
    mode: str

    @property
    def name(self) -> str:
        return f"{self.format}_{self.mode}"


def targets_of(format: str) -> list[Target]:
    return [Target(format, mode) for mode in MODES]


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


def load_into(target: Target, folder: Path, jdbc_url: str) -> Load:
    where = {"url": jdbc_url, "table": target.name} if target.format == "jdbc" else {"path": str(folder / target.name)}
    keys = {"keys": ["id"]} if target.mode == "merge" else {}
    return Load.model_validate({"from": "source", "format": target.format, "mode": target.mode, **where, **keys})


def run_load(spark: SparkSession, load: Load, number: int) -> None:
    frame = spark.createDataFrame(rows_of(load.mode, number), "id INT, v INT").repartition(2)
    # Every other load takes the shorter way that nothing can stop.
    prepare(spark, frame, load, f"load {number}", checked=number % 2 == 0).publish()


def say(**what: object) -> None:
    """In one call of the system: threads that print at once would mix their lines."""
    os.write(sys.stdout.fileno(), f"{json.dumps(what)}\n".encode())


def load_without_end(spark: SparkSession, target: Target, load: Load) -> None:
    number = 0
    while True:
        say(target=target.name, loading=number)
        run_load(spark, load, number)
        say(target=target.name, loaded=number)
        number += 1


def main() -> None:
    format, folder, jdbc_url = sys.argv[1:]
    loads = {target: load_into(target, Path(folder), jdbc_url) for target in targets_of(format)}
    stages = {
        "source": {"extract": {"format": "csv", "path": "/nowhere"}},
        **{to.name: {"load": load.model_dump(by_alias=True, exclude_none=True)} for to, load in loads.items()},
    }
    conf = {
        "spark.sql.shuffle.partitions": 2,
        "spark.databricks.delta.snapshotPartitions": 2,
        "spark.driver.memory": "2g",
        "spark.ui.showConsoleProgress": "false",
    }
    pipeline = Pipeline.model_validate({"name": "endless", "stages": stages, "spark": {"conf": conf}})
    spark = session(pipeline, master="local[2]")
    for target, load in loads.items():
        threading.Thread(target=load_without_end, args=(spark, target, load)).start()


if __name__ == "__main__":
    main()
