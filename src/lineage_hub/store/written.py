"""A number enters; the events that were written after it leave, in the order in which they were, a page at a time.

A writer takes the counter's row before anything else, so who has seen a number never meets a smaller one that is new.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, func, or_, select

from lineage_hub.lineage.rows import EventRow
from lineage_hub.model import Scope
from lineage_hub.store import tables
from lineage_hub.store.counters import counters
from lineage_hub.store.prepared import Prepared
from lineage_hub.store.reader import Reader
from lineage_hub.wire.told import time_of

# Packed; texts are some ten times as large.
MOST_BYTES = 4 << 20
_CHUNK = 200
_e, _r = tables.event.c, tables.raw.c
_ROW = [_e[name] for name in EventRow._fields]
_KEYS = 40
_AT = Prepared(
    select(*_ROW).where(
        or_(
            *[
                (_e.shape == bindparam(f"s{number}")) & (_e.event_at == bindparam(f"t{number}"))
                for number in range(_KEYS)
            ]
        )
    )
)


class Written(NamedTuple):
    """All that is visible of the events up to `last_seq`; `more` says that others follow already."""

    rows: list[EventRow]
    last_seq: int
    more: bool


def last_seq(connection: Connection, scope: Scope) -> int:
    """Numbers are given to all tenants together."""
    del scope
    return counters(connection).seq


def written_after(reader: Reader, scope: Scope, seq: int, limit: int) -> Written:
    """In the order of their numbers; a repeat has none."""
    connection = reader.connection
    last = last_seq(connection, scope)
    found: Any = connection.execute(
        select(_r.seq, _r.shape, func.length(_r.body)).where(_r.seq > seq).order_by(_r.seq).limit(limit)
    ).all()
    taken: list[tuple[int, int]] = []
    size = 0
    for number, shape, length in found:
        if taken and size + length > MOST_BYTES:
            break
        size += length
        taken.append((number, shape))
    more = len(taken) < len(found) or len(found) == limit
    texts = reader.texts_after(seq, len(taken)) if taken else {}
    # The row is found by its shape and time: an index on its number would cost every event, and only this asks for it.
    keys = {(shape, time_of(texts[number])) for number, shape in taken}
    rows = [row for row in _at(reader, scope, sorted(keys)) if row.seq in texts]
    rows.sort(key=lambda row: row.seq)
    return Written(rows, taken[-1][0] if more else last, more)


def _at(reader: Reader, scope: Scope, keys: list[tuple[int, int]]) -> list[EventRow]:
    """A condition for each key, since SQLite walks through all events to find pairs in a list."""
    tenants = reader.tenant_names()
    found: list[EventRow] = []
    for start in range(0, len(keys), _KEYS):
        chunk = keys[start : start + _KEYS]
        chunk += chunk[-1:] * (_KEYS - len(chunk))
        values = {f"{name}{number}": key[at] for number, key in enumerate(chunk) for at, name in enumerate("st")}
        found += map(EventRow._make, _AT.rows(reader.connection, values))
    return [row for row in found if scope.tenants is None or tenants[row.tenant] in scope.tenants]


def shapes_before(connection: Connection, scope: Scope, shapes: Collection[int], seq: int) -> set[int]:
    """Those of which an event has a number up to this one, whoever sent it."""
    del scope
    s = tables.shape.c
    older = select(_e.shape).where(_e.shape == s.id, _e.seq <= seq).exists()
    return set(connection.execute(select(s.id).where(s.id.in_(sorted(shapes)), older)).scalars())


def kinds_of(connection: Connection, scope: Scope, entities: Collection[int]) -> list[tuple[int, int]]:
    """Whether numbers stand for jobs or datasets."""
    del scope
    n = tables.entity.c
    ordered = sorted(entities)
    chunks = [ordered[start : start + 10 * _CHUNK] for start in range(0, len(ordered), 10 * _CHUNK)]
    return [
        (row.id, row.kind)
        for chunk in chunks
        for row in connection.execute(select(n.id, n.kind).where(n.id.in_(chunk)))
    ]
