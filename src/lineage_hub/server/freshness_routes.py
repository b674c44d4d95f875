"""What users expect of datasets enters; it is kept, and whether a dataset is fresh, due or late leaves."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from lineage_hub.errors import InvalidRequest
from lineage_hub.lineage.expectations import expectation_answer, read_expectation
from lineage_hub.lineage.freshness import STATES
from lineage_hub.model import EVERYTHING, NOW
from lineage_hub.query import freshness as freshness_query
from lineage_hub.query.datasets import find_dataset
from lineage_hub.server import openapi
from lineage_hub.server.bodies import RefusedBody, read_body
from lineage_hub.server.hub import hub_of
from lineage_hub.server.names import DATASET, NAMESPACE
from lineage_hub.server.read_routes import At, Limit, Name, Offset, ask
from lineage_hub.store import expectations

router = APIRouter(prefix="/api/v1")
FRESHNESS: list[str | Enum] = ["Freshness"]
OF_DATASET = f"/namespaces/{NAMESPACE}/datasets/{DATASET}/freshness"
Learned = Annotated[bool, Query(description="Where nothing is set, take the habit of its writes, if it has one.")]
encode = msgspec.json.Encoder().encode


@router.get("/freshness", summary="List what is fresh, due or late", tags=FRESHNESS)
async def list_freshness(
    request: Request,
    at: At,
    state: Annotated[list[str] | None, Query(description="fresh, due, late or unknown; several by commas.")] = None,
    learned: Learned = False,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Response:
    """Of the datasets that something is expected of."""
    wanted, now = _states(state), hub_of(request.scope).clock()
    return await ask(request, at, lambda s: freshness_query.all_freshness(s, now, wanted, learned, limit, offset))


@router.get(OF_DATASET, summary="Show whether a dataset is fresh, due or late", tags=FRESHNESS)
async def get_freshness(request: Request, namespace: Name, dataset: Name, at: At, learned: Learned = False) -> Response:
    now = hub_of(request.scope).clock()
    return await ask(request, at, lambda s: freshness_query.dataset_freshness(s, namespace, dataset, now, learned))


@router.put(OF_DATASET, summary="Set what is expected of a dataset", tags=FRESHNESS, **openapi.EXPECTATION)
async def put_freshness(request: Request, namespace: Name, dataset: Name) -> Response:
    """Counts from now on; what was expected before is still told of the past."""
    hub = hub_of(request.scope)
    try:
        body = await read_body(request.scope, request.receive, limit=hub.settings.ingest_max_body_bytes, keep=0)
    except RefusedBody as refused:
        raise refused.error from None
    kept = encode(expectation_answer(read_expectation(body)))

    def find() -> int:
        with hub.queries.at(EVERYTHING, NOW) as snapshot:
            return find_dataset(snapshot, namespace, dataset)

    found, now = await run_in_threadpool(find), hub.clock()
    await hub.intake.write(lambda connection: expectations.put(connection, EVERYTHING, found, kept, now))
    return await get_freshness(request, namespace, dataset, NOW)


@router.delete(
    OF_DATASET, status_code=204, summary="Expect nothing of a dataset any more", tags=FRESHNESS,
    responses={204: {"description": "Nothing is expected from now on."}},
)  # fmt: skip
async def delete_freshness(request: Request, namespace: Name, dataset: Name) -> Response:
    hub = hub_of(request.scope)

    def find() -> list[int]:
        with hub.queries.at(EVERYTHING, NOW) as snapshot:
            return freshness_query.find_for_removal(snapshot, namespace, dataset)

    found, now = await run_in_threadpool(find), hub.clock()
    await hub.intake.write(
        lambda connection: [expectations.put(connection, EVERYTHING, one, None, now) for one in found]
    )
    return Response(status_code=204)


def _states(given: list[str] | None) -> list[str]:
    wanted = [one for text in given or () for one in text.split(",") if one]
    unknown = [one for one in wanted if one not in STATES]
    if unknown:
        raise InvalidRequest(
            f"state={unknown[0][:40]!r} is unknown", subject="state", action="use " + ", ".join(STATES)
        )
    return wanted
