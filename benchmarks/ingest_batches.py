"""Batches of 500 events enter a fresh hub, as JSON arrays and as lines. CPU time an event leaves."""

from benchmarks.bench import Bench, measure_writes, run_alone
from benchmarks.claims import Bound, Figure, Row
from benchmarks.hub import Hub
from benchmarks.sender import post_batches

CPU_MS = Bound(must=0.3, aim=0.18)


def measure(bench: Bench) -> list[Row]:
    sizes = bench.sizes
    first = 2 * sizes.jobs
    half = sizes.batched_after // 2
    stream = bench.stream(1 + -(-sizes.batched_after // first))
    parts = (
        ("JSON array, every job new", 0, first, False),
        ("JSON array, jobs known", first, half, False),
        ("NDJSON, jobs known", first + half, half, True),
    )
    rows = []
    with Hub(bench.fresh_folder("batches")) as hub:
        for part, start, count, ndjson in parts:
            requests = list(post_batches(stream.events(start, count), sizes.batch, ndjson=ndjson))
            done = measure_writes(hub, requests, connections=1)
            rate = count / done.sending.wall_s
            p50_ms = done.sending.percentile_ms(0.5)
            rows.append(
                Row(
                    f"batches of {sizes.batch}; {count:,} events, {part}",
                    (Figure(1000 * done.cpu_s / count, "CPU-ms an event", CPU_MS),),
                    f"{rate:,.0f} events/s at one connection, p50 {p50_ms:.0f} ms a batch",
                    raw={**done.sending.summary(), "events_per_s": rate},
                    judged=sizes.judged,
                )
            )
    return rows


if __name__ == "__main__":
    run_alone("ingest_batches", measure, __doc__)
