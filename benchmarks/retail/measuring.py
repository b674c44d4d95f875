"""Orders to work enter as lines of JSON; the CPU that a shop's daily work costs leaves, bare or as a pipeline.

A program of its own, `python -m benchmarks.retail.measuring`, with a session of Spark that does one kind of work: what
the JVM learns from one program, it would also apply to another that it runs, as it never does outside of benchmarks.
"""

import argparse
import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import SparkSession

from benchmarks.hub import cpu_seconds
from benchmarks.retail import bare
from benchmarks.retail.pipeline import OBSERVED, WITH_SETS
from benchmarks.retail.shop import write_shop
from lineage_hub.sdk import outbox, telemetry_outbox
from lineage_hub.spark.pipeline.executor import Executor
from lineage_hub.spark.pipeline.parameters import resolve
from lineage_hub.spark.pipeline.reading import read_pipeline

TABLES = ("silver/orders", "silver/customers", "gold/daily_revenue", "gold/customer_value")
Work = Callable[[], None]


class Retail:
    """One size of shop, and the ways to do its work."""

    def __init__(self, spark: SparkSession, folder: Path, rows: int) -> None:
        self.spark, self.folder = spark, folder / f"shop-{rows}"
        if not (self.folder / "products").exists():
            write_shop(spark, self.folder, rows)

    def way(self, name: str) -> Work:
        return {
            "bare": lambda: bare.run(self.spark, str(self.folder), str(self._lake("bare"))),
            "observed": lambda: self._pipeline(OBSERVED, "observed"),
            "with sets": lambda: self._pipeline(WITH_SETS, "with sets"),
        }[name]

    def _lake(self, way: str) -> Path:
        return self.folder / f"lake {way}"

    def _pipeline(self, text: str, way: str) -> None:
        parameters = {"shop": str(self.folder), "lake": str(self._lake(way))}
        pipeline = resolve(read_pipeline(text), parameters, {})
        status = Executor(self.spark, pipeline, state_folder=self.folder / "state").execute()
        if status.state != "COMPLETE":
            raise SystemExit(f"the pipeline ended with {status.state}: {status.error}")
        outbox.flush(60)
        telemetry_outbox.flush(60)

    def measure(self, way: str) -> dict[str, float]:
        """CPU seconds, and the instants between, on a heap without garbage."""
        shutil.rmtree(self._lake(way), ignore_errors=True)
        gateway = self.spark.sparkContext._jvm
        assert gateway is not None
        gateway.System.gc()
        work = self.way(way)
        cpu, begun = cpu_seconds(os.getpid()), time.monotonic()
        work()
        return {"cpu_s": cpu_seconds(os.getpid()) - cpu, "begun": begun, "ended": time.monotonic()}

    def check(self, way: str) -> None:
        """A program that does less is no yardstick: every table has the rows of the bare one's."""
        for table in TABLES:
            ours, bares = (self.spark.read.parquet(str(self._lake(one) / table)) for one in (way, "bare"))
            if ours.exceptAll(bares.select(*ours.columns)).count() or ours.count() != bares.count():
                raise SystemExit(f"{table} of the pipeline differs from that of the bare program")

    def driver_mb(self) -> tuple[float, float]:
        """Resident memory of this Python, and the heap in use of the driver's JVM after a collection."""
        gateway = self.spark.sparkContext._jvm
        assert gateway is not None
        gateway.System.gc()
        runtime = gateway.java.lang.Runtime.getRuntime()
        status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        return int(status["VmRSS"].split()[0]) / 1e3, (runtime.totalMemory() - runtime.freeMemory()) / 1e6


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retail.measuring", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="where the shop and its lakes are")
    folder: Path = parser.parse_args().folder
    spark = (
        SparkSession.builder.master("local[*]")
        .appName("retail")
        .config("spark.driver.memory", "5g")
        # The usual one works beside the program as it sees fit, by chance between 0.4 and 3 CPU-seconds of a run.
        .config("spark.driver.extraJavaOptions", "-XX:+UseParallelGC")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "8")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    for line in sys.stdin:
        wanted = json.loads(line)
        retail = Retail(spark, folder, wanted["rows"])
        if "check" in wanted:
            retail.check(wanted["check"])
            answer: dict[str, float] = {}
        else:
            measured = retail.measure(wanted["way"])
            python_mb, heap_mb = retail.driver_mb()
            answer = {**measured, "python_mb": python_mb, "heap_mb": heap_mb}
        print(json.dumps(answer), flush=True)
    spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
