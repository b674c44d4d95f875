"""A pipeline's formats decide which packages and settings its session has."""

import subprocess
import sys
from typing import Any

import pytest
from pyspark.sql import SparkSession

from lineage_hub.spark.pipeline.definition import Pipeline
from lineage_hub.spark.requirements import DELTA_PACKAGE, POSTGRES_PACKAGE, required_conf, required_packages
from lineage_hub.spark.session import session


def pipeline(*loads: dict[str, Any], **spark: Any) -> Pipeline:
    stages: dict[str, Any] = {"source": {"extract": {"format": "csv", "path": "/x"}}}
    stages |= {f"load{number}": {"load": {"from": "source", **load}} for number, load in enumerate(loads)}
    return Pipeline.model_validate({"name": "p", "stages": stages, "spark": spark})


DELTA = {"format": "delta", "path": "/y"}
POSTGRES = {"format": "jdbc", "url": "jdbc:postgresql://h/d", "table": "t"}


def test_only_what_the_formats_need_is_fetched() -> None:
    assert required_packages(pipeline()) == []
    assert required_packages(pipeline(DELTA)) == [DELTA_PACKAGE]
    assert required_packages(pipeline(DELTA, POSTGRES)) == [DELTA_PACKAGE, POSTGRES_PACKAGE]
    assert "spark.sql.extensions" not in required_conf(pipeline())


def test_the_pipelines_own_version_and_settings_count() -> None:
    own = pipeline(DELTA, packages=["io.delta:delta-spark_2.13:4.0.0", "a:b:1"], conf={"spark.ui.enabled": True})
    assert required_packages(own) == ["io.delta:delta-spark_2.13:4.0.0", "a:b:1"]
    assert required_conf(own)["spark.ui.enabled"] == "true"


def test_deltas_extension_joins_those_that_are_given() -> None:
    conf = required_conf(
        pipeline(DELTA, conf={"spark.sql.extensions": "com.example.Mine", "spark.jars.packages": "c:d:2"})
    )
    assert conf["spark.sql.extensions"] == "com.example.Mine,io.delta.sql.DeltaSparkSessionExtension"
    assert conf["spark.jars.packages"] == f"c:d:2,{DELTA_PACKAGE}"


def test_who_only_starts_a_driver_loads_no_pyspark() -> None:
    program = (
        "import sys, lineage_hub.spark.pipeline.asking, lineage_hub.spark.pipeline.submitting as s; print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert "lineage_hub.spark.requirements" in loaded
    assert not {"pyspark", "py4j", "pandas"} & set(loaded)


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(300)
def test_a_session_that_is_running_is_taken_as_it_is(spark: SparkSession) -> None:
    taken = session(pipeline(DELTA, conf={"spark.app.name": "other"}), master="local[1]")
    assert taken.sparkContext is spark.sparkContext
    assert taken.sparkContext.master == "local[2]"
