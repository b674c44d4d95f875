"""Spark itself reads literals as the values they were, and the confined configuration as it is meant."""

import os
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from lineage_hub.spark.pipeline.confinement import ENFORCED
from lineage_hub.spark.pipeline.definition import Pipeline
from lineage_hub.spark.pipeline.parameters import resolve
from lineage_hub.spark.pipeline.sql_text import tokens

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("spark"),
    pytest.mark.timeout(300),
    # PySpark leaves the sockets that rows come through to the collector.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]

VALUES = [
    "",
    "it's",
    "\\",
    "\\'",
    "''",
    '"`',
    "${env:HOME}",
    "$x ${spark.app.name}",
    "漢 é",
    "%_\\%",
    "\\u0027",
    "--",
    "/*",
]


def test_spark_reads_every_literal_as_the_value(spark: SparkSession):
    names = [f"p{at}" for at in range(len(VALUES))]
    statement = "select " + ", ".join(f"${{{name}}} as {name}" for name in names)
    pipeline = Pipeline.model_validate(
        {
            "name": "p",
            "parameters": {name: {} for name in names},
            "stages": {"made": {"transform": {"from": "made", "steps": [{"sql": statement}]}}},
        }
    )
    filled = resolve(pipeline, dict(zip(names, VALUES, strict=True)), {})
    assert list(spark.sql(filled.stages["made"].transform.steps[0].sql).first()) == VALUES


@pytest.mark.parametrize(
    ("sql", "texts"),
    [
        (r"select r'\', 'b'", [r"r'\'", "'b'"]),
        (r"select 'a\'b', 'c'", [r"'a\'b'", "'c'"]),
        ("select 'a' /* x */, -- it's\n 'b'", ["'a'", "'b'"]),
        ("select \"a\\\"b\", `x``'y`, 'c' from (select 1 as `x``'y`)", ['"a\\"b"', "'c'"]),
    ],
)
def test_texts_are_cut_as_spark_cuts_them(spark: SparkSession, sql: str, texts: list[str]):
    assert [token.text for token in tokens(sql) if token.kind == "text"] == texts
    # Spark finds as many columns, so it has cut the texts at the same places.
    assert len(spark.sql(sql).columns) == len(texts) + sql.count("from")


@pytest.fixture
def confined(spark: SparkSession) -> SparkSession:
    session = spark.newSession()
    for key, value in ENFORCED.items():
        session.conf.set(key, str(value).lower())
    return session


def test_sql_reads_no_files_and_no_environment(confined: SparkSession, spark: SparkSession, tmp_path: Path):
    (tmp_path / "secret.csv").write_text("key")
    spark.range(1).write.format("delta").save(str(tmp_path / "table"))
    assert spark.sql(f"select * from csv.`{tmp_path}/secret.csv`").count() == 1
    assert spark.sql(f"select * from delta.`{tmp_path}/table`").count() == 1
    for relation in (
        f"csv.`{tmp_path}/secret.csv`",
        f"delta.`{tmp_path}/table`",
        f"text.`file://{tmp_path}/secret.csv`",
    ):
        with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
            confined.sql(f"select * from {relation}")
    assert os.environ["PATH"] == spark.sql("select '${env:PATH}'").first()[0]
    assert confined.sql("select '${env:PATH}'").first()[0] == "${env:PATH}"
