"""Events enter hubs on a PostgreSQL that syncs, one a request and in batches, through one hub and through two at once.

Rates leave, and the CPU time of the hubs and of PostgreSQL, each told apart.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass

from benchmarks.bench import Bench, run_alone, settle
from benchmarks.claims import Bound, Figure, Row
from benchmarks.hub import Hub, cpu_seconds
from benchmarks.postgres import database_server, serve_on
from benchmarks.sender import Sending, post_batches, post_events, send
from tests.postgres_server import PostgresServer

SINGLES = Bound(must=400, aim=800, at_least=True)
BATCHES = Bound(must=800, aim=3_000, at_least=True)
# Of what one hub takes alone.
TOGETHER = Bound(must=1.0, aim=1.2, at_least=True)


@dataclass(frozen=True)
class Taken:
    """What the hubs took together, and the CPU time that it cost them and the database."""

    events: int
    sendings: list[Sending]
    hub_s: float
    database_s: float

    @property
    def rate(self) -> float:
        return self.events / max(sending.wall_s for sending in self.sendings)

    @property
    def beside(self) -> str:
        slowest = max(sending.percentile_ms(0.5) for sending in self.sendings)
        each = 1000 / self.events
        return (
            f"{self.hub_s * each:.3f} CPU-ms an event of the hubs, {self.database_s * each:.3f} of PostgreSQL; "
            f"p50 {slowest:.1f} ms"
        )


def _take(server: PostgresServer, hubs: list[Hub], requests: list[bytes], connections: int, events: int) -> Taken:
    before = sum(settle(hub) for hub in hubs), cpu_seconds(server.pid)
    shares = [requests[number :: len(hubs)] for number in range(len(hubs))]
    with ThreadPoolExecutor(len(hubs)) as threads:
        sent = [
            threads.submit(send, hub.port, share, connections=max(1, connections // len(hubs)))
            for hub, share in zip(hubs, shares, strict=True)
        ]
        sendings = [one.result() for one in sent]
    after = sum(settle(hub) for hub in hubs), cpu_seconds(server.pid)
    return Taken(events, sendings, after[0] - before[0], after[1] - before[1])


def _measure(bench: Bench, server: PostgresServer, count: int) -> dict[str, Taken]:
    """Through so many hubs on a database of its own, every job new at first."""
    sizes = bench.sizes
    first, singles, batched = 2 * sizes.jobs, sizes.postgres_singles, sizes.postgres_batched
    stream = bench.stream(1 + -(-(singles + batched) // first))
    with ExitStack() as stack:
        url = stack.enter_context(server.database())
        hubs = [
            stack.enter_context(Hub(bench.fresh_folder(f"postgres-{number}"), command=serve_on(url)))
            for number in range(count)
        ]

        def batches(start: int, events: int) -> list[bytes]:
            return list(post_batches(stream.events(start, events), sizes.batch))

        at_first = batches(0, first)
        one_by_one = list(post_events(stream.events(first, singles)))
        later = batches(first + singles, batched)
        return {
            f"batches of {sizes.batch}, every job new": _take(server, hubs, at_first, count, first),
            f"one event a request, {sizes.connections} connections, jobs known": _take(
                server, hubs, one_by_one, sizes.connections, singles
            ),
            f"batches of {sizes.batch}, jobs known": _take(server, hubs, later, count, batched),
        }


def _rows(bench: Bench, alone: dict[str, Taken], together: dict[str, Taken]) -> Iterator[Row]:
    for work, taken in alone.items():
        bound = SINGLES if work.startswith("one") else BATCHES
        raw = {"hub_s": taken.hub_s, "postgres_s": taken.database_s, "events": taken.events}
        yield Row(
            f"PostgreSQL, one hub: {taken.events:,} events, {work}",
            (Figure(taken.rate, "events/s", bound),),
            taken.beside,
            "14.5 events/s" if work.startswith("one") else "–",
            raw,
            bench.sizes.judged,
        )
    for work, taken in together.items():
        raw = {"hub_s": taken.hub_s, "postgres_s": taken.database_s, "events": taken.events}
        yield Row(
            f"PostgreSQL, two hubs at once: {taken.events:,} events, {work}",
            (Figure(taken.rate / alone[work].rate, "× one hub's rate", TOGETHER),),
            f"{taken.rate:,.0f} events/s; {taken.beside}",
            "–",
            raw,
            bench.sizes.judged,
        )


def measure(bench: Bench) -> list[Row]:
    with database_server() as server:
        return list(_rows(bench, _measure(bench, server, 1), _measure(bench, server, 2)))


if __name__ == "__main__":
    run_alone("postgres_ingest", measure, __doc__)
