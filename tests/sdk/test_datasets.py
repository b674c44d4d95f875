"""Names of datasets are those of OpenLineage's own naming, however a team writes them."""

import subprocess
import sys
from typing import Any

import pytest
from openlineage.client.naming import dataset as naming

from lineage_hub.errors import InvalidRequest
from lineage_hub.sdk import AdapterType, DataFormat, DatasetSpec
from lineage_hub.sdk.datasets import name_of


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("mysql://user:secret@db.example:3306/shop/orders", naming.MySQL("db.example", "3306", "shop", "orders")),
        ("mysql+pymysql://db.example/shop.orders", naming.MySQL("db.example", "3306", "shop", "orders")),
        (
            "postgresql://db.example/shop/public/orders",
            naming.Postgres("db.example", "5432", "shop", "public", "orders"),
        ),
        (
            "postgresql+psycopg://db.example:6432/shop.public.orders",
            naming.Postgres("db.example", "6432", "shop", "public", "orders"),
        ),
        (
            "redshift://cluster.eu-west-1:5439/dev/public/orders",
            naming.Redshift("cluster", "eu-west-1", "5439", "dev", "public", "orders"),
        ),
        ("snowflake://org-acc/db/schema/table", naming.Snowflake("org", "acc", "db", "schema", "table")),
        ("bigquery://project/dataset/table", naming.BigQuery("project", "dataset", "table")),
        ("s3://bucket/raw/orders", naming.S3("bucket", "raw/orders")),
        ("s3a://bucket/raw/orders", naming.S3("bucket", "raw/orders")),
        ("gs://bucket/raw/orders", naming.GCS("bucket", "raw/orders")),
        ("abfss://lake@acme.dfs.core.windows.net/raw/orders", naming.ABFSS("lake", "acme", "raw/orders")),
        ("hdfs://namenode:8020/raw/orders", naming.HDFS("namenode", "8020", "/raw/orders")),
        ("kafka://broker:9092/orders", naming.Kafka("broker", "9092", "orders")),
        ("file:///data/orders.csv", naming.LocalFileSystem("/data/orders.csv")),
        ("/data/orders.csv", naming.LocalFileSystem("/data/orders.csv")),
        ("file://nas/data/orders.csv", naming.RemoteFileSystem("nas", "/data/orders.csv")),
    ],
)
def test_an_address_has_the_name_that_openlineage_gives(given: str, expected: Any) -> None:
    assert name_of(DatasetSpec.of(given), "team") == (expected.get_namespace(), expected.get_name())


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (DatasetSpec("postgres", "s.public.t", namespace="postgresql://db"), ("postgres://db:5432", "s.public.t")),
        (DatasetSpec(AdapterType.MYSQL, "shop.orders", DataFormat.TABLE), ("mysql", "shop.orders")),
        (DatasetSpec("dataframe", "features"), ("team", "features")),
        (DatasetSpec("event", "order-placed"), ("team", "order-placed")),
        (DatasetSpec("api", "https://api.example/v1/orders?key=secret"), ("https://api.example", "v1/orders")),
        (DatasetSpec("iceberg", "db.orders", namespace="s3://lake"), ("s3://lake", "db.orders")),
        (DatasetSpec("delta", "s3://lake/orders"), ("s3://lake", "orders")),
        (DatasetSpec("clickhouse", "clickhouse://ch/default/orders"), ("clickhouse://ch:8123", "default.orders")),
        (DatasetSpec("teradata", "db.orders"), ("teradata", "db.orders")),
    ],
)  # fmt: skip
def test_a_spec_has_a_name_with_or_without_a_place(spec: DatasetSpec, expected: tuple[str, str]) -> None:
    assert name_of(spec, "team") == expected


def test_an_unknown_adapter_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(InvalidRequest, match="oracel") as told:
        DatasetSpec("oracel", "orders").validate()
    for known in AdapterType:
        assert known.value in str(told.value.action)
    DatasetSpec("S3A", "orders").validate()
    with pytest.raises(InvalidRequest, match="format"):
        DatasetSpec("s3", "orders", format="doc").validate()


@pytest.mark.parametrize("given", [{"type": "s3", "nmae": "x"}, {"type": "s3"}, 7, None, ["s3"]])
def test_what_describes_no_dataset_is_an_error_not_a_name(given: Any) -> None:
    with pytest.raises(InvalidRequest):
        DatasetSpec.of(given)


def test_a_mapping_may_hold_texts_or_members_of_the_enumerations() -> None:
    for kind in ("mysql", AdapterType.MYSQL):
        assert DatasetSpec.of({"type": kind, "name": "a.b"}) == DatasetSpec("mysql", "a.b")


def test_importing_the_sdk_is_quick_and_loads_nothing_heavy() -> None:
    program = (
        "import time; began = time.process_time(); import lineage_hub.sdk, sys\n"
        "print(time.process_time() - began, *sorted(sys.modules))"
    )
    costs = []
    for _ in range(5):
        ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        cost, *modules = ran.stdout.split()
        costs.append(float(cost))
        loaded = {name.split(".")[0] for name in modules}
        heavy = {
            "openlineage",
            "httpx",
            "requests",
            "yaml",
            "fastapi",
            "sqlalchemy",
            "pyspark",
            "pandas",
            "pydantic",
            "rich",
        }
        assert not loaded & heavy
    assert min(costs) < 0.15
