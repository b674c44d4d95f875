"""Exported sources and what was read from them enter, and leave again while nothing has changed.

A file for each: written whole and renamed, with a digest of its content, so that scans at the same time and a crash
leave none that is half. An entry that can't be read counts as none. When the folder is larger than its bound, what was
used least lately goes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import msgspec

from lineage_hub.connectors.databricks.reading import (
    ColumnOrigin,
    DefinedTable,
    Expectation,
    Problem,
    Reading,
    StreamSource,
)
from lineage_hub.sdk import instrumentation
from lineage_hub.settings import default_cache_dir

MOST_BYTES = 512 * 1024 * 1024
# An entry that is used is marked so no more often than this.
_MARK_S = 86_400.0
_MAGIC = b"lineage-hub-cache-1\n"


def default_folder() -> Path:
    return default_cache_dir() / "databricks"


class Cache:
    """`None` in the place of a folder keeps nothing."""

    def __init__(self, folder: Path | None, most_bytes: int = MOST_BYTES) -> None:
        self.folder = folder
        self._most_bytes = most_bytes
        self.hits = self.misses = self.written = 0
        self._folders: set[str] = set()  # that are there

    def source(self, workspace: str, path: str, modified_at: int) -> str | None:
        """Of a notebook that was exported when it had this time of modification."""
        if not modified_at:
            return None
        found = self._read("sources", _key(workspace, path, str(modified_at)))
        return found.decode() if found is not None else None

    def keep_source(self, workspace: str, path: str, modified_at: int, text: str) -> None:
        if modified_at:
            self._write("sources", _key(workspace, path, str(modified_at)), text.encode())

    def reading(self, key: str) -> Reading | None:
        found = self._read("readings", key)
        if found is None:
            return None
        try:
            return _reading_of(found)
        except msgspec.MsgspecError:
            return None

    def keep_reading(self, key: str, reading: Reading) -> None:
        self._write("readings", key, _text_of(reading))

    def blob(self, kind: str, key: str) -> bytes | None:
        return self._read(kind, _key(key))

    def keep_blob(self, kind: str, key: str, content: bytes) -> None:
        self._write(kind, _key(key), content)

    def _place(self, kind: str, key: str) -> Path:
        assert self.folder is not None
        return self.folder / kind / key[:2] / key

    def _read(self, kind: str, key: str) -> bytes | None:
        if self.folder is None:
            return None
        place = self._place(kind, key)
        try:
            with place.open("rb") as file:
                content = file.read()
                used_at = os.fstat(file.fileno()).st_mtime
        except OSError:
            self.misses += 1
            return None
        head, body = content[: len(_MAGIC) + 32], content[len(_MAGIC) + 32 :]
        if head != _MAGIC + hashlib.sha256(body).digest():
            self.misses += 1
            return None
        self.hits += 1
        if time.time() - used_at > _MARK_S:
            with contextlib.suppress(OSError):
                os.utime(place)
        return body

    def _write(self, kind: str, key: str, body: bytes) -> None:
        """A folder that can't be written costs speed, and nothing else."""
        if self.folder is None:
            return
        place = self._place(kind, key)
        self.written += 1
        with contextlib.suppress(OSError):
            if str(place.parent) not in self._folders:
                place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._folders.add(str(place.parent))
            handle, name = tempfile.mkstemp(dir=place.parent, prefix=".new-")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_MAGIC + hashlib.sha256(body).digest() + body)
                Path(name).replace(place)
            except OSError:
                Path(name).unlink(missing_ok=True)

    def shrink(self) -> int:
        """Entries that were removed; only what was written can have made it too large."""
        if self.folder is None or not self.written or not self.folder.is_dir():
            return 0
        entries = sorted(_entries(self.folder))
        total = sum(size for _, size, _ in entries)
        removed = 0
        for used_at, size, path in entries:
            is_left_over = path.name.startswith(".new-") and time.time() - used_at > _MARK_S
            if total <= self._most_bytes and not is_left_over:
                continue
            with contextlib.suppress(OSError):
                path.unlink()
                total -= size
                removed += 1
        return removed


def _entries(folder: Path) -> Iterable[tuple[float, int, Path]]:
    for root, _, names in os.walk(folder):
        for name in names:
            path = Path(root) / name
            try:
                found = path.stat()
            except OSError:
                continue
            yield found.st_mtime, found.st_size, path


def _key(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def reading_key(version: str, *parts: str, pairs: Iterable[tuple[str, str]] = ()) -> str:
    """Of all that decides what a reader finds: its own version, the texts, and the values it is given."""
    digest = hashlib.sha256()
    for one in (version, *parts, *(text for pair in sorted(pairs) for text in pair)):
        digest.update(len(one).to_bytes(8, "big"))
        digest.update(one.encode(errors="surrogatepass"))
    return digest.hexdigest()


@lru_cache(maxsize=1)
def reader_version() -> str:
    """A digest of the reader itself: what an older one found is never taken for its own."""
    digest = hashlib.sha256(f"{_parser_version()} {sys.version_info[:3]}".encode())
    here = Path(__file__).parent
    own = [*here.glob("*.py"), *here.glob("program/**/*.py"), *here.glob("sql/**/*.py")]
    for path in sorted([*own, *Path(instrumentation.__file__).parent.glob("*.py")]):
        if path.name not in _NO_READERS:
            digest.update(path.read_bytes())
    return digest.hexdigest()


# What fetches and tells has no say in what is read.
_NO_READERS = frozenset(
    f"{name}.py"
    for name in (
        "choosing", "client", "clusters", "commands", "config", "connection", "events", "flows", "job_runs",
        "lineage", "memo", "names", "programs", "references", "report", "scan", "sending", "sync", "told", "workspace",
    )
)  # fmt: skip


def _parser_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("sqlglot")
    except PackageNotFoundError:
        return ""


class _Kept(msgspec.Struct, array_like=True):
    sources: list[tuple[list[str], str | None, str | None, str | None, str | None, str | None, str | None,
                        list[str], int, float, str, str]]  # fmt: skip
    tables: list[tuple[str, str, list[str], list[tuple[str, str | None, str, int]],
                       dict[str, list[tuple[str, str, bool]]] | None, str | None, int]]  # fmt: skip
    problems: list[tuple[int, str, str]]


def _text_of(reading: Reading) -> bytes:
    kept = _Kept(
        [
            (one.topics, one.pattern, one.bootstrap, one.path, one.group_id_prefix, one.target_table, one.source_table,
             one.unresolved, one.line, one.confidence, one.file, one.kind)
            for one in reading.sources
        ],
        [
            (one.name, one.kind, list(one.reads), [(e.name, e.condition, e.action, e.line) for e in one.expectations],
             None if one.columns is None else {
                 column: [(o.table, o.column, o.direct) for o in origins] for column, origins in one.columns.items()
             }, one.comment, one.line)
            for one in reading.tables
        ],
        [(one.line, one.reason, one.path) for one in reading.problems],
    )  # fmt: skip
    return msgspec.msgpack.encode(kept)


def _reading_of(text: bytes) -> Reading:
    kept = msgspec.msgpack.decode(text, type=_Kept)
    return Reading(
        [StreamSource(kind, *rest) for *rest, kind in kept.sources],  # type: ignore[arg-type]
        [
            DefinedTable(
                name, kind, tuple(reads), tuple(Expectation(*one) for one in rules),
                None if columns is None else {
                    column: tuple(ColumnOrigin(*one) for one in origins) for column, origins in columns.items()
                }, comment, line,
            )
            for name, kind, reads, rules, columns, comment, line in kept.tables
        ],
        [Problem(*one) for one in kept.problems],
    )  # fmt: skip
