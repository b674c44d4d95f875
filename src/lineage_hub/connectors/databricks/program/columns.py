"""Column expressions."""

from __future__ import annotations

from lineage_hub.connectors.databricks.program.frames import Frame
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.values import PURE, UNKNOWN, Library, Native, Value

FUNCTIONS = Library("pyspark.sql.functions", {}, PURE)
TYPES = Library("pyspark.sql.types", {}, PURE)


def combine_columns(one: Native, other: Value) -> Value:
    return UNKNOWN


def member(machine: Machine, holder: Native, key: Value) -> Value:
    return UNKNOWN


def bound_column(frame: Frame, name: str) -> Value:
    return UNKNOWN
