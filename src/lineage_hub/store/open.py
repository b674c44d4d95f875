"""Settings enter, an open store leaves: a SQLite file in the data folder, or a PostgreSQL database.

The schema is brought up to date first; a database that a newer hub has changed is refused.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, select
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, ProgrammingError
from sqlalchemy.exc import TimeoutError as NoConnectionFree
from sqlalchemy.pool import ConnectionPoolEntry

from lineage_hub.errors import (
    ExtraMissing,
    InternalError,
    InvalidSetting,
    LineageHubError,
    StorageFull,
    StoreUnavailable,
)
from lineage_hub.settings import Settings, make_data_dir
from lineage_hub.store import postgres, tables
from lineage_hub.store.changes import Changes
from lineage_hub.store.codec import Codec
from lineage_hub.store.library import Library
from lineage_hub.store.migrate import migrate

DATABASE_FILE = "lineage.db"


class LineageStore:
    """Readers share a pool; the one writer has a connection of its own."""

    def __init__(self, url: URL, settings: Settings) -> None:
        self.url = url
        self.is_open = True
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self.engine = _engine(url, settings, pool=settings.store_read_connections, begin="BEGIN")
        self._writing = _engine(url, settings, pool=1, begin="BEGIN IMMEDIATE")
        for engine in (self.engine, self._writing):
            event.listen(engine, "checkin", self._end_if_closed)
        try:
            dictionaries = self._prepare()
        except BaseException:
            self.close()
            raise
        self.codec = Codec(dictionaries)
        self.changes = Changes()
        self.library = Library(self.codec)

    def _prepare(self) -> list[bytes]:
        with self.writing() as connection:
            migrate(connection)
        with self.reading() as connection:
            bodies: Any = connection.execute(_DICTIONARIES).scalars()
            return [bytes(body) for body in bodies]

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One consistent snapshot."""
        with translated(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One durable transaction: when the block has ended without an error, it is on disk."""
        try:
            with translated(), self._writing.connect() as connection, connection.begin():
                yield connection
        except StoreUnavailable:
            # The server may have become one that only reads, which its connections don't notice by themselves.
            self._writing.dispose()
            raise

    def _end_if_closed(self, _connection: Any, record: ConnectionPoolEntry) -> None:
        """What a thread gives back after the store was closed would stay open in a pool that nobody has any more."""
        if not self.is_open:
            record.invalidate()

    def close(self) -> None:
        self.is_open = False
        self.engine.dispose()
        self._writing.dispose()


_DICTIONARIES = select(tables.dictionary.c.body).order_by(tables.dictionary.c.id)


def open_store(settings: Settings) -> LineageStore:
    with translated():
        return LineageStore(store_url(settings), settings)


def store_url(settings: Settings) -> URL:
    if settings.database_url:
        return _given(settings.database_url)
    folder = make_data_dir(Path(settings.data_dir))
    return URL.create("sqlite", database=str(folder / DATABASE_FILE))


def _given(text: str) -> URL:
    # The text holds a password, so no message repeats it.
    action = "write it as postgresql+psycopg://user:password@host/name, or leave it out"
    try:
        url = postgres.url_of(text) if postgres.is_postgres(text) else make_url(text)
    except (ArgumentError, ValueError):
        raise InvalidSetting("database_url is not a URL", subject="database_url", action=action) from None
    backend = url.get_backend_name()
    if backend == "postgresql":
        return url
    if backend != "sqlite":
        raise InvalidSetting(f"the hub keeps no store in {backend}", subject="database_url", action=action)
    return url


def _engine(url: URL, settings: Settings, *, pool: int, begin: str) -> Engine:
    sizes = {"pool_size": pool, "max_overflow": 0, "pool_timeout": settings.store_busy_timeout_s}
    if url.get_backend_name() != "sqlite":
        if find_spec("psycopg") is None:
            raise ExtraMissing.of("postgres", "a PostgreSQL database")
        level = "REPEATABLE READ" if begin == "BEGIN" else "READ COMMITTED"
        # A server that was restarted leaves dead connections in the pool.
        given = postgres.connect_args(url)
        server = create_engine(url, isolation_level=level, pool_pre_ping=True, connect_args=given, **sizes)

        @event.listens_for(server, "connect")
        def prepare_session(connection: Any, _record: Any) -> None:
            postgres.prepare_session(connection, settings.store_busy_timeout_s)

        return server
    engine = create_engine(
        url, connect_args={"check_same_thread": False, "timeout": settings.store_busy_timeout_s}, **sizes
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # transactions begin where `begin` below says
        _write_ahead(connection, settings.store_busy_timeout_s)
        for pragma in (
            "synchronous=FULL",
            f"cache_size=-{settings.store_cache_mb * 1024 // (pool if begin == 'BEGIN' else 1)}",
            "temp_store=MEMORY",
            "wal_autocheckpoint=4000",
        ):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def start(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _write_ahead(connection: sqlite3.Connection, patience_s: float) -> None:
    """Ends when the file is in WAL mode. Of those who open a new file at once, one may switch it, and
    SQLite tells the others at once that it is locked, without the wait that it grants to a statement."""
    give_up = monotonic() + patience_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL").close()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or monotonic() > give_up:
                raise
            sleep(0.005)
        else:
            return


@contextmanager
def translated() -> Iterator[None]:
    """Errors of drivers become ours, and say whether trying again helps."""
    try:
        yield
    except (ProgrammingError, DataError) as error:
        if getattr(error.orig, "sqlstate", None) == postgres.NOT_ALLOWED:
            raise postgres.refusal(postgres.NOT_ALLOWED, str(error.orig)) from error
        # A statement that the database doesn't accept is a defect of ours; trying again won't help.
        raise InternalError(f"the store refused a statement: {type(error.orig).__name__}", subject="store") from error
    except DBAPIError as error:
        raise _translate(error.orig or error) from error
    except (sqlite3.Error, OSError, NoConnectionFree) as error:
        raise _translate(error) from error


def _translate(error: BaseException) -> LineageHubError:
    text = str(error)
    if not isinstance(error, sqlite3.Error) and hasattr(error, "sqlstate"):
        return postgres.refusal(error.sqlstate or "", text)
    if "full" in text or "No space left" in text or "disk I/O error" in text:
        return StorageFull(
            f"the store can't write: {text}",
            subject="store",
            action="free disk space and check the disk; a running hub goes on by itself",
        )
    if "not a database" in text or "malformed" in text:
        return StoreUnavailable(
            f"the store is damaged: {text}",
            subject="store",
            action="stop the hub and bring a backup back with `lineage-hub restore FILE --force`",
        )
    return StoreUnavailable(f"the store does not answer: {text}", subject="store", action="see `lineage-hub doctor`")
