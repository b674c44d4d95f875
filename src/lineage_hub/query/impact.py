"""A dataset, a column or a job enters; all that is downstream of it leaves, by namespace and owner, with its last use.

Of a column, what its column lineage reaches and what only tables tell of are counted apart: a job that says nothing
of columns may use it or not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lineage_hub.lineage.shapes import run_id as run_text
from lineage_hub.query.column_lineage import column_id, require_field
from lineage_hub.query.columns import WHOLE, Column, Columns
from lineage_hub.query.ever import edges_mode
from lineage_hub.query.facts import Facts, dataset_facts, facet_texts, job_facts
from lineage_hub.query.graph import DOWNSTREAM, Reached, walk
from lineage_hub.query.last_use import LastUse, last_reads, last_runs
from lineage_hub.query.lineage import Found, find_node
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.wire import instant_text
from lineage_hub.wire.described import Ownership, lenient

Answer = dict[str, Any]
OWNERSHIP = ("ownership",)
BY_COLUMNS, BY_TABLES = "columns", "tables"


@dataclass(slots=True)
class ReachedColumns:
    """By dataset the columns that are made from the one asked for; None among them stands for all of its rows."""

    by_dataset: dict[int, set[str | None]] = field(default_factory=dict)
    distances: dict[int, int] = field(default_factory=dict)
    jobs: set[int] = field(default_factory=set)


class _Affected(NamedTuple):
    entity: int
    is_job: bool
    name: tuple[str, str]
    distance: int
    owners: tuple[str, ...]


def impact(snapshot: Snapshot, node: str, depth: int, limit: int) -> Answer:
    found = find_node(snapshot, node)
    reached = walk(snapshot, found.entity, found.is_job, depth, DOWNSTREAM, edges_mode("current"))
    columns = None if found.field is None else _columns_below(snapshot, found, depth, reached)
    affected = _affected(snapshot, found.entity, reached, columns.distances if columns else {})
    shown = affected[:limit]
    told = _tells_of_columns(snapshot, [one for one in affected if not one.is_job]) if columns else set()
    uses = last_reads(snapshot, [one.entity for one in shown if not one.is_job])
    uses |= last_runs(snapshot, [one.entity for one in shown if one.is_job])
    answer: Answer = {
        "node": _node_id(snapshot, found),
        "counts": _counts(affected),
        "byNamespace": _by_namespace(affected),
        "byOwner": _by_owner(affected),
        "affected": [_item(snapshot, one, uses.get(one.entity), columns, told) for one in shown],
        "truncated": len(affected) > len(shown),
        "hidden_nodes": len(affected) - len(shown),
    }
    if columns is not None:
        answer["byColumns"], answer["byTablesOnly"] = _by_way(affected, columns, told)
    return answer


def _affected(snapshot: Snapshot, start: int, reached: Reached, by_columns: dict[int, int]) -> list[_Affected]:
    """The nearest first, then by name. Columns may reach a dataset that no job is known to write."""
    distances: dict[int, int] = {}
    for step, nodes in enumerate(reached.steps):
        for one in nodes:
            distances.setdefault(one, (step + 1) // 2)
    distances = by_columns | distances
    del distances[start]
    jobs = [one for one in distances if one in reached.jobs]
    facts: dict[int, Facts] = job_facts(snapshot, jobs, OWNERSHIP)
    facts |= dataset_facts(snapshot, [one for one in distances if one not in reached.jobs], OWNERSHIP)
    snapshot.reader.blobs({holder.blob for one in facts.values() for holder in one.facets.values()})
    names = snapshot.names(distances)
    found = [
        _Affected(one, one in reached.jobs, names[one], distance, _owners(snapshot, facts.get(one)))
        for one, distance in distances.items()
    ]
    return sorted(found, key=lambda one: (one.distance, not one.is_job, one.name))


def _owners(snapshot: Snapshot, facts: Facts | None) -> tuple[str, ...]:
    text = facet_texts(snapshot, facts, OWNERSHIP).get("ownership") if facts is not None else None
    return tuple(sorted({owner.name for owner in lenient(text, Ownership).owners if owner.name}))


# Columns


def _columns_below(snapshot: Snapshot, start: Found, depth: int, reached: Reached) -> ReachedColumns:
    columns = Columns(snapshot)
    assert start.field is not None
    require_field(snapshot, start.entity, start.field, columns)
    first: Column = (start.entity, start.field)
    seen, frontier = {first}, {first}
    found = ReachedColumns()
    fed: dict[int, set[int]] = {}
    for step in range(depth):
        fresh: set[Column] = set()
        whole = {dataset for dataset, name in frontier if name is WHOLE}
        for edges in columns.out_of({dataset for dataset, _ in frontier}).values():
            for edge in edges:
                # What decides about the rows of a dataset decides about each of its columns.
                if edge.source in frontier or edge.source[0] in whole:
                    fed.setdefault(edge.source[0], set()).add(edge.target[0])
                    fresh.add(edge.target)
        frontier = fresh - seen
        seen |= frontier
        for dataset, name in frontier:
            found.by_dataset.setdefault(dataset, set()).add(name)
            found.distances.setdefault(dataset, step + 1)
        if not frontier:
            break
    for job in reached.jobs:
        edges_of_job = reached.edges[job]
        read = edges_of_job.inputs | edges_of_job.columns
        if any(not fed[source].isdisjoint(edges_of_job.outputs) for source in read if source in fed):
            found.jobs.add(job)
    return found


def _tells_of_columns(snapshot: Snapshot, affected: Collection[_Affected]) -> set[int]:
    """Datasets of which it is known where their columns come from."""
    into = Columns(snapshot).into([one.entity for one in affected])
    return {dataset for dataset, edges in into.items() if edges}


def _by_way(affected: Iterable[_Affected], columns: ReachedColumns, told: set[int]) -> tuple[Answer, Answer]:
    by_columns: list[_Affected] = []
    by_tables: list[_Affected] = []
    for one in affected:
        (by_columns if _way(one, columns) == BY_COLUMNS else by_tables).append(one)
    silent = sum(1 for one in by_tables if not one.is_job and one.entity not in told)
    names = sum(len(found - {WHOLE}) for found in columns.by_dataset.values())
    return (
        {**_how_many(by_columns), "columns": names},
        {**_how_many(by_tables), "datasetsWithoutColumnLineage": silent},
    )


def _way(one: _Affected, columns: ReachedColumns) -> str:
    return BY_COLUMNS if one.entity in (columns.jobs if one.is_job else columns.by_dataset) else BY_TABLES


# The answer


def _node_id(snapshot: Snapshot, found: Found) -> str:
    namespace, name = snapshot.name(found.entity)
    return f"job:{namespace}:{name}" if found.is_job else column_id((namespace, name), found.field)


def _how_many(affected: Collection[_Affected]) -> Answer:
    jobs = sum(1 for one in affected if one.is_job)
    return {"datasets": len(affected) - jobs, "jobs": jobs}


def _counts(affected: Collection[_Affected]) -> Answer:
    return {
        **_how_many(affected),
        "namespaces": len({one.name[0] for one in affected}),
        "owners": len({owner for one in affected for owner in one.owners}),
        "withoutOwner": sum(1 for one in affected if not one.owners),
    }


def _by_namespace(affected: Iterable[_Affected]) -> list[Answer]:
    groups: dict[str, list[_Affected]] = {}
    for one in affected:
        groups.setdefault(one.name[0], []).append(one)
    return [{"namespace": name, **_how_many(group)} for name, group in sorted(groups.items())]


def _by_owner(affected: Iterable[_Affected]) -> list[Answer]:
    """What has several owners counts for each; what has none stands last."""
    groups: dict[str, list[_Affected]] = {}
    unowned: list[_Affected] = []
    for one in affected:
        for owner in one.owners:
            groups.setdefault(owner, []).append(one)
        if not one.owners:
            unowned.append(one)
    found: list[Answer] = [{"owner": owner, **_how_many(group)} for owner, group in sorted(groups.items())]
    return [*found, {"owner": None, **_how_many(unowned)}] if unowned else found


def _item(
    snapshot: Snapshot, one: _Affected, use: LastUse | None, columns: ReachedColumns | None, told: set[int]
) -> Answer:
    namespace, name = one.name
    kind = "job" if one.is_job else "dataset"
    item: Answer = {
        "type": kind.upper(),
        "namespace": namespace,
        "name": name,
        "nodeId": f"{kind}:{namespace}:{name}",
        "distance": one.distance,
        "owners": list(one.owners),
        "lastUse": None if use is None else _use(snapshot, use),
    }
    if columns is not None:
        item["via"] = _way(one, columns)
        if not one.is_job:
            names = columns.by_dataset.get(one.entity, set())
            item["columns"] = sorted([name for name in names if name is not None])
            item["wholeDataset"] = WHOLE in names
            item["columnLineage"] = one.entity in told
    return item


def _use(snapshot: Snapshot, use: LastUse) -> Answer:
    run, at = use
    namespace, name = snapshot.name(run.key[1])
    return {
        "at": instant_text(at),
        "job": {"namespace": namespace, "name": name},
        "runId": run_text(run.key[2]),
        "state": run.state,
    }
