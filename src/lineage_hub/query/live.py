"""A number of an event enters; what the events after it tell leaves as messages, made once for all who listen.

What a message says follows from the events up to its own, so that it is the same whenever, and from whichever hub, it
is read: a state of a run is that of its events so far, a change is what no event had said before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from lineage_hub.lineage.rows import EventRow, RunKey
from lineage_hub.lineage.shapes import DATASET_EVENT, JOB_EVENT, OTHER, RUN_EVENT, RUNNING, TYPE_NAMES, WRITTEN, Shape
from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.lineage.standings import Standing, Standings
from lineage_hub.model import NOW, Scope
from lineage_hub.store.changes import entities_of, moves_names
from lineage_hub.store.library import Shelf
from lineage_hub.store.open import LineageStore
from lineage_hub.store.reader import Reader
from lineage_hub.store.tables import DATASET, JOB
from lineage_hub.store.written import Written, kinds_of, shapes_before, written_after
from lineage_hub.wire import instant_text
from lineage_hub.wire.recent import Recent

Answer = dict[str, Any]
Name = tuple[str, str]
# In this order for one event; the place of each is part of a message's id.
TOPICS = ("events", "runs", "changes")
MOST_NAMES = 100
# Of a run with so many events it is remembered how it stands; others are read again.
MANY = 50
_KINDS = {RUN_EVENT: "RunEvent", JOB_EVENT: "JobEvent", DATASET_EVENT: "DatasetEvent"}
_encode = msgspec.json.Encoder().encode


class Message(NamedTuple):
    part: int
    topic: str
    data: bytes


class Item(NamedTuple):
    """What one event tells; the names are those that it speaks of."""

    seq: int
    jobs: frozenset[Name]
    datasets: frozenset[Name]
    messages: tuple[Message, ...]

    @property
    def size(self) -> int:
        return 200 + sum(len(one.data) for one in self.messages) + 100 * (len(self.jobs) + len(self.datasets))


class Page(NamedTuple):
    items: list[Item]
    last_seq: int
    more: bool


class _Met(NamedTuple):
    """What a run has had: types of events, the time of the first, and the number of the one that came last.

    One with many events also has how it stands, which counts as long as pages follow each other."""

    types: set[int]
    begun_at: int
    last_seq: int
    standings: Standings | None
    reading: int


class Live:
    """Reads pages of messages; use it from one thread at a time."""

    def __init__(self, store: LineageStore, remembered: int = 20_000) -> None:
        self._store = store
        self._kinds: Shelf[int, int] = Shelf(200_000)
        self._met: Recent[_Met] = Recent(remembered)
        # Where the last page ended; each one that begins elsewhere begins another reading.
        self._ended: tuple[Scope, int] | None = None
        self._reading = 0

    def page(self, scope: Scope, after: int, limit: int) -> Page:
        with self._store.reading() as connection:
            reader = Reader(connection, self._store.library, scope, NOW)
            written = written_after(reader, scope, after, limit)
            self._reading += self._ended != (scope, after)
            # A page that fails halfway is no beginning for the next.
            self._ended = None
            items = self._items(reader, scope, written, after)
            self._ended = scope, written.last_seq
            return Page(items, written.last_seq, written.more)

    def _items(self, reader: Reader, scope: Scope, written: Written, after: int) -> list[Item]:
        rows = written.rows
        shapes = reader.shapes({row.shape for row in rows})
        entities = {entity for shape in shapes.values() for entity in entities_of(shape)}
        names, tenants = reader.names(entities), reader.tenant_names()
        kinds = self._kinds.fetch(entities, lambda missing: kinds_of(reader.connection, scope, missing))
        known = shapes_before(reader.connection, scope, shapes, after)
        states = self._states(reader, rows)
        items = []
        for row in rows:
            shape = shapes[row.shape]
            spoken = {kind: [names[one] for one in entities_of(shape) if kinds[one] == kind] for kind in (JOB, DATASET)}
            messages = [Message(0, "events", _encode(_event(row, shape, names, tenants[row.tenant])))]
            if row.seq in states:
                messages.append(Message(1, "runs", _encode(_run(row, names[row.subject], *states[row.seq]))))
            if row.shape not in known:
                known.add(row.shape)
                messages.append(Message(2, "changes", _encode(_change(row, shape, spoken))))
            items.append(Item(row.seq, frozenset(spoken[JOB]), frozenset(spoken[DATASET]), tuple(messages)))
        return items

    def _states(self, reader: Reader, rows: list[EventRow]) -> dict[int, tuple[Standing | None, Standing]]:
        """By the number of an event that changed a run: how the run stood before it, and with it."""
        fresh: dict[RunKey, list[EventRow]] = {}
        for row in rows:
            if row.run is not None and not self._is_met(row):
                fresh.setdefault(row.run_key, []).append(row)
        known = {key: standings for key in fresh if (standings := self._standings(key)) is not None}
        unknown = {key[2] for key in fresh.keys() - known.keys()}
        runs = reader.runs(unknown) if unknown else {}
        found: dict[int, tuple[Standing | None, Standing]] = {}
        for key, own in fresh.items():
            # Those that are already there and come later belong to later pages.
            events = (
                own
                if key in known
                else sorted([row for row in runs[key] if row.seq <= rows[-1].seq], key=lambda row: row.seq)
            )
            standings, wanted = known.get(key) or Standings(), {row.seq for row in own}
            for row in events:
                before = standings.now
                standings.add(row)
                if row.seq in wanted and standings.now is not None and before != standings.now:
                    found[row.seq] = before, standings.now
            kept = standings if len(standings.events) > MANY else None
            types = {row.type for row in standings.events}
            self._met.put(_met_key(key), _Met(types, standings.events[0].event_at, events[-1].seq, kept, self._reading))
        return found

    def _standings(self, key: RunKey) -> Standings | None:
        met = self._met.get(_met_key(key))
        return met.standings if met is not None and met.reading == self._reading else None

    def _is_met(self, row: EventRow) -> bool:
        """Whether it surely leaves its run as it was: another event that neither starts nor ends it, later than its
        start."""
        met = self._met.get(_met_key(row.run_key)) if row.type in (RUNNING, OTHER) else None
        return met is not None and row.seq > met.last_seq and row.type in met.types and row.event_at >= met.begun_at


def _met_key(key: RunKey) -> bytes:
    return b"%d %d " % key[:2] + key[2]


def _event(row: EventRow, shape: Shape, names: Mapping[int, Name], tenant: str) -> Answer:
    about = _named(names[row.subject])
    inputs = {names[one.dataset] for one in shape.mentions if one.side not in WRITTEN}
    outputs = {names[one.dataset] for one in shape.mentions if one.side in WRITTEN}
    answer: Answer = {
        "id": row.reference,
        "kind": _KINDS[shape.kind],
        "eventType": TYPE_NAMES[row.type] if shape.kind == RUN_EVENT else None,
        "eventTime": instant_text(row.event_at),
        "knownAt": instant_text(row.known_at),
        "tenant": tenant,
        "run": run_text(row.run) if row.run is not None else None,
    }
    if shape.kind == DATASET_EVENT:
        return {**answer, "dataset": about}
    return {**answer, "job": about, **_listed("inputs", inputs), **_listed("outputs", outputs)}


def _run(row: EventRow, job: Name, before: Standing | None, after: Standing) -> Answer:
    assert row.run is not None
    return {
        "run": run_text(row.run),
        "job": _named(job),
        "state": after.state,
        "stateBefore": before.state if before is not None else None,
        "startedAt": instant_text(after.start_at),
        "endedAt": instant_text(after.end_at) if after.end_at is not None else None,
        "durationMs": (after.end_at - after.start_at) // 1_000_000 if after.end_at is not None else None,
        "event": row.reference,
    }


def _change(row: EventRow, shape: Shape, spoken: Mapping[int, Iterable[Name]]) -> Answer:
    return {
        "event": row.reference,
        "eventTime": instant_text(row.event_at),
        **_listed("jobs", spoken[JOB]),
        **_listed("datasets", spoken[DATASET]),
        "movesNames": moves_names(shape, is_new=True),
    }


def _listed(what: str, names: Iterable[Name]) -> Answer:
    """A few of thousands, and how many there are."""
    ordered = sorted(set(names))
    answer: Answer = {what: [_named(name) for name in ordered[:MOST_NAMES]]}
    if len(ordered) > MOST_NAMES:
        answer[f"{what}Count"] = len(ordered)
    return answer


def _named(name: Name) -> dict[str, str]:
    return {"namespace": name[0], "name": name[1]}
