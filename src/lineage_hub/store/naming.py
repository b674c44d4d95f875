"""Names, facet bodies and other values enter, the numbers that stand for them leave; new ones are written first.

Rows are written in the order of their keys, so two writers on PostgreSQL can't wait for each other in a circle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, Table, bindparam, select

from lineage_hub.store import tables
from lineage_hub.store.dialects import insert_new
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
        connection.execute(insert_new(connection.dialect.name, table).on_conflict_do_nothing(), missing)
        found.update(_numbers(connection, table, key, [row[key] for row in missing]))
    return found


def _numbers(connection: Connection, table: Table, key: str, wanted: list[Any]) -> dict[Any, int]:
    column = table.c[key]
    statement = select(column, table.c.id).where(column.in_(bindparam("wanted", expanding=True)))
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


def intern_blobs(
    connection: Connection, bodies: Mapping[bytes, bytes], pack: Callable[[bytes], bytes]
) -> dict[bytes, int]:
    found = _numbers(connection, tables.blob, "hash", sorted(bodies))
    missing = [{"hash": key, "body": pack(body)} for key, body in bodies.items() if key not in found]
    if missing:
        found.update(intern_rows(connection, tables.blob, missing))
    return found


def intern_tenants(connection: Connection, names: Iterable[str]) -> dict[str, int]:
    return intern_rows(connection, tables.tenant, [{"name": name} for name in names])
