"""What a program writes by DataFrames is told, and nothing of the program changes."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, DataFrameWriter, DataFrameWriterV2, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.functions import udf
from pyspark.sql.merge import MergeIntoWriter
from pyspark.sql.streaming.readwriter import DataStreamWriter

from lineage_hub.sdk import outbox, track
from lineage_hub.spark import instrument
from lineage_hub.testing import LineageEvents, recorded
from tests.spark.database import Database, database, tcp_postgres
from tests.spark.instrumented import (
    columns,
    database_name,
    direct_origins,
    job,
    kinds,
    lifecycle,
    output_of,
    people,
    rows_written,
    told,
)

__all__ = ["database", "database_name", "people", "tcp_postgres", "told"]
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

DRIVER = "org.postgresql.Driver"
FILES: dict[str, Callable[[DataFrame, str], None]] = {
    "csv": lambda df, path: df.write.csv(path, header=True, mode="overwrite"),
    "json": lambda df, path: df.write.json(path, mode="overwrite"),
    "orc": lambda df, path: df.write.mode("overwrite").orc(path),
    "parquet": lambda df, path: df.write.mode("overwrite").option("compression", "none").parquet(path),
    "save": lambda df, path: df.write.format("delta").save(path, mode="overwrite"),
}


@pytest.mark.parametrize("method", FILES)
def test_a_write_of_files_is_a_run_with_its_lineage(
    method: str, spark: SparkSession, people: DataFrame, tmp_path: Path, told: LineageEvents
) -> None:
    out = str(tmp_path / "out" / "shouted")
    FILES[method](people.select("id", F.upper("name").alias("loud")), out)
    run = told.only_run(job(spark, f"{method}.out/shouted"))
    assert kinds(run) == ["START", "COMPLETE"]
    assert run.inputs == [("file", str(tmp_path / "in" / "people"))]
    assert run.outputs == [("file", out)]
    assert columns(output_of(run)["facets"]) == [("id", "bigint"), ("loud", "string")]
    assert direct_origins(run) == {
        "id": {("people", "id", "IDENTITY")},
        "loud": {("people", "name", "TRANSFORMATION")},
    }
    assert rows_written(run) == 3
    assert output_of(run)["outputFacets"]["outputStatistics"]["size"] > 0
    assert lifecycle(run) == "OVERWRITE"
    assert run.facets["processing_engine"]["version"] == spark.version
    # The START knows already what the run is about.
    assert [one["name"] for one in run.events[0]["outputs"]] == [out]
    assert "lifecycleStateChange" not in run.events[0]["outputs"][0]["facets"]


def test_text_is_told_and_an_append_is_no_change_of_life(
    spark: SparkSession, people: DataFrame, tmp_path: Path, told: LineageEvents
) -> None:
    names = people.select("name")
    names.write.text(str(tmp_path / "out" / "day=2024-01-01"), compression="gzip")
    names.write.mode("append").text(str(tmp_path / "out" / "day=2024-01-01"))
    first, second = told.runs_of(job(spark, f"text.{tmp_path.name}/out"))
    assert (lifecycle(first), lifecycle(second)) == ("CREATE", None)
    assert first.id != second.id


def test_a_table_is_named_by_its_place_and_by_its_name(
    spark: SparkSession, people: DataFrame, tmp_path: Path, told: LineageEvents, database_name: str
) -> None:
    people.write.saveAsTable("persons", format="parquet")
    run = told.only_run(job(spark, "saveAsTable.shop.persons"))
    assert run.outputs == [("file", f"{tmp_path}/shop.db/persons")]
    (link,) = output_of(run)["facets"]["symlinks"]["identifiers"]
    assert link["name"] == "shop.persons"
    assert (lifecycle(run), rows_written(run)) == ("CREATE", 3)

    people.write.option("path", str(tmp_path / "elsewhere")).saveAsTable("shop.outside", format="parquet")
    outside = told.only_run(job(spark, "saveAsTable.shop.outside"))
    assert outside.outputs == [("file", f"{tmp_path}/elsewhere")]


def test_insert_into_goes_by_position(
    spark: SparkSession, people: DataFrame, tmp_path: Path, told: LineageEvents, database_name: str
) -> None:
    spark.sql("CREATE TABLE pairs (key BIGINT, label STRING) USING parquet")
    people.select(F.col("id") * 2, "name").write.insertInto("pairs")
    people.write.insertInto("pairs", overwrite=True)
    added, replaced = told.runs_of(job(spark, "insertInto.shop.pairs"))
    assert direct_origins(added) == {
        "key": {("people", "id", "TRANSFORMATION")},
        "label": {("people", "name", "IDENTITY")},
    }
    assert (lifecycle(added), lifecycle(replaced)) == (None, "OVERWRITE")
    assert columns(output_of(added)["facets"]) == [("key", "bigint"), ("label", "string")]


def test_write_to_is_told_for_every_kind(
    spark: SparkSession, people: DataFrame, tmp_path: Path, told: LineageEvents, database_name: str
) -> None:
    people.writeTo("v2").using("delta").create()
    people.writeTo("v2").append()
    people.withColumnRenamed("name", "NAME").writeTo("shop.v2").overwrite(F.lit(True))
    people.writeTo("v2").overwritePartitions()
    people.writeTo("v2").using("delta").replace()
    people.writeTo("v2").using("delta").createOrReplace()
    found = {
        name: told.only_run(job(spark, f"{name}.shop.v2"))
        for name in ("create", "append", "overwrite", "overwritePartitions", "replace", "createOrReplace")
    }
    assert {run.state for run in found.values()} == {"COMPLETE"}
    assert {tuple(run.outputs) for run in found.values()} == {(("file", f"{tmp_path}/shop.db/v2"),)}
    assert {name: lifecycle(run) for name, run in found.items()} == {
        "create": "CREATE", "append": None, "overwrite": "OVERWRITE", "overwritePartitions": "OVERWRITE",
        "replace": "OVERWRITE", "createOrReplace": "OVERWRITE",
    }  # fmt: skip
    # The table's own spelling counts.
    assert set(direct_origins(found["overwrite"])) == {"id", "name"}
    assert rows_written(found["append"]) == 3


def test_merge_into_tells_target_and_source(
    spark: SparkSession, people: DataFrame, tmp_path: Path, told: LineageEvents, database_name: str
) -> None:
    people.limit(1).writeTo("merged").using("delta").create()
    changes = people.select("id", F.upper("name").alias("name")).alias("new")
    writer = changes.mergeInto("merged", F.expr("merged.id = new.id"))
    writer.whenMatched().updateAll().whenNotMatched().insertAll().merge()
    run = told.only_run(job(spark, "merge.shop.merged"))
    assert run.state == "COMPLETE"
    assert set(run.inputs) == {("file", f"{tmp_path}/in/people"), ("file", f"{tmp_path}/shop.db/merged")}
    assert ("people", "name", "TRANSFORMATION") in direct_origins(run)["name"]
    assert sorted(row.name for row in spark.table("merged").collect()) == ["ANN", "BOB", "CID"]


def test_a_table_behind_jdbc_is_named_without_its_password(
    spark: SparkSession, people: DataFrame, told: LineageEvents, database: Database
) -> None:
    people.write.jdbc(database.jdbc_url, "persons", properties={"password": "geheim", "driver": DRIVER})
    people.write.format("jdbc").option("url", database.jdbc_url).option("dbtable", "others").option(
        "driver", DRIVER
    ).save()
    name = database.jdbc_url.rpartition("/")[2].partition("?")[0]
    (first,) = told.runs_of(job(spark, f"jdbc.{name}.public.persons"))
    (second,) = told.runs_of(job(spark, f"save.{name}.public.others"))
    assert (rows_written(first), rows_written(second)) == (3, 3)
    assert "geheim" not in str(told.events)


def test_runs_are_inside_of_the_run_around_them_and_else_of_the_application(
    spark: SparkSession, people: DataFrame, tmp_path: Path
) -> None:
    with recorded(namespace="tests") as events:
        handle = instrument(spark)
        application = events.only_run(spark.sparkContext.appName)
        people.write.json(str(tmp_path / "a"))
        with track("outer"):
            people.write.json(str(tmp_path / "b"))
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(lambda at: people.write.json(str(tmp_path / at)), ("c", "d")))
        assert application.state == "RUNNING"
        handle.stop()
        (outer,) = events.runs_of("outer")
        names = [sorted(run.job.rpartition("/")[2] for run in events.children_of(one)) for one in (application, outer)]
        assert names == [["a"], ["b", "c", "d"]]
        assert events.only_run(spark.sparkContext.appName).state == "COMPLETE"
        assert application.job_facets["jobType"]["jobType"] == "APPLICATION"


def test_a_program_that_is_inside_of_a_run_needs_none_of_its_own(
    spark: SparkSession, people: DataFrame, tmp_path: Path
) -> None:
    with recorded(namespace="tests") as events:
        with track("outer"):
            handle = instrument(spark)
            people.write.json(str(tmp_path / "a"))
            handle.stop()
        assert sorted(run.job for run in events.runs.values()) == sorted(
            ["outer", job(spark, f"json.{tmp_path.name}/a")]
        )


def test_what_the_program_raises_is_its_own_and_the_run_fails(
    spark: SparkSession, people: DataFrame, tmp_path: Path, told: LineageEvents, database_name: str
) -> None:
    @udf("string")
    def broken(name: str) -> str:
        raise ValueError(f"no such person: {name}")

    with pytest.raises(PySparkException, match="no such person") as caught:
        people.select(broken("name").alias("x")).write.parquet(str(tmp_path / "never"))
    run = told.only_run(job(spark, f"parquet.{tmp_path.name}/never"))
    assert kinds(run) == ["START", "FAIL"]
    assert run.error == str(caught.value)
    assert "outputStatistics" not in str(run.events)

    people.write.saveAsTable("twice", format="parquet")
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        people.write.saveAsTable("twice", format="parquet")
    assert [run.state for run in told.runs_of(job(spark, "saveAsTable.shop.twice"))] == ["COMPLETE", "FAIL"]

    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        people.writeTo("missing").append()
    assert [run.state for run in told.runs_of(job(spark, "append.shop.missing"))] == ["FAIL"]


def test_a_call_that_pyspark_refuses_itself_never_began(people: DataFrame, tmp_path: Path, told: LineageEvents) -> None:
    before = len(told)
    with pytest.raises(Exception, match=r"(?i)mode"):
        people.write.parquet(str(tmp_path / "never"), mode="sideways")
    assert len(told) == before


def test_no_job_is_run_for_it_and_the_group_of_jobs_is_the_programs(
    spark: SparkSession, people: DataFrame, tmp_path: Path
) -> None:
    context = spark.sparkContext

    def jobs(follow: bool, group: str) -> list[str]:
        context.setJobGroup(group, "what the program says of it")
        with recorded():
            handle = instrument(spark) if follow else None
            people.groupBy("name").count().write.parquet(str(tmp_path / group))
            people.write.format("delta").save(str(tmp_path / f"{group}-delta"))
            spark.sql(f"INSERT OVERWRITE DIRECTORY '{tmp_path}/{group}-sql' USING parquet SELECT 1 AS one")
            if handle is not None:
                handle.stop()
        assert context.getLocalProperty("spark.jobGroup.id") == group
        assert context.getLocalProperty("spark.job.description") == "what the program says of it"
        assert len(context.getJobTags()) == 0
        store: Any = context._jsc.sc()
        store.listenerBus().waitUntilEmpty(10_000)
        return sorted(str(one) for one in context.statusTracker().getJobIdsForGroup(group))

    try:
        assert len(jobs(False, "plain")) == len(jobs(True, "followed")) > 2
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
        context.setLocalProperty("spark.job.description", None)  # type: ignore[arg-type]


def test_stopping_leaves_pyspark_as_it_was(spark: SparkSession) -> None:
    classes = (DataFrame, DataFrameWriter, DataFrameWriterV2, MergeIntoWriter, DataStreamWriter, SparkSession)
    before = [dict(vars(one)) for one in (*classes, type(spark.sparkContext))]
    with recorded() as events:
        handle = instrument(spark)
        assert instrument(spark) is handle
        assert instrument(spark.newSession()) is handle
        assert DataFrameWriter.save.__doc__ == before[1]["save"].__doc__
        handle.stop()
        handle.stop()
        assert kinds(events.only_run()) == ["START", "COMPLETE"]
    assert [dict(vars(one)) for one in (*classes, type(spark.sparkContext))] == before


def test_every_session_of_the_application_is_followed(spark: SparkSession, tmp_path: Path, told: LineageEvents) -> None:
    spark.newSession().range(2).write.json(str(tmp_path / "new"))
    assert told.only_run(job(spark, f"json.{tmp_path.name}/new")).state == "COMPLETE"


def test_a_checkpoint_keeps_its_lineage(
    spark: SparkSession, people: DataFrame, tmp_path: Path, told: LineageEvents
) -> None:
    people.localCheckpoint().write.json(str(tmp_path / "kept"))
    run = told.only_run(job(spark, f"json.{tmp_path.name}/kept"))
    assert direct_origins(run)["name"] == {("people", "name", "IDENTITY")}


def test_what_goes_wrong_inside_is_warned_of_once_and_harms_nothing(
    spark: SparkSession, people: DataFrame, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(_: bytes) -> None:
        raise OSError("no room for events")

    with recorded():
        before = outbox.replace_by(refuse)
        try:
            handle = instrument(spark)
            people.write.json(str(tmp_path / "a"))
            people.write.json(str(tmp_path / "b"))
            handle.stop()
        finally:
            outbox.replace_by(before)
    assert spark.read.json(str(tmp_path / "b")).count() == 3
    assert len([one for one in caplog.records if "no room for events" in one.getMessage()]) == 1


def test_a_session_of_spark_connect_is_left_alone_with_a_word(caplog: pytest.LogCaptureFixture) -> None:
    session: Any = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()
    with recorded() as events:
        instrument(session).stop()
        instrument(session).stop()
        assert len(events) == 0
    assert len([one for one in caplog.records if "Spark Connect" in one.getMessage()]) == 1
    assert not hasattr(DataFrameWriter.save, "lineage_hub_original")


def test_writes_of_several_threads_are_told_apart(
    spark: SparkSession, people: DataFrame, tmp_path: Path, told: LineageEvents
) -> None:
    barrier = threading.Barrier(2)

    def write(count: int) -> None:
        barrier.wait(30)
        people.limit(count).coalesce(1).write.json(str(tmp_path / f"rows{count}"))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, (1, 2)))
    assert [rows_written(told.only_run(job(spark, f"json.{tmp_path.name}/rows{count}"))) for count in (1, 2)] == [1, 2]


def test_a_writer_goes_on_after_a_write(people: DataFrame, tmp_path: Path, told: LineageEvents) -> None:
    writer = people.write.format("json")
    assert writer.mode("append") is writer
    for _ in range(2):
        assert writer.save(str(tmp_path / "again")) is None  # type: ignore[func-returns-value]
    assert len(list(tmp_path.glob("again/*.json"))) == 2 * people.rdd.getNumPartitions()
