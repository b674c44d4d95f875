"""A program hands events to a batching client. How fast it takes and delivers them leaves, and what memory it needs.

The events are START and COMPLETE of a decorated function's runs, about 1.2 KB each; a hundred jobs take turns.
"""

import json
import subprocess
import sys
import tempfile

from benchmarks.bench import Bench, run_alone
from benchmarks.claims import Bound, Figure, Row
from benchmarks.hub import Hub, free_port

TAKEN, DELIVERED = Bound(must=5_000, aim=10_000, at_least=True), Bound(must=3_000, aim=6_000, at_least=True)
GROWTH_MB = Bound(must=16, aim=4)
HANDS_OVER = """
import json, sys, time
from pathlib import Path
from lineage_hub.sdk import LineageHubConfig, SyncBatchingLineageClient, SyncLineageHubClient
from lineage_hub.sdk.runs import Run

url, folder, count, deliver = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "deliver"
config = LineageHubConfig.load(hub_endpoint=url, spool_folder=folder, namespace="bench", environ={})
client = SyncBatchingLineageClient(SyncLineageHubClient(config=config))

def resident_mb():
    words = Path("/proc/self/statm").read_text().split()
    return int(words[1]) * 4096 / 1e6

def events():
    for number in range(count // 2):
        made = []
        run = Run("bench", f"job_{number % 100}", made.append)
        for table in ("orders", "customers"):
            run.add_input(f"postgres://db:5432/shop/public/{table}_{number % 100}")
        run.add_output(f"s3://lake/report_{number % 100}", columns={
            column: [(f"postgres://db:5432/shop/public/orders_{number % 100}", column)] for column in ("id", "amount")
        })
        run.start()
        run.end()
        yield from made

early = 0.0
size = taken_s = 0
begun = time.perf_counter()
for number, event in enumerate(events()):
    before = time.perf_counter()
    client.add_event(event)
    taken_s += time.perf_counter() - before
    size += len(event)
    if number == count // 10:
        early = resident_mb()
late = resident_mb()
made_s = time.perf_counter() - begun
told = {"taken_a_second": count / taken_s, "bytes": size / count, "early_mb": early, "late_mb": late, "made_s": made_s}
if deliver:
    told["flushed"] = client.flush(300)
    told["delivered_a_second"] = count / (time.perf_counter() - begun)
    told["rejected"] = client.counts.rejected
print(json.dumps(told), flush=True)
client.stop(0)
"""


def _run(url: str, count: int, mode: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", HANDS_OVER, url, folder, str(count), mode]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, timeout=600)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measure(bench: Bench) -> list[Row]:
    sizes = bench.sizes
    with Hub(bench.fresh_folder("sdk-delivery")) as hub:
        up = _run(f"http://127.0.0.1:{hub.port}", sizes.sdk_events, "deliver")
    if not up["flushed"] or up["rejected"]:
        raise AssertionError(f"not every event was delivered: {up}")
    down = _run(f"http://127.0.0.1:{free_port()}", sizes.sdk_events_down, "keep")
    growth = down["late_mb"] - down["early_mb"]
    return [
        Row(
            "one process hands events to a batching client",
            (Figure(up["taken_a_second"], "events/s", TAKEN),),
            f"{sizes.sdk_events:,} events of {up['bytes']:,.0f} bytes; hub down {down['taken_a_second']:,.0f} events/s",
            raw=up,
            judged=sizes.judged,
        ),
        Row(
            "one process delivers events through a batching client",
            (Figure(up["delivered_a_second"], "events/s", DELIVERED),),
            "from the first event made to the last confirmed, batches of 100",
            raw=up,
            judged=sizes.judged,
        ),
        Row(
            f"memory while the hub is down for {sizes.sdk_events_down:,} events: growth after the first tenth",
            (Figure(growth, "MB", GROWTH_MB),),
            f"{down['early_mb']:.0f} MB, then {down['late_mb']:.0f} MB",
            raw=down,
            judged=sizes.judged,
        ),
    ]


if __name__ == "__main__":
    run_alone("sdk_delivery", measure, __doc__)
