"""What a step may use beside the rows it changes: the frames that its transform reads, and the session."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`first` is the stage that the steps began with."""

    first: str
    frames: dict[str, DataFrame]
    spark: SparkSession
