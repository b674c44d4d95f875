"""The public functions: they never raise, and hold what users of the older parser know."""

from __future__ import annotations

import pytest

from lineage_hub.connectors.databricks.reading import Reading
from lineage_hub.connectors.databricks.sources import (
    KafkaSourceConfig,
    StreamSource,
    extract_kafka_sources,
    extract_sources,
    get_pipeline_libraries,
    read_program,
)

STREAM = """
df = (spark.readStream.format("kafka")
    .option("kafka.bootstrap.servers", "k1:9092,k2:9092")
    .option("subscribe", "orders, payments")
    .option("groupIdPrefix", "dlt-bronze")
    .load())
"""


def test_a_kafka_source_is_told_as_a_configuration() -> None:
    assert extract_kafka_sources(STREAM) == [KafkaSourceConfig("k1:9092,k2:9092", ["orders", "payments"], "dlt-bronze")]


def test_members_answer_as_attributes_and_as_those_of_a_dictionary() -> None:
    (found,) = extract_sources(STREAM)
    assert isinstance(found, StreamSource)
    assert found.topics == found["topics"] == found.to_dict()["topics"] == ["orders", "payments"]
    (config,) = extract_kafka_sources(STREAM)
    assert config["bootstrap_servers"] == config.bootstrap_servers


def test_indented_code_is_read() -> None:
    indented = "\n".join("        " + line for line in STREAM.split("\n"))
    assert len(extract_kafka_sources(indented)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "", "   \n", "# only a comment", '"""only a docstring: spark.readStream.format(\'kafka\')"""',
        'df = spark.readStream.format("kafka")',
        'spark.readStream.format("kafka").option("subscribe", UNDEFINED).load()',
        'spark.read.parquet("/a").write.format("delta").save("/b")',
        'topic_name = "looks.like.a.topic"',
        'df.write.format("kafka").option("topic", "out").save()',
    ],
)  # fmt: skip
def test_what_is_no_read_of_known_topics_is_none(source: str) -> None:
    assert extract_kafka_sources(source) == []


@pytest.mark.parametrize(
    "source", [None, 1, b"bytes", [], {}, object(), "\x00", "\ud800", "(" * 5000, "{", "%%%", "\ufeff"]
)
def test_nothing_is_raised_on_any_input(source: object) -> None:
    assert extract_kafka_sources(source) == []  # type: ignore[arg-type]
    assert extract_sources(source) == []  # type: ignore[arg-type]
    assert isinstance(read_program(source), Reading)  # type: ignore[arg-type]


def test_nothing_is_raised_on_any_settings() -> None:
    read_program(STREAM, path=None, configuration=None, files={1: 2, "a": None})  # type: ignore[arg-type, dict-item]
    read_program(STREAM, language="other", configuration={"a": 1})  # type: ignore[arg-type, dict-item]
    assert len(extract_sources(STREAM, configuration={"k": 1})) == 1  # type: ignore[dict-item]


@pytest.mark.parametrize("language", [None, "", "PYTHON", "other", 5])
def test_a_language_that_is_none_is_left_to_the_text(language: object) -> None:
    assert extract_sources(STREAM, language=language) == extract_sources(STREAM) != []  # type: ignore[arg-type]


def test_sources_are_in_order_of_line_then_target() -> None:
    program = """
b = spark.table("b")
b.write.saveAsTable("z")
b.write.saveAsTable("y")
spark.table("a").write.saveAsTable("x")
"""
    found = [(one.line, one.target_table) for one in extract_sources(program)]
    assert found == [(2, "y"), (2, "z"), (5, "x")]


def test_sql_is_read_by_language_path_and_look() -> None:
    text = "CREATE STREAMING TABLE t AS SELECT * FROM STREAM read_kafka(bootstrapServers => 'k', subscribe => 'a')"
    for given in ({"language": "sql"}, {"path": "x.sql"}, {}):
        assert [one.topics for one in extract_sources(text, **given)] == [["a"]]  # type: ignore[arg-type]


def test_libraries_are_paths_in_order_each_once() -> None:
    config = {
        "libraries": [
            {"notebook": {"path": "/a"}}, {"file": {"path": "/b.py"}}, {"glob": {"include": "/c/**"}},
            {"notebook": {"path": "/a"}}, {"jar": "dbfs:/x.jar"}, {"whl": {"path": "/w"}}, {"notebook": {}}, None, "x",
        ],
        "spec": {"libraries": [{"notebook": {"path": "/d"}}, {"file": {"path": "/b.py"}}]},
    }  # fmt: skip
    assert get_pipeline_libraries(config) == ["/a", "/b.py", "/c/**", "/d"]


@pytest.mark.parametrize(
    "config",
    [{}, None, [], "x", {"libraries": None}, {"libraries": {}}, {"libraries": [1, [], {"notebook": 1}]}, {"spec": 1},
     {"libraries": [{"notebook": {"path": 5}}, {"file": {"path": None}}, {"file": {"path": " "}}]}],
)  # fmt: skip
def test_malformed_libraries_are_none(config: object) -> None:
    assert get_pipeline_libraries(config) == []  # type: ignore[arg-type]


def test_rows_that_a_cell_of_sql_shows_are_there_for_python() -> None:
    source = """# Databricks notebook source
# MAGIC %sql
# MAGIC SELECT * FROM before;
# MAGIC SELECT id FROM customers
# COMMAND ----------
_sqldf.write.saveAsTable("copy")
# COMMAND ----------
# MAGIC %sql
# MAGIC BEGIN IF today() > '2024' THEN SELECT id FROM perhaps; END IF; END
"""
    found = [(one.path, one.target_table, one.line, one.confidence) for one in extract_sources(source)]
    assert found == [("before", None, 3, 1.0), ("customers", "copy", 4, 1.0), ("perhaps", None, 9, 0.5)]


def test_what_is_known_around_an_unknown_part_of_a_statement_counts() -> None:
    source = 'import os\nspark.sql("CREATE TABLE t AS SELECT * FROM %s.a WHERE d > \'%s\'" % ("s", os.environ["D"]))\n'
    assert [(one.path, one.target_table, one.unresolved) for one in extract_sources(source)] == [("s.a", "t", [])]


def test_a_name_without_a_value_is_unknown() -> None:
    settings: dict[str, str] = {"t": None}  # type: ignore[dict-item]
    (found,) = extract_sources("SELECT * FROM ${t}", language="sql", configuration=settings)
    assert (found.path, found.unresolved) == (None, ["table"])
