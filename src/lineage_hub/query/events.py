"""A window of time or an event's id enters; events leave as they were sent, key order and unknown fields included.

Facets are judged when an event is looked at, never while it is taken in.
"""

from __future__ import annotations

from typing import Any

from msgspec import Raw

from lineage_hub.errors import InvalidRequest, NotFound
from lineage_hub.lineage.rows import EventRow
from lineage_hub.model import FOREVER
from lineage_hub.query.horizon import begins_at, late_warning
from lineage_hub.query.rewritten import rewritten
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.time_slices import seek
from lineage_hub.query.warnings import warnings
from lineage_hub.wire import instant_text

Answer = dict[str, Any]


def events(snapshot: Snapshot, after: int, before: int, descending: bool, limit: int, offset: int) -> Answer:
    total, rows = _page(snapshot, after, before, descending, limit, offset)
    texts = snapshot.reader.texts(rows)
    return {
        "totalCount": total,
        "events": [Raw(texts[row.seq]) for row in rows],
        "ids": [row.reference for row in rows],
        **begins_at(snapshot),
    }


def _page(
    snapshot: Snapshot, after: int, before: int, descending: bool, limit: int, offset: int
) -> tuple[int, list[EventRow]]:
    reader, moment = snapshot.reader, snapshot.moment
    pieces = None
    if snapshot.scope.tenants is None and moment.known_at == FOREVER:
        end = min(before, moment.as_of + 1) if moment.as_of != FOREVER else before
        pieces = snapshot.slices.pieces(reader, after + 1, end)
    if pieces is None:
        return reader.count_events(after, before), reader.page_events(after, before, descending, limit, offset)
    total = sum(piece.events for piece in pieces)
    if offset >= total or not limit:
        return total, []
    begin, end, skip = seek(pieces, offset, descending=descending)
    return total, reader.page_events(begin - 1, end, descending, limit, skip)


def event(snapshot: Snapshot, event_reference: str) -> Answer:
    row = find_event(snapshot, event_reference)
    text = snapshot.reader.texts([row])[row.seq]
    tenants = snapshot.reader.tenant_names()
    return {
        **rewritten(snapshot, row, text),
        "id": row.reference,
        "tenant": tenants[row.tenant],
        "eventTime": instant_text(row.event_at),
        "knownAt": instant_text(row.known_at),
        "warnings": [*late_warning(snapshot, row), *warnings(text, row.event_at, row.known_at)],
        "event": Raw(text),
    }


def find_event(snapshot: Snapshot, event_reference: str) -> EventRow:
    try:
        number = bytes.fromhex(event_reference)
    except ValueError:
        number = b""
    if len(number) != 24:
        raise InvalidRequest(
            "that is not the id of an event", subject=event_reference[:80], action="take an id from the list of events"
        )
    row = snapshot.reader.event(int.from_bytes(number[:8], "big") - 2**63, number[8:])
    if row is None:
        raise NotFound("no such event", subject=event_reference, action="check the id and the moment")
    return row
