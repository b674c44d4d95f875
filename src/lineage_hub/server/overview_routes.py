"""The questions of the page's first screen and of its graph enter; whether all is well, and badges of nodes, leave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Request, Response

from lineage_hub.errors import InvalidRequest
from lineage_hub.model import Moment
from lineage_hub.query.badges import MOST_NODES, badges
from lineage_hub.query.overview.overview import Answer, overview
from lineage_hub.query.overview.patience import ENDLESS, Patience
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.server.bodies import RefusedBody, read_body
from lineage_hub.server.hub import hub_of
from lineage_hub.server.openapi_writes import MANY_BADGES
from lineage_hub.server.read_routes import LINEAGE, At, ask
from lineage_hub.server.stats_routes import STATS

router = APIRouter(prefix="/api/v1")
# Of the processor. About a large store half of it goes into what is always told, and what is not known yet waits.
PATIENCE_S = 0.15
Hours = Annotated[int, Query(ge=1, le=168, description="The present hour, and those before it.")]
Nodes = Annotated[
    list[str],
    Query(
        alias="nodeId",
        min_length=1,
        max_length=MOST_NODES,
        description="dataset:{namespace}:{name} or job:{namespace}:{name}; once for each node.",
    ),
]


class _Nodes(msgspec.Struct, forbid_unknown_fields=True):
    nodeIds: list[str]  # noqa: N815  # as it is called in the JSON


_decode = msgspec.json.Decoder(_Nodes).decode


@router.get("/overview", summary="Tell whether everything is all right", tags=STATS)
async def get_overview(request: Request, at: At, hours: Hours = 24) -> Response:
    """What it has no time to look at is looked at meanwhile: ask again while it says `truncated`."""
    return await _patiently(
        request, at, hours, lambda snapshot, now, patience: overview(snapshot, now, hours, patience)
    )


@router.get("/badges", summary="Show the state of nodes, many at a time", tags=LINEAGE)
async def get_badges(request: Request, nodes: Nodes, at: At) -> Response:
    return await _patiently(request, at, 1, lambda snapshot, now, patience: badges(snapshot, nodes, now, patience))


@router.post("/badges", summary="The same, for more than an address holds", tags=LINEAGE, **MANY_BADGES)
async def post_badges(request: Request, at: At) -> Response:
    hub = hub_of(request.scope)
    try:
        body = await read_body(request.scope, request.receive, limit=hub.settings.ingest_max_body_bytes, keep=0)
        nodes = _decode(body).nodeIds
    except RefusedBody as refused:
        raise refused.error from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InvalidRequest(
            f"the body is no list of nodes: {error}", subject="body", action='send {"nodeIds": ["dataset:…", "job:…"]}'
        ) from None
    if not 0 < len(nodes) <= MOST_NODES:
        raise InvalidRequest(
            f"{len(nodes)} nodes are asked for", subject="nodeIds", action=f"ask for 1 to {MOST_NODES} at a time"
        )
    return await _patiently(request, at, 1, lambda snapshot, now, patience: badges(snapshot, nodes, now, patience))


async def _patiently(
    request: Request, at: Moment, hours: int, question: Callable[[Snapshot, int, Patience], Answer]
) -> Response:
    """What is said of a moment in the past is not remembered: nothing could go on with it."""
    hub = hub_of(request.scope)
    now = hub.clock()

    def answer(snapshot: Snapshot) -> Answer:
        if not snapshot.sees_all:
            return question(snapshot, now, ENDLESS)
        found = question(snapshot, now, Patience(PATIENCE_S))
        if found["truncated"]:
            snapshot.lately.going_on.go_on(hub.queries, hub.clock, hours)
        return found

    return await ask(request, at, answer)
