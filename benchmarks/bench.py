"""Sizes and a folder enter. Hubs on fresh or loaded data leave, and the CPU time of what is sent to them."""

import argparse
import json
import shutil
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.claims import Row, print_row
from benchmarks.generator import EventStream
from benchmarks.hub import Hub
from benchmarks.landscape import Landscape, layered_landscape, wide_landscape
from benchmarks.sender import Sending, post_batches, send

# A hub that uses less than this in a look has finished what it put off.
_IDLE_CPU_S = 0.004
_LOOK_S = 0.25


@dataclass(frozen=True)
class Sizes:
    """How much each program does."""

    jobs: int = 2000
    runs: int = 10  # a job, in the folder for reads
    connections: int = 32
    batch: int = 500
    singles_after: int = 16_000  # events sent after the first run of every job
    batched_after: int = 36_000
    postgres_singles: int = 8_000
    postgres_batched: int = 20_000
    growth_early: int = 50_000
    growth_late: int = 300_000
    growth_window: int = 10_000
    growth_singles: int = 5_000
    reads: int = 50
    drift: float = 0.1
    long_jobs: int = 20
    long_runs: int = 10_000
    wide_datasets: int = 100_000
    names: int = 100_000
    mistakes: int = 1_000
    large_runs: int = 10  # of each job of the wide landscape
    starts: int = 5
    idle_s: float = 2.0
    sdk_calls: int = 2_000
    sdk_events: int = 30_000
    sdk_events_down: int = 100_000
    spark_rows: int = 10_000_000
    spark_pairs: int = 15
    spark_rounds_of_sets: int = 9
    spark_warm_rounds: int = 8
    spark_scale: tuple[int, ...] = (1_000_000, 10_000_000, 30_000_000)
    spark_starts: int = 9
    otlp_bodies: tuple[tuple[int, int], ...] = ((32, 600), (8, 300), (1, 60))  # clients, and bodies of 500 spans
    otlp_spans: int = 5_000_000
    otlp_asks: int = 7
    notebooks: int = 1_000
    page_loads: int = 5
    page_columns: int = 20
    judged: bool = True


FULL = Sizes()
# Small enough for a test that only asks whether every program works.
SHORT = Sizes(
    jobs=40,
    runs=3,
    connections=4,
    batch=20,
    singles_after=40,
    batched_after=160,
    postgres_singles=40,
    postgres_batched=160,
    growth_early=160,
    growth_late=400,
    growth_window=40,
    growth_singles=20,
    reads=4,
    long_jobs=5,
    long_runs=20,
    wide_datasets=200,
    names=400,
    mistakes=20,
    large_runs=2,
    starts=1,
    idle_s=0.1,
    sdk_calls=20,
    sdk_events=200,
    sdk_events_down=200,
    spark_rows=10_000,
    spark_pairs=1,
    spark_rounds_of_sets=1,
    spark_warm_rounds=1,
    spark_scale=(1_000, 10_000),
    spark_starts=1,
    otlp_bodies=((4, 8), (1, 2)),
    otlp_spans=10_000,
    otlp_asks=1,
    notebooks=10,
    page_loads=1,
    page_columns=2,
    judged=False,
)


@dataclass(frozen=True)
class Measured:
    """A sending, and the CPU time that the hub spent on it and on what it put off until after."""

    sending: Sending
    cpu_s: float

    @property
    def cpu_ms_per_request(self) -> float:
        return 1000 * self.cpu_s / max(1, self.sending.requests)


def settle(hub: Hub, at_most_s: float = 30.0) -> float:
    """Wait until the hub rests, and give its CPU time then."""
    until = time.monotonic() + at_most_s
    cpu_s = hub.cpu_s()
    while time.monotonic() < until:
        time.sleep(_LOOK_S)
        before, cpu_s = cpu_s, hub.cpu_s()
        if cpu_s - before < _IDLE_CPU_S:
            break
    return cpu_s


def measure_writes(hub: Hub, requests: Iterable[bytes], connections: int) -> Measured:
    before = settle(hub)
    sending = send(hub.port, requests, connections=connections)
    return Measured(sending, settle(hub) - before)


def measure_reads(hub: Hub, requests: Iterable[bytes], examine: Callable[[bytes], int]) -> Measured:
    """At one connection. The clock stops with the last answer: a read puts nothing off."""
    before = settle(hub)
    sending = send(hub.port, requests, expect=(200,), examine=examine)
    return Measured(sending, hub.cpu_s() - before)


def count_graph_nodes(body: bytes) -> int:
    return len(json.loads(body)["graph"])


class Bench:
    """The workspace of one or more programs: data folders, loaded once and kept until the end."""

    def __init__(self, folder: Path, sizes: Sizes) -> None:
        self.folder = folder
        self.sizes = sizes
        self._landscapes: dict[int, Landscape] = {}

    def landscape(self, jobs: int | None = None) -> Landscape:
        jobs = jobs or self.sizes.jobs
        if jobs not in self._landscapes:
            self._landscapes[jobs] = layered_landscape(jobs)
        return self._landscapes[jobs]

    def stream(self, runs: int, *, jobs: int | None = None, drift: float = 0.0) -> EventStream:
        return EventStream(self.landscape(jobs), drift=drift, runs_per_job=runs)

    def estate(self) -> tuple[Path, EventStream]:
        """Every job with a few runs: what the reads are asked of."""
        return self.loaded("estate", self.stream(self.sizes.runs))

    def wide(self) -> tuple[Path, EventStream]:
        return self.loaded("wide", EventStream(wide_landscape(self.sizes.wide_datasets)))

    def large(self) -> tuple[Path, EventStream]:
        """As wide, and every job with a few runs: a million events."""
        sizes = self.sizes
        return self.loaded("large", EventStream(wide_landscape(sizes.wide_datasets), runs_per_job=sizes.large_runs))

    def fresh_folder(self, name: str) -> Path:
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        self._marker(name).unlink(missing_ok=True)
        return folder

    def loaded(self, name: str, stream: EventStream) -> tuple[Path, EventStream]:
        """The folder of this name with all events of the stream in it, loaded unless it already is."""
        if not self.is_loaded(name):
            with Hub(self.fresh_folder(name)) as hub:
                self.load(hub, stream.events())
            self.mark_loaded(name)
        return self.folder / name, stream

    def load(self, hub: Hub, events: Iterable[bytes]) -> None:
        send(hub.port, post_batches(events, self.sizes.batch), connections=2)

    def is_loaded(self, name: str) -> bool:
        return self._marker(name).exists()

    def mark_loaded(self, name: str) -> None:
        self._marker(name).touch()

    def _marker(self, name: str) -> Path:
        return self.folder / f"{name}.loaded"

    def copy_of(self, name: str) -> Path:
        folder = self.fresh_folder(f"{name}-copy")
        shutil.copytree(self.folder / name, folder)
        return folder


Program = Callable[[Bench], list[Row]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--short", action="store_true", help="tiny sizes, only to see that it works; judges nothing")
    parser.add_argument("--workspace", type=Path, help="keep loaded data folders here for the next time")
    parser.add_argument("--json", type=Path, help="write the results to this file")


class ProgramsFailed(Exception):
    """Some programs could not measure; the others did."""


def run_programs(wanted: argparse.Namespace, programs: dict[str, Program]) -> dict[str, list[Row]]:
    """The rows of each program, printed as they come; one that fails does not keep back the others."""
    parent = wanted.workspace or Path(tempfile.mkdtemp(prefix="lineage-hub-bench-"))
    folder = parent / ("short" if wanted.short else "full")
    folder.mkdir(parents=True, exist_ok=True)
    bench = Bench(folder, SHORT if wanted.short else FULL)
    results: dict[str, list[Row]] = {}
    failed: list[str] = []
    try:
        for name, program in programs.items():
            print(f"# {name}", flush=True)
            try:
                results[name] = program(bench)
            except Exception:
                traceback.print_exc()
                failed.append(name)
                continue
            for row in results[name]:
                print_row(row)
    finally:
        if wanted.workspace is None:
            shutil.rmtree(parent, ignore_errors=True)
    if wanted.json is not None:
        found = {name: [row.as_json() for row in rows] for name, rows in results.items()}
        wanted.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    if failed:
        raise ProgramsFailed(", ".join(failed))
    return results


def run_alone(name: str, program: Program, about: str | None) -> None:
    """The main of one program."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=about)
    add_arguments(parser)
    run_programs(parser.parse_args(), {name: program})
