"""Statements given to `spark.sql` that write are told, and queries are left alone."""

from pathlib import Path

import pytest
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import DataFrame, SparkSession

from lineage_hub.spark.instrumentation.statements import may_write
from lineage_hub.testing import LineageEvents
from tests.spark.instrumented import (
    columns,
    database_name,
    direct_origins,
    job,
    kinds,
    lifecycle,
    output_of,
    people,
    rows_written,
    told,
)

__all__ = ["database_name", "people", "told"]
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]


@pytest.fixture
def tables(spark: SparkSession, people: DataFrame, database_name: str) -> str:
    people.createOrReplaceTempView("people")
    spark.sql("CREATE TABLE person USING delta AS SELECT * FROM people")
    return database_name


def test_a_table_as_a_select(spark: SparkSession, told: LineageEvents, tables: str, tmp_path: Path) -> None:
    told.clear()
    text = "-- by name\nCREATE TABLE loud USING parquet AS SELECT id, upper(name) AS loud FROM people WHERE id < 3"
    assert spark.sql(text).collect() == []
    run = told.only_run(job(spark, "create_table_as_select.shop.loud"))
    assert kinds(run) == ["START", "COMPLETE"]
    assert run.inputs == [("file", f"{tmp_path}/in/people")]
    assert run.outputs == [("file", f"{tmp_path}/shop.db/loud")]
    assert (lifecycle(run), rows_written(run)) == ("CREATE", 2)
    assert direct_origins(run)["loud"] == {("people", "name", "TRANSFORMATION")}
    assert run.job_facets["sql"]["query"] == text


def test_insert_merge_update_and_delete(spark: SparkSession, told: LineageEvents, tables: str, tmp_path: Path) -> None:
    spark.sql("WITH few AS (SELECT name, id FROM people) INSERT INTO person (name, id) SELECT * FROM few")
    spark.sql("UPDATE person SET name = 'x' WHERE id = 1")
    spark.sql("DELETE FROM person WHERE id = 2")
    spark.sql("MERGE INTO person p USING people n ON p.id = n.id WHEN MATCHED THEN UPDATE SET name = n.name")
    names = ("insert_into", "update_table", "delete_from_table", "merge_into_table")
    runs = [told.only_run(job(spark, f"{name}.shop.person")) for name in names]
    assert [run.state for run in runs] == ["COMPLETE"] * 4
    assert {tuple(run.outputs) for run in runs} == {(("file", f"{tmp_path}/shop.db/person"),)}
    assert direct_origins(runs[0])["name"] == {("people", "name", "IDENTITY")}
    assert ("people", "name", "IDENTITY") in direct_origins(runs[3])["name"]
    assert sorted(row.name for row in spark.table("person").collect()) == ["ann", "ann", "cid", "cid"]


def test_views_renames_and_drops(spark: SparkSession, told: LineageEvents, tables: str, tmp_path: Path) -> None:
    spark.sql("CREATE VIEW names AS SELECT name AS who FROM person")
    view = told.only_run(job(spark, "create_view.shop.names"))
    assert columns(output_of(view)["facets"]) == [("who", "string")]
    assert direct_origins(view) == {"who": {("person", "name", "IDENTITY")}}
    spark.sql("DROP VIEW names")
    assert lifecycle(told.only_run(job(spark, "drop_view.shop.names"))) == "DROP"

    spark.sql("CREATE TABLE flat (a INT) USING parquet")
    for table in ("person", "flat"):
        spark.sql(f"ALTER TABLE {table} RENAME TO {table}_new")
        renamed = told.only_run(job(spark, f"rename_table.shop.{table}_new"))
        change = output_of(renamed)["facets"]["lifecycleStateChange"]
        assert change["lifecycleStateChange"] == "RENAME"
        assert change["previousIdentifier"]["name"].rpartition("/")[2] == table
        spark.sql(f"DROP TABLE {table}_new")
        dropped = told.only_run(job(spark, f"drop_table.shop.{table}_new"))
        assert lifecycle(dropped) == "DROP"
        assert dropped.outputs == renamed.outputs


def test_arguments_and_frames_in_a_statement_are_seen(
    spark: SparkSession, people: DataFrame, told: LineageEvents, tables: str
) -> None:
    spark.sql("INSERT INTO person SELECT id, name FROM people WHERE id > :least", args={"least": 2})
    spark.sql("INSERT INTO person SELECT id, ? FROM people", args=["q"])
    spark.sql("INSERT INTO person SELECT id, upper(name) FROM {those}", those=people)
    named, placed, framed = told.runs_of(job(spark, "insert_into.shop.person"))
    assert [rows_written(run) for run in (named, placed, framed)] == [1, 3, 3]
    assert direct_origins(named)["name"] == {("people", "name", "IDENTITY")}
    assert "name" not in direct_origins(placed)
    assert direct_origins(framed)["name"] == {("people", "name", "TRANSFORMATION")}


def test_what_writes_nothing_with_a_name_is_not_told(spark: SparkSession, told: LineageEvents, tables: str) -> None:
    told.clear()
    spark.sql("SELECT * FROM person").collect()
    spark.sql("WITH a AS (SELECT 1 AS one) SELECT * FROM a").collect()
    spark.sql("FROM person SELECT id").collect()
    spark.sql("CREATE OR REPLACE TEMP VIEW passing AS SELECT 1 AS one")
    spark.sql("SHOW TABLES")
    spark.sql("SET x.y = 1")
    spark.sql("CREATE DATABASE IF NOT EXISTS other")
    spark.sql("DROP DATABASE other")
    spark.sql("DROP TABLE IF EXISTS nowhere")
    spark.sql("CREATE TABLE IF NOT EXISTS person (id BIGINT) USING delta")
    with pytest.raises(ParseException):
        spark.sql("INSERT sideways")
    assert len(told) == 0


def test_a_statement_that_fails_is_told_with_its_name(spark: SparkSession, told: LineageEvents, tables: str) -> None:
    with pytest.raises(AnalysisException, match="UNRESOLVED_COLUMN") as caught:
        spark.sql("INSERT INTO person SELECT id, nobody FROM people")
    run = told.only_run(job(spark, "insert_into.person"))
    assert (kinds(run), run.error) == (["START", "FAIL"], str(caught.value))


def test_a_secret_in_a_statement_goes_nowhere(spark: SparkSession, told: LineageEvents, tables: str) -> None:
    spark.sql("CREATE TABLE shy (a INT) USING parquet OPTIONS (password 'geheim')")
    run = told.only_run(job(spark, "create_table.shop.shy"))
    assert "sql" not in run.job_facets
    assert "geheim" not in str(told.events)


def test_one_query_into_several_tables_is_one_run(spark: SparkSession, told: LineageEvents, tables: str) -> None:
    spark.sql("CREATE TABLE ids (id BIGINT) USING parquet")
    spark.sql("CREATE TABLE names (name STRING) USING parquet")
    spark.sql("FROM people INSERT INTO ids SELECT id INSERT INTO names SELECT name")
    run = told.only_run(job(spark, "insert_into.shop.ids"))
    assert [name.rpartition("/")[2] for _, name in run.outputs] == ["ids", "names"]
    assert run.state == "COMPLETE"


def test_a_folder_and_a_statement_made_of_text_are_told(
    spark: SparkSession, told: LineageEvents, tables: str, tmp_path: Path
) -> None:
    spark.sql(f"INSERT OVERWRITE DIRECTORY '{tmp_path}/out/ids' USING parquet SELECT id FROM people")
    run = told.only_run(job(spark, "insert_into_dir.out/ids"))
    assert run.outputs == [("file", f"{tmp_path}/out/ids")]
    assert (lifecycle(run), rows_written(run)) == ("OVERWRITE", 3)
    spark.sql("EXECUTE IMMEDIATE 'DROP TABLE person'")
    assert lifecycle(told.only_run(job(spark, "execute_immediate_query.shop.person"))) == "DROP"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT 1", False),
        ("  \n-- insert into t\nselect 1", False),
        ("/* create */ (SELECT 1)", False),
        ("VALUES (1)", False),
        ("/* a */ -- b\n insert into t values (1)", True),
        ("With x AS (SELECT 1) INSERT INTO t SELECT * FROM x", True),
        ("", False),
        (None, False),
    ],
)
def test_the_first_word_tells_most_queries(text: object, expected: bool) -> None:
    assert may_write(text) is expected
