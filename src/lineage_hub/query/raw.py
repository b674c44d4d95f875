"""Events enter, parts of their raw text leave: facets of one run and its datasets, facets that change with every run.

These aren't interned: they differ from event to event and are asked for one run at a time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lineage_hub.lineage.rows import EventRow
from lineage_hub.lineage.shapes import IN, OUT, STATIC_IN, STATIC_OUT
from lineage_hub.wire.raw import RawDataset, RawEvent, decode

if TYPE_CHECKING:
    from lineage_hub.query.facts import Holder
    from lineage_hub.query.snapshot import Snapshot


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
    rows = list(rows)
    texts = snapshot.reader.texts(rows)
    return [(row, decode(texts[row.seq])) for row in rows]


def volatile_facet(snapshot: Snapshot, holder: Holder, facet: str) -> bytes:
    """The value of a facet that its shape only marks: that of the newest event of the shape at that time."""
    rows = snapshot.reader.of_shape_at(holder.shape, holder.event_at)
    row = max(rows, key=lambda one: one.event_id)
    if holder.event_id:
        row = next(one for one in rows if one.event_id == holder.event_id)
    event = raw_events(snapshot, [row])[0][1]
    dataset = of_side(event, holder.side).get(snapshot.name(holder.dataset))
    return bytes(dataset.facets[facet]) if dataset is not None and dataset.facets else b"{}"
