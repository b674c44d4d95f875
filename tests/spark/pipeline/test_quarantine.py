"""Rejected rows are kept by stage and run, with what is known of them, once."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lineage_hub.spark.pipeline.definition import Extract
from lineage_hub.spark.pipeline.extract import read
from lineage_hub.spark.pipeline.quarantine import quarantine_folder, write_rejects

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

NOW = datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)


def test_what_couldnt_be_read_and_what_broke_rules_stand_side_by_side_for_each_run(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "in.csv").write_text("id\n1\nx\n")
    source = {"format": "csv", "path": str(tmp_path / "in.csv"), "schema": {"id": "INT"}}
    malformed = read(spark, Extract.model_validate(source)).rejects()
    broken = spark.createDataFrame(
        [('{"id":1}', ["positive"], "id is 1")], "record STRING, rules ARRAY<STRING>, reason STRING"
    )
    folder = str(tmp_path / "rejected")
    for _ in range(2):
        write_rejects(malformed, folder, "orders", "run-1", NOW)
        write_rejects(broken, folder, "orders", "run-1", NOW)
    write_rejects(malformed, folder, "orders", "run-2", NOW)
    at = Path(quarantine_folder(folder, "orders", "run-1"))
    assert at == tmp_path / "rejected" / "orders" / "run=run-1"
    lines = [json.loads(line) for file in at.glob("*.json") for line in file.read_text().splitlines()]
    assert sorted(lines, key=lambda line: line["reason"]) == [
        {
            "file": str(tmp_path / "in.csv"),
            "record": "x",
            "reason": "column id: 'x' is no INT",
            "rejected_at": "2024-05-06T07:08:09+00:00",
        },
        {
            "record": '{"id":1}',
            "reason": "id is 1",
            "rules": ["positive"],
            "rejected_at": "2024-05-06T07:08:09+00:00",
        },
    ]
    together = spark.read.json(f"{folder}/orders")
    assert sorted(row["run"] for row in together.select("run").collect()) == ["run-1", "run-1", "run-2"]
