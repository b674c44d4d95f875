"""An edge's id enters; the runs and events that say so, the first and the last of them, leave."""

from __future__ import annotations

import base64
from typing import Any

import msgspec

from lineage_hub.errors import InvalidRequest, NotFound
from lineage_hub.lineage.rows import EventRow
from lineage_hub.lineage.shapes import DATASET_EVENT, TYPE_NAMES
from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.model.node import DATASET, JOB, split_kind
from lineage_hub.query.lineage import find_node
from lineage_hub.query.snapshot import WRITTEN, Snapshot
from lineage_hub.wire import instant_text

Answer = dict[str, Any]


def edge_id(origin: str, destination: str) -> str:
    """Safe in a path, and readable back: both node ids."""
    return base64.urlsafe_b64encode(msgspec.json.encode([origin, destination])).decode().rstrip("=")


def nodes_of_edge(text: str) -> tuple[str, str]:
    try:
        padded = text + "=" * (-len(text) % 4)
        origin, destination = msgspec.json.decode(base64.urlsafe_b64decode(padded), type=tuple[str, str])
    except (ValueError, msgspec.MsgspecError):
        raise InvalidRequest(
            "that is not the id of an edge",
            subject=text[:80],
            action='take the id of an edge from lineage, or encode ["origin","destination"] as base64url',
        ) from None
    return origin, destination


def evidence(snapshot: Snapshot, edge: str, limit: int, offset: int) -> Answer:
    origin, destination = nodes_of_edge(edge)
    kinds = split_kind(origin)[0], split_kind(destination)[0]
    if sorted(kinds) != [DATASET, JOB]:
        raise InvalidRequest(
            "an edge joins a dataset and a job", subject=edge[:80], action="use node ids of a dataset and a job"
        )
    written = kinds[0] == JOB
    job = find_node(snapshot, origin if written else destination).entity
    dataset = find_node(snapshot, destination if written else origin).entity
    rows = _events(snapshot, job, dataset, written)
    if not rows:
        raise NotFound("no event says so", subject=f"{origin} → {destination}", action="check the moment and the edge")
    ordered = sorted(rows.items(), key=lambda item: item[0].ord, reverse=True)
    runs = {row.run_key for row in rows if row.run is not None}
    return {
        "id": edge,
        "origin": origin,
        "destination": destination,
        "firstSeen": instant_text(ordered[-1][0].event_at),
        "lastSeen": instant_text(ordered[0][0].event_at),
        "runCount": len(runs),
        "totalCount": len(ordered),
        "events": [_event(row, how) for row, how in ordered[offset : offset + limit]],
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


def _event(row: EventRow, how: str) -> Answer:
    return {
        "id": row.reference,
        "eventTime": instant_text(row.event_at),
        "knownAt": instant_text(row.known_at),
        "eventType": TYPE_NAMES[row.type],
        "runId": run_text(row.run) if row.run is not None else None,
        "from": how,
    }
