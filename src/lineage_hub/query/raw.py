"""Events enter, parts of their raw text leave: facets of one run and its datasets, facets that change with every run.

These aren't interned: they differ from event to event and are asked for one run at a time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Raw

from lineage_hub.lineage.rows import EventRow
from lineage_hub.lineage.rules.rewriting import rename
from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import IN, OUT, STATIC_IN, STATIC_OUT
from lineage_hub.wire.raw import Facets, OwnEvent, RawDataset, RawEvent, decode, decode_own

if TYPE_CHECKING:
    from lineage_hub.query.facts import Holder
    from lineage_hub.query.snapshot import Snapshot
    from lineage_hub.store.reader import Reader

# An event of a run, with at least what belongs to the run.
Worded = tuple[EventRow, RawEvent | OwnEvent]


def of_side(event: RawEvent, side: int) -> dict[tuple[str, str], RawDataset]:
    """The last of those listed twice, as everywhere."""
    if side in (IN, STATIC_IN):
        listed = event.inputs
    elif side in (OUT, STATIC_OUT):
        listed = event.outputs
    else:
        listed = [event.dataset] if event.dataset else None
    return {(dataset.namespace, dataset.name): dataset for dataset in listed or ()}


def raw_events(snapshot: Snapshot, rows: Iterable[EventRow]) -> list[tuple[EventRow, RawEvent]]:
    """Under the names that the events were folded by."""
    rows = list(rows)
    told = snapshot.reader.told(rows)
    return [(row, folded(snapshot.reader, row, *told[row.seq])) for row in rows]


def folded(reader: Reader, row: EventRow, text: bytes, rules: int | None) -> RawEvent:
    """An event under the names that it was folded by, which rules may have made."""
    event = decode(text)
    if rules is not None:
        rename(event, reader.rewriting(rules, row.tenant).names)
    return event


class RunEvents:
    """The same of runs, as far as it belongs to them: read together, and made one run at a time."""

    def __init__(self, snapshot: Snapshot, rows: Iterable[EventRow]) -> None:
        self._snapshot = snapshot
        self._frames = snapshot.reader.frames(rows)

    def of(self, run: RunFacts) -> list[Worded]:
        return [(row, self._event(row)) for row in run.events]

    def _event(self, row: EventRow) -> RawEvent | OwnEvent:
        frame, rules = self._frames[row.seq]
        text = self._snapshot.reader.text(frame)
        if rules is None:
            return decode_own(text)
        event = decode(text)
        rename(event, self._snapshot.reader.rewriting(rules, row.tenant).names)
        return event


def shown_facets(
    snapshot: Snapshot, tenant: int, place: str, facets: dict[str, Raw], holders: Iterable[tuple[EventRow, Facets]] = ()
) -> dict[str, Raw]:
    """As the rules that count let them be seen; of `holders` the last that has a facet tells where all of it is."""
    rules = snapshot.reader.rewriting(snapshot.rules, tenant).facets if snapshot.rules else None
    if not rules or not any(rules.candidates(place, name) for name in facets):
        return facets
    where = {name: row.reference for row, held in holders for name in held}
    shown = {}
    for name, facet in facets.items():
        treated = rules.treat(place, name, bytes(facet), where.get(name))
        if treated.body is not None:
            shown[name] = facet if treated.rule is None else Raw(treated.body)
    return shown


def volatile_facet(snapshot: Snapshot, holder: Holder, facet: str) -> bytes:
    """The value of a facet that its shape only marks: that of the newest event of the shape at that time."""
    rows = snapshot.reader.of_shape_at(holder.shape, holder.event_at)
    row = max(rows, key=lambda one: one.event_id)
    if holder.event_id:
        row = next(one for one in rows if one.event_id == holder.event_id)
    event = raw_events(snapshot, [row])[0][1]
    dataset = of_side(event, holder.side).get(snapshot.name(holder.dataset))
    if dataset is None or not dataset.facets or facet not in dataset.facets:
        return b"{}"
    shown = shown_facets(snapshot, row.tenant, "dataset", {facet: dataset.facets[facet]}, [(row, dataset.facets)])
    return bytes(shown[facet]) if facet in shown else b'{"_deleted":true}'
