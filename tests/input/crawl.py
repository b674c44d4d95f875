"""The names in an event enter; every question the hub answers about them is asked, and none may fail."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from tests.input.client import Client


def visit(client: Client, raw: bytes, *, parsed: bool = True) -> None:
    """Ask everything about one event that was taken; what Python can't parse is only asked for."""
    event = json.loads(raw)
    if not parsed:
        _ask_only(client, event)
        return
    if isinstance(event.get("job"), dict):
        about_job(client, event["job"]["namespace"], event["job"]["name"])
    if isinstance(event.get("run"), dict):
        about_run(client, event["run"]["runId"])
    subject = event.get("dataset") if not event.get("job") else None
    for dataset in [*(event.get("inputs") or [])[-2:], *(event.get("outputs") or [])[-2:], *filter(None, [subject])]:
        about_dataset(client, dataset["namespace"], dataset["name"])
    for path in ("namespaces", "jobs", "events/lineage"):
        ask(client, path, limit=20)


def _ask_only(client: Client, event: Any) -> None:
    job, run, dataset = event["job"], escaped(event["run"]["runId"]), event["outputs"][0]
    node = f"dataset:{dataset['namespace']}:{dataset['name']}"
    for path, parameters in (
        (f"namespaces/{escaped(job['namespace'])}/jobs/{escaped(job['name'])}", {}),
        (f"namespaces/{escaped(job['namespace'])}/jobs/{escaped(job['name'])}/runs", {}),
        (f"namespaces/{escaped(dataset['namespace'])}/datasets/{escaped(dataset['name'])}", {}),
        (f"namespaces/{escaped(dataset['namespace'])}/datasets/{escaped(dataset['name'])}/versions", {}),
        (f"jobs/runs/{run}", {}),
        (f"jobs/runs/{run}/facets", {"type": "run"}),
        (f"jobs/runs/{run}/facets", {"type": "job"}),
        ("lineage", {"nodeId": node, "depth": 1}),
        ("lineage", {"nodeId": node, "depth": 1, "edges": "ever", "as_of": "2100-01-01T00:00:00Z"}),
        ("column-lineage", {"nodeId": node}),
        ("lineage/diff", {"nodeId": node, "from": "2020-01-01T00:00:00Z"}),
    ):
        answer = client.get(path, **parameters)
        assert answer.status_code == 200, f"{path[:300]}: {answer.text[:500]}"


def escaped(name: str) -> str:
    """Dots too: clients take a segment of dots for a step up."""
    return quote(name, safe="").replace(".", "%2E")


def about_job(client: Client, namespace: str, name: str) -> Any:
    base = f"namespaces/{escaped(namespace)}/jobs/{escaped(name)}"
    job = ask(client, base)
    assert (job["namespace"], job["name"]) == (namespace, name)
    ask(client, f"{base}/runs")
    versions = ask(client, f"{base}/versions")["versions"]
    for version in versions[:1]:
        ask(client, f"{base}/versions/{version['version']}")
    for edges in ("current", "ever", "30d"):
        ask(client, "lineage", nodeId=f"job:{namespace}:{name}", edges=edges, depth=2)
    for style in ("mermaid", "dot", "csv"):
        answer = client.get("lineage", nodeId=f"job:{namespace}:{name}", format=style, depth=2)
        assert answer.status_code == 200
        assert answer.content
    about_namespace(client, namespace)
    return job


def about_run(client: Client, run_id: str) -> Any:
    base = f"jobs/runs/{escaped(run_id)}"
    for kind in ("run", "job"):
        ask(client, f"{base}/facets", type=kind)
    run = ask(client, base)
    assert run["id"] == run_id
    return run


def about_dataset(client: Client, namespace: str, name: str) -> Any:
    base = f"namespaces/{escaped(namespace)}/datasets/{escaped(name)}"
    dataset = ask(client, base)
    versions = ask(client, f"{base}/versions")["versions"]
    for version in versions[:1]:
        ask(client, f"{base}/versions/{version['version']}")
    node = f"dataset:{namespace}:{name}"
    ask(client, "lineage", nodeId=node, depth=2)
    ask(client, "lineage", nodeId=node, depth=2, edges="ever", direction="both", as_of="2030-01-01T00:00:00Z")
    ask(client, "lineage/diff", nodeId=node, depth=2, **{"from": "2020-01-01T00:00:00Z"})
    for edges in ("current", "ever"):
        ask(client, "column-lineage", nodeId=node, edges=edges, withDownstream="true", depth=2)
    for field in [one["name"] for one in dataset["fields"] if one["name"]][:2]:
        ask(client, "column-lineage", nodeId=f"datasetField:{namespace}:{name}:{field}", depth=2)
    about_namespace(client, namespace)
    return dataset


def about_namespace(client: Client, namespace: str) -> None:
    base = f"namespaces/{escaped(namespace)}"
    ask(client, base)
    ask(client, f"{base}/jobs", limit=5)
    ask(client, f"{base}/datasets", limit=5)


def ask(client: Client, path: str, **parameters: Any) -> Any:
    answer = client.get(path, **parameters)
    assert answer.status_code == 200, f"{path[:300]} {str(parameters)[:300]}: {answer.text[:500]}"
    return answer.json()
