"""How long a tenant's events stay enters, or the wish to sweep; what is kept, and how far a sweep is, leave."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from lineage_hub.errors import InvalidRequest
from lineage_hub.model import EVERYTHING
from lineage_hub.model.scope import is_tenant_name
from lineage_hub.server import openapi
from lineage_hub.server.bodies import RefusedBody, read_body
from lineage_hub.server.hub import Hub, hub_of
from lineage_hub.server.sweeping import days_of
from lineage_hub.store import retention
from lineage_hub.store.ages import MOST_DAYS, read_ages
from lineage_hub.wire import instant_text

router = APIRouter(prefix="/api/v1")
RETENTION: list[str | Enum] = ["Retention"]
# Told, not checked here: the answer to a wrong one says what a name may hold.
_PATTERN = {"pattern": "^[a-z0-9][a-z0-9-]{1,48}[a-z0-9]$"}
Tenant = Annotated[str, Path(description="Need not have sent an event yet.", json_schema_extra=_PATTERN)]
encode = msgspec.json.Encoder().encode


class _Days(msgspec.Struct, forbid_unknown_fields=True):
    # 30.0 is a whole number to JSON.
    days: Annotated[float, msgspec.Meta(ge=0, le=MOST_DAYS, multiple_of=1)]


@router.get("/retention", summary="Show how long events stay, and the sweep", tags=RETENTION)
async def get_retention(request: Request) -> Response:
    return await _answer(hub_of(request.scope))


@router.put("/retention/{tenant}", summary="Set how long a tenant's events stay", tags=RETENTION, **openapi.KEEPING)
async def put_retention(request: Request, tenant: Tenant) -> Response:
    """In days; 0 keeps them for ever. It counts from the next sweep on, and before what the settings say."""
    hub = hub_of(request.scope)
    _check(tenant)
    try:
        body = await read_body(request.scope, request.receive, limit=hub.settings.ingest_max_body_bytes, keep=0)
    except RefusedBody as refused:
        raise refused.error from None
    try:
        days = int(msgspec.json.decode(body, type=_Days).days)
    except msgspec.DecodeError as error:
        action = f'write it as {{"days": 30}}, from 0 (for ever) to {MOST_DAYS}'
        raise InvalidRequest(f"the body can't be read: {error}", subject="days", action=action) from None
    await hub.intake.write(lambda c: retention.set_days(c, EVERYTHING.writing_to(tenant), days))
    return await _answer(hub)


@router.delete(
    "/retention/{tenant}", status_code=204, summary="Leave it to the settings how long a tenant's events stay",
    tags=RETENTION, responses={204: {"description": "The settings count for the tenant again."}},
)  # fmt: skip
async def delete_retention(request: Request, tenant: Tenant) -> Response:
    _check(tenant)
    hub = hub_of(request.scope)
    await hub.intake.write(lambda c: retention.set_days(c, EVERYTHING.writing_to(tenant), None))
    return Response(status_code=204)


@router.post(
    "/retention/sweep", status_code=202, summary="Remove what is too old now", tags=RETENTION, **openapi.SWEEPING
)
async def post_sweep(
    request: Request, tenant: Annotated[str | None, Query(description="Of this one only.")] = None
) -> Response:
    """It goes on after the answer; GET /api/v1/retention shows how far it is."""
    hub = hub_of(request.scope)
    hub.sweeper.begin(tenant)
    return await _answer(hub, status=202)


def _check(tenant: str) -> None:
    if not is_tenant_name(tenant):
        raise InvalidRequest(
            f"{tenant[:80]!r} is not the name of a tenant",
            subject="tenant",
            action="use lower-case letters, digits and hyphens, 3 to 50 of them",
        )


async def _answer(hub: Hub, status: int = 200) -> Response:
    def read() -> tuple[set[str], list[retention.Kept]]:
        with hub.store.reading() as connection:
            return set(retention.tenants(connection, EVERYTHING)), retention.all_kept(connection, EVERYTHING)

    tenants, kept = await run_in_threadpool(read)
    ages = read_ages("lineage_retention", hub.settings.lineage_retention)
    known = {one.tenant: one for one in kept}
    progress, default = hub.sweeper.progress, hub.settings.lineage_retention_days
    body = {
        "defaultDays": default,
        "tenants": [
            _tenant(known.get(name) or retention.Kept(name, None, None, None, 0), ages, default)
            for name in sorted({*tenants, *known, *ages})
        ],
        "sweep": {
            "running": hub.sweeper.is_running,
            "tenant": progress.tenant,
            "startedAt": _time(progress.started_at),
            "endedAt": _time(progress.ended_at),
            "eventsAhead": progress.events_ahead,
            "eventsExamined": progress.events_examined,
            "eventsRemoved": progress.events_removed,
            "deadLettersRemoved": progress.dead_letters_removed,
            "error": progress.error,
        },
    }
    return Response(encode(body), status_code=status, media_type="application/json")


def _tenant(kept: retention.Kept, ages: dict[str, int], default: int) -> dict[str, Any]:
    set_by = "tenant" if kept.days is not None else "lineage_retention" if kept.tenant in ages else "default"
    return {
        "tenant": kept.tenant,
        "days": days_of(kept.tenant, kept.days, ages, default),
        "setBy": set_by,
        "horizon": _time(kept.horizon_at),
        "sweptAt": _time(kept.swept_at),
        "removedEvents": kept.removed_events,
    }


def _time(at: int | None) -> str | None:
    return None if at is None else instant_text(at)
