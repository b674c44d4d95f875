"""Every request leaves one log line, a measurement and a correlation id; a defect leaves a bare 500."""

import asyncio
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from lineage_hub.errors import StorageFull
from lineage_hub.logs import get_logger, set_up_logs
from lineage_hub.server import requests
from lineage_hub.server.errors import answer_of
from lineage_hub.server.metrics import Metrics
from lineage_hub.server.requests import CLIENT_GONE, Requests
from tests.server.conftest import EventMaker


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    stream = io.StringIO()
    set_up_logs("info", "json", stream)
    # A logger stays with the stream of its first line.
    monkeypatch.setattr(requests, "_log", get_logger("server"))
    yield stream
    structlog.reset_defaults()
    set_up_logs("warning", "json")


def lines(log: io.StringIO) -> list[dict[str, Any]]:
    return [line for line in map(json.loads, log.getvalue().splitlines()) if line["event"].startswith("request")]


def test_the_line_tells_method_route_status_time_tenant_and_id(
    log: io.StringIO, client: TestClient, event: EventMaker
) -> None:
    client.post("/api/v1/lineage", json=event())
    client.post("/api/v1/lineage/ingest", json={"namespace": "team-a", "events": [event()]})
    client.get("/api/v1/dead-letters/77", headers={"x-request-id": "mine-1"})
    client.get("/nothing/here")
    client.post("/api/v1/lineage", content=b"bad")
    shown = [(line["method"], line["route"], line["status"], line["tenant"], line.get("error")) for line in lines(log)]
    assert shown == [
        ("POST", "/api/v1/lineage", 201, "default", None),
        ("POST", "/api/v1/lineage/ingest", 200, "team-a", None),
        ("GET", "/api/v1/dead-letters/{letter_id}", 404, "default", "not_found"),
        ("GET", "unmatched", 404, "default", "not_found"),
        ("POST", "/api/v1/lineage", 400, "default", "invalid_event"),
    ]
    assert all(line["duration_ms"] > 0 for line in lines(log))
    assert lines(log)[2]["correlation_id"] == "mine-1"
    assert len({line["correlation_id"] for line in lines(log)}) == 5


@pytest.mark.parametrize("header", ["X-Request-ID", "X-Correlation-ID"])
def test_a_sane_id_is_taken_over_and_returned(client: TestClient, header: str) -> None:
    assert client.get("/livez", headers={header: "abc-DEF.1:2/3"}).headers[header] == "abc-DEF.1:2/3"


@pytest.mark.parametrize("value", ["", "a b", "x" * 129, "a;b", "<script>"])
def test_an_id_that_could_harm_a_log_is_replaced(client: TestClient, value: str) -> None:
    returned = client.get("/livez", headers={"x-request-id": value}).headers["x-request-id"]
    assert returned
    assert returned != value


async def _request(app: Requests, path: str = "/x") -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await app({"type": "http", "method": "GET", "path": path, "headers": []}, receive, send)
    return sent


def test_a_defect_is_a_500_that_names_the_correlation_id_and_nothing_else(log: io.StringIO) -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("secret detail")

    start, body = asyncio.run(_request(Requests(broken, metrics=Metrics())))
    assert start["status"] == 500
    told = json.loads(body["body"])
    assert set(told) == {"code", "message", "error", "subject", "action"}
    assert b"secret" not in body["body"]
    failed, request = lines(log)
    assert told["subject"] == failed["correlation_id"] == request["correlation_id"]
    assert "secret detail" in failed["exception"]
    assert request["status"] == 500


def test_a_defect_after_the_answer_began_is_logged_and_not_answered_twice(log: io.StringIO) -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError("late")

    assert len(asyncio.run(_request(Requests(broken, metrics=Metrics())))) == 1
    assert lines(log)[0]["event"] == "request_failed"


def test_a_client_that_hung_up_is_logged_as_such(log: io.StringIO, client: TestClient) -> None:
    client.get("/livez")
    log.seek(0)
    log.truncate()
    app = client.app.middleware_stack
    while not isinstance(app, Requests):
        app = app.app

    async def gone() -> list[dict[str, Any]]:
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {
            "type": "http", "method": "POST", "path": "/api/v1/lineage", "headers": [], "app": client.app,
        }  # fmt: skip
        await app(scope, receive, send)
        return sent

    assert asyncio.run(gone()) == []
    assert lines(log)[0]["status"] == CLIENT_GONE


def test_requests_are_measured_by_route_and_status(client: TestClient, event: EventMaker) -> None:
    client.post("/api/v1/lineage", json=event())
    for name in ("a", "b", "c"):
        client.get(f"/api/v1/dead-letters/{name}")
        client.get(f"/unknown/{name}")
        client.request(f"ODD{name}", "/livez")
    text = client.get("/metrics").text
    count = "lineage_hub_request_duration_seconds_count"
    assert f'{count}{{method="POST",route="/api/v1/lineage",status="201"}} 1.0' in text
    assert f'{count}{{method="GET",route="/api/v1/dead-letters/{{letter_id}}",status="400"}} 3.0' in text
    assert f'{count}{{method="GET",route="unmatched",status="404"}} 3.0' in text
    assert f'{count}{{method="other",route="/livez",status="405"}} 3.0' in text


def test_an_error_of_the_framework_has_the_one_shape(client: TestClient) -> None:
    shape = {"code", "message", "error", "subject", "action"}
    unknown = client.get("/api/v1/nothing")
    assert (unknown.status_code, set(unknown.json())) == (404, shape)
    wrong = client.put("/api/v1/dead-letters/7")
    assert (wrong.status_code, set(wrong.json())) == (405, shape)
    assert wrong.headers["allow"] == "DELETE, GET, PATCH"
    invalid = client.get("/api/v1/dead-letters?limit=many")
    assert (invalid.status_code, set(invalid.json())) == (400, shape)
    assert invalid.json()["subject"] == "limit"


def test_an_error_that_may_pass_says_when_to_try_again() -> None:
    status, headers, _ = answer_of(StorageFull("no room", retry_after_s=7))
    assert status == 503
    assert (b"retry-after", b"7") in headers


def test_a_route_is_told_by_the_names_of_its_parts(client: TestClient) -> None:
    client.get("/api/v1/namespaces/s3%3A%2F%2Flake/datasets/raw%2Fclicks")
    template = "/api/v1/namespaces/{namespace}/datasets/{dataset}"
    assert f'route="{template}",status="404"' in client.get("/metrics").text


def test_head_is_answered_like_get(client: TestClient) -> None:
    for path in ("/livez", "/readyz", "/metrics", "/api/v1/health", "/api/v1/namespaces", "/docs"):
        assert client.head(path).status_code == 200
    assert client.head("/api/v1/namespaces/none").status_code == 404
    assert client.head("/api/v1/lineage/batch").status_code == 405
    assert 'method="HEAD",route="/livez",status="200"' in client.get("/metrics").text
