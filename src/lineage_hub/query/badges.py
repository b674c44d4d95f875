"""Ids of nodes enter, many at a time; what a badge shows of each leaves: its last run, whether it is late, its checks.

Everything is read for all of them together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice
from typing import Any

from lineage_hub.errors import InvalidRequest
from lineage_hub.model import node
from lineage_hub.query.datasets import not_dropped
from lineage_hub.query.job_names import job_of_alias
from lineage_hub.query.jobs import last_states
from lineage_hub.query.overview import failing, late
from lineage_hub.query.overview.failing import NOT_CHECKED
from lineage_hub.query.overview.overview import moment_of
from lineage_hub.query.overview.patience import ENDLESS, Patience
from lineage_hub.query.overview.standings import Standings
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.store import tables
from lineage_hub.store.naming import entity_hash
from lineage_hub.wire import instant_text

Answer = dict[str, Any]
MOST_NODES = 500
MOST_READINGS = 20
_KINDS = {node.JOB: tables.JOB, node.DATASET: tables.DATASET}


def badges(snapshot: Snapshot, nodes: Iterable[str], now: int, patience: Patience = ENDLESS) -> Answer:
    """In the order of the question; ids of which nothing is known are listed as such."""
    asked = list(dict.fromkeys(nodes))
    found = _entities(snapshot, asked)
    at = moment_of(snapshot, now)
    jobs = {entity for kind, entity in found.values() if kind == tables.JOB}
    datasets = sorted({entity for kind, entity in found.values() if kind == tables.DATASET})
    states = last_states(snapshot, jobs)
    lateness = late.lateness(snapshot, Standings(snapshot), not_dropped(snapshot, datasets), at, patience.share(0.8))
    quality = failing.checked(snapshot, datasets, patience)
    made: list[Answer] = []
    for text in asked:
        if text not in found:
            continue
        kind, entity = found[text]
        if kind == tables.JOB:
            made.append({"id": text, "type": "JOB", "lastRunState": states[entity]})
            continue
        told = lateness.by_dataset.get(entity)
        checks = quality.by_dataset.get(entity, NOT_CHECKED)
        made.append(
            {
                "id": text,
                "type": "DATASET",
                "freshness": told.state if told is not None else "unknown",
                "learned": told is not None and told.learned,
                "passing": checks.passing,
                "failing": len(checks.failing),
            }
        )
    return {
        "at": instant_text(at),
        "badges": made,
        "unknown": [text for text in asked if text not in found],
        "truncated": lateness.left > 0 or quality.truncated,
    }


def _entities(snapshot: Snapshot, asked: Iterable[str]) -> dict[str, tuple[int, int]]:
    """The kind and the number that each id stands for; of its readings the first that exists, as in a graph."""
    keys: dict[str, list[bytes]] = {}
    for text in asked:
        word, rest = node.split_kind(text)
        if word not in _KINDS:
            raise InvalidRequest(
                f"nodeId {text[:200]!r} is neither a job nor a dataset",
                subject=text[:200],
                action="write dataset:{namespace}:{name} or job:{namespace}:{name}",
            )
        read = islice(node.readings(word, rest), MOST_READINGS)
        keys[text] = [entity_hash(_KINDS[word], one.namespace, one.name) for one in read]
    numbers = snapshot.reader.by_hash({key for several in keys.values() for key in several})
    named = {entity for entity, _ in numbers.values()}
    visible = set(snapshot.spoken_of(sorted(named))) if snapshot.sees_all else _seen(snapshot, named)
    joined = snapshot.joined(named)
    found: dict[str, tuple[int, int]] = {}
    for text, several in keys.items():
        for key in several:
            entity, kind = numbers.get(key, (0, 0))
            shown = joined.of(entity) if kind == tables.DATASET else entity
            if entity in visible and shown not in snapshot.hidden:
                found[text] = kind, shown
                break
        else:
            job = _alias(snapshot, text)
            if job is not None:
                found[text] = tables.JOB, job
    return found


def _alias(snapshot: Snapshot, text: str) -> int | None:
    """The job that is only called so, with its parent's name before its own."""
    word, rest = node.split_kind(text)
    read = islice(node.readings(word, rest), MOST_READINGS) if word == node.JOB else ()
    called = (job_of_alias(snapshot, one.namespace, one.name) for one in read)
    return next((job for job in called if job is not None), None)


def _seen(snapshot: Snapshot, entities: Collection[int]) -> set[int]:
    by_entity = snapshot.shapes_of(entities)
    bounds = snapshot.bounds({number for one in entities for number in by_entity[one]})
    return {one for one in entities if any(bounds[number] is not None for number in by_entity[one])}
