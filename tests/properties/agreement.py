"""A hub and the oracle's view enter; every point in which the hub's answers differ from the view leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from tests.oracle.events import Name, version_name
from tests.oracle.identity import Json, event_text, time_ns
from tests.oracle.runs import Run
from tests.oracle.view import Column, ColumnEdge, Dataset, Edge, Job, View, dataset_node, job_node
from tests.properties.hubs import LIMIT, Hub, Question, ask_for, text_of
from tests.properties.questions import DEPTH

Difference = str


@dataclass
class Agreement:
    """Compares one hub with one view at one moment."""

    hub: Hub
    view: View
    as_of: int | None = None
    known_at: int | None = None
    alone: bool = True  # whether the hub holds this history only

    def differences(self) -> list[Difference]:
        return [difference for part in self._parts() for difference in part]

    def _parts(self) -> Iterator[Iterator[Difference]]:
        yield self._lists()
        yield self._events()
        for name, job in self.view.jobs.items():
            yield self._job(name, job)
        for name, dataset in self.view.datasets.items():
            yield self._dataset(name, dataset)
            yield self._columns(name)
        yield self._graphs("current", self.view.edges)
        yield self._graphs("ever", self.view.edges_ever())
        if self.alone or self.as_of is not None:
            yield self._graphs("30d", self.view.edges_within(30))

    def _ask(self, question: Question) -> Json:
        moment = {"as_of": self.as_of, "known_at": self.known_at}
        texts = {key: None if ns is None else text_of(ns) for key, ns in moment.items()}
        status, body = self.hub.ask(question.at(**texts))
        return body if status == 200 else {"code": str(status)}

    # Lists

    def _lists(self) -> Iterator[Difference]:
        for namespace in {name[0] for name in [*self.view.jobs, *self.view.datasets]}:
            jobs = self._ask(ask_for("namespaces", namespace, "jobs", limit=LIMIT))
            listed = Counter(_name(j) for j in jobs["jobs"])
            yield from differ(f"jobs of {namespace}", listed, _once(self.view.jobs, namespace))
            yield from differ(f"count of jobs of {namespace}", int(jobs["totalCount"]), listed.total())
            datasets = self._ask(ask_for("namespaces", namespace, "datasets", limit=LIMIT))
            listed = Counter(_name(d) for d in datasets["datasets"])
            there = [name for name, dataset in self.view.datasets.items() if not dataset.deleted]
            yield from differ(f"datasets of {namespace}", listed, _once(there, namespace))
            yield from differ(f"count of datasets of {namespace}", int(datasets["totalCount"]), listed.total())

    def _events(self) -> Iterator[Difference]:
        answer = self._ask(ask_for("events", "lineage", limit=LIMIT))
        told = Counter(event_text(body) for body in answer["events"])
        # A hub may hold more than one history; what it says of this one is what counts.
        expected = Counter(event_text(e.body) for e in self.view.events)
        yield from differ("events", {d: n for d, n in told.items() if d in expected}, dict(expected))

    # Jobs and runs

    def _job(self, name: Name, job: Job) -> Iterator[Difference]:
        path = ("namespaces", name[0], "jobs", name[1])
        told, what = self._ask(ask_for(*path)), f"job {name}"
        if "name" not in told:
            yield f"{what} is not found"
            return
        yield from differ(f"{what} namedOnly", bool(told.get("namedOnly")), job.named_only)
        yield from differ(f"{what} inputs", Counter(map(_name, told["inputs"])), Counter(job.inputs))
        yield from differ(f"{what} outputs", Counter(map(_name, told["outputs"])), Counter(job.outputs))
        yield from differ(f"{what} facets", told["facets"], job.facets)
        yield from differ(f"{what} createdAt", _time(told["createdAt"]), job.created_at)
        yield from differ(f"{what} updatedAt", _time(told["updatedAt"]), job.updated_at)
        versions = self._ask(ask_for(*path, "versions", limit=LIMIT))["versions"]
        yield from differ(f"{what} versions", len({v["version"] for v in versions}), len(job.versions))
        yield from differ(f"{what} versions listed", len(versions), len(job.versions))
        io = {(frozenset(map(_name, v["inputs"])), frozenset(map(_name, v["outputs"]))) for v in versions}
        yield from differ(f"{what} versions' datasets", io, self._io_of_versions(job))
        yield from self._runs(name, self._ask(ask_for(*path, "runs", limit=LIMIT, expand="true"))["runs"])
        folded = self._ask(ask_for(*path, "runs", limit=LIMIT))
        listed = [run for run in folded["runs"] if not run.get("namedOnly")]
        intervals = [interval(self.view, one) for one in self.view.intervals(name)]
        yield from differ(f"{what} intervals", list(map(told_interval, listed)), intervals)
        named = len(folded["runs"]) - len(listed)
        yield from differ(f"{what} count of intervals", int(folded["totalCount"]), len(intervals) + named)
        latest = [run for run in told["latestRuns"] if not run.get("namedOnly")]
        yield from differ(f"{what} latest", list(map(told_interval, latest)), intervals[:10])

    def _io_of_versions(self, job: Job) -> set[tuple[frozenset[Name], frozenset[Name]]]:
        return {(frozenset(inputs), frozenset(outputs)) for _, inputs, outputs, _ in job.versions}

    def _runs(self, job: Name, told: list[Json]) -> Iterator[Difference]:
        named_only = Counter((job, run["id"]) for run in told if run.get("namedOnly"))
        expected_named = Counter(named for named in self.view.named_runs if named[0] == job)
        yield from differ(f"runs of {job} that are named only", named_only, expected_named)
        told = [run for run in told if not run.get("namedOnly")]
        runs = [run for run in self.view.runs.values() if run.job == job]
        expected = sorted(((run.key[3], *self.view.shown(run)) for run in runs), key=repr)
        yield from differ(f"runs of {job}", sorted(map(_told_run_facts, told), key=repr), expected)
        for run in runs:
            named = [r for r in runs if r.key[3] == run.key[3]]
            if len(named) > 1:  # of two tenants: the list doesn't tell which is which
                continue
            [of_run] = [r for r in told if r["id"] == run.key[3]] or [None]
            if of_run is not None:
                yield from differ(f"run {run.key} facets", of_run["facets"], run.facets)
                yield from self._input_versions(run, of_run["inputDatasetVersions"])

    def _input_versions(self, run: Run, told: list[Json]) -> Iterator[Difference]:
        """By the time of their creation: ids are the hub's own."""
        read: dict[Name, int | None] = {}
        for one in told:
            name = self.view.resolve(*_name(one["datasetVersionId"]))
            versions = self._ask(ask_for("namespaces", name[0], "datasets", name[1], "versions", limit=LIMIT))
            created = {v["version"]: _time(v["createdAt"]) for v in versions.get("versions", [])}
            read[name] = created.get(one["datasetVersionId"]["version"])
        expected: dict[Name, int | None] = {
            name: self.view.datasets[name].version_created[key][0]
            for name, key in run.input_versions.items()
            if key is not None
        }
        known = {name: at for name, at in read.items() if at is not None}
        yield from differ(f"run {run.key} input versions", known, expected)

    # Datasets

    def _dataset(self, name: Name, dataset: Dataset) -> Iterator[Difference]:
        path, what = ("namespaces", name[0], "datasets", name[1]), f"dataset {name}"
        told = self._ask(ask_for(*path))
        if "name" not in told:
            yield f"{what} is not found"
            return
        for member in dataset.members:
            by_member = self._ask(ask_for("namespaces", member[0], "datasets", member[1]))
            yield from differ(f"{what} asked for as {member}", by_member, told)
        yield from differ(f"{what} namedOnly", bool(told.get("namedOnly")), dataset.named_only)
        yield from differ(f"{what} deleted", bool(told.get("deleted")), dataset.deleted)
        yield from differ(f"{what} conflict", bool(told.get("symlinkConflict")), dataset.symlink_conflict)
        yield from differ(f"{what} facets", told["facets"], dataset.facets)
        fields = [(f["name"], f.get("type")) for f in told["fields"]]
        yield from differ(f"{what} fields", fields, dataset.fields)
        yield from differ(f"{what} createdAt", _time(told["createdAt"]), dataset.created_at)
        yield from differ(f"{what} updatedAt", _time(told["updatedAt"]), dataset.updated_at)
        versions = self._ask(ask_for(*path, "versions", limit=LIMIT))["versions"]
        expected = [dataset.version_created[key][0] for key in reversed(dataset.versions)]
        yield from differ(f"{what} versions, newest first", [_time(v["createdAt"]) for v in versions], expected)
        yield from differ(f"{what} ids of versions", len({v["version"] for v in versions}), len(expected))
        current = versions[0]["version"] if versions else None
        yield from differ(f"{what} current version", told.get("currentVersion"), current)

    # Graphs

    def _graphs(self, kind: str, edges: set[Edge]) -> Iterator[Difference]:
        nodes = [*map(job_node, self.view.jobs), *map(dataset_node, self.view.datasets)]
        if kind != "current":  # what hangs together gets the same answer: one of it is enough
            nodes = [node for node in nodes if node == min(connected(node, edges))]
        for node in nodes:
            what = f"lineage of {node}, edges={kind}"
            answer = self._ask(ask_for("lineage", nodeId=node, depth=DEPTH, edges=kind))
            if "graph" not in answer:
                yield f"{what}: {answer}"
                continue
            reached = connected(node, edges)
            yield from differ(f"{what}: nodes", {n["id"] for n in answer["graph"]}, reached)
            yield from differ(f"{what}: edges", told_edges(answer), {e for e in edges if e[0] in reached})
            if kind == "current":
                for direction in ("upstream", "downstream"):
                    answer = self._ask(ask_for("lineage", nodeId=node, depth=DEPTH, direction=direction))
                    told = {n["id"] for n in answer["graph"]}
                    yield from differ(f"{what}, {direction}", told, walked(node, edges, direction))

    def _columns(self, name: Name) -> Iterator[Difference]:
        for kind, edges in (("current", self.view.columns), ("ever", self.view.columns_ever())):
            question = ask_for("column-lineage", nodeId=dataset_node(name), depth=DEPTH, withDownstream="true")
            answer = self._ask(Question(question.path, (*question.parameters, ("edges", kind))))
            touching = {e for e in edges if name in (e[0][:2], e[1][:2])}
            told = told_columns(answer)
            what = f"columns of {name}, edges={kind}"
            yield from differ(f"{what}: its own", {e for e in told if name in (e[0][:2], e[1][:2])}, touching)
            yield from differ(f"{what}: all that it depends on or feeds", told, lineage_of_columns(name, edges))


# What the view leads to


def connected(node: str, edges: Collection[Edge]) -> set[str]:
    """Everything that hangs together with a node, whatever the direction."""
    reached = {node}
    while more := {n for o, d, _ in edges if {o, d} & reached for n in (o, d)} - reached:
        reached |= more
    return reached


def walked(node: str, edges: Collection[Edge], direction: str) -> set[str]:
    """What is reached along the arrows, or against them."""
    reached = {node}
    steps = {(o, d) if direction == "downstream" else (d, o) for o, d, _ in edges}
    while more := {d for o, d in steps if o in reached} - reached:
        reached |= more
    return reached


def lineage_of_columns(name: Name, edges: Collection[ColumnEdge]) -> set[ColumnEdge]:
    """The edges that lead to the fields of a dataset, and those that lead from them."""
    own: set[Column] = {column for edge in edges for column in edge if column[:2] == name}
    return _leading_to(own, edges) | _leading_from(own, edges)


def _leading_to(own: set[Column], edges: Collection[ColumnEdge]) -> set[ColumnEdge]:
    """What goes into a whole dataset goes into each of its fields."""
    found: set[ColumnEdge] = set()
    reached = set(own)
    while more := {e for e in edges if any(_meets(column, e[1]) for column in reached)} - found:
        found |= more
        reached |= {e[0] for e in more}
    return found


def _meets(column: Column, target: Column) -> bool:
    return column == target or (target[2] is None and column[:2] == target[:2])


def _leading_from(own: set[Column], edges: Collection[ColumnEdge]) -> set[ColumnEdge]:
    found: set[ColumnEdge] = set()
    reached = set(own)
    while more := {e for e in edges if e[0] in reached} - found:
        found |= more
        reached |= {e[1] for e in more}
    return found


# What the hub told


def told_edges(answer: Json) -> set[Edge]:
    found: set[Edge] = set()
    for node in answer["graph"]:
        assert all(e["destination"] == node["id"] for e in node["inEdges"]), node
        assert all(e["origin"] == node["id"] for e in node["outEdges"]), node
        found |= {(e["origin"], e["destination"], e.get("from")) for e in node["inEdges"] + node["outEdges"]}
    return found


def told_columns(answer: Json) -> set[ColumnEdge]:
    """Told by each node's input fields; a node without a field is a whole dataset."""
    found: set[ColumnEdge] = set()
    for node in answer.get("graph", []):
        data = node["data"]
        target = (data["namespace"], data["dataset"], data.get("field"))
        found |= {((f["namespace"], f["dataset"], f["field"]), target) for f in data["inputFields"]}
    return found


def _told_run_facts(run: Json) -> tuple[object, ...]:
    ended = run["endedAt"]
    conflict = sorted(run.get("conflict") or [])
    return (
        run["id"],
        run["state"],
        _time(run["createdAt"]),
        _time(run["startedAt"]),
        None if ended is None else _time(ended),
        conflict,
    )


def told_interval(run: Json) -> tuple[object, ...]:
    """A run by itself is an interval of one."""
    told = run.get("interval")
    if told is None:
        return (run["id"], run["id"], "1", {run["state"]: "1"}, _time(run["startedAt"]), _time(run["updatedAt"]), {})
    offsets = {(one["side"], one["namespace"], one["name"]): (one["first"], one["last"]) for one in told["offsets"]}
    assert told["lastRun"] == run["id"]
    first, last = _time(told["startedAt"]), _time(told["updatedAt"])
    return (run["id"], told["firstRun"], str(told["runs"]), told["states"], first, last, offsets)


def interval(view: View, runs: list[Run]) -> tuple[object, ...]:
    if len(runs) == 1:
        [run] = runs
        state, _, started_at, _, _ = view.shown(run)
        return (run.key[3], run.key[3], "1", {state: "1"}, started_at, run.events[-1].at, {})
    states = {state: str(count) for state, count in Counter(run.state for run in runs).items()}
    first, last = runs[0], runs[-1]
    begun, done = _versions_told(first), _versions_told(last)
    offsets = {where: (begun.get(where), version) for where, version in done.items()}
    updated_at = max(event.at for run in runs for event in run.events)
    return (last.key[3], first.key[3], str(len(runs)), states, first.start[0], updated_at, offsets)


def _versions_told(run: Run) -> dict[tuple[str, str, str], str]:
    found: dict[tuple[str, str, str], str | None] = {}
    for event in run.events:
        for mention in event.mentions:
            if "version" in mention.facets:
                found[mention.side, *mention.name] = version_name(mention.facets["version"])
    return {where: version for where, version in found.items() if version}


def _name(entity: Json) -> Name:
    return (entity["namespace"], entity["name"])


def _time(text: Json) -> int | None:
    return None if text is None else time_ns(text)


def _once(names: Collection[Name], namespace: str) -> Counter[Name]:
    return Counter(name for name in names if name[0] == namespace)


def differ(what: str, told: object, expected: object) -> Iterator[Difference]:
    if told != expected:
        yield f"{what}:\n    the hub says {told!r}\n    the oracle   {expected!r}"
