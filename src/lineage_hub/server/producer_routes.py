"""The question who sends events enters; producers with their pace and their silence leave."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from lineage_hub.lineage.expectations import seconds
from lineage_hub.query.producers import all_producers
from lineage_hub.server.hub import hub_of
from lineage_hub.server.read_routes import EVENTS, At, Limit, Offset, ask

router = APIRouter(prefix="/api/v1")
Silent = Annotated[
    str | None, Query(description="Only those without an event for so long: 90s, 30m, 6h, 1d12h.", max_length=40)
]


@router.get("/producers", summary="List who sends events, and who has fallen silent", tags=EVENTS)
async def list_producers(
    request: Request, at: At, silent: Silent = None, limit: Limit = 100, offset: Offset = 0
) -> Response:
    for_s = None if silent is None else seconds(silent, "silent")
    now = hub_of(request.scope).clock()
    return await ask(request, at, lambda snapshot: all_producers(snapshot, now, for_s, limit, offset))
