"""The events that a hub has taken enter; everything it may say at (t, k) leaves.

All sections of docs/fold.md put together. Readings that the page leaves open are marked READING.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from tests.oracle.events import (
    ENDS,
    Event,
    Mention,
    Name,
    Ord,
    Rewrite,
    RunKey,
    Taken,
    column_pairs,
    distinct,
    is_tombstone,
    named_datasets,
    named_jobs,
    named_run,
    objects,
    version_name,
    visible,
)
from tests.oracle.identity import NS, Json
from tests.oracle.names import all_cuts, join, moment, moment_of_event, opening_cut, present_name
from tests.oracle.runs import Run, Version, facet_values, mentions, run_of, version_of

DAY = 86_400 * NS
HOUR = 3_600 * NS
Edge = tuple[str, str, str | None]  # (origin node, destination node, None | "columns")
Column = tuple[str, str, str | None]  # (namespace, name, field or None for the whole dataset)
ColumnEdge = tuple[Column, Column]
VersionKey = tuple[object, ...]  # dataset, opening cut, then ("run", its key) or ("version", its name)


@dataclass(frozen=True)
class Candidate:
    """What a job's edges may be taken from: a run at the ord that makes it one, or a JobEvent."""

    ord: Ord
    kind: str  # run | job
    id: str  # run id or event id
    events: tuple[Event, ...]
    version: Version


@dataclass
class Job:
    named_only: bool
    inputs: set[Name]  # representatives; READING: without those that only columns tell of
    outputs: set[Name]
    head: Candidate | None
    candidates: list[Candidate]
    facets: dict[str, Json]
    versions: set[Version]
    created_at: int
    updated_at: int


@dataclass
class Dataset:
    members: frozenset[Name]
    named_only: bool
    deleted: bool
    facets: dict[str, Json]
    fields: list[tuple[Json, Json]]  # (name, type) of each field of the schema
    versions: list[VersionKey]  # keys, in the order of their creation
    version_created: dict[VersionKey, Ord]
    symlink_conflict: bool
    created_at: int
    updated_at: int


def view(
    events: Iterable[Taken],
    t: int | None = None,
    k: int | None = None,
    tenants: Collection[str] | None = None,
    rewrite: Rewrite | None = None,
) -> View:
    return View(visible(distinct(events, rewrite), t, k, tenants), t)


def dataset_node(name: Name) -> str:
    return f"dataset:{name[0]}:{name[1]}"


def job_node(name: Name) -> str:
    return f"job:{name[0]}:{name[1]}"


def _has(run: Run, types: Iterable[str]) -> bool:
    return any(e.type in types for e in run.events)


def newest(mentioned: Iterable[Mention], facet: str) -> Mention | None:
    """The mention that holds the observation of greatest ord; in one event out before static before in.

    READING: of two static ones in one event the output's, then (two names that are joined) the least name's.
    """
    holders = sorted((m for m in mentioned if facet in m.facets), key=lambda m: m.name)
    return max(holders, key=lambda m: (m.event.ord, *_precedence(m)), default=None)


def _precedence(mention: Mention) -> tuple[int, int]:
    return (["in", "static", "out"].index(mention.side), [None, "in", "out"].index(mention.direction))


@dataclass
class View:
    events: list[Event]  # the visible ones, in order
    t: int | None
    runs: dict[RunKey, Run] = field(init=False)
    jobs: dict[Name, Job] = field(init=False)
    datasets: dict[Name, Dataset] = field(init=False)

    def __post_init__(self) -> None:
        self.runs = self._runs()
        self._cuts = all_cuts(self.events)
        self._mentions = [m for e in self.events for m in e.mentions]
        self._present = {m: present_name(m.name, self._moment(m), self._cuts) for m in self._mentions}
        self._joined = join(self._symlinks())
        self.jobs = {name: self._job(name) for name in self._job_names()}
        self.datasets = {name: self._dataset(name) for name in self._dataset_names()}
        for run in self.runs.values():
            run.input_versions = self._input_versions(run)

    # Runs

    def _runs(self) -> dict[RunKey, Run]:
        of_run: dict[RunKey, list[Event]] = defaultdict(list)
        for event in self.events:
            if event.run is not None:
                of_run[event.run].append(event)
        return {key: run_of(key, events) for key, events in of_run.items()}

    @property
    def named_runs(self) -> set[tuple[Name, str]]:
        """(job, run id) of the runs that only their children tell of."""
        own = {(run.job, run.key[3]) for run in self.runs.values()}
        return {named for named in map(named_run, self.events) if named is not None} - own

    def shown(self, run: Run) -> tuple[str, int, int | None, int | None, list[str]]:
        """State, first event, start, end and conflict. A run that began under one job and ended under another is told
        as one, if of all runs with its id there is one that only began and one that only ended."""
        began, ended = ("START", "RUNNING"), ENDS
        sharing = [r for r in self.runs.values() if (r.key[0], r.key[3]) == (run.key[0], run.key[3])]
        opened = [r for r in sharing if _has(r, began) and not _has(r, ended)]
        headless = [r for r in sharing if _has(r, ended) and not _has(r, began)]
        if len(opened) == len(headless) == 1:
            if run is opened[0]:
                other = headless[0]
                return other.state, run.start[0], run.started_at, other.ended_at, other.conflict
            if run is headless[0]:
                started = [at for at in (run.started_at, opened[0].started_at) if at is not None]
                created = min(run.start[0], opened[0].start[0])
                return run.state, created, min(started), run.ended_at, run.conflict
        return run.state, run.start[0], run.started_at, run.ended_at, run.conflict

    def intervals(self, job: Name, latest: int | None = None) -> list[list[Run]]:
        """The runs of a job as lists show them, of those that started last: each interval in order, the last first."""
        runs = sorted((run for run in self.runs.values() if run.job == job), key=lambda r: r.start)
        found: list[list[Run]] = []
        for run in runs if latest is None else runs[-latest:]:
            before = [one for one in found if one[0].stream is not None and one[0].stream == run.stream]
            if before and run.start[0] - before[-1][-1].start[0] <= HOUR:
                before[-1].append(run)
            else:
                found.append([run])
        return sorted(found, key=lambda one: one[-1].start, reverse=True)

    def run_of(self, event: Event) -> Run | None:
        return None if event.run is None else self.runs[event.run]

    # Names over time

    def _moment(self, mention: Mention) -> tuple[Ord, bool]:
        run = self.run_of(mention.event)
        return moment(mention, run.start if run else None, run.streaming if run else False)

    def _symlinks(self) -> dict[Name, Json]:
        """The value of each name's symlinks facet, from every mention of that very name, cut or not."""
        mentioned: dict[Name, list[Mention]] = defaultdict(list)
        for mention in self._mentions:
            mentioned[mention.name].append(mention)
        held = {name: newest(of_name, "symlinks") for name, of_name in mentioned.items()}
        return {name: m.facets["symlinks"] for name, m in held.items() if m is not None}

    def resolve(self, namespace: str, name: str) -> Name:
        """The representative of a name."""
        return self._joined.resolve((namespace, name))

    def place_now(self, mention: Mention) -> Name | None:
        """The dataset on which a mention lies at present; None if it is gone."""
        name = self._present[mention]
        return None if name is None else self.resolve(*name)

    def place_ever(self, mention: Mention) -> Name:
        """The dataset that a mention named, whatever became of it."""
        return self.resolve(*mention.name)

    def source_now(self, mention: Mention, source: Name) -> Name | None:
        """READING: a source of columnLineage goes through cuts as an input of the same event would."""
        run = self.run_of(mention.event)
        at = moment_of_event(mention.event, run.start if run else None, run.streaming if run else False)
        name = present_name(source, at, self._cuts)
        return None if name is None else self.resolve(*name)

    def source_ever(self, mention: Mention, source: Name) -> Name:
        return self.resolve(*source)

    # Jobs

    def _job_names(self) -> set[Name]:
        return {e.job for e in self.events if e.job is not None}.union(*map(named_jobs, self.events))

    def _job(self, name: Name) -> Job:
        own = [e for e in self.events if e.job == name]
        times = [e.at for e in self.events if e.job == name or name in named_jobs(e)]
        candidates = self.candidates(name)
        head = max(candidates, key=lambda c: c.ord, default=self._latest_started(name))
        return Job(
            named_only=not own,
            inputs=self._io(head, "in", self.place_now),
            outputs=self._io(head, "out", self.place_now),
            head=head,
            candidates=candidates,
            facets=facet_values((e.ord, e.job_facets) for e in own),
            versions={c.version for c in self._with_datasets(name)},
            created_at=min(times),
            updated_at=max(times),
        )

    def _runs_with_datasets(self, job: Name) -> list[Run]:
        return [r for r in self.runs.values() if r.job == job and r.has_datasets]

    def _job_events_with_datasets(self, job: Name) -> list[Event]:
        return [e for e in self.events if e.kind == "job" and e.job == job and e.mentions]

    def candidates(self, job: Name) -> list[Candidate]:
        found = [
            _run_candidate(run, ord_)
            for run in self._runs_with_datasets(job)
            if (ord_ := _candidate_ord(run)) is not None
        ]
        return found + [_job_candidate(e) for e in self._job_events_with_datasets(job)]

    def _latest_started(self, job: Name) -> Candidate | None:
        """The head of a job without candidates."""
        run = max(self._runs_with_datasets(job), key=lambda r: r.start, default=None)
        return None if run is None else _run_candidate(run, run.start)

    def _with_datasets(self, job: Name) -> list[Candidate]:
        runs = [_run_candidate(r, r.start) for r in self._runs_with_datasets(job)]
        return runs + [_job_candidate(e) for e in self._job_events_with_datasets(job)]

    # Edges

    def _io(self, head: Candidate | None, direction: str, place: Callable[[Mention], Name | None]) -> set[Name]:
        found = {place(m) for m in mentions(head.events, direction)} if head else set()
        return {name for name in found if name is not None}

    def _edges_of(
        self,
        job: Name,
        head: Candidate,
        place: Callable[[Mention], Name | None],
        source: Callable[[Mention, Name], Name | None],
    ) -> set[Edge]:
        inputs, outputs = self._io(head, "in", place), self._io(head, "out", place)
        told_by_columns: set[Name] = set()
        for output in outputs:
            holder = newest([m for m in mentions(head.events, "out") if place(m) == output], "columnLineage")
            if holder is not None:
                placed = {source(holder, s) for s, _, _ in column_pairs(holder.facets["columnLineage"])}
                told_by_columns |= {name for name in placed if name is not None}
        edges: set[Edge] = {(dataset_node(name), job_node(job), None) for name in inputs}
        edges |= {(job_node(job), dataset_node(name), None) for name in outputs}
        return edges | {(dataset_node(name), job_node(job), "columns") for name in told_by_columns - inputs}

    @property
    def edges(self) -> set[Edge]:
        """The current ones."""
        return {
            edge
            for name, job in self.jobs.items()
            if job.head is not None
            for edge in self._edges_of(name, job.head, self.place_now, self.source_now)
        }

    def edges_ever(self) -> set[Edge]:
        return self._edges_since(None)

    def edges_within(self, days: int) -> set[Edge]:
        """READING: this too ignores DROP and RENAME, and takes the head of a job without candidates."""
        last = self.t if self.t is not None else max((e.at for e in self.events), default=0)
        return self._edges_since(last - days * DAY)

    def _edges_since(self, at: int | None) -> set[Edge]:
        edges: set[Edge] = set()
        for name, job in self.jobs.items():
            for candidate in job.candidates or ([job.head] if job.head else []):
                if at is None or candidate.ord[0] >= at:
                    edges |= self._edges_of(name, candidate, self.place_ever, self.source_ever)
        # READING: what one candidate tells as an input and another by columns only is an input.
        return {e for e in edges if e[2] is None or (e[0], e[1], None) not in edges}

    # Columns

    @property
    def columns(self) -> set[ColumnEdge]:
        """The current ones."""
        return {
            edge
            for name in self.datasets
            for holder in [*self._holders_of_writers(name), self._holder_without_writer(name)]
            if holder is not None
            for edge in self._column_edges(holder, name, self.source_now)
        }

    def columns_ever(self) -> set[ColumnEdge]:
        return {
            edge
            for m in self._mentions
            if "columnLineage" in m.facets
            for edge in self._column_edges(m, self.place_ever(m), self.source_ever)
        }

    def _column_edges(
        self, holder: Mention, target: Name, source: Callable[[Mention, Name], Name | None]
    ) -> set[ColumnEdge]:
        pairs = column_pairs(holder.facets["columnLineage"])
        return {
            ((*placed, in_field), (*target, out_field))
            for name, in_field, out_field in pairs
            if (placed := source(holder, name)) is not None
        }

    def _holders_of_writers(self, dataset: Name) -> list[Mention]:
        """For each job that currently writes the dataset the mention whose columnLineage counts.

        READING: a tombstone in the head is an observation, so an older facet doesn't take its place.
        """
        found: list[Mention] = []
        for name, job in self.jobs.items():
            if job.head is None or dataset not in job.outputs:
                continue
            holder = newest(self._written(job.head.events, dataset), "columnLineage")
            if holder is None:
                others = [
                    e for e in self.events if e.job == name and (e.kind == "job" or e.type in ("COMPLETE", "RUNNING"))
                ]
                holder = newest(self._written(others, dataset), "columnLineage")
                if holder is not None and self._version_of(holder.event) != job.head.version:
                    holder = None
            if holder is not None:
                found.append(holder)
        return found

    def _written(self, events: Iterable[Event], dataset: Name) -> list[Mention]:
        return [m for m in mentions(events, "out") if self.place_now(m) == dataset]

    def _version_of(self, event: Event) -> Version:
        assert event.job is not None
        run = self.run_of(event)
        return version_of(event.job, run.events if run else [event])

    def _holder_without_writer(self, dataset: Name) -> Mention | None:
        """READING: an input of a JobEvent names no writer either."""
        silent = [m for m in self._mentions if m.direction != "out" and self.place_now(m) == dataset]
        return newest(silent, "columnLineage")

    # Datasets

    def _dataset_names(self) -> set[Name]:
        named = {m.name for m in self._mentions}.union(*map(named_datasets, self.events))
        return {self.resolve(*name) for name in named}

    def _dataset(self, name: Name) -> Dataset:
        members = self._joined.members.get(name, frozenset({name}))
        mentioned = [m for m in self._mentions if m.name in members]
        alive = [m for m in self._mentions if self.place_now(m) == name]
        times = [e.at for e in self.events if members & (named_datasets(e) | {m.name for m in e.mentions})]
        facets = self._dataset_facets(alive)
        created = self._versions(name, members, alive)
        return Dataset(
            members=members,
            named_only=not mentioned,
            # READING: a name whose mentions all went on under another name is deleted too.
            deleted=bool(mentioned) and not alive,
            facets=facets,
            fields=schema_fields(facets.get("schema", {})),
            versions=list(created),
            version_created=created,
            symlink_conflict=bool(members & self._joined.conflicts),
            created_at=min(times),
            updated_at=max(times),
        )

    def _dataset_facets(self, alive: list[Mention]) -> dict[str, Json]:
        values: dict[str, Json] = {}
        for facet in {facet for m in alive for facet in m.facets}:
            holder = newest(alive, facet)
            if facet == "schema":
                holder = newest([m for m in alive if m.side != "in"], facet) or holder
            if holder is not None and not is_tombstone(holder.facets[facet]):
                values[facet] = holder.facets[facet]
        return values

    def _versions(self, dataset: Name, members: frozenset[Name], alive: list[Mention]) -> dict[VersionKey, Ord]:
        """Each version of the present history and the ord of its creation, in that order.

        READING: mentions that are gone give no version; a version that a run wrote was created when the first
        such run ended, any other at the least ord of an event that mentions it; an output of a run that isn't
        COMPLETE is an `other mention`; of two versions created by one event the written one is the later.
        """
        history = (dataset, opening_cut(members, self._cuts))
        written: dict[VersionKey, Ord] = {}
        mentioned: dict[VersionKey, Ord] = {}
        for run in self.runs.values():
            outputs = [m for m in alive if m.event.run == run.key and m.direction == "out"]
            if run.state == "COMPLETED" and outputs:
                assert run.end is not None
                key = (*history, *(version_key(newest(outputs, "version")) or ("run", run.key)))
                written[key] = min(written.get(key, run.end), run.end)
        for mention in alive:
            run_of_it = self.run_of(mention.event)
            wrote = mention.direction == "out" and run_of_it is not None and run_of_it.state == "COMPLETED"
            named = version_key(mention)
            if named is not None and not wrote:
                key = (*history, *named)
                mentioned[key] = min(mentioned.get(key, mention.event.ord), mention.event.ord)
        created = mentioned | written
        return {key: created[key] for key in sorted(created, key=lambda v: (created[v], v in written, v[2:]))}

    def _input_versions(self, run: Run) -> dict[Name, VersionKey | None]:
        """READING: "current at the run's start" is the last one created before it."""
        found: dict[Name, VersionKey | None] = {}
        for name in self._io(_run_candidate(run, run.start), "in", self.place_now):
            dataset = self.datasets[name]
            history = (name, opening_cut(dataset.members, self._cuts))
            inputs = [m for m in mentions(run.events, "in") if self.place_now(m) == name]
            named = version_key(newest(inputs, "version"))
            before = [v for v in dataset.versions if dataset.version_created[v] < run.start]
            found[name] = (*history, *named) if named else before[-1] if before else None
        return found


def _candidate_ord(run: Run) -> Ord | None:
    if run.state == "COMPLETED":
        return run.end
    if run.streaming:
        return max((e.ord for e in run.events if e.type == "RUNNING"), default=None)
    return None


def _run_candidate(run: Run, ord_: Ord) -> Candidate:
    return Candidate(ord_, "run", run.key[3], tuple(run.events), version_of(run.job, run.events))


def _job_candidate(event: Event) -> Candidate:
    assert event.job is not None
    return Candidate(event.ord, "job", event.id, (event,), version_of(event.job, [event]))


def version_key(holder: Mention | None) -> tuple[str, str] | None:
    facet = None if holder is None else holder.facets.get("version")
    name = None if facet is None else version_name(facet)
    return None if name is None else ("version", name)


def schema_fields(facet: Json) -> list[tuple[Json, Json]]:
    return [(f.get("name"), f.get("type")) for f in objects(facet.get("fields"))]
