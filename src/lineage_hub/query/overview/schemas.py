"""Datasets enter; each change of their schemas leaves, with the columns that it added, took away and changed.

Where what was said follows one after the other, the first and last time of each saying tells all; else events are read.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from lineage_hub.lineage.schema_changes import SchemaChange, schema_change
from lineage_hub.lineage.shapes import IN, Shape
from lineage_hub.query.facts import mentions_of
from lineage_hub.query.overview.book import Book
from lineage_hub.query.overview.patience import ENDLESS, Patience
from lineage_hub.query.schema_history import schema_versions
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.wire import instant_text
from lineage_hub.wire.columns import Column, schema_columns
from lineage_hub.wire.facets import is_tombstone

Answer = dict[str, Any]
# Datasets that one answer looks at for the first time, and of these those whose events must be read.
MOST_DATASETS = 1_000
MOST_READ = 50
_TOGETHER = 200
SHOWN = 10
# Columns of a change by name; of the others the counts tell.
NAMED = 3


class ColumnChange(NamedTuple):
    """`before` and `after` are types; of a renamed column names."""

    how: str
    column: str
    before: str | None
    after: str | None


class Change(NamedTuple):
    """The first schema of a dataset is none."""

    at: int
    kind: str
    added: int
    removed: int
    changed: int
    renamed: int
    moved: int
    described: int
    columns: tuple[ColumnChange, ...]


class Said(NamedTuple):
    """A schema, and the first and last time that an event says it."""

    first_at: int
    last_at: int
    blob: int


def changes_lately(
    snapshot: Snapshot, datasets: Collection[int], since: int, patience: Patience = ENDLESS
) -> tuple[list[tuple[int, Change]], int]:
    """With their datasets; and how many datasets were not looked at."""
    book: Book[tuple[Change, ...]] = snapshot.lately.schemas if snapshot.sees_all else Book()
    with book.lock:
        book.catch_up(snapshot)
        missing = book.missing(datasets)
        left, done = MOST_READ, 0
        while done < min(len(missing), MOST_DATASETS) and not patience.is_over and book.may_write(snapshot):
            some = missing[done : min(done + _TOGETHER, MOST_DATASETS)]
            found, left = _found(snapshot, some, left)
            for one, changes in found.items():
                book.write(one, changes or None, snapshot.bearing_on(one))
            done += len(some)
        kept = [(one, change) for one, changes in book.values.items() for change in changes if change.at >= since]
        unseen = len(book.missing(missing)) if missing else 0
    if kept:
        visible = set(datasets)
        kept = [(one, change) for one, change in kept if one in visible]
    return kept, unseen


def answer(snapshot: Snapshot, found: list[tuple[int, Change]]) -> list[Answer]:
    names = snapshot.names({one for one, _ in found})
    newest = sorted(found, key=lambda pair: (-pair[1].at, names[pair[0]]))[:SHOWN]
    return [
        {
            "dataset": {"namespace": names[one][0], "name": names[one][1]},
            **change._asdict(),
            "at": instant_text(change.at),
            "columns": [one._asdict() for one in change.columns],
        }
        for one, change in newest
    ]


def _found(snapshot: Snapshot, datasets: Collection[int], most: int) -> tuple[dict[int, tuple[Change, ...]], int]:
    """And of how many more the events may be read."""
    snapshot.load_shapes(datasets)
    found: dict[int, tuple[Change, ...]] = {}
    for dataset in datasets:
        names = snapshot.names_under(dataset)
        by_name = snapshot.shapes_of(names)
        shapes = snapshot.reader.shapes({number for name in names for number in by_name[name]})
        told = {number: _schemas(shape, names) for number, shape in shapes.items()}
        if len({blob for schemas in told.values() for blob, _ in schemas}) < 2:
            found[dataset] = ()
            continue
        is_cut = any(name in snapshot.cuts for name in names)
        in_turn = None if is_cut else _in_turn(snapshot, told)
        if in_turn is not None:
            found[dataset] = _changes_of(snapshot, in_turn)
        elif most > 0:
            most -= 1
            found[dataset] = _changes([(one.row.event_at, one.columns) for one in schema_versions(snapshot, dataset)])
    return found, most


def _schemas(shape: Shape, names: Collection[int]) -> set[tuple[int, bool]]:
    """The schemas that it tells, and whether a writer tells them."""
    return {
        (mention.facets["schema"], mention.side != IN)
        for mention in mentions_of(shape, names)
        if "schema" in mention.facets
    }


def _in_turn(snapshot: Snapshot, told: Mapping[int, set[tuple[int, bool]]]) -> list[Said] | None:
    """None where two schemas were said at the same time, or first by readers and then by writers."""
    bounds = snapshot.bounds([number for number, schemas in told.items() if schemas])
    spans: dict[bool, dict[int, Said]] = {False: {}, True: {}}
    for number, schemas in told.items():
        seen = bounds[number] if schemas else None
        if seen is None:
            continue
        for blob, written in schemas:
            before = spans[written].get(blob)
            first, last = seen if before is None else (min(seen[0], before.first_at), max(seen[1], before.last_at))
            spans[written][blob] = Said(first, last, blob)
    writers, readers = sorted(spans[True].values()), sorted(spans[False].values())
    if writers and readers and readers[0].first_at <= writers[0].first_at:
        return None
    ordered = writers or readers
    return ordered if all(a.last_at < b.first_at for a, b in pairwise(ordered)) else None


def _changes_of(snapshot: Snapshot, said: list[Said]) -> tuple[Change, ...]:
    bodies = snapshot.reader.blobs({one.blob for one in said})
    versions: list[tuple[int, list[Column] | None]] = []
    for one in said:
        columns = None if is_tombstone(bodies[one.blob]) else schema_columns(bodies[one.blob])
        if columns != (versions[-1][1] if versions else None):
            versions.append((one.first_at, columns))
    return _changes(versions)


def _changes(versions: list[tuple[int, list[Column] | None]]) -> tuple[Change, ...]:
    found = []
    for (_, before), (at, after) in pairwise(versions):
        change = schema_change(before or (), after or ())
        found.append(
            Change(
                at,
                "taken back" if after is None else "changed",
                len(change.added),
                len(change.removed),
                len(change.changed),
                len(change.renamed),
                len(change.moved),
                len(change.described),
                _named(change),
            )
        )
    return tuple(found)


def _named(change: SchemaChange) -> tuple[ColumnChange, ...]:
    """What readers must know of first: what is new and what is gone, then other types and names."""
    found = [
        *(ColumnChange("added", one.path, None, one.type) for one in change.added),
        *(ColumnChange("removed", one.path, one.type, None) for one in change.removed),
        *(ColumnChange("changed", *one) for one in change.changed),
        *(ColumnChange("renamed", one.after, one.before, one.after) for one in change.renamed),
    ]
    return tuple(found[:NAMED])
