"""A hub full of old events enters, and new ones while it sweeps. Their latency beside and during a sweep leaves.

What is old is old by both clocks: the folder is given the knowledge that it would have had if it were as old.
"""

import http.client
import json
import sqlite3
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench, run_alone, settle
from benchmarks.claims import Bound, Figure, Row
from benchmarks.generator import EventStream
from benchmarks.hub import Hub
from benchmarks.sender import Sending, post_events, send

LATENCY = Bound(must=2, aim=1.5)
FOLDER = "retained"
DAYS = 5
PATIENCE_S = 3600


def measure(bench: Bench) -> list[Row]:
    sizes = bench.sizes
    # Of each dataset the last twelve writes stay.
    old = bench.stream(6 * sizes.runs)
    bench.loaded(FOLDER, old)
    folder = bench.copy_of(FOLDER)
    _as_old_as_it_says(folder / "lineage.db")
    # New runs of the same jobs, at present.
    new = EventStream(old.landscape, seed=1, runs_per_job=10**6, starts_at=old.starts_at + timedelta(days=365))
    events = new.events()
    with Hub(folder) as hub:
        _take(hub, events, sizes.growth_singles // 5, sizes.connections // 16)
        settle(hub)
        beside = _take(hub, events, sizes.growth_singles, sizes.connections // 16)
        before_cpu, full = settle(hub), _in_use(folder)
        _ask(hub, "PUT", "/api/v1/retention/default", {"days": DAYS})
        begun = time.perf_counter()
        _ask(hub, "POST", "/api/v1/retention/sweep")
        during, sweep = Sending(), _sweep(hub)
        while sweep["running"]:
            if time.perf_counter() - begun > PATIENCE_S:
                raise TimeoutError(f"the sweep goes on and on: {sweep}")
            some = _take(hub, events, 200, sizes.connections // 16)
            during.latencies_s += some.latencies_s
            during.wall_s += some.wall_s
            sweep = _sweep(hub)
        took = time.perf_counter() - begun
        cpu = settle(hub) - before_cpu
        left = _in_use(folder)
    ratio = during.percentile_ms(0.99) / beside.percentile_ms(0.99)
    gone = max(1, sweep["eventsRemoved"])
    figures = (
        Figure(gone / took, "events/s"),
        Figure(1000 * cpu / (gone + during.requests), "CPU-ms an event removed or taken"),
    )
    return [
        Row(
            f"events while {old.total:,} old ones are swept: p99 against without a sweep",
            (Figure(ratio, "×", LATENCY),),
            f"p50 and p99 {_told(during)} during, {_told(beside)} without",
            raw={"beside": beside.summary(), "during": during.summary()},
            judged=sizes.judged,
        ),
        Row(
            f"a sweep of {old.total:,} events under that load",
            figures,
            f"{gone:,} removed in {took:.1f} s; in use {full / 1e6:.1f} MB before, {left / 1e6:.1f} after",
            raw={"sweep": sweep, "in_use_before": full, "in_use_after": left},
            judged=sizes.judged,
        ),
    ]


def _told(sending: Sending) -> str:
    return f"{sending.percentile_ms(0.5):.1f} and {sending.percentile_ms(0.99):.1f} ms"


def _take(hub: Hub, events: Iterator[bytes], count: int, connections: int) -> Sending:
    some = [next(events) for _ in range(count)]
    return send(hub.port, post_events(some), connections=max(1, connections))


def _sweep(hub: Hub) -> dict[str, Any]:
    found: dict[str, Any] = _ask(hub, "GET", "/api/v1/retention")["sweep"]
    if found["error"]:
        raise RuntimeError(found["error"])
    return found


def _ask(hub: Hub, method: str, path: str, body: object = None) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=60)
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None)
        answer = connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path} gave {answer.status}: {text!r}")
        return json.loads(text)
    finally:
        connection.close()


def _as_old_as_it_says(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE event SET known_at = event_at")


def _in_use(folder: Path) -> int:
    """Bytes; the file keeps what was freed for what comes."""
    with sqlite3.connect(folder / "lineage.db") as connection:
        names = ("page_size", "page_count", "freelist_count")
        size, pages, free = (int(connection.execute(f"PRAGMA {name}").fetchone()[0]) for name in names)
    return size * (pages - free)


if __name__ == "__main__":
    run_alone("retention", measure, __doc__)
