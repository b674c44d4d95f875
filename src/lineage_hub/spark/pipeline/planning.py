"""A pipeline enters; its stages in their order and the lineage to expect leave. Nothing is run and nothing written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pyspark.sql import SparkSession

from lineage_hub.sdk.config import get_config
from lineage_hub.spark.pipeline import graph
from lineage_hub.spark.pipeline.building import MARK, Built, build
from lineage_hub.spark.pipeline.definition import Pipeline
from lineage_hub.spark.pipeline.places import reads_from
from lineage_hub.spark.pipeline.quality import plan_rules
from lineage_hub.spark.pipeline.targets import target_name
from lineage_hub.spark.plan import DatasetName, Origin, lineage
from lineage_hub.spark.telling import of_columns_and_rows


def expected(spark: SparkSession, pipeline: Pipeline) -> dict[str, Any]:
    """As JSON: levels of stages that run at the same time, each stage with its inputs, output and columns, and what
    decides of whole rows: filters, joins and the like.
    """
    namespace = pipeline.namespace or get_config().namespace
    views = {name: DatasetName(namespace, f"{pipeline.name}.{name}") for name in pipeline.stages}
    built: dict[str, Built] = {}
    levels = graph.order(pipeline)
    for name in (name for level in levels for name in level):
        stage = pipeline.stages[name]
        written = _written_before(pipeline, name)
        before = {one: built[one] for one in graph.reads(name, stage)}
        if written is not None:
            built[name] = _of_load(pipeline, name, built[written], written, before)
        else:
            built[name] = build(spark, name, stage, before, views)
    stages = {}
    for name, one in built.items():
        output = target_name(one.stage.load) if one.stage.load is not None else views[name]
        columns, rows = of_columns_and_rows(one.lineage.columns)
        stages[name] = {
            "kind": one.stage.kind,
            "inputs": ["/".join(source.name) for source in one.lineage.inputs],
            "output": "/".join(output),
            "columns": {column: _listed(origins) for column, origins in columns.items()},
            "rows": _listed(rows),
            "opaque": [opaque.reason for opaque in one.lineage.opaque],
        }
    return {"pipeline": pipeline.name, "order": levels, "stages": stages}


def _listed(origins: Iterable[Origin]) -> list[str]:
    return sorted(f"{one.dataset.name}.{one.field} {one.kind}" for one in origins)


def _written_before(pipeline: Pipeline, name: str) -> str | None:
    """The load of this pipeline whose output the stage will read: it isn't there yet."""
    extract = pipeline.stages[name].extract
    if extract is None:
        return None
    loads = ((other, stage.load) for other, stage in pipeline.stages.items() if stage.load is not None)
    return next((other for other, written in loads if reads_from(extract, written)), None)


def _of_load(pipeline: Pipeline, name: str, written: Built, load_name: str, before: Mapping[str, Built]) -> Built:
    stage = pipeline.stages[name]
    target = written.stage.load
    assert target is not None
    frame = written.frame
    return Built(
        name=name,
        stage=stage,
        frame=frame.alias(MARK + name).alias(name),
        checked=frame,
        lineage=lineage(frame, boundaries={MARK + load_name: target_name(target)}),
        rules=plan_rules(name, stage.rules, frame, {other: one.frame for other, one in before.items()}),
    )
