"""A folder and statements enter; the engine of ClickHouse in this process runs them, and bytes of a format leave.

Several connections share the engine; each runs one statement at a time and remembers which settings it was given.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import LifoQueue
from tempfile import NamedTemporaryFile
from typing import Any

from lineage_hub.store.telemetry.parts import UNREADABLE, Parts
from lineage_hub.store.telemetry.statements import Statement, read_statement

_SETTING = re.compile(r"[A-Za-z_]\w*\Z")
_OF_THE_SESSION = re.compile(r"\s*(SET|USE)\b", re.IGNORECASE)
_CODE = re.compile(r"Code: (\d+)\. ")
UNKNOWN_SETTING = 115
NO_CODE = 1002


class Refused(Exception):
    """By the engine, with the number that ClickHouse has for it."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message

    @classmethod
    def of(cls, error: Exception) -> "Refused":
        text = str(error)
        found = _CODE.search(text)
        return cls(int(found[1]), text[found.start() :]) if found else cls(NO_CODE, f"Code: {NO_CODE}. {text}")


@dataclass(frozen=True, slots=True)
class Answer:
    body: bytes
    rows_read: int = 0
    bytes_read: int = 0
    rows_written: int = 0
    bytes_written: int = 0
    elapsed_s: float = 0.0


class Connections:
    """`readers` and `writers` have connections of their own, so that no long question delays an insert.

    `when_hollow` is called with parts whose files are not what the engine believes they are.
    """

    def __init__(self, folder: Path, *, readers: int, writers: int, when_hollow: Callable[[list[str]], None]) -> None:
        self._folder = folder
        self.parts = Parts(folder, self._rows, when_hollow)
        self._reading = self._opened(readers)
        self._writing = self._opened(writers)

    def _opened(self, number: int) -> "LifoQueue[_Connection]":
        pool: LifoQueue[_Connection] = LifoQueue()
        for _ in range(number):
            pool.put(_Connection(self._folder))
        return pool

    def run(self, statement: Statement) -> Answer:
        try:
            answer = self._run(statement)
        except Refused as refused:
            if refused.code in UNREADABLE:
                self.parts.look(again=True)
            raise
        if statement.is_insert and self.parts.is_room_scarce:
            self.parts.look()
        return answer

    def _rows(self, sql: str) -> bytes:
        return self._run(read_statement({"default_format": "JSONEachRow"}, sql.encode())).body

    def _run(self, statement: Statement) -> Answer:
        with self._one_of(self._writing if statement.is_insert else self._reading) as connection:
            try:
                return connection.run(statement)
            except Refused:
                raise
            except Exception as error:
                raise Refused.of(error) from error

    @contextmanager
    def _one_of(self, pool: "LifoQueue[_Connection]") -> Iterator["_Connection"]:
        connection = pool.get()
        try:
            yield connection
        finally:
            pool.put(connection)

    def close(self) -> None:
        for pool in (self._reading, self._writing):
            while not pool.empty():
                pool.get().close()


class _Connection:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open()

    def _open(self) -> None:
        from chdb.state import connect

        self._engine: Any = connect(str(self._folder))
        self._settings: dict[str, str] = {}
        self._database = ""

    def close(self) -> None:
        self._engine.close()

    def run(self, statement: Statement) -> Answer:
        self._prepare(statement)
        if statement.data is not None:
            return self._insert(statement, statement.data)
        try:
            result = self._engine.query(statement.text, statement.format, params=dict(statement.parameters))
        finally:
            if _OF_THE_SESSION.match(statement.text):
                # Requests share connections: what one sets must not reach the next.
                self.close()
                self._open()
        return Answer(
            result.bytes(),
            rows_read=result.storage_rows_read(),
            bytes_read=result.storage_bytes_read(),
            elapsed_s=result.elapsed(),
        )

    def _insert(self, statement: Statement, data: bytes) -> Answer:
        """By a file: the engine's own way to stream an insert tells of success when the disk is full."""
        with _as_file(data) as path:
            result = self._engine.query(f"{statement.text} FROM INFILE '{path}' FORMAT {statement.format}")
        return Answer(
            b"",
            rows_written=result.rows_written(),
            bytes_written=result.bytes_written(),
            elapsed_s=result.elapsed(),
        )

    def _prepare(self, statement: Statement) -> None:
        database = statement.database or "default"
        if database != self._database:
            self._engine.query("USE `{}`".format(database.replace("\\", "\\\\").replace("`", "\\`")))
            self._database = database
        wanted = statement.settings
        for name in [name for name in self._settings if name not in wanted]:
            self._engine.query(f"SET {name} = DEFAULT")
            del self._settings[name]
        for name, value in wanted.items():
            if self._settings.get(name) == value:
                continue
            if not _SETTING.match(name):
                raise Refused(UNKNOWN_SETTING, f"Code: {UNKNOWN_SETTING}. Unknown setting {name!r} (UNKNOWN_SETTING)")
            escaped = value.replace("\\", "\\\\").replace("'", "\\'")
            self._engine.query(f"SET {name} = '{escaped}'")
            self._settings[name] = value


@contextmanager
def _as_file(data: bytes) -> Iterator[str]:
    """In memory where the system has such files."""
    if sys.platform == "linux":
        with os.fdopen(os.memfd_create("insert"), "wb") as file:
            file.write(data)
            file.flush()
            yield f"/proc/self/fd/{file.fileno()}"
    else:
        with NamedTemporaryFile() as named:
            named.write(data)
            named.flush()
            yield named.name
