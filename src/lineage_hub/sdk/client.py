"""Events and questions enter; the hub's typed answers leave, once they are there. Errors are those of one tree.

`LineageHubClient` is awaited, `SyncLineageHubClient` is not; they are the same otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lineage_hub.sdk import hub_api
from lineage_hub.sdk.answers import Health, LineageResult, Namespace, TelemetryResult
from lineage_hub.sdk.config import LineageHubConfig
from lineage_hub.sdk.destination import Destination
from lineage_hub.sdk.shells import AsyncTalker, SyncTalker
from lineage_hub.transports.base import Event


class LineageHubClient(AsyncTalker):
    """What isn't given comes from `get_config()`. `async with` closes it."""

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        namespace: str | None = None,
        config: LineageHubConfig | None = None,
    ) -> None:
        super().__init__(Destination.of(base_url, api_key, namespace, config))

    async def health_check(self) -> Health:
        return await self._shell.run(hub_api.check_health(self.destination))

    async def send_lineage_events(
        self, events: Iterable[Event], namespace: str | None = None, source: str | None = None
    ) -> LineageResult:
        """Mappings, JSON or OpenLineage's objects. What the hub refuses stands in the result; it is no error."""
        return await self._shell.run(hub_api.send_lineage(self.destination, events, namespace, source))

    async def send_telemetry_data(
        self,
        traces: Iterable[Any] | None = None,
        metrics: Iterable[Any] | None = None,
        namespace: str | None = None,
        source: str | None = None,
    ) -> TelemetryResult:
        return await self._shell.run(hub_api.send_telemetry(self.destination, traces, metrics, namespace, source))

    async def get_namespace(self, name: str) -> Namespace:
        """Raises NotFound for one that no event has named."""
        return await self._shell.run(hub_api.get_namespace(self.destination, name))

    async def list_namespaces(self) -> list[Namespace]:
        return await self._shell.run(hub_api.list_namespaces(self.destination))


class SyncLineageHubClient(SyncTalker):
    """As `LineageHubClient`, without `await`."""

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        namespace: str | None = None,
        config: LineageHubConfig | None = None,
    ) -> None:
        super().__init__(Destination.of(base_url, api_key, namespace, config))

    def health_check(self) -> Health:
        return self._shell.run(hub_api.check_health(self.destination))

    def send_lineage_events(
        self, events: Iterable[Event], namespace: str | None = None, source: str | None = None
    ) -> LineageResult:
        """Mappings, JSON or OpenLineage's objects. What the hub refuses stands in the result; it is no error."""
        return self._shell.run(hub_api.send_lineage(self.destination, events, namespace, source))

    def send_telemetry_data(
        self,
        traces: Iterable[Any] | None = None,
        metrics: Iterable[Any] | None = None,
        namespace: str | None = None,
        source: str | None = None,
    ) -> TelemetryResult:
        return self._shell.run(hub_api.send_telemetry(self.destination, traces, metrics, namespace, source))

    def get_namespace(self, name: str) -> Namespace:
        """Raises NotFound for one that no event has named."""
        return self._shell.run(hub_api.get_namespace(self.destination, name))

    def list_namespaces(self) -> list[Namespace]:
        return self._shell.run(hub_api.list_namespaces(self.destination))
