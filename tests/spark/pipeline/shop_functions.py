"""Functions that a pipeline may name, for the tests of the step `python`."""

from functools import wraps

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

LIMIT = 3


def double(frame: DataFrame) -> DataFrame:
    return frame.withColumn("amount", sf.col("amount") * 2)


def with_names(rows: DataFrame, customers: DataFrame, spark: SparkSession, prefix: str = "Ms ") -> DataFrame:
    assert spark.version
    return rows.join(customers, "customer").withColumn("name", sf.concat(sf.lit(prefix), sf.col("name")))


def raises(frame: DataFrame) -> DataFrame:
    return frame if not _is_wrong(frame) else frame.limit(1)


def _is_wrong(frame: DataFrame) -> bool:
    raise ValueError("the year has 13 months")  # the line that the error names


def selects_what_is_not_there(frame: DataFrame) -> DataFrame:
    return frame.select("amuont")


def forgets_to_return(frame: DataFrame) -> None:
    frame.count  # noqa: B018


def wants_a_stage(frame: DataFrame, custmers: DataFrame) -> DataFrame:
    return frame.join(custmers, "customer")


def takes_nothing() -> None: ...


def logged(function):  # type: ignore[no-untyped-def]
    @wraps(function)
    def inner(*given, **named):  # type: ignore[no-untyped-def]
        return function(*given, **named)

    return inner


@logged
def wrapped(frame: DataFrame, customers: DataFrame) -> DataFrame:
    return frame.join(customers, "customer", "left_semi")


class Steps:
    @staticmethod
    def first(frame: DataFrame) -> DataFrame:
        return frame.filter("order_id = 1")
