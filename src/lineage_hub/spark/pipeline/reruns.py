"""A pipeline and what an earlier run finished enter; the loads that a new run leaves as they are leave."""

from collections.abc import Collection

from lineage_hub.spark.pipeline.definition import Pipeline
from lineage_hub.spark.pipeline.graph import downstream


def loads_to_keep(pipeline: Pipeline, from_stage: str | None, finished: Collection[str]) -> set[str]:
    """Loads that stay as they are: those finished before, and with `from_stage` all that don't come after it."""
    loads = {name for name, stage in pipeline.stages.items() if stage.load is not None}
    kept = loads & set(finished)
    if from_stage is not None:
        kept |= loads - downstream(pipeline, from_stage) - {from_stage}
    return kept
