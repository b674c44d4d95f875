"""What users have hidden enters; the jobs and datasets that are still hidden leave.

An event that the hub learns of later and that mentions a name brings it back, whatever time the event tells of.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from lineage_hub.store import tables

if TYPE_CHECKING:
    from lineage_hub.query.snapshot import Snapshot


def hidden_entities(snapshot: Snapshot) -> frozenset[int]:
    """Datasets by their representatives."""
    since = _hidden_since(snapshot)
    hidden: set[int] = set()
    for stated_at in set(since.values()):
        group = [entity for entity, at in since.items() if at == stated_at]
        hidden.update(set(group) - _back(snapshot, group, stated_at))
    return frozenset(hidden)


def _hidden_since(snapshot: Snapshot) -> dict[int, int]:
    """When each was hidden last, by itself or with its namespace."""
    said, reader = snapshot.said, snapshot.reader
    found: dict[int, int] = {}

    def note(kind: int, entities: Collection[int], stated_at: int) -> None:
        joined = snapshot.joined(entities) if kind == tables.DATASET else None
        for entity in entities:
            one = joined.of(entity) if joined else entity
            # Of joined names the one that stands for them decides.
            if one == entity:
                found[one] = max(found.get(one, stated_at), stated_at)

    for kind, names in ((tables.JOB, said.hidden_jobs), (tables.DATASET, said.hidden_datasets)):
        for (namespace, name), stated_at in names.items():
            entity = reader.find(kind, namespace, name)
            if entity is not None:
                note(kind, (entity,), stated_at)
    for namespace, stated_at in said.hidden_namespaces.items():
        for kind in (tables.JOB, tables.DATASET):
            note(kind, reader.entities(kind, namespace), stated_at)
    return found


def _back(snapshot: Snapshot, entities: Collection[int], stated_at: int) -> set[int]:
    """Those that a visible event has mentioned since."""
    what = f"back since {stated_at}"
    known: dict[int, bool] = snapshot.recall(what, entities)
    missing = [entity for entity in entities if entity not in known]
    if missing:
        names = {entity: snapshot.bearing_on(entity) for entity in missing}
        by_name = snapshot.shapes_of({name for group in names.values() for name in group})
        shapes = {entity: {number for name in group for number in by_name[name]} for entity, group in names.items()}
        every = set[int]().union(*shapes.values())
        # The last event that happened mostly is the last that the hub learned of; else all of them are looked at.
        newest = snapshot.reader.newest_known(every)
        later = {number for number in every if newest.get(number, stated_at) > stated_at}
        unsure = {entity for entity in missing if shapes[entity].isdisjoint(later)}
        later |= snapshot.reader.learned_after({number for one in unsure for number in shapes[one]}, stated_at)
        fresh = {entity: not shapes[entity].isdisjoint(later) for entity in missing}
        # What is back stays back: no event is ever taken away.
        snapshot.keep(what, fresh, lambda one: () if fresh[one] else names[one])
        known.update(fresh)
    return {entity for entity, back in known.items() if back}
