"""A pipeline's file and parameters enter; what a run is to do leaves, checked as far as can be without Spark."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

from lineage_hub.errors import InvalidRequest
from lineage_hub.sdk.config import get_config
from lineage_hub.sdk.run_ids import new_run_id
from lineage_hub.spark.pipeline.definition import Pipeline
from lineage_hub.spark.pipeline.parameters import resolve
from lineage_hub.spark.pipeline.reading import read_pipeline
from lineage_hub.spark.pipeline.run_folder import Asked


def ask(
    file: Path,
    parameters: Mapping[str, str],
    *,
    master: str | None = None,
    from_stage: str | None = None,
    continues: str | None = None,
) -> tuple[Asked, Pipeline, str]:
    """With the pipeline as it will run, and the namespace of its jobs."""
    pipeline = resolve(read_pipeline(file), parameters, os.environ)
    if from_stage is not None and from_stage not in pipeline.stages:
        raise InvalidRequest(
            f"there is no stage {from_stage!r}", subject=from_stage, action=f"use {', '.join(pipeline.stages)}"
        )
    asked = Asked(
        run_id=new_run_id().decode(),
        pipeline=pipeline.name,
        definition=file.read_text(),
        parameters=dict(parameters),
        master=master,
        from_stage=from_stage,
        continues=continues,
        folder=str(Path.cwd()),
        asked_at=time.time(),
    )
    return asked, pipeline, pipeline.namespace or get_config().namespace
