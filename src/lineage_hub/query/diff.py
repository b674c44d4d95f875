"""A node and two moments enter; nodes, edges, columns and schemas that were added, removed or changed leave."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lineage_hub.errors import NotFound
from lineage_hub.query.column_lineage import column_id, field_types
from lineage_hub.query.columns import Columns
from lineage_hub.query.lineage import Question, reach
from lineage_hub.query.snapshot import Snapshot

Answer = dict[str, Any]
Edge = tuple[str, str]


@dataclass(slots=True)
class Picture:
    """One moment's graph as texts, which two moments can be compared by."""

    nodes: set[str] = field(default_factory=set)
    edges: set[Edge] = field(default_factory=set)
    columns: set[Edge] = field(default_factory=set)
    schemas: dict[str, dict[str, str]] = field(default_factory=dict)


def picture(snapshot: Snapshot, question: Question) -> Picture:
    """Empty if the node wasn't there yet."""
    try:
        reached, shown, _ = reach(snapshot, question)
    except NotFound:
        return Picture()
    names = snapshot.names(shown)
    jobs = [node for node in shown if node in reached.jobs]
    datasets = [node for node in shown if node in reached.datasets]
    ids = {job: f"job:{names[job][0]}:{names[job][1]}" for job in jobs}
    ids.update({dataset: column_id(names[dataset], None) for dataset in datasets})
    found = Picture(nodes=set(ids.values()))
    for job in jobs:
        edges = reached.edges[job]
        found.edges |= {(ids[d], ids[job]) for d in edges.inputs | edges.columns if d in ids}
        found.edges |= {(ids[job], ids[d]) for d in edges.outputs if d in ids}
    for dataset, into in Columns(snapshot).into(datasets).items():
        sources = snapshot.names({edge.source[0] for edge in into})
        found.columns |= {
            (column_id(sources[e.source[0]], e.source[1]), column_id(names[dataset], e.target[1])) for e in into
        }
    for dataset, fields in field_types(snapshot, datasets).items():
        if fields is not None:
            found.schemas[ids[dataset]] = fields
    return found


def diff(before: Picture, after: Picture, start: str, end: str) -> Answer:
    return {
        "from": start,
        "to": end,
        "nodes": {"added": sorted(after.nodes - before.nodes), "removed": sorted(before.nodes - after.nodes)},
        "edges": {"added": _edges(after.edges - before.edges), "removed": _edges(before.edges - after.edges)},
        "columns": {
            "added": _edges(after.columns - before.columns),
            "removed": _edges(before.columns - after.columns),
        },
        "schemas": [
            change
            for dataset in sorted(before.schemas.keys() & after.schemas.keys())
            if (change := _schema(dataset, before.schemas[dataset], after.schemas[dataset])) is not None
        ],
    }


def _edges(edges: set[Edge]) -> list[dict[str, str]]:
    return [{"origin": origin, "destination": destination} for origin, destination in sorted(edges)]


def _schema(dataset: str, before: dict[str, str], after: dict[str, str]) -> Answer | None:
    added = sorted(after.keys() - before.keys())
    removed = sorted(before.keys() - after.keys())
    changed = [
        {"name": name, "from": before[name], "to": after[name]}
        for name in sorted(before.keys() & after.keys())
        if before[name] != after[name]
    ]
    if not (added or removed or changed):
        return None
    return {"dataset": dataset, "added": added, "removed": removed, "changed": changed}
