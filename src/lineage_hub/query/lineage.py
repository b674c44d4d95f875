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
from lineage_hub.query.history import Arrow, Arrows, Edges, End
from lineage_hub.query.identity import half_of_edge_id
from lineage_hub.query.job_names import job_of_alias
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
        found = snapshot.runs_by_id([run_key(rest)])
        runs = {key: run for key, run in found.items() if key[1] not in snapshot.hidden}
        if not runs:
            raise NotFound(
                f"Run '{rest}' not found.", subject=text, action="check the id, and the moment that was asked for"
            )
        return Found(max(runs.values(), key=lambda run: run.start).key[1], True)
    table_kind = tables.JOB if kind == JOB else tables.DATASET
    first = None
    read = list(islice(readings(kind, rest), MOST_READINGS))
    for reading in read:
        first = first or reading
        entity = snapshot.reader.find(table_kind, reading.namespace, reading.name)
        if entity is not None and is_visible(snapshot, entity):
            if kind == JOB:
                return Found(entity, True)
            return Found(snapshot.joined((entity,)).of(entity), False, reading.field)
    for reading in read if kind == JOB else ():
        entity = job_of_alias(snapshot, reading.namespace, reading.name)
        if entity is not None:
            return Found(entity, True)
    if first is None:
        raise InvalidRequest(f"nodeId {text[:200]!r} names no namespace", subject=text[:200], action="see the docs")
    what = {DATASET: "Dataset", FIELD: "Dataset", JOB: "Job"}[kind]
    raise NotFound(
        f"{what} '{first.name}' not found.",
        subject=text[:200],
        action="check the spelling of namespace and name, and the moment that was asked for",
    )


def is_visible(snapshot: Snapshot, entity: int) -> bool:
    if snapshot.hidden and snapshot.joined((entity,)).of(entity) in snapshot.hidden:
        return False
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
    shown = reached.nearest(question.limit, snapshot)
    return reached, shown, reached.size - len(shown)


def lineage(snapshot: Snapshot, question: Question) -> bytes:
    reached, shown, hidden = reach(snapshot, question)
    jobs = [node for node in shown if node in reached.jobs]
    nodes = dataset_nodes(snapshot, [node for node in shown if node not in reached.jobs])
    nodes.update(job_nodes(snapshot, jobs, reached.edges if question.edges == "current" else snapshot.edges(jobs)))
    ordered = sorted(shown, key=lambda node: nodes[node][0])
    into, out_of, of_jobs = _edge_texts(snapshot, reached, ordered)
    parts = [b'{"graph":[']
    for node in ordered:
        if node in of_jobs:
            parts += (nodes[node][1], of_jobs[node], b",")
        else:
            parts += (nodes[node][1], *_edges(into[node], out_of[node]), b",")
    parts[-1] = b'],"truncated":%b,"hidden_nodes":%d}' % (b"true" if hidden else b"false", hidden)
    return b"".join(parts)


def _ends(snapshot: Snapshot, reached: Reached, nodes: Collection[int]) -> dict[int, End]:
    def load(missing: list[int]) -> Iterator[tuple[int, End]]:
        names = snapshot.names(missing)
        for node in missing:
            kind, label = (tables.JOB, JOB) if node in reached.jobs else (tables.DATASET, DATASET)
            namespace, name = names[node]
            half = half_of_edge_id(entity_hash(kind, namespace, name))
            node_id = f"{label}:{namespace}:{name}"
            yield node, End(node_id, encode(node_id), half)

    return snapshot.history.ends.fetch(nodes, load)


Texts = dict[int, list[bytes]]


def _edge_texts(snapshot: Snapshot, reached: Reached, shown: list[int]) -> tuple[Texts, Texts, dict[int, bytes]]:
    """Into and out of each dataset, between nodes that are shown and in their order; and all those of each job."""
    into: Texts = {node: [] for node in shown if node not in reached.jobs}
    out_of: Texts = {node: [] for node in into}
    edges = {node: reached.edges[node] for node in shown if node in reached.jobs}
    arrows = _arrows(snapshot, reached, edges)
    datasets = frozenset(into)
    of_jobs: dict[int, bytes] = {}
    for job, its_edges in edges.items():
        each, text = arrows[its_edges]
        if not its_edges.datasets <= datasets:
            each = [arrow for arrow in each if arrow[0] in datasets]
            text = _edges_of_job(each)
        of_jobs[job] = text
        for dataset, read, written in each:
            if read is not None:
                out_of[dataset].append(read)
            if written is not None:
                into[dataset].append(written)
    return into, out_of, of_jobs


def _edges(into: list[bytes], out_of: list[bytes]) -> tuple[bytes, ...]:
    return b',"inEdges":[', b",".join(into), b'],"outEdges":[', b",".join(out_of), b"]}"


def _edges_of_job(arrows: Collection[Arrow]) -> bytes:
    reads = [read for _, read, _ in arrows if read is not None]
    return b"".join(_edges(reads, [written for _, _, written in arrows if written is not None]))


def _arrows(snapshot: Snapshot, reached: Reached, edges_of: dict[int, Edges]) -> dict[Edges, Arrows]:
    def load(missing: list[Edges]) -> Iterator[tuple[Edges, Arrows]]:
        jobs = {edges: job for job, edges in edges_of.items()}
        ends = _ends(snapshot, reached, {node for edges in missing for node in (jobs[edges], *edges.datasets)})
        for edges in missing:
            datasets = sorted(edges.datasets, key=lambda one: ends[one].id)
            each = tuple([_arrow(edges, dataset, ends[dataset], ends[jobs[edges]]) for dataset in datasets])
            yield edges, Arrows(each, _edges_of_job(each))

    return snapshot.history.arrows.fetch(edges_of.values(), load)


def _arrow(edges: Edges, dataset: int, table: End, job: End) -> Arrow:
    read = written = None
    if dataset in edges.inputs:
        read = _edge(table, job)
    elif dataset in edges.columns:
        read = _edge(table, job, b',"from":"columns"}')
    if dataset in edges.outputs:
        written = _edge(job, table)
    return dataset, read, written


def _edge(origin: End, destination: End, end: bytes = b"}") -> bytes:
    return b'{"id":"%b%b","origin":%b,"destination":%b%b' % (
        origin.half, destination.half, origin.text, destination.text, end,
    )  # fmt: skip
