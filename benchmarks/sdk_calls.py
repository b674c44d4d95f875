"""A decorated function is called 200 times a second, by a program of its own. What a call costs its caller leaves.

The hub is up, down, or so slow that each answer takes a second: the caller should not notice which. Between two calls
the program works (it writes and reads JSON), or it sleeps: then the processor's caches are others' when it wakes, and
whatever it does first takes several times as long. Two bare appends to a file, after the same sleep, show how long.
"""

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from benchmarks.bench import Bench, run_alone
from benchmarks.claims import Bound, Figure, Row
from benchmarks.hub import Hub, free_port

P50_US, P99_MS = Bound(must=100, aim=50), Bound(must=2, aim=1)
A_SECOND = 200
CALLS = """
import json, os, sys, time
from lineage_hub.sdk import configure, flush, lineage_track

url, folder, count, pause, between = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), sys.argv[5]
configure(hub_endpoint=url, spool_folder=folder)

@lineage_track(
    inputs=["s3://lake/orders", {"type": "mysql", "name": "shop.customers"}],
    outputs="postgres://db:5432/shop/public/report",
    description="Joins orders and customers",
)
def report(number):
    return number

def bare(number):
    return number

file = os.open(folder + "/appended", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
line = b"x" * 1200

def appends(number):
    os.write(file, line)
    os.write(file, line)

table = [{"id": number, "name": f"customer {number}", "amount": number / 7} for number in range(200)]

def timed(function):
    clock, taken = time.perf_counter_ns, []
    begun = time.perf_counter()
    for number in range(count):
        before = clock()
        function(number)
        taken.append(clock() - before)
        due = begun + (number + 1) * pause
        while between == "works" and time.perf_counter() < due:
            json.loads(json.dumps(table))
        time.sleep(max(0.0, due - time.perf_counter()))
    return sorted(taken)

# The first call makes the spool; a program has one.
report(0)
told = timed(report)
cpu = time.thread_time_ns()
for number in range(count):
    report(number)
cpu = time.thread_time_ns() - cpu
print(json.dumps({"told": told, "bare": timed(bare), "appends": timed(appends), "cpu_ns": cpu / count}))
sys.stdout.flush()
flush(0)
"""


@contextmanager
def slow_hub(answer_s: float) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            time.sleep(answer_s)
            self.send_response(204)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def _row(bench: Bench, state: str, url: str, between: str = "works") -> Row:
    count = bench.sizes.sdk_calls
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", CALLS, url, folder, str(count), str(1 / A_SECOND), between]
        done = subprocess.run(command, capture_output=True, check=True, timeout=60 + 6 * count / A_SECOND)
    found = json.loads(done.stdout)
    told, bare, appends = (found[what] for what in ("told", "bare", "appends"))
    at = {share: (told[int(share * count)] - bare[int(share * count)]) / 1000 for share in (0.5, 0.99)}
    return Row(
        f"a decorated call, {A_SECOND} a second, hub {state}; the program {between} in between",
        (Figure(at[0.5], "µs p50", P50_US), Figure(at[0.99] / 1000, "ms p99", P99_MS)),
        f"{count:,} calls; two bare appends {appends[count // 2] / 1000:.0f} µs p50; one call after the other "
        f"{found['cpu_ns'] / 1000:.0f} CPU-µs of the caller's thread",
        raw={"p50_us": at[0.5], "p99_us": at[0.99], "cpu_us": found["cpu_ns"] / 1000},
        judged=bench.sizes.judged,
    )


def measure(bench: Bench) -> list[Row]:
    with Hub(bench.fresh_folder("sdk-calls")) as hub:
        url = f"http://127.0.0.1:{hub.port}"
        rows = [_row(bench, "up", url), _row(bench, "up", url, "sleeps")]
    rows.append(_row(bench, "down", f"http://127.0.0.1:{free_port()}"))
    with slow_hub(1.0) as url:
        rows.append(_row(bench, "slow", url))
    return rows


if __name__ == "__main__":
    run_alone("sdk_calls", measure, __doc__)
