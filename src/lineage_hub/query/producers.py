"""A moment enters; who tells the hub of events leaves: since when, how many, at which pace, and how long silent.

Silence is counted in the time of events, so a producer that sends old ones late has not spoken of the present.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from lineage_hub.lineage.producers import SECOND, Heard, integration_of, successors, usual_gap_s
from lineage_hub.model import FOREVER
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.store import producers
from lineage_hub.store.producers import Hour
from lineage_hub.wire import instant_text
from lineage_hub.wire.told import producer_of

Answer = dict[str, Any]


@dataclass(slots=True)
class _Producer:
    hours: list[Hour] = field(default_factory=list)
    subjects: set[int] = field(default_factory=set)

    @property
    def last_at(self) -> int:
        return max(hour.last_at for hour in self.hours)


def all_producers(snapshot: Snapshot, now: int, silent_s: int | None, limit: int, offset: int) -> Answer:
    """Those that were heard last come first; with `silent_s` only those that have said nothing for so long."""
    found = _heard(snapshot)
    at = min(now, snapshot.moment.known_at) if snapshot.moment.as_of == FOREVER else snapshot.moment.as_of
    names = snapshot.names({subject for one in found.values() for subject in one.subjects})
    spaces = {name: {names[subject][0] for subject in one.subjects} for name, one in found.items()}
    replaced = successors({name: Heard(one.last_at, spaces[name]) for name, one in found.items()})
    answers = [
        _answer(name, found[name], spaces[name], replaced.get(name), at)
        for name in sorted(found, key=lambda name: (-found[name].last_at, name))
    ]
    if silent_s is not None:
        answers = [one for one in answers if one["silentForS"] >= silent_s and one["succeededBy"] is None]
    return {"producers": answers[offset : offset + limit], "totalCount": len(answers), "at": instant_text(at)}


def _heard(snapshot: Snapshot) -> dict[str, _Producer]:
    connection, scope, moment = snapshot.reader.connection, snapshot.scope, snapshot.moment
    names = producers.names(connection)
    found: dict[str, _Producer] = {}
    for hour in producers.hours_of_producers(connection, scope, moment):
        found.setdefault(names[hour.of], _Producer()).hours.append(hour)
    for producer, subjects in producers.subjects(connection, scope, moment).items():
        found[names[producer]].subjects |= subjects
    untold = producers.untold_shapes(connection)
    if untold:
        told_by = _told_by(snapshot, untold)
        for hour in producers.hours_of_shapes(connection, scope, moment, told_by):
            one = found.setdefault(told_by[hour.of], _Producer())
            one.hours.append(hour)
            one.subjects.add(untold[hour.of])
    return found


def _told_by(snapshot: Snapshot, shapes: Iterable[int]) -> dict[int, str]:
    """Events that an older hub wrote: the newest of those that say the same names the producer of them all."""
    rows = [
        max(snapshot.reader.of_shape_at(shape, seen[1]), key=lambda row: row.event_id)
        for shape, seen in snapshot.bounds(shapes).items()
        if seen is not None
    ]
    texts = snapshot.reader.texts(rows)
    return {row.shape: producer_of(texts[row.seq]) for row in rows}


def _answer(name: str, one: _Producer, spaces: Iterable[str], successor: str | None, at: int) -> Answer:
    integration = integration_of(name)
    # A producer's clock may be ahead: what it says of the future doesn't tell that it speaks now.
    spoken = [time for hour in one.hours for time in (hour.first_at, hour.last_at) if time <= at]
    silent_s = (at - max(spoken)) / SECOND if spoken else 0.0
    usual_s = usual_gap_s([(hour.first_at, hour.last_at) for hour in one.hours])
    return {
        "producer": name,
        "integration": integration.name,
        "version": integration.version,
        "namespaces": sorted(spaces),
        "events": sum(hour.events for hour in one.hours),
        "firstEventAt": instant_text(min(hour.first_at for hour in one.hours)),
        "lastEventAt": instant_text(one.last_at),
        "lastKnownAt": instant_text(max(hour.last_known_at for hour in one.hours)),
        "usualGapS": usual_s,
        "silentForS": silent_s,
        "longerThanUsual": None if usual_s is None else silent_s > usual_s,
        "succeededBy": successor,
    }
