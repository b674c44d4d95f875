"""Names, facet bodies and other values enter, the numbers that stand for them leave; new ones are written first.

Numbers follow the greatest one of their table. Two writers can't give the same: each takes the counter's row before it
interns (`writer.py`), and SQLite has one writer at a time anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import cache
from itertools import count
from typing import Any, TypeVar

from sqlalchemy import Connection, Table, bindparam, func, select

from lineage_hub.store import tables
from lineage_hub.store.inserting import insert, plain
from lineage_hub.store.prepared import Prepared, Row
from lineage_hub.wire.canonical import digest

CHUNK = 512
Name = tuple[int, str, str]
K = TypeVar("K")


@cache
def _look_up(table: Table, columns: tuple[str, ...]) -> Prepared:
    key = table.c[columns[0]]
    return Prepared(select(*[table.c[name] for name in columns]).where(key.in_(bindparam("keys", expanding=True))))


@cache
def _last_number(table: Table) -> Prepared:
    return Prepared(select(func.max(table.c.id)))


def look_up(connection: Connection, table: Table, columns: tuple[str, ...], keys: Collection[K]) -> list[Row]:
    """These columns of the rows whose first one is among the keys."""
    wanted = plain(keys)
    statement = _look_up(table, columns)
    parts = [wanted[start : start + CHUNK] for start in range(0, len(wanted), CHUNK)]
    return [row for part in parts for row in statement.rows(connection, {"keys": part})]


def add(connection: Connection, table: Table, rows: dict[K, tuple[Any, ...]]) -> dict[K, int]:
    """New rows by their key, which is the table's second column; the numbers that they get leave."""
    if not rows:
        return {}
    last = _last_number(table).rows(connection, {})[0][0] or 0
    numbers = dict(zip(rows, count(last + 1), strict=False))
    insert(connection, table, [(numbers[key], key, *row) for key, row in rows.items()], if_new=False)
    return numbers


def intern(
    connection: Connection, table: Table, keys: Collection[K], rows: Callable[[list[K]], dict[K, tuple[Any, ...]]]
) -> dict[K, int]:
    """The number of each key; `rows` gives the further columns of those that aren't there yet."""
    found: dict[K, int] = dict(look_up(connection, table, (table.c[1].name, "id"), keys))
    missing = [key for key in keys if key not in found]
    return found | add(connection, table, rows(missing)) if missing else found


def space_hash(namespace: str) -> bytes:
    return digest(namespace.encode())


def entity_hash(kind: int, namespace: str, name: str) -> bytes:
    return digest(b"%d\0" % kind, namespace.encode(), b"\0", name.encode())


def intern_entities(connection: Connection, names: Iterable[Name]) -> dict[Name, int]:
    # Sorted, so that the same events get the same numbers, and the jobs of a team stand together.
    named = {entity_hash(*name): name for name in sorted(names)}

    def rows(missing: list[bytes]) -> dict[bytes, tuple[Any, ...]]:
        spaces = {space_hash(namespace): namespace for namespace in dict.fromkeys(named[key][1] for key in missing)}
        numbers = intern(connection, tables.space, spaces, lambda new: {key: (spaces[key],) for key in new})
        number = {spaces[key]: number for key, number in numbers.items()}
        return {key: (kind, number[space], name) for key in missing for kind, space, name in (named[key],)}

    numbers = intern(connection, tables.entity, named, rows)
    return {name: numbers[key] for key, name in named.items()}


def intern_blobs(connection: Connection, keys: Collection[bytes], packed: Callable[[bytes], bytes]) -> dict[bytes, int]:
    """By digest; `packed` gives the frame of those that aren't there yet."""
    return intern(connection, tables.blob, keys, lambda missing: {key: (packed(key),) for key in missing})


def intern_tenants(connection: Connection, names: Collection[str]) -> dict[str, int]:
    return intern(connection, tables.tenant, sorted(names), lambda missing: dict.fromkeys(missing, ()))
