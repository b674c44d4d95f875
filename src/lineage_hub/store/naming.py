"""Names, facet bodies and other values enter, the numbers that stand for them leave; new ones are written first.

Rows are written in the order of their keys, so two writers on PostgreSQL can't wait for each other in a circle.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from sqlalchemy import Connection, Table, bindparam, select
from sqlalchemy.types import NullType

from lineage_hub.store import tables
from lineage_hub.store.dialects import insert_text
from lineage_hub.wire.canonical import digest

CHUNK = 500
Name = tuple[int, str, str]


def intern_rows(connection: Connection, table: Table, rows: list[dict[str, Any]], key: str = "hash") -> dict[Any, int]:
    """The number of each row by its key; for tables without one (dictionary) just the insert."""
    if key not in table.c:
        key = "name" if "name" in table.c else "id"
    wanted = sorted({row[key] for row in rows})
    found = _numbers(connection, table, key, wanted)
    missing = sorted((row for row in rows if row[key] not in found), key=lambda row: row[key])
    if missing:
        columns = tuple(missing[0])
        text = insert_text(connection.dialect.name, table, columns)
        connection.exec_driver_sql(text, [tuple(row[column] for column in columns) for row in missing])
        found.update(_numbers(connection, table, key, [row[key] for row in missing]))
    return found


def _numbers(connection: Connection, table: Table, key: str, wanted: list[Any]) -> dict[Any, int]:
    column = table.c[key]
    # Without a type: what the driver takes as it is needn't be looked at one by one.
    wanted_values = bindparam("wanted", expanding=True, type_=NullType())
    statement = select(column, table.c.id).where(column.in_(wanted_values))
    found: dict[Any, int] = {}
    for start in range(0, len(wanted), CHUNK):
        rows: Any = connection.execute(statement, {"wanted": wanted[start : start + CHUNK]})
        for value, number in rows:
            found[bytes(value) if isinstance(value, memoryview) else value] = number
    return found


def space_hash(namespace: str) -> bytes:
    return digest(namespace.encode())


def entity_hash(kind: int, namespace: str, name: str) -> bytes:
    return digest(b"%d\0" % kind, namespace.encode(), b"\0", name.encode())


def intern_entities(connection: Connection, names: Iterable[Name]) -> dict[Name, int]:
    named = {entity_hash(*name): name for name in names}
    found = _numbers(connection, tables.entity, "hash", sorted(named))
    missing = {key: name for key, name in named.items() if key not in found}
    if missing:
        spaces = {namespace: space_hash(namespace) for _, namespace, _ in missing.values()}
        numbers = intern_rows(
            connection, tables.space, [{"hash": key, "name": namespace} for namespace, key in spaces.items()]
        )
        rows = [
            {"hash": key, "kind": kind, "space": numbers[spaces[namespace]], "name": name}
            for key, (kind, namespace, name) in missing.items()
        ]
        found.update(intern_rows(connection, tables.entity, rows))
    return {name: found[key] for key, name in named.items()}


def intern_blobs(connection: Connection, keys: Collection[bytes], packed: Callable[[bytes], bytes]) -> dict[bytes, int]:
    """By digest; `packed` gives the frame of those that aren't there yet."""
    found = _numbers(connection, tables.blob, "hash", sorted(keys))
    missing = [{"hash": key, "body": packed(key)} for key in keys if key not in found]
    if missing:
        found.update(intern_rows(connection, tables.blob, missing))
    return found


def intern_tenants(connection: Connection, names: Iterable[str]) -> dict[str, int]:
    return intern_rows(connection, tables.tenant, [{"name": name} for name in names])
