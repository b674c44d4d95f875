"""The last numbers that somebody has seen enter; names, shapes and facets that were written since leave, in order.

Numbers become visible in their order, so nothing is missed. All tenants are among it: who answers from it must ask
the fold what a scope may see.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from sqlalchemy import Connection, Select, bindparam, func, select

from lineage_hub.lineage.shapes import Shape, decode
from lineage_hub.store import tables
from lineage_hub.store.library import Library
from lineage_hub.store.naming import look_up
from lineage_hub.store.prepared import Prepared, Row

_e, _s = tables.entity.c, tables.shape.c


class Numbers(NamedTuple):
    """The greatest ones in use."""

    entity: int = 0
    shape: int = 0


class Named(NamedTuple):
    entity: int
    hash: bytes
    kind: int
    space: int
    namespace: str
    name: str


def _after(statement: Select[Row], number: object) -> Prepared:
    return Prepared(statement.where(number > bindparam("seen")).order_by(number).limit(bindparam("limit")))  # type: ignore[arg-type]


_NUMBERS = Prepared(
    select(
        select(func.max(_e.id)).scalar_subquery(),
        select(func.max(_s.id)).scalar_subquery(),
    )
)
_NAMES = _after(
    select(_e.id, _e.hash, _e.kind, _e.space, tables.space.c.name, _e.name).join_from(
        tables.entity, tables.space, _e.space == tables.space.c.id
    ),
    _e.id,
)
_SHAPES = _after(select(_s.id, _s.body), _s.id)


def numbers(connection: Connection) -> Numbers:
    entity, shape = _NUMBERS.rows(connection, {})[0]
    return Numbers(entity or 0, shape or 0)


def names_after(connection: Connection, seen: int, limit: int) -> Iterator[Named]:
    for row in _NAMES.rows(connection, {"seen": seen, "limit": limit}):
        yield Named(row[0], bytes(row[1]), *row[2:])


def shapes_after(connection: Connection, seen: int, limit: int) -> Iterator[tuple[int, Shape]]:
    for number, body in _SHAPES.rows(connection, {"seen": seen, "limit": limit}):
        yield number, decode(bytes(body))


def facet_bodies(connection: Connection, library: Library, wanted: Collection[int]) -> dict[int, bytes]:
    """Without the library's shelf: whoever reads all of them once shouldn't fill it."""
    rows = look_up(connection, tables.blob, ("id", "body"), wanted)
    return {number: library.text(connection, bytes(body)) for number, body in rows}
