"""Rows enter and are written, many with one statement; how many of them were new leaves.

Each run of a statement has a price of its own, which is more than that of a short row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.exc import DBAPIError

from lineage_hub.store.dialects import insert_text

# Few sizes, so that the driver keeps each statement prepared.
PORTIONS = (64, 8)


def insert(connection: Connection, table: Table, rows: Sequence[tuple[Any, ...]], *, if_new: bool = True) -> int:
    """`if_new` skips rows which are there already."""
    text = insert_text(connection.dialect.name, table, if_new=if_new)
    driver = connection.dialect.loaded_dbapi
    cursor = connection.connection.cursor()
    taken = at = 0
    try:
        for size in PORTIONS:
            while len(rows) - at >= size:
                cursor.execute(_of_size(text, size), plain([value for row in rows[at : at + size] for value in row]))
                taken += cursor.rowcount
                at += size
        if at < len(rows):
            cursor.executemany(text, rows[at:])
            taken += cursor.rowcount
        return taken
    except driver.Error as error:
        raise DBAPIError.instance(text, None, error, driver.Error, dialect=connection.dialect) from error
    finally:
        cursor.close()


def plain(values: Iterable[Any]) -> list[Any]:
    """In types that sqlite3 takes as they are: for each value of type bytes it would look in vain for an adapter."""
    return [bytearray(value) if type(value) is bytes else value for value in values]


@cache
def _of_size(text: str, rows: int) -> str:
    before, _, after = text.partition("VALUES ")
    one, end, rest = after.partition(")")
    return f"{before}VALUES {', '.join([one + end] * rows)}{rest}"
