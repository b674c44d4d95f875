"""A dialect's name enters, the insert that skips rows which are there already leaves.

Both databases spell it the same; only the dialect in use is imported, since a start should be quick.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import Table, bindparam

SQLITE = "sqlite"


@cache
def insert_text(dialect: str, table: Table, columns: tuple[str, ...]) -> str:
    """As the driver takes it, compiled once."""
    values: dict[str, Any] = {column: bindparam(column) for column in columns}
    if dialect == SQLITE:
        from sqlalchemy.dialects import sqlite

        statement = sqlite.insert(table).values(values).on_conflict_do_nothing()
        return str(statement.compile(dialect=sqlite.dialect()))
    from sqlalchemy.dialects import postgresql

    other = postgresql.insert(table).values(values).on_conflict_do_nothing()
    return str(other.compile(dialect=postgresql.dialect(paramstyle="format")))  # type: ignore[no-untyped-call]
