"""How long a tenant's events stay, and events that may go, enter; rows about a horizon, and how many went, leave.

What is removed is removed by its key and as a whole, so a sweep may be broken off anywhere and begun again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import ColumnElement, Connection, and_, bindparam, delete, func, insert, or_, select, update

from lineage_hub.lineage.rows import EventRow
from lineage_hub.lineage.shapes import IN_RAW, Shape, decode
from lineage_hub.model import Scope
from lineage_hub.store import tables
from lineage_hub.store.changes import entities_of
from lineage_hub.store.counters import count_up, take
from lineage_hub.store.prepared import Prepared

CHUNK = 500
T = TypeVar("T")
_r = tables.retention.c
_e = tables.event.c
_ROW = [tables.event.c[name] for name in EventRow._fields]


class Kept(NamedTuple):
    """Of one tenant. `days` is what was set for it: 0 keeps everything, None leaves it to the settings."""

    tenant: str
    days: int | None
    horizon_at: int | None
    swept_at: int | None
    removed_events: int


class CutFact(NamedTuple):
    dataset: int
    event_at: int
    event_id: bytes
    continues_as: int | None
    tenant: int
    known_at: int


# How long


def all_kept(connection: Connection, scope: Scope) -> list[Kept]:
    visible = [] if scope.tenants is None else [_r.tenant.in_(sorted(scope.tenants))]
    rows = connection.execute(select(*tables.retention.c).where(*visible))
    return sorted([Kept._make(row) for row in rows], key=lambda kept: kept.tenant)


def tenants(connection: Connection, scope: Scope) -> dict[str, int]:
    """All that ever sent an event, by name."""
    t = tables.tenant.c
    visible = [] if scope.tenants is None else [t.name.in_(sorted(scope.tenants))]
    return {row.name: row.id for row in connection.execute(select(t.name, t.id).where(*visible).order_by(t.id))}


def set_days(connection: Connection, scope: Scope, days: int | None) -> None:
    """For the tenant that the scope writes to."""
    _ensure(connection, scope.tenant)
    connection.execute(update(tables.retention).where(_r.tenant == scope.tenant).values(days=days))


def seal(connection: Connection, scope: Scope, horizon_at: int) -> None:
    """From here on no question about a moment before the horizon is answered; it never moves back."""
    _ensure(connection, scope.tenant)
    moved = connection.execute(
        update(tables.retention)
        .where(_r.tenant == scope.tenant, or_(_r.horizon_at.is_(None), _r.horizon_at < horizon_at))
        .values(horizon_at=horizon_at)
    )
    if moved.rowcount:
        _note_removal(connection)


def note_sweep(connection: Connection, scope: Scope, swept_at: int) -> None:
    _ensure(connection, scope.tenant)
    connection.execute(update(tables.retention).where(_r.tenant == scope.tenant).values(swept_at=swept_at))


def _ensure(connection: Connection, tenant: str) -> None:
    if connection.execute(select(_r.tenant).where(_r.tenant == tenant)).first() is None:
        connection.execute(insert(tables.retention), {"tenant": tenant, "removed_events": 0})


def _note_removal(connection: Connection) -> None:
    """Readers and writers of every process look at this number, and forget what may be gone."""
    count_up(connection, "swept")


# What there is up to a horizon


def next_horizon(connection: Connection, tenant: int, after: int, until: int, events: int) -> int:
    """At most `until`, so that about that many events lie between."""
    row = connection.execute(
        select(_e.event_at)
        .where(_e.event_at > after, _e.event_at <= until, _e.tenant == tenant)
        .order_by(_e.event_at)
        .offset(events)
        .limit(1)
    ).first()
    return until if row is None else int(row[0])


def count_after(connection: Connection, tenant: int, after: int, until: int) -> int:
    within = (_e.event_at > after, _e.event_at <= until, _e.tenant == tenant)
    return int(connection.execute(select(func.count()).select_from(tables.event).where(*within)).scalar_one())


def old_events(connection: Connection, tenant: int, horizon_at: int) -> list[EventRow]:
    """All that had happened, and was known, by then."""
    return _rows(_OLD, connection, tenant=tenant, h=horizon_at)


def later_of_runs(connection: Connection, tenant: int, horizon_at: int, runs: Iterable[bytes]) -> list[EventRow]:
    """With these run ids, the events of any job and tenant which aren't among the old ones."""
    return [row for part in _parts(runs) for row in _rows(_LATER, connection, tenant=tenant, h=horizon_at, ids=part)]


def learned_late(connection: Connection, tenant: int, horizon_at: int) -> bool:
    """Whether anything from before the horizon became known after it."""
    return bool(_LEARNED_LATE.rows(connection, {"tenant": tenant, "h": horizon_at}))


def cuts(connection: Connection) -> list[CutFact]:
    """Of every tenant: one may cut what another speaks of."""
    return [CutFact(*row) for row in _CUTS.rows(connection, {})]


def named_elsewhere(
    connection: Connection, tenant: int, horizon_at: int, parents: Iterable[tuple[int, bytes]]
) -> set[tuple[int, bytes]]:
    """Runs that are named as parents by other events than old ones of this tenant."""
    wanted = set(parents)
    found: set[tuple[int, bytes]] = set()
    for part in _parts(sorted(wanted)):
        values = {"tenant": tenant, "h": horizon_at, "jobs": [job for job, _ in part], "runs": [run for _, run in part]}
        found.update((job, bytes(run)) for job, run in _NAMED_ELSEWHERE.rows(connection, values))
    return found & wanted


def shapes_elsewhere(connection: Connection, tenant: int, horizon_at: int, shapes: Iterable[int]) -> set[int]:
    """Those that other events than old ones of this tenant have."""
    found: set[int] = set()
    for part in _parts(sorted(shapes)):
        found.update(row[0] for row in _ELSEWHERE.rows(connection, {"tenant": tenant, "h": horizon_at, "ids": part}))
    return found


def events_elsewhere(
    connection: Connection, tenant: int, horizon_at: int, shapes: Iterable[int]
) -> Iterator[list[EventRow]]:
    """The events themselves, page by page."""
    for shape in sorted(shapes):
        rows = _rows(_EVENTS_ELSEWHERE, connection, tenant=tenant, h=horizon_at, shape=shape)
        for start in range(0, len(rows), CHUNK):
            yield rows[start : start + CHUNK]


def others_between(
    connection: Connection, tenant: int, horizon_at: int, shapes: Iterable[int], since: int, until: int
) -> list[EventRow]:
    """Events with these shapes from a stretch before the horizon, but the old ones of this tenant."""
    found: list[EventRow] = []
    for part in _parts(sorted(shapes)):
        found += _rows(_BETWEEN, connection, tenant=tenant, h=horizon_at, ids=part, since=since, until=until)
    return found


def _rows(statement: Prepared, connection: Connection, **values: Any) -> list[EventRow]:
    return [EventRow(*row) for row in statement.rows(connection, values)]


def _parts(items: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    each = iter(items)
    while part := list(islice(each, size)):
        yield part


def _old() -> list[ColumnElement[bool]]:
    return [_e.tenant == bindparam("tenant"), _e.event_at <= bindparam("h"), _e.known_at <= bindparam("h")]


def _ids(name: str = "ids") -> Any:
    return bindparam(name, expanding=True)


_OTHER = or_(_e.event_at > bindparam("h"), _e.known_at > bindparam("h"), _e.tenant != bindparam("tenant"))
_OLD = Prepared(select(*_ROW).where(*_old()))
_LATER = Prepared(select(*_ROW).where(_e.run.in_(_ids()), _OTHER))
_LEARNED_LATE = Prepared(
    select(_e.seq)
    .where(_e.tenant == bindparam("tenant"), _e.event_at <= bindparam("h"), _e.known_at > bindparam("h"))
    .limit(1)
)
_c = tables.cut.c
_CUTS = Prepared(
    select(_c.dataset, _c.event_at, _c.event_id, _c.continues_as, _e.tenant, _e.known_at).join_from(
        tables.cut, tables.event, and_(_e.subject == _c.subject, _e.event_at == _c.event_at, _e.event_id == _c.event_id)
    )
)
_NAMED_ELSEWHERE = Prepared(
    select(_e.parent, _e.parent_run)
    .where(_e.parent.in_(_ids("jobs")), _e.parent_run.in_(_ids("runs")), _OTHER)
    .distinct()
)
_s = tables.shape.c
_ELSEWHERE = Prepared(
    select(_s.id).where(
        _s.id.in_(_ids()), select(_e.seq).where(_e.shape == _s.id, _OTHER).correlate(tables.shape).exists()
    )
)
_BETWEEN = Prepared(
    select(*_ROW).where(
        _e.shape.in_(_ids()), _e.event_at >= bindparam("since"), _e.event_at <= bindparam("until"), _OTHER
    )
)
_EVENTS_ELSEWHERE = Prepared(select(*_ROW).where(_e.shape == bindparam("shape"), _OTHER))


# What goes


def remove_events(connection: Connection, scope: Scope, rows: Sequence[EventRow], *, of_kept_runs: bool = False) -> int:
    """With their texts. `of_kept_runs` says that other events of the same runs stay."""
    take(connection, 0)
    gone = 0
    for part in _parts(rows):
        keys = [{"s": row.subject, "t": row.event_at, "i": row.event_id} for row in part]
        gone += connection.execute(_DELETE_EVENTS, keys).rowcount
        connection.execute(_DELETE_RAW, {"ids": [row.seq for row in part]})
    connection.execute(
        update(tables.retention).where(_r.tenant == scope.tenant).values(removed_events=_r.removed_events + gone)
    )
    if of_kept_runs:
        _note_removal(connection)
    return gone


def grown_runs(connection: Connection, rows: Sequence[EventRow]) -> set[tuple[int, int, bytes]]:
    """Runs of these events that have others too, by tenant, job and id: those came since they were read."""
    known = {(row.subject, row.event_at, bytes(row.event_id)) for row in rows}
    found: set[tuple[int, int, bytes]] = set()
    wanted = {row.run_key for row in rows if row.run is not None}
    for part in _parts(sorted({run for _, _, run in wanted})):
        for row in _rows(_OF_RUNS, connection, ids=part):
            if row.run_key in wanted and (row.subject, row.event_at, bytes(row.event_id)) not in known:
                found.add(row.run_key)
    return found


def unused_shapes(connection: Connection, after: int, limit: int) -> tuple[list[int], int | None]:
    """Of the shapes that follow one, those without events; and the number of the last that was looked at."""
    numbers = [row[0] for row in _NUMBERS_AFTER.rows(connection, {"after": after, "limit": limit})]
    if not numbers:
        return [], None
    return [row[0] for row in _UNUSED_SHAPES.rows(connection, {"ids": numbers})], numbers[-1]


def remove_unused_shapes(connection: Connection, shapes: Collection[int]) -> int:
    """With their mentions, unless an event has one by now. The last number of all stays: no other shape may get it."""
    take(connection, 0)
    gone = 0
    for part in _parts(sorted(shapes)):
        rows = _UNUSED_SHAPES.rows(connection, {"ids": part})
        unused: dict[int, Shape] = {row[0]: decode(bytes(row[1])) for row in rows}
        # Whose shape it was isn't part of it.
        producers = [row[0] for row in connection.execute(select(_n.id).where(_n.kind == tables.PRODUCER))]
        pairs = [(one, number) for number, shape in unused.items() for one in (*entities_of(shape), *producers)]
        for some in _parts(pairs):
            connection.execute(_DELETE_MENTIONS, [{"e": entity, "s": number} for entity, number in some])
        if unused:
            gone += connection.execute(_DELETE_SHAPES, {"ids": sorted(unused)}).rowcount
    if gone:
        _note_removal(connection)
    return gone


def remove_unused_cuts(connection: Connection) -> int:
    """Those whose event is gone; a reader doesn't see them any more."""
    take(connection, 0)
    return int(connection.execute(_DELETE_CUTS).rowcount)


def blobs_used(connection: Connection, after: int, limit: int) -> tuple[set[int], int | None]:
    """By the shapes that follow one, and the number of the last of them."""
    rows = _SHAPES_AFTER.rows(connection, {"after": after, "limit": limit})
    used: set[int] = set()
    for _, body in rows:
        shape = decode(bytes(body))
        used.update(shape.job_facets.values())
        for mention in shape.mentions:
            used.update(mention.facets.values())
    return used - {IN_RAW}, rows[-1][0] if rows else None


def blob_numbers(connection: Connection, after: int, limit: int) -> list[int]:
    return [row[0] for row in _BLOBS_AFTER.rows(connection, {"after": after, "limit": limit})]


def remove_unused_blobs(connection: Connection, blobs: Collection[int], last_shape: int) -> int:
    """Of those that no shape up to that one used, the ones that no later shape uses either."""
    take(connection, 0)
    used, _ = blobs_used(connection, last_shape, 2**31)
    last = connection.execute(select(func.max(tables.blob.c.id))).scalar()
    going = sorted(set(blobs) - used - {last})
    return sum(connection.execute(_DELETE_BLOBS, {"ids": part}).rowcount for part in _parts(going))


_OF_RUNS = Prepared(select(*_ROW).where(_e.run.in_(_ids())))
_UNUSED_SHAPES = Prepared(
    select(_s.id, _s.body).where(
        _s.id.in_(_ids()),
        ~select(_e.seq).where(_e.shape == _s.id).correlate(tables.shape).exists(),
        _s.id < select(func.max(tables.shape.alias("others").c.id)).scalar_subquery(),
    )
)
_NUMBERS_AFTER = Prepared(select(_s.id).where(_s.id > bindparam("after")).order_by(_s.id).limit(bindparam("limit")))
_SHAPES_AFTER = Prepared(
    select(_s.id, _s.body).where(_s.id > bindparam("after")).order_by(_s.id).limit(bindparam("limit"))
)
_b, _n = tables.blob.c, tables.entity.c
_BLOBS_AFTER = Prepared(select(_b.id).where(_b.id > bindparam("after")).order_by(_b.id).limit(bindparam("limit")))
# One by one: given a list of pairs or triples, SQLite reads the whole table.
_DELETE_EVENTS = delete(tables.event).where(
    _e.subject == bindparam("s"), _e.event_at == bindparam("t"), _e.event_id == bindparam("i")
)
_DELETE_CUTS = delete(tables.cut).where(
    ~select(_e.seq)
    .where(_e.subject == _c.subject, _e.event_at == _c.event_at, _e.event_id == _c.event_id)
    .correlate(tables.cut)
    .exists()
)
_DELETE_RAW = delete(tables.raw).where(tables.raw.c.seq.in_(_ids()))
_DELETE_MENTIONS = delete(tables.mention).where(
    tables.mention.c.entity == bindparam("e"), tables.mention.c.shape == bindparam("s")
)
_DELETE_SHAPES = delete(tables.shape).where(_s.id.in_(_ids()))
_DELETE_BLOBS = delete(tables.blob).where(_b.id.in_(_ids()))
