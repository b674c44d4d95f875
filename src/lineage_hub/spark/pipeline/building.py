"""A stage and the frames before it enter; its own frame, its lineage and its measures leave. No row moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import StringType

from lineage_hub.sdk.warnings import warn_once
from lineage_hub.spark.measured import Measured
from lineage_hub.spark.pipeline import extract, transform
from lineage_hub.spark.pipeline.columns import column, type_of
from lineage_hub.spark.pipeline.definition import Stage
from lineage_hub.spark.pipeline.quality import RulePlan, plan_rules
from lineage_hub.spark.plan import DatasetName, PlanLineage, lineage

MARK = "lineage_hub_stage_"
READ, MALFORMED = "rows_read", "rows_malformed"


@dataclass
class Built:
    """A stage that has not run yet, or is running as part of the loads that read it."""

    name: str
    stage: Stage
    frame: DataFrame
    """What later stages read: without rejected rows, under the stage's name."""
    checked: DataFrame
    """The rows before rules reject any."""
    lineage: PlanLineage
    rules: RulePlan
    extracted: extract.Extracted | None = None
    read: Measured | None = None
    measured: Measured | None = None
    upstream: list[Built] = field(default_factory=list)

    @property
    def can_fail_by_rule(self) -> bool:
        return any(one.severity == "fail" for one in self.stage.rules)

    def all_upstream(self) -> list[Built]:
        """Those whose rows pass through here, sources first, itself last."""
        found: dict[str, Built] = {}
        for one in self.upstream:
            for each in one.all_upstream():
                found.setdefault(each.name, each)
        return [*found.values(), self]


def build(
    spark: SparkSession,
    name: str,
    stage: Stage,
    before: Mapping[str, Built],
    views: Mapping[str, DatasetName],
    partitions: Sequence[str] = (),
) -> Built:
    """`views` names the rows of each stage as a dataset; `partitions` are what the rows are written by, and nothing
    else becomes of them.
    """
    frames = {other: built.frame for other, built in before.items()}
    extracted = read = None
    if stage.extract is not None:
        extracted = extract.read(spark, stage.extract)
        rows = extracted.rows
        if extracted.malformed is not None:
            counts = {READ: fn.count(fn.lit(1)), MALFORMED: fn.count_if(extracted.malformed)}
            read = Measured(f"{name} read", rows, counts)
            rows = read.frame
        frame = extracted.good(rows)
    elif stage.transform is not None:
        frame = transform.apply(stage.transform, frames, spark)
    else:
        assert stage.load is not None
        frame = frames[stage.load.from_]
    rules = plan_rules(name, stage.rules, frame, frames)
    told = rules.keep(frame)
    measured = Measured(f"{name} rules", _in_order(frame, rules, partitions), rules.measures) if stage.rules else None
    kept = rules.keep(measured.frame) if measured is not None else told
    boundaries = {MARK + other: view for other, view in views.items()}
    return Built(
        name=name,
        stage=stage,
        frame=kept.alias(MARK + name).alias(name),
        checked=frame,
        lineage=_told(told, boundaries),
        rules=rules,
        extracted=extracted,
        read=read,
        measured=measured,
        upstream=list(before.values()),
    )


def _in_order(frame: DataFrame, rules: RulePlan, partitions: Sequence[str]) -> DataFrame:
    """Rows are written by partition, for which Spark sorts them. Sorted before they are measured, the code that it
    generates for what makes the rows and for the sort stays one piece; measured before, it is two, and rows pass
    between them one by one.
    """
    # Spark writes an empty text as null, and doesn't see that texts are sorted by then: it would sort them twice.
    if not partitions or rules.reorders or any(_is_text(frame, one) for one in partitions):
        return frame
    return frame.sortWithinPartitions(*map(column, partitions))


def _is_text(frame: DataFrame, name: str) -> bool:
    """So is a column that isn't there: the load says that it is missing."""
    return name not in frame.columns or isinstance(type_of(frame, name), StringType)


def _told(frame: DataFrame, boundaries: Mapping[str, DatasetName]) -> PlanLineage:
    """A plan that can't be read costs its lineage, never the run."""
    try:
        return lineage(frame, boundaries=boundaries)
    except Exception as error:
        warn_once(f"plan {type(error).__name__}", "a plan can't be read: %s", error)
        return PlanLineage(unknown=(f"{type(error).__name__}: {error}",))
