"""A session that is followed, a small source, and what was told of the program, for the tests of `instrument`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from lineage_hub.spark import instrument
from lineage_hub.testing import LineageEvents, RecordedRun, recorded


@pytest.fixture
def told(spark: SparkSession) -> Iterator[LineageEvents]:
    with recorded(namespace="tests") as events:
        handle = instrument(spark)
        yield events
        handle.stop()


@pytest.fixture
def people(spark: SparkSession, tmp_path: Path) -> DataFrame:
    """Three rows in a parquet file: id, name."""
    folder = str(tmp_path / "in" / "people")
    spark.createDataFrame([(1, "ann"), (2, "bob"), (3, "cid")], "id long, name string").write.parquet(folder)
    return spark.read.parquet(folder)


@pytest.fixture
def database_name(spark: SparkSession, tmp_path: Path) -> Iterator[str]:
    """An empty database of the catalog, which is the current one."""
    spark.sql(f"CREATE DATABASE shop LOCATION '{tmp_path}/shop.db'")
    spark.sql("USE shop")
    yield "shop"
    spark.sql("USE default")
    spark.sql("DROP DATABASE shop CASCADE")


def job(spark: SparkSession, rest: str) -> str:
    return f"{spark.sparkContext.appName}.{rest}"


def output_of(run: RecordedRun) -> dict[str, Any]:
    """The one output of its last event."""
    (found,) = run.events[-1]["outputs"]
    return dict(found)


def direct_origins(run: RecordedRun) -> dict[str, set[tuple[str, str, str]]]:
    """Of each column of the one output: (last part of the dataset's name, field, kind)."""
    fields = output_of(run)["facets"]["columnLineage"]["fields"]
    return {
        column: {
            (one["name"].rpartition("/")[2], one["field"], how["subtype"])
            for one in lineage["inputFields"]
            for how in one["transformations"]
            if how["type"] == "DIRECT"
        }
        for column, lineage in fields.items()
    }


def columns(facets: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["name"], one["type"]) for one in facets["schema"]["fields"]]


def rows_written(run: RecordedRun) -> int:
    return int(output_of(run)["outputFacets"]["outputStatistics"]["rowCount"])


def lifecycle(run: RecordedRun) -> str | None:
    told = output_of(run)["facets"].get("lifecycleStateChange")
    return told and str(told["lifecycleStateChange"])


def kinds(run: RecordedRun) -> list[str]:
    return [event["eventType"] for event in run.events]
