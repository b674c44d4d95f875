"""A workspace of a shop, and the command line as a function."""

from collections.abc import Iterator

import pytest

from lineage_hub.testing.databricks import FakeWorkspace
from tests.cli.conftest import cli

__all__ = ["cli"]

BRONZE = """# Databricks notebook source
# MAGIC %run ../shared/brokers

# COMMAND ----------

import dlt
from pyspark.sql import functions as F

env = spark.conf.get("shop.env")


def stream_of(topic):
    kafka = spark.readStream.format("kafka").option("kafka.bootstrap.servers", BROKERS)
    return kafka.option("subscribe", f"{env}.{topic}")


@dlt.table
@dlt.expect_or_drop("has_key", "key is not null")
def orders_raw():
    return stream_of("orders").load()


@dlt.table
def refunds_raw():
    return stream_of("refunds").load()
"""
BROKERS = '# Databricks notebook source\nBROKERS = "k1.example:9092,k2.example:9092"\n'
SILVER = """CREATE OR REFRESH STREAMING TABLE main.silver.orders AS
SELECT cast(key AS string) AS id, cast(value AS string) AS body FROM STREAM(main.bronze.orders_raw);
"""
GOLD = """CREATE OR REPLACE TABLE main.gold.daily AS SELECT id, count(*) AS n FROM main.silver.orders GROUP BY id;
"""


@pytest.fixture
def shop() -> Iterator[FakeWorkspace]:
    """From two topics to bronze, on to silver by another pipeline and to gold by a job."""
    with FakeWorkspace() as workspace:
        workspace.add_repo("/Repos/me/shop", "https://git.example.com/shop.git", commit="abc123")
        workspace.add_notebook("/Repos/me/shop/pipelines/bronze", BRONZE)
        workspace.add_notebook("/Repos/me/shop/shared/brokers", BROKERS)
        workspace.add_file("/Repos/me/shop/silver/orders.sql", SILVER)
        workspace.add_notebook("/Repos/me/shop/gold", GOLD, "SQL")
        workspace.add_pipeline(
            "bronze", ["/Repos/me/shop/pipelines/bronze"], pipeline_id="p-bronze", catalog="main", schema="bronze",
            configuration={"shop.env": "prod"},
        )  # fmt: skip
        workspace.add_pipeline(
            "silver", globs=["/Repos/me/shop/silver/**"], pipeline_id="p-silver", catalog="main", schema="silver"
        )
        task = {"task_key": "daily", "notebook_task": {"notebook_path": "/Repos/me/shop/gold"}}
        workspace.add_job("gold", [task])
        workspace.add_table("main.silver.orders", {"id": "string", "body": "string"}, owner="data@example.com")
        yield workspace
