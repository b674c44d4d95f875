"""An edge's id enters; the runs and events that say so, the first and the last of them, leave."""

from __future__ import annotations

from typing import Any

from lineage_hub.errors import InvalidRequest, NotFound
from lineage_hub.lineage.rows import EventRow
from lineage_hub.lineage.shapes import DATASET_EVENT, TYPE_NAMES, WRITTEN
from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.query.horizon import begins_at
from lineage_hub.query.identity import hashes_of_edge
from lineage_hub.query.lineage import is_visible
from lineage_hub.query.rewritten import rewritten_names
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.store import tables
from lineage_hub.wire import instant_text
from lineage_hub.wire.facets import Key

Answer = dict[str, Any]


def nodes_of_edge(snapshot: Snapshot, text: str) -> tuple[int, int, bool]:
    """Job, dataset and whether the job writes it."""
    hashes = hashes_of_edge(text)
    if hashes is None:
        raise InvalidRequest(
            "that is not the id of an edge", subject=text[:80], action="take the id of an edge from /api/v1/lineage"
        )
    found = snapshot.reader.by_hash(hashes)
    ends = [found.get(end) for end in hashes]
    kinds = [end[1] if end and is_visible(snapshot, end[0]) else 0 for end in ends]
    if sorted(kinds) != [tables.JOB, tables.DATASET]:
        raise _unheard_of(text)
    origin, destination = (snapshot.joined((end[0],)).of(end[0]) for end in ends if end)
    written = kinds[0] == tables.JOB
    return (origin, destination, True) if written else (destination, origin, False)


def _unheard_of(edge: str) -> NotFound:
    return NotFound("no event says so", subject=edge[:80], action="check the edge and the moment that was asked for")


def evidence(snapshot: Snapshot, edge: str, limit: int, offset: int) -> Answer:
    job, dataset, written = nodes_of_edge(snapshot, edge)
    rows = _events(snapshot, job, dataset, written)
    if not rows:
        raise _unheard_of(edge)
    ordered = sorted(rows.items(), key=lambda item: item[0].ord, reverse=True)
    runs = {row.run_key for row in rows if row.run is not None}
    ends = (f"job:{':'.join(snapshot.name(job))}", f"dataset:{':'.join(snapshot.name(dataset))}")
    origin, destination = ends if written else ends[::-1]
    page = ordered[offset : offset + limit]
    renamed = _renamed(snapshot, [row for row, _ in page], (snapshot.name(job), snapshot.name(dataset)))
    return {
        "id": edge,
        "origin": origin,
        "destination": destination,
        "firstSeen": instant_text(ordered[-1][0].event_at),
        "lastSeen": instant_text(ordered[0][0].event_at),
        "runCount": len(runs),
        "totalCount": len(ordered),
        "events": [{**_event(row, how), **renamed.get(row.seq, {})} for row, how in page],
        **begins_at(snapshot),
    }


def _events(snapshot: Snapshot, job: int, dataset: int, written: bool) -> dict[EventRow, str]:
    """Under every name that ever led to the dataset; by mention, or as a column source only."""
    names = snapshot.names_under(dataset)
    by_name = snapshot.shapes_of(names)
    shapes = snapshot.reader.shapes({number for name in names for number in by_name[name]})
    how: dict[int, str] = {}
    for number, shape in shapes.items():
        if shape.subject != job or shape.kind == DATASET_EVENT:
            continue
        if any(m.dataset in names and (m.side in WRITTEN) == written for m in shape.mentions):
            how[number] = "mention"
        elif not written and any(not names.isdisjoint(m.sources) for m in shape.mentions):
            how[number] = "columns"
    return {row: how[row.shape] for row in snapshot.reader.of_shapes(how)}


def _renamed(snapshot: Snapshot, rows: list[EventRow], ends: tuple[Key, Key]) -> dict[int, Answer]:
    """How events name the ends of the edge themselves, where rules made them what they are."""
    found = {}
    for seq, names in rewritten_names(snapshot, rows).items():
        told = [one for one in names if (one["to"]["namespace"], one["to"]["name"]) in ends]
        if told:
            found[seq] = {"rewritten": told}
    return found


def _event(row: EventRow, how: str) -> Answer:
    return {
        "id": row.reference,
        "eventTime": instant_text(row.event_at),
        "knownAt": instant_text(row.known_at),
        "eventType": TYPE_NAMES[row.type],
        "runId": run_text(row.run) if row.run is not None else None,
        "from": how,
    }
