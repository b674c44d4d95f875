"""Notebooks of 300 lines enter, as teams write them: in Python, in SQL and in both. What they take leaves.

Reading is told in CPU seconds of one core: once with nothing known, and once again when nothing has changed. Fetching
is told in seconds of the clock, from a workspace that takes a tenth of a second for each answer.
"""

import asyncio
import gc
import multiprocessing
import shutil
import time
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.bench import Bench, run_alone
from benchmarks.claims import Bound, Figure, Row

READ = Bound(must=20, aim=10)
AGAIN = Bound(must=1, aim=0.5)
EXPORT = Bound(must=8, aim=7)
LATENCY_S = 0.1
CONNECTIONS = 16
LINES = 300

_HEAD = '''# Databricks notebook source
# MAGIC %md
# MAGIC # {team}: events of {area}, as they come in

# COMMAND ----------

import dlt
from pyspark.sql import functions as F
from pyspark.sql.types import DoubleType, StringType, StructField, StructType, TimestampType

ENV = spark.conf.get("{team}.env", "dev")
BROKERS = ",".join(f"kafka-{{n}}.{{ENV}}.example.com:9092" for n in range(1, 4))
TOPICS = {{name: f"{area}.{{ENV}}.{{name}}.v{version}" for name in ({names})}}

COMMON = {{
    "kafka.bootstrap.servers": BROKERS,
    "startingOffsets": "earliest",
    "failOnDataLoss": "false",
}}


def stream_of(name, **more):
    """One topic as a stream, with the options that all of ours share."""
    options = {{**COMMON, "subscribe": TOPICS[name], "groupIdPrefix": f"{team}-{{name}}", **more}}
    return spark.readStream.format("kafka").options(**options).load()

'''
_PART = """# COMMAND ----------

{name}_schema = StructType([
    StructField("id", StringType()),
    StructField("customer", StringType()),
    StructField("amount", DoubleType()),
    StructField("at", TimestampType()),
])


@dlt.table(name="{name}_raw", comment="{name} as they come", table_properties={{"quality": "bronze"}})
def {name}_raw():
    return stream_of("{name}").select(
        F.col("key").cast("string").alias("key"),
        F.from_json(F.col("value").cast("string"), {name}_schema).alias("data"),
        F.col("timestamp").alias("received_at"),
    )


@dlt.table(name="{name}_clean")
@dlt.expect_or_drop("has_id", "id is not null")
@dlt.expect("positive", "amount >= 0")
def {name}_clean():
    rows = dlt.read_stream("{name}_raw").select("data.*", "received_at")
    if ENV == "prod":
        rows = rows.withWatermark("at", "1 hour").dropDuplicates(["id", "at"])
    return rows.withColumn("day", F.to_date("at"))


@dlt.table
def {name}_daily():
    return (
        dlt.read("{name}_clean")
        .groupBy("day", "customer")
        .agg(F.sum("amount").alias("total"), F.count("*").alias("orders"))
    )

"""
_REPORT = """# COMMAND ----------

@dlt.table
def {name}_report():
    rows = dlt.read("{name}_clean")
{columns}
    return rows.where(F.col("amount") > F.lit({number}))

"""
_JOB = """# COMMAND ----------

class {title}Job(Job):
    topic = "{area}.{name}.v1"
    checkpoint = "/Volumes/main/{area}/checkpoints/{name}"

    def read(self):
        reader = spark.readStream.format("kafka")
        for key, value in {{**COMMON, "subscribe": self.topic}}.items():
            reader = reader.option(key, value)
        return reader.load()

    def shape(self, rows):
        fields = ["id", "customer", "amount", "at"]
        rows = rows.select(F.col("value").cast("string").alias("body"), F.col("timestamp").alias("received_at"))
        for field in fields:
            rows = rows.withColumn(field, F.get_json_object("body", f"$.{{field}}"))
        return rows.drop("body").where("id is not null")

    def write(self, rows):
        target = f"{{self.catalog}}.{area}.{name}"

        def upsert(batch, batch_id):
            table = DeltaTable.forName(spark, target).alias("t")
            table.merge(batch.alias("s"), "t.id = s.id").whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()

        query = rows.writeStream.option("checkpointLocation", self.checkpoint).trigger(availableNow=True)
        return query.foreachBatch(upsert).start()


{title}Job(env=ENV).run()

"""
_JOB_HEAD = """# Databricks notebook source
from delta.tables import DeltaTable
from pyspark.sql import functions as F

dbutils.widgets.text("env", "dev")
ENV = dbutils.widgets.get("env")
COMMON = {{
    "kafka.bootstrap.servers": f"{{ENV}}.{team}.example.com:9092",
    "startingOffsets": "latest",
    "maxOffsetsPerTrigger": 100000,
}}


class Job:
    catalog = "main"

    def __init__(self, env):
        self.env = env
        if env != "prod":
            self.catalog = f"{{env}}_main"

    def run(self):
        return self.write(self.shape(self.read()))

"""
_STATEMENTS = """{mark}CREATE OR REFRESH STREAMING TABLE {name}_raw COMMENT '{name} as they come' AS
{mark}SELECT cast(key AS string) AS id, timestamp,
{mark}  from_json(cast(value AS string), 'customer STRING, amount DOUBLE') AS data
{mark}FROM STREAM read_kafka(bootstrapServers => '{team}.example.com:9092', subscribe => '{area}.{name}');

{cell}{mark}CREATE OR REFRESH STREAMING TABLE {name}_clean (
{mark}  CONSTRAINT positive EXPECT (amount >= 0) ON VIOLATION DROP ROW
{mark}) AS
{mark}WITH parts AS (
{mark}  SELECT id, data.customer, data.amount, timestamp AS received_at FROM STREAM(LIVE.{name}_raw)
{mark}), ranked AS (
{mark}  SELECT *, row_number() OVER (PARTITION BY id ORDER BY received_at DESC) AS rank FROM parts
{mark})
{mark}SELECT r.id, r.customer, coalesce(r.amount, 0) * c.rate AS amount, date_trunc('day', r.received_at) AS day
{mark}FROM ranked r LEFT JOIN main.{area}.rates c ON r.customer = c.customer
{mark}WHERE r.rank = 1;

{cell}{mark}CREATE OR REFRESH MATERIALIZED VIEW {name}_daily AS
{mark}SELECT day, customer, sum(amount) AS total, count(*) AS orders,
{mark}  CASE WHEN sum(amount) > {number} THEN 'large' ELSE 'small' END AS size
{mark}FROM LIVE.{name}_clean
{mark}GROUP BY day, customer;

"""
_NAMES = ("orders", "refunds", "clicks", "visits", "payments", "shipments", "returns", "logins")


def notebook(number: int) -> tuple[str, str]:
    """Of 300 lines, with its ending: a pipeline in Python, in SQL or in both, or a job. None is like another."""
    words = {"team": f"team{number % 7}", "area": f"area{number}", "number": number}
    kind = ("pipeline", "sql", "job", "both")[number % 4]
    names = [f"{_NAMES[(number + at) % len(_NAMES)]}_{number % 97}_{at}" for at in range(12)]
    listed = ", ".join(f'"{one}"' for one in names)
    heads = {"sql": "-- Databricks notebook source\n", "job": _JOB_HEAD.format(**words)}
    text = heads.get(kind) or _HEAD.format(version=number % 3 + 1, names=listed, **words)
    for at, name in enumerate(names):
        part = _part(kind, at, {**words, "name": name, "title": name.title().replace("_", "")})
        if (text + part).count("\n") > LINES:
            break
        text += part
    mark = "--" if kind == "sql" else "#"
    return text + f"{mark} more to come\n" * (LINES - text.count("\n")), ".sql" if kind == "sql" else ".py"


def _part(kind: str, at: int, words: dict[str, object]) -> str:
    """With a note before it, as notebooks have them."""
    mark = "--" if kind == "sql" else "#"
    lines = (f"{mark} COMMAND ----------", "", f"{mark} MAGIC %md", f"{mark} MAGIC ## {words['name']}", "")
    return "\n".join(lines) + "\n" + _code(kind, at, words)


def _code(kind: str, at: int, words: dict[str, object]) -> str:
    if kind == "job":
        return _JOB.format(**words)
    if kind == "sql":
        return "-- COMMAND ----------\n\n" + _STATEMENTS.format(mark="", cell="-- COMMAND ----------\n\n", **words)
    if kind == "both" and at % 2:
        cell = "# COMMAND ----------\n\n# MAGIC %sql\n"
        return cell + _STATEMENTS.format(mark="# MAGIC ", cell=cell, **words)
    line = '    rows = rows.withColumn("c{0}", F.col("amount") * {0} + F.coalesce("customer", F.lit({0})))'
    columns = "\n".join(line.format(one) for one in range(8))
    return _PART.format(**words) + _REPORT.format(columns=columns, **words)


def measure(bench: Bench) -> list[Row]:
    count = bench.sizes.notebooks
    folder = bench.fresh_folder("notebooks")
    for at in range(count):
        text, ending = notebook(at)
        place = folder / f"area{at % 20:02}" / f"pipeline_{at:04}{ending}"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    reading, read = _read(count)
    kept = bench.fresh_folder("notebooks-cache")
    first, sources = _scan(folder, kept)
    again, _ = _scan(folder, kept)
    shutil.rmtree(kept)
    seconds, at_once = _export(count)
    judged = bench.sizes.judged
    return [
        Row(
            f"read the sources of {count:,} notebooks of {LINES} lines",
            (Figure(reading, "CPU s", READ),),
            f"{read:,} sources found, {1000 * reading / count:.1f} CPU-ms a notebook",
            judged=judged,
        ),
        Row(
            f"scan a folder of these {count:,} notebooks for the first time, with columns, and make events of them",
            (Figure(first, "CPU s", READ),),
            f"{sources:,} sources found, {1000 * first / count:.1f} CPU-ms a notebook",
            judged=judged,
        ),
        Row(
            f"scan the same {count:,} notebooks again, none of them changed",
            (Figure(again, "CPU s", AGAIN),),
            f"{1000 * again / count:.2f} CPU-ms a notebook",
            judged=judged,
        ),
        Row(
            f"export {count:,} notebooks from a workspace that takes {LATENCY_S:g} s an answer",
            (Figure(seconds, "s", EXPORT),),
            f"at most {at_once} requests at a time; {count * LATENCY_S / CONNECTIONS:.2f} s is the least that can be",
            judged=judged,
        ),
    ]


def _read(count: int) -> tuple[float, int]:
    from lineage_hub.connectors.databricks.sources import extract_sources

    begun = time.process_time()
    found = sum(len(extract_sources(text, path=f"notebook{end}")) for text, end in map(notebook, range(count)))
    return time.process_time() - begun, found


def _scan(folder: Path, kept: Path) -> tuple[float, int]:
    from lineage_hub.connectors.databricks.cache import Cache
    from lineage_hub.connectors.databricks.config import ScanConfig
    from lineage_hub.connectors.databricks.scan import GARBAGE, scan_folder
    from lineage_hub.connectors.databricks.told import events_of

    # As the command has it.
    gc.set_threshold(*GARBAGE)
    begun = time.process_time()
    cache = Cache(kept)
    report = asyncio.run(scan_folder(folder, ScanConfig(), cache))
    events_of(report.jobs, cache)
    assert not report.problems, report.problems[:3]
    return time.process_time() - begun, len(report.findings)


def _export(count: int) -> tuple[float, int]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    workspace = context.Process(target=_serve, args=(theirs, count), daemon=True)
    workspace.start()
    try:
        url, token = ours.recv()
        # Modules are loaded, and the server has threads.
        asyncio.run(_exported(url, token, 1))
        begun = time.monotonic()
        found = asyncio.run(_exported(url, token, count))
        seconds = time.monotonic() - begun
        assert len(found) == count
        assert all(found)
        ours.send("stop")
        return seconds, ours.recv()
    finally:
        workspace.join(10)


async def _exported(url: str, token: str, count: int) -> list[str]:
    from lineage_hub.connectors.databricks.cache import Cache
    from lineage_hub.connectors.databricks.client import DatabricksClient
    from lineage_hub.connectors.databricks.workspace import WorkspaceTree

    async with DatabricksClient(url, token, concurrency=CONNECTIONS) as client:
        tree = WorkspaceTree(client, Cache(None))

        async def one_of(at: int) -> str:
            return await tree.text(await tree.found(f"/Shared/shop/n{at}"))

        return await asyncio.gather(*(one_of(at) for at in range(count)))


def _serve(to: Connection, count: int) -> None:
    from lineage_hub.testing.databricks import FakeWorkspace

    with FakeWorkspace(latency_s=LATENCY_S) as workspace:
        for at in range(count):
            workspace.add_notebook(f"/Shared/shop/n{at}", notebook(at)[0])
        to.send((workspace.url, workspace.token))
        to.recv()
        to.send(workspace.most_at_once)


if __name__ == "__main__":
    run_alone("databricks", measure, __doc__)
