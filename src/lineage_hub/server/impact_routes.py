"""A node enters as a GET request; what depends on it leaves, as JSON, as a table or as a page."""

from __future__ import annotations

from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from lineage_hub.errors import InvalidRequest
from lineage_hub.model import EVERYTHING
from lineage_hub.query.impact import impact
from lineage_hub.server.hub import hub_of
from lineage_hub.server.impact_formats import MEDIA_TYPES, written
from lineage_hub.server.read_routes import LINEAGE, At, Depth

router = APIRouter(prefix="/api/v1")
encode = msgspec.json.Encoder().encode


@router.get("/impact", summary="Show what depends on a dataset, a column or a job", tags=LINEAGE)
async def get_impact(
    request: Request,
    node: Annotated[
        str, Query(alias="nodeId", description="dataset:{namespace}:{name} or datasetField:{namespace}:{name}:{field}.")
    ],
    at: At,
    depth: Depth = 1_000,
    limit: Annotated[int | None, Query(ge=0, description="Most that are shown; the others are counted.")] = None,
    style: Annotated[str, Query(alias="format", description="json, csv or markdown.")] = "json",
) -> Response:
    """All that is downstream, by namespace and owner, with its last use; counts are exact."""
    if style != "json" and style not in MEDIA_TYPES:
        raise InvalidRequest(
            f"format={style[:40]!r} is unknown", subject="format", action="use json, " + ", ".join(MEDIA_TYPES)
        )
    hub = hub_of(request.scope)
    most = hub.settings.read_max_nodes

    def answer() -> bytes:
        with hub.queries.at(EVERYTHING, at) as snapshot:
            found = impact(snapshot, node, depth, most if limit is None else min(limit, most))
        return encode(found) if style == "json" else written(found, style).encode()

    return Response(await run_in_threadpool(answer), media_type=MEDIA_TYPES.get(style, "application/json"))
