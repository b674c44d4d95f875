"""Questions about lineage enter as GET requests, answers in Marquez's shapes leave.

Each route reads its parameters, asks one question of `query/` in a worker thread, and renders what comes back.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Path, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from lineage_hub.errors import InvalidRequest
from lineage_hub.model import EVERYTHING, FOREVER, Moment
from lineage_hub.query import column_lineage as columns_query
from lineage_hub.query import datasets as datasets_query
from lineage_hub.query import diff as diff_query
from lineage_hub.query import events as events_query
from lineage_hub.query import evidence as evidence_query
from lineage_hub.query import jobs as jobs_query
from lineage_hub.query import lineage as lineage_query
from lineage_hub.query import namespaces as namespaces_query
from lineage_hub.query import runs as runs_query
from lineage_hub.query.queries import Queries
from lineage_hub.query.run_metrics import run_metrics
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.versioned import node_and_moment
from lineage_hub.server.formats import MEDIA_TYPES, drawn
from lineage_hub.server.hub import hub_of
from lineage_hub.server.names import DATASET, JOB, NAMESPACE, RUN
from lineage_hub.wire import instant, instant_text

router = APIRouter(prefix="/api/v1")
# The groups of the page at /docs.
LINEAGE: list[str | Enum] = ["Lineage"]
JOBS: list[str | Enum] = ["Jobs and runs"]
DATASETS: list[str | Enum] = ["Datasets"]
NAMESPACES: list[str | Enum] = ["Namespaces"]
EVENTS: list[str | Enum] = ["Events"]
encode = msgspec.json.Encoder().encode
STATES = ("NEW", "RUNNING", "COMPLETED", "FAILED", "ABORTED")
BEGINNING = -(2**63)
DAY_NS = 86_400_000_000_000


KnownAt = Annotated[str | None, Query(description="What the hub knew by then (RFC 3339 with a zone).")]


async def moment(
    as_of: Annotated[str | None, Query(description="What had happened by then (RFC 3339 with a zone).")] = None,
    known_at: KnownAt = None,
) -> Moment:
    return Moment(bound(as_of, "as_of", FOREVER), bound(known_at, "known_at", FOREVER))


def bound(text: str | None, name: str, otherwise: int) -> int:
    # A plus sign that wasn't escaped arrives as a blank.
    return otherwise if text is None else instant(text.replace(" ", "+") if "T" in text else text, name, clamp=True)


At = Annotated[Moment, Depends(moment)]
Limit = Annotated[int, Query(ge=0, le=10_000, description="Most items of the page.")]
Offset = Annotated[int, Query(ge=0, le=2**31, description="Items to skip.")]
Expand = Annotated[bool, Query(description="Each run on its own, also the micro-batches of a stream.")]
Depth = Annotated[int, Query(ge=0, le=1_000, description="Steps to go from the node.")]
Node = Annotated[str, Query(alias="nodeId", description="dataset:{namespace}:{name} or job:{namespace}:{name}.")]
Style = Annotated[str, Query(alias="format", description="json, mermaid, dot or csv.")]
Name = Annotated[str, Path(description="May hold slashes and colons; escape it.")]


async def ask(request: Request, at: Moment, question: Callable[[Snapshot], Any], style: str = "json") -> Response:
    queries: Queries = hub_of(request.scope).queries
    if style != "json" and style not in MEDIA_TYPES:
        raise InvalidRequest(
            f"format={style[:40]!r} is unknown", subject="format", action="use json, " + ", ".join(MEDIA_TYPES)
        )

    def answer() -> bytes:
        with queries.at(EVERYTHING, at) as snapshot:
            found = question(snapshot)
        body = found if isinstance(found, bytes) else encode(found)
        return body if style == "json" else drawn(msgspec.json.decode(body), style).encode()

    return Response(await run_in_threadpool(answer), media_type=MEDIA_TYPES.get(style, "application/json"))


@router.get("/namespaces", summary="List namespaces", tags=NAMESPACES)
async def list_namespaces(request: Request, at: At, limit: Limit = 100, offset: Offset = 0) -> Response:
    return await ask(request, at, lambda snapshot: namespaces_query.namespaces(snapshot, limit, offset))


@router.get("/jobs", summary="List jobs of all namespaces", tags=JOBS)
async def list_jobs(
    request: Request,
    at: At,
    limit: Limit = 100,
    offset: Offset = 0,
    states: Annotated[list[str] | None, Query(alias="lastRunStates")] = None,
) -> Response:
    wanted = _states(states)
    return await ask(request, at, lambda snapshot: jobs_query.jobs(snapshot, None, limit, offset, wanted))


def _states(states: list[str] | None) -> list[str]:
    wanted = [one.upper() for text in states or () for one in text.split(",") if one]
    unknown = [one for one in wanted if one not in STATES]
    if unknown:
        raise InvalidRequest(
            f"lastRunStates={unknown[0][:40]!r} is unknown", subject="lastRunStates", action="use " + ", ".join(STATES)
        )
    return wanted


@router.get(f"/jobs/runs/{RUN}/facets", summary="Show the facets of a run", tags=JOBS)
async def get_run_facets(request: Request, run_id: Name, at: At, type: str = "run") -> Response:
    return await ask(request, at, lambda snapshot: runs_query.run_facets(snapshot, run_id, type))


@router.get(f"/jobs/runs/{RUN}", summary="Show a run", tags=JOBS)
async def get_run(request: Request, run_id: Name, at: At) -> Response:
    return await ask(request, at, lambda snapshot: runs_query.run(snapshot, run_id))


@router.get("/metrics", summary="Measure how runs of pipelines went", tags=JOBS)
async def get_run_metrics(
    request: Request,
    at: At,
    start: Annotated[str | None, Query(alias="from", description="Runs from then on; a day back without it.")] = None,
    end: Annotated[str | None, Query(alias="to", description="Runs before then; the present without it.")] = None,
    namespace: Annotated[str | None, Query(description="Of the jobs; all without it.")] = None,
) -> Response:
    """Success rate, durations, records an hour, and errors by stage, of jobs whose runs have a parent or are one."""
    until = bound(end, "to", hub_of(request.scope).clock())
    since = bound(start, "from", until - DAY_NS)
    if since >= until:
        raise InvalidRequest("`from` lies not before `to`", subject="from", action="give an earlier `from`")
    return await ask(request, at, lambda snapshot: run_metrics(snapshot, namespace, since, until))


@router.get("/lineage/diff", summary="Compare lineage at two moments", tags=LINEAGE)
async def get_diff(
    request: Request,
    node: Node,
    start: Annotated[str, Query(alias="from", description="The earlier moment (RFC 3339 with a zone).")],
    end: Annotated[str | None, Query(alias="to", description="The later moment; the present without it.")] = None,
    known_at: KnownAt = None,
    depth: Depth = 20,
    direction: str | None = None,
) -> Response:
    queries: Queries = hub_of(request.scope).queries
    limit = hub_of(request.scope).settings.read_max_nodes
    question = lineage_query.Question(node, depth, direction, "current", limit)
    before, after = bound(start, "from", FOREVER), bound(end, "to", FOREVER)
    known = bound(known_at, "known_at", FOREVER)

    def answer() -> bytes:
        with queries.at(EVERYTHING, Moment(after, known)) as snapshot:
            now = diff_query.picture(snapshot, question)
        with queries.at(EVERYTHING, Moment(before, known)) as snapshot:
            then = diff_query.picture(snapshot, question)
        if not now.nodes and not then.nodes:
            with queries.at(EVERYTHING, Moment(FOREVER, known)) as snapshot:
                lineage_query.find_node(snapshot, node)
        shown = instant_text(after) if end is not None else "now"
        return encode(diff_query.diff(then, now, instant_text(before), shown))

    return Response(await run_in_threadpool(answer), media_type="application/json")


@router.get("/lineage", summary="Show what feeds a job or dataset and what it feeds", tags=LINEAGE)
async def get_lineage(
    request: Request,
    node: Node,
    at: At,
    depth: Depth = 20,
    direction: Annotated[str | None, Query(description="upstream, downstream or both; without it, all around.")] = None,
    edges: Annotated[str, Query(description="current, ever, or a window such as 30d.")] = "current",
    limit: Annotated[int | None, Query(ge=1, description="Most nodes shown; the others are counted.")] = None,
    style: Style = "json",
) -> Response:
    most = hub_of(request.scope).settings.read_max_nodes
    question = lineage_query.Question(node, depth, direction, edges, min(limit or most, most))
    return await ask(request, at, lambda snapshot: lineage_query.lineage(snapshot, question), style)


@router.get("/column-lineage", summary="Show where columns come from", tags=LINEAGE)
async def get_column_lineage(
    request: Request,
    node: Node,
    at: At,
    depth: Depth = 20,
    with_downstream: Annotated[bool, Query(alias="withDownstream")] = False,
    edges: Annotated[str, Query(description="current or ever.")] = "current",
    limit: Annotated[int | None, Query(ge=1)] = None,
    style: Style = "json",
) -> Response:
    most = hub_of(request.scope).settings.read_max_nodes
    if edges not in ("current", "ever"):
        raise InvalidRequest(f"edges={edges[:40]!r} is unknown", subject="edges", action="use current or ever")

    shown = min(limit or most, most)

    def columns(snapshot: Snapshot, plain: str) -> Any:
        found = lineage_query.find_node(snapshot, plain)
        if found.is_job:
            return columns_query.column_lineage_of_job(snapshot, found.entity, depth, with_downstream, edges, shown)
        return columns_query.column_lineage(snapshot, found.entity, found.field, depth, with_downstream, edges, shown)

    def question(snapshot: Snapshot) -> Any:
        plain, created_at = node_and_moment(snapshot, node)
        if created_at is None:
            return columns(snapshot, plain)
        with hub_of(request.scope).queries.at(EVERYTHING, Moment(created_at, at.known_at)) as then:
            return columns(then, plain)

    return await ask(request, at, question, style)


@router.get("/edges/{edge}/evidence", summary="Show the runs and events behind an edge", tags=LINEAGE)
async def get_evidence(request: Request, edge: str, at: At, limit: Limit = 100, offset: Offset = 0) -> Response:
    return await ask(request, at, lambda snapshot: evidence_query.evidence(snapshot, edge, limit, offset))


@router.get("/events", summary="The same as /events/lineage, for older clients", tags=EVENTS)
@router.get("/events/lineage", summary="List events as they were sent", tags=EVENTS)
async def list_events(
    request: Request,
    at: At,
    before: str | None = None,
    after: str | None = None,
    direction: Annotated[str, Query(alias="sortDirection")] = "desc",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    if direction.lower() not in ("asc", "desc"):
        raise InvalidRequest("sortDirection must be asc or desc", subject="sortDirection", action="use asc or desc")
    first, last = bound(after, "after", BEGINNING), bound(before, "before", FOREVER)
    down = direction.lower() == "desc"
    return await ask(request, at, lambda snapshot: events_query.events(snapshot, first, last, down, limit, offset))


@router.get("/events/{event_id}", summary="Show an event, with what is wrong with its facets", tags=EVENTS)
async def get_event(request: Request, event_id: str, at: At) -> Response:
    return await ask(request, at, lambda snapshot: events_query.event(snapshot, event_id))


@router.get(f"/namespaces/{NAMESPACE}/jobs/{JOB}/versions/{{version}}", summary="Show a version of a job", tags=JOBS)
async def get_job_version(request: Request, namespace: Name, job: Name, version: str, at: At) -> Response:
    return await ask(request, at, lambda s: jobs_query.job_version_answer(s, namespace, job, version))


@router.get(f"/namespaces/{NAMESPACE}/jobs/{JOB}/versions", summary="List the versions of a job", tags=JOBS)
async def list_job_versions(
    request: Request, namespace: Name, job: Name, at: At, limit: Limit = 100, offset: Offset = 0
) -> Response:
    return await ask(request, at, lambda s: jobs_query.job_versions(s, namespace, job, limit, offset))


@router.get(f"/namespaces/{NAMESPACE}/jobs/{JOB}/runs", summary="List the runs of a job, the latest first", tags=JOBS)
async def list_runs(
    request: Request, namespace: Name, job: Name, at: At, limit: Limit = 100, offset: Offset = 0, expand: Expand = False
) -> Response:
    def question(snapshot: Snapshot) -> Any:
        found = jobs_query.find_job(snapshot, namespace, job)
        return runs_query.runs_of_job(snapshot, found, limit, offset, expand=expand)

    return await ask(request, at, question)


@router.get(f"/namespaces/{NAMESPACE}/jobs/{JOB}", summary="Show a job", tags=JOBS)
async def get_job(request: Request, namespace: Name, job: Name, at: At) -> Response:
    return await ask(request, at, lambda snapshot: jobs_query.job_text(snapshot, namespace, job))


@router.get(f"/namespaces/{NAMESPACE}/jobs", summary="List the jobs of a namespace", tags=JOBS)
async def list_jobs_of_namespace(
    request: Request,
    namespace: Name,
    at: At,
    limit: Limit = 100,
    offset: Offset = 0,
    states: Annotated[list[str] | None, Query(alias="lastRunStates")] = None,
) -> Response:
    wanted = _states(states)

    def question(snapshot: Snapshot) -> Any:
        namespaces_query.require_namespace(snapshot, namespace)
        return jobs_query.jobs(snapshot, namespace, limit, offset, wanted)

    return await ask(request, at, question)


@router.get(
    f"/namespaces/{NAMESPACE}/datasets/{DATASET}/versions/{{version}}",
    summary="Show a version of a dataset",
    tags=DATASETS,
)
async def get_dataset_version(request: Request, namespace: Name, dataset: Name, version: str, at: At) -> Response:
    return await ask(request, at, lambda s: datasets_query.dataset_version_answer(s, namespace, dataset, version))


@router.get(
    f"/namespaces/{NAMESPACE}/datasets/{DATASET}/versions", summary="List the versions of a dataset", tags=DATASETS
)
async def list_dataset_versions(
    request: Request, namespace: Name, dataset: Name, at: At, limit: Limit = 100, offset: Offset = 0
) -> Response:
    return await ask(request, at, lambda s: datasets_query.dataset_versions(s, namespace, dataset, limit, offset))


@router.get(f"/namespaces/{NAMESPACE}/datasets/{DATASET}", summary="Show a dataset", tags=DATASETS)
async def get_dataset(request: Request, namespace: Name, dataset: Name, at: At) -> Response:
    return await ask(request, at, lambda snapshot: datasets_query.dataset_text(snapshot, namespace, dataset))


@router.get("/datasets", summary="List datasets of all namespaces", tags=DATASETS)
async def list_all_datasets(
    request: Request,
    at: At,
    namespace: Annotated[str | None, Query(description="Only those of this namespace.")] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    return await ask(request, at, lambda snapshot: datasets_query.datasets(snapshot, namespace, limit, offset))


@router.get(f"/namespaces/{NAMESPACE}/datasets", summary="List the datasets of a namespace", tags=DATASETS)
async def list_datasets(request: Request, namespace: Name, at: At, limit: Limit = 100, offset: Offset = 0) -> Response:
    def question(snapshot: Snapshot) -> Any:
        namespaces_query.require_namespace(snapshot, namespace)
        return datasets_query.datasets(snapshot, namespace, limit, offset)

    return await ask(request, at, question)


@router.get(f"/namespaces/{NAMESPACE}", summary="Show a namespace", tags=NAMESPACES)
async def get_namespace(request: Request, namespace: Name, at: At) -> Response:
    return await ask(request, at, lambda snapshot: namespaces_query.namespace(snapshot, namespace))
