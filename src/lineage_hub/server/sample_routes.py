"""A wish to see something enters an empty hub; when it leaves, a week of a bookshop's events and traces is there."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from lineage_hub.errors import Conflict, InternalError
from lineage_hub.model import DEFAULT_TENANT, EVERYTHING, NOW
from lineage_hub.server.errors import render
from lineage_hub.server.hub import Hub, hub_of
from lineage_hub.server.openapi_writes import SAMPLE
from lineage_hub.wire import instant_text

router = APIRouter(prefix="/api/v1")
SOURCE = "sample"
BATCH = 200
SECOND = 1_000_000_000


@router.post("/sample", status_code=201, summary="Fill an empty hub with sample data", tags=["Events in"], **SAMPLE)
async def load_sample(request: Request) -> Response:
    """A week of a bookshop's Airflow, dbt, Spark and Flink, up to today; with its traces where telemetry is taken."""
    hub = hub_of(request.scope)
    if hub.settings.sample_data != "allow":
        raise Conflict(
            "sample data is refused by a setting",
            subject="sample_data",
            action="set sample_data=allow, or run `lineage-hub demo --events`, which has a hub of its own",
        )
    await run_in_threadpool(_require_empty, hub)
    from lineage_hub.sample import HEADLINE, shop_week

    week = await run_in_threadpool(shop_week, end_at=datetime.fromtimestamp(hub.clock() / SECOND, UTC))
    texts = list(dict.fromkeys(json.dumps(event, ensure_ascii=False).encode() for event in week.events))
    for start in range(0, len(texts), BATCH):
        outcomes = await hub.intake.submit(EVERYTHING, texts[start : start + BATCH], SOURCE)
        refused = [outcome.error for outcome in outcomes if outcome.error is not None]
        if refused:
            raise InternalError(f"a sample event was refused: {refused[0].message}", subject="sample")
    bounds = {"from": _text(week.start_at), "to": _text(week.end_at)}
    body = {"events": len(texts), "spans": await _load_traces(hub, texts), **bounds, "node": HEADLINE}
    return Response(render(body), 201, media_type="application/json")


def _require_empty(hub: Hub) -> None:
    with hub.queries.at(EVERYTHING, NOW) as snapshot:
        if snapshot.reader.last_event_at() is None:
            return
    raise Conflict(
        "the hub has events already; sample data would mix with them",
        subject="hub",
        action="start another hub with an empty --data folder, or run `lineage-hub demo --events`",
    )


async def _load_traces(hub: Hub, texts: list[bytes]) -> int | None:
    if hub.taker is None:
        return None
    # A hub that takes no telemetry stays as small as it is.
    from lineage_hub.sample.traces import week_traces
    from lineage_hub.server.otlp_taking import take

    spans, body = await run_in_threadpool(lambda: week_traces(map(json.loads, texts)))
    await take(hub.taker, "traces", DEFAULT_TENANT, json.dumps(body).encode(), "json", hub.clock())
    return spans


def _text(at: datetime) -> str:
    return instant_text(int(at.timestamp()) * SECOND)
