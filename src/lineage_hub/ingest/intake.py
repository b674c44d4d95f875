"""Event texts enter with a scope; when `submit` returns, each is durable and readable, or kept as a dead letter.

Requests that arrive together share one transaction (group commit), written by one thread; nobody waits longer for
company than the setting allows.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy import Connection

from lineage_hub.errors import InternalError, InvalidEvent, LineageHubError, Overloaded, Terminal
from lineage_hub.lineage.rows import event_reference
from lineage_hub.logs import get_logger
from lineage_hub.model import Scope
from lineage_hub.settings import Settings
from lineage_hub.store import dead_letters
from lineage_hub.store.folding import Progress
from lineage_hub.store.open import LineageStore
from lineage_hub.store.writer import LineageWriter
from lineage_hub.wire import Decoder, Event

T = TypeVar("T")
Clock = Callable[[], int]
# Decoding many events in a row would keep other requests waiting.
PAUSE_EVERY = 200
_log = get_logger("ingest")


@dataclass(slots=True)
class Outcome:
    event: Event | None = None
    error: LineageHubError | None = None
    repeated: bool = False
    known_at: int = 0

    @property
    def event_id(self) -> str | None:
        return event_reference(self.event.event_at, self.event.event_id) if self.event is not None else None


@dataclass(slots=True)
class Submission:
    """One request's part of a group; `future` ends when the group is durable."""

    scope: Scope
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    events: list[tuple[Event, int]] = field(default_factory=list)
    letters: list[dead_letters.Rejected] = field(default_factory=list)
    call: Callable[[Connection], Any] | None = None
    size: int = 0


class Intake:
    def __init__(self, store: LineageStore, settings: Settings, clock: Clock = time.time_ns) -> None:
        self._store, self._settings, self._clock = store, settings, clock
        self._decoder = Decoder(max_name_bytes=settings.ingest_max_name_bytes)
        self._writer = LineageWriter(store.codec)
        self._queue: queue.SimpleQueue[Submission | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="writer", daemon=True)
        self._queued = 0
        self._lock = threading.Lock()
        self._stopping = False
        self.counts: Counter[str] = Counter()
        self.observe_group: Callable[[int, float], None] = lambda events, seconds: None

    def start(self) -> None:
        self._thread.start()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def queued_bytes(self) -> int:
        return self._queued

    async def stop(self) -> None:
        """Everything accepted is written first."""
        self._stopping = True
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    async def submit(self, scope: Scope, bodies: Sequence[bytes], source: str) -> list[Outcome]:
        submission = self._submission(scope, sum(map(len, bodies)))
        outcomes: list[Outcome] = []
        for at, body in enumerate(bodies):
            if at and at % PAUSE_EVERY == 0:
                await asyncio.sleep(0)
            outcomes.append(self._take(submission, body, source))
        if not submission.events and not submission.letters:
            return outcomes
        repeated = await self._written(submission)
        fresh = iter(repeated)
        for outcome in outcomes:
            if outcome.error is None:
                outcome.repeated = next(fresh)
        return outcomes

    def _take(self, submission: Submission, body: bytes, source: str) -> Outcome:
        known_at = self._clock()
        try:
            event = self._decoder.decode(body, submission.scope.tenant)
        except InvalidEvent as error:
            submission.letters.append(dead_letters.Rejected.because(error, body, source, known_at))
            self.counts["rejected"] += 1
            return Outcome(error=error)
        submission.events.append((event, known_at))
        return Outcome(event, known_at=known_at)

    async def write(self, call: Callable[[Connection], T]) -> T:
        """Run `call` in the writer's thread, in a durable transaction with whatever else is due."""
        submission = self._submission(Scope(), 0)
        submission.call = call
        result: T = await self._written(submission)
        return result

    async def fold_again(self) -> Progress:
        """One step of what rules that have changed make of history."""
        return await self.write(lambda connection: self._writer.folding.step(connection, self._writer, self._clock()))

    def _submission(self, scope: Scope, size: int) -> Submission:
        if self._stopping:
            raise Overloaded("the hub is stopping", subject="intake", action="send it again to the next hub")
        if self._queued + size > self._settings.ingest_queue_bytes:
            raise Overloaded("the queue is full", subject="intake", action="send it again after a pause")
        loop = asyncio.get_running_loop()
        return Submission(scope, loop, loop.create_future(), size=size)

    async def _written(self, submission: Submission) -> Any:
        with self._lock:
            self._queued += submission.size
        self._queue.put(submission)
        try:
            async with asyncio.timeout(self._settings.ingest_timeout_s):
                return await asyncio.shield(submission.future)
        except TimeoutError:
            raise Overloaded(
                "the store took too long", subject="store", action="send it again; a repeat does no harm"
            ) from None

    def _work(self) -> None:
        while True:
            group, more = self._next_group()
            if group:
                started = time.perf_counter()
                self._commit(group)
                events = sum(len(submission.events) for submission in group)
                self.observe_group(events, time.perf_counter() - started)
            if not more:
                return

    def _next_group(self) -> tuple[list[Submission], bool]:
        first = self._queue.get()
        if first is None:
            return [], False
        group, events = [first], len(first.events)
        deadline = time.monotonic() + self._settings.ingest_group_wait_ms / 1000
        while events < self._settings.ingest_group_events:
            try:
                # Waiting pays only while others are on their way; a lone producer is served at once.
                wait = deadline - time.monotonic() if self._busy(group) else 0
                following = self._queue.get(timeout=wait) if wait > 0 else self._queue.get_nowait()
            except queue.Empty:
                break
            if following is None:
                return group, False
            group.append(following)
            events += len(following.events)
        self._last_group = len(group)
        return group, True

    _last_group = 0

    def _busy(self, group: list[Submission]) -> bool:
        return len(group) < self._last_group

    def _commit(self, group: list[Submission]) -> None:
        try:
            results = self._transaction(group)
        except LineageHubError as error:
            self._writer.rolled_back()
            self._resolve([(submission, error) for submission in group])
        except Exception as error:  # one request must not fail the others that share its transaction
            self._writer.rolled_back()
            if len(group) > 1:
                for submission in group:
                    self._commit([submission])
                return
            _log.exception("write_failed")
            failure = InternalError(f"the write failed: {type(error).__name__}", subject="writer")
            self._resolve([(group[0], failure)])
        else:
            self._resolve(list(zip(group, results, strict=True)))

    def _transaction(self, group: list[Submission]) -> list[Any]:
        batch = [item for submission in group for item in submission.events]
        results: list[Any] = []
        with self._store.writing() as connection:
            written = self._writer.write(connection, group[0].scope, batch) if batch else None
            at = 0
            for submission in group:
                if submission.letters:
                    self.counts["evicted"] += dead_letters.add(
                        connection, submission.scope, submission.letters, self._settings.dead_letter_max
                    )
                if submission.call is not None:
                    results.append(_called(connection, submission.call))
                    continue
                assert written is not None or not submission.events
                count = len(submission.events)
                results.append(written.repeated[at : at + count] if written else [])
                at += count
        if written is not None or any(isinstance(result, Progress) for result in results):
            self._writer.committed()
        if written is not None:
            self._store.changes.apply(
                written.entities, topology=written.topology, first_seq=written.first_seq, last_seq=written.last_seq
            )
            kinds = [event.kind for event, _ in batch]
            for (kind, again), count in Counter(zip(kinds, written.repeated, strict=True)).items():
                self.counts[f"{kind} {'repeated' if again else 'accepted'}"] += count
        return results

    def _resolve(self, results: list[tuple[Submission, Any]]) -> None:
        with self._lock:
            self._queued -= sum(submission.size for submission, _ in results)
        with contextlib.suppress(RuntimeError):  # the loop may be gone after a hard stop
            results[0][0].loop.call_soon_threadsafe(_finish, results)


def _called(connection: Connection, call: Callable[[Connection], Any]) -> Any:
    """What the call refuses is its own affair: the events in the same transaction are written all the same."""
    try:
        with connection.begin_nested():
            return call(connection)
    except Terminal as error:
        return error


def _finish(results: list[tuple[Submission, Any]]) -> None:
    for submission, result in results:
        if submission.future.done():
            continue
        if isinstance(result, Exception):
            submission.future.set_exception(result)
        else:
            submission.future.set_result(result)
