"""A long stream of events enters one hub. CPU time an event late against that early leaves."""

from benchmarks.bench import Bench, measure_writes, run_alone
from benchmarks.claims import Bound, Figure, Row
from benchmarks.generator import EventStream
from benchmarks.hub import Hub
from benchmarks.sender import post_batches, post_events

GROWTH = Bound(must=1.5, aim=1.25)
FOLDER = "grown"


def grown_stream(bench: Bench) -> EventStream:
    return bench.stream(-(-bench.sizes.growth_late // (2 * bench.sizes.jobs)))


def _measure_until(bench: Bench, hub: Hub, stream: EventStream, end: int) -> tuple[float, float]:
    """CPU-ms an event of the last window before `end`: batches first, then single events."""
    sizes = bench.sizes
    singles_from = end - sizes.growth_singles
    batches_from = singles_from - sizes.growth_window
    batches = list(post_batches(stream.events(batches_from, sizes.growth_window), sizes.batch))
    singles = list(post_events(stream.events(singles_from, sizes.growth_singles)))
    batched = measure_writes(hub, batches, connections=1)
    single = measure_writes(hub, singles, sizes.connections)
    return 1000 * batched.cpu_s / sizes.growth_window, single.cpu_ms_per_request


def measure(bench: Bench) -> list[Row]:
    sizes = bench.sizes
    stream = grown_stream(bench)
    window = sizes.growth_window + sizes.growth_singles
    with Hub(bench.fresh_folder(FOLDER)) as hub:
        bench.load(hub, stream.events(0, sizes.growth_early - window))
        early = _measure_until(bench, hub, stream, sizes.growth_early)
        between = sizes.growth_late - window - sizes.growth_early
        bench.load(hub, stream.events(sizes.growth_early, between))
        late = _measure_until(bench, hub, stream, sizes.growth_late)
    bench.mark_loaded(FOLDER)
    rows = []
    for place, way in enumerate((f"batches of {sizes.batch}", f"single events, {sizes.connections} connections")):
        rows.append(
            Row(
                f"CPU an event at {sizes.growth_late:,} events against at {sizes.growth_early:,}; {way}",
                (Figure(late[place] / early[place], "×", GROWTH),),
                f"{early[place]:.3f} CPU-ms, then {late[place]:.3f}",
                raw={"early_cpu_ms": early[place], "late_cpu_ms": late[place]},
                judged=sizes.judged,
            )
        )
    return rows


if __name__ == "__main__":
    run_alone("ingest_growth", measure, __doc__)
