"""Stand-ins for modules that a notebook imports: Spark's own, and those that ask the clock or another system.

A session, a pipeline and `dbutils` come in; modules by name go out.
"""

from __future__ import annotations

import datetime
import json
import time
import types
from collections.abc import Callable
from typing import Any

import yaml

from tests.connectors.databricks.fake_databricks import Builder, DeltaTable, Pipeline, Session
from tests.connectors.databricks.fake_spark import Frame, Inert
from tests.connectors.databricks.unknowable import Unknown, is_tainted

FUNCTIONS = [
    "abs", "approx_count_distinct", "avg", "array", "coalesce", "col", "collect_list", "concat", "concat_ws",
    "count", "countDistinct", "current_date", "current_timestamp", "date_format", "date_sub", "date_trunc",
    "dayofmonth", "desc", "element_at", "explode", "expr", "first", "from_json", "from_unixtime",
    "get_json_object", "greatest", "hash", "hour", "input_file_name", "last", "lead", "lit", "lag", "lower",
    "max", "md5", "min", "month", "monotonically_increasing_id", "percentile_approx", "posexplode", "rank",
    "regexp_extract", "regexp_replace", "round", "row_number", "schema_of_json", "sha2", "split", "size",
    "stddev", "struct", "substring", "sum", "to_date", "to_json", "to_timestamp", "trim", "udf", "unbase64",
    "unix_timestamp", "upper", "when", "window", "year", "pandas_udf", "session_window", "broadcast", "rand",
    "date_add", "datediff", "map_from_entries", "array_distinct",
]  # fmt: skip
STRUCTURES = ["StructType", "StructField", "StringType", "IntegerType", "LongType", "DoubleType", "TimestampType"]


class Clock:
    """`datetime.datetime` and `datetime.date`, but no one knows what time it is."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        if name in {"now", "utcnow", "today"}:
            return lambda *args: Unknown(f"{name}")
        return getattr(self._real, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._real(*args, **kwargs)


def _module(name: str, **members: Any) -> types.ModuleType:
    module = types.ModuleType(name)
    module.__dict__.update(members)
    return module


class Anything(types.ModuleType):
    """A module whose every member is inert."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (Inert,), {}) if name[0].isupper() else Inert()


class Elsewhere(types.ModuleType):
    """A module that asks another system: what it gives can't be known."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown(f"{self.__name__}.{name}")


def _strftime(form: str, *when: Any) -> str:
    return time.strftime(form, *when) if when else Unknown("time")


def make_modules(session: Session, pipeline: Pipeline, dbutils: Any) -> dict[str, types.ModuleType]:
    functions = _module("functions", **{name: Inert() for name in FUNCTIONS}, __all__=FUNCTIONS)
    functions.broadcast = lambda frame: frame  # type: ignore[attr-defined]
    functions.__getattr__ = lambda name: Inert()  # type: ignore[method-assign]
    kinds = Anything("types")
    kinds.__all__ = STRUCTURES  # type: ignore[attr-defined]
    kinds.__dict__.update({name: type(name, (Inert,), {}) for name in STRUCTURES})
    starter = type("SparkSession", (), {"builder": Builder(session), "getActiveSession": staticmethod(lambda: session)})
    window = _module("window", Window=Inert())
    pipelines = pipeline.module("pipelines")

    def parse(read: Callable[[Any], Any]) -> Callable[..., Any]:
        return lambda text, *rest, **more: Unknown("parsed") if is_tainted(text) else read(text)

    sql = _module(
        "sql",
        SparkSession=starter,
        DataFrame=Frame,
        functions=functions,
        types=kinds,
        Window=Inert(),
        Column=Inert,
        Row=Inert,
    )
    pyspark = _module("pyspark", sql=sql, pipelines=pipelines, SparkConf=Inert, SparkContext=Inert, __path__=[])
    runtime = _module("runtime", spark=session, dbutils=dbutils)
    clock = _module(
        "datetime", datetime=Clock(datetime.datetime), date=Clock(datetime.date), timedelta=datetime.timedelta,
        timezone=datetime.timezone, UTC=datetime.UTC,
    )  # fmt: skip
    return {
        "dlt": pipeline.module("dlt"),
        "pyspark": pyspark,
        "pyspark.sql": sql,
        "pyspark.sql.functions": functions,
        "pyspark.sql.types": kinds,
        "pyspark.sql.window": window,
        "pyspark.sql.streaming": Anything("streaming"),
        "pyspark.sql.avro": Anything("avro"),
        "pyspark.sql.avro.functions": Anything("functions"),
        "pyspark.sql.protobuf": Anything("protobuf"),
        "pyspark.sql.protobuf.functions": Anything("functions"),
        "pyspark.pipelines": pipelines,
        "pyspark.dbutils": _module("dbutils", DBUtils=lambda spark: dbutils),
        "delta": _module("delta", DeltaTable=DeltaTable, __path__=[]),
        "delta.tables": _module("tables", DeltaTable=DeltaTable),
        "databricks": _module("databricks", __path__=[]),
        "databricks.sdk": Elsewhere("sdk"),
        "databricks.sdk.runtime": runtime,
        "datetime": clock,
        "json": _module("json", load=parse(json.load), loads=parse(json.loads), dumps=json.dumps),
        "time": _module(
            "time", **vars(time) | {"time": lambda: Unknown("time"), "strftime": _strftime, "sleep": lambda s: None}
        ),
        "yaml": _module("yaml", safe_load=parse(yaml.safe_load), load=parse(yaml.safe_load)),
        **{
            name: Elsewhere(name)
            for name in ["requests", "boto3", "uuid", "mlflow", "confluent_kafka", "pandas", "argparse"]
        },
    }
