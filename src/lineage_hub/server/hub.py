"""The parts that a running hub is made of enter when it starts; every route finds them here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.types import Scope as Connection

from lineage_hub.ingest.intake import Intake
from lineage_hub.ingest.refolding import Refolding
from lineage_hub.ingest.telemetry.open import Telemetry
from lineage_hub.query.queries import Queries
from lineage_hub.server.feed import Feed
from lineage_hub.server.metrics import Metrics
from lineage_hub.server.sweeping import Sweeper
from lineage_hub.settings import Settings
from lineage_hub.store.open import LineageStore

if TYPE_CHECKING:
    from lineage_hub.wire.otlp import TelemetryTaker

if TYPE_CHECKING:
    from lineage_hub.server.self_tracing import SelfTracing


@dataclass(frozen=True, slots=True)
class Hub:
    settings: Settings
    clock: Callable[[], int]
    store: LineageStore
    intake: Intake
    metrics: Metrics
    queries: Queries
    telemetry: Telemetry
    taker: TelemetryTaker | None
    """Of telemetry; None where the extra is not installed."""
    feed: Feed
    sweeper: Sweeper
    tracing: SelfTracing | None = None
    """Of the hub itself, where that is wanted."""
    refolding: Refolding | None = None
    """Of history, by rules that have changed; a running hub has it."""


def hub_of(connection: Connection) -> Hub:
    hub: Hub = connection["app"].state.hub
    return hub
