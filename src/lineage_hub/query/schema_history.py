"""A dataset enters; each change of its schema leaves, the last first, with the run and the event that brought it.

At any time the schema is what docs/fold.md says of that time: what writers say, and what readers say before any has.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any, NamedTuple

from lineage_hub.lineage.rows import EventRow
from lineage_hub.lineage.schema_changes import SchemaChange, schema_change
from lineage_hub.lineage.shapes import IN, Mention
from lineage_hub.query.datasets import find_dataset
from lineage_hub.query.facts import PRECEDENCE
from lineage_hub.query.horizon import begins_at
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.spoken import Said, spoken_of, told_by
from lineage_hub.wire.columns import Column, schema_columns
from lineage_hub.wire.facets import is_tombstone

Answer = dict[str, Any]


class Version(NamedTuple):
    """The columns from an event on; None when the schema was taken back."""

    row: EventRow
    columns: list[Column] | None


def schema_history(snapshot: Snapshot, namespace: str, name: str, limit: int, offset: int) -> Answer:
    dataset = find_dataset(snapshot, namespace, name)
    versions = schema_versions(snapshot, dataset)
    changes: list[Answer] = []
    before: list[Column] | None = None
    for version in versions:
        changes.append(_answer(snapshot, version, before, is_first=not changes))
        before = version.columns
    changes.reverse()
    shown = snapshot.name(dataset)
    return {
        "dataset": {"namespace": shown[0], "name": shown[1]},
        "changes": changes[offset : offset + limit],
        "totalCount": len(changes),
        **begins_at(snapshot),
    }


def schema_versions(snapshot: Snapshot, dataset: int) -> list[Version]:
    """In order; each differs from the one before."""
    said = spoken_of(snapshot, dataset, matters=_tells_schema).said
    bodies = snapshot.reader.blobs({one.mention.facets["schema"] for one in said})
    names = snapshot.names({one.mention.dataset for one in said})
    # Of one event the last of these counts: writers before readers, then the side, then the least name.
    said.sort(key=lambda one: names[one.mention.dataset], reverse=True)
    said.sort(key=lambda one: (one.row.ord, _rank(one), PRECEDENCE[one.mention.side]))
    decoded: dict[int, list[Column] | None] = {}
    found: list[Version] = []
    rank = 0
    for _, of_event in groupby(said, key=lambda one: one.row.ord):
        *_, one = of_event
        if _rank(one) < rank:
            continue
        rank = _rank(one)
        blob = one.mention.facets["schema"]
        if blob not in decoded:
            decoded[blob] = None if is_tombstone(bodies[blob]) else schema_columns(bodies[blob])
        columns = decoded[blob]
        if columns != (found[-1].columns if found else None):
            found.append(Version(one.row, columns))
    return found


def _tells_schema(mention: Mention) -> bool:
    return "schema" in mention.facets


def _rank(one: Said) -> int:
    return 0 if one.mention.side == IN else 1


def _answer(snapshot: Snapshot, version: Version, before: list[Column] | None, *, is_first: bool) -> Answer:
    change = schema_change(before or (), version.columns or ())
    kind = "first" if is_first else "taken back" if version.columns is None else "changed"
    return {
        **told_by(snapshot, version.row),
        "kind": kind,
        "columns": len(version.columns or ()),
        **change_answer(change),
    }


def change_answer(change: SchemaChange) -> Answer:
    return {
        "added": [_column(one) for one in change.added],
        "removed": [_column(one) for one in change.removed],
        "changed": [{"name": one.path, "from": one.before, "to": one.after} for one in change.changed],
        "moved": [{"name": one.path, "from": one.before, "to": one.after} for one in change.moved],
        "likelyRenamed": [
            {"from": one.before, "to": one.after, "because": list(one.because)} for one in change.renamed
        ],
        "described": change.described,
        "equal": change.equal,
    }


def _column(one: Column) -> Answer:
    return {"name": one.path, "type": one.type}
