"""A stretch of time enters; who was heard of in it leaves, with their runs, and the texts of events by their number.

All of it is asked with a lower bound on time or number, so that it costs what lies in the stretch.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, func, select, text

from lineage_hub.lineage.rows import RunKey
from lineage_hub.model import FOREVER, Moment, Scope
from lineage_hub.store import tables
from lineage_hub.store.library import Library
from lineage_hub.store.prepared import Prepared
from lineage_hub.store.visible import seen

_CHUNK = 500
_e, _m, _r = tables.event.c, tables.mention.c, tables.raw.c


class Text(NamedTuple):
    seq: int
    shape: int
    body: bytes


def subjects_between(connection: Connection, scope: Scope, moment: Moment, since: int, until: int) -> list[int]:
    """The jobs and datasets that events of that time are about."""
    within = (_e.event_at >= since, _e.event_at <= until, *seen(scope, moment))
    return list(connection.execute(select(_e.subject).where(*within).distinct()).scalars())


_NAMES = Prepared(
    select(tables.entity.c.id, tables.entity.c.kind, tables.entity.c.space)
    .where(tables.entity.c.id > bindparam("after"), tables.entity.c.kind.in_((tables.JOB, tables.DATASET)))
    .order_by(tables.entity.c.id)
)  # fmt: skip


def names_after(connection: Connection, scope: Scope, entity: int) -> list[tuple[int, int, int]]:
    """All jobs and datasets that have a greater number, whoever told of them: number, kind and namespace."""
    del scope
    return _NAMES.rows(connection, {"after": entity})


def runs_since(
    connection: Connection, scope: Scope, moment: Moment, jobs: Collection[int], since: int
) -> dict[int, set[bytes]]:
    """The ids of the runs of these jobs that have an event from then on."""
    found: dict[int, set[bytes]] = {job: set() for job in jobs}
    ordered = sorted(jobs)
    for start in range(0, len(ordered), _CHUNK):
        statement = select(_e.subject, _e.run).where(
            _e.subject.in_(ordered[start : start + _CHUNK]),
            _e.event_at >= since,
            _e.run.is_not(None),
            *seen(scope, moment),
        )
        rows: Any = connection.execute(statement.distinct())
        for job, run in rows:
            found[job].add(bytes(run))
    return found


@lru_cache(maxsize=8)
def _newest(by_time: bool, by_knowledge: bool, by_tenant: bool) -> Prepared:
    """Asked for each dataset, so that its text is made once."""
    bounds = [_e.event_at <= bindparam("t")] * by_time + [_e.known_at <= bindparam("k")] * by_knowledge
    named = select(tables.tenant.c.id).where(tables.tenant.c.name.in_(bindparam("tenants", expanding=True)))
    bounds += [_e.tenant.in_(named)] * by_tenant
    statement = select(_e.tenant, _e.subject, _e.run).where(
        _e.shape.in_(bindparam("shapes", expanding=True)), _e.run.is_not(None), *bounds
    )
    return Prepared(statement.order_by(_e.event_at.desc(), _e.event_id.desc()).limit(bindparam("limit")))


def newest_runs(
    connection: Connection, scope: Scope, moment: Moment, shapes: Collection[int], limit: int
) -> set[RunKey]:
    """Those of the last events with one of these shapes."""
    ordered = sorted(shapes)
    statement = _newest(moment.as_of != FOREVER, moment.known_at != FOREVER, scope.tenants is not None)
    values = {"t": moment.as_of, "k": moment.known_at, "tenants": sorted(scope.tenants or ()), "limit": limit}
    found: set[RunKey] = set()
    for start in range(0, len(ordered), _CHUNK):
        for tenant, job, run in statement.rows(connection, {**values, "shapes": ordered[start : start + _CHUNK]}):
            found.add((tenant, job, bytes(run)))
    return found


def count_by_step(
    connection: Connection, scope: Scope, moment: Moment, begin: int, end: int, step: int
) -> dict[int, int]:
    """How many events lie in each step from `begin` on, before `end`; steps without one are left out."""
    number = ((_e.event_at - begin) // step).label("number")
    within = (_e.event_at >= begin, _e.event_at < end, *seen(scope, moment))
    rows: Any = connection.execute(select(number, func.count()).where(*within).group_by(text("number")))
    return {int(at): count for at, count in rows}


def producers_heard(connection: Connection, scope: Scope, moment: Moment, since: int, until: int) -> set[int]:
    """Those that told of anything from one time on and up to another."""
    said = select(_e.shape).where(_e.event_at >= since, _e.event_at <= until, *seen(scope, moment))
    every = select(tables.entity.c.id).where(tables.entity.c.kind == tables.PRODUCER)
    statement = select(_m.entity).where(_m.entity.in_(every), _m.shape.in_(said)).distinct()
    return set(connection.execute(statement).scalars())


def count_told(connection: Connection, scope: Scope, producers: Collection[int]) -> dict[int, int]:
    """How many different things each of them ever told."""
    del scope
    counted = select(_m.entity, func.count()).where(_m.entity.in_(sorted(producers))).group_by(_m.entity)
    rows: Any = connection.execute(counted)
    return dict(rows.all())


def texts_up_to(connection: Connection, scope: Scope, library: Library, seq: int, limit: int) -> list[Text]:
    """The events with that number and those before it, the newest first, whoever sent them."""
    del scope
    rows: Any = connection.execute(
        select(_r.seq, _r.shape, _r.body).where(_r.seq <= seq).order_by(_r.seq.desc()).limit(limit)
    )
    return [Text(number, shape, library.text(connection, bytes(body))) for number, shape, body in rows.all()]


def texts_after(connection: Connection, scope: Scope, library: Library, seq: int, limit: int) -> list[Text]:
    """Those that were written after that number, the oldest first."""
    del scope
    rows: Any = connection.execute(select(_r.seq, _r.shape, _r.body).where(_r.seq > seq).order_by(_r.seq).limit(limit))
    return [Text(number, shape, library.text(connection, bytes(body))) for number, shape, body in rows.all()]
