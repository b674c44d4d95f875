"""A node, a depth and a direction enter; the jobs and datasets reached and the edges between them leave.

Without a direction one step goes to every job that shares a dataset with one already reached; else along arrows.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from lineage_hub.query.ever import EdgesOf
from lineage_hub.query.snapshot import Edges, Snapshot

UPSTREAM, DOWNSTREAM, BOTH, AROUND = "upstream", "downstream", "both", "around"


@dataclass(slots=True)
class Reached:
    """Nodes in the order they were reached, nearest first; edges as (origin, destination) of each kind."""

    jobs: dict[int, None] = field(default_factory=dict)
    datasets: dict[int, None] = field(default_factory=dict)
    order: list[int] = field(default_factory=list)
    edges: dict[int, Edges] = field(default_factory=dict)

    def add_job(self, job: int) -> None:
        if job not in self.jobs:
            self.jobs[job] = None
            self.order.append(job)

    def add_datasets(self, datasets: Collection[int]) -> None:
        for dataset in datasets:
            if dataset not in self.datasets:
                self.datasets[dataset] = None
                self.order.append(dataset)


def walk(snapshot: Snapshot, start: int, is_job: bool, depth: int, direction: str, edges_of: EdgesOf) -> Reached:
    reached = Reached()
    if is_job:
        reached.add_job(start)
    else:
        reached.add_datasets((start,))
    if direction == AROUND:
        _around(snapshot, reached, start, is_job, depth, edges_of)
    else:
        for way in (UPSTREAM, DOWNSTREAM) if direction == BOTH else (direction,):
            _along(snapshot, reached, start, is_job, depth, way, edges_of)
    return reached


def _around(snapshot: Snapshot, reached: Reached, start: int, is_job: bool, depth: int, edges_of: EdgesOf) -> None:
    known = reached.edges
    if is_job:
        frontier = [start]
        known.update(edges_of(snapshot, frontier))
    else:
        frontier = _touching(snapshot, (start,), known, edges_of)
    seen: set[int] = set(frontier)
    for step in range(depth + 1):
        for job in frontier:
            reached.add_job(job)
        fresh = _ordered(snapshot, {d for job in frontier for d in known[job].datasets} - reached.datasets.keys())
        reached.add_datasets(fresh)
        if step == depth or (not fresh and step):
            break
        around = fresh if step else list(reached.datasets)
        frontier = [job for job in _touching(snapshot, around, known, edges_of) if job not in seen]
        seen.update(frontier)


def _touching(snapshot: Snapshot, datasets: Collection[int], known: dict[int, Edges], edges_of: EdgesOf) -> list[int]:
    """Jobs that have one of these datasets among theirs; edges of all that were looked at stay known."""
    wanted = set(datasets)
    jobs = snapshot.jobs_speaking_of(wanted)
    missing = [job for job in jobs if job not in known]
    if missing:
        known.update(edges_of(snapshot, missing))
    return _ordered(snapshot, {job for job in jobs if not wanted.isdisjoint(known[job].datasets)})


def _along(
    snapshot: Snapshot, reached: Reached, start: int, is_job: bool, depth: int, way: str, edges_of: EdgesOf
) -> None:
    known = reached.edges
    visited: set[int] = set()
    if is_job:
        known.update(edges_of(snapshot, [start]))
        frontier = [start]
        steps = depth + 1
    else:
        frontier = _next_jobs(snapshot, (start,), known, way, edges_of)
        steps = depth
    for step in range(steps):
        visited.update(frontier)
        for job in frontier:
            reached.add_job(job)
        found = {dataset for job in frontier for dataset in _beyond(known[job], way)}
        fresh = _ordered(snapshot, found)
        reached.add_datasets(fresh)
        if step + 1 == steps:
            break
        frontier = [job for job in _next_jobs(snapshot, fresh, known, way, edges_of) if job not in visited]
        if not frontier:
            break


def _beyond(edges: Edges, way: str) -> frozenset[int]:
    return edges.inputs | edges.columns if way == UPSTREAM else edges.outputs


def _next_jobs(
    snapshot: Snapshot, datasets: Collection[int], known: dict[int, Edges], way: str, edges_of: EdgesOf
) -> list[int]:
    wanted = set(datasets)
    opposite = DOWNSTREAM if way == UPSTREAM else UPSTREAM
    jobs = _touching(snapshot, wanted, known, edges_of)
    return [job for job in jobs if not wanted.isdisjoint(_beyond(known[job], opposite))]


def _ordered(snapshot: Snapshot, entities: Collection[int]) -> list[int]:
    """By name: numbers depend on which event came first, names don't."""
    names = snapshot.names(entities)
    return sorted(entities, key=names.__getitem__)
