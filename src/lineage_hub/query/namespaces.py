"""A namespace or a page of them enters; when each was first heard of leaves.

A namespace exists as soon as an event names a job or dataset in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lineage_hub.errors import NotFound
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.store import tables
from lineage_hub.wire import instant_text

Answer = dict[str, Any]


def namespaces(snapshot: Snapshot, limit: int, offset: int) -> Answer:
    found = _first_mentions(
        snapshot, [*snapshot.reader.entities(tables.JOB), *snapshot.reader.entities(tables.DATASET)]
    )
    page = sorted(found)[offset : offset + limit]
    return {"namespaces": [_answer(name, found[name]) for name in page], "totalCount": len(found)}


def namespace(snapshot: Snapshot, name: str) -> Answer:
    entities = [*snapshot.reader.entities(tables.JOB, name), *snapshot.reader.entities(tables.DATASET, name)]
    found = _first_mentions(snapshot, entities)
    if name not in found:
        raise NotFound(f"Namespace '{name}' not found.", subject=name, action="check the spelling and the moment")
    return _answer(name, found[name])


def _first_mentions(snapshot: Snapshot, entities: Iterable[int]) -> dict[str, int]:
    entities = list(entities)
    names = snapshot.names(entities)
    by_entity = snapshot.shapes_of(entities)
    bounds = snapshot.bounds({number for entity in entities for number in by_entity[entity]})
    found: dict[str, int] = {}
    for entity in entities:
        space = names[entity][0]
        for number in by_entity[entity]:
            seen = bounds[number]
            if seen is not None and seen[0] < found.get(space, 2**63):
                found[space] = seen[0]
    return found


def _answer(name: str, first: int) -> Answer:
    return {
        "name": name,
        "createdAt": instant_text(first),
        "updatedAt": instant_text(first),
        "ownerName": "anonymous",
        "description": None,
        "isHidden": False,
    }
