"""A DataFrame or a plan of the JVM enters; its lineage leaves."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from lineage_hub.spark.names import DatasetName
from lineage_hub.spark.plan.leaves import Remembered
from lineage_hub.spark.plan.model import PlanLineage
from lineage_hub.spark.plan.places import SparkPlaces
from lineage_hub.spark.plan.reader import PlanReading, read_plan
from lineage_hub.spark.plan.tree import decode

_NONE: Mapping[str, DatasetName] = MappingProxyType({})


def lineage(df: DataFrame, *, boundaries: Mapping[str, DatasetName] = _NONE) -> PlanLineage:
    """Where the columns of a DataFrame come from, and what a command writes; no job runs for it.

    A name in `boundaries` is a temporary view or an alias that stands for a dataset of its own: nothing beneath it is
    looked at.
    """
    return lineage_of_plan(df._jdf.queryExecution().analyzed(), df.sparkSession, boundaries)


def lineage_of_plan(jplan: Any, spark: SparkSession, boundaries: Mapping[str, DatasetName] = _NONE) -> PlanLineage:
    """The same for a logical plan of the JVM, best an analysed one: an optimised plan has lost names and columns."""
    root = decode(jplan.toJSON())
    return read_plan(root, SparkPlaces(root, jplan, spark), boundaries)


def remembered(df: DataFrame) -> Remembered:
    """The columns of a DataFrame by position, for a plan that goes on from there."""
    jplan = df._jdf.queryExecution().analyzed()
    root = decode(jplan.toJSON())
    reading = PlanReading(SparkPlaces(root, jplan, df.sparkSession), {})
    return Remembered(reading.read(root), tuple(reading.steps), frozenset(reading.reported))
