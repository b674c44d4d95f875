"""Events enter and are on disk before `send` returns; a thread in the background sends them on by another transport.

They leave in the order in which they came, by this process or the next. What the other side can't take now is tried
again, with patience; what it never will is put aside. When there is no room an event is refused, and once there is
room again an event tells of the gap.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakSet

from lineage_hub.errors import InvalidSetting, LineageHubError, Refusal, StorageFull, Terminal, Transient, Unreachable
from lineage_hub.transports.base import Refused, Transport, event_text
from lineage_hub.transports.config import Config
from lineage_hub.transports.gap import Gap, gap_event
from lineage_hub.transports.journal import Journal, Record, Segment
from lineage_hub.transports.patience import Patience
from lineage_hub.transports.watch import Watch

MIB = 1024 * 1024


def default_folder() -> Path:
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "lineage-hub" / "spool"


@dataclass(frozen=True, slots=True)
class SpoolConfig(Config):
    kind: ClassVar[str] = "spool"
    transport: Mapping[str, Any]
    folder: str = ""
    max_bytes: int = 1024 * MIB
    batch_events: int = 500
    batch_bytes: int = 2 * MIB
    linger: float = 0.05
    """Seconds that events wait for company before they are sent."""
    durable: bool = False
    """Whether `send` waits until an event would outlive a loss of power."""
    exit_timeout: float = 3.0
    """Seconds that the end of the program waits for what is still to be sent."""
    first_wait: float = 0.1
    longest_wait: float = 30.0
    open_after: int = 5
    cooling: float = 10.0


class SpoolTransport(Transport):
    kind: ClassVar[str] = "spool"
    config_class: ClassVar[type[Config]] = SpoolConfig

    def __init__(self, config: SpoolConfig, inner: Transport | None = None) -> None:
        if inner is None:
            from lineage_hub.transports.factory import TransportFactory

            inner = TransportFactory().create(dict(config.transport))
        if isinstance(inner, SpoolTransport):
            raise InvalidSetting("a spool can't wrap a spool", subject="transport", action="name another transport")
        self.config, self.inner = config, inner
        self.journal = Journal(_folder_of(config, inner), config.max_bytes)
        self.counts = self.journal.counts
        self._gap: Gap | None = None
        self._lock = threading.Lock()
        self._worker: _Worker | None = None
        self._worker_lock = threading.Lock()
        self._closed = False
        _every_spool.add(self)

    def send(self, event: object) -> None:
        """On disk when it returns; raises StorageFull when there is no room for it."""
        self.take(event_text(event))

    def send_batch(self, events: Sequence[bytes]) -> list[Refused]:
        for event in events:
            self.send(event)
        return []

    def take(self, text: bytes) -> None:
        """As `send`, of an event that is JSON on one line already."""
        gap = self._take_gap() if self._gap is not None else None
        try:
            segment, end, number = self.journal.append(text, gap_event(gap) if gap is not None else None)
        except StorageFull as error:
            self._note_gap(gap, str(error))
            raise
        worker = self._worker
        if worker is None or worker.has_ended or self._closed:
            if self._closed:
                # The program is ending: it stays on disk, for the next process.
                self.journal.sync()
                return
            worker = self._running()
        worker.rouse()
        if not number % self.config.batch_events:
            # It is company enough.
            worker.hurry()
        if self.config.durable:
            worker.wait_synced(segment, end)

    def flush(self, timeout: float = -1.0) -> bool:
        """Whether all that was taken by this process has been sent within so many seconds."""
        if self.journal.is_clear:
            return True
        return self._running().wait_sent(None if timeout < 0 else timeout)

    def close(self, timeout: float = -1.0) -> bool:
        """What could not be sent in time stays on disk, for the next process."""
        if self._closed:
            return self.journal.is_clear
        done = self.flush(timeout)
        self._closed = True
        if self._worker is None or self._worker.stop():
            self.journal.close()
            self.inner.close(0)
        return done

    def leave(self) -> None:
        """At the end of the program: wait as long as it is worth while, and no longer."""
        until = time.monotonic() + self.config.exit_timeout
        while time.monotonic() < until and not self.flush(0.05) and not self._is_failing():
            continue
        self.close(0)

    def _is_failing(self) -> bool:
        return self._worker is not None and self._worker.patience.failures > 0

    @property
    def circuit(self) -> str:
        """closed, open or half-open."""
        return self._worker.patience.state if self._worker is not None else "closed"

    def _running(self) -> _Worker:
        worker = self._worker
        if worker is None or worker.has_ended:
            with self._worker_lock:
                worker = self._worker
                if worker is None or worker.has_ended:
                    worker = self._worker = _Worker(self)
        return worker

    def _take_gap(self) -> Gap | None:
        with self._lock:
            gap, self._gap = self._gap, None
            return gap

    def _note_gap(self, taken: Gap | None, reason: str) -> None:
        now = time.time_ns()
        with self._lock:
            self.counts.refused += 1
            before = [gap for gap in (taken, self._gap) if gap is not None]
            since = min([gap.since for gap in before], default=now)
            self._gap = Gap(sum([gap.count for gap in before]) + 1, since, now, reason)

    def after_fork(self) -> None:
        """Threads don't come along; the files and the connection are the parent's."""
        self._worker = None
        self._worker_lock, self._lock = threading.Lock(), threading.Lock()
        self._gap, self.counts = None, self.journal.counts
        self.inner.after_fork()


def _folder_of(config: SpoolConfig, inner: Transport) -> Path:
    """One for each destination, so that no process sends what was meant for another's."""
    if config.folder:
        return Path(config.folder)
    destination = getattr(getattr(inner, "config", None), "destination", None)
    if destination is None:
        parts = sorted((key, value) for key, value in config.transport.items() if "key" not in key.lower())
        destination = repr((inner.kind, parts))
    return default_folder() / folder_name(str(destination))


def folder_name(destination: str) -> str:
    readable = re.sub(r"[^a-z0-9]+", "-", destination.lower()).strip("-")[:40]
    return f"{readable}-{hashlib.sha256(destination.encode()).hexdigest()[:12]}"


class _Worker:
    """Two threads: one makes durable what was appended, one sends it. Neither holds up the program's end."""

    LOOK_FOR_LEFT_BEHIND_S = 5.0
    SYNC_S = 0.1
    SOON_S = 0.01

    def __init__(self, spool: SpoolTransport) -> None:
        self._spool, self._journal = spool, spool.journal
        config = spool.config
        self.patience = Patience(config.first_wait, config.longest_wait, config.open_after, config.cooling)
        self.has_ended = False
        self._sending, self._syncing = Watch(), Watch()
        self._stopped = threading.Event()
        self._progress = threading.Condition()
        self._waited_for = 0
        self._looked_at = 0.0
        self._threads = [
            threading.Thread(target=self._guarded, args=(work,), name=f"lineage-hub {name}", daemon=True)
            for name, work in (("sender", self._send_all), ("sync", self._sync_all))
        ]
        for thread in self._threads:
            thread.start()

    def rouse(self) -> None:
        if self._sending.is_asleep or self._syncing.is_asleep:
            self._sending.rouse()
            self._syncing.rouse()

    def hurry(self) -> None:
        self._sending.hurry()

    def stop(self) -> bool:
        """Whether both threads have ended; one that waits for an answer is left to end with the program."""
        self._stopped.set()
        self._sending.hurry()
        self._syncing.hurry()
        for thread in self._threads:
            thread.join(timeout=0.5)
        self._journal.sync()
        return not any(thread.is_alive() for thread in self._threads)

    def wait_sent(self, timeout: float | None) -> bool:
        with self._progress:
            self._waited_for += 1
            self._sending.hurry()
            try:
                self._progress.wait_for(lambda: self._journal.is_clear or self._stopped.is_set(), timeout)
                return self._journal.is_clear
            finally:
                self._waited_for -= 1

    def wait_synced(self, segment: Segment, position: int) -> None:
        self._syncing.hurry()
        with self._progress:
            self._progress.wait_for(lambda: segment.synced >= position or self._stopped.is_set())

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            while not self._stopped.is_set():
                try:
                    work()
                except Exception:
                    # A defect here must neither end the sending nor flood anyone.
                    _log().warning("the spool's worker failed and goes on", exc_info=True)
                    self._stopped.wait(1.0)
        finally:
            self.has_ended = True

    def _sync_all(self) -> None:
        while not self._stopped.is_set():
            self._syncing.wait(self.SYNC_S, self.LOOK_FOR_LEFT_BEHIND_S, lambda: self._journal.is_synced)
            self._journal.sync()
            with self._progress:
                self._progress.notify_all()

    def _send_all(self) -> None:
        while not self._stopped.is_set():
            if time.monotonic() - self._looked_at >= self.LOOK_FOR_LEFT_BEHIND_S:
                self._send_left_behind()
                self._looked_at = time.monotonic()
            self._sending.wait(self._spool.config.linger, self.LOOK_FOR_LEFT_BEHIND_S, lambda: self._journal.is_clear)
            for segment in list(self._journal.segments):
                self._send_segment(segment)
                self._journal.drop(segment)
            with self._progress:
                self._progress.notify_all()

    def _send_left_behind(self) -> None:
        for segment in self._journal.left_behind():
            try:
                self._send_segment(segment)
            except BaseException:
                os.close(segment.fd)
                raise
            if self._stopped.is_set() and segment.read(segment.confirmed, 1, MIB):
                os.close(segment.fd)
            else:
                segment.remove()

    def _send_segment(self, segment: Segment) -> None:
        config = self._spool.config
        while not self._stopped.is_set():
            damaged = segment.damaged
            records = segment.read(segment.confirmed, config.batch_events, config.batch_bytes)
            if segment.damaged > damaged:
                _log().warning("%d events in %s are damaged and left out", segment.damaged - damaged, segment.path)
            if not records:
                return
            if self._deliver(records):
                segment.confirm(records[-1].end)

    def _deliver(self, records: list[Record]) -> bool:
        """Whether each was taken or put aside; else it waits for a while."""
        try:
            self._hand_over(records)
        except Transient as error:
            if self.patience.failures == 0:
                # Once for each time that it goes wrong, not for each try.
                _log().warning("events wait in %s: %s", self._journal.folder, error)
            self._stopped.wait(self.patience.failed(error.retry_after_s))
            return False
        except Exception:
            _log().warning("the transport failed in a way it should not", exc_info=True)
            self._stopped.wait(self.patience.failed())
            return False
        self.patience.succeeded()
        return True

    def _hand_over(self, records: list[Record]) -> None:
        events = [record.event for record in records]
        try:
            refused = self._spool.inner.send_batch(events)
        except Terminal as error:
            if isinstance(error, Refusal) and not error.blames_the_event:
                raise Unreachable(str(error), subject=error.subject, action="correct the configuration") from error
            if len(events) > 1:
                # One of them is at fault, or all: each for itself shows.
                for record in records:
                    self._hand_over([record])
                return
            refused = [Refused(0, str(error))]
        for one in refused:
            self._journal.reject(events[one.index], one.reason)
        self._spool.counts.rejected += len(refused)
        self._spool.counts.sent += len(events) - len(refused)


def _log() -> Any:
    import logging

    return logging.getLogger("lineage_hub.transports")


_every_spool: WeakSet[SpoolTransport] = WeakSet()


def _forked() -> None:
    for spool in list(_every_spool):
        spool.after_fork()


def _leave() -> None:
    for spool in list(_every_spool):
        with contextlib.suppress(LineageHubError):
            spool.leave()


os.register_at_fork(after_in_child=_forked)
atexit.register(_leave)
