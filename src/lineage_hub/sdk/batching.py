"""Events enter one at a time, and are on disk when the call returns; a thread sends them in batches, in order.

They wait in a spool (`transports.spool`), not in memory: a hub that is down costs neither memory nor events, and what
a program leaves behind the next one sends. `BatchingLineageClient` is awaited, `SyncBatchingLineageClient` is not.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec

from lineage_hub.errors import Conflict, InvalidEvent, InvalidSetting
from lineage_hub.model.scope import is_tenant_name
from lineage_hub.sdk.client import LineageHubClient, SyncLineageHubClient
from lineage_hub.sdk.destination import Destination
from lineage_hub.transports.base import Event, event_text
from lineage_hub.transports.console import ConsoleTransport
from lineage_hub.transports.hub import HubConfig, HubTransport
from lineage_hub.transports.journal import Counts
from lineage_hub.transports.spool import SpoolConfig, SpoolTransport, folder_name

if TYPE_CHECKING:
    AnyClient = LineageHubClient | SyncLineageHubClient

_decode_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class _Batches:
    """What both clients do; nothing of it waits, except `flush` and `stop`."""

    def __init__(self, to: Destination, batch_size: int, flush_interval: float) -> None:
        if batch_size < 1 or not flush_interval >= 0:
            raise InvalidSetting(
                f"batch_size={batch_size!r} and flush_interval={flush_interval!r} make no batches",
                subject="batch_size",
                action="give at least one event, and seconds that aren't negative",
            )
        if not is_tenant_name(to.namespace):
            # Asked now: later the hub would refuse each event for it.
            raise InvalidSetting(
                f"the namespace {to.namespace[:60]!r} is not valid",
                subject="namespace",
                action="use 3 to 50 lower-case letters, digits and hyphens, with a letter or digit at both ends",
            )
        self.to, self._size, self._interval_s = to, batch_size, flush_interval
        self._spool: SpoolTransport | None = None
        self._counts = Counts()
        self._stopped = False
        self._lock = threading.Lock()

    @property
    def _is_sending(self) -> bool:
        return self.to.config.enable_lineage and not self.to.config.dry_run

    def start(self) -> None:
        self._stopped = False
        if self._is_sending:
            self._opened()

    def _opened(self) -> SpoolTransport:
        with self._lock:
            if self._stopped:
                raise Conflict("the client is stopped", subject=self.to.url, action="call start() first")
            if self._spool is None:
                self._spool = self._make()
                self._counts = self._spool.counts
            return self._spool

    def _make(self) -> SpoolTransport:
        to, config = self.to, self.to.config
        hub = HubConfig(url=to.url, headers=to.authorization, namespace=to.namespace, timeout=to.timeout_s)
        # Beside what else is spooled there, so that nothing of it is sent to this client's namespace.
        folder = str(Path(config.spool_folder) / folder_name(hub.destination)) if config.spool_folder else ""
        return SpoolTransport(
            SpoolConfig(
                transport={"type": hub.kind}, folder=folder, durable=config.durable,
                batch_events=self._size, linger=self._interval_s,
            ),
            HubTransport(hub),
        )  # fmt: skip

    def add(self, event: Event) -> None:
        text = event_text(event)
        if not isinstance(event, Mapping):
            _check_object(text)
        if self._is_sending:
            self._opened().send(text)
        elif self.to.config.enable_lineage:
            ConsoleTransport().send(text)

    def flush(self, timeout: float | None) -> bool:
        spool = self._spool
        return spool is None or spool.flush(self.to.timeout_s if timeout is None else timeout)

    def stop(self, timeout: float | None) -> bool:
        with self._lock:
            spool, self._spool, self._stopped = self._spool, None, True
        return spool is None or spool.close(self.to.timeout_s if timeout is None else timeout)

    @property
    def counts(self) -> Counts:
        return self._counts


def _check_object(text: bytes) -> None:
    """What is no JSON object would spoil the batch that it is in."""
    try:
        _decode_object(text)
        text.decode()
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise InvalidEvent(
            f"the event is no JSON object: {error}", subject="event", action="send an OpenLineage event"
        ) from None


class BatchingLineageClient:
    """`base_client` says where to send; without one `get_config()` does. `async with` stops it."""

    def __init__(
        self,
        base_client: AnyClient | None = None,
        batch_size: int = 100,
        flush_interval: float = 5.0,
        auto_start: bool = True,
    ) -> None:
        to = base_client.destination if base_client is not None else Destination.of()
        self._batches = _Batches(to, batch_size, flush_interval)
        if auto_start:
            self.start()

    def start(self) -> None:
        """Also after `stop`, and without a running loop. The first event does it, if nothing else has."""
        self._batches.start()

    async def add_event(self, event: Event) -> None:
        """On disk when it returns, in some 20 µs, whatever the hub does. Raises StorageFull when there is no room."""
        self._batches.add(event)

    async def flush(self, timeout: float | None = None) -> bool:  # noqa: ASYNC109 - a thread waits
        """Whether all that was added has been confirmed within so many seconds (else the configured timeout)."""
        return await asyncio.to_thread(self._batches.flush, timeout)

    async def stop(self, timeout: float | None = None) -> bool:  # noqa: ASYNC109 - a thread waits
        """Flushes first; what could not be sent in time stays on disk, for the next program."""
        return await asyncio.to_thread(self._batches.stop, timeout)

    @property
    def counts(self) -> Counts:
        """Events taken, sent, rejected by the hub, and refused for want of room."""
        return self._batches.counts

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.stop()


class SyncBatchingLineageClient:
    """As `BatchingLineageClient`, without `await`."""

    def __init__(
        self,
        base_client: AnyClient | None = None,
        batch_size: int = 100,
        flush_interval: float = 5.0,
        auto_start: bool = True,
    ) -> None:
        to = base_client.destination if base_client is not None else Destination.of()
        self._batches = _Batches(to, batch_size, flush_interval)
        if auto_start:
            self.start()

    def start(self) -> None:
        """Also after `stop`. The first event does it, if nothing else has."""
        self._batches.start()

    def add_event(self, event: Event) -> None:
        """On disk when it returns, in some 20 µs, whatever the hub does. Raises StorageFull when there is no room."""
        self._batches.add(event)

    def flush(self, timeout: float | None = None) -> bool:
        """Whether all that was added has been confirmed within so many seconds (else the configured timeout)."""
        return self._batches.flush(timeout)

    def stop(self, timeout: float | None = None) -> bool:
        """Flushes first; what could not be sent in time stays on disk, for the next program."""
        return self._batches.stop(timeout)

    @property
    def counts(self) -> Counts:
        """Events taken, sent, rejected by the hub, and refused for want of room."""
        return self._batches.counts

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()
