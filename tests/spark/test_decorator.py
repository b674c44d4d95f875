"""A function of DataFrames with `@openlineage_job` behaves as without it, and each call is a run with its lineage."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from lineage_hub.sdk import DatasetSpec, current_run, track
from lineage_hub.spark import DatasetInfo, openlineage_job
from lineage_hub.testing import LineageEvents, recorded
from tests.spark.instrumented import columns, direct_origins, kinds, output_of, people

__all__ = ["people"]
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]
CLEAN = DatasetInfo(type="file", name="/lake/clean")


@pytest.fixture
def told(spark: SparkSession, people: DataFrame) -> Iterator[LineageEvents]:
    with recorded(namespace="tests") as events:
        yield events


def test_the_seeds_names_are_those_of_the_sdk() -> None:
    assert DatasetInfo is DatasetSpec


def test_a_frame_that_is_returned_is_what_the_output_holds(
    people: DataFrame, told: LineageEvents, tmp_path: Path
) -> None:
    source = DatasetInfo(type="file", name=str(tmp_path / "in" / "people"))

    @openlineage_job(job_name="clean", description="Names in capitals", inputs=[source], outputs=[CLEAN], tags=["pii"])
    def clean(frame: DataFrame, *, least: int) -> DataFrame:
        """Its own words."""
        return frame.where(F.col("id") >= least).select("id", F.upper("name").alias("loud"))

    result = clean(people, least=2)
    assert sorted(row.loud for row in result.collect()) == ["BOB", "CID"]
    assert (clean.__name__, clean.__doc__) == ("clean", "Its own words.")
    run = told.only_run("clean")
    assert kinds(run) == ["START", "COMPLETE"]
    assert run.inputs == [("file", f"{tmp_path}/in/people")]
    assert columns(run.dataset_facets(("file", f"{tmp_path}/in/people"))) == [("id", "bigint"), ("name", "string")]
    assert run.outputs == [("file", "/lake/clean")]
    assert columns(output_of(run)["facets"]) == [("id", "bigint"), ("loud", "string")]
    assert direct_origins(run) == {
        "id": {("people", "id", "IDENTITY")},
        "loud": {("people", "name", "TRANSFORMATION")},
    }
    assert run.job_facets["documentation"]["description"] == "Names in capitals"
    assert [one["key"] for one in run.job_facets["tags"]["tags"]] == ["pii"]


def test_bare_it_is_named_for_the_function_and_tells_what_the_frame_is_made_from(
    people: DataFrame, told: LineageEvents, tmp_path: Path
) -> None:
    @openlineage_job
    def copied(frame: DataFrame) -> DataFrame:
        return frame.select("id")

    copied(people)
    (run,) = told.runs.values()
    assert run.job.endswith("copied")
    assert run.inputs == [("file", f"{tmp_path}/in/people")]
    assert run.outputs == []


def test_several_outputs_go_with_the_frames_in_their_order(people: DataFrame, told: LineageEvents) -> None:
    @openlineage_job("split", outputs=["file:///lake/odd", "file:///lake/even"])
    def split(frame: DataFrame) -> tuple[DataFrame, DataFrame]:
        return frame.where("id % 2 = 1").select("id"), frame.where("id % 2 = 0").select("name")

    split(people)
    run = told.only_run("split")
    assert columns(run.dataset_facets("file:///lake/odd")) == [("id", "bigint")]
    assert columns(run.dataset_facets("file:///lake/even")) == [("name", "string")]


def test_frames_that_do_not_fit_the_outputs_claim_nothing_of_them(people: DataFrame, told: LineageEvents) -> None:
    @openlineage_job("one", outputs=["file:///lake/a", "file:///lake/b"])
    def one(frame: DataFrame) -> DataFrame:
        return frame

    one(people)
    run = told.only_run("one")
    assert [run.dataset_facets(name).get("schema") for name in ("file:///lake/a", "file:///lake/b")] == [None, None]
    assert run.state == "COMPLETE"


def test_an_exception_is_the_functions_own(people: DataFrame, told: LineageEvents) -> None:
    error = ValueError("not today")

    @openlineage_job("broken", outputs=CLEAN)
    def broken(frame: DataFrame) -> DataFrame:
        raise error

    with pytest.raises(ValueError, match="not today") as caught:
        broken(people)
    assert caught.value is error
    run = told.only_run("broken")
    assert (kinds(run), run.error, run.outputs) == (["START", "FAIL"], "not today", [("file", "/lake/clean")])


def test_calls_inside_of_a_run_are_its_children(people: DataFrame, told: LineageEvents) -> None:
    @openlineage_job("inner")
    def inner(frame: DataFrame) -> DataFrame:
        return frame

    @openlineage_job("outer")
    def outer(frame: DataFrame) -> DataFrame:
        return inner(frame)

    with track("program"):
        outer(people)
    assert current_run() is None
    runs = [told.only_run(name) for name in ("program", "outer", "inner")]
    assert [run.parent for run in runs[1:]] == [runs[0].id, runs[1].id]
    assert runs[2].facets["parent"]["root"]["run"]["runId"] == runs[0].id


def test_coroutines_and_generators_are_told_as_a_whole(people: DataFrame, told: LineageEvents) -> None:
    @openlineage_job("awaited", outputs=CLEAN)
    async def awaited(frame: DataFrame) -> DataFrame:
        await asyncio.sleep(0)
        return frame.select("name")

    @openlineage_job("stepwise", outputs=CLEAN)
    def stepwise(frame: DataFrame) -> Iterator[DataFrame]:
        yield frame
        yield frame.select("id")

    assert asyncio.run(awaited(people)).columns == ["name"]
    assert [frame.columns for frame in stepwise(people)] == [["id", "name"], ["id"]]
    assert direct_origins(told.only_run("awaited")) == {"name": {("people", "name", "IDENTITY")}}
    assert kinds(told.only_run("stepwise")) == ["START", "COMPLETE"]


def test_a_frame_that_nobody_can_see_through_says_so(people: DataFrame, told: LineageEvents) -> None:
    @openlineage_job("mapped", outputs=CLEAN)
    def mapped(frame: DataFrame) -> DataFrame:
        def shout(batches: Any) -> Any:
            yield from batches

        return frame.mapInPandas(shout, "id long, other string")

    mapped(people)
    run = told.only_run("mapped")
    origins = output_of(run)["facets"]["columnLineage"]["fields"]["other"]["inputFields"]
    assert {one["field"] for one in origins} == {"id", "name"}
    assert {how["description"] for one in origins for how in one["transformations"]} == {"all inputs, unknown how"}


def test_no_job_runs_for_it(spark: SparkSession, people: DataFrame, told: LineageEvents) -> None:
    @openlineage_job("lazy", outputs=CLEAN)
    def lazy(frame: DataFrame) -> DataFrame:
        return frame.groupBy("name").count()

    context = spark.sparkContext
    context.setJobGroup("nothing-runs", "")
    try:
        lazy(people)
        context._jsc.sc().listenerBus().waitUntilEmpty(10_000)  # type: ignore[attr-defined]
        assert list(context.statusTracker().getJobIdsForGroup("nothing-runs")) == []
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
        context.setLocalProperty("spark.job.description", None)  # type: ignore[arg-type]
    assert told.only_run("lazy").state == "COMPLETE"


def test_it_works_on_methods_and_with_mappings(people: DataFrame, told: LineageEvents) -> None:
    class Stage:
        @openlineage_job("method", outputs={"type": "file", "name": "/lake/m"})
        def apply(self, frame: DataFrame) -> dict[str, DataFrame]:
            return {"m": frame.select("id")}

        @staticmethod
        @openlineage_job("static")
        def same(frame: DataFrame) -> DataFrame:
            return frame

    assert Stage().apply(people)["m"].columns == ["id"]
    assert Stage.same(people) is people
    assert columns(told.only_run("method").dataset_facets("file:///lake/m")) == [("id", "bigint")]
