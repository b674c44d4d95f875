"""Numbers of entities, shapes and runs enter, rows visible to one scope at one moment leave, many for each statement.

Rows are facts as written; what they mean for lineage is decided in `lineage/` and `query/`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from typing import Any, TypeVar

from sqlalchemy import BigInteger, ColumnElement, Connection, Select, and_, bindparam, func, select, text
from sqlalchemy.sql.selectable import NamedFromClause

from lineage_hub.lineage.intervals import BatchRow
from lineage_hub.lineage.rows import CutRow, EventRow, RunKey
from lineage_hub.lineage.rules.rewriting import Rewriting, Rules
from lineage_hub.lineage.shapes import COMPLETE, JOB, RUNNING, STREAMING, Shape, decode
from lineage_hub.model import EVERYTHING, FOREVER, Moment, Scope
from lineage_hub.store import tables
from lineage_hub.store.library import Library
from lineage_hub.store.naming import entity_hash, space_hash
from lineage_hub.store.prepared import Prepared, Row
from lineage_hub.store.rules import rules_of

CHUNK = 2_000
T = TypeVar("T")
K = TypeVar("K")


class Reader:
    """All reads of one request, on one connection, for one scope and moment."""

    def __init__(self, connection: Connection, library: Library, scope: Scope, moment: Moment) -> None:
        self.connection, self.library, self.moment = connection, library, moment
        self._values: dict[str, Any] = {"t": moment.as_of, "k": moment.known_at}
        if scope.tenants is not None:
            self._values["tenants"] = [row[0] for row in self._all(_OF_TENANTS, names=sorted(scope.tenants))]
        self._sql = _statements(moment.as_of != FOREVER, moment.known_at != FOREVER, scope.tenants is not None)

    # Names

    def find(self, kind: int, namespace: str, name: str) -> int | None:
        key = entity_hash(kind, namespace, name)
        return next((row[0] for row in self._all(_FIND, hash=key)), None)

    def by_hash(self, keys: Iterable[bytes]) -> dict[bytes, tuple[int, int]]:
        """The number and kind of entities."""
        return {key: (entity, kind) for key, entity, kind in self._all(_BY_HASH, ids=list(keys))}

    def names(self, entities: Iterable[int]) -> dict[int, tuple[str, str]]:
        return self.library.names.fetch(entities, self._names)

    def _names(self, missing: list[int]) -> Iterator[tuple[int, tuple[str, str]]]:
        for chunk in _chunks(missing):
            for entity, namespace, name in self._all(_NAMES, ids=chunk):
                yield entity, (namespace, name)

    def entities(self, kind: int, namespace: str | None = None, after: int = 0) -> list[int]:
        """All that were ever heard of, visible or not; those with a greater number than `after`."""
        if namespace is None:
            return [row[0] for row in self._all(_ALL, kind=kind, after=after)]
        return [row[0] for row in self._all(_IN_SPACE, kind=kind, hash=space_hash(namespace), after=after)]

    def last_entity(self) -> int:
        """Numbers follow each other, so a snapshot holds all up to this one."""
        return int(self._all(_LAST_ENTITY)[0][0] or 0)

    def spaces(self) -> dict[int, str]:
        return dict(self._all(_SPACES))

    def has_space(self, namespace: str) -> bool:
        """Whether a visible event names something in it."""
        return bool(self._run("space_seen", hash=space_hash(namespace)))

    def first_mentions(self, namespace: str | None = None) -> dict[str, int]:
        """When an event first named something in a namespace, or in each."""
        found = {
            name: self._run("first_mention", hash=space_hash(name))[0][0]
            for name in (self.spaces().values() if namespace is None else (namespace,))
        }
        return {name: first for name, first in found.items() if first is not None}

    def tenant_names(self) -> dict[int, str]:
        return dict(self._all(_TENANTS))

    # Shapes

    def shapes_of(self, entities: Iterable[int]) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {entity: [] for entity in entities}
        for chunk in _chunks(list(found)):
            for entity, shape in self._all(_MENTIONS, ids=chunk):
                found[entity].append(shape)
        return found

    def shapes(self, numbers: Iterable[int]) -> dict[int, Shape]:
        return self.library.shapes.fetch(numbers, self._shapes)

    def _shapes(self, missing: list[int]) -> Iterator[tuple[int, Shape]]:
        for chunk in _chunks(missing):
            for number, body in self._all(_SHAPES, ids=chunk):
                yield number, decode(body)

    def blobs(self, numbers: Iterable[int]) -> dict[int, bytes]:
        return self.library.blobs.fetch(numbers, self._blobs)

    def _blobs(self, missing: list[int]) -> Iterator[tuple[int, bytes]]:
        for chunk in _chunks(missing):
            for number, body in self._all(_BLOBS, ids=chunk):
                yield number, self.library.text(self.connection, body)

    def bounds(self, shapes: Iterable[int]) -> dict[int, tuple[int, int]]:
        """The first and last time that a visible event has this shape; shapes without one are left out."""
        found: dict[int, tuple[int, int]] = {}
        for chunk in _chunks(sorted(shapes)):
            for number, first, last in self._run("bounds", ids=chunk):
                if first is not None:
                    found[number] = (first, last)
        return found

    def newest_known(self, shapes: Iterable[int]) -> dict[int, int]:
        """When the hub learned of the last visible event of each shape; others may have been learned of later."""
        return {
            number: known_at
            for chunk in _chunks(sorted(shapes))
            for number, known_at in self._run("newest_known", ids=chunk)
            if known_at is not None
        }

    def learned_after(self, shapes: Iterable[int], known_at: int) -> set[int]:
        """Those of these shapes that the hub learned of a visible event of after that time."""
        return {
            row[0] for chunk in _chunks(sorted(shapes)) for row in self._run("learned_after", ids=chunk, since=known_at)
        }

    def newest_ids(self, shapes: Collection[int], event_at: int) -> dict[int, bytes]:
        """For shapes whose last time is the same: the greatest event id there."""
        return {
            number: event_id
            for chunk in _chunks(sorted(shapes))
            for number, event_id in self._run("newest_ids", ids=chunk, at=event_at)
            if event_id is not None
        }

    # Events

    def candidates(self, jobs: Iterable[int]) -> dict[int, list[EventRow]]:
        """For each job the last COMPLETE, RUNNING or JobEvent, all that share the last time."""
        return self._at_last("candidates", jobs)

    def candidates_before(self, job: int, event_at: int, limit: int) -> list[EventRow]:
        """From that time on downwards."""
        return [_event(row) for row in self._run("candidates_before", job=job, at=event_at, limit=limit)]

    def last_started(self, jobs: Iterable[int]) -> dict[int, list[EventRow]]:
        """For each job the first event of the run that started last, all that share that time."""
        return self._at_last("last_started", jobs)

    def _at_last(self, name: str, jobs: Iterable[int]) -> dict[int, list[EventRow]]:
        found: dict[int, list[EventRow]] = {}
        for chunk in _chunks(list(jobs)):
            for row in self._run(name, ids=chunk):
                found.setdefault(row[0], []).append(_event(row))
        return found

    def starts(self, job: int, limit: int, offset: int = 0) -> list[EventRow]:
        """The first events of a job's runs, the run that started last first."""
        return [_event(row) for row in self._run("starts", job=job, limit=limit, offset=offset)]

    def count_runs(self, job: int) -> int:
        return int(self._run("count_runs", job=job)[0][0])

    def streams(self, job: int) -> bool:
        """Whether any event of the job says that it is streaming."""
        return bool(self._run("streams", job=job))

    def batches(self, job: int) -> list[BatchRow]:
        """The events of all runs of a job in order, as far as they decide where its runs stand in a list."""
        # As they come: there may be hundreds of thousands.
        return self._run("batches", job=job)  # type: ignore[return-value]

    def named_runs(self, job: int) -> dict[bytes, tuple[int, int]]:
        """Runs that events of other runs name as their parent, with the first and last time they do."""
        return {run: (first, last) for run, first, last in self._run("named_runs", job=job)}

    def own_runs(self, job: int, keys: Iterable[bytes]) -> set[bytes]:
        """Those of these runs that have events of their own."""
        return {row[0] for chunk in _chunks(list(keys), 500) for row in self._run("own_runs", job=job, ids=chunk)}

    def shared_runs(self, keys: Iterable[bytes]) -> set[bytes]:
        """Those of these ids that runs of several jobs have."""
        return {row[0] for chunk in _chunks(list(keys), 500) for row in self._run("shared_runs", ids=chunk)}

    def runs(self, keys: Iterable[bytes]) -> dict[RunKey, list[EventRow]]:
        """All visible events of the runs with these ids, whichever job or tenant they belong to."""
        found: dict[RunKey, list[EventRow]] = {}
        for chunk in _chunks(list(set(keys)), 500):
            for row in self._run("runs", ids=chunk):
                event = _event(row)
                found.setdefault(event.run_key, []).append(event)
        return found

    def of_shapes(self, shapes: Iterable[int]) -> list[EventRow]:
        return [_event(row) for chunk in _chunks(sorted(shapes)) for row in self._run("of_shapes", ids=chunk)]

    def count_of_shape(self, shape: int) -> int:
        return int(self._run("count_of_shape", shape=shape)[0][0])

    def of_shape_at(self, shape: int, event_at: int) -> list[EventRow]:
        return [_event(row) for row in self._run("of_shape_at", shape=shape, at=event_at)]

    def typed(self, job: int, types: Collection[int]) -> list[EventRow]:
        return [_event(row) for row in self._run("typed", job=job, types=sorted(types))]

    def last_event_at(self) -> int | None:
        return next((row[0] for row in self._run("last_event_at")), None)

    def count_events(self, after: int, before: int) -> int:
        return int(self._run("count_events", after=after, before=before)[0][0])

    def count_types(self, start: int, end: int, step: int) -> list[tuple[int, int, int]]:
        """How many events of each type happened in each step from `start` on, before `end`: (step, type, count)."""
        rows = self._run("count_types", start=start, end=end, step=step)
        return sorted((int(number), kind, count) for number, kind, count in rows)

    def count_between(self, begin: int, end: int) -> int:
        """Of all events, visible or not, from one time on and before another."""
        return int(self._all(_COUNT_BETWEEN, begin=begin, end=end)[0][0])

    def time_of(self, begin: int, skip: int) -> int | None:
        """The time of the event that follows when so many are skipped, from a time on."""
        return next((row[0] for row in self._all(_TIME_OF, begin=begin, skip=skip)), None)

    def time_after(self, event_at: int) -> int | None:
        return next((row[0] for row in self._all(_TIME_AFTER, at=event_at)), None)

    def page_events(self, after: int, before: int, descending: bool, limit: int, offset: int) -> list[EventRow]:
        name = "events_desc" if descending else "events_asc"
        rows = self._run(name, after=after, before=before, limit=limit, offset=offset)
        return [_event(row) for row in rows]

    def event(self, event_at: int, event_id: bytes) -> EventRow | None:
        return next(map(_event, self._run("event", at=event_at, id=event_id)), None)

    def texts(self, rows: Iterable[EventRow]) -> dict[int, bytes]:
        """The raw text of events by their number."""
        found: dict[int, bytes] = {}
        for chunk in _chunks([row.seq for row in rows]):
            for seq, body in self._all(_TEXTS, ids=chunk):
                found[seq] = self.library.text(self.connection, body)
        return found

    # Rules

    def told(self, rows: Iterable[EventRow]) -> dict[int, tuple[bytes, int | None]]:
        """The raw text of events by their number, and the rules that changed how they were folded."""
        found: dict[int, tuple[bytes, int | None]] = {}
        for chunk in _chunks([row.seq for row in rows]):
            for seq, body, rules in self._all(_TOLD, ids=chunk):
                found[seq] = self.library.text(self.connection, body), rules
        return found

    def rewriting(self, number: int, tenant: int) -> Rewriting:
        """What a set of rules makes of a tenant's events."""
        rules = self.library.rules.fetch((number,), self._rules)[number]
        return rules.of(self.tenant_names()[tenant])

    def _rules(self, missing: list[int]) -> Iterator[tuple[int, Rules]]:
        for number in missing:
            yield number, Rules(rules_of(self.connection, EVERYTHING, number).rules, recent=1)

    # In the order in which they were written

    def last_seq(self) -> int:
        """The last number that was given; a repeat may have used it up."""
        return int(self._all(_LAST_SEQ)[0][0])

    def count_written_after(self, seq: int) -> int:
        return int(self._all(_COUNT_AFTER, seq=seq)[0][0])

    def shapes_written_after(self, seq: int) -> list[int]:
        """The shapes of events that were written after one."""
        return [row[0] for row in self._all(_SHAPES_AFTER, seq=seq)]

    def texts_after(self, seq: int, limit: int) -> dict[int, bytes]:
        """The raw text of the events that were written after one, by number, of whichever scope."""
        return {number: text for number, (text, _) in self.told_after(seq, limit).items()}

    def told_after(self, seq: int, limit: int) -> dict[int, tuple[bytes, int | None]]:
        """With the rules that changed how they were folded."""
        rows = self._all(_TEXTS_AFTER, seq=seq, limit=limit)
        return {number: (self.library.text(self.connection, body), rules) for number, body, rules in rows}

    def texts_of(self, subject: int, after: int) -> dict[int, bytes]:
        """The raw text of events about a job or dataset that were written after that number."""
        rows = self._all(_TEXTS_OF, job=subject, seq=after)
        return {seq: self.library.text(self.connection, body) for seq, body in rows}

    def child_runs(self, parents: Iterable[tuple[int, bytes]]) -> set[bytes]:
        """Runs whose events name one of these runs of jobs as their parent."""
        jobs_of: dict[bytes, set[int]] = {}
        for job, run in parents:
            jobs_of.setdefault(run, set()).add(job)
        found: set[bytes] = set()
        for chunk in _chunks(list(jobs_of), 500):
            jobs = sorted({job for run in chunk for job in jobs_of[run]})
            found.update(
                run for run, job, parent in self._run("children", jobs=jobs, runs=chunk) if job in jobs_of[parent]
            )
        return found

    # Names over time

    def cuts(self) -> list[CutRow]:
        rows = self._run("cuts")
        return [CutRow(dataset, (at, event_id), to) for dataset, at, event_id, to in rows]

    def links(self) -> list[tuple[int, int, str]]:
        """Which datasets ever named which others in a symlinks facet."""
        return [(dataset, other, kind) for dataset, other, kind in self._all(_LINKS)]

    def _all(self, statement: Prepared, **values: Any) -> list[Row]:
        return statement.rows(self.connection, values)

    def _run(self, name: str, **values: Any) -> list[Row]:
        return self._sql[name].rows(self.connection, {**self._values, **values})


_event = EventRow._make


def _chunks(items: list[K], size: int = CHUNK) -> Iterator[list[K]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _ids(name: str = "ids") -> Any:
    return bindparam(name, expanding=True)


e = tables.event.c
n = tables.entity.c
_OF_TENANTS = Prepared(select(tables.tenant.c.id).where(tables.tenant.c.name.in_(_ids("names"))))
_BY_HASH = Prepared(select(n.hash, n.id, n.kind).where(n.hash.in_(_ids())))
_FIND = Prepared(select(n.id).where(n.hash == bindparam("hash")))
_NAMES = Prepared(
    select(n.id, tables.space.c.name, n.name)
    .join_from(tables.entity, tables.space, tables.space.c.id == n.space)
    .where(n.id.in_(_ids()))
)
_ALL = Prepared(select(n.id).where(n.kind == bindparam("kind"), n.id > bindparam("after")))
_IN_SPACE = Prepared(
    select(n.id)
    .join_from(tables.space, tables.entity, tables.space.c.id == n.space)
    .where(tables.space.c.hash == bindparam("hash"), n.kind == bindparam("kind"), n.id > bindparam("after"))
)
_LAST_ENTITY = Prepared(select(func.max(n.id)))
_SPACES = Prepared(select(tables.space.c.id, tables.space.c.name))
_TENANTS = Prepared(select(tables.tenant.c.id, tables.tenant.c.name))
_MENTIONS = Prepared(select(tables.mention.c.entity, tables.mention.c.shape).where(tables.mention.c.entity.in_(_ids())))
_SHAPES = Prepared(select(tables.shape.c.id, tables.shape.c.body).where(tables.shape.c.id.in_(_ids())))
_BLOBS = Prepared(select(tables.blob.c.id, tables.blob.c.body).where(tables.blob.c.id.in_(_ids())))
_TEXTS = Prepared(select(tables.raw.c.seq, tables.raw.c.body).where(tables.raw.c.seq.in_(_ids())))
_TOLD = Prepared(select(tables.raw.c.seq, tables.raw.c.body, tables.raw.c.rules).where(tables.raw.c.seq.in_(_ids())))
_LAST_SEQ = Prepared(select(tables.counter.c.value).where(tables.counter.c.name == "seq"))
_TEXTS_AFTER = Prepared(
    select(tables.raw.c.seq, tables.raw.c.body, tables.raw.c.rules)
    .where(tables.raw.c.seq > bindparam("seq"))
    .order_by(tables.raw.c.seq)
    .limit(bindparam("limit"))
)
_TEXTS_OF = Prepared(
    select(tables.raw.c.seq, tables.raw.c.body)
    .join_from(tables.raw, tables.shape, tables.shape.c.id == tables.raw.c.shape)
    .where(tables.raw.c.seq > bindparam("seq"), tables.shape.c.subject == bindparam("job"))
    .order_by(tables.raw.c.seq)
)
_COUNT_AFTER = Prepared(select(func.count()).select_from(tables.raw).where(tables.raw.c.seq > bindparam("seq")))
_SHAPES_AFTER = Prepared(select(tables.raw.c.shape).where(tables.raw.c.seq > bindparam("seq")).distinct())
_COUNT_BETWEEN = Prepared(
    select(func.count())
    .select_from(tables.event)
    .where(e.event_at >= bindparam("begin"), e.event_at < bindparam("end"))
)
_TIME_OF = Prepared(
    select(e.event_at).where(e.event_at >= bindparam("begin")).order_by(e.event_at).limit(1).offset(bindparam("skip"))
)
_TIME_AFTER = Prepared(select(e.event_at).where(e.event_at > bindparam("at")).order_by(e.event_at).limit(1))
_LINKS = Prepared(select(tables.link.c.dataset, tables.link.c.other, tables.link.c.type))
_ROW = [tables.event.c[name] for name in EventRow._fields]
_BATCH = [tables.event.c[name] for name in BatchRow._fields]
_CANDIDATE_TYPES = (RUNNING, COMPLETE, JOB)


@lru_cache(maxsize=8)
def _statements(by_time: bool, by_knowledge: bool, by_tenant: bool) -> dict[str, Prepared]:
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
            (earlier.c.event_at < e.event_at)
            | ((earlier.c.event_at == e.event_at) & (earlier.c.event_id < e.event_id)),
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
    naming = (e.parent == bindparam("job"), *seen())
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
        "named_runs": select(e.parent_run, func.min(e.event_at), func.max(e.event_at))
        .where(*naming)
        .group_by(e.parent_run),
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
