"""A story's events and its truth enter; every point in which a hub that took the events says otherwise leaves.

`tests/fixtures/stories/README.md` tells how a story is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import yaml

from tests.properties.in_process import Client

STORIES = Path(__file__).parents[1] / "fixtures" / "stories"
MOST = 1000
JOB_KEYS = {
    "state", "reads", "writes", "reads_by_columns", "parent", "runs", "states", "interval", "named_only", "type",
    "versions", "description",
}  # fmt: skip
DATASET_KEYS = {
    "fields", "versions", "version_names", "aliases", "deleted", "named_only", "conflict", "description", "owners",
    "assertions", "type",
}  # fmt: skip
RUN_KEYS = {
    "state", "job", "conflict", "seconds", "error", "shared_with", "parent", "reads", "writes", "written_rows",
    "nominal", "ended", "interval",
}  # fmt: skip
VIEW_KEYS = {"jobs", "datasets", "columns", "runs"}
STORY_KEYS = VIEW_KEYS | {"about", "after", "namespaces", "warnings", "as_of", "dead_letters", "events"}
Truth = dict[str, Any]


@dataclass(frozen=True)
class Story:
    path: Path
    truth: Truth = field(repr=False)

    @property
    def name(self) -> str:
        return self.path.relative_to(STORIES).with_suffix("").as_posix()

    @property
    def events(self) -> list[bytes]:
        return self.path.with_suffix(".ndjson").read_bytes().splitlines()

    def full(self, short: str) -> tuple[str, str]:
        """`pg/shop.orders` in full; the part before the first slash is one of the story's namespaces."""
        alias, _, name = short.partition("/")
        return self.truth["namespaces"][alias], name

    def short(self, namespace: str, name: str) -> str:
        by_namespace = {full: alias for alias, full in self.truth["namespaces"].items()}
        return f"{by_namespace.get(namespace, f'<{namespace}>')}/{name}"


def read_stories() -> list[Story]:
    found = [Story(path, yaml.safe_load(path.read_text())) for path in sorted(STORIES.rglob("*.yaml"))]
    told = {path.with_suffix(".yaml") for path in STORIES.rglob("*.ndjson")}
    assert told == {story.path for story in found}, "a story has a .ndjson and a .yaml of the same name"
    return found


def misspelt(story: Story) -> list[str]:
    """Words of a truth that nothing would look at."""
    truth = story.truth
    wrong = [f"{word} is not a word of a story" for word in truth.keys() - STORY_KEYS]
    wrong += [
        f"{word} is missing" for word in ("about", "after", "namespaces", "jobs", "datasets") if word not in truth
    ]
    for view in (truth, *(truth.get("as_of") or {}).values()):
        for what, words in (("jobs", JOB_KEYS), ("datasets", DATASET_KEYS), ("runs", RUN_KEYS)):
            for name, said in (view.get(what) or {}).items():
                wrong += [f"{what} {name}: {word} is not a word of it" for word in (said or {}).keys() - words]
    wrong += [f"as_of: {word}" for at in (truth.get("as_of") or {}).values() for word in at.keys() - VIEW_KEYS]
    return wrong


@dataclass
class Telling:
    """Compares one story with the hub that was told it, at one moment."""

    story: Story
    client: Client
    moment: dict[str, str]

    def get(self, *parts: str, **parameters: object) -> Any:
        import json

        path = "/api/v1" + "".join("/" + quote(part, safe="") for part in parts)
        words = urlencode({**self.moment, **{key: str(value) for key, value in parameters.items()}})
        [(status, body)] = self.client.get(f"{path}?{words}")
        assert status == 200, f"{path} {status} {body!r}"
        return json.loads(body)

    def differences(self, truth: Truth) -> Iterator[str]:
        if "jobs" in truth:
            yield from self._jobs(truth["jobs"] or {})
        if "datasets" in truth:
            yield from self._datasets(truth["datasets"] or {})
            yield from _differ("columns", self._columns(), sorted(truth.get("columns") or []))
        for run, said in (truth.get("runs") or {}).items():
            yield from self._run(run, said)

    def refs(self, listed: list[Any]) -> list[str]:
        return sorted(self.story.short(one["namespace"], one["name"]) for one in listed)

    # Jobs

    def _jobs(self, truth: dict[str, Truth | None]) -> Iterator[str]:
        told = self.get("jobs", limit=MOST)["jobs"]
        yield from _differ("jobs", self.refs(told), sorted(truth))
        for job in told:
            name = self.story.short(job["namespace"], job["name"])
            if name in truth:
                yield from self._job(f"job {name}", job, truth[name] or {})

    def _job(self, what: str, job: Any, truth: Truth) -> Iterator[str]:
        latest = job["latestRun"]
        state = None if latest is None or latest.get("namedOnly") else latest["state"]
        yield from _differ(f"{what} state", state, truth.get("state"))
        yield from _differ(f"{what} reads", self.refs(job["inputs"]), sorted(truth.get("reads") or []))
        yield from _differ(f"{what} writes", self.refs(job["outputs"]), sorted(truth.get("writes") or []))
        yield from _differ(f"{what} named_only", bool(job.get("namedOnly")), bool(truth.get("named_only")))
        yield from self._edges(what, job, truth)
        path = ("namespaces", job["namespace"], "jobs", job["name"])
        if "parent" in truth:
            yield from _differ(f"{what} parent", job["parentJobName"], truth["parent"])
        if "type" in truth:
            yield from _differ(f"{what} type", job["type"], truth["type"])
        if "description" in truth:
            yield from _differ(f"{what} description", job["description"], truth["description"])
        if "versions" in truth:
            yield from _differ(f"{what} versions", self.get(*path, "versions")["totalCount"], truth["versions"])
        listed = [run for run in self.get(*path, "runs", limit=MOST)["runs"] if not run.get("namedOnly")]
        if "runs" in truth:
            yield from _differ(f"{what} runs", len(listed), truth["runs"])
        if "states" in truth:
            yield from _differ(f"{what} states", [run["state"] for run in listed], truth["states"])
        if "interval" in truth:
            yield from _differ(f"{what} interval", _interval(listed[0]), truth["interval"])

    def _edges(self, what: str, job: Any, truth: Truth) -> Iterator[str]:
        node = f"job:{job['namespace']}:{job['name']}"
        answer = self.get("lineage", nodeId=node, depth=1)
        own = next(one for one in answer["graph"] if one["id"] == node)
        names = {one["id"]: self.refs([one["data"]])[0] for one in answer["graph"]}
        by_columns = sorted(names[edge["origin"]] for edge in own["inEdges"] if edge.get("from") == "columns")
        plain = sorted(names[edge["origin"]] for edge in own["inEdges"] if edge.get("from") != "columns")
        written = sorted(names[edge["destination"]] for edge in own["outEdges"])
        yield from _differ(f"{what} edges in", plain, sorted(truth.get("reads") or []))
        yield from _differ(f"{what} edges by columns", by_columns, sorted(truth.get("reads_by_columns") or []))
        yield from _differ(f"{what} edges out", written, sorted(truth.get("writes") or []))

    # Datasets

    def _listed(self) -> list[Any]:
        namespaces = [one["name"] for one in self.get("namespaces", limit=MOST)["namespaces"]]
        return [
            dataset
            for namespace in namespaces
            for dataset in self.get("namespaces", namespace, "datasets", limit=MOST)["datasets"]
        ]

    def _datasets(self, truth: dict[str, Truth | None]) -> Iterator[str]:
        there = sorted(name for name, said in truth.items() if not (said or {}).get("deleted"))
        yield from _differ("datasets", self.refs(self._listed()), there)
        for name, said in truth.items():
            namespace, full = self.story.full(name)
            yield from self._dataset(f"dataset {name}", self.get("namespaces", namespace, "datasets", full), said or {})

    def _dataset(self, what: str, dataset: Any, truth: Truth) -> Iterator[str]:
        yield from _differ(f"{what} named_only", bool(dataset.get("namedOnly")), bool(truth.get("named_only")))
        yield from _differ(f"{what} deleted", bool(dataset.get("deleted")), bool(truth.get("deleted")))
        yield from _differ(f"{what} conflict", bool(dataset.get("symlinkConflict")), bool(truth.get("conflict")))
        yield from _differ(f"{what} aliases", self.refs(dataset.get("aliases", [])), sorted(truth.get("aliases") or []))
        if "fields" in truth:
            told = [
                one["name"] if one.get("type") is None else f"{one['name']} {one['type']}" for one in dataset["fields"]
            ]
            plain = [one["name"] for one in dataset["fields"]]
            typed = any(" " in one for one in truth["fields"])
            yield from _differ(f"{what} fields", told if typed else plain, truth["fields"])
        if "description" in truth:
            yield from _differ(f"{what} description", dataset["description"], truth["description"])
        if "type" in truth:
            yield from _differ(f"{what} type", dataset["type"], truth["type"])
        if "owners" in truth:
            yield from _differ(f"{what} owners", [one["name"] for one in dataset["owners"]], truth["owners"])
        if "assertions" in truth:
            told = [f"{one['assertion']} {one.get('column') or '-'} {one['success']}" for one in dataset["assertions"]]
            yield from _differ(f"{what} assertions", told, truth["assertions"])
        path = ("namespaces", dataset["namespace"], "datasets", dataset["name"], "versions")
        if "versions" in truth:
            yield from _differ(f"{what} versions", self.get(*path)["totalCount"], truth["versions"])
        if "version_names" in truth:
            told = [_version_name(one) for one in self.get(*path)["versions"]]
            yield from _differ(f"{what} version names", told, truth["version_names"])

    def _columns(self) -> list[str]:
        """`from dataset.field -> to dataset.field`, or `-> dataset` for what goes into it as a whole."""
        found: set[str] = set()
        for dataset in self._listed():
            node = f"dataset:{dataset['namespace']}:{dataset['name']}"
            for one in self.get("column-lineage", nodeId=node, depth=MOST)["graph"]:
                own = one["data"]
                target = self.story.short(own["namespace"], own["dataset"])
                target += f".{own['field']}" if own.get("field") else ""
                for source in own["inputFields"]:
                    origin = self.story.short(source["namespace"], source["dataset"])
                    found.add(f"{origin}.{source['field']} -> {target}")
        return sorted(found)

    # Runs

    def _run(self, run_id: str, truth: Truth) -> Iterator[str]:
        run, what = self.get("jobs", "runs", run_id), f"run {run_id}"
        told: Truth = {
            "state": run["state"],
            "job": self.refs([run["job"]])[0],
            "conflict": sorted(run.get("conflict", [])),
            "seconds": None if run["durationMs"] is None else run["durationMs"] / 1000,
            "ended": run["endedAt"] is not None,
            "error": (run.get("error") or {}).get("message"),
            "shared_with": self.refs(run.get("sharedWith", [])),
            "parent": run["args"].get("run_id"),
            "nominal": run["nominalStartTime"],
            "reads": self.refs([one["datasetVersionId"] for one in run["inputDatasetVersions"]]),
            "writes": self.refs([one["datasetVersionId"] for one in run["outputDatasetVersions"]]),
            "written_rows": [(one.get("statistics") or {}).get("rowCount") for one in run["outputDatasetVersions"]],
            "interval": _interval(run),
        }
        for word, said in truth.items():
            yield from _differ(f"{what} {word}", told[word], said)


def _interval(run: Any) -> Truth | None:
    told = run.get("interval")
    if told is None:
        return None
    return {"runs": told["runs"], "states": told["states"], "from": told["startedAt"], "to": told["updatedAt"]}


def _version_name(version: Any) -> str | None:
    facet = (version.get("facets") or {}).get("version") or {}
    return facet.get("datasetVersion")


def _differ(what: str, told: object, expected: object) -> Iterator[str]:
    if told != expected:
        yield f"{what}:\n    the hub says  {told!r}\n    the truth is  {expected!r}"
