"""Questions after the hub's health enter; what its parts really answered leaves, with how long they took.

`/livez` asks whether the process runs, `/readyz` whether it can serve, `/api/v1/health` tells everything.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from fastapi import APIRouter, Request, Response
from sqlalchemy import select

from lineage_hub import __version__
from lineage_hub.errors import LineageHubError, StoreUnavailable
from lineage_hub.server import openapi
from lineage_hub.server.errors import render
from lineage_hub.server.hub import Hub, hub_of
from lineage_hub.server.metrics import CONTENT_TYPE_LATEST
from lineage_hub.store import tables
from lineage_hub.wire import instant_text

HEALTHY, DEGRADED, UNHEALTHY = "healthy", "degraded", "unhealthy"
# Long enough for a busy store, short enough for a probe.
CHECK_TIMEOUT_S = 3.0
TELEMETRY_TIMEOUT_S = 2.5
LITTLE_SPACE_BYTES = 256 << 20

router = APIRouter(tags=["Health"])


@dataclass(frozen=True, slots=True)
class Finding:
    status: str
    detail: str


@router.get("/api/v1/health", summary="Tell the state of the hub and of its parts", **openapi.HEALTH)
async def get_health(request: Request) -> Response:
    """503 when a part that is needed does not answer."""
    hub = hub_of(request.scope)
    names = tuple(_CHECKS)
    answers = await asyncio.gather(*(_timed(_CHECKS[name], hub) for name in names))
    found = {status for status, _ in ((finding.status, ms) for finding, ms in answers)}
    overall = next(status for status in (UNHEALTHY, DEGRADED, HEALTHY) if status in found)
    body = {
        "status": overall,
        "timestamp": instant_text(hub.clock()),
        "service": "lineage-hub",
        "version": __version__,
        "dependencies": {
            name: {"status": finding.status, "latency_ms": ms, "detail": finding.detail}
            for name, (finding, ms) in zip(names, answers, strict=True)
        },
    }
    return _json(body, 503 if overall == UNHEALTHY else 200)


@router.get("/livez", summary="Tell whether the process runs", **openapi.PROBE)
async def get_livez() -> Response:
    return _json({"status": "alive"})


@router.get("/readyz", summary="Tell whether the hub can serve", **openapi.PROBE)
async def get_readyz(request: Request) -> Response:
    hub = hub_of(request.scope)
    for check in (_check_writer, _check_store):
        finding, _ = await _timed(check, hub)
        if finding.status == UNHEALTHY:
            raise StoreUnavailable(f"not ready: {finding.detail}", subject="hub", action="see /api/v1/health")
    return _json({"status": "ready"})


@router.get("/metrics", summary="Metrics for Prometheus", **openapi.METRICS)
async def get_metrics(request: Request) -> Response:
    return Response(hub_of(request.scope).metrics.text(), headers={"content-type": CONTENT_TYPE_LATEST})


async def _check_store(hub: Hub) -> Finding:
    def ask() -> None:
        with hub.store.reading() as connection:
            connection.execute(select(tables.tenant.c.id).limit(1)).all()

    await asyncio.to_thread(ask)
    return Finding(HEALTHY, f"{hub.store.url.get_backend_name()} answers")


async def _check_writer(hub: Hub) -> Finding:
    if not hub.intake.is_alive():
        return Finding(UNHEALTHY, "the writer's thread has ended")
    # An empty transaction takes the writer's lock and its place in the queue, and writes nothing.
    await hub.intake.write(lambda connection: None)
    return Finding(HEALTHY, f"{hub.intake.queued_bytes()} bytes wait")


async def _check_disk(hub: Hub) -> Finding:
    if not hub.store.is_sqlite:
        return Finding(HEALTHY, "the database keeps its own disk")
    free = (await asyncio.to_thread(shutil.disk_usage, hub.settings.data_dir)).free
    return Finding(DEGRADED if free < LITTLE_SPACE_BYTES else HEALTHY, f"{free / 1e9:.1f} GB are free")


async def _check_telemetry(hub: Hub) -> Finding:
    """Lineage is served without it, so that its trouble makes the hub a lesser one and not a broken one."""
    if not hub.telemetry.is_used:
        return Finding(HEALTHY, "not in use")
    try:
        async with asyncio.timeout(TELEMETRY_TIMEOUT_S):
            await hub.telemetry.ping()
    except TimeoutError:
        return Finding(DEGRADED, f"no answer within {TELEMETRY_TIMEOUT_S:g} s")
    except LineageHubError as error:
        return Finding(DEGRADED, error.message)
    intake = hub.telemetry.running
    return Finding(HEALTHY, f"{intake.queued_bytes() if intake else 0} bytes wait")


Check = Callable[[Hub], Awaitable[Finding]]
_CHECKS: dict[str, Check] = {
    "store": _check_store,
    "writer": _check_writer,
    "disk": _check_disk,
    "telemetry": _check_telemetry,
}


async def _timed(check: Check, hub: Hub) -> tuple[Finding, float]:
    started = time.perf_counter()
    try:
        async with asyncio.timeout(CHECK_TIMEOUT_S):
            finding = await check(hub)
    except TimeoutError:
        finding = Finding(UNHEALTHY, f"no answer within {CHECK_TIMEOUT_S:g} s")
    except LineageHubError as error:
        finding = Finding(UNHEALTHY, error.message)
    except OSError as error:
        finding = Finding(UNHEALTHY, f"the data folder can't be read: {error.strerror}")
    return finding, round((time.perf_counter() - started) * 1000, 3)


def _json(value: object, status: int = 200) -> Response:
    return Response(render(value), status, media_type="application/json")
