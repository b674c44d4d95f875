"""Tables behind JDBC: one transaction for each token, on a real PostgreSQL."""

from typing import Any

import pytest
from pyspark.sql import SparkSession

from lineage_hub.errors import TargetUnwritable
from lineage_hub.spark.pipeline.definition import Load
from lineage_hub.spark.pipeline.load.connection import TableName
from tests.spark.database import Database
from tests.spark.pipeline.loading import load_of, loaded, staged

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

OLD = [(1, "a"), (2, "b")]


def into(database: Database, mode: str = "overwrite", table: str = "orders", **more: Any) -> Load:
    return load_of("jdbc", mode, url=database.jdbc_url, table=table, **more)


def tables(database: Database) -> set[object]:
    return {name for (name,) in database.run("SELECT tablename FROM pg_tables WHERE schemaname IN ('public', 's')")}


@pytest.mark.parametrize(
    "table", ["orders", 's."My Orders"', "a_name_as_long_as_postgresql_allows_for_any_table_that_there_is"]
)
def test_rows_are_overwritten_appended_and_merged_once_for_each_token(
    spark: SparkSession, database: Database, table: str
) -> None:
    database.run("CREATE SCHEMA s")
    loaded(spark, OLD, into(database, table=table), "1")
    first = staged(spark, [(3, None)], into(database, "append", table), "2")
    assert [tuple(row) for row in first.rows(spark).collect()] == [(3, None)]
    assert database.run(f"SELECT * FROM {table} ORDER BY id") == OLD
    first.publish()
    first.publish()
    loaded(spark, [(3, None)], into(database, "append", table), "2")
    assert database.run(f"SELECT * FROM {table} ORDER BY id") == [*OLD, (3, None)]
    for _ in range(2):
        loaded(spark, [(2, "B"), (4, "d")], into(database, "merge", table, keys=["id"]), "3")
    assert database.run(f"SELECT * FROM {table} ORDER BY id") == [(1, "a"), (2, "B"), (3, None), (4, "d")]
    loaded(spark, [], into(database, table=table), "4")
    assert database.run(f"SELECT * FROM {table}") == []
    assert tables(database) == {TableName.of(table).name, "lineage_hub_load"}


def test_a_load_that_is_discarded_or_was_killed_leaves_no_trace(spark: SparkSession, database: Database) -> None:
    loaded(spark, OLD, into(database), "1")
    staged(spark, [(9, "z")], into(database), "2").discard()
    staged(spark, [(9, "z")], into(database), "3")  # as if it were killed here
    other = staged(spark, [(9, "z")], into(database, "append"), "other")
    loaded(spark, [(5, "e")], into(database), "4")
    assert database.run("SELECT * FROM orders") == [(5, "e")]
    other.publish()
    assert database.run("SELECT * FROM orders ORDER BY id") == [(5, "e"), (9, "z")]
    assert tables(database) == {"orders", "lineage_hub_load"}


def test_what_the_table_refuses_leaves_it_as_it_was(spark: SparkSession, database: Database) -> None:
    database.run("CREATE TABLE orders (id INT PRIMARY KEY, v TEXT NOT NULL)")
    database.run("INSERT INTO orders VALUES (1, 'a')")
    for rows, said in (([(2, "b"), (1, "x")], "duplicate key"), ([(2, None)], "null value in column")):
        with pytest.raises(TargetUnwritable, match=said):
            loaded(spark, rows, into(database, "append"), "1")
    with pytest.raises(TargetUnwritable, match="1 rows have null in the key and 1 keys occur twice"):
        staged(spark, [(7, "x"), (7, "y"), (None, "z")], into(database, "merge", keys=["id"]), "2")
    for schema, rows, said in (
        ("id STRING, v STRING", [("x", "y")], "id is INT there and STRING here"),
        ("id BIGINT, v STRING", [(1, "y")], "id is INT there and BIGINT here"),
        ("id INT, v STRING, w INT", [(1, "y", 2)], "orders has no column w"),
        ("id INT, v MAP<STRING, INT>", [(1, {})], "map<string,int>"),
    ):
        with pytest.raises(TargetUnwritable, match=said):
            staged(spark, rows, into(database), "3", schema)
    assert database.run("SELECT * FROM orders") == [(1, "a")]
    assert tables(database) <= {"orders", "lineage_hub_load"}


def test_columns_of_other_types_and_defaults_are_filled(spark: SparkSession, database: Database) -> None:
    database.run("CREATE TABLE docs (id UUID PRIMARY KEY, doc JSONB, n NUMERIC(10, 2) DEFAULT 7)")
    key = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
    loaded(spark, [(key, '{"a": 1}')], into(database, table="docs"), "1", "ID STRING, doc STRING")
    loaded(spark, [(key, '{"a": 2}')], into(database, "merge", "docs", keys=["id"]), "2", "id STRING, doc STRING")
    [(found, doc, n)] = database.run("SELECT id::text, doc->>'a', n::text FROM docs")
    assert (found, doc, n) == (key, "2", "7.00")


def test_a_database_that_isnt_there_is_told_without_the_password(spark: SparkSession) -> None:
    load = load_of("jdbc", url="jdbc:postgresql://127.0.0.1:1/x", table="t", user="u", password="s3cret")
    with pytest.raises(TargetUnwritable, match="refused") as error:
        staged(spark, OLD, load, "1")
    assert "s3cret" not in str(error.value.body())


@pytest.mark.parametrize(
    ("text", "before", "name", "quote"),
    [
        ("orders", "", "orders", ""),
        ("public.orders", "public.", "orders", ""),
        ('"Or ders"', "", "Or ders", '"'),
        ('"a.b"."c.d"', '"a.b".', "c.d", '"'),
        ("db.s.orders", "db.s.", "orders", ""),
        ("`x y`", "", "x y", "`"),
    ],
)
def test_a_table_is_named_with_schema_and_quotes(text: str, before: str, name: str, quote: str) -> None:
    found = TableName.of(text)
    assert (found.before, found.name, found.quote, str(found)) == (before, name, quote, text)
