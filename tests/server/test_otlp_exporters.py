"""OpenTelemetry's own exporters, over HTTP and gRPC, deliver all that their SDK recorded, exact to the nanosecond."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import uvicorn
from opentelemetry._logs import SeverityNumber
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcLogs
from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter as GrpcMetrics
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcSpans
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter as HttpLogs
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter as HttpMetrics
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpSpans
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.metrics.view import ExponentialBucketHistogramAggregation, View
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, Status, StatusCode

from lineage_hub.sdk import SyncLineageHubClient
from lineage_hub.sdk import spans as sdk
from lineage_hub.sdk.telemetry_outbox import OtlpPost
from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings
from tests.hub_process import free_port
from tests.server.recording_taker import RecordingTaker

pytestmark = pytest.mark.slow
RESOURCE = Resource.create({"service.name": "shop", "service.version": "1.2", "replicas": 3})
SPANS = 2_000
START_NS = 1_793_520_000_000_000_001


class Hub:
    def __init__(self, folder: Path) -> None:
        self.taker = RecordingTaker()
        self.grpc = free_port()
        settings = Settings(data_dir=folder, otlp_grpc_port=self.grpc, log_level="error")
        app = create_app(settings, telemetry=self.taker)
        self.server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, lifespan="on"))
        self.thread = threading.Thread(target=self.server.run)

    def __enter__(self) -> Hub:
        self.thread.start()
        while not self.server.started:
            assert self.thread.is_alive()
            self.thread.join(0.01)
        self.http = f"http://127.0.0.1:{self.server.servers[0].sockets[0].getsockname()[1]}"
        return self

    def __exit__(self, *_: object) -> None:
        self.server.should_exit = True
        self.thread.join()


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    with Hub(tmp_path) as running:
        yield running


def exporter(hub: Hub, way: str, over_http: Any, over_grpc: Any, path: str) -> Any:
    if way == "http":
        return over_http(endpoint=f"{hub.http}{path}", compression=Compression.Gzip)
    return over_grpc(endpoint=f"127.0.0.1:{hub.grpc}", insecure=True, compression=grpc.Compression.Gzip)


ways = pytest.mark.parametrize("way", ["http", "grpc"])


def expected_row(span: ReadableSpan) -> dict[str, Any]:
    assert span.start_time is not None
    assert span.end_time is not None
    return {
        "timestamp": span.start_time,
        "duration_ns": span.end_time - span.start_time,
        "trace_id": f"{span.context.trace_id:032x}",
        "span_id": f"{span.context.span_id:016x}",
        "parent_span_id": f"{span.parent.span_id:016x}" if span.parent else "",
        "operation_name": span.name,
        "span_kind": span.kind.name,
        "status_code": span.status.status_code.name,
        "status_message": span.status.description or "",
        "events": [(one.timestamp, one.name, {k: str(v) for k, v in one.attributes.items()}) for one in span.events],
        "run_id": span.attributes["openlineage.run_id"],
        "service_name": "shop",
        "scope_name": "tests",
        "scope_version": "7",
    }


@ways
def test_spans(hub: Hub, way: str) -> None:
    provider, recorded = TracerProvider(resource=RESOURCE), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(recorded))
    provider.add_span_processor(
        BatchSpanProcessor(exporter(hub, way, HttpSpans, GrpcSpans, "/v1/traces"), max_queue_size=4 * SPANS)
    )
    tracer = provider.get_tracer("tests", "7")
    for at in range(SPANS // 2):
        with tracer.start_as_current_span("outer", kind=SpanKind.SERVER) as outer:
            outer.set_attributes(
                {"openlineage.run_id": f"run-{at}", "n": at, "ratio": at / 7, "yes": True, "l": ["a", "b"]}
            )
            with tracer.start_as_current_span("inner", attributes={"openlineage.run_id": "inner"}) as inner:
                inner.add_event("happened", {"at": at})
                inner.set_status(Status(StatusCode.ERROR, "no"))
    provider.shutdown()
    rows = hub.taker.rows("traces")
    wanted = {row["span_id"]: row for row in map(expected_row, recorded.get_finished_spans())}
    assert len(rows) == len(wanted) == SPANS
    for row in rows:
        expected = wanted[row["span_id"]]
        assert {name: row[name] for name in expected} == expected
        assert row["resource_attributes"]["replicas"] == "3"
        assert row["resource_attribute_types"] == {"replicas": "int"}
        if row["operation_name"] == "outer":
            assert row["attribute_types"] == {"n": "int", "ratio": "double", "yes": "bool", "l": "array"}
            assert float(row["attributes"]["ratio"]) == int(row["attributes"]["n"]) / 7


@ways
def test_metrics(hub: Hub, way: str) -> None:
    reader = PeriodicExportingMetricReader(exporter(hub, way, HttpMetrics, GrpcMetrics, "/v1/metrics"), 3_600_000)
    view = View(instrument_name="sizes", aggregation=ExponentialBucketHistogramAggregation())
    provider = MeterProvider([reader], RESOURCE, views=[view])
    meter = provider.get_meter("tests")
    meter.create_counter("orders", unit="1", description="taken").add(2**53 + 1, {"shop": "north"})
    meter.create_up_down_counter("waiting").add(-3)
    meter.create_gauge("heat", unit="Cel").set(21.5)
    for size in (1, 10, 100):
        meter.create_histogram("times", unit="s").record(size)
        meter.create_histogram("sizes", unit="By").record(size)
    provider.shutdown()
    rows = {row["metric_name"]: row for row in hub.taker.rows("metrics")}
    assert (rows["orders"]["int_value"], rows["orders"]["is_int"], rows["orders"]["is_monotonic"]) == (
        2**53 + 1,
        True,
        True,
    )
    assert (rows["orders"]["metric_type"], rows["orders"]["temporality"]) == ("sum", "CUMULATIVE")
    assert (rows["orders"]["unit"], rows["orders"]["attributes"]) == ("1", {"shop": "north"})
    assert (rows["waiting"]["int_value"], rows["waiting"]["is_monotonic"]) == (-3, False)
    assert (rows["heat"]["value"], rows["heat"]["is_int"], rows["heat"]["metric_type"]) == (21.5, False, "gauge")
    for name, kind in (("times", "histogram"), ("sizes", "exponential_histogram")):
        assert (rows[name]["metric_type"], rows[name]["count"], rows[name]["value"]) == (kind, 3, 111)
        assert (rows[name]["min"], rows[name]["max"]) == (1, 100)
        assert rows[name]["has_min"]
        assert rows[name]["has_max"]
    assert sum(rows["times"]["bucket_counts"]) == 3
    assert sum(rows["sizes"]["positive_counts"]) == 3


@ways
def test_logs(hub: Hub, way: str) -> None:
    provider = LoggerProvider(RESOURCE)
    provider.add_log_record_processor(BatchLogRecordProcessor(exporter(hub, way, HttpLogs, GrpcLogs, "/v1/logs")))
    logger = provider.get_logger("tests")
    for at in range(100):
        logger.emit(
            timestamp=START_NS + at, severity_number=SeverityNumber.WARN, severity_text="WARN",
            body=f"line {at}", attributes={"n": at, "openlineage.run_id": "run"}, event_name="said",
        )  # fmt: skip
    provider.shutdown()
    rows = hub.taker.rows("logs")
    assert [row["timestamp"] - START_NS for row in rows] == list(range(100))
    assert {row["body"] for row in rows} == {f"line {at}" for at in range(100)}
    assert {(row["severity_number"], row["body_type"], row["run_id"]) for row in rows} == {(13, "string", "run")}
    assert {row["event_name"] for row in rows} == {"said"}


def test_the_sdk_of_the_hub_by_its_envelope_and_by_otlp(hub: Hub) -> None:
    span = sdk.Span(name="load", start_ns=START_NS, end_ns=START_NS + 7, service_name="shop", attributes={"n": 1})
    metric = sdk.Metric(name="rows", value=2**53 + 1, kind="counter", time_ns=START_NS, service_name="shop")
    with SyncLineageHubClient(hub.http, namespace="team-a") as client:
        result = client.send_telemetry_data([span, {"garbage": 1}], [metric])
    assert (result.traces_accepted, result.traces_rejected, result.metrics_accepted) == (1, 1, 1)
    assert result.errors == ("span 1: 'garbage' is no field of it",)
    post = OtlpPost(hub.http, "", 30.0)
    assert (post("team-a", [span]), post("team-a", [metric])) == (0, 0)
    post.close()
    for kind, count in (("traces", 2), ("metrics", 2)):
        rows = hub.taker.rows(kind)
        assert len(rows) == count
        for row in rows:
            assert row["timestamp"] == START_NS
            assert row["service_name"] == "shop"
            assert row["attribute_types"] == ({"n": "int"} if kind == "traces" else {})
    assert [row["int_value"] for row in hub.taker.rows("metrics")] == [2**53 + 1] * 2
    assert [one.namespace for one in hub.taker.submissions] == ["team-a", "team-a", "default", "default"]
