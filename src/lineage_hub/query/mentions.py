"""Entities enter; when each was first mentioned leaves."""

from __future__ import annotations

from collections.abc import Collection

from lineage_hub.query.snapshot import Snapshot


def first_mentions(snapshot: Snapshot, entities: Collection[int]) -> dict[int, int]:
    """Under their very names; those that no visible event mentions are left out."""
    known: dict[int, int | None] = snapshot.recall("first mention", entities)
    missing = [entity for entity in entities if entity not in known]
    if missing:
        by_entity = snapshot.shapes_of(missing)
        bounds = snapshot.bounds({number for entity in missing for number in by_entity[entity]})
        fresh: dict[int, int | None] = {}
        for entity in missing:
            times = [seen[0] for number in by_entity[entity] if (seen := bounds[number]) is not None]
            fresh[entity] = min(times, default=None)
        snapshot.keep("first mention", fresh)
        known.update(fresh)
    return {entity: first for entity, first in known.items() if first is not None}
