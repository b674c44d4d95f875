"""What a scan keeps of an earlier one: all that is told, and only while nothing that decides it has changed."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from lineage_hub.connectors.databricks.cache import Cache
from lineage_hub.connectors.databricks.config import KafkaCluster, ScanConfig
from lineage_hub.connectors.databricks.memo import Memo
from lineage_hub.connectors.databricks.programs import Work
from lineage_hub.connectors.databricks.report import Report
from lineage_hub.connectors.databricks.scan import scan_folder, scan_workspace
from lineage_hub.testing.databricks import FakeWorkspace

READS = """from shared.topics import TOPIC
from pyspark.sql import functions as F
rows = spark.readStream.format("kafka").option("kafka.bootstrap.servers", "k:9092").option("subscribe", TOPIC).load()
rows.select("key", F.col("value").alias("body")).writeStream.toTable("main.bronze.raw")
broken = dbutils.notebook.run("./nowhere", 0)
"""
SHARED = 'import os\nTOPIC = "orders"\n'


def said(report: Report) -> tuple[object, ...]:
    told = [(one.namespace, one.name, one.members(), one.modified_at, one.flow, one.work) for one in report.jobs]
    return report.findings, report.problems, report.tables, report.programs, told


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "code/shared").mkdir(parents=True)
    (tmp_path / "code/main.py").write_text(READS)
    (tmp_path / "code/shared/topics.py").write_text(SHARED)
    return tmp_path / "code"


def scanned(folder: Path, config: ScanConfig) -> Report:
    return asyncio.run(scan_folder(folder, config, Cache(folder.parent / "cache")))


def test_a_folder_that_did_not_change_is_told_as_before_from_what_was_kept(folder: Path) -> None:
    first = scanned(folder, ScanConfig())
    assert [one.source for one in first.findings] == ["orders"]
    assert first.problems
    cache = Cache(folder.parent / "cache")
    again = asyncio.run(scan_folder(folder, ScanConfig(), cache))
    assert said(again) == said(first) == said(asyncio.run(scan_folder(folder, ScanConfig(), Cache(None))))
    assert (cache.hits, cache.misses, cache.written) == (1, 0, 0)


def test_what_another_file_says_otherwise_is_told_otherwise(folder: Path) -> None:
    scanned(folder, ScanConfig())
    (folder / "shared/topics.py").write_text(SHARED.replace("orders", "refunds"))
    assert [one.source for one in scanned(folder, ScanConfig()).findings] == ["refunds"]


def test_another_configuration_is_told_otherwise(folder: Path) -> None:
    scanned(folder, ScanConfig())
    clusters = (KafkaCluster("production", ("k:9092",), "kafka://production"),)
    assert [one.place for one in scanned(folder, ScanConfig(clusters=clusters)).findings] == ["kafka://production"]
    assert [one.place for one in scanned(folder, ScanConfig()).findings] == ["kafka://k:9092"]
    assert scanned(folder, ScanConfig(include_kafka_lineage=False)).findings == []


def test_the_file_of_a_read_is_kept_too(folder: Path) -> None:
    (folder / "shared/topics.py").write_text(SHARED + "def read(spark):\n    return spark.read.table('main.a.b')\n")
    (folder / "main.py").write_text("from shared.topics import read\nread(spark).write.saveAsTable('main.a.c')\n")
    first, again = scanned(folder, ScanConfig()), scanned(folder, ScanConfig(namespace="other"))
    assert [(one.path, one.line) for one in first.findings] == [("shared/topics.py", 4)]
    assert [(one.path, one.line) for one in again.findings] == [("shared/topics.py", 4)]


def test_of_a_workspace_the_catalog_is_asked_again_and_what_it_says_is_told(tmp_path: Path) -> None:
    with FakeWorkspace() as workspace:
        workspace.add_notebook("/n", "spark.read.table('main.a.b').write.saveAsTable('main.a.c')\n")
        workspace.add_job("copy", [{"task_key": "t", "notebook_task": {"notebook_path": "/n"}}])
        workspace.add_table("main.a.c", {"id": "bigint"}, owner="ann")
        config = ScanConfig(workspace=workspace.url, token=workspace.token)

        def owners() -> list[object]:
            report = asyncio.run(scan_workspace(config, Cache(tmp_path)))
            outputs = [facets for job in report.jobs for facets in job.outputs.values()]
            return [one["ownership"]["owners"][0]["name"] for one in outputs]

        assert owners() == owners() == ["user:ann"]
        workspace.add_table("main.a.c", {"id": "bigint"}, owner="bob")
        assert owners() == ["user:bob"]


def test_names_for_runs_are_there_when_they_are_asked_for_though_the_rest_was_kept(
    shop: FakeWorkspace, tmp_path: Path
) -> None:
    config = ScanConfig(workspace=shop.url, token=shop.token)
    first = asyncio.run(scan_workspace(config, Cache(tmp_path)))
    again = asyncio.run(scan_workspace(replace(config), Cache(tmp_path), for_runs=True))
    assert said(again) == said(first)
    assert again.namers


def test_programs_of_two_works_are_not_taken_for_each_other(tmp_path: Path) -> None:
    works = [Work("task", "1", "one"), Work("task", "2", "two")]
    one, two = (Memo(Cache(tmp_path), ScanConfig(), works, [("ff", name, 1)]) for name in ("one", "two"))
    one.keep_table_names(["main.a.b"])
    assert one.table_names() == ["main.a.b"]
    assert two.table_names() is None
