"""The shop's sources, made once and seen afresh by each module; checkpoints remember as in an instrumented program."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lineage_hub.spark.plan import checkpoints
from tests.spark.plan.sources import Shop, make_shop, view_shop

INTERPRETED = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "1",
}


@pytest.fixture(scope="module")
def interpreted(spark: SparkSession) -> Iterator[None]:
    """Compiling a query of nine rows takes longer than running it."""
    before = {name: spark.conf.get(name) for name in INTERPRETED}
    for name, value in INTERPRETED.items():
        spark.conf.set(name, value)
    yield
    for name, value in before.items():
        spark.conf.set(name, value)


@pytest.fixture(scope="session")
def made_shop(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Shop:
    folder: Path = tmp_path_factory.mktemp("shop")
    spark.sparkContext.setCheckpointDir(str(folder / "checkpoints"))
    return make_shop(spark, folder)


@pytest.fixture(scope="module")
def shop(spark: SparkSession, interpreted: None, made_shop: Shop) -> Iterator[Shop]:
    """Other modules have views of the same names."""
    view_shop(spark, made_shop)
    checkpoints.install()
    yield made_shop
    checkpoints.uninstall()
