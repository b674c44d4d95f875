"""The routes of the page's first screen: their parameters, and sample data for a hub that is empty."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from lineage_hub.sample import HEADLINE, shop_week
from lineage_hub.sample.traces import week_traces
from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings
from lineage_hub.wire.otlp import read_traces
from tests.server.conftest import EventMaker
from tests.server.recording_taker import RecordingTaker

# A Sunday at noon.
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def now() -> int:
    return int(NOW.timestamp()) * 1_000_000_000


def test_an_empty_hub_is_all_right(client: TestClient) -> None:
    answer = client.get("/api/v1/overview").json()
    assert answer["counts"] == {"jobs": 0, "datasets": 0, "namespaces": 0}
    assert (answer["runs"]["total"], answer["deadLetters"], answer["truncated"]) == (0, 0, False)
    assert len(answer["events"]["perHour"]) == answer["hours"] == 24


def test_dead_letters_that_wait_are_counted(client: TestClient) -> None:
    assert client.post("/api/v1/lineage", content=b"{}").status_code == 400
    assert client.get("/api/v1/overview").json()["deadLetters"] == 1
    then = client.get("/api/v1/overview?as_of=2026-01-01T00:00:00Z").json()
    assert then["deadLetters"] is None


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("overview?hours=0", "hours"),
        ("overview?hours=169", "hours"),
        ("overview?as_of=yesterday", "as_of"),
        ("badges", "nodeId"),
        ("badges?nodeId=nonsense", "nonsense"),
        ("badges?nodeId=run:1", "run:1"),
        ("badges?" + "&".join(f"nodeId=job:a:{number}" for number in range(501)), "nodeId"),
    ],
)
def test_a_question_that_can_not_be_answered_is_refused(client: TestClient, question: str, subject: str) -> None:
    answer = client.get(f"/api/v1/{question}")
    assert (answer.status_code, answer.json()["subject"]) == (400, subject)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b'{"nodeIds": []}', b'{"nodeIds": "job:a:b"}', b'{"nodeIds": ["job:a:b"], "more": 1}', b"\xff"]
)
def test_a_list_of_nodes_that_is_none_is_refused(client: TestClient, body: bytes) -> None:
    answer = client.post("/api/v1/badges", content=body)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")


def test_badges_are_the_same_by_address_and_by_body(client: TestClient, event: EventMaker) -> None:
    assert client.post("/api/v1/lineage", json=event()).status_code == 201
    asked = client.get("/api/v1/badges", params={"nodeId": ["job:shop:load", "job:shop:other"]}).json()
    posted = client.post("/api/v1/badges", json={"nodeIds": ["job:shop:load", "job:shop:other"]}).json()
    assert asked["badges"] == posted["badges"] == [{"id": "job:shop:load", "type": "JOB", "lastRunState": "RUNNING"}]
    assert asked["unknown"] == posted["unknown"] == ["job:shop:other"]


@pytest.mark.slow
def test_an_empty_hub_takes_the_sample_week_once(tmp_path: Path) -> None:
    taker = RecordingTaker()
    settings = Settings(data_dir=tmp_path, log_level="error")
    with TestClient(create_app(settings, clock=now, telemetry=taker)) as client:
        loaded = client.post("/api/v1/sample")
        assert loaded.status_code == 201, loaded.text
        week = shop_week(end_at=NOW)
        different = {json.dumps(event) for event in week.events}
        spans = loaded.json().pop("spans")
        assert loaded.json() == {
            "events": len(different),
            "spans": spans,
            "from": "2026-11-08T00:00:00Z",
            "to": "2026-11-15T00:00:00Z",
            "node": HEADLINE,
        }
        assert client.get("/api/v1/events/lineage?limit=0").json()["totalCount"] == len(different)
        assert client.get("/api/v1/lineage", params={"nodeId": HEADLINE}).status_code == 200
        [taken] = taker.submissions
        assert (taken.kind, taken.namespace, len(taken.columns["span_id"])) == ("traces", "default", spans)
        # An answer that took long enough says what it left out, and the next goes on from there.
        answers = (client.get("/api/v1/overview?hours=168").json() for _ in range(100))
        week_of = next(one for one in answers if not one["truncated"])
        failed = {event["run"]["runId"] for event in week.events if event.get("eventType") == "FAIL"}
        assert week_of["failedRuns"]["count"] == len(failed) > 0
        assert week_of["schemaChanges"]["count"] > 0
        again = client.post("/api/v1/sample")
        assert (again.status_code, again.json()["error"]) == (409, "conflict")
        assert "--data" in again.json()["action"]


def test_sample_data_can_be_refused_by_a_setting(tmp_path: Path) -> None:
    with TestClient(create_app(Settings(data_dir=tmp_path, sample_data="refuse", log_level="error"))) as client:
        refused = client.post("/api/v1/sample")
        assert (refused.status_code, refused.json()["subject"]) == (409, "sample_data")
        assert client.get("/api/v1/events/lineage").json()["totalCount"] == 0


def test_every_run_of_the_sample_week_that_ended_is_a_span_of_its_trace() -> None:
    week = shop_week(end_at=NOW)
    count, body = week_traces(week.events)
    found = read_traces(json.dumps(body).encode(), "json")
    assert (found.count, found.rejected) == (count, 0)
    started = {event["run"]["runId"] for event in week.events if event.get("eventType") == "START"}
    ended = {event["run"]["runId"] for event in week.events if event.get("eventType") in ("COMPLETE", "FAIL")}
    spans = [span for part in body["resourceSpans"] for scope in part["scopeSpans"] for span in scope["spans"]]
    runs = Counter(attribute["value"]["stringValue"] for span in spans for attribute in span["attributes"])
    assert runs.keys() == started & ended
    by_id = {span["spanId"]: span for span in spans}
    assert len(by_id) == count
    for span in spans:
        assert int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"])
        if "parentSpanId" in span:
            assert by_id[span["parentSpanId"]]["traceId"] == span["traceId"]
