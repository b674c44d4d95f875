"""Where data is read from, and what a plan can't show by itself: caches, checkpoints, RDDs, views, streams, JDBC."""

import pytest

from lineage_hub.spark.plan import DatasetName, checkpoints, lineage, lineage_of_plan
from tests.spark.plan.shop import inputs, open_shop, read, told, written

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]


@pytest.fixture(autouse=True, scope="module")
def folder(spark, interpreted, tmp_path_factory):
    place = tmp_path_factory.mktemp("shop")
    open_shop(spark, place)
    return place


@pytest.fixture
def remembering():
    checkpoints.install()
    yield
    checkpoints.uninstall()


def test_a_file_is_named_by_its_path(spark, folder):
    [orders] = read(spark.table("orders")).inputs
    assert orders.name == ("file", f"{folder}/orders.csv")
    assert (orders.format, orders.version, orders.symlinks) == ("csv", None, ())


def test_a_pattern_of_files_is_their_folder(spark, tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("1\n")
    answer = read(spark.read.schema("x int").csv(f"{tmp_path}/*.csv"))
    assert [one.name for one in answer.inputs] == [("file", str(tmp_path))]
    assert answer.columns == {"x": {(("file", str(tmp_path)), "x", "IDENTITY")}}


def test_two_folders_read_together_are_two_inputs(spark, tmp_path):
    for name in ("x", "y"):
        spark.range(1).write.parquet(f"{tmp_path}/{name}")
    answer = read(spark.read.parquet(f"{tmp_path}/x", f"{tmp_path}/y"))
    assert inputs(answer) == ["x", "y"]
    assert told(answer) == written({"id": "x.id IDENTITY, y.id IDENTITY"})


def test_a_table_is_named_by_its_place_with_the_table_as_symlink(spark):
    spark.sql("create table plain using parquet as select 1 a")
    [plain] = read(spark.table("plain")).inputs
    warehouse = spark.conf.get("spark.sql.warehouse.dir").removeprefix("file:")
    assert plain.name == ("file", f"{warehouse}/plain")
    assert [(one.name, one.type) for one in plain.symlinks] == [((f"file:{warehouse}", "default.plain"), "TABLE")]


def test_a_delta_table_has_its_version(spark, tmp_path):
    place = str(tmp_path / "d")
    for start in (0, 10):
        spark.range(start, start + 2).write.format("delta").mode("append").save(place)
    now = read(spark.read.format("delta").load(place)).inputs
    then = read(spark.read.format("delta").option("versionAsOf", 0).load(place)).inputs
    assert [(one.name, one.format, one.version) for one in now] == [(("file", place), "delta", "1")]
    assert [one.version for one in then] == ["0"]


def test_what_a_feed_of_changes_adds_is_in_no_schema(spark):
    spark.sql("create table fed (a int) using delta tblproperties (delta.enableChangeDataFeed = true)")
    answer = read(spark.read.option("readChangeFeed", True).option("startingVersion", 0).table("fed"))
    assert [[field.name for field in one.fields] for one in answer.inputs] == [["a"]]
    assert set(answer.columns) == {"a", "_change_type", "_commit_version", "_commit_timestamp"}


def test_a_permanent_view_is_what_it_reads(spark):
    spark.sql("create table under using parquet as select 1 a, 2 b")
    spark.sql("create view above as select a + b as c from under")
    answer = read(spark.table("above"))
    assert inputs(answer) == ["under"]
    assert told(answer) == written({"c": "under.a TRANSFORMATION, under.b TRANSFORMATION"})


def test_a_cache_is_read_through(spark):
    cached = spark.table("orders").filter("amount > 1").select("status").cache()
    cached.count()
    expected = written({"status": "orders.status IDENTITY"}, "orders.amount FILTER")
    assert told(read(cached)) == expected
    with_cache = cached._jdf.queryExecution().withCachedData()
    assert "InMemoryRelation" in with_cache.toString()
    assert told(lineage_of_plan(with_cache, spark)) == expected
    cached.unpersist()


def test_a_checkpoint_keeps_the_lineage_of_what_was_checkpointed(spark, remembering):
    saved = spark.table("orders").filter("amount > 1").selectExpr("status", "upper(status) u").localCheckpoint()
    both = saved.alias("a").join(saved.alias("b"), "status").selectExpr("status", "b.u")
    assert told(read(both)) == written(
        {"status": "orders.status IDENTITY", "u": "orders.status TRANSFORMATION"},
        "orders.amount FILTER, orders.status JOIN",
    )
    assert inputs(read(both)) == ["orders"]


def test_what_was_opaque_before_a_checkpoint_is_opaque_after_it(spark, remembering):
    saved = spark.table("customers").mapInPandas(lambda rows: rows, "a int").localCheckpoint(eager=False)
    answer = read(saved.mapInPandas(lambda rows: rows, "b int").selectExpr("b", "1 as one"))
    assert [one.columns for one in answer.opaque] == [("b",), ("b",)]
    assert len(told(answer)["b"]) == 3


def test_a_checkpoint_that_nobody_watched_is_opaque(spark):
    answer = lineage(spark.table("orders").select("status").localCheckpoint())
    assert told(answer) == {"status": set()}
    assert [one.columns for one in answer.opaque] == [("status",)]


def test_watching_checkpoints_twice_and_never_is_the_same_as_once(spark, remembering):
    checkpoints.install()
    saved = spark.table("orders").select("status").localCheckpoint()
    assert told(read(saved)) == written({"status": "orders.status IDENTITY"})
    checkpoints.uninstall()
    assert read(spark.table("customers").select("name").localCheckpoint()).opaque


def test_rows_of_the_program_are_literals(spark):
    answer = read(spark.createDataFrame([(1, "a")], "a int, b string").selectExpr("a + 1 as c"))
    assert (answer.inputs, told(answer), answer.opaque) == ((), {"c": set()}, ())


def test_an_rdd_is_opaque(spark):
    answer = read(spark.createDataFrame(spark.table("orders").rdd.map(lambda row: (row[0],)), "a int"))
    assert told(answer) == {"a": set()}
    assert [(one.operator, one.columns) for one in answer.opaque] == [("LogicalRDD", ("a",))]


def test_a_boundary_hides_what_is_beneath_it(spark):
    spark.table("orders").filter("amount > 1").withColumn(
        "x", spark.table("orders").amount + 1
    ).createOrReplaceTempView("stage_one")
    query = "select a.status, max(b.x) m from stage_one a join stage_one b using (order_id) group by a.status"
    answer = read(spark.sql(query), boundaries={"stage_one": DatasetName("pipeline", "stage_one")})
    assert [(one.name, one.format) for one in answer.inputs] == [(("pipeline", "stage_one"), "view")]
    assert [(one.name, one.type) for one in answer.inputs[0].fields][-1] == ("x", "double")
    assert told(answer) == written(
        {"status": "stage_one.status IDENTITY", "m": "stage_one.x AGGREGATION, stage_one.status GROUP_BY"},
        "stage_one.order_id JOIN",
    )


def test_a_stream_of_files_and_one_of_a_table_have_names(spark, tmp_path):
    (tmp_path / "in").mkdir()
    files = read(spark.readStream.schema("a int").csv(f"{tmp_path}/in"))
    assert [(one.name, one.format) for one in files.inputs] == [(("file", f"{tmp_path}/in"), "csv")]
    spark.sql("create table streamed using delta as select 1 a")
    assert inputs(read(spark.readStream.table("streamed"))) == ["streamed"]
    assert [one.name for one in read(spark.readStream.format("rate").load()).inputs] == [("rate", "rate")]


DERBY = "jdbc:derby:memory:shop;create=true"


@pytest.fixture(scope="module")
def people(spark):
    frame = spark.createDataFrame([(1, "a")], "id int, nm string")
    frame.write.option("driver", "org.apache.derby.jdbc.EmbeddedDriver").jdbc(DERBY, "people", mode="overwrite")


def jdbc(spark, option, value):
    reader = spark.read.format("jdbc").option("driver", "org.apache.derby.jdbc.EmbeddedDriver")
    return reader.option("url", DERBY).option(option, value).load()


def test_a_table_behind_jdbc(spark, people):
    answer = read(jdbc(spark, "dbtable", "people").select("id"))
    assert [(one.name, one.format) for one in answer.inputs] == [(("derby:memory:shop", "people"), "jdbc")]
    assert told(answer) == written({"id": "people.id IDENTITY"})


def test_a_query_behind_jdbc_is_followed_to_its_tables(spark, people):
    answer = read(jdbc(spark, "query", 'select upper("nm") as "x" from people where "id" > 0'))
    assert [one.name for one in answer.inputs] == [("derby:memory:shop", "people")]
    assert told(answer) == written({"x": "people.nm TRANSFORMATION"}, "people.id FILTER")
    assert told(read(jdbc(spark, "query", "select * from people"))) == written(
        {"id": "people.id IDENTITY", "nm": "people.nm IDENTITY"}
    )
