"""Datasets or jobs enter; the run that read each dataset last, or the last run of each job, leaves."""

from __future__ import annotations

from collections.abc import Collection

from lineage_hub.lineage.rows import EventRow
from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import IN, RUN_EVENT
from lineage_hub.query.facts import placed_mentions
from lineage_hub.query.snapshot import Snapshot

# The run, and when it was last told that it did.
LastUse = tuple[RunFacts, int]


def last_reads(snapshot: Snapshot, datasets: Collection[int]) -> dict[int, LastUse]:
    """Those that no run has read are left out."""
    snapshot.load_shapes(datasets)
    rows: dict[int, EventRow] = {}
    for dataset in datasets:
        row = _last_reading(snapshot, dataset)
        if row is not None:
            rows[dataset] = row
    runs = snapshot.runs_of(rows.values())
    return {dataset: (runs[row.run_key], row.event_at) for dataset, row in rows.items()}


def _last_reading(snapshot: Snapshot, dataset: int) -> EventRow | None:
    names = snapshot.names_under(dataset)
    if any(name in snapshot.cuts for name in names):
        placed = [one.row for one in placed_mentions(snapshot, dataset, names) if one.mention.side == IN]
        return max([row for row in placed if row.run is not None], key=lambda row: row.ord, default=None)
    by_name = snapshot.shapes_of(names)
    shapes = snapshot.reader.shapes({number for name in names for number in by_name[name]})
    reading = [
        number
        for number, shape in shapes.items()
        if shape.kind == RUN_EVENT
        and any(mention.side == IN for name in names for mention in shape.by_dataset.get(name, ()))
    ]
    bounds = snapshot.bounds(reading)
    seen = {number: bound[1] for number in reading if (bound := bounds[number]) is not None}
    if not seen:
        return None
    last = max(seen.values())
    tied = [row for number, at in seen.items() if at == last for row in snapshot.reader.of_shape_at(number, at)]
    return max(tied, key=lambda row: row.ord)


def last_runs(snapshot: Snapshot, jobs: Collection[int]) -> dict[int, LastUse]:
    return {job: (run, run.events[-1].event_at) for job, run in snapshot.latest_runs(jobs).items()}
