"""Numbers of entities, shapes and runs enter, rows visible to one scope at one moment leave, many for each statement.

Rows are facts as written; what they mean for lineage is decided in `lineage/` and `query/`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Select, bindparam, func, select
from sqlalchemy.sql.selectable import NamedFromClause

from lineage_hub.lineage.intervals import BatchRow
from lineage_hub.lineage.rows import CutRow, EventRow, RunKey
from lineage_hub.lineage.shapes import COMPLETE, JOB, RUNNING, STREAMING, Shape, decode
from lineage_hub.model import FOREVER, Moment, Scope
from lineage_hub.store import tables
from lineage_hub.store.library import Library
from lineage_hub.store.naming import entity_hash, space_hash
from lineage_hub.store.prepared import Prepared, Row

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

    def entities(self, kind: int, namespace: str | None = None) -> list[int]:
        """All that were ever heard of, visible or not."""
        if namespace is None:
            return [row[0] for row in self._all(_ALL, kind=kind)]
        return [row[0] for row in self._all(_IN_SPACE, kind=kind, hash=space_hash(namespace))]

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

    def named_runs(self, job: int) -> list[bytes]:
        """Runs that events of other runs name as their parent."""
        return [row[0] for row in self._run("named_runs", job=job)]

    def naming_bounds(self, job: int, run: bytes) -> tuple[int, int] | None:
        first, last = self._run("naming_bounds", job=job, run=run)[0]
        return None if first is None else (first, last)

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

    def of_shape_at(self, shape: int, event_at: int) -> list[EventRow]:
        return [_event(row) for row in self._run("of_shape_at", shape=shape, at=event_at)]

    def typed(self, job: int, types: Collection[int]) -> list[EventRow]:
        return [_event(row) for row in self._run("typed", job=job, types=sorted(types))]

    def last_event_at(self) -> int | None:
        return next((row[0] for row in self._run("last_event_at")), None)

    def count_events(self, after: int, before: int) -> int:
        return int(self._run("count_events", after=after, before=before)[0][0])

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

    # In the order in which they were written

    def last_seq(self) -> int:
        """The last number that was given; a repeat may have used it up."""
        return int(self._all(_LAST_SEQ)[0][0])

    def texts_after(self, seq: int, limit: int) -> dict[int, bytes]:
        """The raw text of the events that were written after one, by number, of whichever scope."""
        rows = self._all(_TEXTS_AFTER, seq=seq, limit=limit)
        return {number: self.library.text(self.connection, body) for number, body in rows}

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
_ALL = Prepared(select(n.id).where(n.kind == bindparam("kind")))
_IN_SPACE = Prepared(
    select(n.id)
    .join_from(tables.space, tables.entity, tables.space.c.id == n.space)
    .where(tables.space.c.hash == bindparam("hash"), n.kind == bindparam("kind"))
)
_TENANTS = Prepared(select(tables.tenant.c.id, tables.tenant.c.name))
_MENTIONS = Prepared(select(tables.mention.c.entity, tables.mention.c.shape).where(tables.mention.c.entity.in_(_ids())))
_SHAPES = Prepared(select(tables.shape.c.id, tables.shape.c.body).where(tables.shape.c.id.in_(_ids())))
_BLOBS = Prepared(select(tables.blob.c.id, tables.blob.c.body).where(tables.blob.c.id.in_(_ids())))
_TEXTS = Prepared(select(tables.raw.c.seq, tables.raw.c.body).where(tables.raw.c.seq.in_(_ids())))
_LAST_SEQ = Prepared(select(tables.counter.c.value).where(tables.counter.c.name == "seq"))
_TEXTS_AFTER = Prepared(
    select(tables.raw.c.seq, tables.raw.c.body)
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

    window = (e.event_at > bindparam("after"), e.event_at < bindparam("before"))
    page = select(*_ROW).where(*window, *seen()).limit(bindparam("limit")).offset(bindparam("offset"))
    runs = select(e.tenant, e.run).where(e.subject == bindparam("job"), e.run.is_not(None), *seen()).distinct()
    naming = (e.parent == bindparam("job"), *seen())
    c = tables.cut.c
    statements: dict[str, Select[Any]] = {
        "bounds": select(s.id, edge(func.min), edge(func.max)).where(s.id.in_(_ids())),
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
        "named_runs": select(e.parent_run).where(*naming).distinct(),
        "naming_bounds": select(func.min(e.event_at), func.max(e.event_at)).where(
            e.parent_run == bindparam("run"), *naming
        ),
        "runs": select(*_ROW).where(e.run.in_(_ids()), *seen()),
        "of_shapes": select(*_ROW).where(e.shape.in_(_ids()), *seen()),
        "of_shape_at": select(*_ROW).where(e.shape == bindparam("shape"), e.event_at == bindparam("at"), *seen()),
        "typed": select(*_ROW).where(e.subject == bindparam("job"), e.type.in_(_ids("types")), *seen()),
        "last_event_at": select(e.event_at).where(*seen()).order_by(e.event_at.desc()).limit(1),
        "count_events": select(func.count()).select_from(tables.event).where(*window, *seen()),
        "events_desc": page.order_by(e.event_at.desc(), e.event_id.desc()),
        "events_asc": page.order_by(e.event_at, e.event_id),
        "event": select(*_ROW).where(e.event_at == bindparam("at"), e.event_id == bindparam("id"), *seen()),
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
