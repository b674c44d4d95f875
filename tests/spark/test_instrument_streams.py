"""A stream is one run from its start to its end; batches that a function takes are runs inside of it."""

import time
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

from lineage_hub.testing import LineageEvents, RecordedRun
from tests.spark.instrumented import database_name, direct_origins, job, kinds, people, told

__all__ = ["database_name", "people", "told"]
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]
PATIENCE_S = 60.0


@pytest.fixture
def stream(spark: SparkSession, people: DataFrame, tmp_path: Path) -> DataFrame:
    found = spark.readStream.schema(people.schema).parquet(str(tmp_path / "in" / "people"))
    return found.selectExpr("id", "upper(name) AS loud")


def ended(told: LineageEvents, name: str) -> RecordedRun:
    """A thread tells of the end, a moment after it."""
    give_up = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up:
        run = told.only_run(name)
        if run.state != "RUNNING":
            return run
        time.sleep(0.02)
    raise AssertionError(f"{name} never ended\n{told.describe()}")


def test_a_stream_into_files(spark: SparkSession, stream: DataFrame, tmp_path: Path, told: LineageEvents) -> None:
    writer = stream.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = writer.trigger(availableNow=True).start(str(tmp_path / "out" / "loud"))
    query.awaitTermination()
    run = ended(told, job(spark, "stream.out/loud"))
    assert kinds(run) == ["START", "RUNNING", "COMPLETE"]
    assert run.inputs == [("file", f"{tmp_path}/in/people")]
    assert run.outputs == [("file", f"{tmp_path}/out/loud")]
    assert direct_origins(run)["loud"] == {("people", "name", "TRANSFORMATION")}
    assert run.job_facets["jobType"]["processingType"] == "STREAMING"
    assert spark.read.parquet(str(tmp_path / "out" / "loud")).count() == 3


def test_a_stream_into_a_table_until_it_is_stopped(
    spark: SparkSession, stream: DataFrame, tmp_path: Path, told: LineageEvents, database_name: str
) -> None:
    query = stream.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint")).toTable("loud")
    query.processAllAvailable()
    name = job(spark, "stream.loud")
    assert told.only_run(name).state == "RUNNING"
    assert told.only_run(name).outputs == [("file", f"{tmp_path}/shop.db/loud")]
    query.stop()
    assert ended(told, name).state == "COMPLETE"


def test_batches_are_children_and_what_they_write_is_followed_to_the_source(
    spark: SparkSession, stream: DataFrame, tmp_path: Path, told: LineageEvents
) -> None:
    seen = []

    def load(batch: DataFrame, number: int) -> None:
        seen.append((batch.count(), number))
        batch.selectExpr("loud AS shouted").write.json(str(tmp_path / "out" / "batches"), mode="append")

    writer = stream.writeStream.foreachBatch(load).option("checkpointLocation", str(tmp_path / "checkpoint"))
    writer.trigger(availableNow=True).start().awaitTermination()
    run = ended(told, job(spark, "stream.load"))
    assert (run.state, seen) == ("COMPLETE", [(3, 0)])
    (batch,) = told.children_of(run)
    assert (batch.job, batch.state) == (job(spark, "stream.load.batch"), "COMPLETE")
    assert batch.facets["lineageHub_batch"]["batchId"] == 0
    (write,) = told.children_of(batch)
    assert write.job == job(spark, "json.out/batches")
    assert direct_origins(write) == {"shouted": {("people", "name", "TRANSFORMATION")}}


def test_a_batch_that_fails_fails_the_stream(
    spark: SparkSession, stream: DataFrame, tmp_path: Path, told: LineageEvents
) -> None:
    def load(batch: DataFrame, number: int) -> None:
        raise ValueError("a bad batch")

    writer = stream.writeStream.queryName("doomed").foreachBatch(load)
    query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
    with pytest.raises(StreamingQueryException, match="a bad batch"):
        query.awaitTermination()
    run = ended(told, job(spark, "stream.doomed"))
    assert run.state == "FAIL"
    assert "a bad batch" in str(run.error)
    (batch,) = told.children_of(run)
    assert (batch.state, batch.error) == ("FAIL", "a bad batch")


def test_a_stream_that_can_not_start_fails(
    spark: SparkSession, stream: DataFrame, tmp_path: Path, told: LineageEvents
) -> None:
    with pytest.raises(Exception, match="checkpointLocation"):
        stream.writeStream.format("parquet").start(str(tmp_path / "never"))
    assert kinds(told.only_run(job(spark, f"stream.{tmp_path.name}/never"))) == ["START", "FAIL"]
