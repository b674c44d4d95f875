"""`lineage-hub health` says how the hub and its parts are, and ends with a code that a probe understands."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.hub_process import free_port


@contextmanager
def answering(status: int, body: bytes) -> Iterator[str]:
    """A server that says the same to every question."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def test_a_hub_that_is_well_exits_with_0_and_shows_each_part(ask: Cli) -> None:
    shown = ask("health")
    assert (shown.code, shown.err) == (0, "")
    first, header, *rows = shown.out.splitlines()
    assert "is healthy (version " in first
    assert header.split() == ["PART", "STATE", "ANSWERED", "IN", "DETAIL"]
    assert {row.split()[0]: row.split()[1] for row in rows} == {
        "store": "healthy",
        "writer": "healthy",
        "disk": "healthy",
        "telemetry": "healthy",
    }
    assert all(row.split()[3] == "ms" and float(row.split()[2]) >= 0 for row in rows)
    assert ask("health", "--json").json()["dependencies"].keys() == {"store", "writer", "disk", "telemetry"}


def test_a_part_that_is_unwell_is_told_with_what_to_do(cli: Cli) -> None:
    store = {"status": "unhealthy", "latency_ms": 3000.1, "detail": "no answer within 3 s"}
    body = json.dumps({"status": "unhealthy", "version": "9", "dependencies": {"store": store}}).encode()
    with answering(503, body) as url:
        shown = cli("health", "--url", url)
        assert shown.code == 1
        assert "no answer within 3 s" in shown.out
        assert "store is unhealthy: look at the hub's log, and run `lineage-hub doctor`" in shown.err
        as_json = cli("health", "--url", url, "--json")
        assert (as_json.code, as_json.json()["status"]) == (1, "unhealthy")


def test_little_room_on_the_disk_is_told_and_is_no_failure(cli: Cli) -> None:
    disk = {"status": "degraded", "latency_ms": 0.1, "detail": "0.1 GB are free"}
    with answering(200, json.dumps({"status": "degraded", "dependencies": {"disk": disk}}).encode()) as url:
        shown = cli("health", "--url", url)
    assert shown.code == 0
    assert "make room" in shown.err


def test_a_hub_that_is_away_exits_with_1_and_says_what_to_do(cli: Cli) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    shown = cli("health", "--url", url)
    assert (shown.code, shown.out) == (1, "")
    assert f"no hub answers at {url}" in shown.err
    assert "lineage-hub serve" in shown.err
    as_json = cli("health", "--url", url, "--json")
    assert (as_json.code, as_json.json()["status"]) == (1, "unreachable")


@pytest.mark.parametrize(("status", "body"), [(200, b"<html>hello</html>"), (404, b"no"), (200, b"[]"), (502, b"")])
def test_something_else_that_answers_is_no_healthy_hub(cli: Cli, status: int, body: bytes) -> None:
    with answering(status, body) as url:
        shown = cli("health", "--url", url)
    assert shown.code == 1
    assert shown.err.startswith("Error: ")
