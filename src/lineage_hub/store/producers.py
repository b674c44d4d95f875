"""A scope and a moment enter; how many events each producer had told by then leaves, hour by hour.

A producer is an entity of its own kind that stands beside the shapes of its events, so an event costs nothing more.
"""

from __future__ import annotations

from collections.abc import Collection, Set
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, func, select, text

from lineage_hub.model import Moment, Scope
from lineage_hub.store import tables
from lineage_hub.store.visible import seen

HOUR_NS = 3_600_000_000_000
_e, _m, _n, _s = tables.event.c, tables.mention.c, tables.entity.c, tables.shape.c
_HOUR = (_e.event_at // HOUR_NS).label("hour")
_CHUNK = 2_000
_PRODUCERS = select(_n.id).where(_n.kind == tables.PRODUCER)


class Hour(NamedTuple):
    """What one producer, or one shape, had in one hour; times are those of the first and the last event."""

    of: int
    hour: int
    events: int
    first_at: int
    last_at: int
    last_known_at: int


def hours_of_producers(connection: Connection, scope: Scope, moment: Moment, wanted: Collection[int]) -> list[Hour]:
    """Counts their events, so it costs as much as there are."""
    told = select(*_counted(_m.entity)).join_from(tables.mention, tables.event, _e.shape == _m.shape)
    return _hours(connection, told.where(_m.entity.in_(sorted(wanted)), *seen(scope, moment)))


def hours_of_shapes(connection: Connection, scope: Scope, moment: Moment, shapes: Collection[int]) -> list[Hour]:
    told = select(*_counted(_e.shape)).where(*seen(scope, moment))
    ordered = sorted(shapes)
    chunks = [ordered[start : start + _CHUNK] for start in range(0, len(ordered), _CHUNK)]
    return [hour for chunk in chunks for hour in _hours(connection, told.where(_e.shape.in_(chunk)))]


def names(connection: Connection) -> dict[int, str]:
    return {row.id: row.name for row in connection.execute(select(_n.id, _n.name).where(_n.kind == tables.PRODUCER))}


def untold_shapes(connection: Connection, told: Set[int]) -> dict[int, int]:
    """Shapes that an older hub wrote, which kept no producer with them, and the job or dataset that each is about."""
    if connection.execute(select(func.count()).select_from(tables.shape)).scalar_one() == len(told):
        return {}
    return {row.id: row.subject for row in connection.execute(select(_s.id, _s.subject)) if row.id not in told}


def subjects(connection: Connection, scope: Scope, moment: Moment) -> dict[int, set[int]]:
    """The jobs, and the datasets of DatasetEvents, that each producer tells of."""
    visible = select(_e.subject).where(_e.shape == _s.id, *seen(scope, moment)).exists()
    statement = (
        select(_m.entity, _s.subject)
        .join_from(tables.mention, tables.shape, _s.id == _m.shape)
        .where(_m.entity.in_(_PRODUCERS), visible)
        .distinct()
    )
    found: dict[int, set[int]] = {}
    for row in connection.execute(statement):
        found.setdefault(row.entity, set()).add(row.subject)
    return found


def _counted(of: ColumnElement[int]) -> list[ColumnElement[Any]]:
    at, known_at = _e.event_at, _e.known_at
    return [of.label("of"), _HOUR, func.count(), func.min(at), func.max(at), func.max(known_at)]


def _hours(connection: Connection, statement: Any) -> list[Hour]:
    rows: Any = connection.execute(statement.group_by(text("1"), text("2")))
    return [Hour._make(row) for row in rows]
