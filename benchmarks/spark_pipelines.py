"""A shop's daily work on Spark enters, bare and as a pipeline with lineage, traces and rules. What these cost leaves.

CPU of the driver's whole process tree, by turns, each way in a session of its own, in seconds of the machine's middle
pace (pace.py); the cost is the median of the rounds' ratios, with the interval that holds it with at least 95 % (order
statistics, which suppose nothing about the noise).
"""

import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

from benchmarks.bench import Bench, run_alone
from benchmarks.claims import Bound, Figure, Row
from benchmarks.hub import Hub
from benchmarks.pace import Pace
from benchmarks.retail import bare
from benchmarks.retail.pipeline import OBSERVED

RIDING, WITH_SETS, LAYER = Bound(must=3, aim=1), Bound(must=25, aim=10), Bound(must=2, aim=1)


def median_and_interval(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float, float]:
    """Between the k-th smallest and the k-th largest, with the largest k that is sure enough."""
    ordered, n = sorted(values), len(values)
    k = 0
    while 1 - 2 * sum(math.comb(n, i) for i in range(k + 1)) / 2**n >= confidence and k + 1 < (n + 1) / 2:
        k += 1
    low = max(k - 1, 0)
    return statistics.median(ordered), ordered[low], ordered[n - 1 - low]


@contextmanager
def _receiver() -> Iterator[str]:
    """Takes whatever comes by OTLP."""

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


class Worker:
    """A process with a session of Spark that does one kind of work."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        command = [sys.executable, "-m", "benchmarks.retail.measuring", "--folder", str(folder)]
        self._process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def ask(self, **wanted: object) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(wanted) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit(f"the worker has ended with {self._process.wait()}")
        found: dict[str, Any] = json.loads(answer)
        return found


def measure(bench: Bench) -> list[Row]:
    folder = bench.fresh_folder("retail")
    folder.mkdir(parents=True)
    with Hub(bench.fresh_folder("retail-hub")) as hub, _receiver() as receiver:
        environment = {
            **os.environ,
            "LINEAGE_HUB_URL": f"http://127.0.0.1:{hub.port}",
            "LINEAGE_HUB_SPOOL_FOLDER": str(folder / "spool"),
            "OTEL_EXPORTER_OTLP_ENDPOINT": receiver,
        }
        pairs = _pairs(bench, environment, folder)
        scale = _scale(bench, environment, folder)
        layer = _layer_row(bench, environment, folder, folder / f"shop-{bench.sizes.spark_rows // 1000}")
    shutil.rmtree(folder)
    return [*_cost_rows(bench, pairs), _scale_row(bench, scale), layer]


def _pairs(bench: Bench, environment: dict[str, str], folder: Path) -> list[dict[str, Any]]:
    """All ways by turns, the two that are compared closest each first in turn: a machine's speed drifts."""
    sizes, found = bench.sizes, []
    ways = ["bare", "observed", "with sets"]
    with ExitStack() as stack:
        pace = stack.enter_context(Pace(folder / "pace"))
        workers = {way: stack.enter_context(Worker(environment, folder)) for way in ways}
        # Until the JVM has compiled what it is going to: at two rounds it is still at a fifth of its work.
        for way in ways * sizes.spark_warm_rounds:
            workers[way].ask(way=way, rows=sizes.spark_rows // 10)
        for number in range(sizes.spark_pairs):
            pair = ways[:2] if number % 2 == 0 else ways[1::-1]
            for way in [*pair, ways[2]] if number < sizes.spark_rounds_of_sets else pair:
                measured = workers[way].ask(way=way, rows=sizes.spark_rows)
                slowness = pace.slowness(measured["begun"], measured["ended"])
                found.append({"way": way, "round": number, **measured, "slowness": slowness})
                print(f"round {number}, {way}: {measured['cpu_s'] / slowness:.1f} CPU-s", file=sys.stderr, flush=True)
        for way in ways[1:]:
            workers[way].ask(check=way, rows=sizes.spark_rows)
    return found


def _scale(bench: Bench, environment: dict[str, str], folder: Path) -> list[dict[str, Any]]:
    found = []
    with Pace(folder / "pace") as pace, Worker(environment, folder) as worker:
        for _ in range(2):
            worker.ask(way="with sets", rows=bench.sizes.spark_rows // 1000)
        for rows in bench.sizes.spark_scale:
            measured = worker.ask(way="with sets", rows=rows)
            slowness = pace.slowness(measured["begun"], measured["ended"])
            found.append({"rows": rows, **measured, "slowness": slowness})
    return found


def _cost_rows(bench: Bench, found: list[dict[str, Any]]) -> Iterator[Row]:
    rounds: dict[int, dict[str, float]] = {}
    as_read: dict[int, dict[str, float]] = {}
    for one in found:
        rounds.setdefault(one["round"], {})[one["way"]] = one["cpu_s"] / one["slowness"]
        as_read.setdefault(one["round"], {})[one["way"]] = one["cpu_s"]
    bare_s = statistics.median(one["bare"] for one in rounds.values())
    for way, says, bound in (
        ("observed", "lineage, traces and rules that ride along", RIDING),
        ("with sets", "the same and unique and referential rules", WITH_SETS),
    ):
        costs, raw_costs = (
            [100 * (one[way] / one["bare"] - 1) for one in each.values() if way in one] for each in (rounds, as_read)
        )
        median, low, high = median_and_interval(costs)
        yield Row(
            f"{bench.sizes.spark_rows:,} rows on Spark, {len(costs)} rounds: {says}, over bare PySpark",
            (Figure(high, "% (upper end)", bound),),
            f"median {median:+.2f} %, interval {low:+.2f} to {high:+.2f} %; bare {bare_s:.0f} CPU-s; whatever the pace,"
            f" median {statistics.median(raw_costs):+.2f} %",
            raw={"runs": found},
            judged=bench.sizes.judged,
        )


def _scale_row(bench: Bench, found: list[dict[str, Any]]) -> Row:
    sizes = [(math.log(one["rows"]), math.log(one["cpu_s"] / one["slowness"])) for one in found]
    slope = statistics.linear_regression([x for x, _ in sizes], [y for _, y in sizes]).slope
    rates = ", ".join(f"{one['rows']:,}: {one['rows'] / (one['ended'] - one['begun']):,.0f} rows/s" for one in found)
    at = ", ".join(f"{one['rows']:,}" for one in found)
    memory = ", ".join(f"{one['python_mb']:.0f} + {one['heap_mb']:.0f}" for one in found)
    return Row(
        f"pipeline with all rules at {at} rows: slope of CPU over rows, 1 is linear",
        (Figure(slope, "slope"),),
        f"{rates}; driver's Python + JVM heap after each {memory} MB",
        raw={"runs": found},
        judged=bench.sizes.judged,
    )


def _layer_row(bench: Bench, environment: dict[str, str], folder: Path, shop: Path) -> Row:
    """Tiny data: what remains is the start of Spark, and what the pipeline's layer adds to it."""
    import pyspark

    definition = folder / "retail.yaml"
    definition.write_text(OBSERVED)
    lakes = {name: str(folder / f"lake {name}") for name in ("bare", "pipeline")}
    submit = [
        str(Path(pyspark.__file__).with_name("bin") / "spark-submit"),
        "--master",
        "local[*]",
        "--conf",
        "spark.ui.enabled=false",
    ]
    given = ["-p", f"shop={shop}", "-p", f"lake={lakes['pipeline']}"]
    ours = [str(Path(sys.executable).with_name("lineage-hub")), "pipeline", "run", str(definition), *given]
    commands = {"bare": [*submit, bare.__file__, str(shop), lakes["bare"]], "pipeline": ours}
    environment = {**environment, "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    taken: dict[str, list[float]] = {"bare": [], "pipeline": []}
    for _ in range(bench.sizes.spark_starts):
        for name, command in commands.items():
            begun = time.perf_counter()
            subprocess.run(command, env=environment, check=True, capture_output=True)
            taken[name].append(time.perf_counter() - begun)
    added = [ours - bares for ours, bares in zip(taken["pipeline"], taken["bare"], strict=True)]
    return Row(
        "`lineage-hub pipeline run` over `spark-submit` of the bare script, jars there",
        (Figure(statistics.median(added), "s", LAYER),),
        f"median of {len(added)} pairs; {statistics.median(taken['pipeline']):.1f} s against"
        f" {statistics.median(taken['bare']):.1f} s; {bench.sizes.spark_rows // 1000:,} rows",
        raw=taken,
        judged=bench.sizes.judged,
    )


if __name__ == "__main__":
    run_alone("spark_pipelines", measure, __doc__)
