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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pyarrow.parquet
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from tests.proofs.sizes import SEED, TIMEOUT_S, pick
from tests.spark.database import Database
from tests.spark.pipeline.endless_loads import Content, content_after, load_into, run_load

pytestmark = [
    pytest.mark.slow,
    pytest.mark.serial,
    pytest.mark.xdist_group("spark"),
    pytest.mark.timeout(max(TIMEOUT_S, 900)),
]

ROOT = Path(__file__).parents[3]
MODES = ["overwrite", "append", "merge"]
# None: the reader was told to read again, as a file that it had listed was gone.
Read = Callable[[], Content | None]


class Driver:
    """The program that loads without end, as a process of its own with its JVM."""

    def __init__(self, format: str, mode: str, place: str, log: Path) -> None:
        self.seen: list[dict[str, int]] = []
        self._changed = threading.Condition()
        with log.open("w") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.spark.pipeline.endless_loads", format, mode, place],
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
            )
        self._log = log
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._changed:
                self.seen.append(json.loads(line))
                self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()

    def wait_for(self, said: dict[str, int]) -> float:
        with self._changed:
            self._changed.wait_for(lambda: said in self.seen or self._process.poll() is not None, timeout=600)
        assert said in self.seen, self._log.read_text()[-3000:]
        return time.monotonic()

    def kill(self) -> int:
        """Python and its JVM at once; the number of the load that it was at leaves."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._listener.join()
        assert self._process.stdout is not None
        self._process.stdout.close()
        return max(said["loading"] for said in self.seen if "loading" in said)


class Reader(threading.Thread):
    """Reads in a loop, and keeps what it saw."""

    def __init__(self, read: Read) -> None:
        super().__init__()
        self._read, self._stop_asked = read, threading.Event()
        self.seen: dict[Content, int] = {}
        self.again = 0

    def run(self) -> None:
        while not self._stop_asked.is_set():
            found = self._read()
            if found is None:
                self.again += 1
            else:
                self.seen[found] = self.seen.get(found, 0) + 1

    def stop(self) -> None:
        self._stop_asked.set()
        self.join()


@contextmanager
def reading(read: Read) -> Iterator[Reader]:
    reader = Reader(read)
    reader.start()
    try:
        yield reader
    finally:
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


def table_reader(database: Database) -> Read:
    def read() -> Content | None:
        try:
            rows = database.run("SELECT id, v FROM endless")
        except psycopg.errors.UndefinedTable:
            return None
        assert len(set(rows)) == len(rows), "rows are there twice"
        return frozenset(rows)  # type: ignore[arg-type]

    return read


def check_kill(spark: SparkSession, format: str, mode: str, place: str, read: Read, log: Path) -> None:
    rng = random.Random(f"{format} {mode} {log} {SEED}")
    driver = Driver(format, mode, place, log)
    try:
        driver.wait_for({"loaded": 0})
        with reading(read) as reader:
            began_at = driver.wait_for({"loading": 1})
            took_s = driver.wait_for({"loaded": 1}) - began_at
            time.sleep(rng.uniform(0, 2 * took_s))  # the moment of the kill is what is tried
            killed_at = driver.kill()
            after = read()
    finally:
        if driver._process.poll() is None:
            driver.kill()
    states = [content_after(mode, number) for number in range(killed_at + 1)]
    assert after in states[-2:]
    wrong = [found for found in reader.seen if found not in states]
    assert not wrong, f"{len(wrong)} contents are neither old nor new, as {sorted(wrong[0])}"
    assert sum(reader.seen.values()) >= 1
    # The same load again, as the rerun of a run that was killed: once more, or found to be done.
    run_load(spark, load_into(format, mode, place), killed_at)
    assert read() == states[-1]


@pytest.mark.parametrize("number", range(pick(1, 10)))
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("format", "parse"),
    [("parquet", parse_parquet), ("csv", parse_csv), ("json", parse_json)],
    ids=["parquet", "csv", "json"],
)
def test_files(
    spark: SparkSession,
    tmp_path: Path,
    format: str,
    parse: Callable[[Path], list[tuple[int, int]]],
    mode: str,
    number: int,
) -> None:
    path = tmp_path / "target"
    check_kill(spark, format, mode, str(path), files_reader(path, parse), tmp_path / f"log{number}")
    assert {one.name for one in tmp_path.iterdir()} == {"target", f"log{number}"}


@pytest.mark.parametrize("number", range(pick(1, 10)))
@pytest.mark.parametrize("mode", MODES)
def test_delta(spark: SparkSession, tmp_path: Path, mode: str, number: int) -> None:
    path = tmp_path / "target"
    check_kill(spark, "delta", mode, str(path), delta_reader(spark, path), tmp_path / f"log{number}")
    # What an unfinished commit left in the table is Delta's; beside it nothing is left.
    assert {one.name for one in tmp_path.iterdir()} == {"target", f"log{number}"}


@pytest.mark.parametrize("number", range(pick(1, 10)))
@pytest.mark.parametrize("mode", MODES)
def test_jdbc(spark: SparkSession, database: Database, tmp_path: Path, mode: str, number: int) -> None:
    check_kill(spark, "jdbc", mode, database.jdbc_url, table_reader(database), tmp_path / f"log{number}")
    left = database.run("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    assert {name for (name,) in left} == {"endless", "lineage_hub_load"}
