"""A dialect's name and a statement enter; its text as the driver takes it leaves, with values in order.

Only the dialect in use is imported, since a start should be quick.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sqlalchemy import Select, Table, bindparam
from sqlalchemy.sql.compiler import SQLCompiler

SQLITE = "sqlite"


@cache
def insert_text(dialect: str, table: Table, *, if_new: bool = True) -> str:
    """All columns of a table; `if_new` skips rows which are there already. Both databases spell it the same."""
    values: dict[str, Any] = {column.name: bindparam(column.name) for column in table.columns}
    if dialect == SQLITE:
        from sqlalchemy.dialects import sqlite

        statement = sqlite.insert(table).values(values)
        return str((statement.on_conflict_do_nothing() if if_new else statement).compile(dialect=sqlite.dialect()))
    from sqlalchemy.dialects import postgresql

    other = postgresql.insert(table).values(values)
    driver = postgresql.dialect(paramstyle="format")  # type: ignore[no-untyped-call]
    return str((other.on_conflict_do_nothing() if if_new else other).compile(dialect=driver))


def compiled_select(dialect: str, statement: Select[Any]) -> SQLCompiler:
    if dialect == SQLITE:
        from sqlalchemy.dialects import sqlite

        return statement.compile(dialect=sqlite.dialect())
    from sqlalchemy.dialects import postgresql

    return statement.compile(dialect=postgresql.dialect(paramstyle="format"))  # type: ignore[no-untyped-call]
