"""A dialect's name enters, the insert that skips rows which are there already leaves.

Both databases spell it the same; only the dialect in use is imported, since a start should be quick.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Dialect, Table

SQLITE, POSTGRESQL = "sqlite", "postgresql"


def insert_new(dialect: str, table: Table) -> Any:
    if dialect == SQLITE:
        from sqlalchemy.dialects import sqlite

        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(table)


def dialect_for_driver(dialect: str) -> Dialect:
    """With the parameter style that the driver itself takes."""
    if dialect == SQLITE:
        from sqlalchemy.dialects import sqlite

        return sqlite.dialect()
    from sqlalchemy.dialects import postgresql

    return postgresql.dialect(paramstyle="format")  # type: ignore[no-untyped-call]
