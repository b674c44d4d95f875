"""Settings enter; the hub as an ASGI application leaves, which opens its store when it starts.

When it stops, what was accepted is written first, then the store is closed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import FastAPI, Response

from lineage_hub import __version__
from lineage_hub.errors import ExtraMissing
from lineage_hub.ingest.intake import Intake
from lineage_hub.ingest.refolding import Refolding
from lineage_hub.ingest.telemetry.open import Telemetry
from lineage_hub.model import EVERYTHING
from lineage_hub.query.queries import Queries
from lineage_hub.server import (
    analytics_routes,
    dead_letter_routes,
    declared_routes,
    docs_page,
    freshness_routes,
    health,
    history_routes,
    impact_routes,
    ingest_routes,
    openapi,
    otlp_routes,
    overview_routes,
    page,
    producer_routes,
    read_routes,
    retention_routes,
    rules_routes,
    said_routes,
    sample_routes,
    search_routes,
    stats_routes,
    stream_routes,
    telemetry_routes,
    why_routes,
)
from lineage_hub.server.errors import add_error_answers
from lineage_hub.server.extensions import Surroundings, extensions
from lineage_hub.server.feed import Feed
from lineage_hub.server.hub import Hub
from lineage_hub.server.metrics import Metrics
from lineage_hub.server.names import SlashesInNames
from lineage_hub.server.page import Page
from lineage_hub.server.prefixes import Prefixes
from lineage_hub.server.requests import Requests
from lineage_hub.server.sweeping import Sweeper
from lineage_hub.settings import Settings
from lineage_hub.store.open import LineageStore, open_store

if TYPE_CHECKING:
    from lineage_hub.wire.otlp import TelemetryTaker

if TYPE_CHECKING:
    from lineage_hub.server.self_tracing import SelfTracing

# In the order of the page at /docs.
GROUPS = (
    "Events in",
    "Telemetry in",
    "Lineage",
    "Search",
    "Jobs and runs",
    "Datasets",
    "Freshness",
    "Telemetry",
    "Analytics",
    "Namespaces",
    "Sources and tags",
    "Statistics",
    "Events",
    "Rules",
    "Dead letters",
    "Retention",
    "Health",
)
ROUTERS = (
    ingest_routes.router,
    otlp_routes.router,
    # Before those whose names of datasets may hold slashes.
    freshness_routes.router,
    history_routes.router,
    telemetry_routes.router,
    why_routes.router,
    search_routes.router,
    impact_routes.router,
    analytics_routes.router,
    declared_routes.router,
    said_routes.router,
    stats_routes.router,
    overview_routes.router,
    sample_routes.router,
    producer_routes.router,
    stream_routes.router,
    read_routes.router,
    rules_routes.router,
    dead_letter_routes.router,
    retention_routes.router,
    health.router,
    docs_page.router,
    page.router,
)
# Called without the framework; docs/decisions/0005-one-event-path.md has the measurements.
DIRECT = {("POST", ingest_routes.ONE_EVENT): ingest_routes.take_event}


def create_app(
    settings: Settings,
    *,
    clock: Callable[[], int] = time.time_ns,
    store: LineageStore | None = None,
    telemetry: TelemetryTaker | None = None,
    page_folder: Path = page.FOLDER,
) -> FastAPI:
    """The clock gives nanoseconds since 1970; a store that is open already is closed with the app.

    What takes telemetry may be given too, and where the built page lies; else they are the hub's own.
    """
    metrics = Metrics()
    tracing = _self_tracing(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        opened = store or open_store(settings)
        intake = Intake(opened, settings, clock)
        own = Telemetry(settings, clock, opened)
        metrics.watch(intake)
        metrics.watch_telemetry(own, tracing.observe_insert if tracing is not None else None)
        if tracing is not None:
            tracing.start(intake)
        intake.start()
        refolding = Refolding(opened, intake)
        refolding.start()
        app.state.settings, app.state.store, app.state.intake = settings, opened, intake
        queries = Queries(opened, settings.read_memory_mb)
        taker = telemetry or (own if own.is_installed else None)
        feed = Feed(opened)
        sweeper = Sweeper(opened, intake, settings, clock)
        hub = app.state.hub = Hub(
            settings, clock, opened, intake, metrics, queries, own, taker, feed, sweeper, tracing, refolding
        )

        async def tell(event: bytes) -> None:
            await intake.submit(EVERYTHING, [event], "hub")

        try:
            async with AsyncExitStack() as stack:
                if settings.otlp_grpc_port:
                    # Imported here: a hub that doesn't listen for gRPC stays as small as it is.
                    from lineage_hub.server import otlp_grpc

                    await stack.enter_async_context(otlp_grpc.listening(hub))
                for one in extensions():
                    around = Surroundings(settings, tell)
                    setattr(app.state, one.name, await stack.enter_async_context(one.running(around)))
                own.start_if_used()
                sweeper.start()
                yield
        finally:
            await feed.stop()
            await sweeper.stop()
            await own.stop()
            await refolding.stop()
            await intake.stop()
            if tracing is not None:
                await asyncio.to_thread(tracing.close)
            opened.close()

    app = FastAPI(
        title="Lineage Hub",
        description="Where data comes from, what it feeds, which run made it, and what changed.",
        version=__version__,
        openapi_tags=[{"name": name} for name in (*GROUPS, *(one.title for one in extensions()))],
        lifespan=lifespan,
        # Every route answers with bytes of its own making; a model would render them a second time.
        default_response_class=Response,
        redirect_slashes=False,
        # FastAPI's own pages load their scripts from elsewhere, which a hub without the internet can't.
        docs_url=None,
        redoc_url=None,
        swagger_ui_oauth2_redirect_url=None,
    )
    app.state.page = Page(page_folder)
    app.add_middleware(Requests, metrics=metrics, direct=DIRECT, tracing=tracing, prefixes=Prefixes(settings))
    add_error_answers(app)
    for router in (*ROUTERS, *(one.router for one in extensions())):
        # As they are: `include_router` makes each route a second time, at the first request.
        app.router.routes.extend(router.routes)
    app.router.default = SlashesInNames(app.router)
    openapi.describe(app)
    return app


def _self_tracing(settings: Settings) -> SelfTracing | None:
    """Imported only where it is wanted: it takes half a second."""
    if not settings.self_trace_endpoint:
        return None
    try:
        from lineage_hub.server.self_tracing import SelfTracing
    except ImportError:
        raise ExtraMissing.of("telemetry", "tracing the hub itself") from None
    return SelfTracing(settings)
