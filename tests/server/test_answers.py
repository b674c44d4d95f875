"""Every question is answered as the document says: nothing that isn't described, and all that is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from lineage_hub.model import EVERYTHING
from lineage_hub.query.live import Live
from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings
from lineage_hub.wire import instant_text
from tests.query.telemetry import scenario
from tests.server.full_hub import DAY, NOW, ODD_TRACE, PIPELINE_RUN, WAITING_RUN, Asking, fill, sweep
from tests.server.told_events import run_id

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
V1 = "/api/v1"
NS = f"{V1}/namespaces/{{namespace}}"
LONG_AGO, YESTERDAY = instant_text(NOW - 200 * DAY), instant_text(NOW - DAY)
MIDWEEK = instant_text(NOW - 2 * DAY)
DAILY = """
name: daily
description: Orders of a day
owners: ["team:data"]
parameters: {day: {default: today}}
stages:
  read: {extract: {format: csv, path: /in}}
  write: {load: {from: read, format: parquet, path: /out}}
"""
# Its answer has no end: what it sends is checked below.
ENDLESS = f"{V1}/stream"
# What only trouble or a large store brings; other tests do.
NOT_HERE = {
    "SearchAnswer.preparing",
    "SearchAnswer.preparing.done",
    "SearchAnswer.preparing.of",
    "Explanation.telemetry.message",
}
Where = dict[str, str]
Queries = list[dict[str, Any]]


@dataclass
class Known:
    """What the hub can be asked about."""

    jobs: list[Where] = field(default_factory=list)
    datasets: list[Where] = field(default_factory=list)
    runs: list[Where] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    edges: list[Where] = field(default_factory=list)
    events: list[Where] = field(default_factory=list)
    traces: list[Where] = field(default_factory=list)


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    data, folder = tmp_path_factory.mktemp("hub"), tmp_path_factory.mktemp("pipelines")
    (folder / "daily.yaml").write_text(DAILY)
    (folder / "broken.yaml").write_text("name: broken\n")
    settings = Settings(data_dir=data, log_level="error", pipeline_folder=str(folder))
    with TestClient(create_app(settings, clock=lambda: NOW)) as client:
        asking = Asking(client)
        fill(asking, Path(data))
        yield asking


def known_of(ask: Asking) -> Known:
    known = Known()
    every = ask.client.get(f"{V1}/jobs", params={"limit": 10_000}).json()["jobs"]
    odd = [one for one in every if one["namespace"] == "odd"]
    for one in [*odd, *every[:: max(1, len(every) // 15)]]:
        known.jobs.append({"namespace": one["namespace"], "job": one["name"]})
        known.runs += [{"run_id": run["id"]} for run in one["latestRuns"][:1]]
    known.runs += [{"run_id": one} for one in (*scenario.RUNS.values(), run_id(12), run_id(13), run_id(14))]
    failed = [run["id"] for one in every for run in one["latestRuns"] if run["state"] == "FAILED"]
    known.runs += [{"run_id": one} for one in failed[:15]]
    for space in ask.client.get(f"{V1}/namespaces").json()["namespaces"]:
        path = f"{V1}/namespaces/{quote(space['name'], safe='')}/datasets"
        listed = ask.client.get(path, params={"limit": 1_000}).json()["datasets"]
        chosen = listed if space["name"] == "odd" else listed[:: max(6, len(listed) // 4)]
        known.datasets += [{"namespace": one["namespace"], "dataset": one["name"]} for one in chosen]
    known.datasets += [{"namespace": "odd", "dataset": name} for name in ("dropped", "no such table")]
    known.nodes = [f"dataset:{one['namespace']}:{one['dataset']}" for one in known.datasets[::3]]
    known.nodes += [f"job:{one['namespace']}:{one['job']}" for one in known.jobs[::4]]
    known.nodes += [f"dataset:odd:{name}" for name in ("dropped", "table", "claims_1", "only_in_columns", "report")]
    known.nodes += ["job:odd:only_named"]
    for name in ("compared", "declared", "streams"):
        graph = ask.client.get(f"{V1}/lineage", params={"nodeId": f"job:odd:{name}", "depth": 0}).json()["graph"]
        known.edges += [{"edge": edge["id"]} for node in graph for edge in node["inEdges"]]
    listed = ask.client.get(f"{V1}/events/lineage", params={"limit": 10_000}).json()
    of_rules = [number for number, one in enumerate(listed["events"]) if re.search("bulky|old_name", str(one))]
    known.events = [{"event_id": one} for one in (*(listed["ids"][at] for at in of_rules), *listed["ids"][::150], "0")]
    traces = ask.client.get(f"{V1}/traces", params={"limit": 5}).json()["traces"]
    known.traces = [{"trace_id": one} for one in (ODD_TRACE, *scenario.TRACES.values())]
    known.traces += [{"trace_id": one["traceId"]} for one in traces]
    return known


def places(ask: Asking, path: str, known: Known) -> list[Where]:
    """What fills the path."""
    names = tuple(re.findall(r"{(\w+)}", path))
    pools: dict[tuple[str, ...], list[Where]] = {
        (): [{}],
        ("namespace",): [{"namespace": one} for one in ("odd", "declared", "hidden", "no such")],
        ("namespace", "job"): known.jobs,
        ("namespace", "dataset"): known.datasets,
        ("run_id",): known.runs,
        ("trace_id",): known.traces,
        ("edge",): known.edges,
        ("event_id",): known.events,
        ("source",): [{"source": one} for one in ("db", "default", "no such")],
        ("kind",): [{"kind": "names"}, {"kind": "facets"}],
        ("run_id", "other_id"): [
            {"run_id": one, "other_id": other}
            for one, other in ((run_id(0), run_id(1)), (run_id(1), run_id(0)), (run_id(1), run_id(13)))
        ],
    }
    if path.startswith(f"{V1}/pipeline"):
        return [{"run_id": one} for one in (PIPELINE_RUN, WAITING_RUN, "none")] if names else [{}]
    if names == ("letter_id",):
        letters = ask.client.get(f"{V1}/dead-letters").json()["deadLetters"]
        return [{"letter_id": str(one["id"])} for one in letters]
    if names == ("name",):
        metrics = ask.client.get(f"{V1}/telemetry/metrics").json()["metrics"]
        return [{"name": one["name"]} for one in metrics]
    if names[-1:] == ("version",):
        found = []
        for where in pools[names[:-1]]:
            answer = ask("get", path.removesuffix("/{version}"), where, None)
            listed = answer.json()["versions"] if answer.status_code == 200 else []
            found += [{**where, "version": one["version"]} for one in listed[:1]]
        return [*found, {**found[0], "version": "none"}]
    return pools[names]


def queries(path: str, known: Known) -> Queries:
    """With which parameters a path is asked; a moment in the past is one of them where it can be."""
    page = {"limit": 3, "offset": 1}
    column = "datasetField:odd:orders:amount"
    by_path: dict[str, Queries] = {
        f"{V1}/lineage": [
            *({"nodeId": node, "depth": 3} for node in known.nodes),
            *({"nodeId": "dataset:odd:report", "edges": edges} for edges in ("ever", "30d")),
            {"nodeId": "dataset:odd:report", "limit": 2},
            {"nodeId": "dataset:odd:report", "as_of": MIDWEEK, "direction": "upstream"},
            *({"nodeId": "dataset:odd:report", "format": style} for style in ("mermaid", "dot", "csv")),
        ],
        f"{V1}/column-lineage": [
            *({"nodeId": node, "withDownstream": "true"} for node in (*known.nodes[::2], column)),
            {"nodeId": "dataset:odd:report", "edges": "ever", "limit": 1},
            {"nodeId": "job:odd:compared", "format": "csv"},
        ],
        f"{V1}/lineage/diff": [
            {"nodeId": "dataset:odd:report", "from": YESTERDAY, "to": instant_text(NOW)},
            {"nodeId": "dataset:odd:report", "from": instant_text(NOW - 3 * DAY + 600 * 10**9)},
            *({"nodeId": node, "from": MIDWEEK} for node in known.nodes[::3]),
        ],
        f"{V1}/impact": [
            *({"nodeId": node} for node in (*known.nodes[::2], column, "datasetField:odd:orders:id")),
            {"nodeId": column, "format": "csv"},
            {"nodeId": column, "format": "markdown"},
            {"nodeId": "dataset:odd:no", "limit": 0},
        ],
        f"{V1}/search": [
            *({"q": text} for text in ("orders", "ordres", "customer name", "odd", "gold", "team:data", "claims")),
            {"q": "dropped", "state": "DELETED"},
            {"q": "what is sold"},
            {"q": "only_named"},
            {"tag": "gold"},
            {"q": "report", "as_of": MIDWEEK, "sort": "name"},
        ],
        f"{V1}/runlineage/upstream": [{"runId": run_id(5)}, {"runId": "none"}, {"runId": run_id(5), "depth": 0}],
        f"{V1}/metrics": [{"from": LONG_AGO}, {}],
        f"{V1}/events/lineage": [{"limit": 50}, {"limit": 5, "sortDirection": "asc", "before": MIDWEEK}],
        f"{V1}/jobs": [page, {"limit": 30}, {"lastRunStates": "FAILED", "limit": 10}, {"limit": 5, "as_of": MIDWEEK}],
        f"{NS}/jobs": [{"limit": 100}],
        f"{NS}/datasets": [{"limit": 100}, page],
        f"{NS}/jobs/{{job}}/runs": [{"limit": 5}, {"limit": 3, "expand": "true"}],
        f"{NS}/jobs/{{job}}/timeline": [{"limit": 20}, {"limit": 2, "offset": 1, "from": MIDWEEK}],
        f"{NS}/datasets/{{dataset}}/quality": [{}, {"limit": 1}],
        f"{NS}/datasets/{{dataset}}/freshness": [{}, {"learned": "true"}],
        f"{V1}/freshness": [{}, {"learned": "true", "limit": 1_000}, {"state": "late", "as_of": MIDWEEK}],
        f"{V1}/jobs/runs/{{run_id}}/facets": [{}, {"type": "job"}],
        f"{V1}/datasets": [page, {"limit": 5, "as_of": MIDWEEK}, {"namespace": "odd"}, {"namespace": "no such"}],
        f"{V1}/runs/{{run_id}}/children": [{"depth": 20}, page],
        f"{V1}/traces": [{}, {"limit": 3, "error": "true"}],
        f"{V1}/traces/{{trace_id}}/diff": [{"to": scenario.TRACES["again"]}, {"to": scenario.RUNS["named"]}],
        f"{V1}/logs": [{}, {"run": scenario.RUNS["stage"]}, {"words": "timeout", "severity": "WARN"}],
        f"{V1}/telemetry/operations": [{}, {"step": 3600, "exact": "false"}, {"step": 3600, "exact": "true"}],
        f"{V1}/telemetry/metrics/{{name}}": [{"step": 60}, {"by": "route"}],
        f"{V1}/analytics/success": [{}, {"stage": "load"}],
        f"{V1}/analytics/durations/steps": [{}, {"stage": "load"}, {"from": LONG_AGO, "step": 1_000_000}],
        f"{V1}/stats/lineage-events": [{"period": "DAY"}, {"period": "WEEK", "timezone": "Europe/Berlin"}],
        **{f"{V1}/stats/{what}": [{"period": "DAY"}, {"period": "WEEK"}] for what in ("jobs", "datasets", "sources")},
        f"{V1}/producers": [{}, {"silent": "1d"}, {"as_of": MIDWEEK}],
        f"{V1}/tags": [{"limit": 1_000}],
        f"{V1}/overview": [{}, {"hours": 168}, {"as_of": MIDWEEK, "hours": 48}],
        f"{V1}/badges": [{"nodeId": known.nodes}, {"nodeId": known.nodes[:3], "as_of": MIDWEEK}],
    }
    return by_path.get(path, [{}])


def test_every_question_is_answered_as_described(ask: Asking) -> None:
    routes = [one for one in ask.client.app.routes if isinstance(one, APIRoute) and one.include_in_schema]  # type: ignore[attr-defined]
    paths = {one.path_format for one in routes if "GET" in one.methods} - {ENDLESS}
    assert ask.described.questions == {*paths, ENDLESS}
    known = known_of(ask)
    for path in sorted(paths):
        for where in places(ask, path, known):
            for query in queries(path, known):
                ask("get", path, where, None, params=query)
    _listen(ask)
    sweep(ask)
    for path in sorted(path for path in paths if "horizon" in str(_answer_of(ask, path).get("properties", ()))):
        for where in places(ask, path, known)[:12]:
            ask("get", path, where, None, params=queries(path, known)[0])
    assert paths - {path for method, path in ask.described.answered if method == "get"} == set()
    assert sorted(ask.described.unseen() - NOT_HERE) == []


def _answer_of(ask: Asking, path: str) -> dict[str, Any]:
    schema = next(iter(ask.described.paths[path]["get"]["responses"]["200"]["content"].values()))["schema"]
    name = schema.get("$ref", "").rpartition("/")[2]
    return dict(ask.described.schemas.get(name, {}))


def _listen(ask: Asking) -> None:
    store = ask.client.app.state.hub.store  # type: ignore[attr-defined]
    messages = {"events": "EventMessage", "runs": "RunMessage", "changes": "ChangeMessage"}
    page = Live(store).page(EVERYTHING, 0, 5_000)
    told = [one for item in page.items for one in item.messages]
    assert {one.topic for one in told} == messages.keys()
    # Of those of the week one in ten is enough.
    for one in [*told[::10], *(one for one in told if b"odd" in one.data)]:
        schema = {"$ref": f"#/components/schemas/{messages[one.topic]}"}
        ask.described.check_value(schema, json.loads(one.data), one.topic)


def test_what_the_page_writes_with_is_answered_as_described(ask: Asking) -> None:
    """The hub was filled with them."""
    ask("post", f"{V1}/pipeline/run/{{run_id}}/cancel", {"run_id": WAITING_RUN}, 202)
    ask("post", f"{V1}/pipeline/run/{{run_id}}/cancel", {"run_id": PIPELINE_RUN}, 409)
    ask("post", f"{V1}/pipeline/run", status=404, json={"pipeline": "none"})
    # To start another takes Spark; a run that was asked for before is answered in the same words.
    ask("post", f"{V1}/pipeline/run", status=200, json={"pipeline": "daily", "idempotency_key": "once"})
    ask("post", f"{V1}/badges", json={"nodeIds": ["dataset:odd:report", "job:odd:compared"]})
    writes = {
        (method, path)
        for path, methods in ask.described.paths.items()
        for method in methods
        if method != "get" and "/retention" not in path
    }
    sent_by_programs = {
        ("post", f"{V1}/lineage"),
        ("post", f"{V1}/lineage/ingest"),
        ("post", f"{V1}/webhook/lineage"),
        ("post", f"{V1}/telemetry/ingest"),
        *(("post", f"/v1/{what}") for what in ("traces", "metrics", "logs")),
    }
    assert writes - ask.described.answered - sent_by_programs == set()
