"""A hub that holds events enters; what it says of lineage leaves as sets that can be compared with a truth."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import quote

import httpx

Name = tuple[str, str]
MOST = 1000


@dataclass(frozen=True)
class Lineage:
    """Pairs of datasets: what a job read and what it wrote; `by_columns` are told by columnLineage alone."""

    edges: set[tuple[Name, Name]] = field(default_factory=set)
    by_columns: set[tuple[Name, Name]] = field(default_factory=set)


class Answers:
    """Asks a running hub over HTTP; names are (namespace, name) as the hub shows them."""

    def __init__(self, url: str) -> None:
        self.http = httpx.Client(base_url=f"{url}/api/v1", timeout=60)
        self.resolve = cache(self._resolve)

    def close(self) -> None:
        self.http.close()

    def get(self, path: str, **parameters: object) -> Any:
        answer = self.http.get(path, params={key: str(value) for key, value in parameters.items()})
        assert answer.status_code == 200, f"{path} {parameters}: {answer.status_code} {answer.text}"
        return answer.json()

    def jobs(self) -> list[Any]:
        return self.get("/jobs", limit=MOST)["jobs"]

    def datasets(self) -> list[Any]:
        namespaces = [each["name"] for each in self.get("/namespaces", limit=MOST)["namespaces"]]
        return [
            found
            for namespace in namespaces
            for found in self.get(f"/namespaces/{quote(namespace, safe='')}/datasets", limit=MOST)["datasets"]
        ]

    def dataset(self, name: Name, **moment: str) -> Any:
        return self.get(f"/namespaces/{quote(name[0], safe='')}/datasets/{quote(name[1], safe='')}", **moment)

    def _resolve(self, name: Name) -> Name:
        """The name under which a dataset is shown, whichever of its names is asked for."""
        found = self.dataset(name)
        return found["namespace"], found["name"]

    def runs(self, namespace: str, job: str) -> list[Any]:
        path = f"/namespaces/{quote(namespace, safe='')}/jobs/{quote(job, safe='')}/runs"
        return self.get(path, limit=MOST, expand="true")["runs"]

    def states(self) -> Counter[str]:
        """Of the runs that events tell of; those that are only named as a parent don't count."""
        return Counter(
            run["state"]
            for job in self.jobs()
            for run in self.runs(job["namespace"], job["name"])
            if not run.get("namedOnly")
        )

    def lineage(self, *, edges: str = "ever") -> Lineage:
        """Around every dataset, so that nothing depends on where one starts."""
        found = Lineage()
        for dataset in self.datasets():
            node = f"dataset:{dataset['namespace']}:{dataset['name']}"
            answer = self.get("/lineage", nodeId=node, depth=MOST, edges=edges)
            assert not answer["truncated"]
            names = {each["id"]: (each["data"]["namespace"], each["data"]["name"]) for each in answer["graph"]}
            for job in (each for each in answer["graph"] if each["type"] == "JOB"):
                for source in job["inEdges"]:
                    side = found.by_columns if source.get("from") == "columns" else found.edges
                    side.update((names[source["origin"]], names[out["destination"]]) for out in job["outEdges"])
        return found

    def columns(self, *, edges: str = "ever") -> tuple[set[tuple[Any, ...]], set[tuple[Any, ...]]]:
        """(source field, field) pairs, and (source field, dataset) pairs for what goes into a whole dataset."""
        to_fields: set[tuple[Any, ...]] = set()
        to_datasets: set[tuple[Any, ...]] = set()
        for dataset in self.datasets():
            node = f"dataset:{dataset['namespace']}:{dataset['name']}"
            answer = self.get("/column-lineage", nodeId=node, depth=MOST, edges=edges, withDownstream="true")
            assert not answer["truncated"]
            for each in answer["graph"]:
                own = each["data"]
                whole = (own["namespace"], own["dataset"])
                for source in own["inputFields"]:
                    start = (source["namespace"], source["dataset"], source["field"])
                    if each["type"] == "DATASET_FIELD":
                        to_fields.add((start, (*whole, own["field"])))
                    else:
                        to_datasets.add((start, whole))
        return to_fields, to_datasets
