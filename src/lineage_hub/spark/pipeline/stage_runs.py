"""What becomes of one stage enters; its OpenLineage run, its spans and its line of the status leave.

Nothing here may harm the pipeline: what can't be told is warned of once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from lineage_hub.sdk.runs import Run
from lineage_hub.sdk.said import facet
from lineage_hub.sdk.spans import Metric, Span
from lineage_hub.sdk.warnings import warn_once
from lineage_hub.spark import telling
from lineage_hub.spark.jobs import JobMetrics, JobStore
from lineage_hub.spark.pipeline.building import Built
from lineage_hub.spark.pipeline.evolution import Change
from lineage_hub.spark.pipeline.quality import RuleResult
from lineage_hub.spark.pipeline.quality.facets import quality_facets
from lineage_hub.spark.pipeline.spans import job_spans, run_span, stage_metrics
from lineage_hub.spark.pipeline.status import Board, RuleStatus, State
from lineage_hub.spark.plan import DatasetName, Field

Tell = Callable[[Span | Metric], None]


@dataclass
class Counted:
    """What is known of a stage's rows when it has ended."""

    rows: int | None = None
    rejected: int = 0
    bytes: int | None = None
    files: int | None = None


class StageRun:
    """One stage of one run of a pipeline."""

    def __init__(self, name: str, kind: str, run: Run, board: Board, tell: Tell) -> None:
        self.name, self.run, self._kind = name, run, kind
        self._board, self._tell = board, tell
        self._started_ns = time.time_ns()
        self._lock = threading.Lock()
        self._output: DatasetName | None = None
        self.counted = Counted()
        self.results: list[RuleResult] = []

    def start(self) -> None:
        self._quietly(self.run.begin_trace)
        self._quietly(self.run.start)
        self._board.begin_stage(self.name, self.run.id)

    def tell_lineage(self, built: Built, output: DatasetName, fields: Sequence[Field], *, is_view: bool) -> None:
        """What it reads, and the dataset that it makes."""
        self._output = output
        self._quietly(lambda: self._add_lineage(built, output, fields, is_view=is_view))

    def _add_lineage(self, built: Built, output: DatasetName, fields: Sequence[Field], *, is_view: bool) -> None:
        for source in built.lineage.inputs:
            facets = telling.view_facets(source.fields) if source.format == "view" else telling.source_facets(source)
            self.run.put("inputs", source.name, facets)
        made = telling.view_facets(fields) if is_view else telling.target_facets(output, fields)
        self.run.put("outputs", output, {**made, **telling.column_facet(built.lineage.columns, built.lineage.opaque)})
        if built.lineage.unknown:
            self.run.add_facet("lineageHub_unknownOperators", {"operators": list(built.lineage.unknown)})
        self.run.update()

    def tell_changes(self, changes: Sequence[Change]) -> None:
        if changes:
            self._board.tell(self.name, changes=[str(one) for one in changes])
            self._quietly(
                lambda: self.run.add_facet(
                    "lineageHub_schemaChanges",
                    {"changes": [{"kind": one.kind, "column": one.path, "says": str(one)} for one in changes]},
                )
            )

    def tell_results(self, results: Sequence[RuleResult]) -> None:
        self.results = list(results)
        told = [RuleStatus(one.name, one.severity, one.passed, one.broken, one.says) for one in results]
        self._board.tell(self.name, rules=told)

    def end(self, store: JobStore, group: str, error: BaseException | None = None, state: State | None = None) -> None:
        """Once; `state` says how a stage ends that did nothing wrong itself."""
        with self._lock:
            if self.run.ended:
                return
            self._quietly(lambda: self._add_figures(store.of_group(group), error))
            self._quietly(lambda: self.run.end(error))
        ended: State = state or ("COMPLETE" if error is None else "FAIL" if isinstance(error, Exception) else "ABORT")
        says = "" if error is None else str(error) or type(error).__name__
        counted = self.counted
        self._board.end_stage(self.name, ended, says, rows=counted.rows, rejected=counted.rejected, bytes=counted.bytes)

    def _add_figures(self, jobs: Sequence[JobMetrics], error: BaseException | None) -> None:
        counted = self.counted
        if self._output is not None:
            self.run.put("outputs", self._output, {**_statistics(counted), **quality_facets(self.results)})
        for span in job_spans(self.run, jobs):
            self._tell(span)
        self._tell(
            run_span(
                self.run, self._kind, self._started_ns, error,
                **{"pipeline.stage": self.name, "records.processed": counted.rows,
                   "records.rejected": counted.rejected, "bytes.written": counted.bytes},
            )
        )  # fmt: skip
        figures: dict[str, float | None] = {
            "records.processed": counted.rows, "records.rejected": counted.rejected, "bytes.written": counted.bytes,
        }  # fmt: skip
        for metric in stage_metrics(self.run, self._started_ns, figures):
            self._tell(metric)

    def _quietly(self, tell: Callable[[], Any]) -> None:
        try:
            tell()
        except Exception as error:
            warn_once(f"stage {type(error).__name__}", "a stage can't be told of as it should be: %s", error)


def _statistics(counted: Counted) -> dict[str, Any]:
    found = {"rowCount": counted.rows, "size": counted.bytes, "fileCount": counted.files}
    told = {name: value for name, value in found.items() if value is not None}
    return {"outputStatistics": facet("1-0-2/OutputStatisticsOutputDatasetFacet", **told)} if told else {}
