"""Hubs with few and with many events enter. The bytes that their data folders take for an event leave."""

from benchmarks.bench import Bench, run_alone
from benchmarks.claims import Bound, Figure, Row
from benchmarks.hub import Hub, folder_bytes
from benchmarks.ingest_growth import FOLDER, grown_stream
from benchmarks.sender import post_events, send

FEW = Bound(must=4, aim=2.5)
MANY = Bound(must=2, aim=1)


def _row(bench: Bench, events: int, stopped: int, live: int, bound: Bound) -> Row:
    return Row(
        f"disk an event at {events:,} events",
        (Figure(stopped / events / 1000, "KB", bound),),
        f"{stopped / 1e6:,.1f} MB stopped, {live / 1e6:,.1f} MB while it runs",
        "27 KB",
        {"events": events, "stopped_bytes": stopped, "live_bytes": live},
        bench.sizes.judged,
    )


def measure(bench: Bench) -> list[Row]:
    sizes = bench.sizes
    few = bench.stream(1)
    folder = bench.fresh_folder("few")
    with Hub(folder) as hub:
        send(hub.port, post_events(few), connections=sizes.connections)
        live = hub.disk_bytes()
    rows = [_row(bench, few.total, folder_bytes(folder), live, FEW)]

    grown, stream = bench.loaded(FOLDER, grown_stream(bench))
    with Hub(grown) as hub:
        live = hub.disk_bytes()
    rows.append(_row(bench, stream.total, folder_bytes(grown), live, MANY))
    return rows


if __name__ == "__main__":
    run_alone("disk", measure, __doc__)
