"""Questions about how pipelines went and what metrics say enter as GET requests; figures leave.

Each route reads its parameters and asks `query/telemetry` in a worker thread.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from lineage_hub.model import EVERYTHING, Scope
from lineage_hub.query.telemetry import analytics
from lineage_hub.query.telemetry.analytics import RunsQuestion
from lineage_hub.query.telemetry.asking import Answer, Telemetry
from lineage_hub.query.telemetry.metric_series import SeriesQuestion, metric_names, metric_series
from lineage_hub.query.telemetry.resources import resources
from lineage_hub.server.read_routes import Limit, Name, Offset
from lineage_hub.server.telemetry_routes import Having, Service, Window, ask, pairs

router = APIRouter(prefix="/api/v1")
ANALYTICS: list[str | Enum] = ["Analytics"]
Step = Annotated[int, Query(ge=1, le=10_000_000, description="Seconds of a step.")]


async def runs_question(
    within: Window,
    pipeline: Annotated[str | None, Query(description="Name of the pipeline: of the outermost job.")] = None,
    stage: Annotated[str | None, Query(description="Name of a stage: of a job below it.")] = None,
    namespace: Annotated[str | None, Query(description="The tenant.")] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> RunsQuestion:
    return RunsQuestion(*within, 3600, pipeline, stage, namespace, limit, offset)


Asked = Annotated[RunsQuestion, Depends(runs_question)]


async def _tell(
    request: Request, asked: RunsQuestion, question: Callable[[Telemetry, Scope, RunsQuestion], Answer]
) -> Response:
    return await ask(request, lambda store: question(store, EVERYTHING, asked))


@router.get("/analytics/success", summary="Show how many runs succeed, over time", tags=ANALYTICS)
async def get_success(request: Request, within: Window, asked: Asked, step: Step = 3600) -> Response:
    """Of whole pipelines; with `stage` of that stage."""
    asked = RunsQuestion(*within, step, asked.pipeline, asked.stage or "", asked.namespace)
    return await _tell(request, asked, analytics.success)


@router.get("/analytics/durations", summary="Show how long runs take, by pipeline and stage", tags=ANALYTICS)
async def get_durations(request: Request, asked: Asked) -> Response:
    return await _tell(request, asked, analytics.durations)


@router.get("/analytics/durations/steps", summary="Show how long runs take, over time", tags=ANALYTICS)
async def get_duration_steps(request: Request, within: Window, asked: Asked, step: Step = 3600) -> Response:
    """Of whole pipelines; with `stage` of that stage."""
    asked = RunsQuestion(*within, step, asked.pipeline, asked.stage or "", asked.namespace)
    return await _tell(request, asked, analytics.durations_over_time)


@router.get("/analytics/errors", summary="Show how often runs fail, by pipeline and stage", tags=ANALYTICS)
async def get_errors(request: Request, asked: Asked) -> Response:
    return await _tell(request, asked, analytics.errors)


@router.get("/analytics/records", summary="Show how many records are written, over time", tags=ANALYTICS)
async def get_records(request: Request, within: Window, asked: Asked, step: Step = 3600) -> Response:
    asked = RunsQuestion(
        *within, step, asked.pipeline, asked.stage, asked.namespace, limit=asked.limit, offset=asked.offset
    )
    return await _tell(request, asked, analytics.records)


@router.get("/analytics/resources", summary="Show what pipelines and services use of machines", tags=ANALYTICS)
async def get_resources(request: Request, asked: Asked) -> Response:
    return await _tell(request, asked, resources)


@router.get("/telemetry/metrics", summary="List metrics with their kinds and units", tags=ANALYTICS)
async def list_metrics(
    request: Request,
    within: Window,
    prefix: Annotated[str, Query(description="What their names begin with.")] = "",
    service: Service = None,
    attribute: Having = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    asked = SeriesQuestion(prefix, *within, 60, service, pairs(attribute), (), limit, offset)
    return await ask(request, lambda store: metric_names(store, EVERYTHING, asked))


@router.get("/telemetry/metrics/{name:name}", summary="Show a metric over time", tags=ANALYTICS)
async def get_metric(
    request: Request,
    name: Name,
    within: Window,
    step: Annotated[int | None, Query(ge=1, le=10_000_000, description="Seconds; a hundredth of the time.")] = None,
    service: Service = None,
    attribute: Having = None,
    by: Annotated[list[str] | None, Query(description="Attribute that makes a series; repeatable.")] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """Gauges as values, sums by how much they grew, histograms as counts and quantiles."""
    since, until = within
    step_s = step or max(1, (until - since) // 100_000_000_000)
    asked = SeriesQuestion(
        name, since, until, step_s, service, pairs(attribute), tuple(sorted(by or ())), limit, offset
    )
    return await ask(request, lambda store: metric_series(store, EVERYTHING, asked))
