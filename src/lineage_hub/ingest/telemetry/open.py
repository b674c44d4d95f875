"""The hub's settings and its lineage store enter; everything telemetry needs leaves, started when it is first used.

In use is telemetry once something was sent, or when a folder of it is there, or a ClickHouse server is named: only
then an engine, threads and files come to be.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lineage_hub.settings import Settings

if TYPE_CHECKING:
    from lineage_hub.ingest.telemetry.batches import Batch
    from lineage_hub.ingest.telemetry.following import RunFollower
    from lineage_hub.ingest.telemetry.intake import TelemetryIntake
    from lineage_hub.store.open import LineageStore
    from lineage_hub.store.telemetry.open import TelemetryStore
    from lineage_hub.wire.otlp.columns import Kind

FOLDER = "telemetry"
_EMBEDDED = ("chdb", "clickhouse_connect", "pyarrow")
Observe = Callable[["Batch", float], None]


class Telemetry:
    """`store` is for whoever asks; nothing of it is started before the first question."""

    def __init__(self, settings: Settings, clock: Callable[[], int], lineage: LineageStore) -> None:
        self._settings, self._clock, self._lineage = settings, clock, lineage
        self.folder = Path(settings.data_dir) / FOLDER
        self._lock = threading.Lock()
        self._store: TelemetryStore | None = None
        self._intake: TelemetryIntake | None = None
        self._follower: RunFollower | None = None
        self._ping: asyncio.Future[Any] | None = None
        self._observe: Observe = lambda batch, seconds: None

    @property
    def is_installed(self) -> bool:
        needed = ("clickhouse_connect", "pyarrow") if self._settings.clickhouse_url else _EMBEDDED
        return all(find_spec(name) is not None for name in needed)

    @property
    def is_used(self) -> bool:
        if self._intake is not None:
            return True
        return (bool(self._settings.clickhouse_url) or self.folder.is_dir()) and self.is_installed

    @property
    def store(self) -> TelemetryStore:
        with self._lock:
            if self._store is None:
                self._store = self._opened()
            return self._store

    @property
    def intake(self) -> TelemetryIntake:
        """Runs once it is asked for; so does what fills the table of runs."""
        if self._intake is None:
            store = self.store
            with self._lock:
                if self._intake is None:
                    self._start(store)
        assert self._intake is not None
        return self._intake

    @property
    def running(self) -> TelemetryIntake | None:
        """For those who only look."""
        return self._intake

    def start_if_used(self) -> None:
        """What an earlier hub left by half is taken back, though nobody sends anything."""
        if self.is_used:
            _ = self.intake

    def observe_inserts(self, observe: Observe) -> None:
        self._observe = observe

    async def submit(
        self,
        kind: Kind,
        namespace: str,
        identity: bytes,
        columns: Mapping[str, Sequence[Any]],
        *,
        size: int | None = None,
    ) -> None:
        await self.intake.submit(kind, namespace, identity, columns, size=size)

    async def admit(self, namespace: str, names: Sequence[str]) -> set[str]:
        return await self.intake.admit(namespace, names)

    async def ping(self) -> None:
        """Returns when the store answers. One question for all who ask: probes must not take the threads of others."""
        if self._ping is None or self._ping.done():
            self._ping = asyncio.ensure_future(asyncio.to_thread(self.store.ask, "SELECT 1"))
        await asyncio.shield(self._ping)

    async def stop(self) -> None:
        """What was accepted is written first, then the engine ends."""
        if self._intake is not None:
            await self._intake.stop()
        if self._follower is not None:
            await asyncio.to_thread(self._follower.stop)
        if self._store is not None:
            await asyncio.to_thread(self._store.close)

    def _opened(self) -> TelemetryStore:
        from lineage_hub.store.telemetry.open import open_telemetry

        return open_telemetry(self._settings)

    def _start(self, store: TelemetryStore) -> None:
        from lineage_hub.ingest.telemetry.following import RunFollower
        from lineage_hub.ingest.telemetry.intake import TelemetryIntake

        intake = TelemetryIntake(store, self._settings, self._clock)
        intake.observe_inserts(self._observe)
        intake.start()
        self._follower = RunFollower(self._lineage, store, self.folder, self._settings.clickhouse_url)
        self._follower.start()
        self._intake = intake
