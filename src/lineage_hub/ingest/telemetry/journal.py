"""Batches enter before and after their insert; which may be there by half leaves, and which requests were taken.

A line says what is intended, a second one that it is done, or that it was taken back. The file is written anew when it
has grown: what is done and older than ten minutes goes.

    intake.journal    one record a line, each with its CRC
    intake.lock       held by the hub that writes here, as long as it lives
"""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from lineage_hub.errors import StorageFull, StoreUnavailable, Transient
from lineage_hub.logs import get_logger
from lineage_hub.transports.journal import FULL, event_of, line_of, lock_file, sync_folder

Clock = Callable[[], int]
FILE, LOCK = "intake.journal", "intake.lock"
REMEMBERED_NS = 600 * 10**9
_log = get_logger("telemetry")


class Intent(Struct, frozen=True, tag="intent", tag_field="is"):
    """One insert: into which table, of which requests, and the hours whose rollups it touches."""

    batch: int
    table: str
    requests: tuple[bytes, ...]
    hours: tuple[int, ...] = ()


class Done(Struct, frozen=True, tag="done", tag_field="is"):
    batch: int
    at: int


class Gone(Struct, frozen=True, tag="gone", tag_field="is"):
    """Nothing of it is in the tables or rollups any more."""

    batch: int


Line = Intent | Done | Gone
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Line).decode


class IntakeJournal:
    """Written by one thread; any may ask `knows`."""

    def __init__(self, folder: Path, clock: Clock, most_bytes: int = 4 << 20) -> None:
        self._path, self._clock, self._most_bytes = folder / FILE, clock, most_bytes
        self._unfinished: dict[int, Intent] = {}
        self._done: deque[tuple[Intent, int]] = deque()
        """In the order in which they were done, so that the oldest go first."""
        self._requests: dict[bytes, int] = {}
        self.last_batch = 0
        self._fd = self._size = self._limit = -1
        self._is_stale = True
        """The file may say something else than this object: it is written anew before anything else happens."""
        with _told(folder):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            if not lock_file(self._lock):
                raise StoreUnavailable(
                    f"another hub takes telemetry into {folder}",
                    subject=str(folder),
                    action="stop it, or give this one a data folder of its own",
                )
            self._read()
            self.refresh()
        except BaseException:
            self.close()
            raise

    def knows(self, request: bytes) -> bool:
        """Whether it was done within ten minutes."""
        done_at = self._requests.get(request)
        return done_at is not None and self._clock() - done_at < REMEMBERED_NS

    @property
    def unfinished(self) -> list[Intent]:
        """Of which nobody knows how much is in the tables."""
        return list(self._unfinished.values())

    def intend(self, intents: Sequence[Intent]) -> None:
        self._append(intents)
        for intent in intents:
            self._apply(intent)

    def finish(self, batches: Iterable[int]) -> None:
        """Only after this may a request be answered; if it fails, the batches stay unfinished."""
        now = self._clock()
        self._record([Done(batch, now) for batch in batches])

    def take_back(self, batches: Iterable[int]) -> None:
        self._record([Gone(batch) for batch in batches])

    def refresh(self) -> None:
        """After a write that failed nobody knows what the file says; from here on it says what is held here."""
        if self._is_stale:
            self._rewrite()

    def close(self) -> None:
        for fd in (self._fd, self._lock):
            if fd >= 0:
                os.close(fd)
        self._fd = self._lock = -1
        self._is_stale = True

    def _record(self, lines: Sequence[Done | Gone]) -> None:
        self._append(lines)
        for line in lines:
            self._apply(line)
        self._forget()
        if self._size > self._limit:
            # What had to be said is on disk already: room can be made another time.
            with contextlib.suppress(Transient):
                self._rewrite()
            self._limit = max(self._most_bytes, 2 * self._size)

    def _append(self, lines: Sequence[Line]) -> None:
        self.refresh()
        text = b"".join([line_of(_encode(line)) for line in lines])
        with _told(self._path):
            self._is_stale = True
            _write(self._fd, text)
            self._is_stale = False
        self._size += len(text)

    def _apply(self, line: Line) -> None:
        if isinstance(line, Intent):
            self._unfinished[line.batch] = line
            self.last_batch = max(self.last_batch, line.batch)
            return
        intent = self._unfinished.pop(line.batch, None)
        if intent is not None and isinstance(line, Done):
            self._done.append((intent, line.at))
            for request in intent.requests:
                self._requests[request] = line.at

    def _forget(self) -> None:
        limit = self._clock() - REMEMBERED_NS
        while self._done and self._done[0][1] <= limit:
            intent, at = self._done.popleft()
            for request in intent.requests:
                # It may have been done a second time since.
                if self._requests.get(request) == at:
                    del self._requests[request]

    def _read(self) -> None:
        with _told(self._path):
            text = self._path.read_bytes() if self._path.exists() else b""
        *lines, torn = text.split(b"\n")
        damaged = bool(torn)
        for line in lines:
            record = event_of(line)
            try:
                self._apply(_decode(record if record is not None else b""))
            except msgspec.DecodeError:
                damaged = True
        if damaged:
            # Usual after a loss of power: the end was not on disk yet, and nobody was told that it is.
            _log.warning("journal_damaged", path=str(self._path))
        self._forget()

    def _rewrite(self) -> None:
        """A new file takes the old one's place, so that a crash leaves one or the other."""
        lines: list[Line] = []
        for intent, at in self._done:
            lines += (intent, Done(intent.batch, at))
        lines += self._unfinished.values()
        text = b"".join([line_of(_encode(line)) for line in lines])
        temporary = self._path.with_suffix(".next")
        with _told(self._path):
            fd = os.open(temporary, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC, 0o600)
            try:
                _write(fd, text)
                temporary.replace(self._path)
            except OSError:
                os.close(fd)
                raise
            if self._fd >= 0:
                os.close(self._fd)
            self._fd, self._size, self._is_stale = fd, len(text), True
            sync_folder(self._path.parent)
            self._is_stale = False
        self._limit = max(self._most_bytes, 2 * len(text))


def _write(fd: int, text: bytes) -> None:
    """On disk when it returns."""
    left = memoryview(text)
    while left:
        left = left[os.write(fd, left) :]
    os.fsync(fd)


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        kind = StorageFull if error.errno in FULL else StoreUnavailable
        raise kind(
            f"the journal of telemetry can't be written: {error.strerror}",
            subject=str(path),
            action="free disk space and check the disk; a running hub goes on by itself",
        ) from error
