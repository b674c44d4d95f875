"""Datasets have the names that other integrations of OpenLineage give them."""

import pytest

from lineage_hub.connectors.databricks.clusters import Clusters
from lineage_hub.connectors.databricks.names import Namer, of_jdbc
from lineage_hub.connectors.databricks.programs import Work
from lineage_hub.connectors.databricks.reading import DefinedTable, StreamSource

SPACE = "databricks://w.example.com"


def namer(tables=(), **members):
    work = Work("pipeline", "p1", "shop", **{"catalog": "main", "schema": "bronze", **members})
    return Namer(work, SPACE, Clusters(), tables)


def test_a_sink_of_delta_is_named_as_a_table_or_as_files():
    assert namer().of_source(StreamSource("delta_sink", path="silver.orders")) == [(SPACE, "main.silver.orders")]
    assert namer().of_source(StreamSource("delta_sink", path="s3://b/orders")) == [("s3://b", "orders")]


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("orders", "main.bronze.orders"),
        ("Silver.Orders", "main.silver.orders"),
        ("other.silver.orders", "other.silver.orders"),
        ("LIVE.orders", "main.bronze.orders"),
        ("`my-catalog`.`s`.`a.b`", "my-catalog.s.a.b"),
    ],
)
def test_a_table_is_qualified_by_what_its_pipeline_says(spelled, name):
    assert namer().table(spelled) == (SPACE, name)


def test_what_nobody_qualifies_stays_as_it_is_written():
    assert namer(catalog="", schema="").table("orders") == (SPACE, "orders")
    assert namer(catalog="", schema="").table("s.orders") == (SPACE, "s.orders")
    assert namer().table("") is None


def test_views_and_unpublished_tables_are_their_pipelines_own():
    view = [DefinedTable("v", "temporary_view")]
    assert namer(view).table("v") == (SPACE, "shop.v")
    private = namer([DefinedTable("t")], catalog="", schema="", is_published=False)
    assert private.table("t") == (SPACE, "shop.t")
    assert private.table("elsewhere") == (SPACE, "elsewhere")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("s3://lake/raw/orders/", ("s3://lake", "raw/orders")),
        ("s3a://lake/raw/*/day=*/", ("s3://lake", "raw")),
        ("abfss://raw@lake.dfs.core.windows.net/orders", ("abfss://raw@lake.dfs.core.windows.net", "orders")),
        ("gs://lake/raw/*.json", ("gs://lake", "raw")),
        ("/Volumes/main/raw/files/in", (SPACE, "/Volumes/main/raw/files/in")),
        ("dbfs:/mnt/raw", ("dbfs://w.example.com", "/mnt/raw")),
        ("/mnt/raw/", ("dbfs://w.example.com", "/mnt/raw")),
        ("file:/tmp/x", ("file", "/tmp/x")),
        ("file:///tmp/x", ("file", "/tmp/x")),
        ("hdfs:///raw/x", ("hdfs", "/raw/x")),
        ("hdfs://nn/raw/x", ("hdfs://nn:8020", "/raw/x")),
    ],
)
def test_files_are_named_by_where_they_are(path, name):
    assert namer().of_source(StreamSource("files", path=path)) == [name]
    assert namer().table(f"delta.`{path}`") == name


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (
            StreamSource("kafka", ["a", "b"], bootstrap="K1:9093,k2"),
            [("kafka://k1:9093", "a"), ("kafka://k1:9093", "b")],
        ),
        (StreamSource("kafka", pattern="shop.*", bootstrap="k1"), [("kafka://k1:9092", "shop.*")]),
        (StreamSource("kafka", ["a"]), [("kafka://unresolved/shop", "a")]),
        (StreamSource("kafka", bootstrap="k1", unresolved=["subscribe"]), []),
        (
            StreamSource("eventhubs", ["hub"], bootstrap="ns.servicebus.windows.net"),
            [("kafka://ns.servicebus.windows.net:9093", "hub")],
        ),
        (StreamSource("kinesis", ["s"], bootstrap="eu-west-1"), [("kinesis://eu-west-1", "s")]),
        (StreamSource("pulsar", ["t"], bootstrap="pulsar://p:6650"), [("pulsar://p:6650", "t")]),
        (StreamSource("pubsub", ["s"], bootstrap="project"), [("pubsub", "subscription:project:s")]),
        (StreamSource("table", path="orders", source_table="orders"), [(SPACE, "main.bronze.orders")]),
        (StreamSource("delta", path="s3://lake/t"), [("s3://lake", "t")]),
        (StreamSource("rate"), []),
        (StreamSource("files", unresolved=["path"]), []),
    ],
)
def test_sources_are_named_and_what_is_unknown_is_not(source, names):
    assert namer().of_source(source) == names


@pytest.mark.parametrize(
    ("url", "table", "name"),
    [
        ("jdbc:postgresql://db/shop", "orders", ("postgres://db:5432", "shop.public.orders")),
        ("jdbc:postgresql://user:secret@db:5433/shop?password=x", "s.orders", ("postgres://db:5433", "shop.s.orders")),
        ("jdbc:mysql://db/shop", "orders", ("mysql://db:3306", "shop.orders")),
        ("jdbc:sqlserver://db;databaseName=shop;password=x", "orders", ("sqlserver://db:1433", "shop.dbo.orders")),
        ("jdbc:postgresql://db/shop", "(select 1) x", None),
        ("", "orders", None),
    ],
)
def test_databases_are_named_without_their_secrets(url, table, name):
    assert of_jdbc(url, table) == name
