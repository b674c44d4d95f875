"""A pipeline's file and parameters enter; all that is wrong with it leaves, and all that can't be promised."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from lineage_hub.errors import InvalidPipeline, Problem
from lineage_hub.spark.pipeline.definition import Pipeline
from lineage_hub.spark.pipeline.load.promise import promise
from lineage_hub.spark.pipeline.parameter_values import declaration
from lineage_hub.spark.pipeline.parameters import resolve
from lineage_hub.spark.pipeline.reading import review_pipeline


def problems_of(file: Path, parameters: Mapping[str, str]) -> list[Problem]:
    review = review_pipeline(file)
    found = list(review.problems)
    if review.errors or review.pipeline is None:
        return found
    pipeline = review.pipeline
    if parameters or not _needs_values(pipeline):
        try:
            pipeline = resolve(pipeline, parameters, os.environ)
        except InvalidPipeline as error:
            return [*found, *error.problems]
    return [*found, *_promises(pipeline)]


def _needs_values(pipeline: Pipeline) -> bool:
    return any(declaration(one).default is None for one in pipeline.parameters.values())


def _promises(pipeline: Pipeline) -> list[Problem]:
    loads = {name: stage.load for name, stage in pipeline.stages.items() if stage.load is not None}
    said = {name: promise(load) for name, load in loads.items()}
    return [Problem("warning", says, stage=name, where=f"stage {name}") for name, says in said.items() if says]
