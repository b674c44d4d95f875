"""Rows that have rules and are written by partition are sorted once, and measured after that."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.spark.pipeline.told import Told, stage, telling

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

PIPELINE = """
name: partitioned
namespace: tests
parameters: {at: {}}
quarantine: ${at}/quarantine
stages:
  raw: {extract: {format: csv, path: "${at}/rows.csv", schema: {id: bigint, day: date, country: string}}}
  kept:
    transform: {from: raw, steps: [derive: {month: month(day)}]}
    rules: [{not_null: id, severity: quarantine}]
  written: {load: {from: kept, format: parquet, path: "${at}/written", partition_by: COLUMN}}
"""
ROWS = "id,day,country\n1,2026-11-03,DE\n2,2026-11-01,FR\n,2026-11-02,DE\n3,2026-11-02,\n4,2026-11-01,DE\n"
_NODE = re.compile(r"^[\s:+\-*()\d]*?([A-Z][A-Za-z]+)", re.MULTILINE)


@pytest.fixture
def told(spark: SparkSession, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Told]:
    (tmp_path / "rows.csv").write_text(ROWS)
    with telling(spark, url, tmp_path, monkeypatch) as found:
        yield found


def operators_of_the_write(told: Told) -> list[str]:
    """From the top, as Spark has run them."""
    spark = told.spark
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty(10_000)
    done = spark._jsparkSession.sharedState().statusStore().executionsList()
    plans = [done.apply(number).physicalPlanDescription() for number in range(done.size())]
    # Staged in a folder beside the target.
    (plan,) = [text for text in plans if f"{told.folder}/.written.lineage-hub-" in text and "/content" in text]
    tree, _, _ = plan.removeprefix("== Physical Plan ==").partition("\n\n")  # then the operators one by one
    return _NODE.findall(tree)


@pytest.mark.parametrize("column", ["day", "[month, day]"])
def test_numbers_and_dates_are_sorted_once_before_they_are_measured(told: Told, column: str) -> None:
    status = told.run(PIPELINE.replace("COLUMN", column))
    assert (status.state, status.error) == ("COMPLETE", "")
    operators = operators_of_the_write(told)
    assert operators.count("Sort") == 1
    rules = [at for at, name in enumerate(operators) if name == "CollectMetrics"]
    assert rules[0] < operators.index("Sort"), operators
    assert stage(status, "kept").rejected == 1
    assert {row.id for row in told.spark.read.parquet(str(told.folder / "written")).collect()} == {1, 2, 3, 4}


def test_texts_are_sorted_once_too(told: Told) -> None:
    assert told.run(PIPELINE.replace("COLUMN", "country")).state == "COMPLETE"
    assert operators_of_the_write(told).count("Sort") == 1


def test_a_partition_that_is_no_column_is_the_loads_fault(told: Told) -> None:
    status = told.run(PIPELINE.replace("COLUMN", "nowhere"))
    assert (status.state, status.failed_stage) == ("FAIL", "written")


def test_what_is_told_of_the_columns_knows_nothing_of_the_order(told: Told) -> None:
    assert told.run(PIPELINE.replace("COLUMN", "day")).state == "COMPLETE"
    columns = told.ask("/namespaces/tests/datasets/partitioned.kept")["facets"]["columnLineage"]
    assert columns["fields"]["id"]["inputFields"]
    assert "SORT" not in str(columns)
