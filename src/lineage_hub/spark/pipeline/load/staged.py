"""The words that all formats share: a load that is staged enters, and one that is published leaves."""

import hashlib
from dataclasses import dataclass
from typing import Protocol

from pyspark.sql import DataFrame, SparkSession

from lineage_hub.errors import LineageHubError, TargetUnwritable
from lineage_hub.spark.failures import advice_for, cause_of, is_full
from lineage_hub.spark.jvm import java_class
from lineage_hub.spark.pipeline.definition import Load


@dataclass(frozen=True)
class Published:
    """What was written, as far as the format tells; of a repeated load nothing was."""

    bytes: int | None = None
    files: int | None = None
    version: int | None = None


class Staged(Protocol):
    """Rows that are written where no reader looks."""

    def rows(self, spark: SparkSession) -> DataFrame:
        """The rows of this load, read back."""

    def publish(self) -> Published:
        """Makes them visible, all at once; doing it twice does it once."""

    def discard(self) -> None:
        """Leaves the target as it was."""


def short(token: str) -> str:
    """A token as a part of a file's or a table's name."""
    return hashlib.sha256(token.encode()).hexdigest()[:12]


def unwritable(spark: SparkSession, load: Load, error: BaseException) -> LineageHubError:
    """What went wrong while writing, as ours; ours stay."""
    if isinstance(error, LineageHubError):
        return error
    if is_full(error):
        # Spark leaves a file open that it couldn't write; its space is free when that has been noticed.
        java_class(spark, "java.lang.System").gc()
    place = load.table or load.path
    return TargetUnwritable(
        f"{place} can't be written: {cause_of(error)}",
        subject=place,
        action=advice_for(error, "check the place, the right to write there and the types of the columns"),
    )
