"""The program that OpenLineage's listener watches: named fixture queries enter, each written to a folder of its number.
What leaves is the listener's own file of events; run as `python -m tests.spark.plan.listener_job FOLDER NAME…`."""

import sys
from pathlib import Path

from pyspark.sql import SparkSession

from tests.spark.plan.cases import read_cases
from tests.spark.plan.sources import view_files

EVENTS = "listener.ndjson"


def run(folder: Path, names: list[str]) -> None:
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.jars.packages", "io.openlineage:openlineage-spark_2.13:1.53.0")
        .config("spark.extraListeners", "io.openlineage.spark.agent.OpenLineageSparkListener")
        .config("spark.openlineage.transport.type", "file")
        .config("spark.openlineage.transport.location", str(folder / EVENTS))
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.memory", "1g")
        .config("spark.sql.warehouse.dir", str(folder / "listener_warehouse"))
        .getOrCreate()
    )
    view_files(spark, folder)
    queries = {case.name: case.sql for case in read_cases()}
    for number, name in enumerate(names):
        spark.sql(queries[name]).write.mode("overwrite").parquet(str(folder / "listened" / str(number)))
    spark.stop()  # flushes the listener


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2:])
