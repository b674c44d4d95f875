"""A stretch of time enters with shapes or a job; the events of those shapes, or the first events of its runs, leave.

Both come newest first and by page, so that an answer about a long history costs what it shows.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select

from lineage_hub.lineage.rows import EventRow
from lineage_hub.model import Moment, Scope
from lineage_hub.store import tables
from lineage_hub.store.visible import seen

_CHUNK = 2_000
_e = tables.event.c
_ROW = [_e[name] for name in EventRow._fields]
_NEWEST = (_e.event_at.desc(), _e.event_id.desc())


def events_of_shapes(
    connection: Connection,
    scope: Scope,
    moment: Moment,
    shapes: Collection[int],
    since: int,
    until: int,
    limit: int | None,
) -> list[EventRow]:
    """From `since` on and before `until`."""
    found: list[EventRow] = []
    ordered = sorted(shapes)
    for start in range(0, len(ordered), _CHUNK):
        statement = select(*_ROW).where(
            _e.shape.in_(ordered[start : start + _CHUNK]),
            _e.event_at >= since,
            _e.event_at < until,
            *seen(scope, moment),
        )
        rows: Any = connection.execute(statement.order_by(*_NEWEST).limit(limit))
        found += map(EventRow._make, rows)
    found.sort(key=lambda row: row.ord, reverse=True)
    return found if limit is None else found[:limit]


def starts_within(
    connection: Connection,
    scope: Scope,
    moment: Moment,
    job: int,
    since: int,
    until: int,
    limit: int,
    offset: int,
) -> list[EventRow]:
    """The first events of the runs of a job that started then."""
    statement = select(*_ROW).where(*_started(scope, moment, job, since, until))
    rows: Any = connection.execute(statement.order_by(*_NEWEST).limit(limit).offset(offset))
    return [EventRow._make(row) for row in rows]


def count_starts(connection: Connection, scope: Scope, moment: Moment, job: int, since: int, until: int) -> int:
    counted = select(func.count()).select_from(tables.event).where(*_started(scope, moment, job, since, until))
    return int(connection.execute(counted).scalar_one())


def _started(scope: Scope, moment: Moment, job: int, since: int, until: int) -> list[ColumnElement[bool]]:
    earlier = tables.event.alias("earlier")
    at = earlier.c.event_at
    before = (
        select(earlier.c.subject)
        .where(
            earlier.c.run == _e.run,
            earlier.c.subject == _e.subject,
            earlier.c.tenant == _e.tenant,
            (at < _e.event_at) | ((at == _e.event_at) & (earlier.c.event_id < _e.event_id)),
            *seen(scope, moment, earlier),
        )
        .exists()
    )
    window = (_e.subject == job, _e.run.is_not(None), _e.event_at >= since, _e.event_at < until)
    return [*window, ~before, *seen(scope, moment)]
