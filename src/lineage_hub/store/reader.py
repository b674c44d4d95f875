"""Numbers of entities, shapes and runs enter, rows visible to one scope at one moment leave, many for each statement.

Rows are facts as written; what they mean for lineage is decided in `lineage/` and `query/`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, TypeVar

from sqlalchemy import Connection

from lineage_hub.lineage.intervals import BatchRow
from lineage_hub.lineage.rows import CutRow, EventRow, RunKey
from lineage_hub.lineage.rules.rewriting import Rewriting, Rules
from lineage_hub.lineage.shapes import Shape, decode
from lineage_hub.model import EVERYTHING, FOREVER, Moment, Scope
from lineage_hub.store import read_statements as sql
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
            self._values["tenants"] = [row[0] for row in self._all(sql.OF_TENANTS, names=sorted(scope.tenants))]
        self._sql = sql.statements(moment.as_of != FOREVER, moment.known_at != FOREVER, scope.tenants is not None)

    # Names

    def find(self, kind: int, namespace: str, name: str) -> int | None:
        key = entity_hash(kind, namespace, name)
        return next((row[0] for row in self._all(sql.FIND, hash=key)), None)

    def by_hash(self, keys: Iterable[bytes]) -> dict[bytes, tuple[int, int]]:
        """The number and kind of entities."""
        chunks = _chunks(list(keys))
        return {key: (entity, kind) for ids in chunks for key, entity, kind in self._all(sql.BY_HASH, ids=ids)}

    def names(self, entities: Iterable[int]) -> dict[int, tuple[str, str]]:
        return self.library.names.fetch(entities, self._names)

    def _names(self, missing: list[int]) -> Iterator[tuple[int, tuple[str, str]]]:
        for chunk in _chunks(missing):
            for entity, namespace, name in self._all(sql.NAMES, ids=chunk):
                yield entity, (namespace, name)

    def entities(self, kind: int, namespace: str | None = None, after: int = 0) -> list[int]:
        """All that were ever heard of, visible or not; those with a greater number than `after`."""
        if namespace is None:
            return [row[0] for row in self._all(sql.ALL, kind=kind, after=after)]
        return [row[0] for row in self._all(sql.IN_SPACE, kind=kind, hash=space_hash(namespace), after=after)]

    def last_entity(self) -> int:
        """Numbers follow each other, so a snapshot holds all up to this one."""
        return int(self._all(sql.LAST_ENTITY)[0][0] or 0)

    def spaces(self) -> dict[int, str]:
        return dict(self._all(sql.SPACES))

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
        return dict(self._all(sql.TENANTS))

    # Shapes

    def shapes_of(self, entities: Iterable[int]) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {entity: [] for entity in entities}
        for chunk in _chunks(list(found)):
            for entity, shape in self._all(sql.MENTIONS, ids=chunk):
                found[entity].append(shape)
        return found

    def shapes(self, numbers: Iterable[int]) -> dict[int, Shape]:
        return self.library.shapes.fetch(numbers, self._shapes)

    def _shapes(self, missing: list[int]) -> Iterator[tuple[int, Shape]]:
        for chunk in _chunks(missing):
            for number, body in self._all(sql.SHAPES, ids=chunk):
                yield number, decode(body)

    def blobs(self, numbers: Iterable[int]) -> dict[int, bytes]:
        return self.library.blobs.fetch(numbers, self._blobs)

    def _blobs(self, missing: list[int]) -> Iterator[tuple[int, bytes]]:
        for chunk in _chunks(missing):
            for number, body in self._all(sql.BLOBS, ids=chunk):
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

    def latest(self, jobs: Iterable[int], limit: int) -> dict[int, list[EventRow]]:
        """For each job all events of runs since the earliest start of so many that started last."""
        found: dict[int, list[EventRow]] = {}
        for chunk in _chunks(list(jobs), 500):
            for row in self._run("latest", ids=chunk, skip=limit - 1):
                found.setdefault(row[0], []).append(_event(row))
        return found

    def count_events_of(self, keys: Iterable[bytes]) -> dict[bytes, int]:
        """How many events the runs with each of these ids have, whichever job or tenant they belong to."""
        return {
            run: count for chunk in _chunks(list(keys), 1_000) for run, count in self._run("count_of_runs", ids=chunk)
        }

    def count_runs(self, job: int) -> int:
        return int(self._run("count_runs", job=job)[0][0])

    def streams(self, job: int) -> bool:
        """Whether any event of the job says that it is streaming."""
        return bool(self._run("streams", job=job))

    def batches(self, job: int) -> list[BatchRow]:
        """The events of all runs of a job in order, as far as they decide where its runs stand in a list."""
        # As they come: there may be hundreds of thousands.
        return self._run("batches", job=job)  # type: ignore[return-value]

    def named_runs(self, jobs: Iterable[int]) -> dict[int, dict[bytes, tuple[int, int]]]:
        """Runs of each job that events of other runs name as their parent, with the first and last time they do."""
        found: dict[int, dict[bytes, tuple[int, int]]] = {job: {} for job in jobs}
        for chunk in _chunks(list(found)):
            for job, run, first, last in self._run("named_runs", ids=chunk):
                found[job][run] = (first, last)
        return found

    def naming_run(self, run: bytes, jobs: list[int]) -> dict[RunKey, tuple[int, int]]:
        """Runs of these jobs with that id which others name as their parent, with the first and last time they do."""
        found: dict[RunKey, tuple[int, int]] = {}
        for chunk in _chunks(jobs):
            for tenant, job, first, last in self._run("naming_run", ids=chunk, run=run):
                found[tenant, job, run] = first, last
        return found

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
        return int(self._all(sql.COUNT_BETWEEN, begin=begin, end=end)[0][0])

    def time_of(self, begin: int, skip: int) -> int | None:
        """The time of the event that follows when so many are skipped, from a time on."""
        return next((row[0] for row in self._all(sql.TIME_OF, begin=begin, skip=skip)), None)

    def time_after(self, event_at: int) -> int | None:
        return next((row[0] for row in self._all(sql.TIME_AFTER, at=event_at)), None)

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
            for seq, body in self._all(sql.TEXTS, ids=chunk):
                found[seq] = self.library.text(self.connection, body)
        return found

    # Rules

    def told(self, rows: Iterable[EventRow]) -> dict[int, tuple[bytes, int | None]]:
        """The raw text of events by their number, and the rules that changed how they were folded."""
        return {seq: (self.text(frame), rules) for seq, (frame, rules) in self.frames(rows).items()}

    def frames(self, rows: Iterable[EventRow]) -> dict[int, tuple[bytes, int | None]]:
        """The same with each text as it is kept, for `text` to unpack one at a time."""
        return {
            seq: (frame, rules)
            for chunk in _chunks([row.seq for row in rows])
            for seq, frame, rules in self._all(sql.TOLD, ids=chunk)
        }

    def text(self, frame: bytes) -> bytes:
        return self.library.text(self.connection, frame)

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
        return int(self._all(sql.LAST_SEQ)[0][0])

    def count_written_after(self, seq: int) -> int:
        return int(self._all(sql.COUNT_AFTER, seq=seq)[0][0])

    def shapes_written_after(self, seq: int) -> list[int]:
        """The shapes of events that were written after one."""
        return [row[0] for row in self._all(sql.SHAPES_AFTER, seq=seq)]

    def texts_after(self, seq: int, limit: int) -> dict[int, bytes]:
        """The raw text of the events that were written after one, by number, of whichever scope."""
        return {number: text for number, (text, _) in self.told_after(seq, limit).items()}

    def told_after(self, seq: int, limit: int) -> dict[int, tuple[bytes, int | None]]:
        """With the rules that changed how they were folded."""
        rows = self._all(sql.TEXTS_AFTER, seq=seq, limit=limit)
        return {number: (self.library.text(self.connection, body), rules) for number, body, rules in rows}

    def texts_of(self, subject: int, after: int) -> dict[int, bytes]:
        """The raw text of events about a job or dataset that were written after that number."""
        rows = self._all(sql.TEXTS_OF, job=subject, seq=after)
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
        return [(dataset, other, kind) for dataset, other, kind in self._all(sql.LINKS)]

    def _all(self, statement: Prepared, **values: Any) -> list[Row]:
        return statement.rows(self.connection, values)

    def _run(self, name: str, **values: Any) -> list[Row]:
        return self._sql[name].rows(self.connection, {**self._values, **values})


_event = EventRow._make


def _chunks(items: list[K], size: int = CHUNK) -> Iterator[list[K]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
