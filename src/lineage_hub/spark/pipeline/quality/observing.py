"""A session enters; it leaves so set that what is observed of rows is told in the end, also of rows that all go away.

When Spark finds while it runs that a part of a query gives no rows, it drops that part from the plan, and with it
what was observed there: of a stage whose rows were all rejected nothing would be known, and who asks would wait for
ever. The rules that do so are left out; they only spare work for queries that have no rows anyway.
"""

from __future__ import annotations

from pyspark.sql import SparkSession

_DROPPING = {
    "spark.sql.adaptive.optimizer.excludedRules": ("org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation"),
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.PropagateEmptyRelation",
}


def keep_observations(spark: SparkSession) -> None:
    """Rules that the session leaves out already stay out."""
    for setting, rule in _DROPPING.items():
        left_out = [one.strip() for one in (spark.conf.get(setting, "") or "").split(",") if one.strip()]
        if rule not in left_out:
            spark.conf.set(setting, ",".join([*left_out, rule]))
