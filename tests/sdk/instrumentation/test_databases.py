"""Tables have the names that OpenLineage gives them, wherever the program says that they are."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from openlineage.client.naming import dataset as naming
from sqlalchemy.engine import make_url

from lineage_hub.sdk.instrumentation.databases import Database, of_connection, of_url
from lineage_hub.sdk.instrumentation.flows import Table
from lineage_hub.sdk.instrumentation.tables import Seen


def database(url: str, schema: str | None = None) -> Database:
    return of_url(make_url(url), schema)


@pytest.mark.parametrize(
    ("url", "schema", "table", "expected"),
    [
        ("postgresql+psycopg://u:hush@db/s", "public", Table("t"), naming.Postgres("db", "5432", "s", "public", "t")),
        ("postgresql://u@db:6432/shop", "public", Table("t", "s"), naming.Postgres("db", "6432", "shop", "s", "t")),
        ("postgresql://u@/s?host=/run", "public", Table("t"), naming.Postgres("localhost", "5432", "s", "public", "t")),
        ("mysql+pymysql://u:hush@db/shop", None, Table("t"), naming.MySQL("db", "3306", "shop", "t")),
        ("mariadb://db:3307/shop", None, Table("t", "other"), naming.MySQL("db", "3307", "other", "t")),
        (
            "redshift+psycopg2://u:hush@cl.abc.eu-west-1.redshift.amazonaws.com:5439/dev", "public", Table("t"),
            naming.Redshift("cl", "eu-west-1", "5439", "dev", "public", "t"),
        ),
        ("snowflake://u:hush@org-acc/db/sch", None, Table("T"), naming.Snowflake("org", "acc", "DB", "SCH", "T")),
        ("bigquery://project/ds", None, Table("t"), naming.BigQuery("project", "ds", "t")),
        ("bigquery://project/ds", None, Table("t", "other", "p2"), naming.BigQuery("p2", "other", "t")),
        ("oracle+oracledb://u:hush@db/?service_name=s", "SH", Table("T"), naming.Oracle("db", "1521", "s", "SH", "T")),
        ("trino://u@db:8080/cat/sch", None, Table("t"), naming.Trino("db", "8080", "cat", "sch", "t")),
    ],
)  # fmt: skip
def test_a_table_has_openlineages_name(url: str, schema: str | None, table: Table, expected: Any) -> None:
    assert database(url, schema).name_of(table) == (expected.get_namespace(), expected.get_name())


@pytest.mark.parametrize(
    ("url", "schema", "expected"),
    [
        ("mssql+pyodbc://u:hush@db/shop?driver=x", "dbo", ("mssql://db:1433", "shop.dbo.t")),
        ("clickhouse+http://db/shop", None, ("clickhouse://db:8123", "shop.t")),
        ("duckdb:////data/shop.duckdb", None, ("duckdb:///data/shop.duckdb", "shop.main.t")),
        ("sqlite:////data/shop.db", None, ("sqlite:///data/shop.db", "t")),
        ("sqlite:///file:/data/shop.db?uri=true&mode=ro", None, ("sqlite:///data/shop.db", "t")),
        ("sqlite://", None, None),
        ("sqlite:///:memory:", None, None),
        ("sqlite:///file::memory:?uri=true&cache=shared", None, None),
        ("duckdb:///:memory:", None, None),
        ("firebird://u:hush@db:3050/shop", "main", ("firebird://db:3050", "shop.main.t")),
    ],
)
def test_other_tables_have_names_of_the_same_form(url: str, schema: str | None, expected: Any) -> None:
    assert database(url, schema).name_of(Table("t")) == expected


def test_no_password_is_in_a_name() -> None:
    found = database("postgresql://bob:hush@db/shop?password=hush&sslkey=hush", "public")
    assert "hush" not in repr(found)
    assert "bob" not in repr(found)


@pytest.mark.parametrize(
    ("url", "table"),
    [
        ("postgresql://db/shop", Table("pg_class", "pg_catalog")),
        ("postgresql://db/shop", Table("tables", "information_schema")),
        ("postgresql://db/shop", Table("pg_class")),
        ("sqlite:///x.db", Table("sqlite_master")),
        ("mysql://db/shop", Table("user", "mysql")),
        ("oracle://db/shop", Table("ALL_TABLES")),
        ("oracle://db/shop", Table("DUAL")),
        ("mssql://db/shop", Table("objects", "sys")),
    ],
)
def test_what_a_database_keeps_for_itself_is_no_dataset(url: str, table: Table) -> None:
    assert database(url).name_of(table) is None


def test_a_driver_says_where_it_leads(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "shop.db")
    found = of_connection(connection)
    connection.close()
    assert found is not None
    assert found.name_of(Table("t")) == (f"sqlite://{tmp_path}/shop.db", "t")
    memory = sqlite3.connect(":memory:")
    assert (of_connection(memory) or database("sqlite:///x")).in_memory
    memory.close()
    assert of_connection(object()) is None


def test_a_table_has_one_name_where_case_means_nothing() -> None:
    seen = Seen(database("sqlite:////data/shop.db"))
    assert [seen.name_of(Table(name)) for name in ("Orders", "ORDERS", "orders")] == [
        ("sqlite:///data/shop.db", "Orders")
    ] * 3
    other = Seen(database("postgresql://db/shop", "public"))
    assert other.name_of(Table("Orders")) != other.name_of(Table("orders"))
