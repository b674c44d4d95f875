"""A dataset and a stretch of time enter; the events that speak of it leave, newest first, each with what it says.

Cuts and joined names count as docs/fold.md says: what lies on the dataset at the moment of the question is its history.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import NamedTuple

from lineage_hub.lineage.rows import EventRow
from lineage_hub.lineage.runs import static_facts
from lineage_hub.lineage.shapes import DATASET_EVENT, RUN_EVENT, Mention
from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.query.facts import mentions_of
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.store import histories
from lineage_hub.wire import instant_text

BEGINNING, END = -(2**63), 2**63 - 1


class Said(NamedTuple):
    row: EventRow
    mention: Mention


class Spoken(NamedTuple):
    """`truncated` says that older events of the stretch were not looked at."""

    said: list[Said]
    looked_at: int
    truncated: bool


def spoken_of(
    snapshot: Snapshot,
    dataset: int,
    since: int = BEGINNING,
    until: int = END,
    limit: int | None = None,
    matters: Callable[[Mention], bool] = lambda mention: True,
    among: Set[int] | None = None,
) -> Spoken:
    """Of all events, or of those that have one of the shapes `among`."""
    names = snapshot.names_under(dataset)
    by_name = snapshot.shapes_of(names)
    shapes = snapshot.reader.shapes({number for name in names for number in by_name[name]})
    wanted = {
        number
        for number, shape in shapes.items()
        if (among is None or number in among) and any(map(matters, mentions_of(shape, names)))
    }
    reader = snapshot.reader
    most = None if limit is None else limit + 1
    rows = histories.events_of_shapes(reader.connection, snapshot.scope, snapshot.moment, wanted, since, until, most)
    truncated = limit is not None and len(rows) > limit
    rows = rows[:limit]
    is_cut = bool(snapshot.cuts) and any(name in snapshot.cuts for name in names)
    runs = snapshot.runs_of(rows) if is_cut else {}
    members = snapshot.joined((dataset,)).all_of(dataset)
    said: list[Said] = []
    for row in rows:
        shape = shapes[row.shape]
        for mention in filter(matters, mentions_of(shape, names)):
            if is_cut:
                run = runs[row.run_key] if shape.kind == RUN_EVENT else static_facts(row, shape)
                lies_on = snapshot.place_mention(row, shape, mention, run)
                here = lies_on is not None and snapshot.joined((lies_on,)).of(lies_on) == dataset
            else:
                here = mention.dataset in members
            if here:
                said.append(Said(row, mention))
    return Spoken(said, len(rows), truncated)


def told_by(snapshot: Snapshot, row: EventRow) -> dict[str, object]:
    """What a point of a history shows of the event behind it."""
    namespace, name = snapshot.name(row.subject)
    about = snapshot.reader.shapes((row.shape,))[row.shape]
    return {
        "at": instant_text(row.event_at),
        "run": run_text(row.run) if row.run is not None else None,
        "job": {"namespace": namespace, "name": name} if about.kind != DATASET_EVENT else None,
        "event": row.reference,
    }
