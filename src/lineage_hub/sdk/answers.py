"""JSON of the hub enters, typed values leave that a caller can rely on."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec


class LineageResult(msgspec.Struct, frozen=True):
    """`accepted` counts what is durable in the hub; `errors` says "event 3: why" of what was refused."""

    accepted: int = 0
    rejected: int = 0
    errors: tuple[str, ...] = ()
    namespace: str = ""


class TelemetryResult(msgspec.Struct, frozen=True):
    """What the hub took of traces and metrics, and why not of the others."""

    traces_accepted: int = 0
    traces_rejected: int = 0
    metrics_accepted: int = 0
    metrics_rejected: int = 0
    errors: tuple[str, ...] = ()
    namespace: str = ""

    @property
    def accepted(self) -> int:
        return self.traces_accepted + self.metrics_accepted

    @property
    def rejected(self) -> int:
        return self.traces_rejected + self.metrics_rejected

    def __add__(self, other: TelemetryResult) -> TelemetryResult:
        return TelemetryResult(
            self.traces_accepted + other.traces_accepted,
            self.traces_rejected + other.traces_rejected,
            self.metrics_accepted + other.metrics_accepted,
            self.metrics_rejected + other.metrics_rejected,
            self.errors + other.errors,
            self.namespace or other.namespace,
        )


class Dependency(msgspec.Struct, frozen=True):
    status: str
    latency_ms: float = 0.0
    detail: str = ""


class Health(msgspec.Struct, frozen=True):
    """`status` is healthy, degraded or unhealthy."""

    status: str
    service: str = ""
    version: str = ""
    timestamp: datetime | None = None
    dependencies: dict[str, Dependency] = {}

    @property
    def is_healthy(self) -> bool:
        return self.status == "healthy"


class Namespace(msgspec.Struct, frozen=True):
    """An OpenLineage namespace, with what a hub knows of the tenant by that name."""

    name: str
    created_at: datetime | None = msgspec.field(default=None, name="createdAt")
    updated_at: datetime | None = msgspec.field(default=None, name="updatedAt")
    owner_name: str | None = msgspec.field(default=None, name="ownerName")
    description: str | None = None
    is_hidden: bool = msgspec.field(default=False, name="isHidden")
    display_name: str | None = None
    owners: tuple[str, ...] = ()
    viewers: tuple[str, ...] = ()
    daily_event_quota: int | None = None
    storage_retention_days: int | None = None
    tags: dict[str, Any] = {}


class NamespacePage(msgspec.Struct, frozen=True):
    namespaces: tuple[Namespace, ...]
    total: int | None = msgspec.field(default=None, name="totalCount")
