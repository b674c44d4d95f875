"""Bodies of OTLP enter a hub, 500 spans each with 20 attributes; how many a CPU second makes durable leaves.

The CPU is that of hub and engine together, from the first request until both rest: merges of the tables count too.
"""

from benchmarks.bench import Bench, Measured, measure_writes, run_alone
from benchmarks.claims import Bound, Figure, Row
from benchmarks.hub import Hub
from benchmarks.sender import post, send
from benchmarks.spans import SPANS, SpanStream

RATE = Bound(must=20_000, aim=50_000, at_least=True)
START_NS, HOUR_NS = 1_793_520_000_000_000_000, 3600 * 10**9
PROTOBUF = "application/x-protobuf"


def measure(bench: Bench) -> list[Row]:
    stream, rows = SpanStream(templates=60 if bench.sizes.judged else 2), []
    for clients, number in bench.sizes.otlp_bodies:
        requests = [post("/v1/traces", one, PROTOBUF) for one in stream.bodies(number, START_NS, START_NS + HOUR_NS)]
        with Hub(bench.fresh_folder("otlp")) as hub:
            # The engine starts with the first one; that is told elsewhere.
            send(hub.port, [post("/v1/traces", one, PROTOBUF) for one in stream.bodies(1, START_NS, START_NS, -1)])
            rows.append(_row(bench, clients, measure_writes(hub, requests, clients)))
    return rows


def _row(bench: Bench, clients: int, measured: Measured) -> Row:
    sent = measured.sending
    spans = SPANS * sent.requests
    p50, p99 = sent.percentile_ms(0.5), sent.percentile_ms(0.99)
    at_once = f"{clients} clients at once" if clients > 1 else "one client"
    return Row(
        f"OTLP in, {SPANS} spans a request, 20 attributes a span, durable; {at_once}",
        (Figure(spans / measured.cpu_s, "spans per CPU second", RATE if clients > 1 else None),),
        f"{spans:,} spans, {measured.cpu_s:.1f} CPU-s of hub and engine; {spans / sent.wall_s:,.0f} spans/s;"
        f" answers in p50 {p50:.0f} ms, p99 {p99:.0f} ms",
        raw={"cpu_s": measured.cpu_s, **sent.summary()},
        judged=bench.sizes.judged,
    )


if __name__ == "__main__":
    run_alone("otlp_ingest", measure, __doc__)
