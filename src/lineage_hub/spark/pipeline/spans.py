"""The runs of a pipeline and what Spark counted of their jobs enter; the spans and metrics of one trace leave."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from lineage_hub.sdk.runs import Run
from lineage_hub.sdk.spans import Metric, Span, SpanEvent, Status
from lineage_hub.sdk.telemetry import exception_event
from lineage_hub.sdk.trace_context import new_span_id
from lineage_hub.spark.jobs import JobMetrics, StageMetrics

RUN_ID = "pipeline.run_id"
SERVICE = "lineage-hub-pipeline"
Tell = Callable[[Span | Metric], None]


def run_span(run: Run, kind: str, started_ns: int, error: BaseException | None, **attributes: Any) -> Span:
    """Of the pipeline or of a stage. Its span is the one that the run's events name."""
    trace = run.begin_trace()
    parent = run.parent.begin_trace().span_id if run.parent is not None else ""
    ended_ns = max(time.time_ns(), started_ns)
    events: tuple[SpanEvent, ...] = (exception_event(error, ended_ns),) if error is not None else ()
    status: Status = "OK" if error is None else "ERROR"
    return Span(
        name=run.name,
        start_ns=started_ns,
        end_ns=ended_ns,
        trace_id=trace.trace_id,
        span_id=trace.span_id,
        parent_span_id=parent,
        status=status,
        message=str(events[0].attributes["exception.message"]) if events else "",
        service_name=SERVICE,
        namespace=run.namespace,
        attributes={
            RUN_ID: run.root.id,
            "openlineage.run_id": run.id,
            "openlineage.job": run.name,
            "lineage_hub.kind": kind,
            **{name: value for name, value in attributes.items() if value is not None},
        },
        events=events,
    )


def job_spans(run: Run, jobs: Iterable[JobMetrics]) -> Iterator[Span]:
    """Under a stage of the pipeline its Spark jobs, under a job its stages."""
    trace = run.begin_trace()
    now = time.time_ns()

    def span(
        name: str, parent: str, started_ns: int, ended_ns: int, failed: bool, message: str, attributes: dict[str, Any]
    ) -> Span:
        start = started_ns or now
        return Span(
            name=name,
            start_ns=start,
            end_ns=max(ended_ns or now, start),
            trace_id=trace.trace_id,
            span_id=new_span_id(),
            parent_span_id=parent,
            status="ERROR" if failed else "OK",
            message=message,
            service_name=SERVICE,
            namespace=run.namespace,
            attributes={RUN_ID: run.root.id, "openlineage.run_id": run.id, **attributes},
        )

    for job in jobs:
        told = span(
            f"spark job {job.id}", trace.span_id, job.started_ns, job.ended_ns, job.state == "FAILED", "",
            {"spark.job.id": job.id, "spark.job.name": job.name},
        )  # fmt: skip
        yield told
        for stage in job.stages:
            yield span(
                f"spark stage {stage.id}", told.span_id, stage.started_ns, stage.ended_ns,
                stage.state == "FAILED", stage.failure, _stage_attributes(stage),
            )  # fmt: skip


def _stage_attributes(stage: StageMetrics) -> dict[str, Any]:
    return {
        "spark.stage.id": stage.id,
        "spark.stage.attempt": stage.attempt,
        "spark.stage.name": stage.name,
        "spark.tasks": stage.tasks,
        "spark.records.in": stage.records_in,
        "spark.bytes.in": stage.bytes_in,
        "spark.records.out": stage.records_out,
        "spark.bytes.out": stage.bytes_out,
        "spark.shuffle.read_bytes": stage.shuffle_read,
        "spark.shuffle.written_bytes": stage.shuffle_written,
        "spark.spill.bytes": stage.spilled,
        "spark.executor.cpu_ns": stage.cpu_ns,
        "spark.executor.gc_ms": stage.gc_ms,
        "spark.memory.peak_bytes": stage.peak_memory,
        "spark.tasks.skew": round(stage.times.skew, 3),
    }


def stage_metrics(run: Run, started_ns: int, found: Mapping[str, float | None]) -> Iterator[Metric]:
    """Records processed and rejected, bytes and duration, for each stage."""
    units = {"records.processed": "{record}", "records.rejected": "{record}", "bytes.written": "By"}
    now = time.time_ns()
    told = {"pipeline.stage": run.name, RUN_ID: run.root.id}
    for name, value in found.items():
        if value is not None:
            yield Metric(
                name=f"pipeline.{name}", value=value, kind="counter", unit=units[name], time_ns=now,
                start_ns=started_ns, service_name=SERVICE, namespace=run.namespace, attributes=told,
            )  # fmt: skip
    yield Metric(
        name="pipeline.duration", value=max(0, now - started_ns) / 1e9, unit="s", time_ns=now,
        service_name=SERVICE, namespace=run.namespace, attributes=told,
    )  # fmt: skip
