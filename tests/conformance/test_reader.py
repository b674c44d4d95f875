"""Each method of the reader tells what a plain filter over all rows tells, at any moment and for any scope."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pytest
from sqlalchemy import select

from lineage_hub.lineage.intervals import BatchRow
from lineage_hub.lineage.rows import CutRow, EventRow
from lineage_hub.lineage.shapes import COMPLETE, FAIL, JOB, RUNNING, START, STREAMING
from lineage_hub.model import FOREVER, Moment, Scope
from lineage_hub.store import tables
from lineage_hub.store.naming import entity_hash
from lineage_hub.store.open import LineageStore
from lineage_hub.store.reader import Reader
from tests.conformance.databases import Sender, limited_to
from tests.conformance.histories import A, B, taken_over_time
from tests.oracle.events import distinct

CANDIDATES = (RUNNING, COMPLETE, JOB)
BEGINNING = -(2**63)
SCOPES = [Scope(), limited_to(A), limited_to(B), limited_to(A, B), limited_to("nobody"), limited_to()]


@dataclass
class World:
    """Every row that the store holds."""

    rows: list[EventRow]
    cuts: list[tuple[CutRow, EventRow]]
    mentions: dict[int, set[int]]
    names: dict[int, tuple[int, str, str]]
    tenants: dict[int, str]
    links: set[tuple[int, int, str]]
    texts: dict[str, bytes]

    def visible(self, scope: Scope, moment: Moment) -> list[EventRow]:
        return [
            row
            for row in self.rows
            if row.event_at <= moment.as_of
            and row.known_at <= moment.known_at
            and (scope.tenants is None or self.tenants[row.tenant] in scope.tenants)
        ]

    @property
    def jobs(self) -> list[int]:
        return [number for number, name in self.names.items() if name[0] == tables.JOB]

    @property
    def shapes(self) -> set[int]:
        return {row.shape for row in self.rows}

    @property
    def times(self) -> list[int]:
        return sorted({row.event_at for row in self.rows})


def world(store: LineageStore, texts: dict[str, bytes]) -> World:
    e, c, n = tables.event.c, tables.cut.c, tables.entity.c
    with store.reading() as connection:
        found = connection.execute(select(*(e[name] for name in EventRow._fields))).all()
        rows = [EventRow._make(bytes(v) if isinstance(v, memoryview) else v for v in row) for row in found]
        by_key = {(row.subject, row.event_at, row.event_id): row for row in rows}
        cuts = [
            (CutRow(row[0], (row[1], bytes(row[2])), row[4]), by_key[(row[3], row[1], bytes(row[2]))])
            for row in connection.execute(select(c.dataset, c.event_at, c.event_id, c.subject, c.continues_as))
        ]
        mentions: dict[int, set[int]] = {}
        for entity, shape in connection.execute(select(tables.mention.c.entity, tables.mention.c.shape)):
            mentions.setdefault(entity, set()).add(shape)
        spaces = dict(connection.execute(select(tables.space.c.id, tables.space.c.name)).all())
        named = connection.execute(select(n.id, n.kind, n.space, n.name)).all()
        names = {number: (kind, spaces[space], name) for number, kind, space, name in named}
        tenants = dict(connection.execute(select(tables.tenant.c.id, tables.tenant.c.name)).all())
        link = tables.link.c
        links = set(map(tuple, connection.execute(select(link.dataset, link.other, link.type)).all()))
    return World(rows, cuts, mentions, names, tenants, links, texts)


def unbounded(check: Callable[[Reader, World], None]) -> Callable[[Reader, World, list[EventRow]], None]:
    return lambda reader, world, _rows: check(reader, world)


def ordered(rows: Iterable[EventRow], *, descending: bool = False) -> list[EventRow]:
    return sorted(rows, key=lambda row: row.ord, reverse=descending)


def starts(rows: list[EventRow]) -> list[EventRow]:
    first: dict[object, EventRow] = {}
    for row in ordered(rows):
        if row.run is not None:
            first.setdefault(row.run_key, row)
    return list(first.values())


def at_last(rows: Iterable[EventRow]) -> dict[int, set[EventRow]]:
    found: dict[int, set[EventRow]] = {}
    for row in sorted(rows, key=lambda row: row.event_at):
        same = found.setdefault(row.subject, set())
        if any(other.event_at < row.event_at for other in same):
            same.clear()
        same.add(row)
    return found


def sets(found: dict[int, list[EventRow]]) -> dict[int, set[EventRow]]:
    assert all(len(rows) == len(set(rows)) for rows in found.values())
    return {key: set(rows) for key, rows in found.items() if rows}


def check_find(reader: Reader, world: World) -> None:
    for number, name in world.names.items():
        assert reader.find(*name) == number
    assert reader.find(tables.JOB, "db", "nothing of that name") is None


def check_by_hash(reader: Reader, world: World) -> None:
    keys = {entity_hash(*name): (number, name[0]) for number, name in world.names.items()}
    assert reader.by_hash([*keys, bytes(16)]) == keys


def check_names(reader: Reader, world: World) -> None:
    assert reader.names(world.names) == {number: name[1:] for number, name in world.names.items()}


def check_entities(reader: Reader, world: World) -> None:
    for kind in (tables.JOB, tables.DATASET):
        assert sorted(reader.entities(kind)) == sorted(n for n, name in world.names.items() if name[0] == kind)
        for space in {name[1] for name in world.names.values()}:
            expected = sorted(n for n, name in world.names.items() if name[:2] == (kind, space))
            assert sorted(reader.entities(kind, space)) == expected
            middle = expected[len(expected) // 2] if expected else 0
            assert sorted(reader.entities(kind, space, middle)) == [n for n in expected if n > middle]


def check_tenant_names(reader: Reader, world: World) -> None:
    assert reader.tenant_names() == world.tenants


def check_shapes_of(reader: Reader, world: World) -> None:
    assert {n: set(found) for n, found in reader.shapes_of(world.names).items() if found} == world.mentions


def check_shapes(reader: Reader, world: World) -> None:
    shapes = reader.shapes(world.shapes)
    assert shapes.keys() == world.shapes
    assert {n: shape.subject for n, shape in shapes.items()} == {row.shape: row.subject for row in world.rows}


def check_blobs(reader: Reader, world: World) -> None:
    facets = {
        blob for shape in reader.shapes(world.shapes).values() for m in shape.mentions for blob in m.facets.values()
    }
    bodies = reader.blobs(facets - {0})
    assert bodies.keys() == facets - {0}
    assert all(body[:1] in b'{"[n' for body in bodies.values())


def check_links(reader: Reader, world: World) -> None:
    assert set(reader.links()) == world.links
    assert world.links


def check_last_seq(reader: Reader, world: World) -> None:
    assert reader.last_seq() >= max(row.seq for row in world.rows)


def check_texts_after(reader: Reader, world: World) -> None:
    expected = sorted((row.seq, world.texts[row.event_id.hex()]) for row in world.rows)
    assert list(reader.texts_after(0, 10_000).items()) == expected
    for at in (0, len(expected) // 2, len(expected) - 1):
        assert list(reader.texts_after(expected[at][0], 3).items()) == expected[at + 1 : at + 4]


def check_told_after(reader: Reader, world: World) -> None:
    expected = sorted((row.seq, (world.texts[row.event_id.hex()], None)) for row in world.rows)
    assert list(reader.told_after(expected[0][0], 10_000).items()) == expected[1:]


def check_rewriting(reader: Reader, world: World) -> None:
    """Of the first set, which is empty; what others do is told in test_rules.py."""
    rewriting = reader.rewriting(0, world.rows[0].tenant)
    assert (bool(rewriting.names), bool(rewriting.facets)) == (False, False)


def check_bounds(reader: Reader, world: World, rows: list[EventRow]) -> None:
    expected: dict[int, tuple[int, int]] = {}
    for row in rows:
        first, last = expected.get(row.shape, (row.event_at, row.event_at))
        expected[row.shape] = (min(first, row.event_at), max(last, row.event_at))
    assert reader.bounds(world.shapes) == expected


def check_newest_ids(reader: Reader, world: World, rows: list[EventRow]) -> None:
    for at in world.times:
        same = [row for row in rows if row.event_at == at]
        expected = {row.shape: row.event_id for row in ordered(same)}
        assert reader.newest_ids(world.shapes, at) == expected


def check_newest_known(reader: Reader, world: World, rows: list[EventRow]) -> None:
    expected = {row.shape: row.known_at for row in sorted(rows, key=lambda row: (row.event_at, row.known_at))}
    assert reader.newest_known(world.shapes) == expected


def check_learned_after(reader: Reader, world: World, rows: list[EventRow]) -> None:
    for known_at in sorted({row.known_at for row in world.rows})[::7]:
        expected = {row.shape for row in rows if row.known_at > known_at}
        assert reader.learned_after(world.shapes, known_at) == expected


def check_count_types(reader: Reader, world: World, rows: list[EventRow]) -> None:
    start, end, step = world.times[1], world.times[-1], 700_000_001
    expected = Counter(((row.event_at - start) // step, row.type) for row in rows if start <= row.event_at < end)
    assert reader.count_types(start, end, step) == [(*key, count) for key, count in sorted(expected.items())]


def check_candidates(reader: Reader, world: World, rows: list[EventRow]) -> None:
    expected = at_last(row for row in rows if row.type in CANDIDATES)
    assert sets(reader.candidates(world.jobs)) == expected


def check_candidates_before(reader: Reader, world: World, rows: list[EventRow]) -> None:
    for job in world.jobs[:5]:
        mine = [row for row in rows if row.subject == job and row.type in CANDIDATES]
        for at in (*world.times[::4], FOREVER):
            expected = ordered((row for row in mine if row.event_at <= at), descending=True)
            assert reader.candidates_before(job, at, 10_000) == expected
            assert reader.candidates_before(job, at, 2) == expected[:2]


def check_last_started(reader: Reader, world: World, rows: list[EventRow]) -> None:
    assert sets(reader.last_started(world.jobs)) == at_last(starts(rows))


def check_starts(reader: Reader, world: World, rows: list[EventRow]) -> None:
    for job in world.jobs:
        expected = ordered((row for row in starts(rows) if row.subject == job), descending=True)
        assert reader.starts(job, 10_000) == expected
        assert reader.starts(job, 2, 1) == expected[1:3]


def check_count_runs(reader: Reader, world: World, rows: list[EventRow]) -> None:
    for job in world.jobs:
        assert reader.count_runs(job) == len({row.run_key for row in rows if row.subject == job and row.run})


def check_batches(reader: Reader, world: World, rows: list[EventRow]) -> None:
    for job in world.jobs:
        mine = ordered(row for row in rows if row.subject == job and row.run)
        assert [tuple(row) for row in reader.batches(job)] == [
            tuple(getattr(row, name) for name in BatchRow._fields) for row in mine
        ]


def check_streams(reader: Reader, world: World, rows: list[EventRow]) -> None:
    for job in world.jobs:
        assert reader.streams(job) == any(row.subject == job and row.flags & STREAMING for row in rows)


def check_texts_of(reader: Reader, world: World) -> None:
    for after in (0, sorted(row.seq for row in world.rows)[len(world.rows) // 2]):
        for subject in {row.subject for row in world.rows}:
            mine = [row for row in world.rows if row.subject == subject and row.seq > after]
            assert reader.texts_of(subject, after) == {row.seq: world.texts[row.event_id.hex()] for row in mine}


def check_named_runs(reader: Reader, world: World, rows: list[EventRow]) -> None:
    expected: dict[int, dict[bytes, tuple[int, int]]] = {}
    for job in world.jobs:
        times: dict[bytes, list[int]] = {}
        for row in rows:
            if row.parent == job and row.parent_run is not None:
                times.setdefault(row.parent_run, []).append(row.event_at)
        expected[job] = {run: (min(found), max(found)) for run, found in times.items()}
        assert reader.named_runs([job]) == {job: expected[job]}
    assert reader.named_runs(world.jobs) == expected


def check_naming_run(reader: Reader, world: World, rows: list[EventRow]) -> None:
    for run in {row.parent_run for row in world.rows if row.parent_run is not None}:
        times: dict[tuple[int, int, bytes], list[int]] = {}
        for row in rows:
            if row.parent_run == run and row.parent in world.jobs:
                times.setdefault((row.tenant, row.parent, run), []).append(row.event_at)
        expected = {key: (min(found), max(found)) for key, found in times.items()}
        assert reader.naming_run(run, world.jobs) == expected
        assert reader.naming_run(run, []) == {}


def check_latest(reader: Reader, world: World, rows: list[EventRow]) -> None:
    for limit in (1, 3, 10_000):
        expected = {}
        for job in world.jobs:
            begun = ordered((row for row in starts(rows) if row.subject == job), descending=True)[:limit]
            since = begun[-1].event_at if len(begun) == limit else None
            mine = [row for row in rows if row.subject == job and row.run]
            kept = ordered(row for row in mine if since is None or row.event_at >= since)
            if kept:
                expected[job] = kept
        assert {job: ordered(found) for job, found in reader.latest(world.jobs, limit).items()} == expected


def check_count_events_of(reader: Reader, world: World, rows: list[EventRow]) -> None:
    every = {row.run for row in world.rows if row.run is not None}
    assert reader.count_events_of(every) == Counter(row.run for row in rows if row.run is not None)


def check_child_runs(reader: Reader, world: World, rows: list[EventRow]) -> None:
    named = {(row.parent, row.parent_run) for row in world.rows if row.parent and row.parent_run}
    for parents in ([], *([one] for one in named), sorted(named)):
        expected = {row.run for row in rows if row.run and (row.parent, row.parent_run) in parents}
        assert reader.child_runs(parents) == expected


def check_own_runs(reader: Reader, world: World, rows: list[EventRow]) -> None:
    every = {row.run for row in world.rows if row.run is not None}
    for job in world.jobs:
        assert reader.own_runs(job, every) == {row.run for row in rows if row.subject == job and row.run is not None}


def check_shared_runs(reader: Reader, world: World, rows: list[EventRow]) -> None:
    every = {row.run for row in world.rows if row.run is not None}
    jobs = {run: {row.subject for row in rows if row.run == run} for run in every}
    assert reader.shared_runs(every) == {run for run, found in jobs.items() if len(found) > 1}


def check_has_space(reader: Reader, world: World, rows: list[EventRow]) -> None:
    seen = firsts(world, rows)
    for namespace in {namespace for _, namespace, _ in world.names.values()} | {"none"}:
        assert reader.has_space(namespace) == (namespace in seen)


def check_first_mentions(reader: Reader, world: World, rows: list[EventRow]) -> None:
    expected = firsts(world, rows)
    assert reader.first_mentions() == expected
    for namespace in {namespace for _, namespace, _ in world.names.values()} | {"none"}:
        own = {namespace: expected[namespace]} if namespace in expected else {}
        assert reader.first_mentions(namespace) == own


def firsts(world: World, rows: list[EventRow]) -> dict[str, int]:
    """When a visible event first named something in each namespace."""
    found: dict[str, int] = {}
    for entity, shapes in world.mentions.items():
        kind, namespace, _ = world.names[entity]
        for row in rows:
            # Producers are in no namespace.
            if row.shape in shapes and kind in (tables.JOB, tables.DATASET):
                found[namespace] = min(row.event_at, found.get(namespace, row.event_at))
    return found


def check_last_entity(reader: Reader, world: World) -> None:
    assert reader.last_entity() == max(world.names)


def check_spaces(reader: Reader, world: World) -> None:
    assert sorted(reader.spaces().values()) == sorted({namespace for _, namespace, _ in world.names.values()})


def check_count_between(reader: Reader, world: World) -> None:
    for begin, end in ((BEGINNING, FOREVER), (world.times[1], world.times[-2]), (world.times[2], world.times[2])):
        assert reader.count_between(begin, end) == sum(begin <= row.event_at < end for row in world.rows)


def check_time_of(reader: Reader, world: World) -> None:
    every = sorted(row.event_at for row in world.rows)
    for begin, skip in itertools.product((BEGINNING, world.times[1], world.times[-1] + 1), (0, 3, 10_000)):
        later = [time for time in every if time >= begin]
        assert reader.time_of(begin, skip) == (later[skip] if skip < len(later) else None)


def check_time_after(reader: Reader, world: World) -> None:
    for at in (BEGINNING, *world.times):
        assert reader.time_after(at) == min((time for time in world.times if time > at), default=None)


def check_count_written_after(reader: Reader, world: World) -> None:
    for seq in (0, reader.last_seq() // 2, reader.last_seq()):
        assert reader.count_written_after(seq) == sum(row.seq > seq for row in world.rows)


def check_shapes_written_after(reader: Reader, world: World) -> None:
    for seq in (0, reader.last_seq() // 2, reader.last_seq()):
        assert sorted(reader.shapes_written_after(seq)) == sorted({row.shape for row in world.rows if row.seq > seq})


def check_runs(reader: Reader, world: World, rows: list[EventRow]) -> None:
    expected: dict[object, set[EventRow]] = {}
    for row in rows:
        if row.run is not None:
            expected.setdefault(row.run_key, set()).add(row)
    assert sets(reader.runs(row.run for row in world.rows if row.run is not None)) == expected


def check_of_shapes(reader: Reader, world: World, rows: list[EventRow]) -> None:
    assert ordered(reader.of_shapes(world.shapes)) == ordered(rows)


def check_of_shape_at(reader: Reader, world: World, rows: list[EventRow]) -> None:
    for shape, at in {(row.shape, row.event_at) for row in world.rows}:
        expected = ordered(row for row in rows if (row.shape, row.event_at) == (shape, at))
        assert ordered(reader.of_shape_at(shape, at)) == expected


def check_typed(reader: Reader, world: World, rows: list[EventRow]) -> None:
    for job, types in itertools.product(world.jobs[:8], ((START,), (COMPLETE, FAIL))):
        expected = ordered(row for row in rows if row.subject == job and row.type in types)
        assert ordered(reader.typed(job, types)) == expected


def check_last_event_at(reader: Reader, world: World, rows: list[EventRow]) -> None:
    assert reader.last_event_at() == max((row.event_at for row in rows), default=None)


def check_count_events(reader: Reader, world: World, rows: list[EventRow]) -> None:
    for after, before in ((BEGINNING, FOREVER), (world.times[1], world.times[-2])):
        assert reader.count_events(after, before) == sum(after < row.event_at < before for row in rows)


def check_page_events(reader: Reader, world: World, rows: list[EventRow]) -> None:
    for descending in (True, False):
        expected = ordered(rows, descending=descending)
        assert reader.page_events(BEGINNING, FOREVER, descending, 10_000, 0) == expected
        assert reader.page_events(BEGINNING, FOREVER, descending, 5, 3) == expected[3:8]
        assert reader.page_events(BEGINNING, FOREVER, descending, 5, 2**31) == []


def check_event(reader: Reader, world: World, rows: list[EventRow]) -> None:
    seen = set(rows)
    for row in world.rows:
        assert reader.event(row.event_at, row.event_id) == (row if row in seen else None)


def check_texts(reader: Reader, world: World, rows: list[EventRow]) -> None:
    assert reader.texts(rows) == {row.seq: world.texts[row.event_id.hex()] for row in rows}


def check_told(reader: Reader, world: World, rows: list[EventRow]) -> None:
    assert reader.told(rows) == {row.seq: (world.texts[row.event_id.hex()], None) for row in rows}


def check_frames(reader: Reader, world: World, rows: list[EventRow]) -> None:
    assert reader.frames(rows).keys() == {row.seq for row in rows}


def check_text(reader: Reader, world: World, rows: list[EventRow]) -> None:
    texts = {seq: reader.text(frame) for seq, (frame, _) in reader.frames(rows).items()}
    assert texts == {row.seq: world.texts[row.event_id.hex()] for row in rows}


def check_count_of_shape(reader: Reader, world: World, rows: list[EventRow]) -> None:
    for shape in world.shapes:
        assert reader.count_of_shape(shape) == sum(row.shape == shape for row in rows)


def check_cuts(reader: Reader, world: World, rows: list[EventRow]) -> None:
    seen = set(rows)
    expected = [cut for cut, row in world.cuts if row in seen]
    assert reader.cuts() == sorted(expected, key=lambda cut: (cut.dataset, cut.ord))


UNBOUNDED = {
    check.__name__.removeprefix("check_"): unbounded(check)
    for check in (
        check_find, check_by_hash, check_names, check_entities, check_tenant_names, check_shapes_of, check_shapes,
        check_blobs, check_links, check_last_seq, check_texts_after, check_texts_of,
        check_told_after, check_rewriting,
        check_last_entity, check_spaces, check_count_between, check_time_of, check_time_after,
        check_count_written_after, check_shapes_written_after,
    )
}  # fmt: skip
BOUNDED = {
    check.__name__.removeprefix("check_"): check
    for check in (
        check_bounds, check_newest_ids, check_candidates, check_candidates_before, check_last_started,
        check_starts, check_latest, check_count_events_of,
        check_count_runs, check_named_runs, check_naming_run, check_own_runs, check_shared_runs, check_has_space,
        check_first_mentions, check_runs, check_of_shapes,
        check_of_shape_at, check_typed, check_last_event_at, check_count_events, check_page_events, check_event,
        check_texts, check_cuts, check_child_runs, check_batches, check_newest_known, check_learned_after,
        check_count_types, check_streams,
        check_told, check_frames, check_text, check_count_of_shape,
    )
}  # fmt: skip


def moments(world: World) -> list[Moment]:
    known = sorted({row.known_at for row in world.rows})
    times = world.times
    some_time, some_knowledge = times[len(times) // 2], known[len(known) // 2]
    return [
        Moment(),
        Moment(as_of=some_time),
        Moment(as_of=times[0] - 1),
        Moment(known_at=some_knowledge),
        Moment(some_time, some_knowledge),
    ]


def test_every_method_of_the_reader_is_checked_here() -> None:
    public = {name for name, value in vars(Reader).items() if callable(value) and not name.startswith("_")}
    assert public == UNBOUNDED.keys() | BOUNDED.keys()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_reader_tells_what_a_plain_filter_tells(store: LineageStore, sender: Sender) -> None:
    taken = taken_over_time(seed=1)
    sender.send_taken(taken)
    everything = world(store, {event.id: event.raw for event in distinct(taken)})
    for scope, moment in itertools.product(SCOPES, moments(everything)):
        rows = everything.visible(scope, moment)
        with store.reading() as connection:
            reader = Reader(connection, store.library, scope, moment)
            for check in (*UNBOUNDED.values(), *BOUNDED.values()):
                check(reader, everything, rows)
