"""Events as they were sent enter; they leave as the rules that count make them, those of history too, one step a call.

Which rules count is read after the writer's lock is taken, in the transaction that the events are written in: so
several hubs on one database agree, and once `step` says that it is done no event is folded by other rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, Select, and_, bindparam, delete, or_, select, update

from lineage_hub.lineage.rows import EventRow
from lineage_hub.lineage.rules.model import RuleSet
from lineage_hub.lineage.rules.renaming import DATASET as DATASETS
from lineage_hub.lineage.rules.renaming import JOB as JOBS
from lineage_hub.lineage.rules.rewriting import Rules
from lineage_hub.lineage.shapes import INFERRED, STREAMING, decode
from lineage_hub.model import DEFAULT_TENANT, EVERYTHING
from lineage_hub.store import tables
from lineage_hub.store.changes import entities_of, moves_names
from lineage_hub.store.codec import Codec
from lineage_hub.store.counters import Counters, count_up, set_counter, take
from lineage_hub.store.inserting import insert
from lineage_hub.store.library import unpacked
from lineage_hub.store.naming import look_up
from lineage_hub.store.rules import rules_of
from lineage_hub.store.shaping import shape_key
from lineage_hub.wire import Decoder, Event

if TYPE_CHECKING:
    from lineage_hub.store.writer import LineageWriter

# What one step looks at: a moment's work, so that whoever sends events waits no longer than for another group.
SHAPES, EVENTS = 500, 100
# Names were checked when the event was taken.
_ANY_LENGTH = 2**31
_KINDS = {tables.JOB: JOBS, tables.DATASET: DATASETS}


class Progress(NamedTuple):
    done: bool
    # How many events were looked at in this step, and how many of them are folded otherwise now.
    looked_at: int = 0
    changed: int = 0


class _Stored(NamedTuple):
    row: EventRow
    text: bytes
    rules: int | None


class Folding:
    """Use from the writer's thread."""

    def __init__(self, codec: Codec, recent: int) -> None:
        self._codec, self._recent = codec, recent
        self.number, self.rules = 0, Rules(RuleSet())
        self._decoder: Decoder | None = None
        # Entities by whether a rule may rename them.
        self._renamed: dict[int, bool] = {}

    def forget(self) -> None:
        self.number, self.rules = 0, Rules(RuleSet())
        self._decoder, self._renamed = None, {}

    def fold(
        self, connection: Connection, number: int, batch: Sequence[tuple[Event, int]]
    ) -> tuple[Sequence[tuple[Event, int]], dict[int, int]]:
        """Beside the events: of each that a rule changed, by its place, the number of the rules."""
        self._use(connection, number)
        if not self.rules:
            return batch, {}
        folded = [(self.rules.of(event.tenant).event(event), known_at) for event, known_at in batch]
        changed = [at for at, (event, _) in enumerate(folded) if event is not batch[at][0]]
        return folded, dict.fromkeys(changed, number)

    def _use(self, connection: Connection, number: int) -> None:
        if number != self.number:
            kept = rules_of(connection, EVERYTHING, number)
            self.forget()
            self.number, self.rules = number, Rules(kept.rules, self._recent)

    def fold_repeats(self, connection: Connection, writer: LineageWriter, rows: Sequence[tuple[Any, ...]]) -> None:
        """An event that stands in history under another job is folded first: else it would be there twice."""
        by_id = {(row[1], row[2]): row[0] for row in rows}
        found: list[EventRow] = []
        times = sorted({row[1] for row in rows})
        for start in range(0, len(times), 500):
            stored: Any = connection.execute(_AT_TIMES, {"times": times[start : start + 500]})
            found += [
                row
                for row in map(_event_row, stored)
                if by_id.get((row.event_at, row.event_id), row.subject) != row.subject
            ]
        if found and self._fold_again(connection, writer, self._texts(connection, found)):
            count_up(connection, "fold")

    def step(self, connection: Connection, writer: LineageWriter, now: int) -> Progress:
        """One small part of what is left to fold again."""
        at = take(connection, 0)
        if not at.refolding:
            return Progress(True)
        writer.adopt_dictionary(connection)
        self._use(connection, at.rules)
        state = connection.execute(_STATE, {"number": at.rules}).one()
        if state.scanned < state.last_shape:
            self._scan(connection, at, state.scanned, state.last_shape)
            return Progress(False)
        found = self._folded_by_others(connection, at.rules) or self._of_shapes(connection)
        if found is None:
            set_counter(connection, "refolded", at.rules)
            connection.execute(_FINISH, {"number": at.rules, "now": now})
            return Progress(True)
        changed = self._fold_again(connection, writer, found)
        if changed:
            count_up(connection, "fold")
        connection.execute(_COUNT, {"number": at.rules, "seen": len(found), "moved": changed})
        return Progress(False, len(found), changed)

    def _scan(self, connection: Connection, at: Counters, scanned: int, last: int) -> None:
        """Shapes of events that were folded as sent, and that the rules may change now."""
        rows = connection.execute(_NEXT_SHAPES, {"after": scanned, "last": last}).all()
        shapes = {row.id: decode(bytes(row.body)) for row in rows}
        unknown = {one for shape in shapes.values() for one in entities_of(shape)} - self._renamed.keys()
        for start in range(0, len(unknown), 2_000):
            chunk = sorted(unknown)[start : start + 2_000]
            named: Any = connection.execute(_NAMES, {"ids": chunk})
            for number, kind, namespace, name in named:
                self._renamed[number] = self.rules.may_rename(_KINDS[kind], (namespace, name))
        wanted = [
            number
            for number, shape in shapes.items()
            if any(self._renamed[one] for one in entities_of(shape)) or self.rules.may_treat(shape)
        ]
        insert(connection, tables.refold_shape, [(number, -(2**63), b"") for number in wanted])
        reached = rows[-1].id if rows else last
        connection.execute(_SCANNED, {"number": at.rules, "reached": reached})

    def _folded_by_others(self, connection: Connection, number: int) -> list[_Stored] | None:
        """Events that rules changed which count no more, or in another company."""
        found: Any = connection.execute(_OLD, {"number": number})
        texts = {seq: (unpacked(connection, self._codec, bytes(body)), rules) for seq, body, rules in found}
        if not texts:
            return None
        # There is no index on numbers of events, but one on their times, which the texts tell.
        times = {self._decoded(text, DEFAULT_TENANT).event_at for text, _ in texts.values()}
        rows: Any = connection.execute(_AT_TIMES, {"times": sorted(times)})
        return [_Stored(row, *texts[row.seq]) for row in map(_event_row, rows) if row.seq in texts]

    def _of_shapes(self, connection: Connection) -> list[_Stored] | None:
        """The next events of the shapes that were found; a step's worth of them."""
        todo: Any = connection.execute(_TODO).all()
        if not todo:
            return None
        events: list[EventRow] = []
        for shape, event_at, event_id in todo:
            left = EVENTS - len(events)
            found: Any = connection.execute(
                _NEXT_EVENTS, {"shape": shape, "after": event_at, "id": event_id, "most": left}
            )
            events += map(_event_row, found)
            if len(events) == EVENTS:
                last = events[-1]
                connection.execute(_REACHED, {"number": shape, "at": last.event_at, "id": last.event_id})
                break
            connection.execute(_LOOKED_AT, {"number": shape})
        # What the rules changed is looked at elsewhere.
        return [one for one in self._texts(connection, events) if one.rules is None]

    def _texts(self, connection: Connection, events: Sequence[EventRow]) -> list[_Stored]:
        rows = look_up(connection, tables.raw, ("seq", "body", "rules"), [row.seq for row in events])
        texts = {seq: (unpacked(connection, self._codec, bytes(body)), rules) for seq, body, rules in rows}
        return [_Stored(row, *texts[row.seq]) for row in events]

    def _fold_again(self, connection: Connection, writer: LineageWriter, stored: Sequence[_Stored]) -> int:
        """How many events say something else now."""
        tenants: dict[int, str] = dict(
            look_up(connection, tables.tenant, ("id", "name"), {one.row.tenant for one in stored})
        )
        folded: list[Event] = []
        by_rules: list[int | None] = []
        for one in stored:
            sent = self._decoded(one.text, tenants[one.row.tenant])
            # Of a text that a facet was dropped from, the id would be another.
            sent.event_id = one.row.event_id
            event = self.rules.of(sent.tenant).event(sent, storing=False)
            folded.append(event)
            by_rules.append(None if event is sent else self.number)
        keys = [shape_key(event) for event in folded]
        known = writer.known(connection, keys, folded)
        moved: list[tuple[EventRow, EventRow, Event]] = []
        for one, event, key, rules in zip(stored, folded, keys, by_rules, strict=True):
            shape = known[key]
            flags = (one.row.flags & INFERRED) | (STREAMING if event.streaming else 0)
            row = one.row._replace(subject=shape.subject, shape=shape.id, parent=shape.parent or None, flags=flags)
            if row != one.row:
                moved.append((one.row, row, event))
            if row.shape != one.row.shape or rules != one.rules:
                connection.execute(_FOLDED, {"number": row.seq, "to": row.shape, "by": rules})
        self._move(connection, writer, moved)
        return len(moved)

    def _decoded(self, text: bytes, tenant: str) -> Event:
        if self._decoder is None:
            self._decoder = Decoder(recent=5_000, max_name_bytes=_ANY_LENGTH)
        return self._decoder.decode(text, tenant)

    def _move(
        self, connection: Connection, writer: LineageWriter, moved: list[tuple[EventRow, EventRow, Event]]
    ) -> None:
        if not moved:
            return
        bodies = look_up(connection, tables.shape, ("id", "body"), {before.shape for before, _, _ in moved})
        shapes = {number: decode(bytes(body)) for number, body in bodies}
        for before, after, _ in moved:
            if moves_names(shapes[before.shape], is_new=True):
                cut = sorted(entities_of(shapes[before.shape]))
                connection.execute(_UNCUT, {"names": cut, "at": before.event_at, "id": before.event_id})
            values = {"s": before.subject, "t": before.event_at, "i": before.event_id}
            values |= {"subject": after.subject, "shape": after.shape, "parent": after.parent, "flags": after.flags}
            connection.execute(_MOVE, values)
        writer.cut(connection, [(after, event) for _, after, event in moved])


def _event_row(row: Any) -> EventRow:
    """With bytes for whatever the driver calls them."""
    event = EventRow._make(row)
    return event._replace(
        event_id=bytes(event.event_id),
        run=bytes(event.run) if event.run is not None else None,
        parent_run=bytes(event.parent_run) if event.parent_run is not None else None,
    )


def _many(name: str) -> Any:
    return bindparam(name, expanding=True)


_e, _raw, _s, _r, _t = tables.event.c, tables.raw.c, tables.shape.c, tables.refold.c, tables.refold_shape.c
_ROW = [tables.event.c[name] for name in EventRow._fields]
_STATE = select(tables.refold).where(_r.rules == bindparam("number"))
_NEXT_SHAPES = (
    select(_s.id, _s.body).where(_s.id > bindparam("after"), _s.id <= bindparam("last")).order_by(_s.id).limit(SHAPES)
)
_NAMES = (
    select(tables.entity.c.id, tables.entity.c.kind, tables.space.c.name, tables.entity.c.name)
    .join_from(tables.entity, tables.space, tables.space.c.id == tables.entity.c.space)
    .where(tables.entity.c.id.in_(_many("ids")))
)
_SCANNED = update(tables.refold).where(_r.rules == bindparam("number")).values(scanned=bindparam("reached"))
_COUNT = (
    update(tables.refold)
    .where(_r.rules == bindparam("number"))
    .values(looked_at=_r.looked_at + bindparam("seen"), changed=_r.changed + bindparam("moved"))
)
_FINISH = update(tables.refold).where(_r.rules == bindparam("number")).values(finished_at=bindparam("now"))
_OLD = select(_raw.seq, _raw.body, _raw.rules).where(_raw.rules < bindparam("number")).limit(EVENTS)
_AT_TIMES = select(*_ROW).where(_e.event_at.in_(_many("times")))
_TODO = select(tables.refold_shape).order_by(_t.shape).limit(EVENTS)
_LOOKED_AT = delete(tables.refold_shape).where(_t.shape == bindparam("number"))
_REACHED = (
    update(tables.refold_shape)
    .where(_t.shape == bindparam("number"))
    .values(event_at=bindparam("at"), event_id=bindparam("id"))
)
_NEXT_EVENTS: Select[Any] = (
    select(*_ROW)
    .where(
        _e.shape == bindparam("shape"),
        or_(
            _e.event_at > bindparam("after"),
            and_(_e.event_at == bindparam("after"), _e.event_id > bindparam("id")),
        ),
    )
    .order_by(_e.event_at, _e.event_id)
    .limit(bindparam("most"))
)
_FOLDED = update(tables.raw).where(_raw.seq == bindparam("number")).values(shape=bindparam("to"), rules=bindparam("by"))
_UNCUT = delete(tables.cut).where(
    tables.cut.c.dataset.in_(_many("names")),
    tables.cut.c.event_at == bindparam("at"),
    tables.cut.c.event_id == bindparam("id"),
)
_MOVE = (
    update(tables.event)
    .where(_e.subject == bindparam("s"), _e.event_at == bindparam("t"), _e.event_id == bindparam("i"))
    .values(
        subject=bindparam("subject"), shape=bindparam("shape"), parent=bindparam("parent"), flags=bindparam("flags")
    )
)
