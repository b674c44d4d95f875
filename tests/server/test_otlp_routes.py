"""OTLP over HTTP is answered as its specification says, and what is acknowledged was handed over whole."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.metrics.v1.metrics_pb2 import NumberDataPoint
from starlette.testclient import TestClient

from lineage_hub.errors import InternalError, Overloaded, StorageFull, StoreUnavailable
from lineage_hub.server.app import create_app
from lineage_hub.server.otlp_taking import read_aside
from lineage_hub.settings import Settings
from tests.server.recording_taker import RecordingTaker
from tests.wire.otlp.messages import T0, gauge, logs, metrics, span, traces
from tests.wire.otlp.test_agreement import json_of

PROTOBUF, JSON = {"content-type": "application/x-protobuf"}, {"content-type": "application/json"}
ENVELOPE = "/api/v1/telemetry/ingest"
REQUESTS = {
    "traces": traces(span({"a": 1}), span()),
    "metrics": metrics(
        gauge(NumberDataPoint(time_unix_nano=T0, as_int=1), NumberDataPoint(time_unix_nano=T0, as_int=2))
    ),
    "logs": logs(LogRecord(time_unix_nano=T0), LogRecord()),
}


@pytest.fixture
def taker() -> RecordingTaker:
    return RecordingTaker()


@pytest.fixture
def client(settings: Settings, taker: RecordingTaker) -> Iterator[TestClient]:
    with TestClient(create_app(settings, telemetry=taker), raise_server_exceptions=False) as opened:
        yield opened


@pytest.mark.parametrize("kind", REQUESTS)
def test_protobuf_and_json_are_taken_alike(client: TestClient, taker: RecordingTaker, kind: Any) -> None:
    for body, headers, empty in (
        (REQUESTS[kind].SerializeToString(), PROTOBUF, b""),
        (json_of(REQUESTS[kind]), {"content-type": "application/json; charset=utf-8"}, b"{}"),
    ):
        answer = client.post(f"/v1/{kind}", content=body, headers=headers)
        assert (answer.status_code, answer.content) == (200, empty)
        assert answer.headers["content-type"] == headers["content-type"].partition(";")[0]
        assert taker.submissions[-1].identity == hashlib.sha256(body).digest()
        assert (taker.submissions[-1].kind, taker.submissions[-1].namespace) == (kind, "default")
    if kind != "logs":  # a record without a time is told when it came
        assert taker.rows(kind)[:2] == taker.rows(kind)[2:]


@pytest.mark.parametrize(
    ("encoding", "compress"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("zstd", zstandard.ZstdCompressor().compress),
        ("identity", bytes),
    ],
)
def test_a_compressed_body_is_taken_and_its_identity_is_that_of_its_content(
    client: TestClient, taker: RecordingTaker, encoding: str, compress: Any
) -> None:
    body = REQUESTS["traces"].SerializeToString()
    answer = client.post("/v1/traces", content=compress(body), headers={**PROTOBUF, "content-encoding": encoding})
    assert answer.status_code == 200
    assert taker.submissions[0].identity == hashlib.sha256(body).digest()


def test_a_partial_success_tells_how_many_and_why(client: TestClient, taker: RecordingTaker) -> None:
    request = traces(span(), span(name="bad", trace_id=b"short"))
    answer = client.post("/v1/traces", content=request.SerializeToString(), headers=PROTOBUF)
    found = ExportTraceServiceResponse.FromString(answer.content).partial_success
    assert (answer.status_code, found.rejected_spans) == (200, 1)
    assert "span 'bad'" in found.error_message
    assert len(taker.rows("traces")) == 1
    answer = client.post("/v1/traces", content=json_of(request), headers=JSON)
    assert answer.json()["partialSuccess"]["rejectedSpans"] == "1"


def test_a_request_of_which_nothing_is_left_is_not_handed_over(client: TestClient, taker: RecordingTaker) -> None:
    assert client.post("/v1/traces", content=b"", headers=PROTOBUF).status_code == 200
    body = traces(span(span_id=b"")).SerializeToString()
    assert client.post("/v1/traces", content=body, headers=PROTOBUF).status_code == 200
    assert taker.submissions == []


@pytest.mark.parametrize("body", [b"\xff\xff", b"\x0a\x05abc", REQUESTS["traces"].SerializeToString()[:-3]])
def test_protobuf_that_can_not_be_read_is_a_status_of_400(client: TestClient, body: bytes) -> None:
    answer = client.post("/v1/traces", content=body, headers=PROTOBUF)
    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/x-protobuf")
    status = Status.FromString(answer.content)
    assert status.code == 3
    assert "ExportTraceServiceRequest" in status.message


def test_json_that_can_not_be_read_is_a_status_of_400(client: TestClient) -> None:
    answer = client.post("/v1/logs", content=b"{", headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (400, 3)
    assert "not JSON" in answer.json()["message"]


@pytest.mark.parametrize("content_type", ["text/plain", "application/protobuf", "", "application/grpc"])
def test_another_content_type_is_refused(client: TestClient, content_type: str) -> None:
    answer = client.post("/v1/traces", content=b"x", headers={"content-type": content_type})
    assert answer.status_code == 415
    assert "application/x-protobuf or application/json" in answer.json()["message"]


def test_an_unknown_content_encoding_is_refused(client: TestClient) -> None:
    answer = client.post("/v1/traces", content=b"x", headers={**PROTOBUF, "content-encoding": "br"})
    assert answer.status_code == 415
    assert "'br' is not read" in Status.FromString(answer.content).message


@pytest.mark.parametrize("encoding", ["gzip", "zstd", "deflate"])
def test_a_bomb_is_refused_when_it_passes_the_limit(client: TestClient, encoding: str) -> None:
    zeros = bytes(64 << 20)
    compress = {"gzip": gzip.compress, "deflate": zlib.compress, "zstd": zstandard.ZstdCompressor().compress}[encoding]
    answer = client.post("/v1/traces", content=compress(zeros), headers={**PROTOBUF, "content-encoding": encoding})
    assert answer.status_code == 413
    assert Status.FromString(answer.content).code == 8


def test_what_is_not_compressed_as_its_header_says_is_refused(client: TestClient) -> None:
    answer = client.post("/v1/traces", content=b"plain", headers={**PROTOBUF, "content-encoding": "gzip"})
    assert (answer.status_code, Status.FromString(answer.content).code) == (400, 3)


@pytest.mark.parametrize("error", [Overloaded, StoreUnavailable, StorageFull])
@pytest.mark.parametrize("headers", [PROTOBUF, JSON], ids=["protobuf", "json"])
def test_what_may_be_sent_again_says_when(
    client: TestClient, taker: RecordingTaker, error: Any, headers: dict[str, str]
) -> None:
    taker.refusal = error("not now", action="send it again", retry_after_s=3)
    body = REQUESTS["traces"].SerializeToString() if headers is PROTOBUF else json_of(REQUESTS["traces"])
    answer = client.post("/v1/traces", content=body, headers=headers)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "3")
    code = Status.FromString(answer.content).code if headers is PROTOBUF else answer.json()["code"]
    assert code == 14


def test_a_defect_says_nothing_of_its_cause(client: TestClient, taker: RecordingTaker) -> None:
    taker.refusal = InternalError("a secret")
    answer = client.post("/v1/traces", content=REQUESTS["traces"].SerializeToString(), headers=PROTOBUF)
    status = Status.FromString(answer.content)
    assert (answer.status_code, status.code) == (500, 13)
    assert "secret" not in status.message


def test_more_metrics_than_there_may_be_are_refused_by_name(client: TestClient, taker: RecordingTaker) -> None:
    taker.most_names = 3
    points = [gauge(NumberDataPoint(time_unix_nano=T0, as_int=n), name=f"m{n}") for n in range(5)]
    answer = client.post("/v1/metrics", content=json_of(metrics(*points)), headers=JSON)
    found = answer.json()["partialSuccess"]
    assert found["rejectedDataPoints"] == "2"
    assert "metric 'm3'" in found["errorMessage"]
    assert "telemetry_max_metric_names" in found["errorMessage"]
    assert {row["metric_name"] for row in taker.rows("metrics")} == {"m0", "m1", "m2"}


def test_large_bodies_are_read_aside_and_whole(client: TestClient, taker: RecordingTaker) -> None:
    body = traces(*[span({"n": str(n), "text": "x" * 90}, name=str(n)) for n in range(2000)]).SerializeToString()
    assert client.post("/v1/traces", content=body, headers=PROTOBUF).status_code == 200
    assert [row["operation_name"] for row in taker.rows("traces")] == [str(n) for n in range(2000)]


def test_nobody_waits_for_a_very_large_body_to_be_read() -> None:
    others_are_read = threading.Event()

    async def both() -> list[str]:
        def large() -> str:
            assert others_are_read.wait(20)
            return "large"

        def usual() -> str:
            others_are_read.set()
            return "usual"

        return list(await asyncio.gather(read_aside(bytes(5 << 20), large), read_aside(bytes(1 << 20), usual)))

    assert asyncio.run(both()) == ["large", "usual"]


def test_an_envelope_is_counted_by_what_became_of_it(client: TestClient, taker: RecordingTaker) -> None:
    usual = {"trace_id": "01" * 16, "span_id": "02" * 8, "name": "load", "start_ns": T0, "end_ns": T0}
    body = {
        "namespace": "team-a",
        "traces": [usual, {**usual, "namespace": "team-b"}, {**usual, "trace_id": "00" * 16}, "garbage"],
        "metrics": [{"name": "m", "value": 1, "time_ns": T0}, {"name": "m", "time_ns": T0}],
        "source": "tests",
    }
    answer = client.post(ENVELOPE, json=body)
    assert answer.status_code == 200
    errors = answer.json().pop("errors")
    assert answer.json() == {
        "traces_accepted": 2, "traces_rejected": 2, "metrics_accepted": 1, "metrics_rejected": 1,
        "errors": errors, "namespace": "team-a",
    }  # fmt: skip
    assert len(errors) == 3
    assert sorted((one.kind, one.namespace) for one in taker.submissions) == [
        ("metrics", "team-a"), ("traces", "team-a"), ("traces", "team-b"),
    ]  # fmt: skip


def test_an_envelope_that_can_not_be_read_is_an_error_of_the_hub(client: TestClient, taker: RecordingTaker) -> None:
    answer = client.post(ENVELOPE, content=b'{"namespace": "Not Valid"}')
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")
    taker.refusal = Overloaded("full", retry_after_s=2)
    span_given = {"trace_id": "01" * 16, "span_id": "02" * 8, "name": "load", "start_ns": T0, "end_ns": T0}
    answer = client.post(ENVELOPE, json={"namespace": "team-a", "traces": [span_given]})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")


def test_a_hub_without_the_extra_names_the_command_that_brings_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if it were not installed.
    monkeypatch.setitem(sys.modules, "clickhouse_connect", None)
    with TestClient(create_app(settings)) as client:
        for path, headers in (("/v1/traces", PROTOBUF), ("/v1/metrics", JSON), (ENVELOPE, JSON)):
            answer = client.post(path, content=b"{}", headers=headers)
            assert answer.status_code == 501
            text = json.dumps(answer.json())
            assert "pip install 'lineage-hub[telemetry]'" in text


START = """
import asyncio, sys
from pathlib import Path
from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings

async def start():
    app = create_app(Settings(data_dir=Path(sys.argv[1]), log_level="error"))
    async with app.router.lifespan_context(app):
        # FastAPI looks for OpenTelemetry's API by itself, and finds it where it is installed.
        needed = {"grpc", "google.protobuf", "opentelemetry.proto", "opentelemetry.sdk", "lineage_hub.wire.otlp"}
        print(sorted(sys.modules.keys() & needed))

asyncio.run(start())
"""


def test_a_hub_starts_without_what_only_telemetry_needs(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", START, tmp_path], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
