"""Questions about what changed over time enter: of a dataset, of a job, between two runs; histories leave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from lineage_hub.errors import InvalidRequest
from lineage_hub.query.quality import quality
from lineage_hub.query.run_children import children_of_run
from lineage_hub.query.run_comparison import compare_runs
from lineage_hub.query.schema_history import schema_history
from lineage_hub.query.spoken import BEGINNING, END
from lineage_hub.query.statistics import statistics
from lineage_hub.query.timeline import timeline
from lineage_hub.server.names import DATASET, JOB, NAMESPACE, RUN
from lineage_hub.server.read_routes import DATASETS, JOBS, At, Limit, Name, Offset, ask, bound

router = APIRouter(prefix="/api/v1")
OF_DATASET = f"/namespaces/{NAMESPACE}/datasets/{DATASET}"
From = Annotated[str | None, Query(alias="from", description="From then on (RFC 3339 with a zone).")]
To = Annotated[str | None, Query(alias="to", description="Before then; without it, all that there is.")]
Events = Annotated[int, Query(ge=1, le=10_000, description="Most events to look at, the newest.")]


def _stretch(start: str | None, end: str | None) -> tuple[int, int]:
    since, until = bound(start, "from", BEGINNING), bound(end, "to", END)
    if since >= until:
        raise InvalidRequest("`from` lies not before `to`", subject="from", action="give an earlier `from`")
    return since, until


@router.get(f"/runs/{RUN}/children", summary="List the runs that a run is made of", tags=JOBS)
async def list_children(
    request: Request,
    run_id: Name,
    at: At,
    depth: Annotated[int, Query(ge=1, le=20, description="Parts of parts, so many levels of them.")] = 1,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """A run before its parts, and those of one run in the order of their starts."""
    return await ask(request, at, lambda snapshot: children_of_run(snapshot, run_id, depth, limit, offset))


@router.get(f"/runs/{RUN}/compare/{{other_id:name}}", summary="Tell what differs between two runs", tags=JOBS)
async def get_comparison(request: Request, run_id: Name, other_id: Name, at: At) -> Response:
    return await ask(request, at, lambda snapshot: compare_runs(snapshot, run_id, other_id))


@router.get(
    f"/namespaces/{NAMESPACE}/jobs/{JOB}/timeline", summary="Show the runs of a job over time", tags=JOBS
)  # fmt: skip
async def get_timeline(
    request: Request,
    namespace: Name,
    job: Name,
    at: At,
    start: From = None,
    end: To = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    stretch = _stretch(start, end)
    return await ask(request, at, lambda snapshot: timeline(snapshot, namespace, job, *stretch, limit, offset))


@router.get(f"{OF_DATASET}/schema-history", summary="List the changes of a dataset's schema", tags=DATASETS)
async def get_schema_history(
    request: Request, namespace: Name, dataset: Name, at: At, limit: Limit = 100, offset: Offset = 0
) -> Response:
    return await ask(request, at, lambda snapshot: schema_history(snapshot, namespace, dataset, limit, offset))


@router.get(f"{OF_DATASET}/quality", summary="Show what checks said of a dataset over time", tags=DATASETS)
async def get_quality(
    request: Request,
    namespace: Name,
    dataset: Name,
    at: At,
    start: From = None,
    end: To = None,
    limit: Events = 1_000,
) -> Response:
    return await ask(request, at, _over_time(quality, namespace, dataset, start, end, limit))


@router.get(f"{OF_DATASET}/statistics", summary="Show how much was read and written over time", tags=DATASETS)
async def get_statistics(
    request: Request,
    namespace: Name,
    dataset: Name,
    at: At,
    start: From = None,
    end: To = None,
    limit: Events = 1_000,
) -> Response:
    return await ask(request, at, _over_time(statistics, namespace, dataset, start, end, limit))


def _over_time(
    question: Callable[..., Any], namespace: str, dataset: str, start: str | None, end: str | None, limit: int
) -> Callable[[Any], Any]:
    stretch = _stretch(start, end)
    return lambda snapshot: question(snapshot, namespace, dataset, *stretch, limit)
