"""A load stage's rows enter; they are staged, and then published in one step that readers see all or nothing of."""

from pyspark.sql import DataFrame, SparkSession

from lineage_hub.spark.pipeline.definition import Load
from lineage_hub.spark.pipeline.load.delta import prepare_delta
from lineage_hub.spark.pipeline.load.files import prepare_files
from lineage_hub.spark.pipeline.load.jdbc import prepare_jdbc
from lineage_hub.spark.pipeline.load.promise import promise
from lineage_hub.spark.pipeline.load.staged import Published, Staged

__all__ = ["Published", "Staged", "prepare", "promise"]


def prepare(spark: SparkSession, frame: DataFrame, load: Load, token: str, *, checked: bool) -> Staged:
    """Writes where no reader looks. `checked`: something may still forbid the load, and nothing is committed yet."""
    if load.format == "delta":
        return prepare_delta(spark, frame, load, token, checked)
    if load.format == "jdbc":
        return prepare_jdbc(spark, frame, load, token)
    return prepare_files(spark, frame, load, token)
