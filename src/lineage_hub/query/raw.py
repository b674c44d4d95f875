"""Events enter, parts of their raw text leave: run facets, facets of one run's datasets, facets that change with every run.

These aren't interned: they differ from event to event and are asked for one run at a time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw, Struct

from lineage_hub.lineage.rows import EventRow
from lineage_hub.lineage.shapes import IN, OUT, STATIC_IN, STATIC_OUT

if TYPE_CHECKING:
    from lineage_hub.query.facts import Holder
    from lineage_hub.query.snapshot import Snapshot

Facets = dict[str, Raw]


class RawDataset(Struct):
    namespace: str
    name: str
    facets: Facets | None = None
    inputFacets: Facets | None = None
    outputFacets: Facets | None = None


class RawRun(Struct):
    facets: Facets | None = None


class RawEvent(Struct):
    run: RawRun | None = None
    inputs: list[RawDataset] | None = None
    outputs: list[RawDataset] | None = None
    dataset: RawDataset | None = None

    def side(self, side: int) -> dict[tuple[str, str], RawDataset]:
        """The last of those listed twice, as everywhere."""
        if side in (IN, STATIC_IN):
            listed = self.inputs
        elif side in (OUT, STATIC_OUT):
            listed = self.outputs
        else:
            listed = [self.dataset] if self.dataset else None
        return {(dataset.namespace, dataset.name): dataset for dataset in listed or ()}


decode = msgspec.json.Decoder(RawEvent).decode


def raw_events(snapshot: Snapshot, rows: Iterable[EventRow]) -> list[tuple[EventRow, RawEvent]]:
    rows = list(rows)
    texts = snapshot.reader.texts(rows)
    return [(row, decode(texts[row.seq])) for row in rows]


def volatile_facet(snapshot: Snapshot, holder: Holder, facet: str) -> bytes:
    """The value of a facet that its shape only marks: that of the newest event of the shape at that time."""
    rows = [row for row in snapshot.reader.of_shape_at(holder.shape, holder.event_at)]
    row = max(rows, key=lambda one: one.event_id)
    if holder.event_id:
        row = next(one for one in rows if one.event_id == holder.event_id)
    event = raw_events(snapshot, [row])[0][1]
    name = snapshot.name(holder.dataset)
    found = b"{}"
    for side in (IN, STATIC_IN, 5, OUT, STATIC_OUT):
        dataset = event.side(side).get(name)
        if dataset is not None and dataset.facets and facet in dataset.facets:
            found = bytes(dataset.facets[facet])
    return found
