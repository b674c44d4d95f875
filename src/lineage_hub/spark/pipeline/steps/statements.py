"""A query over stages enters, the frame that it describes leaves. Py4J: Spark's parser and the plan of its `WITH`.

Stages become the outermost `WITH` of the statement, as plans, not as text or views: nothing is registered, so stages
that run at the same time can't meet, and a `WITH` of the statement's own wins over a stage of that name.
"""

from __future__ import annotations

from typing import Any

from py4j.java_gateway import is_instance_of  # type: ignore[import-untyped]
from pyspark.sql import DataFrame, SparkSession

from lineage_hub.errors import InvalidStage
from lineage_hub.spark.jvm import java_class, scala_seq
from lineage_hub.spark.pipeline.explained import SparkError, explained
from lineage_hub.spark.pipeline.steps.surroundings import Surroundings

_PLANS = "org.apache.spark.sql.catalyst.plans.logical"
# What writes, changes the session or is a script; Spark would do it as soon as it is asked for the frame.
_NO_QUERY = tuple(f"{_PLANS}.{name}" for name in ("Command", "ParsedStatement", "CompoundPlanStatement"))


def query(frame: DataFrame, text: str, around: Surroundings) -> DataFrame:
    named = {**around.frames, "this": frame}
    try:
        return _framed(around.spark, text, named)
    except SparkError as error:
        columns = dict.fromkeys(name for one in named.values() for name in one.columns)
        raise explained(error, list(columns), list(named)) from error


def _framed(spark: SparkSession, text: str, named: dict[str, DataFrame]) -> DataFrame:
    session: Any = spark._jsparkSession
    plan = session.sessionState().sqlParser().parsePlan(text)
    _check_is_query(spark, plan)
    pair = java_class(spark, "scala.Tuple2")
    relations = scala_seq(spark, [pair(name, _plan_of(frame.alias(name))) for name, frame in named.items()])
    within = java_class(spark, "org.apache.spark.sql.catalyst.plans.logical.UnresolvedWith")(plan, relations, False)
    return DataFrame(java_class(spark, "org.apache.spark.sql.classic.Dataset").ofRows(session, within), spark)


def _plan_of(frame: DataFrame) -> Any:
    return frame._jdf.queryExecution().analyzed()


def _check_is_query(spark: SparkSession, plan: Any) -> None:
    gateway: Any = spark.sparkContext._gateway
    nodes = [plan]
    while nodes:
        node = nodes.pop()
        if any(is_instance_of(gateway, node, kind) for kind in _NO_QUERY):
            name = node.getClass().getSimpleName()
            raise InvalidStage(
                f"the statement is no query ({name})",
                subject=name,
                action="write a SELECT; a stage of kind `load` writes, `spark.conf` sets",
            )
        children = node.children()
        nodes += [children.apply(at) for at in range(children.length())]
