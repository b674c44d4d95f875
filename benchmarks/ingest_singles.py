"""One event a request enters a fresh hub over 32 connections. CPU time an event, rate and latencies leave."""

from benchmarks.bench import Bench, measure_writes, run_alone
from benchmarks.claims import Bound, Figure, Row
from benchmarks.hub import Hub
from benchmarks.sender import post_events

REFERENCE = "128 CPU-ms, 14.5 events/s"
CPU_MS = Bound(must=1.0, aim=0.5)
RATE = Bound(must=1000, aim=2000, at_least=True)


def measure(bench: Bench) -> list[Row]:
    sizes = bench.sizes
    first = 2 * sizes.jobs
    stream = bench.stream(1 + -(-sizes.singles_after // first))
    rows = []
    with Hub(bench.fresh_folder("singles")) as hub:
        parts = (("every job new", 0, first), ("jobs known", first, sizes.singles_after))
        for part, start, count in parts:
            requests = list(post_events(stream.events(start, count)))
            done = measure_writes(hub, requests, sizes.connections)
            sending = done.sending
            rows.append(
                Row(
                    f"one event a request, {sizes.connections} connections, durable; {count:,}, {part}",
                    (
                        Figure(done.cpu_ms_per_request, "CPU-ms", CPU_MS),
                        Figure(sending.requests_per_s, "events/s", RATE),
                    ),
                    f"p50 {sending.percentile_ms(0.5):.1f} ms, p99 {sending.percentile_ms(0.99):.1f} ms",
                    REFERENCE,
                    sending.summary(),
                    sizes.judged,
                )
            )
    return rows


if __name__ == "__main__":
    run_alone("ingest_singles", measure, __doc__)
