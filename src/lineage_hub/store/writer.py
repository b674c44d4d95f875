"""Decoded events enter, one transaction makes them durable; which were repeats and what changed leave.

Everything interned is written once for each distinct value; in the steady state an event costs one row and its text.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, select, tuple_, update
from zstandard import ZstdError

from lineage_hub.lineage.shapes import (
    INFERRED,
    STREAMING,
    TYPES,
    Shape,
    decode,
    encode,
    run_key,
)
from lineage_hub.model import Scope
from lineage_hub.store import tables
from lineage_hub.store.changes import entities_of
from lineage_hub.store.codec import SAMPLES, Codec, train
from lineage_hub.store.counters import take
from lineage_hub.store.folding import Folding
from lineage_hub.store.inserting import insert
from lineage_hub.store.library import unpacked
from lineage_hub.store.naming import add, intern_blobs, intern_entities, intern_tenants, look_up
from lineage_hub.store.shaping import (
    Shaping,
    body_of,
    cutting,
    datasets_of,
    elements_of,
    link_type,
    names_of,
    producer_name,
    shape_key,
)
from lineage_hub.wire import Event, Facet
from lineage_hub.wire.elements import VOLATILE_FACETS
from lineage_hub.wire.facets import Key
from lineage_hub.wire.recent import Recent


class Known(NamedTuple):
    """A shape as the writer remembers it."""

    id: int
    subject: int
    parent: int
    entities: tuple[int, ...]

    @classmethod
    def of(cls, number: int, shape: Shape) -> Known:
        return cls(number, shape.subject, shape.parent, tuple(entities_of(shape)))


class Written(NamedTuple):
    """`repeated` says of each event whether it had been there before; `last_seq` closes the group."""

    repeated: list[bool]
    first_seq: int
    last_seq: int
    entities: set[int]
    topology: bool


class LineageWriter:
    """Use from one thread; several processes may each have one on the same store."""

    def __init__(self, codec: Codec, recent: int = 50_000) -> None:
        self._codec, self._recent = codec, recent
        self._shapes: Recent[Known] = Recent(recent)
        self._tenants: dict[str, int] = {}
        self._samples: list[bytes] | None = None if codec.is_trained else []
        self._trained: list[bytes] = []
        self._adopted: bytes | None = None
        self._swept = 0
        self._new = Interning()
        self.folding = Folding(codec, recent)

    def write(self, connection: Connection, scope: Scope, batch: Sequence[tuple[Event, int]]) -> Written:
        """Each event comes with its known_at; its tenant was fixed by the scope it was accepted in."""
        del scope  # an event's tenant is part of its identity already
        # What needs no other writer to wait is done before.
        packed = [(event.raw, self._codec.compress(event.raw)) for event, _ in batch]
        # Before anything is asked of the store, since from here on this is the only writer.
        at_end = take(connection, len(batch))
        if at_end.swept != self._swept:
            # Shapes that no event had any more are gone, perhaps by another process.
            self._shapes, self._swept = Recent(self._recent), at_end.swept
            self.folding.forget()
        seq = at_end.seq - len(batch) + 1
        self.adopt_dictionary(connection)
        batch, by_rules = self.folding.fold(connection, at_end.rules, batch)
        keys = [shape_key(event) for event, _ in batch]
        known = self.known(connection, keys, [event for event, _ in batch])
        tenants = self._tenant_ids(connection, {event.tenant for event, _ in batch})
        rows = []
        for at, (event, known_at) in enumerate(batch):
            shape = known[keys[at]]
            flags = (INFERRED if event.inferred else 0) | (STREAMING if event.streaming else 0)
            rows.append((
                shape.subject, event.event_at, event.event_id, seq + at, known_at, tenants[event.tenant],
                TYPES[event.type], flags, shape.id, run_key(event.run_id) if event.run_id is not None else None,
                shape.parent or None, run_key(event.parent[1]) if event.parent else None,
            ))  # fmt: skip
        if at_end.refolding:
            self.folding.fold_repeats(connection, self, rows)
        taken = insert(connection, tables.event, rows)
        repeated = [False] * len(batch) if taken == len(batch) else self._repeats(connection, batch, rows)
        fresh = [(row, event) for row, (event, _), again in zip(rows, batch, repeated, strict=True) if not again]
        frames = [
            # A repeat within the group may have brought another spelling, and a rule may keep less of it.
            frame if event.raw is text else self._codec.compress(event.raw)
            for (event, _), (text, frame), again in zip(batch, packed, repeated, strict=True)
            if not again
        ]
        texts = [
            (row[3], row[8], frame, by_rules.get(row[3] - seq)) for (row, _), frame in zip(fresh, frames, strict=True)
        ]
        insert(connection, tables.raw, texts)
        moved = self.cut(connection, fresh) or self._new.linked
        self._new.linked = False
        self._sample(event.raw for _, event in fresh)
        touched: set[int] = set()
        for key in set(keys):
            touched.update(known[key].entities)
        return Written(repeated, seq, seq + len(batch) - 1, touched, moved)

    def committed(self) -> None:
        """What was written is on disk: the dictionary that it may use with it."""
        self._adopted = None
        for facet in self._new.interned:
            facet.body = None
        self._new.interned.clear()

    def rolled_back(self) -> None:
        """Numbers that were given meanwhile stand for nothing, or for something else soon: they are forgotten."""
        self._shapes, self._tenants = Recent(self._recent), {}
        self.folding.forget()
        self._new.linked = False
        self._new.interned.clear()

    def known(self, connection: Connection, keys: list[bytes], events: list[Event]) -> dict[bytes, Known]:
        found: dict[bytes, Known] = {}
        missing: dict[bytes, Event] = {}
        for key, event in zip(keys, events, strict=True):
            if key not in found and key not in missing:
                shape = self._shapes.get(key)
                if shape is None:
                    missing[key] = event
                else:
                    found[key] = shape
        if missing:
            made = self._new.intern_shapes(connection, self._codec, missing)
            for key, shape in made.items():
                self._shapes.put(key, shape)
            found.update(made)
        return found

    def _tenant_ids(self, connection: Connection, names: set[str]) -> dict[str, int]:
        missing = names - self._tenants.keys()
        if missing:
            self._tenants.update(intern_tenants(connection, missing))
        return self._tenants

    def _repeats(self, connection: Connection, batch: Sequence[tuple[Event, int]], rows: list[Any]) -> list[bool]:
        """A repeat keeps the earliest known_at and, of two spellings, the bytewise least text."""
        stored = {
            (row.subject, row.event_at, bytes(row.event_id)): row
            for start in range(0, len(rows), 500)
            for row in connection.execute(_STORED, {"keys": [row[:3] for row in rows[start : start + 500]]})
        }
        repeated = []
        spelled: dict[int, bytes] = {}
        for (event, known_at), row in zip(batch, rows, strict=True):
            before = stored[row[:3]]
            repeated.append(before.seq != row[3])
            if before.seq == row[3]:
                spelled[before.seq] = event.raw
                continue
            connection.execute(_KNOWN_EARLIER, {"s": row[0], "t": row[1], "i": row[2], "k": known_at})
            text = spelled.get(before.seq)
            if text is None:
                frame = connection.execute(_RAW, {"number": before.seq}).scalar()
                # A repeat inside this very group finds its first copy not yet written.
                text = unpacked(connection, self._codec, bytes(frame)) if frame is not None else None
            if text is None or event.raw < text:
                spelled[before.seq] = event.raw
                connection.execute(_RESPELL, {"number": before.seq, "text": self._codec.compress(event.raw)})
            else:
                spelled[before.seq] = text
        for (event, _), row, again in zip(batch, rows, repeated, strict=True):
            if not again:
                event.raw = spelled[row[3]]
        return repeated

    def cut(self, connection: Connection, fresh: list[tuple[Any, Event]]) -> bool:
        """Of rows that begin with subject, event_at and event_id."""
        wanted: list[tuple[Any, Key, Key | None]] = []
        for row, event in fresh:
            for element in cutting(event):
                if element.lifecycle == "DROP":
                    wanted.append((row, element.key, None))
                elif element.previous is not None:
                    wanted.append((row, element.previous, element.key))
                    wanted.append((row, element.key, None))
        if not wanted:
            return False
        named = {key for _, before, after in wanted for key in (before, after) if key is not None}
        ids = intern_entities(connection, {(tables.DATASET, *key) for key in named})
        number = {key: ids[(tables.DATASET, *key)] for key in named}
        # One event may cut a name in two ways: then a RENAME away from it counts, of two the one to the least name.
        wanted.sort(key=lambda one: (one[2] is None, one[2] or ()), reverse=True)
        rows = {
            (number[before], row[1], row[2]): (row[0], number[after] if after else None)
            for row, before, after in wanted
        }
        insert(connection, tables.cut, [(*key, *value) for key, value in rows.items()])
        return True

    def _sample(self, texts: Iterable[bytes]) -> None:
        if self._samples is None:
            return
        self._samples.extend(texts)
        if len(self._samples) >= SAMPLES:
            samples, self._samples = self._samples, None
            # Training takes a moment of CPU; the writer goes on with plain frames until it is done.
            threading.Thread(target=self._train, args=(samples,), daemon=True, name="dictionary").start()

    def _train(self, samples: list[bytes]) -> None:
        # Samples that teach nothing leave the frames plain.
        with contextlib.suppress(ZstdError):
            self._trained.append(train(samples))

    def adopt_dictionary(self, connection: Connection) -> None:
        if self._trained:
            self._adopted = self._trained.pop()
        if self._adopted is not None:
            # Again in the next transaction when this one is rolled back: frames need it from here on.
            number = self._codec.use(self._adopted)
            insert(connection, tables.dictionary, [(number, self._adopted)])


class Interning:
    """Makes shapes of events whose like wasn't met before, with the names and facets that they need."""

    def __init__(self) -> None:
        # Whether a symlinks facet named a pair for the first time.
        self.linked = False
        # Facets whose bodies needn't be kept once the transaction is on disk.
        self.interned: list[Facet] = []

    def intern_shapes(self, connection: Connection, codec: Codec, events: dict[bytes, Event]) -> dict[bytes, Known]:
        """Of events by the keys of their shapes."""
        stored = look_up(connection, tables.shape, ("hash", "id", "body"), events)
        known = {bytes(key): Known.of(number, decode(bytes(body))) for key, number, body in stored}
        for event in (events[key] for key in known):
            self.interned += [facet for element in elements_of(event) for facet in element.facets.values()]
        new = {key: event for key, event in events.items() if key not in known}
        return known | self._add_shapes(connection, codec, new) if new else known

    def _add_shapes(self, connection: Connection, codec: Codec, events: dict[bytes, Event]) -> dict[bytes, Known]:
        facets: dict[bytes, tuple[Facet, Event]] = {}
        described = {element: event for event in events.values() for element in elements_of(event)}
        for element, event in described.items():
            for name, facet in element.facets.items():
                if name not in VOLATILE_FACETS and (facet.digest not in facets or facet.body is not None):
                    facets[facet.digest] = (facet, event)
        jobs, datasets = names_of(events.values())
        ids = intern_entities(
            connection,
            [(tables.JOB, *key) for key in jobs]
            + [(tables.DATASET, *key) for key in datasets]
            + [(tables.PRODUCER, "", name) for name in {producer_name(event) for event in events.values()}],
        )
        job_ids = {key: ids[(tables.JOB, *key)] for key in jobs}
        dataset_ids = {key: ids[(tables.DATASET, *key)] for key in datasets}
        blobs = intern_blobs(connection, facets, lambda key: codec.compress(body_of(*facets[key])))
        self.interned += [facet for facet, _ in facets.values() if facet.body is not None]
        shaping = Shaping(job_ids, dataset_ids, blobs)
        shapes = {key: shaping.shape_of(event) for key, event in events.items()}
        numbers = add(connection, tables.shape, {key: (one.subject, encode(one)) for key, one in shapes.items()})
        known = {key: Known.of(numbers[key], shape) for key, shape in shapes.items()}
        mentions = [(entity, shape.id) for shape in known.values() for entity in shape.entities]
        # Who says it stands beside what is spoken of, so that a producer's events are found by their shapes.
        mentions += [(ids[tables.PRODUCER, "", producer_name(event)], known[key].id) for key, event in events.items()]
        insert(connection, tables.mention, mentions)
        links = {
            (dataset_ids[element.key], dataset_ids[link.namespace, link.name], link_type(link))
            for event in events.values()
            for element in datasets_of(event)
            for link in element.links
        }
        self.linked = insert(connection, tables.link, sorted(links)) > 0 or self.linked
        return known


_e = tables.event.c
_STORED = select(_e.subject, _e.event_at, _e.event_id, _e.seq).where(
    tuple_(_e.subject, _e.event_at, _e.event_id).in_(bindparam("keys", expanding=True))
)
_KNOWN_EARLIER = (
    update(tables.event)
    .where(_e.subject == bindparam("s"), _e.event_at == bindparam("t"), _e.event_id == bindparam("i"))
    .where(_e.known_at > bindparam("k"))
    .values(known_at=bindparam("k"))
)
_RAW = select(tables.raw.c.body).where(tables.raw.c.seq == bindparam("number"))
_RESPELL = update(tables.raw).where(tables.raw.c.seq == bindparam("number")).values(body=bindparam("text"))
