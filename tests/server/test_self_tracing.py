"""The hub tells of itself to whom it is told to, and otherwise not even the means to do so are loaded."""

from __future__ import annotations

import base64
import gzip
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Condition, Thread
from typing import Any

import httpx
import pytest
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from starlette.testclient import TestClient

from lineage_hub import __version__
from lineage_hub.errors import InvalidSetting
from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings
from tests.hub_process import HubProcess, free_port
from tests.query.telemetry.scenario import otlp_spans
from tests.server.conftest import EventMaker

pytestmark = pytest.mark.slow
PATIENCE_S = 60
OFF = """
import sys
from pathlib import Path
from starlette.testclient import TestClient
from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings

with TestClient(create_app(Settings(data_dir=Path(sys.argv[1])))) as client:
    client.get("/api/v1/namespaces").raise_for_status()
# FastAPI loads OpenTelemetry's interface, which does nothing by itself.
heavy = ("opentelemetry.sdk", "opentelemetry.exporter", "opentelemetry.proto", "lineage_hub.server.self_tracing")
print([name for name in sys.modules if name.startswith(heavy)])
"""


class Receiver:
    """Takes OTLP over HTTP and keeps it."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        self.changed = Condition()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                body = gzip.decompress(body) if self.headers["content-encoding"] == "gzip" else body
                kind = ExportTraceServiceRequest if self.path == "/v1/traces" else ExportMetricsServiceRequest
                told = MessageToDict(kind.FromString(body))
                with receiver.changed:
                    receiver.requests.append((self.path, dict(self.headers), told))
                    receiver.changed.notify_all()
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    @contextmanager
    def running(self) -> Iterator[Receiver]:
        thread = Thread(target=self._server.serve_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()

    def spans(self) -> list[dict[str, Any]]:
        return [
            span
            for path, _, told in self.requests
            if path == "/v1/traces"
            for resource in told["resourceSpans"]
            for scope in resource["scopeSpans"]
            for span in scope["spans"]
        ]

    def metrics(self) -> dict[str, dict[str, Any]]:
        return {
            metric["name"]: metric
            for path, _, told in self.requests
            if path == "/v1/metrics"
            for resource in told["resourceMetrics"]
            for scope in resource["scopeMetrics"]
            for metric in scope["metrics"]
        }


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver().running() as running:
        yield running


def attributes(span: dict[str, Any]) -> dict[str, Any]:
    return {one["key"]: next(iter(one["value"].values())) for one in span["attributes"]}


def test_nothing_is_loaded_where_it_is_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
    done = subprocess.run([sys.executable, "-c", OFF, tmp_path], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_requests_and_commits_are_told_with_who_tells(tmp_path: Path, receiver: Receiver, event: EventMaker) -> None:
    settings = Settings(data_dir=tmp_path, self_trace_endpoint=receiver.url)
    trace, parent = "a" * 32, "b" * 16
    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        headers = {"traceparent": f"00-{trace}-{parent}-01"}
        assert client.post("/api/v1/lineage", json=event(), headers=headers).status_code == 201
        assert client.get("/api/v1/jobs/runs/nope").status_code == 404
        client.get("/livez").raise_for_status()
        client.get("/metrics").raise_for_status()
        client.post("/v1/traces", content=b"{", headers={"content-type": "application/json"})
    # What is not sent by then is sent when the hub stops.
    spans = {span["name"]: span for span in receiver.spans()}
    assert set(spans) == {"POST /api/v1/lineage", "GET /api/v1/jobs/runs/{run_id}", "commit"}
    post = spans["POST /api/v1/lineage"]
    told = attributes(post)
    assert (told["http.request.method"], told["http.response.status_code"]) == ("POST", "201")
    assert told["lineage_hub.tenant"] == "default"
    assert post["kind"] == "SPAN_KIND_SERVER"
    assert base64.b64decode(post["traceId"]).hex() == trace
    assert base64.b64decode(post["parentSpanId"]).hex() == parent
    assert attributes(spans["commit"])["lineage_hub.events"] == "1"
    assert int(spans["commit"]["endTimeUnixNano"]) > int(spans["commit"]["startTimeUnixNano"])
    for _, sent, body in receiver.requests:
        resource = next(iter(body.values()))[0]["resource"]
        known = attributes(resource)
        assert (known["service.name"], known["service.version"]) == ("lineage-hub", __version__)
        assert sent["user-agent"] == f"lineage-hub/{__version__}"
    metrics = receiver.metrics()
    assert set(metrics) >= {"http.server.request.duration", "lineage_hub.commit.duration", "process.cpu.time"}
    points = metrics["lineage_hub.events"]["sum"]["dataPoints"]
    accepted = [one for one in points if attributes(one) == {"outcome": "accepted", "kind": "RunEvent"}]
    assert [one["asInt"] for one in accepted] == ["1"]
    assert int(metrics["process.memory.usage"]["sum"]["dataPoints"][0]["asInt"]) > 1 << 20


def test_a_receiver_that_is_away_holds_nobody_up(tmp_path: Path, event: EventMaker) -> None:
    started = time.monotonic()
    with TestClient(create_app(Settings(data_dir=tmp_path, self_trace_endpoint="http://127.0.0.1:9"))) as client:
        assert client.post("/api/v1/lineage", json=event()).status_code == 201
        assert time.monotonic() - started < 10
    assert time.monotonic() - started < 40


def test_what_is_no_address_is_refused() -> None:
    with pytest.raises(InvalidSetting, match="self_trace_endpoint") as refused:
        create_app(Settings(self_trace_endpoint="collector:4317"))
    assert refused.value.action


def await_that(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.1)


def test_a_hub_that_tells_itself_comes_to_rest(tmp_path: Path, event: EventMaker) -> None:
    """What it says of a request is in its own tables, and nothing there speaks of having been told."""
    port = free_port()
    flags = ["--self-trace-endpoint", f"http://127.0.0.1:{port}"]
    with HubProcess(tmp_path / "data", *flags, port=port) as hub:
        assert httpx.post(f"{hub.url}/api/v1/lineage", json=event(), timeout=30).status_code == 201

        def names() -> dict[str, int]:
            found = httpx.get(f"{hub.url}/api/v1/telemetry/operations", timeout=PATIENCE_S).json()["operations"]
            return {one["operation"]: one["spans"] for one in found if one["service"] == "lineage-hub"}

        await_that(lambda: {"POST /api/v1/lineage", "commit"} <= names().keys())
        # Asking is traced too, and told with the next batch; but no insert of it ever is.
        await_that(lambda: "ask" in names())
        found = names()
        assert not [name for name in found if "/v1/traces" in name or name == "insert"]
        assert found["commit"] == 1
        httpx.post(f"{hub.url}/v1/traces", json=otlp_spans(), timeout=PATIENCE_S).raise_for_status()
        await_that(lambda: "insert" in names())
        # Another batch of its own comes in with what was asked meanwhile.
        before = names()["ask"]
        await_that(lambda: names()["ask"] > before)
        assert names()["insert"] == 1, "it tells of what others sent, not of having been told by itself"
        started = time.monotonic()
        assert hub.stop() == 0
        assert time.monotonic() - started < 10, "it doesn't try to tell itself what nobody takes any more"
