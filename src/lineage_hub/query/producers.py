"""A moment enters; who tells the hub of events leaves: since when, how many, at which pace, and how long silent.

Silence is counted in the time of events, so a producer that sends old ones late has not spoken of the present.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lineage_hub.lineage.producers import SECOND, Heard, integration_of, successors, usual_gap_s
from lineage_hub.model import FOREVER
from lineage_hub.query.horizon import begins_at
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.store import producers
from lineage_hub.store.producers import Hour
from lineage_hub.wire import instant_text
from lineage_hub.wire.told import producer_of

Answer = dict[str, Any]


@dataclass(slots=True)
class _Producer:
    """Its entity, or the shapes that an older hub wrote; the subjects and bounds of all of them."""

    entity: int | None = None
    untold: list[int] = field(default_factory=list)
    subjects: set[int] = field(default_factory=set)
    first_at: int = FOREVER
    last_at: int = -FOREVER

    def hear(self, seen: tuple[int, int]) -> None:
        self.first_at, self.last_at = min(self.first_at, seen[0]), max(self.last_at, seen[1])


def all_producers(snapshot: Snapshot, now: int, silent_s: int | None, limit: int, offset: int) -> Answer:
    """Those that were heard last come first; with `silent_s` only those that have said nothing for so long."""
    found = _heard(snapshot)
    at = min(now, snapshot.moment.known_at) if snapshot.moment.as_of == FOREVER else snapshot.moment.as_of
    names = snapshot.names({subject for one in found.values() for subject in one.subjects})
    spaces = {name: {names[subject][0] for subject in one.subjects} for name, one in found.items()}
    replaced = successors({name: Heard(one.last_at, spaces[name]) for name, one in found.items()})
    asked = sorted(found, key=lambda name: (-found[name].last_at, name))
    if silent_s is not None:
        # Whoever spoke lately needs no count of all that it ever said.
        asked = [
            name for name in asked if name not in replaced and not 0 <= at - found[name].last_at < silent_s * SECOND
        ]
    hours = _hours(snapshot, {name: found[name] for name in asked})
    answers = [_answer(name, found[name], hours[name], spaces[name], replaced.get(name), at) for name in asked]
    if silent_s is not None:
        answers = [one for one in answers if one["silentForS"] >= silent_s]
    page = answers[offset : offset + limit]
    return {"producers": page, "totalCount": len(answers), "at": instant_text(at), **begins_at(snapshot)}


def _heard(snapshot: Snapshot) -> dict[str, _Producer]:
    connection, scope, moment = snapshot.reader.connection, snapshot.scope, snapshot.moment
    names = producers.names(connection)
    by_producer = snapshot.shapes_of(names)
    told = {shape for entity in names for shape in by_producer[entity]}
    bounds = snapshot.bounds(told)
    subjects = producers.subjects(connection, scope, moment)
    found: dict[str, _Producer] = {}
    for entity, name in names.items():
        for seen in (bounds[shape] for shape in by_producer[entity]):
            if seen is not None:
                found.setdefault(name, _Producer(entity, subjects=subjects[entity])).hear(seen)
    untold = producers.untold_shapes(connection, told)
    for shape, name in _told_by(snapshot, untold).items() if untold else ():
        one = found.setdefault(name, _Producer())
        one.untold.append(shape)
        one.subjects.add(untold[shape])
        one.hear(snapshot.bounds((shape,))[shape] or (FOREVER, -FOREVER))
    return found


def _hours(snapshot: Snapshot, wanted: Mapping[str, _Producer]) -> dict[str, list[Hour]]:
    where = (snapshot.reader.connection, snapshot.scope, snapshot.moment)
    by_entity = {one.entity: name for name, one in wanted.items() if one.entity is not None}
    by_shape = {shape: name for name, one in wanted.items() for shape in one.untold}
    found: dict[str, list[Hour]] = {name: [] for name in wanted}
    for hour in producers.hours_of_producers(*where, by_entity) if by_entity else ():
        found[by_entity[hour.of]].append(hour)
    for hour in producers.hours_of_shapes(*where, by_shape):
        found[by_shape[hour.of]].append(hour)
    return {name: _joined(hours) if wanted[name].untold else hours for name, hours in found.items()}


def _joined(hours: Iterable[Hour]) -> list[Hour]:
    """What several shapes say of one hour, as one."""
    found: dict[int, Hour] = {}
    for one in hours:
        known = found.get(one.hour, one._replace(events=0))
        found[one.hour] = Hour(
            one.of,
            one.hour,
            known.events + one.events,
            min(known.first_at, one.first_at),
            max(known.last_at, one.last_at),
            max(known.last_known_at, one.last_known_at),
        )
    return [found[hour] for hour in sorted(found)]


def _told_by(snapshot: Snapshot, shapes: Iterable[int]) -> dict[int, str]:
    """Events that an older hub wrote: the newest of those that say the same names the producer of them all."""
    bounds = snapshot.bounds(shapes)
    rows = [
        max(snapshot.reader.of_shape_at(shape, seen[1]), key=lambda row: row.event_id)
        for shape in shapes
        if (seen := bounds[shape]) is not None
    ]
    texts = snapshot.reader.texts(rows)
    return {row.shape: producer_of(texts[row.seq]) for row in rows}


def _answer(
    name: str, one: _Producer, hours: list[Hour], spaces: Iterable[str], successor: str | None, at: int
) -> Answer:
    integration = integration_of(name)
    # A producer's clock may be ahead: what it says of the future doesn't tell that it speaks now.
    spoken = [time for hour in hours for time in (hour.first_at, hour.last_at) if time <= at]
    silent_s = (at - max(spoken)) / SECOND if spoken else 0.0
    usual_s = usual_gap_s([(hour.first_at, hour.last_at) for hour in hours])
    return {
        "producer": name,
        "integration": integration.name,
        "version": integration.version,
        "namespaces": sorted(spaces),
        "events": sum(hour.events for hour in hours),
        "firstEventAt": instant_text(one.first_at),
        "lastEventAt": instant_text(one.last_at),
        "lastKnownAt": instant_text(max(hour.last_known_at for hour in hours)),
        "usualGapS": usual_s,
        "silentForS": silent_s,
        "longerThanUsual": None if usual_s is None else silent_s > usual_s,
        "succeededBy": successor,
    }
