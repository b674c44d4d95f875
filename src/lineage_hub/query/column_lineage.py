"""A dataset or one of its fields enters; the graph of fields around it leaves, in the shape of Marquez's answer."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from typing import Any

from lineage_hub.errors import NotFound
from lineage_hub.lineage.shapes import IN_RAW
from lineage_hub.query.columns import WHOLE, Column, ColumnEdge, Columns, input_field
from lineage_hub.query.ever import edges_mode
from lineage_hub.query.facts import dataset_facts, facet_texts
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.versions import current_versions
from lineage_hub.wire.described import Schema, lenient


def column_lineage(
    snapshot: Snapshot, dataset: int, field: str | None, depth: int, downstream: bool, mode: str, limit: int
) -> dict[str, Any]:
    columns = Columns(snapshot, mode)
    if field is not None:
        require_field(snapshot, dataset, field, columns)
    start: list[Column] = [(dataset, field)]
    if field is None:
        start = _fields_of(snapshot, dataset, columns, downstream)
    return _graph(snapshot, start, columns, depth, downstream, limit)


def column_lineage_of_job(
    snapshot: Snapshot, job: int, depth: int, downstream: bool, mode: str, limit: int
) -> dict[str, Any]:
    """Of all fields that the job writes."""
    columns = Columns(snapshot, mode)
    written = edges_mode(mode)(snapshot, [job])[job].outputs
    names = snapshot.names(written)
    ordered = sorted(written, key=names.__getitem__)
    start = [column for dataset in ordered for column in _fields_of(snapshot, dataset, columns, downstream)]
    return _graph(snapshot, start, columns, depth, downstream, limit)


def _graph(
    snapshot: Snapshot, start: list[Column], columns: Columns, depth: int, downstream: bool, limit: int
) -> dict[str, Any]:
    edges: dict[tuple[Column, Column], ColumnEdge] = {}
    order: dict[Column, None] = dict.fromkeys(start)
    for upstream in (True, False) if downstream else (True,):
        frontier = set(start)
        seen = set(start)
        for _ in range(depth):
            fresh: set[Column] = set()
            places = {column[0] for column in frontier}
            for found in (columns.into(places) if upstream else columns.out_of(places)).values():
                for edge in found:
                    near, far = (edge.target, edge.source) if upstream else (edge.source, edge.target)
                    # What goes into a whole dataset goes into each of its fields.
                    if near in frontier or (upstream and near[1] is WHOLE):
                        edges[(edge.source, edge.target)] = edge
                        order.setdefault(near)
                        if far not in seen:
                            fresh.add(far)
            if not fresh:
                break
            names = snapshot.names({column[0] for column in fresh})
            order.update(dict.fromkeys(sorted(fresh, key=lambda c: (names[c[0]], c[1] or ""))))
            seen |= fresh
            frontier = fresh
    shown = list(order)[:limit]
    return {
        "graph": _nodes(snapshot, shown, edges, columns),
        "truncated": len(order) > len(shown),
        "hidden_nodes": len(order) - len(shown),
    }


def require_field(snapshot: Snapshot, dataset: int, field: str, columns: Columns) -> None:
    known = set(field_types(snapshot, [dataset])[dataset] or ())
    if field not in known:
        known |= {edge.target[1] for edge in columns.into([dataset])[dataset] if edge.target[1] is not None}
        known |= {edge.source[1] for edge in columns.out_of([dataset])[dataset] if edge.source[1] is not None}
    if field not in known:
        near = get_close_matches(field, sorted(known), 1)
        raise NotFound(
            f"Field '{field[:200]}' not found in dataset '{snapshot.name(dataset)[1]}'.",
            subject=field[:200],
            action=f"did you mean '{near[0]}'?"
            if near
            else "check the field's name, and the moment that was asked for",
        )


def _fields_of(snapshot: Snapshot, dataset: int, columns: Columns, downstream: bool) -> list[Column]:
    """All fields that take part in column lineage; the whole dataset too, if an edge ends there."""
    fields: set[str | None] = {edge.target[1] for edge in columns.into([dataset])[dataset]}
    if downstream:
        fields |= {edge.source[1] for edge in columns.out_of([dataset])[dataset]}
    return [(dataset, name) for name in sorted(fields, key=lambda f: f or "")]


def _nodes(
    snapshot: Snapshot, shown: list[Column], edges: dict[tuple[Column, Column], ColumnEdge], columns: Columns
) -> list[dict[str, Any]]:
    places = {column[0] for column in shown}
    names = snapshot.names(places)
    ids = {column: column_id(names[column[0]], column[1]) for column in shown}
    types = field_types(snapshot, places)
    current = current_versions(snapshot, places)
    into: dict[Column, list[ColumnEdge]] = {}
    out_of: dict[Column, list[ColumnEdge]] = {}
    for edge in edges.values():
        if edge.source in ids and edge.target in ids:
            into.setdefault(edge.target, []).append(edge)
            out_of.setdefault(edge.source, []).append(edge)
    nodes = []
    for column in sorted(shown, key=ids.__getitem__):
        incoming = sorted(into.get(column, ()), key=lambda e: ids[e.source])
        outgoing = sorted(out_of.get(column, ()), key=lambda e: ids[e.target])
        nodes.append(
            {
                "id": ids[column],
                "type": "DATASET_FIELD" if column[1] is not None else "DATASET",
                "data": {
                    "namespace": names[column[0]][0],
                    "dataset": names[column[0]][1],
                    "datasetVersion": current[column[0]],
                    "field": column[1],
                    "fieldType": (types[column[0]] or {}).get(column[1] or "", ""),
                    "transformationDescription": incoming[0].description if incoming else None,
                    "transformationType": incoming[0].type if incoming else None,
                    "inputFields": [
                        {**input_field(names[e.source[0]], e), "datasetVersion": current[e.source[0]]} for e in incoming
                    ],
                },
                # Marquez draws these from the field to what it is made of; its clients read them so.
                "inEdges": [{"origin": ids[column], "destination": ids[e.source]} for e in incoming],
                "outEdges": [{"origin": ids[column], "destination": ids[e.target]} for e in outgoing],
            }
        )
    return nodes


def column_id(name: tuple[str, str], field: str | None) -> str:
    if field is None:
        return f"dataset:{name[0]}:{name[1]}"
    return f"datasetField:{name[0]}:{name[1]}:{field}"


def field_types(snapshot: Snapshot, places: Collection[int]) -> dict[int, dict[str, str] | None]:
    """The type of each field by its name; None for a dataset without a schema."""
    found: dict[int, dict[str, str] | None] = snapshot.recall("field types", places)
    missing = [place for place in places if place not in found]
    facts = dataset_facts(snapshot, missing, ("schema",)) if missing else {}
    snapshot.reader.blobs({holder.blob for one in facts.values() for holder in one.facets.values()} - {IN_RAW})
    fresh: dict[int, dict[str, str] | None] = {}
    for place in missing:
        text = facet_texts(snapshot, facts[place]).get("schema") if place in facts else None
        fresh[place] = (
            None if text is None else {field.name: field.type or "" for field in lenient(text, Schema).fields}
        )
    snapshot.keep("field types", fresh, snapshot.bearing_on)
    return found | fresh
