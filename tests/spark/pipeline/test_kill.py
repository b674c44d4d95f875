"""kill -9 of the driver at any moment of a load: readers see the old or the new content, and a rerun is right."""

import csv
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pyarrow.parquet
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from tests.proofs.figures import write_figures
from tests.proofs.sizes import SEED, TIMEOUT_S, pick
from tests.spark.database import Database
from tests.spark.pipeline.endless_loads import FORMATS, Content, Target, content_after, load_into, run_load, targets_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.serial,
    pytest.mark.xdist_group("spark"),
    pytest.mark.timeout(max(TIMEOUT_S, 900)),
]

ROOT = Path(__file__).parents[3]
TALLY: Counter[str] = Counter()
# None: the reader was told to read again, as a file that it had listed was gone.
Read = Callable[[], Content | None]


@pytest.fixture(scope="module", autouse=True)
def figures() -> Iterator[None]:
    yield
    write_figures(
        "kill_of_a_load",
        "kill -9 of a driver that loads: readers see the old or the new content, and a rerun is right",
        **TALLY,
    )


class Driver:
    """The program that loads a format's targets without end, as a process of its own with its JVM."""

    def __init__(self, format: str, folder: Path, jdbc_url: str, log: Path) -> None:
        self.said: list[dict[str, Any]] = []
        self._changed = threading.Condition()
        with log.open("w") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.spark.pipeline.endless_loads", format, str(folder), jdbc_url],
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
            )
        self._log, self._targets = log, targets_of(format)
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._changed:
                self.said.append(json.loads(line))
                self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()

    def wait_until_all(self, loaded: int) -> float:
        """Until every target has been loaded that often, counted from 0."""

        def done() -> bool:
            return all({"target": target.name, "loaded": loaded} in self.said for target in self._targets)

        with self._changed:
            self._changed.wait_for(lambda: done() or self._process.poll() is not None, timeout=240)
        assert done(), self._log.read_text()[-3000:]
        return time.monotonic()

    def kill(self) -> None:
        """Python and its JVM at once."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._listener.join()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def was_at(self, target: Target) -> int:
        """The number of that target's load that was under way."""
        return max(said["loading"] for said in self.said if said["target"] == target.name and "loading" in said)


class Reader(threading.Thread):
    """Reads in a loop, and keeps what it saw."""

    def __init__(self, read: Read) -> None:
        super().__init__()
        self._read, self._stop_asked = read, threading.Event()
        self.seen: dict[Content, int] = {}
        self.again = 0

    def run(self) -> None:
        while not self._stop_asked.wait(0.05):  # fifteen readers must leave the loads some of the processor
            found = self._read()
            if found is None:
                self.again += 1
            else:
                self.seen[found] = self.seen.get(found, 0) + 1

    def stop(self) -> None:
        self._stop_asked.set()
        self.join()


@contextmanager
def reading(reads: dict[Target, Read]) -> Iterator[dict[Target, Reader]]:
    readers = {target: Reader(read) for target, read in reads.items()}
    for reader in readers.values():
        reader.start()
    try:
        yield readers
    finally:
        for reader in readers.values():
            reader.stop()


def files_reader(folder: Path, parse: Callable[[Path], list[tuple[int, int]]]) -> Read:
    def read() -> Content | None:
        try:
            files = sorted(path for path in folder.iterdir() if not path.name.startswith((".", "_")))
            rows = [row for path in files for row in parse(path)]
        except FileNotFoundError:
            return None
        assert len(set(rows)) == len(rows), "rows are there twice"
        return frozenset(rows)

    return read


def parse_parquet(path: Path) -> list[tuple[int, int]]:
    return [(row["id"], row["v"]) for row in pyarrow.parquet.ParquetFile(path).read().to_pylist()]


def parse_csv(path: Path) -> list[tuple[int, int]]:
    with path.open(newline="") as file:
        return [(int(row["id"]), int(row["v"])) for row in csv.DictReader(file)]


def parse_json(path: Path) -> list[tuple[int, int]]:
    return [(row["id"], row["v"]) for row in map(json.loads, path.read_text().splitlines())]


def delta_reader(spark: SparkSession, path: Path) -> Read:
    def read() -> Content | None:
        try:
            rows = [tuple(row) for row in spark.read.format("delta").load(str(path)).collect()]
        except PySparkException:
            if (path / "_delta_log" / f"{0:020}.json").exists():
                raise
            return None
        assert len(set(rows)) == len(rows), "rows are there twice"
        return frozenset(rows)

    return read


def table_reader(database: Database, table: str) -> Read:
    def read() -> Content | None:
        try:
            rows = database.run(f"SELECT id, v FROM {table}")
        except psycopg.errors.UndefinedTable:
            return None
        assert len(set(rows)) == len(rows), "rows are there twice"
        return frozenset(rows)  # type: ignore[arg-type]

    return read


def read_of(target: Target, spark: SparkSession, folder: Path, database: Database) -> Read:
    path = folder / target.name
    if target.format == "jdbc":
        return table_reader(database, target.name)
    if target.format == "delta":
        return delta_reader(spark, path)
    return files_reader(path, {"parquet": parse_parquet, "csv": parse_csv, "json": parse_json}[target.format])


@pytest.mark.parametrize("number", range(pick(1, 10)))
@pytest.mark.parametrize("format", FORMATS)
def test_readers_see_the_old_or_the_new_content(
    spark: SparkSession, database: Database, tmp_path: Path, format: str, number: int
) -> None:
    rng = random.Random(f"{format} {number} {SEED}")
    folder = tmp_path / "targets"
    folder.mkdir()
    targets = targets_of(format)
    reads = {target: read_of(target, spark, folder, database) for target in targets}
    driver = Driver(format, folder, database.jdbc_url, tmp_path / "log")
    try:
        began_at = driver.wait_until_all(loaded=0)
        with reading(reads) as readers:
            took_s = driver.wait_until_all(loaded=1) - began_at
            time.sleep(rng.uniform(0, 2 * took_s))  # the moment of the kill is what is tried
            driver.kill()
            after = {target: read() for target, read in reads.items()}
    finally:
        driver.kill()
    for target, read in reads.items():
        killed_at = driver.was_at(target)
        states = [content_after(target.mode, load) for load in range(killed_at + 1)]
        assert after[target] in states[-2:], target.name
        wrong = [found for found in readers[target].seen if found not in states]
        assert not wrong, f"{target.name}: {len(wrong)} contents are neither old nor new, as {sorted(wrong[0])}"
        assert readers[target].seen, f"{target.name} was never read"
        # The same load again, as the rerun of a run that was killed: once more, or found to be done.
        run_load(spark, load_into(target, folder, database.jdbc_url), killed_at)
        assert read() == states[-1], target.name
    TALLY.update(kills=1, loads_cut_off=len(targets), reads=sum(sum(one.seen.values()) for one in readers.values()))
    # Nothing is left beside the targets. What an unfinished commit left inside a Delta table is Delta's.
    names = {target.name for target in targets}
    tables = {name for (name,) in database.run("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")}
    assert {one.name for one in folder.iterdir()} == (names if format != "jdbc" else set())
    assert tables == ({*names, "lineage_hub_load"} if format == "jdbc" else set())
