"""A landscape and a seed enter. OpenLineage run events leave as bytes, the same for the same arguments."""

import argparse
import hashlib
import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from benchmarks.landscape import DEFAULT_SEED, Landscape, Table, Task, layered_landscape

PRODUCER = "https://github.com/apache/airflow/tree/providers-openlineage/2.7.3"
FACETS = "https://openlineage.io/spec/facets/"
EVENT_SCHEMA = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
STARTS_AT = datetime(2026, 3, 2, tzinfo=UTC)
RUN_EVERY_S = 2.0
RUN_LASTS_S = 1.0

# What differs from run to run; each stands in the template for one bytes argument, in the order of the text.
HOLE = "\x01"


def _facet(version: str, name: str, **content: Any) -> dict[str, Any]:
    return {"_producer": PRODUCER, "_schemaURL": f"{FACETS}{version}/{name}.json#/$defs/{name}", **content}


def _schema_facet(table: Table) -> dict[str, Any]:
    fields = [{"name": name, "type": kind} for name, kind in table.columns]
    return _facet("1-1-1", "SchemaDatasetFacet", fields=fields)


def _statement(target: Table, sources: list[Table]) -> str:
    chosen = ", ".join(f"s0.{name}" for name, _ in target.columns[:8])
    joins = " ".join(f"JOIN {t.name} s{i} ON s0.id = s{i}.id" for i, t in enumerate(sources) if i)
    since = "s0.updated_at >= '{{ data_interval_start }}'"
    return f"INSERT INTO {target.name} SELECT {chosen} FROM {sources[0].name} s0 {joins} WHERE {since}"


def _column_lineage_facet(target: Table, sources: list[Table]) -> dict[str, Any]:
    rng = random.Random(f"columns of {target.name}")
    fields = {}
    for place, (name, _) in enumerate(target.columns):
        source = sources[place % len(sources)]
        column = rng.choice(source.columns)[0]
        fields[name] = {"inputFields": [{"namespace": source.namespace, "name": source.name, "field": column}]}
    return _facet("1-2-0", "ColumnLineageDatasetFacet", fields=fields)


def _output(target: Table, sources: list[Table], complete: bool) -> dict[str, Any]:
    facets = {"schema": _schema_facet(target)}
    output: dict[str, Any] = {"namespace": target.namespace, "name": target.name, "facets": facets}
    if complete:
        facets["columnLineage"] = _column_lineage_facet(target, sources)
        counts = _facet("1-0-2", "OutputStatisticsOutputDatasetFacet", rowCount=HOLE, size=HOLE)
        output["outputFacets"] = {"outputStatistics": counts}
    return output


def _render_template(task: Task, targets: list[Table], sources: list[Table], kind: str) -> bytes:
    parent = {"run": {"runId": HOLE}, "job": {"namespace": task.namespace, "name": task.dag}}
    job_type = {"processingType": "BATCH", "integration": "AIRFLOW", "jobType": "TASK"}
    event = {
        "eventTime": HOLE,
        "eventType": kind,
        "producer": PRODUCER,
        "schemaURL": EVENT_SCHEMA,
        "run": {
            "runId": HOLE,
            "facets": {
                "nominalTime": _facet("1-0-1", "NominalTimeRunFacet", nominalStartTime=HOLE),
                "parent": _facet("1-0-1", "ParentRunFacet", **parent),
            },
        },
        "job": {
            "namespace": task.namespace,
            "name": task.name,
            "facets": {
                "sql": _facet("1-0-1", "SQLJobFacet", query=_statement(targets[0], sources)),
                "jobType": _facet("2-0-3", "JobTypeJobFacet", **job_type),
            },
        },
        "inputs": [{"namespace": t.namespace, "name": t.name, "facets": {"schema": _schema_facet(t)}} for t in sources],
        "outputs": [_output(target, sources, kind == "COMPLETE") for target in targets],
    }
    text = json.dumps(event, separators=(",", ":")).replace("%", "%%")
    # Numbers lose the quotes that their hole was written with.
    hole = json.dumps(HOLE)
    for name in ("rowCount", "size"):
        text = text.replace(f'"{name}":{hole}', f'"{name}":%d')
    return text.replace(hole, '"%b"').encode()


def _uuid(*parts: object) -> bytes:
    digits = hashlib.md5(" ".join(map(str, parts)).encode(), usedforsecurity=False).hexdigest()
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:]}".encode()


def _as_text(moment: datetime) -> bytes:
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z".encode()


@dataclass
class EventStream:
    """START and COMPLETE of run after run; a share of the jobs (`drift`) changes inputs and columns."""

    landscape: Landscape
    seed: int = DEFAULT_SEED
    drift: float = 0.0
    runs_per_job: int = 1
    starts_at: datetime = STARTS_AT
    _templates: dict[tuple[int, bool], tuple[bytes, bytes, int]] = field(default_factory=dict, repr=False)

    @property
    def total(self) -> int:
        return 2 * len(self.landscape.tasks) * self.runs_per_job

    def run_id(self, run: int) -> str:
        return _uuid(self.seed, "run", run).decode()

    def moment(self, share: float) -> str:
        """The time at which this share of the events has happened."""
        seconds = round(share * self.total / 2 * RUN_EVERY_S, 3)
        return _as_text(self.starts_at + timedelta(seconds=seconds)).decode()

    def __iter__(self) -> Iterator[bytes]:
        return self.events()

    def events(self, first: int = 0, count: int | None = None) -> Iterator[bytes]:
        """Events `first` to `first + count`; both are even, because a run is two events."""
        runs = range(first // 2, self.total // 2 if count is None else (first + count) // 2)
        jobs = len(self.landscape.tasks)
        nominal, nominal_cycle = b"", -1
        for run in runs:
            cycle, number = divmod(run, jobs)
            if cycle != nominal_cycle:
                nominal, nominal_cycle = _as_text(self.starts_at + timedelta(hours=cycle)), cycle
            start, complete, outputs = self._template(number, self._drifted(number, cycle))
            run_id = self.run_id(run).encode()
            parent_id = _uuid(self.seed, "dag", self.landscape.tasks[number].dag, cycle)
            started_at = self.starts_at + timedelta(seconds=run * RUN_EVERY_S)
            ended_at = started_at + timedelta(seconds=RUN_LASTS_S)
            yield start % (_as_text(started_at), run_id, nominal, parent_id)
            counts = (1000 + run, 100_000 + 10 * run) * outputs
            yield complete % (_as_text(ended_at), run_id, nominal, parent_id, *counts)

    def _drifted(self, number: int, cycle: int) -> bool:
        if not self.drift or number not in self.landscape.swaps:
            return False
        # Golden-ratio steps spread the changing jobs and their moments evenly without a random generator.
        turns_at = 1 + int((number * 0.754877666) % 1 * (self.runs_per_job - 1))
        return (number * 0.618033989) % 1 < self.drift and cycle >= turns_at

    def _template(self, number: int, drifted: bool) -> tuple[bytes, bytes, int]:
        known = self._templates.get((number, drifted))
        if known is None:
            task = self.landscape.tasks[number]
            tables = self.landscape.tables
            reads = self.landscape.swaps[number] if drifted else task.reads
            sources = [tables[t] for t in reads]
            targets = [tables[t] for t in task.writes]
            if drifted:
                targets = [Table(t.namespace, t.name, (*t.columns, ("loaded_by", "VARCHAR"))) for t in targets]
            start, complete = (_render_template(task, targets, sources, kind) for kind in ("START", "COMPLETE"))
            known = (start, complete, len(targets))
            if self.runs_per_job > 1:
                self._templates[number, drifted] = known
        return known


def in_batches(events: Iterator[bytes], size: int, *, ndjson: bool = False) -> Iterator[bytes]:
    """Bodies for the batch endpoint: JSON arrays, or one event a line."""
    while batch := list(islice(events, size)):
        yield b"\n".join(batch) if ndjson else b"[" + b",".join(batch) + b"]"


def main() -> None:
    parser = argparse.ArgumentParser(description="Write generated OpenLineage events, one a line.")
    parser.add_argument("--jobs", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=1, help="runs a job")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED)
    parser.add_argument("--drift", type=float, default=0.0, help="share of jobs that change on the way")
    wanted = parser.parse_args()
    landscape = layered_landscape(wanted.jobs, wanted.seed)
    for event in EventStream(landscape, wanted.seed, wanted.drift, wanted.runs):
        sys.stdout.buffer.write(event + b"\n")


if __name__ == "__main__":
    main()
