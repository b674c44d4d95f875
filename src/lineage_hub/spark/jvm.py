"""The full name of a Java class enters; a handle on it leaves, without a question to the JVM.

Of `jvm.org.apache.spark.Thing` py4j asks for each part of the name whether it is a class, and the JVM looks through
all of its jars before it says no: milliseconds for each such name, every time that it is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from py4j.java_gateway import JavaClass  # type: ignore[import-untyped]
from pyspark import SparkContext
from pyspark.sql import SparkSession

HADOOP_PATH = "org.apache.hadoop.fs.Path"
_UTILS = "org.apache.spark.api.python.PythonUtils"


def java_class(spark: SparkSession | SparkContext, name: str) -> Any:
    context: Any = spark.sparkContext if isinstance(spark, SparkSession) else spark
    return JavaClass(name, context._gateway._gateway_client)


def scala_seq(spark: SparkSession, values: Sequence[Any]) -> Any:
    return java_class(spark, _UTILS).toSeq(list(values))


def scala_map(spark: SparkSession, values: Mapping[str, str]) -> Any:
    return java_class(spark, _UTILS).toScalaMap(dict(values))
