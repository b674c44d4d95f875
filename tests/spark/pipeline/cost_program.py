"""Runs one read with and without rules, each under a job group of its own; Spark's event log says what each did.

Arguments: the folder of the orders, that of the customers, and the one for the event log.
"""

import sys

from pyspark.sql import Observation, SparkSession

from lineage_hub.spark.pipeline.definition import Rule
from lineage_hub.spark.pipeline.quality import plan_rules

OBSERVABLE = [
    {"not_null": ["id", "status"]},
    {"accepted_values": {"column": "status", "values": ["new", "paid"]}},
    {"range": {"column": "amount", "min": 0}},
    {"regex": {"column": "status", "pattern": "[a-z]+"}},
    {"row_count": {"min": 1}},
    {"row_count_change": {"max_drop": 0.5}},
    {"freshness": {"column": "at", "within": "1d"}},
    {"expression": "amount < 1000"},
]
OTHERS = [
    {"unique": "id"},
    {"unique": ["customer", "at"]},
    {"referential": {"column": "customer", "to": "customers.c"}},
    {"referential": {"column": "payer", "to": "customers.c"}},
]


def main(orders: str, customers: str, log: str) -> None:
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.memory", "1g")
        .config("spark.eventLog.enabled", "true")
        .config("spark.eventLog.compress", "false")
        .config("spark.eventLog.rolling.enabled", "false")
        .config("spark.eventLog.dir", f"file://{log}")
        .getOrCreate()
    )
    frame, lookup = spark.read.parquet(orders), spark.read.parquet(customers)
    kinds = {next(iter(rule)): [rule] for rule in OBSERVABLE}
    quarantine = [{**rule, "severity": "quarantine"} for rule in OBSERVABLE if "expression" in rule or "range" in rule]
    wanted = {"bare": [], **kinds, "all": OBSERVABLE, "quarantine": quarantine, "sets": OTHERS}
    for name, given in wanted.items():
        plan = plan_rules("orders", [Rule.model_validate(one) for one in given], frame, {"customers": lookup})
        rows = frame.observe(Observation(), *(measure.alias(key) for key, measure in plan.measures.items()))
        spark.sparkContext.setJobGroup(name, name)
        plan.keep(rows if name != "bare" else frame).write.format("noop").mode("overwrite").save()
        spark.sparkContext.setJobGroup(f"{name} later", name)
        print(plan.later(frame))
    for name, key in {"numbers": "id", "repeated numbers": "customer"}.items():
        plan = plan_rules("orders", [Rule.model_validate({"unique": key})], frame, {})
        spark.sparkContext.setJobGroup(name, name)
        print(plan.later(frame, twice=True))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
