"""A node id and the shape of the question enter; the lineage graph around it leaves as JSON text.

Nodes beyond the limit are left out from the far end, and counted: an answer never looks complete when it isn't.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import msgspec

from lineage_hub.errors import InvalidRequest, NotFound
from lineage_hub.lineage.shapes import run_key
from lineage_hub.model.node import DATASET, FIELD, JOB, RUN, readings, split_kind
from lineage_hub.query.ever import edges_mode
from lineage_hub.query.graph import AROUND, BOTH, DOWNSTREAM, UPSTREAM, Reached, walk
from lineage_hub.query.nodes import dataset_nodes, job_nodes
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.store import tables

encode = msgspec.json.Encoder().encode
DIRECTIONS = (UPSTREAM, DOWNSTREAM, BOTH)
# Readings of a field's id grow with the square of its colons, and each is a look-up; names have a handful.
MOST_READINGS = 5_000


@dataclass(frozen=True, slots=True)
class Question:
    node: str
    depth: int = 20
    direction: str | None = None
    edges: str = "current"
    limit: int = 20_000


@dataclass(frozen=True, slots=True)
class Found:
    """The entity behind a node id; for a field its dataset."""

    entity: int
    is_job: bool
    field: str | None = None


def find_node(snapshot: Snapshot, text: str) -> Found:
    """Of the readings of a node id the first that exists; a dataset under any of its names."""
    kind, rest = split_kind(text)
    if kind == RUN:
        runs = snapshot.runs_by_id([run_key(rest)])
        if not runs:
            raise NotFound(f"Run '{rest}' not found.", subject=text)
        return Found(max(runs.values(), key=lambda run: run.start).key[1], True)
    table_kind = tables.JOB if kind == JOB else tables.DATASET
    first = None
    for reading in islice(readings(kind, rest), MOST_READINGS):
        first = first or reading
        entity = snapshot.reader.find(table_kind, reading.namespace, reading.name)
        if entity is not None and is_visible(snapshot, entity):
            if kind == JOB:
                return Found(entity, True)
            return Found(snapshot.joined((entity,)).of(entity), False, reading.field)
    if first is None:
        raise InvalidRequest(f"nodeId {text[:200]!r} names no namespace", subject=text[:200], action="see the docs")
    what = {DATASET: "Dataset", FIELD: "Dataset", JOB: "Job"}[kind]
    raise NotFound(
        f"{what} '{first.name}' not found.",
        subject=text[:200],
        action="check the spelling of namespace and name, and the moment that was asked for",
    )


def is_visible(snapshot: Snapshot, entity: int) -> bool:
    numbers = snapshot.shapes_of((entity,))[entity]
    bounds = snapshot.bounds(numbers)
    return any(bounds[number] is not None for number in numbers)


def reach(snapshot: Snapshot, question: Question) -> tuple[Reached, list[int], int]:
    """What was reached, the nodes to show, and how many more there are."""
    if question.direction is not None and question.direction not in DIRECTIONS:
        raise InvalidRequest(
            f"direction={question.direction[:40]!r} is unknown",
            subject="direction",
            action="use upstream, downstream or both, or leave it out",
        )
    found = find_node(snapshot, question.node)
    reached = walk(
        snapshot, found.entity, found.is_job, question.depth, question.direction or AROUND, edges_mode(question.edges)
    )
    shown = reached.order[: question.limit]
    return reached, shown, len(reached.order) - len(shown)


def lineage(snapshot: Snapshot, question: Question) -> bytes:
    reached, shown, hidden = reach(snapshot, question)
    visible = set(shown)
    jobs = [node for node in shown if node in reached.jobs]
    datasets = [node for node in shown if node in reached.datasets]
    names = snapshot.names(shown)
    ids = {job: f"job:{names[job][0]}:{names[job][1]}" for job in jobs}
    ids.update({dataset: f"dataset:{names[dataset][0]}:{names[dataset][1]}" for dataset in datasets})
    texts = {node: encode(text) for node, text in ids.items()}
    data = dataset_nodes(snapshot, datasets)
    current = reached.edges if question.edges == "current" else snapshot.edges(jobs)
    data.update(job_nodes(snapshot, jobs, current))
    into: dict[int, list[tuple[str, bytes]]] = {node: [] for node in shown}
    out_of: dict[int, list[tuple[str, bytes]]] = {node: [] for node in shown}
    for job in jobs:
        edges = reached.edges[job]
        for dataset in edges.inputs & visible:
            _join(into, out_of, dataset, job, ids, texts, b"}")
        for dataset in edges.columns & visible:
            _join(into, out_of, dataset, job, ids, texts, b',"from":"columns"}')
        for dataset in edges.outputs & visible:
            _join(into, out_of, job, dataset, ids, texts, b"}")
    parts = []
    for node in sorted(shown, key=ids.__getitem__):
        kind = b'"JOB"' if node in reached.jobs else b'"DATASET"'
        parts.append(
            b'{"id":%b,"type":%b,"data":%b,"inEdges":[%b],"outEdges":[%b]}'
            % (texts[node], kind, data[node], _listed(into[node]), _listed(out_of[node]))
        )
    counts = b'],"truncated":%b,"hidden_nodes":%d}' % (b"true" if hidden else b"false", hidden)
    return b'{"graph":[' + b",".join(parts) + counts


def _join(
    into: dict[int, list[tuple[str, bytes]]],
    out_of: dict[int, list[tuple[str, bytes]]],
    origin: int,
    destination: int,
    ids: dict[int, str],
    texts: dict[int, bytes],
    end: bytes,
) -> None:
    edge = b'{"origin":%b,"destination":%b%b' % (texts[origin], texts[destination], end)
    out_of[origin].append((ids[destination], edge))
    into[destination].append((ids[origin], edge))


def _listed(edges: list[tuple[str, bytes]]) -> bytes:
    if len(edges) > 1:
        edges.sort()
    return b",".join([edge for _, edge in edges])
