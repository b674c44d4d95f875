"""A node id and the shape of the question enter; the lineage graph around it leaves as JSON text.

Nodes beyond the limit are left out from the far end, and counted: an answer never looks complete when it isn't.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice

import msgspec

from lineage_hub.errors import InvalidRequest, NotFound
from lineage_hub.lineage.shapes import run_key
from lineage_hub.model.node import DATASET, FIELD, JOB, RUN, readings, split_kind
from lineage_hub.query.ever import edges_mode
from lineage_hub.query.graph import AROUND, BOTH, DOWNSTREAM, UPSTREAM, Reached, walk
from lineage_hub.query.history import End
from lineage_hub.query.identity import half_of_edge_id
from lineage_hub.query.nodes import dataset_nodes, job_nodes
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.store import tables
from lineage_hub.store.naming import entity_hash

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
            raise NotFound(
                f"Run '{rest}' not found.", subject=text, action="check the id, and the moment that was asked for"
            )
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
    ends = _ends(snapshot, reached, shown)
    ordered = sorted(shown, key=lambda node: ends[node].id)
    current = question.edges == "current"
    jobs = [node for node in ordered if node in reached.jobs]
    nodes = dataset_nodes(snapshot, [node for node in shown if node not in reached.jobs])
    nodes.update(job_nodes(snapshot, jobs, reached.edges if current else snapshot.edges(jobs)))
    edges = _edge_texts(snapshot, reached, jobs, ends)
    parts = [b'{"graph":[']
    for node in ordered:
        parts += (nodes[node], edges[node], b",")
    parts[-1] = b'],"truncated":%b,"hidden_nodes":%d}' % (b"true" if hidden else b"false", hidden)
    return b"".join(parts)


def _ends(snapshot: Snapshot, reached: Reached, shown: list[int]) -> dict[int, End]:
    names = snapshot.names(shown)

    def load(missing: list[int]) -> Iterator[tuple[int, End]]:
        for node in missing:
            kind, label = (tables.JOB, JOB) if node in reached.jobs else (tables.DATASET, DATASET)
            namespace, name = names[node]
            half = half_of_edge_id(entity_hash(kind, namespace, name))
            node_id = f"{label}:{namespace}:{name}"
            yield node, End(node_id, encode(node_id), half)

    return snapshot.history.ends.fetch(shown, load)


def _edge_texts(snapshot: Snapshot, reached: Reached, jobs: list[int], ends: dict[int, End]) -> dict[int, bytes]:
    """The end of each node's text: its edges to other nodes that are shown."""
    edges = reached.edges
    beside: dict[int, Collection[int]] = {}
    users: dict[int, list[int]] = {node: [] for node in ends if node not in reached.jobs}
    keys: dict[int, tuple[object, ...]] = {}
    for job in jobs:
        datasets = edges[job].datasets
        if users.keys() >= datasets:
            beside[job], keys[job] = datasets, (job, edges[job])
        else:
            beside[job] = shown = datasets & users.keys()
            keys[job] = (job, edges[job], frozenset(shown))
        for dataset in beside[job]:
            users[dataset].append(job)
    for dataset, others in users.items():
        keys[dataset] = (dataset, *others, *[edges[job] for job in others])
    beside.update(users)
    nodes = {key: node for node, key in keys.items()}

    def load(missing: list[tuple[object, ...]]) -> Iterator[tuple[tuple[object, ...], bytes]]:
        for key in missing:
            yield key, _edges_of(reached, ends, nodes[key], beside[nodes[key]])

    texts = snapshot.history.edge_texts.fetch(nodes, load)
    return {node: texts[key] for node, key in keys.items()}


def _edges_of(reached: Reached, ends: dict[int, End], node: int, others: Collection[int]) -> bytes:
    into: list[bytes] = []
    out_of: list[bytes] = []
    is_job = node in reached.jobs
    reads, writes = (into, out_of) if is_job else (out_of, into)
    for other in sorted(others, key=lambda one: ends[one].id):
        job, dataset = (node, other) if is_job else (other, node)
        edges = reached.edges[job]
        if dataset in edges.inputs:
            reads.append(_edge(ends[dataset], ends[job]))
        elif dataset in edges.columns:
            reads.append(_edge(ends[dataset], ends[job], b',"from":"columns"}'))
        if dataset in edges.outputs:
            writes.append(_edge(ends[job], ends[dataset]))
    return b',"inEdges":[%b],"outEdges":[%b]}' % (b",".join(into), b",".join(out_of))


def _edge(origin: End, destination: End, end: bytes = b"}") -> bytes:
    return b'{"id":"%b%b","origin":%b,"destination":%b%b' % (
        origin.half, destination.half, origin.text, destination.text, end,
    )  # fmt: skip
