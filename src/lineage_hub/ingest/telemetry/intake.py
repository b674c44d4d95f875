"""Columns of requests enter with an identity; when `submit` returns, their rows are durable and stand there once.

Requests that arrive together share one insert for each table, made by one thread; a request alone waits for nobody.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from lineage_hub.errors import InternalError, LineageHubError, Overloaded
from lineage_hub.ingest.telemetry.batches import Batch, Columns, Request, hours_of, rows_of, size_of
from lineage_hub.ingest.telemetry.names import MetricNames
from lineage_hub.ingest.telemetry.writer import BatchWriter, TelemetryTables
from lineage_hub.logs import get_logger
from lineage_hub.settings import Settings
from lineage_hub.wire.otlp.columns import Kind

T = TypeVar("T")
Clock = Callable[[], int]
FOLDER = "telemetry"
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.5, 30.0
_log = get_logger("telemetry")


class TelemetryIntake:
    def __init__(self, store: TelemetryTables, settings: Settings, clock: Clock = time.time_ns) -> None:
        self._settings = settings
        self.counts: Counter[str] = Counter()
        self.names = MetricNames(store, settings.telemetry_max_metric_names)
        self._writer = BatchWriter(store, Path(settings.data_dir) / FOLDER, clock, self.counts)
        self._queue: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="telemetry writer", daemon=True)
        self._asking = ThreadPoolExecutor(1, "telemetry names")
        self._lock = threading.Lock()
        self._in_flight: dict[bytes, Request] = {}
        self._queued = 0
        self._expected = 0
        self._pause_s = _FIRST_PAUSE_S
        self._stopping = False

    def start(self) -> None:
        """What an earlier hub left by half is taken back first, in the background."""
        self._thread.start()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def queued_bytes(self) -> int:
        return self._queued

    def observe_inserts(self, observe: Callable[[Batch, float], None]) -> None:
        """`observe` is told of each insert and its seconds."""
        self._writer.observe = observe

    async def stop(self) -> None:
        """Everything accepted is written first."""
        with self._lock:
            self._stopping = True
        if self._thread.is_alive():
            self._queue.put(None)
            await asyncio.to_thread(self._thread.join)
        self._asking.shutdown(wait=False, cancel_futures=True)

    async def submit(
        self, kind: Kind, namespace: str, identity: bytes, columns: Columns, *, size: int | None = None
    ) -> None:
        """Returns once the rows are durable, at once for a repeat; `size` is what they take in memory, when known."""
        rows = rows_of(columns)
        if rows == 0:
            return
        size = size_of(columns) if size is None else size
        key = request_key(kind, namespace, identity)
        hours = hours_of(kind, columns)
        request = self._admitted(Request(kind, namespace, key, columns, rows, hours, size, Future()))
        if request is None:
            return
        await self._in_time(asyncio.wrap_future(request.future))

    async def admit(self, namespace: str, names: Sequence[str]) -> set[str]:
        """Those of the names of metrics for which there is no room in the namespace."""
        if self.names.are_known(namespace, names):
            return set()
        loop = asyncio.get_running_loop()
        # A thread of its own: a store that doesn't answer must not take those that others wait for.
        asking = loop.run_in_executor(self._asking, self.names.admit, namespace, names)
        return await self._in_time(asking)

    async def _in_time(self, awaited: asyncio.Future[T]) -> T:
        try:
            async with asyncio.timeout(self._settings.ingest_timeout_s):
                return await asyncio.shield(awaited)
        except TimeoutError:
            self.counts["refused"] += 1
            raise Overloaded(
                "the store took too long", subject="telemetry", action="send it again; a repeat does no harm"
            ) from None

    def _admitted(self, request: Request) -> Request | None:
        """The one to wait for: this one, or the same that is on its way; None when it was done lately."""
        with self._lock:
            if self._stopping:
                raise Overloaded("the hub is stopping", subject="telemetry", action="send it again to the next hub")
            before = self._in_flight.get(request.key)
            if before is not None or self._writer.knows(request.key):
                self.counts["repeated"] += 1
                return before
            # One that is larger than the bound is taken alone, or it would never be.
            if self._queued and self._queued + request.size > self._settings.telemetry_queue_bytes:
                self.counts["refused"] += 1
                raise Overloaded("the queue is full", subject="telemetry", action="send it again after a pause")
            self._in_flight[request.key] = request
            self.counts["requests"] += 1
            self._queued += request.size
            self._queue.put(request)
        return request

    def _work(self) -> None:
        self._mend()
        more = True
        while more:
            group, more = self._next_group()
            if not group:
                self._mend()
                continue
            self._expected = 0
            try:
                self._writer.write(group, self._resolve)
            except Exception:  # a defect here must not end the thread, nor leave anyone waiting
                _log.exception("batch_failed")
            failure = InternalError("the batch failed", subject="telemetry")
            self._resolve([request for request in group if not request.future.done()], failure)
        self._writer.close()

    def _mend(self) -> None:
        """Also while nobody sends: who reads should not see half of a batch for long."""
        try:
            self._writer.mend()
            self._pause_s = _FIRST_PAUSE_S
        except LineageHubError as error:
            _log.warning("batches_wait_to_be_taken_back", reason=error.message)
            self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S)
        except Exception:
            _log.exception("batches_wait_to_be_taken_back")
            self._pause_s = _LONGEST_PAUSE_S

    def _next_group(self) -> tuple[list[Request], bool]:
        """Requests for one batch, none when it is time to mend; and whether the thread goes on."""
        try:
            first = self._queue.get(timeout=self._pause_s if self._writer.is_torn else None)
        except queue.Empty:
            return [], True
        if first is None:
            return [], False
        group, rows = [first], first.rows
        deadline = time.monotonic() + self._settings.telemetry_batch_wait_ms / 1000
        while rows < self._settings.telemetry_batch_rows:
            try:
                # Waiting pays only while others are on their way; a lone exporter is served at once.
                wait = deadline - time.monotonic() if len(group) < self._expected else 0
                following = self._queue.get(timeout=wait) if wait > 0 else self._queue.get_nowait()
            except queue.Empty:
                break
            if following is None:
                return group, False
            group.append(following)
            rows += following.rows
        return group, True

    def _resolve(self, requests: Sequence[Request], error: LineageHubError | None = None) -> None:
        with self._lock:
            # As many as wait now, of this insert and for the next, are going to send again. To take those that are
            # there by chance would make two groups that take turns, and each insert costs the store about the same.
            self._expected = max(self._expected, len(self._in_flight))
            for request in requests:
                self._queued -= request.size
                del self._in_flight[request.key]
        for request in requests:
            if error is None:
                request.future.set_result(None)
            else:
                request.future.set_exception(error)


def request_key(kind: Kind, namespace: str, identity: bytes) -> bytes:
    return sha256(b"\0".join((kind.encode(), namespace.encode(), identity))).digest()[:16]
