"""A node, a depth and a direction enter; the jobs and datasets reached and the edges between them leave.

Without a direction one step goes to every job that shares a dataset with one already reached; else along arrows.
"""

from __future__ import annotations

from collections.abc import Collection, Set
from dataclasses import dataclass, field

from lineage_hub.query.ever import EdgesOf
from lineage_hub.query.history import Edges
from lineage_hub.query.snapshot import Snapshot

UPSTREAM, DOWNSTREAM, BOTH, AROUND = "upstream", "downstream", "both", "around"


@dataclass(slots=True)
class Reached:
    """What was reached, and the edges of the jobs looked at."""

    jobs: set[int] = field(default_factory=set)
    datasets: set[int] = field(default_factory=set)
    edges: dict[int, Edges] = field(default_factory=dict)
    _steps: list[Collection[int]] = field(default_factory=list)

    def add_jobs(self, jobs: Set[int]) -> None:
        self._steps.append(jobs - self.jobs)
        self.jobs |= jobs

    def add_datasets(self, datasets: Set[int]) -> None:
        self._steps.append(datasets - self.datasets)
        self.datasets |= datasets

    @property
    def steps(self) -> list[Collection[int]]:
        """What each step added: the start, then jobs and datasets in turn."""
        return self._steps

    @property
    def size(self) -> int:
        return len(self.jobs) + len(self.datasets)

    def nearest(self, limit: int, snapshot: Snapshot) -> list[int]:
        """At most so many; of one step those whose names come first: numbers depend on which event came first."""
        if self.size <= limit:
            return [*self.jobs, *self.datasets]
        names = snapshot.names(self.jobs | self.datasets)
        return [node for step in self._steps for node in sorted(step, key=names.__getitem__)][:limit]


def walk(snapshot: Snapshot, start: int, is_job: bool, depth: int, direction: str, edges_of: EdgesOf) -> Reached:
    reached = Reached()
    if is_job:
        reached.add_jobs({start})
    else:
        reached.add_datasets({start})
    if direction == AROUND:
        _around(snapshot, reached, start, is_job, depth, edges_of)
    else:
        for way in (UPSTREAM, DOWNSTREAM) if direction == BOTH else (direction,):
            _along(snapshot, reached, start, is_job, depth, way, edges_of)
    return reached


def _around(snapshot: Snapshot, reached: Reached, start: int, is_job: bool, depth: int, edges_of: EdgesOf) -> None:
    known = reached.edges
    if is_job:
        frontier = {start}
        known.update(edges_of(snapshot, frontier))
    else:
        frontier = _touching(snapshot, {start}, known, edges_of)
    seen = set(frontier)
    for step in range(depth + 1):
        reached.add_jobs(frontier)
        fresh = set[int]().union(*[known[job].datasets for job in frontier]) - reached.datasets
        reached.add_datasets(fresh)
        if step == depth or (not fresh and step):
            break
        frontier = _touching(snapshot, fresh if step else reached.datasets, known, edges_of, seen)
        seen |= frontier


def _touching(
    snapshot: Snapshot, wanted: Set[int], known: dict[int, Edges], edges_of: EdgesOf, seen: Set[int] = frozenset()
) -> set[int]:
    """Other jobs that have one of these datasets among theirs; edges of all that were looked at stay known."""
    jobs = snapshot.jobs_speaking_of(wanted) - seen
    missing = [job for job in jobs if job not in known]
    if missing:
        known.update(edges_of(snapshot, missing))
    return {job for job in jobs if not wanted.isdisjoint(known[job].datasets)}


def _along(
    snapshot: Snapshot, reached: Reached, start: int, is_job: bool, depth: int, way: str, edges_of: EdgesOf
) -> None:
    known = reached.edges
    visited: set[int] = set()
    if is_job:
        known.update(edges_of(snapshot, [start]))
        frontier = {start}
        steps = depth + 1
    else:
        frontier = _next_jobs(snapshot, {start}, known, way, edges_of)
        steps = depth
    for step in range(steps):
        visited |= frontier
        reached.add_jobs(frontier)
        fresh = {dataset for job in frontier for dataset in _beyond(known[job], way)}
        reached.add_datasets(fresh)
        if step + 1 == steps:
            break
        frontier = _next_jobs(snapshot, fresh, known, way, edges_of) - visited
        if not frontier:
            break


def _beyond(edges: Edges, way: str) -> frozenset[int]:
    return edges.inputs | edges.columns if way == UPSTREAM else edges.outputs


def _next_jobs(snapshot: Snapshot, wanted: Set[int], known: dict[int, Edges], way: str, edges_of: EdgesOf) -> set[int]:
    opposite = DOWNSTREAM if way == UPSTREAM else UPSTREAM
    jobs = _touching(snapshot, wanted, known, edges_of)
    return {job for job in jobs if not wanted.isdisjoint(_beyond(known[job], opposite))}
