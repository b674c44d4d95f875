"""Events enter as lines of JSON and are appended to files of a folder; they leave in order, until each is confirmed.

Each process appends to files of its own and holds a lock on them as long as it lives. So a file whose lock is free
belongs to no one, and any process may send what is left in it. A record is a line: the event's CRC, then the event.

    <stamp>-<pid>-<random>.events   appended to by one process, sent by one at a time
    <stamp>-<pid>-<random>.done     how many bytes of it were confirmed
    rejected.ndjson                 what the other side refused for good, with the reason
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from weakref import WeakSet
from zlib import crc32

from lineage_hub.errors import StorageFull, StoreUnavailable

SUFFIX, DONE, REJECTED = ".events", ".done", "rejected.ndjson"
# Eight digits and a space.
_SHORT = 1024 * 1024
_CRC_CHARS = 9
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Record(NamedTuple):
    event: bytes
    end: int
    """Where the next one begins."""


def line_of(event: bytes) -> bytes:
    return b"%08x %b\n" % (crc32(event), event)


@dataclass(slots=True)
class Counts:
    """Of the events that came to this process."""

    taken: int = 0
    sent: int = 0
    rejected: int = 0
    refused: int = 0
    """For which there was no room."""


def event_of(line: bytes) -> bytes | None:
    """What `line_of` was given, without the line break; None where the line isn't whole."""
    event = line[_CRC_CHARS:]
    return event if line[:_CRC_CHARS] == b"%08x " % crc32(event) else None


class Segment:
    """One file, open and locked by this process."""

    def __init__(self, path: Path, fd: int) -> None:
        self.path, self.fd = path, fd
        self.confirmed = _read_done(path)
        self.size = os.fstat(fd).st_size
        self.synced = 0
        self.damaged = 0

    def read(self, start: int, most_events: int, most_bytes: int) -> list[Record]:
        """Whole records from a position on. What follows the last line break is being written, or was torn."""
        text = os.pread(self.fd, most_bytes, start)
        while text and b"\n" not in text and (more := os.pread(self.fd, most_bytes, start + len(text))):
            text += more
        found: list[Record] = []
        at = 0
        while len(found) < most_events and (end := text.find(b"\n", at)) >= 0:
            line, at = text[at:end], end + 1
            event = event_of(line)
            if event is not None:
                found.append(Record(event, start + at))
            else:
                # Never the process's own doing: a disk lost it. The records around it are sent all the same.
                self.damaged += 1
                if not found:
                    start, text, at = start + at, text[at:], 0
                    self.confirmed = start
        return found

    def confirm(self, position: int) -> None:
        """A new file takes the old one's place, so that a crash leaves one or the other."""
        self.confirmed = position
        temporary = self.path.with_suffix(".next")
        # On a full disk it isn't written: then a crash sends some events twice, which count once, and room is made.
        with contextlib.suppress(OSError):
            temporary.write_text(str(position))
            temporary.replace(self.path.with_suffix(DONE))

    def remove(self) -> None:
        """The events first: a count without them says nothing, they without their count would be sent again."""
        for suffix in (SUFFIX, DONE):
            with contextlib.suppress(FileNotFoundError):
                self.path.with_suffix(suffix).unlink()
        os.close(self.fd)


def _read_done(path: Path) -> int:
    try:
        return int(path.with_suffix(DONE).read_text())
    except (FileNotFoundError, ValueError):
        return 0


class Journal:
    """A process's end of a folder: what it appends, and what others left behind."""

    def __init__(self, folder: Path, max_bytes: int, segment_bytes: int = 8 * 1024 * 1024) -> None:
        self.folder, self._max_bytes, self._segment_bytes = folder, max_bytes, segment_bytes
        self._lock = threading.Lock()
        self.segments: list[Segment] = []
        """Own files, the oldest first; the last is the one that is appended to."""
        self.counts = Counts()
        self._other_bytes = 0
        self._last: Segment
        self._room = 0
        """What may be appended to the last file before anything has to be looked at."""
        self._make_folder()
        _every_journal.add(self)

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise StoreUnavailable(
                f"the spool folder {self.folder} can't be made: {error.strerror}",
                subject=str(self.folder),
                action="name another folder",
            ) from error

    def append(self, event: bytes, before: bytes | None = None) -> tuple[Segment, int, int]:
        """Both or none; where it ends leaves, and how many were taken with it.

        Returns once the system has it: it outlives the process, though not yet a loss of power.
        """
        text = line_of(event) if before is None else line_of(before) + line_of(event)
        with self._lock:
            try:
                if len(text) > self._room:
                    self._look_for_room(len(text))
                segment = self._last
                written = os.write(segment.fd, text)
                if written < len(text):
                    # The rest found no room. What was begun must not run into the next record.
                    os.ftruncate(segment.fd, segment.size)
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            except OSError as error:
                raise self._trouble(error) from error
            self._room -= written
            segment.size = end = segment.size + written
            self.counts.taken = number = self.counts.taken + 1
            return segment, end, number

    def _look_for_room(self, size: int) -> None:
        """Counted anew when what was left at the last count has been used: most of it is sent by then."""
        own = sum([segment.size - segment.confirmed for segment in self.segments])
        room = self._max_bytes - own - self._other_bytes
        if size > room:
            raise self._full(f"it holds its {self._max_bytes:,} bytes of events that wait to be sent")
        used = self.segments[-1].size if self.segments else self._segment_bytes
        if used and used + size > self._segment_bytes:
            self._begin()
            used = 0
        self._last = self.segments[-1]
        self._room = min(room, max(size, self._segment_bytes - used))

    def _trouble(self, error: OSError) -> StorageFull | StoreUnavailable:
        if error.errno in FULL:
            return self._full(error.strerror)
        return StoreUnavailable(
            f"the spool folder {self.folder} can't be written: {error.strerror}",
            subject=str(self.folder),
            action="check the folder and its disk",
        )

    def _full(self, why: str | None) -> StorageFull:
        return StorageFull(
            f"the spool {self.folder} is full: {why}",
            subject=str(self.folder),
            action="bring the hub back, or give the spool more room",
        )

    def _begin(self) -> None:
        while True:
            name = f"{time.time_ns():020d}-{os.getpid()}-{secrets.token_hex(4)}{SUFFIX}"
            path = self.folder / name
            fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_APPEND | os.O_CLOEXEC, 0o600)
            if lock_file(fd):
                break
            # Another process took it for left behind, in the moment before it was locked.
            os.close(fd)
        self.segments.append(Segment(path, fd))

    def sync(self) -> None:
        """What was appended so far outlives a loss of power when this returns."""
        with self._lock:
            behind = [(segment, segment.size) for segment in self.segments if segment.synced < segment.size]
        for segment, size in behind:
            is_new = segment.synced == 0
            with contextlib.suppress(OSError):
                os.fsync(segment.fd)
                if is_new:
                    sync_folder(self.folder)
                segment.synced = size

    @property
    def is_synced(self) -> bool:
        with self._lock:
            return all(segment.synced >= segment.size for segment in self.segments)

    def drop(self, segment: Segment) -> None:
        """Remove an own file that is confirmed whole, unless it grew meanwhile or is short and goes on being used."""
        with self._lock:
            if segment.confirmed >= segment.size and (segment is not self.segments[-1] or segment.size > _SHORT):
                self.segments.remove(segment)
                self._room = 0
                segment.remove()

    @property
    def is_clear(self) -> bool:
        """Nothing waits to be sent, and what was sent takes no more room."""
        with self._lock:
            return not self.segments or (
                len(self.segments) == 1 and self.segments[0].confirmed >= self.segments[0].size <= _SHORT
            )

    def left_behind(self) -> Iterator[Segment]:
        """Files of processes that are gone, the oldest first, each locked until it is closed."""
        own = {segment.path for segment in self.segments}
        others = 0
        for path in sorted(self.folder.glob(f"*{SUFFIX}")):
            if path in own:
                continue
            with contextlib.suppress(FileNotFoundError):
                others += path.stat().st_size
                fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
                # Between finding and locking it another process may have sent and removed it.
                if lock_file(fd) and path.exists() and path.stat().st_ino == os.fstat(fd).st_ino:
                    yield Segment(path, fd)
                else:
                    os.close(fd)
        self._other_bytes, self._room = others, 0

    def reject(self, event: bytes, reason: str, most_bytes: int = 10 * 1024 * 1024) -> None:
        """Kept for a person to look at; without end they would fill the disk."""
        path = self.folder / REJECTED
        with contextlib.suppress(OSError):
            if path.exists() and path.stat().st_size > most_bytes:
                path.replace(path.with_suffix(".old"))
            fd = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC, 0o600)
            with os.fdopen(fd, "ab") as file:
                reason_text = reason.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
                file.write(b'{"reason":"%b","event":%b}\n' % (reason_text.encode(), event))

    def close(self) -> None:
        """Gives up the locks: what wasn't confirmed is there for the next process."""
        with self._lock:
            for segment in self.segments:
                if segment.confirmed >= segment.size:
                    segment.remove()
                else:
                    os.close(segment.fd)
            self.segments.clear()
            self._room = 0

    def _after_fork(self) -> None:
        """The files are the parent's. Closing them here leaves its locks alone; unlocking would not."""
        self._lock = threading.Lock()
        for segment in self.segments:
            os.close(segment.fd)
        self.segments, self._room, self.counts = [], 0, Counts()


def lock_file(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


_every_journal: WeakSet[Journal] = WeakSet()


def _forked() -> None:
    for journal in list(_every_journal):
        journal._after_fork()


os.register_at_fork(after_in_child=_forked)
