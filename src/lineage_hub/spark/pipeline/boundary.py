"""A stage's frame enters and leaves under the stage's name, with a mark in its plan that says where the stage ends.

A statement may call anything by a stage's name (`FROM (SELECT …) AS orders`), so the name alone marks no boundary;
the mark beneath it is a name that no statement writes. Both cost nothing: Spark removes aliases before it plans.
"""

from __future__ import annotations

from pyspark.sql import DataFrame


def mark(stage: str) -> str:
    """What the plan calls the rows of a stage, wherever they are used."""
    return f"lineage-hub stage {stage}"


def hand_on(frame: DataFrame, stage: str) -> DataFrame:
    return frame.alias(mark(stage)).alias(stage)
