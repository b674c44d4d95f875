"""Requests, commits, inserts and questions of this hub enter as they happen; spans and metrics of them leave by OTLP.

Imported only where `self_trace_endpoint` is set. What takes telemetry isn't traced: a hub that tells itself would go
on for ever about having been told.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, ParentBased
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.types import Scope

from lineage_hub import __version__
from lineage_hub.errors import InvalidSetting
from lineage_hub.settings import Settings, mask_url

if TYPE_CHECKING:
    from lineage_hub.ingest.intake import Intake
    from lineage_hub.ingest.telemetry.batches import Batch
    from lineage_hub.query.telemetry.asking import Telemetry as Asked

SERVICE = "lineage-hub"
METRICS_EVERY_S = 30
# Also the longest that a hub which stops waits for a receiver that is gone.
TIMEOUT_S = 5.0
# Of telemetry, and what is asked every few seconds by machines.
UNTRACED = ("/v1/", "/api/v1/telemetry/ingest", "/livez", "/readyz", "/metrics")
# Of W3C, whatever OTEL_PROPAGATORS says.
_CONTEXT = TraceContextTextMapPropagator()
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class RequestSpan:
    """What becomes of one request."""

    def __init__(self) -> None:
        self.route, self.status, self.tenant = "", 0, ""


class SelfTracing:
    """Nothing runs before `start`."""

    def __init__(self, settings: Settings) -> None:
        endpoint = settings.self_trace_endpoint.rstrip("/")
        if not endpoint.startswith(("http://", "https://")):
            raise InvalidSetting(
                f"self_trace_endpoint {mask_url(endpoint)!r} is not the address of an OTLP receiver",
                subject="self_trace_endpoint",
                action="write it as http://host:4318, without /v1/traces",
            )
        receiver = urlsplit(endpoint)
        here = {settings.server_host, "localhost", "127.0.0.1", "::1"}
        self._is_own = receiver.port == settings.server_port and receiver.hostname in here
        # With headers of ours the exporters don't take those of whoever started the hub.
        options: dict[str, Any] = {
            "headers": {"user-agent": f"{SERVICE}/{__version__}"},
            "timeout": TIMEOUT_S,
            "compression": Compression.Gzip,
        }
        self._span_exporter = OTLPSpanExporter(endpoint=f"{endpoint}/v1/traces", **options)
        self._metric_exporter = OTLPMetricExporter(endpoint=f"{endpoint}/v1/metrics", **options)
        self._resource = Resource.create({"service.name": SERVICE, "service.version": __version__})
        self._tracing = TracerProvider(ParentBased(ALWAYS_ON), self._resource, shutdown_on_exit=False)
        self._tracer = self._tracing.get_tracer("lineage_hub", __version__)
        self._metering: MeterProvider | None = None

    def start(self, intake: Intake) -> None:
        self._tracing.add_span_processor(BatchSpanProcessor(self._span_exporter))
        reader = PeriodicExportingMetricReader(self._metric_exporter, METRICS_EVERY_S * 1000, TIMEOUT_S * 1000)
        self._metering = MeterProvider([reader], self._resource, shutdown_on_exit=False)
        meter = self._metering.get_meter("lineage_hub", __version__)
        self._requests = meter.create_histogram("http.server.request.duration", "s", "How long requests took.")
        self._commits = meter.create_histogram("lineage_hub.commit.duration", "s", "How long transactions took.")
        self._groups = meter.create_histogram("lineage_hub.commit.events", "{event}", "Events of a transaction.")
        self._inserts = meter.create_histogram("lineage_hub.insert.duration", "s", "How long inserts took.")
        self._rows = meter.create_counter("lineage_hub.insert.rows", "{row}", "Rows of telemetry that were inserted.")
        meter.create_observable_counter("lineage_hub.events", [_events(intake)], "{event}", "By what became of them.")
        meter.create_observable_up_down_counter(
            "lineage_hub.queue.size",
            [lambda _: [Observation(intake.queued_bytes())]],
            "By",
            "What waits for the writer.",
        )
        meter.create_observable_counter("process.cpu.time", [_cpu_time], "s", "CPU time of the hub.")
        meter.create_observable_up_down_counter("process.memory.usage", [_memory], "By", "Memory of the hub.")
        before = intake.observe_group

        def observe(events: int, seconds: float) -> None:
            before(events, seconds)
            if not events:
                return  # a probe, or something else that a user set
            self._happened("commit", seconds, {"lineage_hub.events": events})
            self._commits.record(seconds)
            self._groups.record(events)

        intake.observe_group = observe

    def close(self) -> None:
        """What happened so far is sent, if somebody takes it; a hub that stops takes nothing more from itself."""
        if self._is_own:
            self._span_exporter.shutdown()  # type: ignore[no-untyped-call]  # theirs
            self._metric_exporter.shutdown()
        self._tracing.shutdown()
        if self._metering is not None:
            self._metering.shutdown(TIMEOUT_S * 1000)

    @contextmanager
    def request(self, scope: Scope) -> Iterator[RequestSpan | None]:
        """Inside, whatever else is traced belongs to the request, and the request to the trace of who sent it."""
        path = scope["path"]
        if path.startswith(UNTRACED):
            yield None
            return
        started, told = time.perf_counter(), RequestSpan()
        carrier = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        with self._tracer.start_as_current_span(
            scope["method"], _CONTEXT.extract(carrier), SpanKind.SERVER, {"url.path": path}
        ) as span:
            yield told
            span.update_name(f"{scope['method']} {told.route}")
            attributes: dict[str, str | int] = {
                "http.request.method": scope["method"],
                "http.route": told.route,
                "http.response.status_code": told.status,
            }
            span.set_attributes({**attributes, "lineage_hub.tenant": told.tenant})
            if told.status >= 500:
                span.set_status(Status(StatusCode.ERROR))
        self._requests.record(time.perf_counter() - started, attributes)

    def observe_insert(self, batch: Batch, seconds: float) -> None:
        """An insert of nothing but what this hub told of itself is passed over."""
        if all(service == SERVICE for service in batch.columns.get("service_name", ())):
            return
        attributes: dict[str, str | int] = {"db.system.name": "clickhouse", "db.collection.name": batch.intent.table}
        self._happened("insert", seconds, {**attributes, "lineage_hub.rows": batch.rows}, SpanKind.CLIENT)
        self._inserts.record(seconds, attributes)
        self._rows.add(batch.rows, attributes)

    def asking(self, store: Asked) -> Asked:
        """The same, with a span for each question: the HTTP that this hub speaks to its ClickHouse."""
        return _TracedQuestions(self, store)

    @contextmanager
    def outgoing(self, name: str, attributes: Mapping[str, str]) -> Iterator[None]:
        """For HTTP that this hub speaks to others; an error inside is told on the span."""
        with self._tracer.start_as_current_span(name, kind=SpanKind.CLIENT, attributes=dict(attributes)):
            yield

    def _happened(
        self, name: str, seconds: float, attributes: Mapping[str, str | int], kind: SpanKind = SpanKind.INTERNAL
    ) -> None:
        """In a thread that serves many requests at once, so it has a trace of its own."""
        now = time.time_ns()
        span = self._tracer.start_span(
            name, kind=kind, attributes=dict(attributes), start_time=now - int(seconds * 1e9)
        )
        span.end(now)


class _TracedQuestions:
    def __init__(self, tracing: SelfTracing, store: Asked) -> None:
        self._tracing, self._store = tracing, store

    def ask(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        # The text of a question holds no values: they are bound to it.
        with self._tracing.outgoing("ask", {"db.system.name": "clickhouse", "db.query.text": " ".join(sql.split())}):
            return self._store.ask(sql, parameters)


def _events(intake: Intake) -> Any:
    def observe(_: CallbackOptions) -> Iterable[Observation]:
        for outcome in ("accepted", "repeated"):
            for kind in ("RunEvent", "JobEvent", "DatasetEvent"):
                yield Observation(intake.counts[f"{kind} {outcome}"], {"outcome": outcome, "kind": kind})
        yield Observation(intake.counts["rejected"], {"outcome": "rejected", "kind": "unknown"})

    return observe


def _cpu_time(_: CallbackOptions) -> Iterable[Observation]:
    spent = os.times()
    yield Observation(spent.user, {"cpu.mode": "user"})
    yield Observation(spent.system, {"cpu.mode": "system"})


def _memory(_: CallbackOptions) -> Iterable[Observation]:
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return
    yield Observation(int(pages) * _PAGE_BYTES)
