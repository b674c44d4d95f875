"""A day of five million spans enters a hub, with runs and metrics beside them; how long each question takes leaves.

Told are the middle of several answers to one client, after a first that is told beside it, and what a span takes on
disk once the tables have come to rest.
"""

import json
import random
import statistics
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench, run_alone, settle
from benchmarks.claims import Bound, Figure, Row
from benchmarks.hub import Hub, folder_bytes
from benchmarks.otlp_ingest import PROTOBUF
from benchmarks.sender import get, post, send
from benchmarks.spans import SECOND_NS, SPANS, SpanStream

ANALYTICS, ONE_TRACE, WINDOW = Bound(must=500, aim=250), Bound(must=50, aim=25), Bound(must=100, aim=50)
DISK = Bound(must=200, aim=100)
DAY_NS = 86_400 * SECOND_NS
START_NS = 1_793_491_200_000_000_000  # midnight
SERVICES, MINUTES = 20, 1440
REST_S = 150


def measure(bench: Bench) -> list[Row]:
    stream = SpanStream(templates=60 if bench.sizes.judged else 2)
    bodies = bench.sizes.otlp_spans // SPANS
    folder = bench.folder / "spans"
    if not bench.is_loaded("spans"):
        with Hub(bench.fresh_folder("spans")) as hub:
            send(hub.port, _spans(stream, bodies), connections=16)
            send(hub.port, (post("/v1/metrics", one, PROTOBUF) for one in _metrics()), connections=4)
            bench.load(hub, bench.stream(bench.sizes.runs).events())
            settle(hub, at_most_s=300.0)
            if bench.sizes.judged:
                _wait_for_rest(folder)
        bench.mark_loaded("spans")
    with Hub(folder) as hub:
        # A hub that was just started, whose engine was not: the first question starts it.
        rows = [_asked(bench, hub, *one) for one in _questions(bench, stream, bodies)]
    per_span = folder_bytes(folder / "telemetry") / (bodies * SPANS)
    return [*rows, _disk(bench, bodies * SPANS, per_span)]


def _wait_for_rest(folder: Path) -> None:
    """What was merged stays for two minutes."""
    size, since = -1, time.monotonic()
    while time.monotonic() - since < REST_S:
        time.sleep(5)
        now = folder_bytes(folder / "telemetry")
        if now != size:
            size, since = now, time.monotonic()


def _spans(stream: SpanStream, bodies: int) -> Iterator[bytes]:
    return (post("/v1/traces", one, PROTOBUF) for one in stream.bodies(bodies, START_NS, START_NS + DAY_NS))


def _metrics() -> Iterator[bytes]:
    """A point each minute of what each service uses."""
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

    dice = random.Random(7)
    for service in range(SERVICES):
        request = ExportMetricsServiceRequest()
        group = request.resource_metrics.add()
        group.resource.attributes.add(key="service.name").value.string_value = f"service {service}"
        scoped = group.scope_metrics.add()
        cpu = scoped.metrics.add(name="process.cpu.time", unit="s")
        cpu.sum.aggregation_temporality, cpu.sum.is_monotonic = 2, True
        memory = scoped.metrics.add(name="process.memory.usage", unit="By")
        waits = scoped.metrics.add(name="http.server.request.duration", unit="s")
        waits.histogram.aggregation_temporality = 1
        spent = 0.0
        for minute in range(MINUTES):
            at = START_NS + minute * 60 * SECOND_NS
            spent += dice.random() * 60
            cpu.sum.data_points.add(start_time_unix_nano=START_NS, time_unix_nano=at, as_double=spent)
            memory.gauge.data_points.add(time_unix_nano=at, as_int=dice.randrange(2**30))
            counts = [dice.randrange(100) for _ in range(4)]
            waits.histogram.data_points.add(
                start_time_unix_nano=at - 60 * SECOND_NS,
                time_unix_nano=at,
                count=sum(counts),
                sum=float(sum(counts)),
                bucket_counts=counts,
                explicit_bounds=[0.1, 0.5, 1.0],
            )
        yield request.SerializeToString()


def _questions(bench: Bench, stream: SpanStream, bodies: int) -> Iterator[tuple[str, Bound, list[bytes]]]:
    asks = bench.sizes.otlp_asks + 1
    dice = random.Random(8)
    drawn = [dice.choice(stream.trace_ids(dice.randrange(bodies))) for _ in range(2 * asks)]
    rare = _attribute(stream)
    day = {"from": _text(START_NS), "to": _text(START_NS + DAY_NS)}
    # Whatever the clock says when it is asked: it begins and ends within an hour and a minute.
    odd = {"from": _text(START_NS + 7_777 * SECOND_NS), "to": _text(START_NS + DAY_NS - 4_321 * SECOND_NS)}
    part = {
        "from": _text(START_NS + 40_011 * SECOND_NS),
        "to": _text(START_NS + 40_011 * SECOND_NS + DAY_NS * 8 // 100),
    }
    # The runs are of other days than the spans.
    ever = {"from": "2020-01-01T00:00:00Z", "to": "2027-01-01T00:00:00Z", "step": 10_000_000}
    telemetry, analytics, traces = "/api/v1/telemetry", "/api/v1/analytics", "/api/v1/traces"
    yield "one trace", ONE_TRACE, [get(f"{traces}/{one}") for one in drawn[:asks]]
    pairs = zip(drawn[:asks], drawn[asks:], strict=True)
    yield (
        "two traces span by span",
        Bound(2 * ONE_TRACE.must, 2 * ONE_TRACE.aim),
        [get(f"{traces}/{one}/diff", to=other) for one, other in pairs],
    )
    window = "8 % of the time: "
    for says, path, more in (
        ("traces, the latest", traces, {}),
        ("traces of a service with errors", traces, {"service": "stock", "error": "true"}),
        ("traces with an attribute", traces, {"attribute": rare}),
        ("operations", f"{telemetry}/operations", {}),
        ("services and their calls", f"{telemetry}/services", {}),
    ):
        yield window + says, WINDOW, [get(path, **part, **more)] * asks
    wholes: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("services and their calls", f"{telemetry}/services", odd),
        ("slow operations", f"{telemetry}/operations", odd),
        ("operations by the hour", f"{telemetry}/operations", {**day, "step": 3600}),
        (
            "operations of a service, every span",
            f"{telemetry}/operations",
            {**odd, "service": "stock", "exact": "true"},
        ),
        ("slowest traces", traces, {**odd, "minDurationMs": 899}),
        ("traces with an attribute", traces, {**odd, "attribute": rare}),
        ("what pipelines and services use", f"{analytics}/resources", odd),
        (
            "success rate of a stage over time",
            f"{analytics}/success",
            {**ever, "stage": bench.landscape().tasks[0].name},
        ),
        ("durations of runs", f"{analytics}/durations", {k: v for k, v in ever.items() if k != "step"}),
        ("error rate by stage", f"{analytics}/errors", {k: v for k, v in ever.items() if k != "step"}),
        ("records over time", f"{analytics}/records", ever),
        ("a counter over time", f"{telemetry}/metrics/process.cpu.time", odd),
        ("a histogram over time", f"{telemetry}/metrics/http.server.request.duration", odd),
    )
    for says, path, more in wholes:
        yield says, ANALYTICS, [get(path, **more)] * asks


def _attribute(stream: SpanStream) -> str:
    """One of those with very many values, and a value that is there."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    request = ExportTraceServiceRequest.FromString(next(stream.bodies(1, 0, 0)))
    found = request.resource_spans[0].scope_spans[0].spans[0].attributes[3]
    return f"{found.key}={found.value.string_value}"


def _asked(bench: Bench, hub: Hub, says: str, bound: Bound, requests: list[bytes]) -> Row:
    before = hub.cpu_s()
    answered = send(hub.port, requests, examine=_size)
    spent_ms = 1000 * (hub.cpu_s() - before) / len(requests)
    if bench.sizes.judged and not max(answered.findings):
        raise ValueError(f"nothing is found: {says}")
    first, *others = [1000 * one for one in answered.latencies_s]
    return Row(
        f"{bench.sizes.otlp_spans:,} spans: {says}",
        (Figure(statistics.median(others), "ms", bound),),
        f"the first {first:,.0f} ms; {spent_ms:,.0f} CPU-ms each",
        raw={"ms": [first, *others]},
        judged=bench.sizes.judged,
    )


def _size(body: bytes) -> int:
    """How much was found: how many values there are in lists."""
    return _listed(json.loads(body), within=False)


def _listed(content: object, *, within: bool) -> int:
    if isinstance(content, list):
        return sum(_listed(one, within=True) for one in content)
    if isinstance(content, dict):
        return sum(_listed(one, within=within) for one in content.values())
    return int(within)


def _text(at_ns: int) -> str:
    return datetime.fromtimestamp(at_ns // SECOND_NS, UTC).isoformat().replace("+00:00", "Z")


def _disk(bench: Bench, spans: int, per_span: float) -> Row:
    return Row(
        f"{spans:,} spans on disk, with rollups, and the metrics and runs beside them",
        (Figure(per_span, "bytes a span", DISK),),
        raw={"bytes": per_span * spans},
        judged=bench.sizes.judged,
    )


if __name__ == "__main__":
    run_alone("telemetry_questions", measure, __doc__)
