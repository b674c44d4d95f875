"""Runs lead to their traces and traces to runs, jobs and datasets, by id where there is one, else by name and time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient

from lineage_hub.sdk.runs import TRACE_FACET as SDK_FACET
from lineage_hub.sdk.trace_context import TraceContext, facet_content
from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings
from lineage_hub.wire import instant_text
from lineage_hub.wire.described import TRACE_FACET
from lineage_hub.wire.described import TraceContext as ToldContext
from tests.query.telemetry.scenario import EVENTS, LOGS, NOW, RUNS, SPANS, TRACES, ZERO
from tests.query.telemetry.seeded import SECOND, log_columns, span_columns

pytestmark = pytest.mark.slow


@dataclass
class Asking:
    client: TestClient

    def __call__(self, path: str, **question: Any) -> dict[str, Any]:
        answer = self.client.get(f"/api/v1{path}", params=question)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def refused(self, path: str, **question: Any) -> tuple[int, dict[str, Any]]:
        answer = self.client.get(f"/api/v1{path}", params=question)
        return answer.status_code, dict(answer.json())


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    settings = Settings(data_dir=tmp_path_factory.mktemp("hub"), log_level="error")
    with TestClient(create_app(settings, clock=lambda: NOW)) as client:
        store = client.app.state.hub.telemetry.store  # type: ignore[attr-defined]
        store.insert("traces", span_columns(SPANS), 1)
        store.insert("logs", log_columns(LOGS), 2)
        sent = client.post("/api/v1/lineage/batch", json=EVENTS)
        assert sent.status_code == 204, sent.text
        yield Asking(client)


def test_the_facet_that_is_read_is_the_one_that_the_sdk_writes() -> None:
    assert TRACE_FACET == SDK_FACET
    told = msgspec.convert(facet_content(TraceContext("a" * 32, "b" * 16)), ToldContext)
    assert (told.traceId, told.spanId) == ("a" * 32, "b" * 16)


JOINED = [
    ("named", "named", "trace", "aa"),
    ("naming", "naming", "attribute", "db"),
    ("whole", "pipeline", "attribute", "ea"),
    ("stage", "pipeline", "attribute", "eb"),
    ("guessed", "guessed", "name", "fa"),
    ("astray", "astray", "attribute", "9a"),
]


@pytest.mark.parametrize(("run", "trace", "joined_by", "span_id"), JOINED)
def test_a_run_leads_to_its_trace(ask: Asking, run: str, trace: str, joined_by: str, span_id: str) -> None:
    found = ask(f"/runs/{RUNS[run]}/trace")
    assert (found["traceId"], found["joinedBy"]) == (TRACES[trace], joined_by)
    assert found["inferred"] is (joined_by == "name")
    assert found["spanId"] == span_id.ljust(16, "0")
    assert found["run"]["id"] == RUNS[run]
    assert len(found["spans"]) == sum(one.trace_id == TRACES[trace] for one in SPANS)


@pytest.mark.parametrize(("run", "trace", "joined_by", "span_id"), JOINED)
def test_a_trace_leads_to_its_runs(ask: Asking, run: str, trace: str, joined_by: str, span_id: str) -> None:
    found = ask(f"/traces/{TRACES[trace]}")
    expected = {RUNS[one]: how for one, its_trace, how, _ in JOINED if its_trace == trace}
    assert {one["id"]: one["joinedBy"] for one in found["runs"]} == expected
    assert all(one["inferred"] is (one["joinedBy"] == "name") for one in found["runs"])
    assert found["runsComplete"] is True


def test_a_trace_tells_which_datasets_it_touched_and_how(ask: Asking) -> None:
    found = ask(f"/traces/{TRACES['named']}")
    assert found["jobs"] == [{"namespace": "etl", "name": "load"}]
    assert found["datasets"] == [
        {"namespace": "db", "name": "clean", "as": ["output"]},
        {"namespace": "db", "name": "raw", "as": ["input"]},
    ]


def test_spans_come_as_a_tree_with_self_times_and_the_path(ask: Asking) -> None:
    found = ask(f"/traces/{TRACES['named']}")
    assert [(one["name"], one["depth"], one["selfNs"] // SECOND) for one in found["spans"]] == [
        ("load", 0, 2),
        ("read", 1, 3),
        ("write", 1, 5),
    ]
    names = {one["spanId"]: one["name"] for one in found["spans"]}
    path = [(names[one["spanId"]], one["durationNs"] // SECOND) for one in found["criticalPath"]]
    assert path == [("load", 1), ("read", 3), ("write", 5), ("load", 1)]


def test_a_run_without_spans_is_not_found_and_says_why(ask: Asking) -> None:
    code, problem = ask.refused(f"/runs/{RUNS['silent']}/trace")
    assert (code, problem["subject"]) == (404, RUNS["silent"])
    assert "openlineage.run_id" in problem["action"]
    code, problem = ask.refused(f"/runs/{RUNS['elsewhere']}/trace")
    assert code == 404
    assert f"it names trace {'f' * 32}" in problem["message"]
    assert ask.refused("/runs/nobody/trace")[0] == 404


def test_a_runs_name_may_hold_anything(ask: Asking) -> None:
    code, problem = ask.refused("/runs/a%2Frun%3A%201/trace")
    assert code == 404
    assert problem["subject"] == "a/run: 1"
    assert "No span of run" in problem["message"]
    code, problem = ask.refused("/traces/a%2Frun%3A%201/diff", to=RUNS["named"])
    assert (code, problem["subject"]) == (404, "a/run: 1")


def test_a_dataset_leads_to_the_traces_of_the_runs_that_made_it(ask: Asking) -> None:
    found = ask("/namespaces/db/datasets/clean/telemetry")
    assert found["dataset"] == {"namespace": "db", "name": "clean"}
    told = [(one["id"], one["as"], one["traceId"], one["joinedBy"]) for one in found["runs"]]
    assert told == [
        (RUNS["again"], ["output"], TRACES["again"], "trace"),
        (RUNS["guessed"], ["output"], TRACES["guessed"], "name"),
        (RUNS["naming"], ["input"], TRACES["naming"], "attribute"),
        (RUNS["named"], ["output"], TRACES["named"], "trace"),
    ]
    assert [one["trace"]["spanCount"] for one in found["runs"]] == [3, 1, 2, 3]
    assert found["runs"][2]["trace"]["errorCount"] == 1
    assert len(ask("/namespaces/db/datasets/clean/telemetry", limit=2)["runs"]) == 2
    assert ask.refused("/namespaces/db/datasets/nothing/telemetry")[0] == 404


def test_two_runs_of_a_job_are_compared_span_by_span(ask: Asking) -> None:
    for first, second in ((RUNS["named"], RUNS["again"]), (TRACES["named"], TRACES["again"])):
        found = ask(f"/traces/{first}/diff", to=second)
        assert found["differenceNs"] == 10 * SECOND
        assert found["counts"] == {"slower": 2, "added": 1, "removed": 1}
        changes = [(one["kind"], one["path"][-1], one["selfDifferenceNs"] // SECOND) for one in found["changes"]]
        assert changes[0] == ("slower", "read", 10)
        assert sorted(changes) == [("added", "check", 1), ("removed", "write", -5), ("slower", "load", 4), changes[0]]
    stages = ask(f"/traces/{RUNS['whole']}/diff", to=RUNS["stage"])
    assert stages["to"]["durationNs"] == 4 * SECOND


def test_logs_of_a_run_are_those_that_name_it_and_those_of_its_spans(ask: Asking) -> None:
    def bodies(**question: Any) -> list[str]:
        return [one["body"] for one in ask("/logs", sortDirection="asc", **question)["logs"]]

    assert bodies(run=RUNS["stage"]) == ["spark begins", "told by the run"]
    assert bodies(run=RUNS["whole"]) == ["spark begins", "writing"]
    assert bodies(trace=TRACES["named"]) == ["reading"]
    assert bodies(trace=TRACES["pipeline"], words="WRITING") == ["writing"]
    assert bodies() == ["reading", "spark begins", "told by the run", "writing"]
    assert bodies(**{"from": instant_text(ZERO + 43 * SECOND), "to": instant_text(ZERO + 47 * SECOND)}) == [
        "told by the run"
    ]


def test_traces_services_and_operations_are_listed(ask: Asking) -> None:
    assert ask("/traces")["totalCount"] == len(TRACES)
    assert [one["traceId"] for one in ask("/traces", error=True)["traces"]] == [TRACES["naming"]]
    assert [one["traceId"] for one in ask("/traces", minDurationMs=12_999.5)["traces"]] == [TRACES["again"]]
    calls = ask("/telemetry/services")["calls"]
    assert [(one["caller"], one["callee"], one["calls"], one["errors"]) for one in calls] == [
        ("etl", "db", 1, 0),
        ("web", "etl", 1, 1),
    ]
    found = ask("/telemetry/operations", operation="read", step=60)["operations"]
    assert [(one["service"], one["spans"], len(one["series"])) for one in found] == [("etl", 2, 2)]


def test_listed_traces_name_the_runs_that_their_spans_name(ask: Asking) -> None:
    listed = {one["traceId"]: one for one in ask("/traces")["traces"]}

    def told(trace: str) -> list[tuple[str, str | None]]:
        return [(one["id"], (one["job"] or {}).get("name")) for one in listed[TRACES[trace]]["runs"]]

    assert told("pipeline") == [(RUNS["whole"], "daily"), (RUNS["stage"], "daily.read")]
    assert told("naming") == [(RUNS["naming"], "report")]
    # The run names the trace, and no span the run: that is told of the trace by itself.
    assert told("named") == []
    assert [one["runCount"] for one in (listed[TRACES["pipeline"]], listed[TRACES["guessed"]])] == [2, 0]


BAD = [
    ("/traces/xyz", {}),
    ("/traces", {"from": "yesterday"}),
    ("/traces", {"from": instant_text(NOW), "to": instant_text(ZERO)}),
    ("/traces", {"attribute": "novalue"}),
    ("/traces", {"minDurationMs": "-1"}),
    ("/traces", {"limit": "-1"}),
    ("/logs", {"severity": "loud"}),
    ("/logs", {"trace": "xyz"}),
    ("/logs", {"words": "..."}),
    ("/logs", {"sortDirection": "up"}),
    ("/telemetry/operations", {"sort": "colour"}),
    ("/telemetry/operations", {"step": "1"}),
    ("/telemetry/services", {"to": "never"}),
]


@pytest.mark.parametrize(("path", "question"), BAD)
def test_a_bad_question_is_refused_with_what_to_do(ask: Asking, path: str, question: dict[str, str]) -> None:
    code, problem = ask.refused(path, **question)
    assert code == 400
    assert problem["subject"]
    assert problem["action"]


def test_a_hub_without_telemetry_says_what_to_install(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with TestClient(create_app(Settings(data_dir=tmp_path))) as client:
        monkeypatch.setattr("lineage_hub.ingest.telemetry.open.find_spec", lambda name: None)
        answer = client.get("/api/v1/traces")
    assert answer.status_code == 503
    assert "lineage-hub[telemetry]" in answer.json()["action"]
