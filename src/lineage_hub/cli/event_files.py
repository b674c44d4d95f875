"""Paths as a person names them enter: files, folders, or - for stdin; sources of bytes leave, decompressed."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from lineage_hub.errors import ExtraMissing, InvalidRequest

PIECE_BYTES = 256 * 1024
# What is taken from a folder; a file that is named is taken whatever its name.
SUFFIXES = (".json", ".ndjson", ".jsonl")
STDIN = "-"
# A block of zstd holds up to 128 KB and may take four bytes, so the input of one call bounds its output.
_ZSTD_BYTES = 1024
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


@dataclass(frozen=True, slots=True)
class Condition:
    """Of a file that hasn't changed it is the same."""

    size: int
    modified_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class EventFile:
    """`path` is None for what can be read only once: stdin, a pipe."""

    name: str
    path: Path | None
    condition: Condition | None = None

    @property
    def shown(self) -> str:
        """A name need not be UTF-8."""
        return self.name.encode(errors="replace").decode()

    @property
    def size(self) -> int | None:
        return self.condition.size if self.condition else None

    @contextmanager
    def opened(self) -> Iterator[Source]:
        try:
            raw = sys.stdin.buffer if self.name == STDIN else Path(self.name).open("rb")  # noqa: SIM115
        except OSError as error:
            raise _unreadable(self.name, error) from None
        try:
            yield Source(self.name, raw)
        finally:
            if self.name != STDIN:
                raw.close()


class Source:
    """`pieces` are what is inside of a compressed file; `done_bytes` is how far the file itself has been read."""

    def __init__(self, name: str, raw: IO[bytes]) -> None:
        self.name = name
        self._counted = _Counted(raw)

    @property
    def done_bytes(self) -> int:
        return self._counted.count

    def pieces(self) -> Iterator[bytes]:
        """By its first bytes: names tell less, and stdin has none."""
        buffered = io.BufferedReader(self._counted, PIECE_BYTES)
        try:
            head = buffered.peek(len(_ZSTD))
            if head.startswith(_ZSTD):
                yield from _unzstd(self.name, buffered)
                return
            inside = gzip.GzipFile(fileobj=buffered) if head.startswith(_GZIP) else buffered
            while piece := inside.read(PIECE_BYTES):
                yield piece
        except (OSError, EOFError, zlib.error) as error:
            raise _unreadable(self.name, error) from None


class _Counted(io.RawIOBase):
    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        count: int = self._raw.readinto(buffer)  # type: ignore[attr-defined]
        self.count += count
        return count


def _unzstd(name: str, buffered: IO[bytes]) -> Iterator[bytes]:
    """Frame by frame: the library's reader takes a frame that is cut off for a whole one."""
    try:
        import zstandard
    except ImportError:
        raise ExtraMissing.of("server", f"reading {name}, which zstd compressed,") from None
    frame, rest = None, b""
    try:
        while data := rest or buffered.read(_ZSTD_BYTES):
            frame = frame or zstandard.ZstdDecompressor().decompressobj()
            yield frame.decompress(data)
            rest = frame.unused_data
            frame = None if frame.eof else frame
    except zstandard.ZstdError as error:
        raise EOFError(str(error)) from None
    if frame is not None:
        raise EOFError("it ends too early")


def find_files(paths: Iterable[str]) -> list[EventFile]:
    """Each once, in the order given; those of a folder by their names."""
    found: dict[str, EventFile] = {}
    for path in paths:
        for one in _found_at(path):
            found.setdefault(str(one.path or one.name), one)
    return list(found.values())


def _found_at(path: str) -> Iterator[EventFile]:
    if path == STDIN:
        yield EventFile(STDIN, None)
        return
    facts = _facts(path)
    if not stat.S_ISDIR(facts.st_mode):
        yield _file(path, facts)
        return
    empty = True
    for folder, folders, names in os.walk(path, onerror=_refuse):
        folders.sort()
        for name in sorted(names):
            if name.lower().removesuffix(".gz").removesuffix(".zst").endswith(SUFFIXES):
                empty = False
                inside = str(Path(folder) / name)
                yield _file(inside, _facts(inside))
    if empty:
        raise InvalidRequest(
            f"the folder {path} holds no files of events",
            subject=path,
            action=f"name files, or a folder with {', '.join(SUFFIXES)}, also as .gz or .zst",
        )


def _refuse(error: OSError) -> None:
    raise _unreadable(str(error.filename), error)


def _facts(path: str) -> os.stat_result:
    try:
        return Path(path).stat()
    except OSError as error:
        raise _unreadable(path, error) from None


def _file(path: str, facts: os.stat_result) -> EventFile:
    if not stat.S_ISREG(facts.st_mode):
        return EventFile(path, None)
    return EventFile(path, Path(path).resolve(), Condition(facts.st_size, facts.st_mtime_ns, facts.st_ino))


def _unreadable(name: str, error: Exception) -> InvalidRequest:
    why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    name = name.encode(errors="replace").decode()
    return InvalidRequest(
        f"{name} can't be read: {why}", subject=name, action="name files or folders that exist, or - for stdin"
    )
