"""An error and the stage that met it enter; the stage whose fault it is leaves, and what a person should read first."""

from __future__ import annotations

from pyspark.errors import PySparkException

from lineage_hub.errors import RuleBroken
from lineage_hub.spark.failures import SPARK_ERRORS, cause_of
from lineage_hub.spark.pipeline.building import Built


def guilty(built: Built | None, name: str, error: Exception) -> tuple[str, Exception]:
    """The stage whose rule is broken, or the first whose rows alone can't be made, with its own error; else itself."""
    if isinstance(error, RuleBroken):
        return error.subject or name, error
    is_from_spark = isinstance(error, PySparkException) or isinstance(error.__cause__, PySparkException)
    if built is None or not is_from_spark:
        return name, error
    for one in built.all_upstream()[:-1]:
        try:
            one.frame.write.format("noop").mode("overwrite").save()
        except Exception as own:
            return one.name, own
    return name, error


def essence(error: Exception) -> str:
    """What a person reads first: of a traceback its last line, of what Spark says the cause."""
    text = str(error).strip() or type(error).__name__
    if "Traceback (most recent call last)" in text:
        return text.splitlines()[-1]
    return cause_of(error) if isinstance(error, SPARK_ERRORS) else text
