"""Datasets, jobs and runs as users declare them enter; they become events like any other, and what they say leaves.

The routes are Marquez's; docs/reference-api.md compares them one by one.
"""

from __future__ import annotations

import uuid
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response

from lineage_hub.errors import InvalidRequest, NotFound
from lineage_hub.lineage.runs import RunFacts
from lineage_hub.query import datasets as datasets_query
from lineage_hub.query import jobs as jobs_query
from lineage_hub.query import runs as runs_query
from lineage_hub.query.job_names import named_job
from lineage_hub.query.namespaces import namespace as namespace_answer
from lineage_hub.query.nodes import io_names
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.sources import address_of
from lineage_hub.server import openapi_writes as openapi
from lineage_hub.server.hub import hub_of
from lineage_hub.server.names import DATASET, JOB, NAMESPACE, RUN
from lineage_hub.server.read_routes import DATASETS, JOBS, Name
from lineage_hub.server.writing import Written, body_of, look, show, state, take
from lineage_hub.store.statements import DATASET_TAG, FIELD_TAG, JOB_TAG, Saying
from lineage_hub.wire import declared, instant
from lineage_hub.wire.declared import DatasetBody, JobBody, RunBody

router = APIRouter(prefix="/api/v1")
_RUN = f"/jobs/runs/{RUN}"
At = Annotated[
    str | None,
    Query(
        description="When that was (RFC 3339 with a zone); now without it.", json_schema_extra={"format": "date-time"}
    ),
]
PUT_ON = b"{}"


@router.put(
    f"/namespaces/{NAMESPACE}/datasets/{DATASET}", summary="Declare a dataset", tags=DATASETS, **openapi.DATASET
)
async def put_dataset(request: Request, namespace: Written, dataset: Written) -> Response:
    """Becomes a DatasetEvent; with `runId`, an output of that run."""
    hub = hub_of(request.scope)
    body = declared.read_body(await body_of(request), DatasetBody, openapi.DATASET_ACTION)
    _one_of(body.type, openapi.DATASET_TYPES)

    now = hub.clock()

    def prepare(snapshot: Snapshot) -> tuple[dict[str, Any], str, tuple[RunFacts, tuple[str, str], str] | None]:
        namespace_answer(snapshot, namespace)
        facets = declared.dataset_facets(body, address_of(snapshot, body.sourceName))
        version = declared.version_of(facets)
        if body.runId is not None:
            return facets, version, _run(snapshot, body.runId)
        return facets, datasets_query.declared_again(snapshot, namespace, dataset, version, now), None

    facets, version, run = await look(request, prepare)
    if run is None:
        await take(hub, [declared.dataset_event(namespace, dataset, facets, version, now)])
    else:
        _, job, tenant = run
        output = {"namespace": namespace, "name": dataset, "facets": facets}
        await take(
            hub, [declared.run_event("OTHER", job, str(body.runId), now, outputs=[output])], tenant
        )  # fmt: skip
    tags = [Saying(DATASET_TAG, (namespace, dataset, tag), PUT_ON) for tag in body.tags or ()]
    tags += [
        Saying(FIELD_TAG, (namespace, dataset, field.name, tag), PUT_ON)
        for field in body.fields or ()
        for tag in field.tags or ()
    ]
    await state(hub, tags)
    return await show(request, lambda snapshot: datasets_query.dataset(snapshot, namespace, dataset))


@router.put(f"/namespaces/{NAMESPACE}/jobs/{JOB}", summary="Declare a job", tags=JOBS, **openapi.JOB)
async def put_job(request: Request, namespace: Written, job: Written) -> Response:
    """Becomes a JobEvent; with `runId`, the datasets are also those of that run."""
    hub = hub_of(request.scope)
    body = declared.read_body(await body_of(request), JobBody, openapi.JOB_ACTION)
    _one_of(body.type, openapi.JOB_TYPES)

    def prepare(snapshot: Snapshot) -> tuple[str, str | None]:
        namespace_answer(snapshot, namespace)
        for one in (*body.inputs, *body.outputs):
            datasets_query.find_dataset(snapshot, one.namespace, one.name)
        known = named_job(snapshot, namespace, job)
        own = job if known is None else snapshot.name(known)[1]
        if body.runId is None:
            return own, None
        _, of_job, tenant = _run(snapshot, body.runId)
        if of_job != (namespace, own):
            raise _no_run(body.runId)
        return own, tenant

    own, tenant = await look(request, prepare)
    await take(hub, [declared.job_event(namespace, own, body, hub.clock())])
    if tenant is not None:
        inputs, outputs = declared.named(body.inputs), declared.named(body.outputs)
        await take(
            hub,
            [declared.run_event("OTHER", (namespace, own), str(body.runId), hub.clock(), None, inputs, outputs)],
            tenant,
        )
    await state(hub, [Saying(JOB_TAG, (namespace, own, tag), PUT_ON) for tag in body.tags or ()])
    return await show(request, lambda snapshot: jobs_query.job(snapshot, namespace, own))


@router.post(
    f"/namespaces/{NAMESPACE}/jobs/{JOB}/runs", status_code=201, summary="Declare a run", tags=JOBS, **openapi.RUN
)
async def post_run(request: Request, namespace: Name, job: Name) -> Response:
    """It is NEW until it is started; it reads what its job reads at present."""
    hub = hub_of(request.scope)
    body = declared.read_body(await body_of(request) or b"{}", RunBody, openapi.RUN_ACTION)
    run_id = body.id or str(uuid.uuid4())
    facets = declared.run_facets(body)

    def prepare(snapshot: Snapshot) -> tuple[tuple[str, str], list[dict[str, Any]]]:
        found = jobs_query.find_job(snapshot, namespace, job)
        if runs_query.find_run(snapshot, run_id)[0] is not None:
            raise InvalidRequest(
                f"Run '{run_id[:200]}' already exists.",
                subject=run_id[:200],
                action="leave out the id, or give another",
            )
        return snapshot.name(found), _current(snapshot, found)[0]

    own, inputs = await look(request, prepare)
    await take(hub, [declared.run_event("OTHER", own, run_id, hub.clock(), facets, inputs)])
    response = await show(request, lambda snapshot: runs_query.run(snapshot, run_id), 201)
    response.headers["location"] = f"/api/v1/jobs/runs/{quote(run_id, safe='')}"
    return response


@router.post(f"{_RUN}/start", summary="Say that a run has started", tags=JOBS, **openapi.RUN_STATE)
async def start_run(request: Request, run_id: Name, at: At = None) -> Response:
    return await _mark(request, run_id, "START", at)


@router.post(f"{_RUN}/complete", summary="Say that a run has completed", tags=JOBS, **openapi.RUN_STATE)
async def complete_run(request: Request, run_id: Name, at: At = None) -> Response:
    """What it reads and writes is what its job does, unless the run itself has said otherwise."""
    return await _mark(request, run_id, "COMPLETE", at)


@router.post(f"{_RUN}/fail", summary="Say that a run has failed", tags=JOBS, **openapi.RUN_STATE)
async def fail_run(request: Request, run_id: Name, at: At = None) -> Response:
    return await _mark(request, run_id, "FAIL", at)


@router.post(f"{_RUN}/abort", summary="Say that a run was aborted", tags=JOBS, **openapi.RUN_STATE)
async def abort_run(request: Request, run_id: Name, at: At = None) -> Response:
    return await _mark(request, run_id, "ABORT", at)


async def _mark(request: Request, run_id: str, kind: str, at: str | None) -> Response:
    hub = hub_of(request.scope)
    # A plus sign that wasn't escaped arrives as a blank.
    event_at = hub.clock() if not at else instant(at.replace(" ", "+") if "T" in at else at, "at")

    def prepare(snapshot: Snapshot) -> tuple[tuple[str, str], str, list[dict[str, Any]], list[dict[str, Any]]]:
        run, job, tenant = _run(snapshot, run_id)
        if kind != "COMPLETE" or run.outputs:
            return job, tenant, [], []
        inputs, outputs = _current(snapshot, run.key[1])
        return job, tenant, [] if run.inputs else inputs, outputs

    job, tenant, inputs, outputs = await look(request, prepare)
    await take(hub, [declared.run_event(kind, job, run_id, event_at, None, inputs, outputs)], tenant)
    return await show(request, lambda snapshot: runs_query.run(snapshot, run_id))


def _run(snapshot: Snapshot, run_id: str) -> tuple[RunFacts, tuple[str, str], str]:
    """With the names of its job and its tenant, which are part of what it is."""
    found, _ = runs_query.find_run(snapshot, run_id)
    if found is None:
        raise _no_run(run_id)
    return found, snapshot.name(found.key[1]), snapshot.reader.tenant_names()[found.key[0]]


def _no_run(run_id: str) -> NotFound:
    return NotFound(f"Run '{run_id[:200]}' not found.", subject=run_id[:200], action="check the run id")


def _current(snapshot: Snapshot, job: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What the job reads and writes at present."""
    edges = snapshot.edges([job])[job]
    inputs, outputs = io_names(snapshot.names(edges.datasets), edges)
    return list(inputs), list(outputs)


def _one_of(given: str, known: tuple[str, ...]) -> None:
    if given not in known:
        raise InvalidRequest(f"type={given[:40]!r} is unknown", subject="type", action="use " + ", ".join(known))
