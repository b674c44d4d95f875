"""Fifty moments enter as lineage questions, each asked once. CPU an answer leaves, with nodes and bytes."""

from itertools import cycle, islice

from benchmarks.bench import Bench, count_graph_nodes, measure_reads, run_alone
from benchmarks.claims import Bound, Figure, Row
from benchmarks.generator import EventStream
from benchmarks.hub import Hub
from benchmarks.lineage_reads import NODES_AT_DEPTH_5, check_nodes, describe, raw_of
from benchmarks.sender import get

BOUNDS = {5: Bound(must=100, aim=50), 20: Bound(must=600, aim=350)}


def _moments(stream: EventStream, count: int) -> list[str]:
    """From a little after every job's first run on, so that each moment has a whole graph."""
    first = 1.2 / stream.runs_per_job
    step = (1 - first) / count
    return [stream.moment(first + step * place) for place in range(count)]


def _measure_estate(bench: Bench, name: str, stream: EventStream, what: str) -> list[Row]:
    sizes = bench.sizes
    landscape = stream.landscape
    near = landscape.tables_reaching(NODES_AT_DEPTH_5, 5, sizes.reads)
    tables = list(islice(cycle(near), sizes.reads))
    # Moments of the two depths alternate: none is asked twice.
    moments = _moments(stream, 2 * sizes.reads)
    rows = []
    folder, _ = bench.loaded(name, stream)
    with Hub(folder) as hub:
        for place, (depth, bound) in enumerate(BOUNDS.items()):
            asked = [
                get("/api/v1/lineage", nodeId=landscape.tables[table].node_id, depth=depth, as_of=moment)
                for table, moment in zip(tables, moments[place::2], strict=True)
            ]
            done = measure_reads(hub, asked, count_graph_nodes)
            if not stream.drift:
                check_nodes(done, landscape, tables, depth)
            rows.append(
                Row(
                    f"lineage depth {depth} as of {len(asked)} moments, cold; {what}",
                    (Figure(done.cpu_ms_per_request, "CPU-ms", bound),),
                    describe(done),
                    "can't",
                    raw_of(done),
                    sizes.judged,
                )
            )
    return rows


def measure(bench: Bench) -> list[Row]:
    sizes = bench.sizes
    still = bench.stream(sizes.runs)
    drifting = bench.stream(sizes.runs, drift=sizes.drift)
    long = bench.stream(sizes.long_runs, jobs=sizes.long_jobs)
    few = f"{sizes.jobs:,} jobs, {sizes.runs} runs each"
    return [
        *_measure_estate(bench, "estate", still, few),
        *_measure_estate(bench, "drifting", drifting, f"{few}, {sizes.drift:.0%} of them change on the way"),
        *_measure_estate(bench, "long", long, f"{sizes.long_jobs} jobs, {sizes.long_runs:,} runs each"),
    ]


if __name__ == "__main__":
    run_alone("lineage_as_of", measure, __doc__)
