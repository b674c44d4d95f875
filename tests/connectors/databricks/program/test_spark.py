# ruff: noqa: E501 - one case is one line
"""Reads and writes of Spark in every shape that its API allows."""

from __future__ import annotations

import pytest

from tests.connectors.databricks.program.reading_programs import feeds, read, sources, table

KAFKA = 'spark.readStream.format("kafka").option("subscribe", "t").load()'

READS = [
    ('spark.read.table("a.b.c")', "table", "a.b.c"),
    ('spark.table("a")', "table", "a"),
    ('spark.readStream.table("a")', "table", "a"),
    ('table("a")', "table", "a"),
    ('spark.read.table("`my-cat`.s.t")', "table", "my-cat.s.t"),
    ('spark.read.table("delta.`/x/y`")', "delta", "/x/y"),
    ('spark.read.format("delta").load("/x")', "delta", "/x"),
    ('spark.read.load("/x")', "delta", "/x"),
    ('spark.read.load("/x", format="csv")', "files", "/x"),
    ('spark.read.load(path="/x", format="parquet", header=True)', "files", "/x"),
    ('spark.read.csv("/x", header=True)', "files", "/x"),
    ('spark.read.json("/x")', "files", "/x"),
    ('spark.read.option("header", "true").schema("a INT").parquet("/x")', "files", "/x"),
    ('spark.read.text("/x")', "files", "/x"),
    ('spark.read.orc("/x")', "files", "/x"),
    ('spark.read.format("avro").option("path", "/x").load()', "files", "/x"),
    ('spark.readStream.format("cloudFiles").option("cloudFiles.format", "json").load("/x")', "files", "/x"),
    ('spark.readStream.format("CLOUDFILES").load("s3://b/x")', "files", "s3://b/x"),
    ('spark.read.jdbc("jdbc:postgresql://h/db", "public.t")', "jdbc", "public.t"),
    ('spark.read.format("jdbc").option("url", "jdbc:x").option("dbtable", "t").load()', "jdbc", "t"),
    ('spark.read.format("jdbc").options(url="jdbc:x", query="select 1").load()', "jdbc", "select 1"),
    ('spark.read.format("snowflake").option("dbtable", "T").load()', "snowflake", "T"),
    ('spark.read.format("deltaSharing").load("/p#s.d.t")', "deltasharing", "/p#s.d.t"),
    ('getattr(spark, "read").table("a")', "table", "a"),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "kind", "path"), READS, ids=[one[0] for one in READS])
def test_a_read_is_told_by_its_kind_and_path(expression: str, kind: str, path: str) -> None:
    (found,) = sources(expression)
    assert (found.kind, found.path, found.line, found.unresolved) == (kind, path, 1, [])


STREAMS = [
    ('.format("kafka").option("subscribe", " a , b,").load()', "kafka", ["a", "b"]),
    ('.format("kafka").option("SUBSCRIBE", "a").load()', "kafka", ["a"]),
    ('.format("kafka").option("topics", "a").load()', "kafka", ["a"]),
    ('.format("kafka").option("assign", \'{"a": [0, 1], "b": [0]}\').load()', "kafka", ["a", "b"]),
    ('.format("kafka").options(**{"subscribe": "a"}).load()', "kafka", ["a"]),
    ('.format("kafka").load(subscribe="a")', "kafka", ["a"]),
    ('.format("kinesis").option("streamName", "a").option("region", "eu").load()', "kinesis", ["a"]),
    ('.format("kinesis").option("streamARN", "arn:aws:kinesis:eu:1:stream/a").load()', "kinesis", ["a"]),
    ('.format("pulsar").option("topics", "a").option("service.url", "p").load()', "pulsar", ["a"]),
    ('.format("pubsub").option("subscriptionId", "s").option("topicId", "a").load()', "pubsub", ["a"]),
    ('.format("eventhubs").option("eventhubs.connectionString", "Endpoint=sb://n.x/;SharedAccessKey=k;EntityPath=a").load()', "eventhubs", ["a"]),
]  # fmt: skip


@pytest.mark.parametrize(("chain", "kind", "names"), STREAMS, ids=[one[0] for one in STREAMS])
def test_a_stream_is_told_by_its_topics(chain: str, kind: str, names: list[str]) -> None:
    (found,) = sources("spark.readStream" + chain)
    assert (found.kind, found.topics, found.unresolved) == (kind, names, [])


def test_a_pattern_of_topics_is_no_topic() -> None:
    (found,) = sources('spark.readStream.format("kafka").option("subscribePattern", "orders.*").load()')
    assert (found.pattern, found.topics) == ("orders.*", [])


WRITES = [
    ('df.write.saveAsTable("o")', "o"),
    ('df.write.mode("append").format("delta").insertInto("o")', "o"),
    ('df.write.format("delta").save("/o")', "/o"),
    ('df.write.save("/o", format="parquet", mode="overwrite")', "/o"),
    ('df.write.format("delta").option("path", "/o").save()', "/o"),
    ('df.write.partitionBy("d").parquet("/o")', "/o"),
    ('df.write.csv(path="/o")', "/o"),
    ('df.writeStream.option("checkpointLocation", "/c").toTable("o")', "o"),
    ('df.writeStream.format("delta").outputMode("append").trigger(once=True).start("/o").awaitTermination()', "/o"),
    ('df.writeStream.format("delta").queryName("q").option("path", "/o").start()', "/o"),
    ('df.writeTo("o").using("iceberg").tableProperty("a", "b").createOrReplace()', "o"),
    ('df.writeTo("o").append()', "o"),
    ('df.createOrReplaceTempView("o")', "o"),
    ('df.createGlobalTempView("o")', "global_temp.o"),
    ('from delta.tables import DeltaTable\nDeltaTable.forName(spark, "o").alias("t").merge(df.alias("s"), "x").whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()', "o"),
    ('from delta import DeltaTable\nDeltaTable.forPath(spark, "/o").merge(source=df, condition="x").whenMatchedDelete().execute()', "/o"),
    ('df.mergeInto("o", "x").whenMatched().updateAll().merge()', "o"),
    ('def b(d, i):\n    d.write.saveAsTable("o")\ndf.writeStream.foreachBatch(b).start()', "o"),
    ('df.writeStream.foreachBatch(lambda d, i: d.write.saveAsTable("o")).start()', "o"),
    ('class W:\n    def b(self, d, i):\n        d.write.saveAsTable("o")\ndf.writeStream.foreachBatch(W().b).start()', "o"),
    ('w = df.write\nw = w.format("delta")\nw.saveAsTable("o")', "o"),
    ('spark.createDataFrame(df.toPandas()).write.saveAsTable("o")', "o"),
    ('spark.createDataFrame(df.rdd.map(lambda r: r)).write.saveAsTable("o")', "o"),
    ('from elsewhere import clean\nclean(df).write.saveAsTable("o")', "o"),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "target"), WRITES, ids=[one[0] for one in WRITES])
def test_a_write_is_the_target_of_what_is_read(statement: str, target: str) -> None:
    assert feeds(f"df = {KAFKA}\n{statement}") == {("t", target)}


STEPS = [
    '.filter("a > 1")',
    '.select("*").where(df.x == 1)',
    '.withColumn("n", F.lit(1)).drop("x")',
    '.groupBy("a").agg(F.count("*")).orderBy("a")',
    '.groupBy("a").pivot("b").sum("c")',
    '.na.fill(0).na.drop("any")',
    '.transform(lambda d: d.limit(1))',
    '.withWatermark("ts", "1 hour").dropDuplicates(["id"])',
    '.toDF("a").cache().repartition(4)',
    '.some_method_of_the_future(1, x=2)',
    '["a", "b"]',
    '[df.a > 1]',
]  # fmt: skip


@pytest.mark.parametrize("step", STEPS)
def test_whatever_is_done_to_a_frame_it_stays_made_of_its_reads(step: str) -> None:
    program = f'from pyspark.sql import functions as F\ndf = {KAFKA}\ndf{step}.write.saveAsTable("o")'
    assert feeds(program) == {("t", "o")}


JOINS = ["join(b, 'id')", "join(F.broadcast(b), on='id', how='left')", "union(b)", "unionByName(b, allowMissingColumns=True)",
         "crossJoin(b)", "intersect(b)", "exceptAll(b)", "join(b.filter('x').alias('q'), 'id')", "transform(lambda d: d.join(b, 'id'))"]  # fmt: skip


@pytest.mark.parametrize("step", JOINS)
def test_frames_that_are_joined_feed_the_target_together(step: str) -> None:
    program = f"""
from pyspark.sql import functions as F
a, b = spark.table("a"), spark.table("b")
a.{step}.write.saveAsTable("o")
"""
    assert feeds(program) == {("a", "o"), ("b", "o")}
    assert set(table(program, "o").reads) == {"a", "b"}


def test_a_builder_can_go_through_functions_and_loops() -> None:
    program = """
    from functools import reduce
    BASE = {"kafka.bootstrap.servers": "k:9092"}
    def with_options(reader, **options):
        for name, value in {**BASE, **options}.items():
            reader = reader.option(name, value)
        return reader
    with_options(spark.readStream.format("kafka"), subscribe="a").load()
    reduce(lambda r, o: r.option(*o), {"subscribe": "b"}.items(), spark.readStream.format("kafka")).load()
    """
    assert [(one.topics, one.bootstrap) for one in sources(program)] == [(["a"], "k:9092"), (["b"], None)]


def test_a_builder_without_load_reads_nothing() -> None:
    assert sources('spark.readStream.format("kafka").option("subscribe", "a")') == []


def test_the_line_is_where_the_chain_begins() -> None:
    program = (
        '\n\ndf = (\n    spark\n    .readStream\n    .format("kafka")\n    .option("subscribe", "a")\n    .load()\n)\n'
    )
    assert [one.line for one in sources(program)] == [4]


def test_sessions_are_known_under_any_name() -> None:
    program = """
    from pyspark.sql import SparkSession as S
    from elsewhere import make
    session = S.builder.appName("x").getOrCreate()
    session.table("a").write.saveAsTable("b")
    class Job:
        def __init__(self, s):
            self._s = s
        def run(self):
            self._s.table("c").write.saveAsTable("d")
    Job(session).run()
    spark = make()
    spark.table("e").write.saveAsTable("f")
    make().read.table("g").write.saveAsTable("h")
    """
    assert feeds(program) == {("a", "b"), ("c", "d"), ("e", "f"), ("g", "h")}


def test_views_join_python_and_sql() -> None:
    program = """
    # Databricks notebook source
    spark.table("src").createOrReplaceTempView("v")
    # COMMAND ----------
    # MAGIC %sql
    # MAGIC CREATE OR REPLACE TEMP VIEW w AS SELECT * FROM v
    # COMMAND ----------
    spark.sql("SELECT * FROM w").write.saveAsTable("o")
    """
    assert feeds(program) == {("src", "v"), ("v", "w"), ("w", "o")}


def test_sql_text_that_is_partly_unknown_tells_what_is_known() -> None:
    program = """
    day = dbutils.widgets.get("day")
    spark.sql(f"INSERT INTO o SELECT * FROM a JOIN {day}_b USING (id) WHERE d = '{day}'")
    """
    found = [(one.path, one.unresolved, one.target_table) for one in sources(program)]
    assert sorted(found, key=repr) == [("a", [], "o"), (None, ["table"], "o")]


def test_sql_takes_frames_and_values_by_name() -> None:
    program = """
    df = spark.table("src")
    spark.sql("SELECT * FROM {d} WHERE x = {x}", d=df, x=1).write.saveAsTable("o")
    """
    assert feeds(program) == {("src", "o")}


def test_names_carry_the_catalog_that_the_program_sets() -> None:
    program = """
    spark.sql("USE CATALOG main")
    spark.catalog.setCurrentDatabase("s")
    spark.table("a").write.saveAsTable("b")
    spark.table("x.y").createOrReplaceTempView("v")
    """
    assert feeds(program) == {("main.s.a", "main.s.b"), ("main.x.y", "v")}


def test_sinks_name_the_table_that_feeds_them() -> None:
    program = """
    df = spark.readStream.table("silver")
    df.writeStream.format("kafka").option("kafka.bootstrap.servers", "k").option("topic", "out").start()
    df.write.jdbc("jdbc:postgresql://u:p@h/db?user=u&password=p&ssl=true", "public.t")
    """
    found = {one.kind: one for one in sources(program)}
    assert (found["kafka_sink"].topics, found["kafka_sink"].source_table) == (["out"], "silver")
    assert (found["jdbc_sink"].path, found["jdbc_sink"].bootstrap) == ("public.t", "jdbc:postgresql://h/db?ssl=true")
    assert found["table"].target_table is None


SECRETS = [
    'spark.read.jdbc("jdbc:mysql://me:hunter2@h/db", "t")',
    'spark.read.format("jdbc").option("url", "jdbc:sqlserver://h;database=d;user=me;password=hunter2").option("dbtable", "t").load()',
    'spark.read.format("jdbc").option("url", "jdbc:oracle:thin:me/hunter2@//h:1521/x").option("dbtable", "t").load()',
    'spark.readStream.format("eventhubs").option("eventhubs.connectionString", "Endpoint=sb://n/;SharedAccessKeyName=a;SharedAccessKey=hunter2=").load()',
    'spark.read.jdbc("jdbc:postgresql://me:a@hunter2@h/db", "t")',
    'spark.read.jdbc("jdbc:postgresql://me:a/hunter2@h/db", "t")',
    'spark.read.jdbc("jdbc:oracle:thin:me/a@hunter2@//h:1521/x", "t")',
    'spark.read.jdbc("jdbc:mysql://h/db?passwd=hunter2&UID=hunter2", "t")',
    'spark.read.jdbc("jdbc:mysql://address=(host=h)(port=1)(user=hunter2)(password=hunter2)/db", "t")',
    'spark.read.csv("s3a://AKIA:a/hunter2@bucket/x")',
    'spark.read.parquet("https://me:hunter2@h/x")',
    'spark.readStream.format("kafka").option("subscribe", "a").option("kafka.sasl.jaas.config", "password=hunter2").load()',
]  # fmt: skip


@pytest.mark.parametrize("program", SECRETS)
def test_secrets_are_in_no_answer(program: str) -> None:
    reading = read(program)
    assert reading.sources
    assert "hunter2" not in repr(reading)


ADDRESSES = [
    ("jdbc:postgresql://me:a@b/c@h:5432/db", "jdbc:postgresql://h:5432/db"),
    ("jdbc:mysql://address=(host=h)(user=me)(password=x)/db", "jdbc:mysql://address=(host=h)/db"),
    ("jdbc:oracle:thin:@//h:1521/x", "jdbc:oracle:thin:@//h:1521/x"),
    ("jdbc:sqlserver://h:1433;databaseName=d;user=me", "jdbc:sqlserver://h:1433;databaseName=d"),
]


@pytest.mark.parametrize(("url", "told"), ADDRESSES)
def test_an_address_without_its_secrets_names_the_same_place(url: str, told: str) -> None:
    assert [one.bootstrap for one in sources(f'spark.read.jdbc("{url}", "t")')] == [told]


def test_a_path_with_an_at_sign_stays_as_it_is() -> None:
    paths = ["s3://bucket/me@here/x", "hdfs://host:9000/me@here/x", "/Workspace/Users/me@here/x"]
    assert [one.path for one in sources("\n".join(f'spark.read.json("{one}")' for one in paths))] == paths


def test_a_frame_in_the_text_of_sql_is_no_table_whatever_schema_is_in_use() -> None:
    program = """
    spark.sql("USE CATALOG main")
    spark.sql("USE SCHEMA b")
    spark.sql("INSERT INTO t SELECT * FROM {Rows}", Rows=spark.table("q"))
    """
    assert feeds(program) == {("main.b.q", "main.b.t")}


def test_several_paths_are_several_reads() -> None:
    program = 'spark.read.parquet("/a", "/b").union(spark.read.json(["/c", "/d"])).write.saveAsTable("o")'
    assert feeds(program) == {("/a", "o"), ("/b", "o"), ("/c", "o"), ("/d", "o")}


def test_options_that_nobody_knows_are_named_as_unresolved() -> None:
    program = """
    from elsewhere import options
    spark.readStream.format("kafka").options(**options).load()
    """
    (found,) = sources(program)
    assert set(found.unresolved) == {"subscribe", "kafka.bootstrap.servers"}
