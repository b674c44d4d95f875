"""A store in a data folder enters; the same rows in a database of a PostgreSQL server of its own leave.

The server is started as the tests start theirs, but it syncs as one in production does.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
from sqlalchemy import create_engine

from benchmarks.hub import hub_command
from lineage_hub.store import tables
from lineage_hub.store.migrate import migrate
from lineage_hub.store.open import DATABASE_FILE
from tests.postgres_server import PostgresServer, running_server

OPTIONS = {"fsync": "on", "autovacuum": "on", "shared_buffers": "128MB", "max_connections": "50"}


@contextmanager
def database_server() -> Iterator[PostgresServer]:
    with running_server(options=OPTIONS) as server:
        yield server


def serve_on(url: str) -> list[str]:
    return [*hub_command(), "--database-url", url]


def copy_rows(folder: Path, url: str) -> None:
    """Into an empty database. What a hub would write there is the same, row for row."""
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://", 1))
    with engine.begin() as made:
        migrate(made)
    engine.dispose()
    with closing(sqlite3.connect(folder / DATABASE_FILE)) as source, psycopg.connect(url) as target:
        for table in tables.metadata.sorted_tables:
            names = ", ".join(column.name for column in table.columns)
            rows = source.execute(f"SELECT {names} FROM {table.name}")
            target.execute(f"DELETE FROM {table.name}")
            with target.cursor().copy(f"COPY {table.name} ({names}) FROM STDIN") as into:
                for row in rows:
                    into.write_row(row)
        target.commit()
        target.autocommit = True
        target.execute("VACUUM ANALYZE")
