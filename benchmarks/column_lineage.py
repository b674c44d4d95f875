"""Fifty datasets enter as questions for column lineage. CPU time an answer leaves, with nodes and bytes."""

from benchmarks.bench import Bench, count_graph_nodes, measure_reads, run_alone
from benchmarks.claims import Bound, Figure, Row
from benchmarks.hub import Hub
from benchmarks.lineage_reads import NODES_AT_DEPTH_5, describe, raw_of
from benchmarks.sender import get

CPU_MS = Bound(must=15, aim=5)
DEPTH = 5


def measure(bench: Bench) -> list[Row]:
    sizes = bench.sizes
    folder, stream = bench.estate()
    landscape = stream.landscape
    tables = landscape.tables_reaching(NODES_AT_DEPTH_5, DEPTH, sizes.reads)
    rows = []
    with Hub(folder) as hub:
        for downstream, way in (("false", "upstream"), ("true", "both ways")):
            asked = [
                get(
                    "/api/v1/column-lineage",
                    nodeId=landscape.tables[t].node_id,
                    depth=DEPTH,
                    withDownstream=downstream,
                )
                for t in tables
            ]
            done = measure_reads(hub, asked, count_graph_nodes)
            rows.append(
                Row(
                    f"column lineage depth {DEPTH}, {way}, {len(asked)} datasets, each asked once",
                    (Figure(done.cpu_ms_per_request, "CPU-ms", CPU_MS),),
                    describe(done),
                    "1.56 s",
                    raw_of(done),
                    sizes.judged,
                )
            )
    return rows


if __name__ == "__main__":
    run_alone("column_lineage", measure, __doc__)
