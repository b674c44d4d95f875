"""Events enter by their number in the lineage store; a row of `pipeline_runs` leaves for each run they speak of.

A row is made from everything that is known of its run, so it doesn't matter in which order or how often events come.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from lineage_hub.lineage.rows import EventRow, RunKey
from lineage_hub.lineage.rules.rewriting import rename
from lineage_hub.lineage.runs import RunFacts, run_facts
from lineage_hub.lineage.shapes import run_id, run_key
from lineage_hub.store.library import Shelf
from lineage_hub.store.reader import Reader
from lineage_hub.wire import facets as read
from lineage_hub.wire.described import ErrorMessage, Statistics, lenient
from lineage_hub.wire.raw import RawEvent, decode

Name = tuple[str, str]
COLUMNS = (
    "timestamp", "run_id", "pipeline_name", "stage", "status", "namespace", "duration_ms", "records_processed",
    "bytes_processed", "error_message", "job_namespace", "ended_at", "parent_run_id", "version",
)  # fmt: skip
# Parents of parents; a producer that makes a circle of them must not keep anyone.
_DEEPEST = 32
_LONGEST_MESSAGE = 16_384
_LATEST_NS = 2**63 - 1
_MOST = 2**64 - 1


class Told(NamedTuple):
    """What the text of one event says that its row doesn't."""

    run: bytes
    outputs: dict[Name, tuple[int | None, int | None]]
    error: str | None
    root: Name | None


class RunRow(NamedTuple):
    """In the order of `COLUMNS`."""

    timestamp: int
    run_id: str
    pipeline_name: str
    stage: str
    status: str
    namespace: str
    duration_ms: int
    records_processed: int
    bytes_processed: int
    error_message: str
    job_namespace: str
    ended_at: int
    parent_run_id: str
    version: int

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.namespace, self.run_id, self.pipeline_name, self.stage


class Page(NamedTuple):
    rows: list[RunRow]
    last_seq: int


class RunProjector:
    """Remembers what it has read of events, so that a long run isn't read whole each time one more event comes."""

    def __init__(self, remembered: int = 20_000) -> None:
        self._told: Shelf[int, Told] = Shelf(remembered)

    def page(self, reader: Reader, after: int, limit: int) -> Page | None:
        """The runs that the next events speak of; None when there are none."""
        texts = reader.told_after(after, limit)
        if not texts:
            return None
        fresh = {seq: told_by(decode(text)) for seq, (text, _) in texts.items()}
        # What rules renamed is read again with its tenant, whose rules they are.
        as_sent = [seq for seq, (_, rules) in texts.items() if rules is None]
        self._told.fetch(as_sent, lambda seqs: [(seq, fresh[seq]) for seq in seqs])
        spoken_of = {told.run for told in fresh.values() if told.run}
        runs = _with_parents(reader, spoken_of)
        # A run that turns out to have a parent takes the runs below it along to another pipeline.
        moved = _moved(runs, spoken_of, after)
        while moved and (below := reader.child_runs(moved) - spoken_of):
            spoken_of |= below
            runs.update(_with_parents(reader, below))
            moved = {key[1:] for key in runs if key[2] in below}
        return Page(list(self._rows(reader, runs, spoken_of)), max(texts))

    def _rows(
        self, reader: Reader, runs: Mapping[RunKey, list[EventRow]], wanted: Collection[bytes]
    ) -> Iterator[RunRow]:
        shapes = reader.shapes({row.shape for rows in runs.values() for row in rows})
        facts = {key: run_facts(key, rows, shapes) for key, rows in runs.items()}
        events = {row.seq: row for run in facts.values() for row in run.events}
        told = self._told.fetch(events, lambda seqs: _told(reader, [events[seq] for seq in seqs]))
        jobs = {key[1] for key in runs} | {row.parent for rows in runs.values() for row in rows if row.parent}
        names, tenants = reader.names(jobs), reader.tenant_names()
        for key, run in facts.items():
            if key[2] in wanted and 0 <= run.start[0] <= _LATEST_NS:
                yield _row(run, outermost(run, facts, told, names), told, names[key[1]], tenants[key[0]])


def _told(reader: Reader, rows: list[EventRow]) -> Iterator[tuple[int, Told]]:
    texts = reader.told(rows)
    for row in rows:
        text, rules = texts[row.seq]
        event = decode(text)
        if rules is not None:
            rename(event, reader.rewriting(rules, row.tenant).names)
        yield row.seq, told_by(event)


def told_by(event: RawEvent) -> Told:
    facets = (event.run.facets if event.run else None) or {}
    error = lenient(bytes(facets["errorMessage"]), ErrorMessage) if "errorMessage" in facets else None
    above = read.parent_facet({name: bytes(facet) for name, facet in facets.items()})
    parent = read.parent(above) if above is not None else None
    outputs = {}
    for dataset in event.outputs or ():
        text = (dataset.outputFacets or {}).get("outputStatistics")
        if text is not None:
            counted = lenient(bytes(text), Statistics)
            outputs[dataset.namespace, dataset.name] = (counted.rowCount, counted.size)
    return Told(
        run_key(event.run.runId) if event.run and event.run.runId else b"",
        outputs,
        # A facet that is taken back says that there is no error.
        (error.message or "")[:_LONGEST_MESSAGE] if error is not None else None,
        parent[2] if parent is not None else None,
    )


def outermost(
    run: RunFacts, facts: Mapping[RunKey, RunFacts], told: Mapping[int, Told], names: Mapping[int, Name]
) -> Name | None:
    """The job at the top of the runs that this one stands under; None for one that stands alone, or at the top."""
    top: Name | None = None
    for _ in range(_DEEPEST):
        root = next((told[row.seq].root for row in reversed(run.events) if told[row.seq].root), None)
        above = _parent(run)
        if root is not None or above is None:
            top = root or top
            break
        top = names[above[0]]
        higher = facts.get((run.key[0], *above))
        if higher is None:
            break
        run = higher
    return top


def _row(run: RunFacts, top: Name | None, told: Mapping[int, Told], job: Name, tenant: str) -> RunRow:
    outputs: dict[Name, tuple[int | None, int | None]] = {}
    error = ""
    for row in run.events:
        for name, (records, size) in told[row.seq].outputs.items():
            before = outputs.get(name, (None, None))
            outputs[name] = (before[0] if records is None else records, before[1] if size is None else size)
        said = told[row.seq].error
        error = error if said is None else said
    above = _parent(run)
    under = top is not None and top != job
    start, end = run.start[0], run.end[0] if run.end is not None else None
    return RunRow(
        timestamp=start,
        run_id=run_id(run.key[2]),
        pipeline_name=top[1] if top is not None else job[1],
        stage=job[1] if under else "",
        status=run.state,
        namespace=tenant,
        duration_ms=max(end - start, 0) // 10**6 if end is not None else 0,
        records_processed=_total(records for records, _ in outputs.values()),
        bytes_processed=_total(size for _, size in outputs.values()),
        error_message=error,
        job_namespace=job[0],
        ended_at=end if end is not None and 0 <= end <= _LATEST_NS else 0,
        parent_run_id=run_id(above[1]) if above is not None else "",
        version=max(row.seq for row in run.events),
    )


def _parent(run: RunFacts) -> tuple[int, bytes] | None:
    """The job and run that the last event to name any names."""
    for row in reversed(run.events):
        if row.parent is not None and row.parent_run is not None:
            return row.parent, row.parent_run
    return None


def _with_parents(reader: Reader, keys: Collection[bytes]) -> dict[RunKey, list[EventRow]]:
    runs = reader.runs(keys)
    seen, level = set(keys), runs
    for _ in range(_DEEPEST):
        wanted = {row.parent_run for rows in level.values() for row in rows if row.parent_run is not None} - seen
        if not wanted:
            break
        level = reader.runs(wanted)
        runs.update(level)
        seen |= wanted
    return runs


def _moved(runs: Mapping[RunKey, list[EventRow]], keys: Collection[bytes], after: int) -> set[tuple[int, bytes]]:
    """Runs of which a parent is told that was not known before."""
    found = set()
    for (_, job, run), rows in runs.items():
        if run in keys:
            known = {(row.parent, row.parent_run) for row in rows if row.seq <= after}
            if any(row.parent is not None and (row.parent, row.parent_run) not in known for row in rows):
                found.add((job, run))
    return found


def _total(counts: Iterable[int | None]) -> int:
    return min(sum(max(count, 0) for count in counts if count is not None), _MOST)


def columns_of(rows: Iterable[RunRow]) -> dict[str, list[Any]]:
    return {name: list(values) for name, values in zip(COLUMNS, zip(*rows, strict=True), strict=True)}
