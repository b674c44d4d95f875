"""Small programs run on Spark with OpenLineage's listener; what it sends leaves as one file of events a story.

    python -m tests.producers.record_spark [STORY …]

Made once: the files are fixtures, and what must be true of them is written by hand beside them. Needs the `spark`
extra and Java; Spark fetches the listener's and Delta's jars. Names of this machine are replaced.
"""

from __future__ import annotations

import getpass
import json
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr
from pyspark.sql.functions import sum as total_of

STORIES = Path(__file__).parents[1] / "fixtures" / "stories" / "spark_recorded"
JARS = "io.openlineage:openlineage-spark_2.13:1.53.0,io.delta:delta-spark_2.13:4.0.0"
# Facets that say much about a machine and nothing about lineage.
NOISE = ("spark_properties", "environment-properties")
Program = Callable[[SparkSession, Path], None]
PROGRAMS: dict[str, Program] = {}


def story(program: Program) -> Program:
    PROGRAMS[program.__name__] = program
    return program


def session(name: str, folder: Path, *, delta: bool) -> SparkSession:
    building = (
        SparkSession.builder.master("local[1]")
        .appName(name)
        .config("spark.jars.packages", JARS)
        .config("spark.extraListeners", "io.openlineage.spark.agent.OpenLineageSparkListener")
        .config("spark.openlineage.transport.type", "file")
        .config("spark.openlineage.transport.location", str(folder / "events.ndjson"))
        .config("spark.openlineage.namespace", "spark_prod")
        .config("spark.sql.warehouse.dir", str(folder / "wh"))
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.ui.enabled", "false")
    )
    if delta:  # these stories come last: what a builder was told stays
        building = building.config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension").config(
            "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog"
        )
    return building.getOrCreate()


def orders(spark: SparkSession, path: Path) -> DataFrame:
    """Without an event of its own: the rows are written by Python."""
    path.mkdir(parents=True, exist_ok=True)
    (path / "part.csv").write_text("1,7,10.5\n2,7,4.0\n3,8,1.0\n")
    return spark.read.schema("id INT, customer INT, amount DOUBLE").csv(str(path))


@story
def parquet_aggregate(spark: SparkSession, folder: Path) -> None:
    totals = orders(spark, folder / "orders").groupBy("customer").agg(total_of("amount").alias("total"))
    totals.write.parquet(str(folder / "totals"))


@story
def table_from_query(spark: SparkSession, folder: Path) -> None:
    orders(spark, folder / "orders").createOrReplaceTempView("orders")
    spark.sql(
        "CREATE TABLE totals USING parquet AS SELECT customer, sum(amount) AS total FROM orders GROUP BY customer"
    )


@story
def insert_into_table(spark: SparkSession, folder: Path) -> None:
    spark.sql("CREATE TABLE kept (id INT, amount DOUBLE) USING parquet")
    orders(spark, folder / "orders").createOrReplaceTempView("orders")
    spark.sql("INSERT INTO kept SELECT id, amount FROM orders WHERE amount > 2")


@story
def failing_write(spark: SparkSession, folder: Path) -> None:
    broken = orders(spark, folder / "orders").withColumn("bad", expr("raise_error('no such customer')"))
    try:
        broken.write.parquet(str(folder / "broken"))
    except Exception as error:
        print("failed as it should:", type(error).__name__)


@story
def drop_table(spark: SparkSession, folder: Path) -> None:
    orders(spark, folder / "orders").write.saveAsTable("gone")
    spark.sql("DROP TABLE gone")


@story
def micro_batches(spark: SparkSession, folder: Path) -> None:
    (folder / "arriving").mkdir()
    for number in range(4):
        (folder / "arriving" / f"{number}.csv").write_text(f"{number},7,1.5\n")
    reading = spark.readStream.schema("id INT, customer INT, amount DOUBLE").option("maxFilesPerTrigger", 1)
    stream = reading.csv(str(folder / "arriving")).where("amount > 1")
    writing = stream.writeStream.format("parquet").option("checkpointLocation", str(folder / "checkpoints"))
    writing.trigger(availableNow=True).start(str(folder / "arrived")).awaitTermination()


@story
def for_each_batch(spark: SparkSession, folder: Path) -> None:
    (folder / "arriving").mkdir()
    for number in range(3):
        (folder / "arriving" / f"{number}.csv").write_text(f"{number},7,1.5\n")
    reading = spark.readStream.schema("id INT, customer INT, amount DOUBLE").option("maxFilesPerTrigger", 1)
    stream = reading.csv(str(folder / "arriving"))

    def keep(batch: DataFrame, _number: int) -> None:
        batch.write.mode("append").parquet(str(folder / "kept"))

    writing = stream.writeStream.foreachBatch(keep).option("checkpointLocation", str(folder / "checkpoints"))
    writing.trigger(availableNow=True).start().awaitTermination()


@story
def delta_append(spark: SparkSession, folder: Path) -> None:
    rows = orders(spark, folder / "orders")
    rows.write.format("delta").save(str(folder / "ledger"))
    rows.where("id > 1").write.format("delta").mode("append").save(str(folder / "ledger"))


@story
def delta_merge(spark: SparkSession, folder: Path) -> None:
    orders(spark, folder / "orders").write.format("delta").saveAsTable("ledger")
    orders(spark, folder / "late").createOrReplaceTempView("late")
    spark.sql(
        "MERGE INTO ledger USING late ON ledger.id = late.id "
        "WHEN MATCHED THEN UPDATE SET amount = late.amount WHEN NOT MATCHED THEN INSERT *"
    )


def record(name: str) -> int:
    """How many events the story has."""
    folder = Path(tempfile.mkdtemp(prefix="story-"))
    spark = session(name, folder, delta=name.startswith("delta"))
    try:
        PROGRAMS[name](spark, folder)
        spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty(60_000)
    finally:
        spark.stop()
    text = (folder / "events.ndjson").read_text()
    here = {
        str(folder): "/data",
        folder.name: "data",
        socket.gethostname(): "driver",
        f'"{getpass.getuser()}"': '"etl"',
    }
    for name_here, name_there in here.items():
        text = text.replace(name_here, name_there)
    kept = []
    for line in filter(None, text.splitlines()):
        event = json.loads(line)
        facets = event["run"]["facets"]
        event["run"]["facets"] = {key: value for key, value in facets.items() if key not in NOISE}
        kept.append(json.dumps(event, ensure_ascii=False, separators=(",", ":")))
    STORIES.mkdir(parents=True, exist_ok=True)
    (STORIES / f"{name}.ndjson").write_text("\n".join(kept) + "\n")
    shutil.rmtree(folder)
    return len(kept)


if __name__ == "__main__":
    for name in sys.argv[1:] or PROGRAMS:
        print(name, record(name), "events")
