"""An empty data folder and one with a wide graph enter. Seconds to the first answer and idle memory leave."""

import time
from statistics import median
from urllib.parse import quote

from benchmarks.bench import Bench, run_alone, settle
from benchmarks.claims import Bound, Figure, Row
from benchmarks.hub import Hub, Memory

EMPTY = (Bound(must=2, aim=1), Bound(must=150, aim=75))
WIDE = (Bound(must=5, aim=2.5), Bound(must=500, aim=250))


def _row(bench: Bench, what: str, bounds: tuple[Bound, Bound], starts: list[tuple[float, float, Memory]]) -> Row:
    first_s = median(first for first, _, _ in starts)
    memory_mb = median(memory.rss_mb for _, _, memory in starts)
    cpu_s = median(cpu for _, cpu, _ in starts)
    pss_mb = median(memory.pss_mb for _, _, memory in starts)
    return Row(
        f"start to first answer and idle memory: {what}",
        (Figure(first_s, "s", bounds[0]), Figure(memory_mb, "MB", bounds[1])),
        f"median of {len(starts)} starts; {cpu_s:.2f} CPU-s; PSS {pss_mb:.0f} MB",
        "6–13 s, 1.4 GB (small)",
        {"first_answer_s": [first for first, _, _ in starts], "rss_mb": [m.rss_mb for _, _, m in starts]},
        bench.sizes.judged,
    )


def _observe(bench: Bench, hub: Hub) -> tuple[float, float, Memory]:
    cpu_s = settle(hub)
    time.sleep(bench.sizes.idle_s)
    return hub.first_answer_s, cpu_s, hub.memory()


def measure(bench: Bench) -> list[Row]:
    starts = bench.sizes.starts
    question = "/api/v1/lineage?depth=5&nodeId="
    empty = []
    for _ in range(starts):
        with Hub(bench.fresh_folder("empty"), first_path=question + quote("dataset:none:none", safe="")) as hub:
            empty.append(_observe(bench, hub))
    folder, stream = bench.wide()
    edges, columns = stream.landscape.edge_counts()
    middle = stream.landscape.tables[len(stream.landscape.tables) // 2]
    wide = []
    for _ in range(starts):
        with Hub(folder, first_path=question + quote(middle.node_id, safe="")) as hub:
            wide.append(_observe(bench, hub))
    datasets = len(stream.landscape.tables)
    return [
        _row(bench, "empty", EMPTY, empty),
        _row(bench, f"{datasets:,} datasets, {edges:,} edges, {columns:,} column edges", WIDE, wide),
    ]


if __name__ == "__main__":
    run_alone("start_and_memory", measure, __doc__)
