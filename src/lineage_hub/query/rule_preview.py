"""A set of rules that doesn't count yet enters; what it would make of the stored events leaves, next to those that do.

Nothing is written. Work is bounded: an answer that didn't look at everything says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlalchemy import bindparam, func, select

from lineage_hub.lineage.rows import EventRow
from lineage_hub.lineage.rules.explaining import Named, as_name, names_in, treatments
from lineage_hub.lineage.rules.facets import FacetRules
from lineage_hub.lineage.rules.model import RuleSet
from lineage_hub.lineage.rules.renaming import DATASET, JOB
from lineage_hub.lineage.rules.rewriting import Rules
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.store import tables
from lineage_hub.store.changes import entities_of
from lineage_hub.store.prepared import Prepared, Row
from lineage_hub.wire import Decoder, Event
from lineage_hub.wire.facets import Key

Answer = dict[str, Any]
Edge = tuple[Key, Key, bool]
PAGE = 500
_KINDS = {tables.JOB: JOB, tables.DATASET: DATASET}


class _Seen(NamedTuple):
    """An event, for so many that say the same."""

    event: Event
    times: int


class _Budget:
    """How many texts may still be read."""

    def __init__(self, events: int) -> None:
        self.left, self.truncated = events, False

    def take(self, events: int) -> bool:
        if events > self.left:
            self.truncated = True
            return False
        self.left -= events
        return True


def preview_names(snapshot: Snapshot, now: RuleSet, then: RuleSet, events: int, shown: int) -> Answer:
    """`events` bounds how many texts are read, `shown` how many names leave."""
    before, after = Rules(now), Rules(then)
    budget = _Budget(events)
    touched = 0
    spoken: Counter[tuple[str, Key, Key]] = Counter()
    edges: set[Edge] = set()
    for seen in _affected(snapshot, before, after, budget):
        told = seen.event
        old, new = before.of(told.tenant).names, after.of(told.tenant).names
        changed = {
            (kind, was, becomes)
            for kind, key in names_in(told)
            if (was := old.of(kind, key, told.producer)) != (becomes := new.of(kind, key, told.producer))
        }
        if changed:
            touched += seen.times
            for one in changed:
                spoken[one] += seen.times
            edges |= _edges(told, {(kind, was) for kind, was, _ in changed}, before)
    merges = _merges(snapshot, set(spoken))
    ordered = sorted(spoken.items())
    return {
        "names": [
            {"kind": kind, "from": as_name(was), "to": as_name(becomes), "events": count}
            for (kind, was, becomes), count in ordered[:shown]
        ],
        "totalCount": len(ordered),
        "merges": merges[:shown],
        "mergeCount": len(merges),
        "events": touched,
        "edges": len(edges),
        "truncated": budget.truncated,
    }


def _affected(snapshot: Snapshot, before: Rules, after: Rules, budget: _Budget) -> Iterator[_Seen]:
    """Events in which one of the sets renames something."""
    reader = snapshot.reader
    tenants = reader.tenant_names()
    decoder = Decoder(recent=5_000, max_name_bytes=2**31)
    # Without conditions on who sent an event all events of a shape are treated alike: one of them tells.
    alike = not any(
        rule.producer is not None or rule.tenant is not None for one in (before, after) for rule in one.rules.names
    )
    for shape, by_rules in _shapes(snapshot, before, after):
        bounds = reader.bounds([shape]).get(shape)
        if bounds is None:
            continue
        one_tells = alike and not by_rules
        count = reader.count_of_shape(shape)
        if not budget.take(1 if one_tells else count):
            return
        rows = reader.of_shape_at(shape, bounds[1])[:1] if one_tells else reader.of_shapes([shape])
        texts = reader.texts(rows)
        for row in rows:
            yield _Seen(decoder.decode(texts[row.seq], tenants[row.tenant]), count if one_tells else 1)


def _shapes(snapshot: Snapshot, before: Rules, after: Rules) -> Iterator[tuple[int, bool]]:
    """Shapes of which some event may have a name that is renamed, and whether rules changed any of its events."""
    connection = snapshot.reader.connection
    by_rules = {row[0] for row in _BY_RULES.rows(connection, {})}
    known: dict[int, bool] = {}
    last = 0
    while numbers := [row[0] for row in _SHAPES.rows(connection, {"after": last, "limit": PAGE})]:
        last = numbers[-1]
        shapes = snapshot.reader.shapes(numbers)
        unknown = {entity for shape in shapes.values() for entity in entities_of(shape)} - known.keys()
        for entity, kind, namespace, name in _names(snapshot, unknown):
            key = namespace, name
            known[entity] = before.may_rename(_KINDS[kind], key) or after.may_rename(_KINDS[kind], key)
        for number in numbers:
            shape = shapes[number]
            if number in by_rules or any(known[entity] for entity in entities_of(shape)) or after.may_treat(shape):
                yield number, number in by_rules


def _names(snapshot: Snapshot, entities: set[int]) -> Iterator[Row]:
    wanted = sorted(entities)
    for start in range(0, len(wanted), 2_000):
        yield from _NAMES.rows(snapshot.reader.connection, {"ids": wanted[start : start + 2_000]})


def _edges(event: Event, changed: set[Named], rules: Rules) -> set[Edge]:
    """Those that this event tells of and that have an end whose name changes, under their present names."""
    if event.job is None:
        return set()
    names = rules.of(event.tenant).names
    job = names.of(JOB, event.job.key, event.producer)
    found: set[Edge] = set()
    for elements, written in ((event.inputs, False), (event.outputs, True)):
        for element in elements:
            dataset = names.of(DATASET, element.key, event.producer)
            if (JOB, job) in changed or (DATASET, dataset) in changed:
                found.add((job, dataset, written))
    return found


def _merges(snapshot: Snapshot, renamed: set[tuple[str, Key, Key]]) -> list[Answer]:
    """Names that come to stand for what several stood for."""
    sources: dict[Named, set[Key]] = {}
    for kind, was, becomes in renamed:
        sources.setdefault((kind, becomes), set()).add(was)
    gone = {(kind, was) for kind, was, _ in renamed}
    found = []
    for (kind, into), names in sorted(sources.items()):
        number = snapshot.reader.find(tables.JOB if kind == JOB else tables.DATASET, *into)
        there = number is not None and (kind, into) not in gone and _is_spoken_of(snapshot, number)
        if len(names) > 1 or there:
            found.append({"kind": kind, "into": as_name(into), "from": [as_name(name) for name in sorted(names)],
                          "exists": there})  # fmt: skip
    return found


def _is_spoken_of(snapshot: Snapshot, entity: int) -> bool:
    return any(bounds is not None for bounds in snapshot.bounds(snapshot.shapes_of((entity,))[entity]).values())


def preview_facets(snapshot: Snapshot, now: RuleSet, then: RuleSet, events: int) -> Answer:
    """Of the newest events, so many as `events` allows."""
    before, after = Rules(now), Rules(then)
    reader = snapshot.reader
    tenants = reader.tenant_names()
    total = int(_COUNT_EVENTS.rows(reader.connection, {})[0][0])
    found: dict[tuple[str, str, str, str], list[int]] = {}
    looked_at = touched = 0
    sizes = [0, 0]
    for row, text in _newest(snapshot, events):
        looked_at += 1
        sizes[0] += _left(text, before.of(tenants[row.tenant]).facets)
        sizes[1] += _left(text, after.of(tenants[row.tenant]).facets)
        treated = treatments(text, after.of(tenants[row.tenant]).facets)
        touched += bool(treated)
        for one in treated:
            sums = found.setdefault((one.place, one.facet, one.action, one.rule), [0, 0, 0])
            sums[0] += 1
            sums[1] += one.size
            sums[2] += one.left
    return {
        "facets": [
            {"place": place, "facet": facet, "action": action, "rule": rule, "count": count, "bytes": size,
             "bytesLeft": left}
            for (place, facet, action, rule), (count, size, left) in sorted(found.items())
        ],
        "events": touched,
        "eventsLookedAt": looked_at,
        "totalCount": total,
        "bytesSaved": sizes[0] - sizes[1],
        "truncated": looked_at < total,
    }  # fmt: skip


def _left(text: bytes, rules: FacetRules) -> int:
    """By how much the rules leave more than nothing: sizes are compared, so what no rule fits doesn't matter."""
    return sum(one.left - one.size for one in treatments(text, rules))


def _newest(snapshot: Snapshot, events: int) -> Iterator[tuple[EventRow, bytes]]:
    offset = 0
    while offset < events:
        rows = snapshot.reader.page_events(-(2**63), 2**63 - 1, True, min(PAGE, events - offset), offset)
        if not rows:
            return
        texts = snapshot.reader.texts(rows)
        yield from ((row, texts[row.seq]) for row in rows)
        offset += len(rows)


_SHAPES = Prepared(
    select(tables.shape.c.id)
    .where(tables.shape.c.id > bindparam("after"))
    .order_by(tables.shape.c.id)
    .limit(bindparam("limit"))
)
_BY_RULES = Prepared(select(tables.raw.c.shape).where(tables.raw.c.rules.is_not(None)).distinct())
_NAMES = Prepared(
    select(tables.entity.c.id, tables.entity.c.kind, tables.space.c.name, tables.entity.c.name)
    .join_from(tables.entity, tables.space, tables.space.c.id == tables.entity.c.space)
    .where(tables.entity.c.id.in_(bindparam("ids", expanding=True)))
)
_COUNT_EVENTS = Prepared(select(func.count()).select_from(tables.event))
