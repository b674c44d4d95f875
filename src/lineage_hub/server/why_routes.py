"""A question why a run was late or failed enters as a GET request; the causes leave, the likeliest first."""

from __future__ import annotations

import asyncio
from enum import Enum

from fastapi import APIRouter, Request, Response

from lineage_hub.model import EVERYTHING
from lineage_hub.server.hub import hub_of
from lineage_hub.server.names import RUN
from lineage_hub.server.read_routes import At, Name, encode

router = APIRouter(prefix="/api/v1")
JOBS: list[str | Enum] = ["Jobs and runs"]


@router.get(f"/runs/{RUN}/why", summary="Tell why a run was late or failed", tags=JOBS)
async def get_why(request: Request, run_id: Name, at: At) -> Response:
    """Compares it with the job's own history, walks upstream, and looks into spans where there are any."""
    hub = hub_of(request.scope)

    def answer() -> bytes:
        # Imported by the first who asks, so that a hub starts as fast as before.
        from lineage_hub.query.telemetry.why import why

        # A hub that nothing was sent to by OTLP has no engine, and needs none for this.
        store = hub.telemetry.store if hub.telemetry.is_used else None
        with hub.queries.at(EVERYTHING, at) as snapshot:
            return encode(why(store, EVERYTHING, snapshot, run_id, min(hub.clock(), at.as_of)))

    return Response(await asyncio.to_thread(answer), media_type="application/json")
