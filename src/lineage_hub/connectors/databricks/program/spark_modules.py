"""Names of Spark's, Delta's and Databricks' modules enter; what programs use of them leaves."""

from __future__ import annotations

from lineage_hub.connectors.databricks.program.attributes import attribute
from lineage_hub.connectors.databricks.program.calls import call
from lineage_hub.connectors.databricks.program.columns import FUNCTIONS, TYPES, WINDOW
from lineage_hub.connectors.databricks.program.delta_tables import DeltaTables
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.pipelines import PIPELINES
from lineage_hub.connectors.databricks.program.session import DbUtils, Session, SessionClass
from lineage_hub.connectors.databricks.program.values import PURE, UNKNOWN, Arguments, Library, Method, Native, Value


class FrameClass(Native):
    """The class DataFrame: its functions take the frame first."""

    __slots__ = ()

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        def run(inner: Machine, given: Arguments) -> Value:
            frame = inner.see(given.get(0, "self", UNKNOWN))
            rest = Arguments(given.positional[1:], given.keywords, given.line, given.open)
            return call(inner, attribute(inner, frame, name, line), rest)

        return Method(run)


_SQL = Library(
    "pyspark.sql",
    {
        "SparkSession": SessionClass(),
        "SQLContext": SessionClass(),
        "DataFrame": FrameClass(),
        "functions": FUNCTIONS,
        "types": TYPES,
        "Window": WINDOW,
    },
)
_DELTA = Library("delta.tables", {"DeltaTable": DeltaTables()})
_RUNTIME = Library("databricks.sdk.runtime", {"spark": Session(), "dbutils": DbUtils()})
_MODULES: dict[str, Value] = {
    "dlt": PIPELINES,
    "pyspark.pipelines": PIPELINES,
    "databricks.declarative_pipelines": PIPELINES,
    "pyspark": Library("pyspark", {"pipelines": PIPELINES, "sql": _SQL}),
    "pyspark.sql": _SQL,
    "pyspark.sql.session": _SQL,
    "pyspark.sql.functions": FUNCTIONS,
    "pyspark.sql.types": TYPES,
    "pyspark.sql.window": Library("pyspark.sql.window", {"Window": WINDOW}),
    "databricks.connect": Library("databricks.connect", {"DatabricksSession": SessionClass()}),
    "databricks.sdk.runtime": _RUNTIME,
    "pyspark.dbutils": Library("pyspark.dbutils", {"DBUtils": DbUtils()}),
    "delta.tables": _DELTA,
    "delta": Library("delta", {"tables": _DELTA, "DeltaTable": DeltaTables()}),
}


def spark_module(name: str) -> Value | None:
    if name in _MODULES:
        return _MODULES[name]
    return PURE if name.split(".", maxsplit=1)[0] in ("pyspark", "delta", "databricks") else None
