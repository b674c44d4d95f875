"""The frames of earlier stages and the steps of a transform enter; the one frame that they make leaves, not yet run.

The steps stand in one table, `steps.STEPS`. What Spark says against a step becomes an error that names the step.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession

from lineage_hub.errors import LineageHubError
from lineage_hub.spark.pipeline.definition import Step, Transform
from lineage_hub.spark.pipeline.explained import SparkError, explained
from lineage_hub.spark.pipeline.steps import STEPS
from lineage_hub.spark.pipeline.steps.surroundings import Surroundings


def apply(transform: Transform, frames: Mapping[str, DataFrame], spark: SparkSession) -> DataFrame:
    """`frames` are the stages that it reads, by name; the steps begin with the first of `from`."""
    first = transform.from_[0]
    around = Surroundings(first, dict(frames), spark)
    frame = frames[first]
    for number, step in enumerate(transform.steps, start=1):
        frame = _applied(step, number, frame, around)
    return frame


def _applied(step: Step, number: int, frame: DataFrame, around: Surroundings) -> DataFrame:
    try:
        return STEPS[step.kind](frame, getattr(step, step.kind), around)
    except LineageHubError as error:
        raise _of_step(step, number, error) from error.__cause__
    except SparkError as error:
        raise _of_step(step, number, explained(error, frame.columns, list(around.frames))) from error


def _of_step(step: Step, number: int, error: LineageHubError) -> LineageHubError:
    message = f"step {number} ({step.kind}): {error.message}"
    return type(error)(message, subject=error.subject, action=error.action)
