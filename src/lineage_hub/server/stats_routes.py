"""A period or a run enters; how much there was in each part of the period, or what the run's inputs came from, leaves.

The routes are Marquez's; docs/reference-api.md compares them one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from lineage_hub.errors import InvalidRequest
from lineage_hub.model import FOREVER, Moment
from lineage_hub.query import stats
from lineage_hub.query.run_lineage import upstream_runs
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.server.hub import hub_of
from lineage_hub.server.read_routes import LINEAGE, At, Depth, ask

router = APIRouter(prefix="/api/v1")
STATS: list[str | Enum] = ["Statistics"]
Period = Annotated[str | None, Query(description="DAY: 24 hours; WEEK: 7 days. Both end with the present one.")]
Zone = Annotated[str | None, Query(description="Whose days a week is made of, such as Europe/Berlin.")]


@router.get("/runlineage/upstream", summary="Show the runs that made what a run read", tags=LINEAGE)
async def get_upstream_runs(
    request: Request,
    run_id: Annotated[str, Query(alias="runId", min_length=1, description="The run to start from.")],
    at: At,
    depth: Depth = 20,
) -> Response:
    most = hub_of(request.scope).settings.read_max_nodes
    return await ask(request, at, lambda snapshot: upstream_runs(snapshot, run_id, depth, most))


@router.get("/stats/lineage-events", summary="Count events by type over time", tags=STATS)
async def get_event_stats(request: Request, at: At, period: Period = None, timezone: Zone = None) -> Response:
    """By when they happened."""
    if period == stats.WEEK and not timezone:
        raise InvalidRequest(
            "a week needs a timezone", subject="timezone", action="say whose days are meant, such as timezone=UTC"
        )
    return await _over_time(request, at, period, timezone, stats.events)


@router.get("/stats/jobs", summary="Count jobs over time", tags=STATS)
async def get_job_stats(request: Request, at: At, period: Period = None, timezone: Zone = None) -> Response:
    """How many there were at the end of each part; without a timezone days are those of UTC."""
    return await _over_time(request, at, period, timezone, stats.jobs)


@router.get("/stats/datasets", summary="Count datasets over time", tags=STATS)
async def get_dataset_stats(request: Request, at: At, period: Period = None, timezone: Zone = None) -> Response:
    """How many there were at the end of each part; without a timezone days are those of UTC."""
    return await _over_time(request, at, period, timezone, stats.datasets)


@router.get("/stats/sources", summary="Count sources over time", tags=STATS)
async def get_source_stats(request: Request, at: At, period: Period = None, timezone: Zone = None) -> Response:
    """How many there were at the end of each part; without a timezone days are those of UTC."""
    return await _over_time(request, at, period, timezone, stats.sources)


async def _over_time(
    request: Request, at: Moment, period: str | None, zone: str | None, count: Callable[[Snapshot, list[int]], Any]
) -> Response:
    now = hub_of(request.scope).clock() if at.as_of == FOREVER else at.as_of
    edges = stats.bounds(period, zone, now)
    return await ask(request, at, lambda snapshot: count(snapshot, edges))
