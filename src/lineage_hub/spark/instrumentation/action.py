"""What a program is about to do enters, as its plan; the name and the facets of the run that tells of it leave."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lineage_hub.sdk.said import facet
from lineage_hub.spark import telling
from lineage_hub.spark.jobs import JobMetrics
from lineage_hub.spark.plan import PlanLineage, Target

# Statements that make connections may hold what nobody else should read.
_SECRET = re.compile(r"(?i)passw|secret|token|credential|access.?key|account.?key")
# OpenLineage has no word for rows that are added.
_CHANGES = ("ALTER", "CREATE", "DROP", "OVERWRITE", "RENAME", "TRUNCATE")


@dataclass(frozen=True, slots=True)
class Action:
    """`subject` is what its job is named for: a table, a folder, a topic."""

    operation: str
    subject: str
    lineage: PlanLineage = field(default_factory=PlanLineage)
    sql: str = ""
    is_stream: bool = False

    def job_name(self, application: str) -> str:
        return ".".join(part for part in (application, self.operation, self.subject) if part)

    def job_facets(self) -> dict[str, Any]:
        kind = "STREAMING" if self.is_stream else "BATCH"
        told = {"jobType": facet("2-0-3/JobTypeJobFacet", processingType=kind, integration="SPARK", jobType="SQL_JOB")}
        if self.sql and not _SECRET.search(self.sql):
            told["sql"] = facet("1-1-0/SQLJobFacet", query=self.sql, dialect="spark")
        return told


def output_facets(target: Target, lineage: PlanLineage) -> dict[str, Any]:
    """What is known before anything has happened."""
    told = telling.target_facets(target.name, target.fields, target.symlinks)
    if not target.fields:
        del told["schema"]
    return {**told, **telling.column_facet(target.columns, lineage.opaque)}


def lifecycle_facet(target: Target) -> dict[str, Any]:
    """What has become of it."""
    if target.lifecycle not in _CHANGES:
        return {}
    told: dict[str, Any] = {"lifecycleStateChange": target.lifecycle}
    if target.previous is not None:
        told["previousIdentifier"] = {"name": target.previous.name, "namespace": target.previous.namespace}
    return {"lifecycleStateChange": facet("1-0-1/LifecycleStateChangeDatasetFacet", **told)}


def statistics_facet(jobs: Sequence[JobMetrics]) -> dict[str, Any]:
    """What Spark's tasks say that they wrote; not every format counts, and what isn't counted isn't none."""
    stages = [stage for job in jobs for stage in job.stages if stage.state == "COMPLETE"]
    rows, size = sum(one.records_out for one in stages), sum(one.bytes_out for one in stages)
    if not rows and not size:
        return {}
    told = {"rowCount": rows, **({"size": size} if size else {})}
    return {"outputStatistics": facet("1-0-2/OutputStatisticsOutputDatasetFacet", **told)}


def subject_of(target: Target) -> str:
    """A table by its name, files by the end of their path: short enough to read, long enough to tell two apart."""
    name = next((link.name.name for link in target.symlinks if link.type == "TABLE"), target.name.name)
    return subject_of_path(name) if "/" in name else name


def subject_of_path(path: str) -> str:
    """Partitions differ from run to run, the job doesn't."""
    parts = [part for part in path.split("/") if part and not part.endswith(":")]
    while len(parts) > 1 and "=" in parts[-1]:
        parts.pop()
    return "/".join(parts[-2:])
