"""What was sent as exporters send it is asked for at its edges: runs that share a trace, odd words, empty pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings
from lineage_hub.wire import instant_text
from tests.query.telemetry.scenario import event
from tests.query.telemetry.seeded import SECOND

pytestmark = pytest.mark.slow
ZERO = 1_794_000_000 * SECOND
NOW = ZERO + 3_600 * SECOND
SHARED, UPPER, SILENT, TYPED, LONG = ("c" * 31 + digit for digit in "12345")
FIRST, SECOND_RUN, BESIDE, SPELLED, ZEROS = (f"018f0000-0000-7000-8000-00000000010{n}" for n in range(5))


def context(trace_id: str, span_id: str) -> dict[str, str]:
    return {"traceId": trace_id, "spanId": span_id, "traceparent": ""}


def told(run: str, job: str, second: float, trace: dict[str, str] | None = None) -> dict[str, Any]:
    return event(run, job, "START", second, outputs=["clean"], **({"lineageHub_trace": trace} if trace else {}))


def values(given: dict[str, Any]) -> list[dict[str, Any]]:
    names = {str: "stringValue", int: "intValue", bool: "boolValue", float: "doubleValue"}
    return [{"key": key, "value": {names[type(value)]: value}} for key, value in given.items()]


def span(trace_id: str, span_id: str, parent: str = "", at: float = 0, took: float = 1, **more: Any) -> dict[str, Any]:
    start = ZERO + int(at * SECOND)
    return {
        "traceId": trace_id, "spanId": span_id, "parentSpanId": parent, "name": more.pop("name", "work"),
        "startTimeUnixNano": start, "endTimeUnixNano": start + int(took * SECOND),
        "attributes": values(more.pop("attributes", {})), **more,
    }  # fmt: skip


def log(body: Any, at: float = 1, **more: Any) -> dict[str, Any]:
    given = {"stringValue": body} if isinstance(body, str) else body
    return {"timeUnixNano": ZERO + int(at * SECOND), "body": given, **more}


EVENTS = [
    told(FIRST, "stage one", 0, context(SHARED, "a" * 16)),
    told(SECOND_RUN, "stage two", 6, context(SHARED, "b" * 16)),
    told(BESIDE, "in pieces", 0),
    told(SPELLED, "spelled", 0, context(UPPER.upper(), "D" * 16)),
    told(ZEROS, "not traced", 0, context("0" * 32, "0" * 16)),
]
SPANS = [
    span(SHARED, "a" * 16, "f" * 16, took=5),
    span(SHARED, "a1" * 8, "a" * 16),
    # The span of the second run is still at work: only what is inside of it has arrived.
    span(SHARED, "b1" * 8, "b" * 16, at=6),
    span(SHARED, "e1" * 8, "f" * 16, attributes={"openlineage.run_id": BESIDE}),
    span(SHARED, "e2" * 8, "f" * 16, at=1, attributes={"openlineage.run_id": BESIDE}),
    span(UPPER, "d" * 16),
    span(SILENT, "9" * 16, attributes={"openlineage.run_id": ZEROS}),
    span(
        TYPED, "8" * 16, traceState="k=v", droppedAttributesCount=1, droppedLinksCount=2, name="",
        events=[{"timeUnixNano": ZERO, "name": "e", "attributes": values({"n": 5, "f": 0.5, "b": True, "s": "5"})}],
        links=[{"traceId": SHARED, "spanId": "a" * 16, "traceState": "x=y", "attributes": values({"n": 7})}],
    ),
    *(span(LONG, f"{n:016x}", took=7e9, name="long") for n in range(1, 4)),
]  # fmt: skip
MAP = {"kvlistValue": {"values": [{"key": "msg", "value": {"stringValue": "a value of the map"}}]}}
LOGS = [
    log("one", traceId=SHARED, spanId="a" * 16),
    log("one, inside", traceId=SHARED, spanId="a1" * 8),
    log("two", traceId=SHARED, spanId="b" * 16),
    log("two, inside", traceId=SHARED, spanId="b1" * 8),
    log("piece one", traceId=SHARED, spanId="e1" * 8),
    log("piece two", traceId=SHARED, spanId="e2" * 8),
    log("of the pipeline", attributes=values({"pipeline.run_id": ZEROS})),
    log(MAP),
    log({"arrayValue": {"values": [{"stringValue": 'the "key": of a door'}]}}),
    log("the key to it", severityText="Error"),
]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = Settings(data_dir=tmp_path_factory.mktemp("hub"), log_level="error")
    with TestClient(create_app(settings, clock=lambda: NOW)) as client:
        scope = {"name": "lib", "version": "2"}
        resource = {"attributes": values({"service.name": "etl"})}
        spans = {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": scope, "spans": SPANS}]}]}
        logs = {"resourceLogs": [{"resource": resource, "scopeLogs": [{"logRecords": LOGS}]}]}
        for path, body in (("/v1/traces", spans), ("/v1/logs", logs)):
            answer = client.post(path, json=body)
            assert (answer.status_code, answer.json()) == (200, {})
        assert client.post("/api/v1/lineage/batch", json=EVENTS).status_code == 204
        yield client


def ask(client: TestClient, path: str, **question: Any) -> dict[str, Any]:
    answer = client.get(f"/api/v1{path}", params=question)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def bodies(client: TestClient, **question: Any) -> list[Any]:
    return [one["body"] for one in ask(client, "/logs", **question)["logs"]]


def test_runs_that_share_a_trace_have_their_own_logs(client: TestClient) -> None:
    assert sorted(bodies(client, run=FIRST)) == ["one", "one, inside"]
    assert sorted(bodies(client, run=SECOND_RUN)) == ["two", "two, inside"]
    assert sorted(bodies(client, run=BESIDE)) == ["piece one", "piece two"]
    assert bodies(client, run=ZEROS) == ["of the pipeline"]


def test_a_run_whose_span_is_at_work_is_compared_by_what_is_inside_of_it(client: TestClient) -> None:
    assert ask(client, f"/traces/{FIRST}/diff", to=SECOND_RUN)["to"]["durationNs"] == SECOND


def test_a_run_names_its_trace_in_any_spelling_and_zeros_name_none(client: TestClient) -> None:
    found = ask(client, f"/runs/{SPELLED}/trace")
    assert (found["traceId"], found["spanId"], found["joinedBy"]) == (UPPER, "d" * 16, "trace")
    found = ask(client, f"/runs/{ZEROS}/trace")
    assert (found["traceId"], found["joinedBy"]) == (SILENT, "attribute")


def test_a_span_is_told_with_all_that_was_sent(client: TestClient) -> None:
    (one,) = ask(client, f"/traces/{TYPED}")["spans"]
    assert one["events"][0]["attributes"] == {"n": 5, "f": 0.5, "b": True, "s": "5"}
    linked = {"traceId": SHARED, "spanId": "a" * 16, "traceState": "x=y", "attributes": {"n": 7}}
    assert one["links"] == [linked]
    assert (one["traceState"], one["scope"]) == ("k=v", {"name": "lib", "version": "2"})
    assert one["dropped"] == {"attributes": 1, "events": 0, "links": 2}


def test_words_are_those_that_were_logged(client: TestClient) -> None:
    assert bodies(client, words="stringValue") == []
    assert bodies(client, words="values") == []
    assert bodies(client, words="VALUE") == [{"msg": "a value of the map"}]
    found = bodies(client, words="key", sortDirection="asc")
    assert sorted(map(str, found)) == ["['the \"key\": of a door']", "the key to it"]


def test_a_severity_may_be_a_text_alone(client: TestClient) -> None:
    assert bodies(client, severity="warn") == ["the key to it"]
    assert bodies(client, severity="fatal") == []


def test_a_span_of_logs_is_named_in_any_spelling(client: TestClient) -> None:
    assert bodies(client, span="A1" * 8) == ["one, inside"]


def test_logs_before_a_moment_are_those_of_the_day_before_it(client: TestClient) -> None:
    a_year = 365 * 86_400 * SECOND
    assert ask(client, "/logs", to=instant_text(ZERO - a_year))["from"] == instant_text(ZERO - a_year - a_year // 365)


@pytest.mark.parametrize(
    "question",
    [{"span": "xyz"}, {"span": "0" * 16}, {"from": instant_text(NOW), "to": instant_text(ZERO)}],
)
def test_questions_about_logs_that_mean_nothing_are_refused(client: TestClient, question: dict[str, str]) -> None:
    answer = client.get("/api/v1/logs", params=question)
    assert answer.status_code == 400
    assert answer.json()["action"]


def test_a_name_may_be_empty(client: TestClient) -> None:
    assert [one["traceId"] for one in ask(client, "/traces", operation="")["traces"]] == [TYPED]
    assert ask(client, "/traces", service="")["totalCount"] == 0


@pytest.mark.parametrize("path", ["/traces", "/telemetry/operations"])
def test_a_page_without_rows_counts_all_the_same(client: TestClient, path: str) -> None:
    whole = ask(client, path)["totalCount"]
    assert whole >= 3
    for page in ({"limit": 0}, {"offset": 1_000}):
        assert ask(client, path, **page)["totalCount"] == whole


def test_no_run_of_a_dataset_may_be_asked_for(client: TestClient) -> None:
    assert ask(client, "/namespaces/db/datasets/clean/telemetry", limit=0)["runs"] == []


def test_before_1970_there_is_nothing(client: TestClient) -> None:
    before = {"from": "1900-01-01T00:00:00Z", "to": "1950-01-01T00:00:00Z"}
    assert ask(client, "/traces", **before)["totalCount"] == 0
    assert ask(client, "/telemetry/operations", **before)["operations"] == []
    found = ask(client, "/analytics/records", **before)
    assert (found["records"], found["recordsPerHour"]) == (0, 0)


def test_durations_of_centuries_are_added_up(client: TestClient) -> None:
    (one,) = ask(client, "/telemetry/operations", operation="long")["operations"]
    assert one["durationNs"]["total"] == 3 * 7 * 10**18
