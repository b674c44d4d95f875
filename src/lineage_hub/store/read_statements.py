"""Bounds of a view enter; the statements by which the reader looks at it leave, each prepared once.

Most ask for what is the same in every view; `statements` makes those that see only a scope's events at a moment.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Select, and_, bindparam, func, select, text, tuple_
from sqlalchemy.sql.selectable import NamedFromClause

from lineage_hub.lineage.intervals import BatchRow
from lineage_hub.lineage.rows import EventRow
from lineage_hub.lineage.shapes import COMPLETE, JOB, RUNNING, STREAMING
from lineage_hub.store import tables
from lineage_hub.store.prepared import Prepared
from lineage_hub.wire.times import EARLIEST


def _ids(name: str = "ids") -> Any:
    return bindparam(name, expanding=True)


e = tables.event.c
n = tables.entity.c
OF_TENANTS = Prepared(select(tables.tenant.c.id).where(tables.tenant.c.name.in_(_ids("names"))))
BY_HASH = Prepared(select(n.hash, n.id, n.kind).where(n.hash.in_(_ids())))
FIND = Prepared(select(n.id).where(n.hash == bindparam("hash")))
NAMES = Prepared(
    select(n.id, tables.space.c.name, n.name)
    .join_from(tables.entity, tables.space, tables.space.c.id == n.space)
    .where(n.id.in_(_ids()))
)
ALL = Prepared(select(n.id).where(n.kind == bindparam("kind"), n.id > bindparam("after")))
IN_SPACE = Prepared(
    select(n.id)
    .join_from(tables.space, tables.entity, tables.space.c.id == n.space)
    .where(tables.space.c.hash == bindparam("hash"), n.kind == bindparam("kind"), n.id > bindparam("after"))
)
LAST_ENTITY = Prepared(select(func.max(n.id)))
SPACES = Prepared(select(tables.space.c.id, tables.space.c.name))
TENANTS = Prepared(select(tables.tenant.c.id, tables.tenant.c.name))
MENTIONS = Prepared(select(tables.mention.c.entity, tables.mention.c.shape).where(tables.mention.c.entity.in_(_ids())))
SHAPES = Prepared(select(tables.shape.c.id, tables.shape.c.body).where(tables.shape.c.id.in_(_ids())))
BLOBS = Prepared(select(tables.blob.c.id, tables.blob.c.body).where(tables.blob.c.id.in_(_ids())))
TEXTS = Prepared(select(tables.raw.c.seq, tables.raw.c.body).where(tables.raw.c.seq.in_(_ids())))
TOLD = Prepared(select(tables.raw.c.seq, tables.raw.c.body, tables.raw.c.rules).where(tables.raw.c.seq.in_(_ids())))
LAST_SEQ = Prepared(select(tables.counter.c.value).where(tables.counter.c.name == "seq"))
TEXTS_AFTER = Prepared(
    select(tables.raw.c.seq, tables.raw.c.body, tables.raw.c.rules)
    .where(tables.raw.c.seq > bindparam("seq"))
    .order_by(tables.raw.c.seq)
    .limit(bindparam("limit"))
)
TEXTS_OF = Prepared(
    select(tables.raw.c.seq, tables.raw.c.body)
    .join_from(tables.raw, tables.shape, tables.shape.c.id == tables.raw.c.shape)
    .where(tables.raw.c.seq > bindparam("seq"), tables.shape.c.subject == bindparam("job"))
    .order_by(tables.raw.c.seq)
)
COUNT_AFTER = Prepared(select(func.count()).select_from(tables.raw).where(tables.raw.c.seq > bindparam("seq")))
SHAPES_AFTER = Prepared(select(tables.raw.c.shape).where(tables.raw.c.seq > bindparam("seq")).distinct())
COUNT_BETWEEN = Prepared(
    select(func.count())
    .select_from(tables.event)
    .where(e.event_at >= bindparam("begin"), e.event_at < bindparam("end"))
)
TIME_OF = Prepared(
    select(e.event_at).where(e.event_at >= bindparam("begin")).order_by(e.event_at).limit(1).offset(bindparam("skip"))
)
TIME_AFTER = Prepared(select(e.event_at).where(e.event_at > bindparam("at")).order_by(e.event_at).limit(1))
LINKS = Prepared(select(tables.link.c.dataset, tables.link.c.other, tables.link.c.type))
_ROW = [tables.event.c[name] for name in EventRow._fields]
_BATCH = [tables.event.c[name] for name in BatchRow._fields]
_CANDIDATE_TYPES = (RUNNING, COMPLETE, JOB)


@lru_cache(maxsize=8)
def statements(by_time: bool, by_knowledge: bool, by_tenant: bool) -> dict[str, Prepared]:
    def seen(table: NamedFromClause = tables.event) -> list[ColumnElement[bool]]:
        conditions: list[ColumnElement[bool]] = []
        if by_time:
            conditions.append(table.c.event_at <= bindparam("t"))
        if by_knowledge:
            conditions.append(table.c.known_at <= bindparam("k"))
        if by_tenant:
            conditions.append(table.c.tenant.in_(_ids("tenants")))
        return conditions

    def per_job(*conditions: ColumnElement[bool]) -> Select[Any]:
        last = (
            select(e.event_at)
            .where(e.subject == n.id, *conditions)
            .order_by(e.event_at.desc())
            .limit(1)
            .correlate(tables.entity)
            .scalar_subquery()
        )
        heads = select(n.id.label("job"), last.label("at")).where(n.id.in_(_ids())).subquery()
        return (
            select(*_ROW)
            .join_from(heads, tables.event, (e.subject == heads.c.job) & (e.event_at == heads.c.at))
            .where(*conditions)
        )

    earlier = tables.event.alias("earlier")
    is_start = ~(
        select(earlier.c.subject)
        .where(
            earlier.c.run == e.run,
            earlier.c.subject == e.subject,
            earlier.c.tenant == e.tenant,
            # As one comparison, so that an index on the run leads to what is earlier.
            tuple_(earlier.c.event_at, earlier.c.event_id) < tuple_(e.event_at, e.event_id),
            *seen(earlier),
        )
        .exists()
    )
    s = tables.shape.c

    def edge(function: Callable[[Any], Any]) -> Any:
        of_shape = select(function(e.event_at)).where(e.shape == s.id, *seen())
        return of_shape.correlate(tables.shape).scalar_subquery()

    # An aggregate would say it shorter, but PostgreSQL before 18 has no max of bytes.
    at_once = select(e.event_id).where(e.shape == s.id, e.event_at == bindparam("at"), *seen())
    newest_id = at_once.order_by(e.event_id.desc()).limit(1).correlate(tables.shape).scalar_subquery()

    of_shape = select(e.known_at).where(e.shape == s.id, *seen())
    newest_known = (
        of_shape.order_by(e.event_at.desc(), e.known_at.desc()).limit(1).correlate(tables.shape).scalar_subquery()
    )
    learned = select(e.shape).where(e.shape == s.id, e.known_at > bindparam("since"), *seen()).correlate(tables.shape)

    window = (e.event_at > bindparam("after"), e.event_at < bindparam("before"))
    number = ((e.event_at - bindparam("start", type_=BigInteger)) // bindparam("step", type_=BigInteger)).label(
        "number"
    )
    within = (e.event_at >= bindparam("start"), e.event_at < bindparam("end"))

    def page(*order: Any) -> Select[Any]:
        # What is skipped is skipped in the index; the rest of a row is looked up for those that are shown.
        key = (e.subject, e.event_at, e.event_id)
        found = select(*key).where(*window, *seen()).order_by(*order)
        shown = found.limit(bindparam("limit")).offset(bindparam("offset")).subquery()
        same = [column == shown.c[column.name] for column in key]
        return select(*_ROW).join_from(shown, tables.event, and_(*same)).order_by(*order)

    runs = select(e.tenant, e.run).where(e.subject == bindparam("job"), e.run.is_not(None), *seen()).distinct()
    m, sp = tables.mention.c, tables.space.c
    here = tables.space.join(tables.entity, and_(n.space == sp.id, n.kind.in_((tables.JOB, tables.DATASET))))
    mentioned = here.join(tables.mention, m.entity == n.id)
    # Each shape once: those of one namespace mostly name several things in it.
    there = select(m.shape).select_from(mentioned).where(sp.hash == bindparam("hash")).distinct().subquery()
    first_of = select(func.min(e.event_at)).where(e.shape == there.c.shape, *seen())
    naming = (e.parent.in_(_ids()), *seen())
    of_run = (e.run.is_not(None), *seen())
    begun = select(e.event_at).where(e.subject == n.id, is_start, *of_run)
    begun = begun.order_by(e.event_at.desc(), e.event_id.desc()).limit(1).offset(bindparam("skip"))
    since = func.coalesce(begun.correlate(tables.entity).scalar_subquery(), EARLIEST)
    windows = select(n.id.label("job"), since.label("at")).where(n.id.in_(_ids())).subquery()
    c = tables.cut.c
    statements: dict[str, Select[Any]] = {
        "bounds": select(s.id, edge(func.min), edge(func.max)).where(s.id.in_(_ids())),
        "newest_known": select(s.id, newest_known).where(s.id.in_(_ids())),
        "learned_after": select(s.id).where(s.id.in_(_ids()), learned.exists()),
        "newest_ids": select(s.id, newest_id).where(s.id.in_(_ids())),
        "candidates": per_job(e.type.in_(_CANDIDATE_TYPES), *seen()),
        "candidates_before": select(*_ROW)
        .where(e.subject == bindparam("job"), e.event_at <= bindparam("at"), e.type.in_(_CANDIDATE_TYPES), *seen())
        .order_by(e.event_at.desc(), e.event_id.desc())
        .limit(bindparam("limit")),
        "last_started": per_job(e.run.is_not(None), is_start, *seen()),
        "starts": select(*_ROW)
        .where(e.subject == bindparam("job"), e.run.is_not(None), is_start, *seen())
        .order_by(e.event_at.desc(), e.event_id.desc())
        .limit(bindparam("limit"))
        .offset(bindparam("offset")),
        "count_runs": select(func.count()).select_from(runs.subquery()),
        "streams": select(e.event_at).where(e.subject == bindparam("job"), e.flags >= STREAMING, *seen()).limit(1),
        "batches": select(*_BATCH)
        .where(e.subject == bindparam("job"), e.run.is_not(None), *seen())
        .order_by(e.event_at, e.event_id),
        "children": select(e.run, e.parent, e.parent_run)
        .where(e.parent.in_(_ids("jobs")), e.parent_run.in_(_ids("runs")), e.run.is_not(None), *seen())
        .distinct(),
        "latest": select(*_ROW)
        .join_from(windows, tables.event, (e.subject == windows.c.job) & (e.event_at >= windows.c.at))
        .where(*of_run),
        "count_of_runs": select(e.run, func.count()).where(e.run.in_(_ids()), *seen()).group_by(e.run),
        "named_runs": select(e.parent, e.parent_run, func.min(e.event_at), func.max(e.event_at))
        .where(*naming)
        .group_by(e.parent, e.parent_run),
        "naming_run": select(e.tenant, e.parent, func.min(e.event_at), func.max(e.event_at))
        .where(e.parent_run == bindparam("run"), *naming)
        .group_by(e.tenant, e.parent),
        "shared_runs": select(e.run)
        .where(e.run.in_(_ids()), *seen())
        .group_by(e.run)
        .having(func.min(e.subject) != func.max(e.subject)),
        "own_runs": select(e.run).where(e.subject == bindparam("job"), e.run.in_(_ids()), *seen()).distinct(),
        "runs": select(*_ROW).where(e.run.in_(_ids()), *seen()),
        "of_shapes": select(*_ROW).where(e.shape.in_(_ids()), *seen()),
        "count_of_shape": select(func.count()).select_from(tables.event).where(e.shape == bindparam("shape"), *seen()),
        "of_shape_at": select(*_ROW).where(e.shape == bindparam("shape"), e.event_at == bindparam("at"), *seen()),
        "typed": select(*_ROW).where(e.subject == bindparam("job"), e.type.in_(_ids("types")), *seen()),
        "last_event_at": select(e.event_at).where(*seen()).order_by(e.event_at.desc()).limit(1),
        "count_events": select(func.count()).select_from(tables.event).where(*window, *seen()),
        "count_types": select(number, e.type, func.count()).where(*within, *seen()).group_by(text("number"), e.type),
        "events_desc": page(e.event_at.desc(), e.event_id.desc()),
        "events_asc": page(e.event_at, e.event_id),
        "event": select(*_ROW).where(e.event_at == bindparam("at"), e.event_id == bindparam("id"), *seen()),
        "space_seen": select(sp.id)
        .select_from(mentioned.join(tables.event, e.shape == m.shape))
        .where(sp.hash == bindparam("hash"), *seen())
        .limit(1),
        "first_mention": select(func.min(first_of.correlate(there).scalar_subquery())).select_from(there),
        "cuts": select(c.dataset, c.event_at, c.event_id, c.continues_as)
        .join_from(
            tables.cut,
            tables.event,
            (e.subject == c.subject) & (e.event_at == c.event_at) & (e.event_id == c.event_id),
        )
        .where(*seen())
        .order_by(c.dataset, c.event_at, c.event_id),
    }
    return {name: Prepared(statement) for name, statement in statements.items()}
