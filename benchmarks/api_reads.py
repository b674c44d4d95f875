"""Lists, single items and events of a hub enter as questions, asked once and once more. Times to an answer leave.

Of 2,000 jobs and of 100,000 datasets with a million events, on SQLite and on PostgreSQL.
"""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import quote

from benchmarks.bench import Bench, Measured, measure_reads, run_alone
from benchmarks.claims import Bound, Figure, Row
from benchmarks.generator import RUN_EVERY_S, EventStream
from benchmarks.hub import Hub
from benchmarks.landscape import Landscape
from benchmarks.page_reads import page_rows
from benchmarks.postgres import copy_rows, database_server, serve_on
from benchmarks.sender import get

PAGE = 100
# What a large store may take, against one of 2,000 jobs.
LARGE = 2.0
LIST, ITEM, EVENTS = Bound(must=10, aim=5), Bound(must=5, aim=2.5), Bound(must=15, aim=7.5)


@dataclass(frozen=True)
class Kind:
    """One route: its bound in ms, Marquez's time, the questions, and how many things each answer must hold."""

    bound: Bound | None
    reference: str
    ask: Callable[["Asker"], tuple[bytes, int]]
    under: str | None = None
    """Where the things stand in the answer; without it the answer is one thing."""


@dataclass
class Asker:
    """Makes up questions about a stream of events; the same ones for the same seed."""

    stream: EventStream
    dice: random.Random

    @property
    def landscape(self) -> Landscape:
        return self.stream.landscape

    @property
    def jobs(self) -> int:
        """Those that ran, and those that only their parts name as their parent."""
        tasks = self.landscape.tasks
        return len(tasks) + len({(task.namespace, task.dag) for task in tasks})

    def namespaces(self) -> tuple[bytes, int]:
        used = {t.namespace for t in self._tables()} | {task.namespace for task in self.landscape.tasks}
        return get("/api/v1/namespaces"), len(used)

    def jobs_of_namespace(self) -> tuple[bytes, int]:
        namespace = self.dice.choice(self.landscape.tasks).namespace
        own = [task for task in self.landscape.tasks if task.namespace == namespace]
        return self._page(f"/api/v1/namespaces/{_name(namespace)}/jobs", len(own) + len({task.dag for task in own}))

    def all_jobs(self) -> tuple[bytes, int]:
        return self._page("/api/v1/jobs", self.jobs)

    def datasets_of_namespace(self) -> tuple[bytes, int]:
        namespace = self.dice.choice(self._tables()).namespace
        total = sum(table.namespace == namespace for table in self._tables())
        return self._page(f"/api/v1/namespaces/{_name(namespace)}/datasets", total)

    def dataset(self, more: str = "", things: int = 1, **parameters: int) -> tuple[bytes, int]:
        table = self.landscape.tables[self.dice.choice(self.dice.choice(self.landscape.tasks).writes)]
        path = f"/api/v1/namespaces/{_name(table.namespace)}/datasets/{_name(table.name)}{more}"
        return get(path, **parameters), things

    def versions(self) -> tuple[bytes, int]:
        return self.dataset("/versions", min(PAGE, self.stream.runs_per_job), limit=PAGE)

    def job(self, more: str = "", things: int = 1) -> tuple[bytes, int]:
        task = self.dice.choice(self.landscape.tasks)
        return get(f"/api/v1/namespaces/{_name(task.namespace)}/jobs/{_name(task.name)}{more}"), things

    def runs(self) -> tuple[bytes, int]:
        return self.job("/runs", min(PAGE, self.stream.runs_per_job))

    def run(self, more: str = "") -> tuple[bytes, int]:
        run = self.stream.run_id(self.dice.randrange(self.stream.total // 2))
        return get(f"/api/v1/jobs/runs/{run}{more}"), 1

    def run_facets(self) -> tuple[bytes, int]:
        return self.run("/facets")

    def last_events(self) -> tuple[bytes, int]:
        return get("/api/v1/events/lineage", limit=PAGE), min(PAGE, self.stream.total)

    def events_before(self) -> tuple[bytes, int]:
        runs = self.dice.randrange(PAGE, self.stream.total // 2) if self.stream.total > 2 * PAGE else PAGE
        moment = self.stream.starts_at + timedelta(seconds=runs * RUN_EVERY_S)
        things = min(PAGE, self.stream.total, 2 * runs)
        return get("/api/v1/events/lineage", before=moment.isoformat(), limit=PAGE), things

    def events_by_offset(self) -> tuple[bytes, int]:
        return self._page("/api/v1/events/lineage", self.stream.total)

    def column_lineage(self) -> tuple[bytes, int]:
        table = self.landscape.tables[self.dice.choice(self.dice.choice(self.landscape.tasks).writes)]
        return get("/api/v1/column-lineage", nodeId=table.node_id, depth=5), 1

    def _tables(self) -> list[object]:
        if self._used is None:
            used = {t for task in self.landscape.tasks for t in (*task.reads, *task.writes)}
            self._used = [self.landscape.tables[t] for t in sorted(used)]
        return self._used

    _used: list[object] | None = None

    def _page(self, path: str, total: int) -> tuple[bytes, int]:
        offset = self.dice.randrange(max(1, total - PAGE + 1))
        return get(path, limit=PAGE, offset=offset), min(PAGE, total - offset)


KINDS = {
    "namespaces": Kind(LIST, "–", Asker.namespaces, "namespaces"),
    "100 jobs of a namespace": Kind(LIST, "17.6 s", Asker.jobs_of_namespace, "jobs"),
    "100 jobs of all": Kind(LIST, "3.8 s (25)", Asker.all_jobs, "jobs"),
    "100 datasets of a namespace": Kind(LIST, "1.39 s", Asker.datasets_of_namespace, "datasets"),
    "a dataset": Kind(ITEM, "72 ms", Asker.dataset),
    "a job": Kind(ITEM, "159 ms", Asker.job),
    "the runs of a job": Kind(LIST, "27 ms", Asker.runs, "runs"),
    "the versions of a dataset": Kind(LIST, "–", Asker.versions, "versions"),
    "a run": Kind(ITEM, "–", Asker.run),
    "the facets of a run": Kind(ITEM, "–", Asker.run_facets),
    "the last 100 events": Kind(EVENTS, "–", Asker.last_events, "events"),
    "100 events before a moment": Kind(EVENTS, "–", Asker.events_before, "events"),
    "100 events by offset": Kind(EVENTS, "–", Asker.events_by_offset, "events"),
    "column lineage, depth 5": Kind(None, "1.56 s", Asker.column_lineage),
}


def _name(text: str) -> str:
    return quote(text, safe="")


def _things(under: str | None) -> Callable[[bytes], int]:
    return lambda body: 1 if under is None else len(json.loads(body)[under])


def _measure_kind(hub: Hub, kind: Kind, asked: list[tuple[bytes, int]]) -> Measured:
    done = measure_reads(hub, [request for request, _ in asked], _things(kind.under))
    for (request, wanted), found in zip(asked, done.sending.findings, strict=True):
        if found != wanted:
            line = request.split(b"\r\n")[0].decode()
            raise AssertionError(f"{line} gave {found} things, it should have given {wanted}")
    return done


def _rows(bench: Bench, hub: Hub, stream: EventStream, of: str, factor: float) -> Iterator[Row]:
    questions = {
        name: [kind.ask(Asker(stream, random.Random(f"{name} {turn}"))) for turn in range(bench.sizes.reads)]
        for name, kind in KINDS.items()
    }
    first = {name: _measure_kind(hub, kind, questions[name]) for name, kind in KINDS.items()}
    for name, kind in KINDS.items():
        again = _measure_kind(hub, kind, questions[name])
        bound = kind.bound and Bound(kind.bound.must * factor, kind.bound.aim * factor)
        sent, before = again.sending, first[name].sending
        yield Row(
            f"{name}; {of}",
            (
                Figure(before.percentile_ms(0.5), "ms at first", bound),
                Figure(sent.percentile_ms(0.5), "ms again", bound),
            ),
            f"p50 of {sent.requests}; "
            f"{first[name].cpu_ms_per_request:.1f} CPU-ms, then {again.cpu_ms_per_request:.1f}; "
            f"the slowest {before.percentile_ms(1.0):.0f} ms; {sent.received_bytes / sent.requests / 1000:,.0f} KB",
            kind.reference if factor == 1 else "–",
            {"first": before.summary(), "again": sent.summary()},
            bench.sizes.judged,
        )


def measure(bench: Bench) -> list[Row]:
    rows: list[Row] = []
    for load, factor in ((bench.estate, 1.0), (bench.large, LARGE)):
        folder, stream = load()
        of = f"{len(stream.landscape.tasks):,} jobs, {stream.total:,} events"
        with Hub(folder) as hub:
            rows += _rows(bench, hub, stream, of, factor)
        rows += page_rows(bench, folder, stream, of)
        with database_server() as server, server.database() as url:
            copy_rows(folder, url)
            with Hub(bench.fresh_folder("reading"), command=serve_on(url)) as hub:
                rows += _rows(bench, hub, stream, f"{of}, PostgreSQL", factor)
            rows += page_rows(bench, bench.fresh_folder("reading"), stream, f"{of}, PostgreSQL", serve_on(url))
    return rows


if __name__ == "__main__":
    run_alone("api_reads", measure, __doc__)
