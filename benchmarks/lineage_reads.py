"""A hundred datasets of a hub enter as lineage questions. CPU time an answer leaves, with nodes and bytes."""

from statistics import mean

from benchmarks.bench import Bench, Measured, count_graph_nodes, measure_reads, run_alone
from benchmarks.claims import Bound, Figure, Row
from benchmarks.hub import Hub
from benchmarks.landscape import Landscape
from benchmarks.sender import get, post_batches, send

# At these depths; the start nodes are those whose answer of depth 5 is nearest to this many nodes.
NODES_AT_DEPTH_5 = 640
DEPTHS = {5: (Bound(must=15, aim=5), "542 ms"), 20: (Bound(must=250, aim=60), "21.1 s")}


def _ask(landscape: Landscape, tables: list[int], depth: int) -> list[bytes]:
    return [get("/api/v1/lineage", nodeId=landscape.tables[t].node_id, depth=depth) for t in tables]


def check_nodes(done: Measured, landscape: Landscape, tables: list[int], depth: int) -> None:
    """A quick wrong answer is no figure: each has as many nodes as the generator's own graph."""
    users = landscape.users_of_tables()
    expected = [landscape.reach(t, depth, users).nodes for t in tables]
    if done.sending.findings != expected:
        pairs = zip(tables, done.sending.findings, expected, strict=True)
        table, found, wanted = next(pair for pair in pairs if pair[1] != pair[2])
        name = landscape.tables[table].node_id
        raise AssertionError(f"lineage of {name} at depth {depth} has {found} nodes, it should have {wanted}")


def describe(done: Measured) -> str:
    sending = done.sending
    size = sending.received_bytes / sending.requests
    return (
        f"{mean(sending.findings):,.0f} nodes, {size / 1000:,.0f} KB; "
        f"wall p50 {sending.percentile_ms(0.5):.1f} ms, max {sending.percentile_ms(1.0):.1f} ms"
    )


def raw_of(done: Measured) -> dict[str, object]:
    return {**done.sending.summary(), "nodes": done.sending.findings, "cpu_ms": done.cpu_ms_per_request}


def measure(bench: Bench) -> list[Row]:
    sizes = bench.sizes
    _, stream = bench.estate()
    landscape = stream.landscape
    tables = landscape.tables_reaching(NODES_AT_DEPTH_5, 5, 2 * sizes.reads)
    early, late = tables[: sizes.reads], tables[sizes.reads :]
    with Hub(bench.copy_of("estate")) as hub:
        rows = [
            _measure_depth(bench, hub, early, 5, "just started"),
            _measure_depth(bench, hub, late, 5, f"that has answered {len(early)} others"),
            _measure_depth(bench, hub, tables, 20, f"that has answered these {len(tables)} at depth 5"),
        ]
        rows.append(_measure_between_writes(bench, hub, _ask(landscape, tables[:10], 20)))
    return rows


def _measure_depth(bench: Bench, hub: Hub, tables: list[int], depth: int, of_hub: str) -> Row:
    landscape = bench.landscape()
    bound, reference = DEPTHS[depth]
    asked = _ask(landscape, tables, depth)
    first = measure_reads(hub, asked[:1], count_graph_nodes)
    done = measure_reads(hub, asked[1:], count_graph_nodes)
    check_nodes(done, landscape, tables[1:], depth)
    return Row(
        f"lineage depth {depth}, {len(asked) - 1} datasets, each asked once, of a hub {of_hub}",
        (Figure(done.cpu_ms_per_request, "CPU-ms", bound),),
        f"{describe(done)}; the one before {first.cpu_ms_per_request:.0f} CPU-ms",
        reference,
        {**raw_of(done), "first_cpu_ms": first.cpu_ms_per_request},
        bench.sizes.judged,
    )


def _measure_between_writes(bench: Bench, hub: Hub, asked: list[bytes]) -> Row:
    """The deep read when a batch of new runs came in before each, so that nothing kept ready is current."""
    sizes = bench.sizes
    stream = bench.stream(sizes.runs + 1 + len(asked) * sizes.batch // (2 * sizes.jobs))
    at = 2 * sizes.jobs * sizes.runs
    done = Measured(send(hub.port, []), 0.0)
    for question in asked:
        send(hub.port, post_batches(stream.events(at, sizes.batch), sizes.batch))
        at += sizes.batch
        one = measure_reads(hub, [question], count_graph_nodes)
        done.sending.latencies_s += one.sending.latencies_s
        done.sending.findings += one.sending.findings
        done.sending.received_bytes += one.sending.received_bytes
        done = Measured(done.sending, done.cpu_s + one.cpu_s)
    return Row(
        f"lineage depth 20, {sizes.batch} new events before each read",
        (Figure(done.cpu_ms_per_request, "CPU-ms"),),
        describe(done),
        raw=raw_of(done),
        judged=sizes.judged,
    )


if __name__ == "__main__":
    run_alone("lineage_reads", measure, __doc__)
