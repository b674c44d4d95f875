"""Groups of requests enter; each is inserted and done in the journal when it leaves, or failed and taken back.

Whatever is killed when: a batch that is not done in the journal is removed before anything else is inserted.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from secrets import randbits
from typing import Any, Protocol

from lineage_hub.errors import (
    ExtraMissing,
    InternalError,
    InvalidSetting,
    LineageHubError,
    StoreTooNew,
    StoreUnavailable,
    Transient,
)
from lineage_hub.ingest.telemetry.batches import Batch, Columns, Request, batches_of
from lineage_hub.ingest.telemetry.journal import IntakeJournal
from lineage_hub.ingest.telemetry.suspects import Suspects
from lineage_hub.logs import get_logger

# Not the fault of any request: each of them would fail by itself too.
_OF_ALL = (Transient, ExtraMissing, StoreTooNew, InvalidSetting)
_log = get_logger("telemetry")
Resolve = Callable[..., None]


class TelemetryTables(Protocol):
    """What is asked of the store here."""

    def insert(self, table: str, columns: Columns, batch: int) -> None: ...

    def remove(self, batch: int, tables: Sequence[str]) -> None: ...

    def rebuild(self, hours: Sequence[int]) -> None: ...

    def ask(self, sql: str, parameters: dict[str, Any] | None = None) -> list[dict[str, Any]]: ...


class BatchWriter:
    """Used by one thread; any may ask `knows`."""

    def __init__(self, store: TelemetryTables, folder: Path, clock: Callable[[], int], counts: Counter[str]) -> None:
        self._store, self._folder, self._clock, self._counts = store, folder, clock, counts
        self._journal: IntakeJournal | None = None
        self._last_batch = 0
        self._suspects = Suspects()
        self.observe: Callable[[Batch, float], None] = lambda batch, seconds: None

    def knows(self, request: bytes) -> bool:
        return self._journal is not None and self._journal.knows(request)

    @property
    def is_torn(self) -> bool:
        """There are, or may be, batches to be taken back."""
        return self._journal is None or bool(self._journal.unfinished)

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()

    def mend(self) -> IntakeJournal:
        """Nothing of a batch without an end is in tables and rollups when it returns; done twice it does no harm."""
        journal = self._opened()
        torn = journal.unfinished
        if torn:
            # The file must not call done what is about to be removed.
            journal.refresh()
            for intent in torn:
                self._store.remove(intent.batch, [intent.table])
            hours = sorted({hour for intent in torn for hour in intent.hours})
            if hours:
                self._store.rebuild(hours)
            journal.take_back([intent.batch for intent in torn])
            self._counts["taken back"] += len(torn)
            _log.info("batches_taken_back", batches=len(torn), hours=len(hours))
        return journal

    def write(self, group: Sequence[Request], resolve: Resolve) -> None:
        """`resolve` is called once for each request, with the error if it failed."""
        try:
            known = self._opened()
            repeats = [request for request in group if known.knows(request.key)]
            if repeats:
                # Taken by an earlier hub, whose journal had not been read when they came.
                self._counts["repeated"] += len(repeats)
                resolve(repeats)
            self._refuse_deadly(group, resolve)
            fresh = [request for request in group if not request.future.done()]
            if not fresh:
                return
            batches = self._batches(fresh)
            self.mend().intend([batch.intent for batch in batches])
        except LineageHubError as error:
            resolve([request for request in group if not request.future.done()], error)
            return
        failed = self._insert(batches, resolve)
        for batch, cause in failed:
            self._answer(batch, cause, resolve)

    def _refuse_deadly(self, group: Sequence[Request], resolve: Resolve) -> None:
        for request in group:
            refusal = self._suspects.refusal(request.key)
            if refusal is not None and not request.future.done():
                self._counts["failed"] += 1
                _log.error("request_ends_the_store", kind=request.kind, rows=request.rows, namespace=request.namespace)
                resolve([request], refusal)

    def _batches(self, requests: Sequence[Request]) -> list[Batch]:
        """Who was there when the store went away comes last and alone: should it be the cause, it harms no other."""
        usual = [request for request in requests if request.key not in self._suspects]
        alone = [[request] for request in requests if request.key in self._suspects]
        return [batch for group in (usual, *alone) for batch in batches_of(group, self._next_batch)]

    def _insert(self, batches: Sequence[Batch], resolve: Resolve) -> list[tuple[Batch, Exception]]:
        failed: list[tuple[Batch, Exception]] = []
        for batch in batches:
            if failed and isinstance(failed[-1][1], _OF_ALL):
                failed.append((batch, failed[-1][1]))
                continue
            suspect = batch.intent.requests[0] if batch.intent.requests[0] in self._suspects else None
            answers = False
            try:
                if suspect is not None:
                    # Should the store go away now, it was there until now.
                    self._store.ask("SELECT 1")
                    answers = True
                started = time.perf_counter()
                self._store.insert(batch.intent.table, batch.columns, batch.intent.batch)
                seconds = time.perf_counter() - started
                self._opened().finish([batch.intent.batch])
            except Exception as error:
                if isinstance(error, StoreUnavailable):
                    self._suspects.add(batch.intent.requests)
                    if suspect is not None and answers and error.midway:
                        self._suspects.count(suspect)
                failed.append((batch, error))
                continue
            self._suspects.clear(batch.intent.requests)
            self._counts[f"{batch.kind} accepted"] += batch.rows
            self._counts["batches"] += 1
            self._tell(batch, seconds)
            resolve(batch.requests)
        return failed

    def _tell(self, batch: Batch, seconds: float) -> None:
        """Who only watches can't make a batch fail that is durable, nor those after it."""
        try:
            self.observe(batch, seconds)
        except Exception:
            _log.exception("observer_failed")

    def _answer(self, batch: Batch, error: Exception, resolve: Resolve) -> None:
        """Of what could not be inserted: bad data of one request must not fail its neighbours."""
        if isinstance(error, _OF_ALL):
            self._counts["failed"] += len(batch.requests)
            resolve(batch.requests, error)
        elif len(batch.requests) > 1:
            for request in batch.requests:
                self.write([request], resolve)
        else:
            self._counts["failed"] += 1
            _log.error("insert_refused", table=batch.intent.table, rows=batch.rows, exc_info=error)
            reason = error.message if isinstance(error, LineageHubError) else type(error).__name__
            resolve(batch.requests, InternalError(f"the rows can't be inserted: {reason}", subject=batch.intent.table))

    def _opened(self) -> IntakeJournal:
        if self._journal is None:
            self._journal = IntakeJournal(self._folder, self._clock)
            self._last_batch = self._journal.last_batch
        return self._journal

    def _next_batch(self) -> int:
        """Greater than the last, and unlike those of other hubs that insert into the same tables."""
        self._last_batch = max((self._clock() // 10**6) << 20 | randbits(20), self._last_batch + 1)
        return self._last_batch
