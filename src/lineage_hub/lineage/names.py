"""Cuts and symlinks enter; under which name a mention lives on, and which names are one dataset, leave.

The rules are those of docs/fold.md, section "Names over time".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lineage_hub.lineage.rows import CutRow, EventRow, Ord
from lineage_hub.lineage.shapes import CREATES, RENAMED_HERE, RUN_EVENT, RUNNING, Mention, Shape

Cuts = Mapping[int, list[CutRow]]


def cuts_by_dataset(rows: Iterable[CutRow]) -> Cuts:
    found: dict[int, list[CutRow]] = defaultdict(list)
    for row in rows:
        found[row.dataset].append(row)
    for cuts in found.values():
        cuts.sort(key=lambda cut: cut.ord)
    return dict(found)


def place(dataset: int, at: Ord, after: bool, cuts: Cuts) -> int | None:
    """The name under which a mention of that moment is found at present; None if it is gone."""
    while True:
        for cut in cuts.get(dataset, ()):
            if cut.ord > at or (cut.ord == at and not after):
                break
        else:
            return dataset
        if cut.continues_as is None:
            return None
        dataset, at, after = cut.continues_as, cut.ord, True


def cuts_met(dataset: int, at: Ord, after: bool, cuts: Cuts) -> Iterator[CutRow]:
    """Those that a mention of that moment goes through on its way to where `place` finds it."""
    while True:
        for cut in cuts.get(dataset, ()):
            if cut.ord > at or (cut.ord == at and not after):
                break
        else:
            return
        yield cut
        if cut.continues_as is None:
            return
        dataset, at, after = cut.continues_as, cut.ord, True


def moment_of(
    row: EventRow, shape: Shape, mention: Mention | None, run_start: Ord, streaming: bool
) -> tuple[Ord, bool]:
    """When a mention happens, and whether that is after a cut at the same ord; without one, any plain mention's."""
    if mention is not None and (mention.marks & CREATES or mention.marks & RENAMED_HERE):
        return row.ord, True
    if shape.kind == RUN_EVENT:
        return (row.ord, True) if streaming and row.type == RUNNING else (run_start, False)
    return row.ord, False


@dataclass(slots=True)
class Joined:
    """Which names are one dataset: representatives, members by representative, tables that share a location."""

    representative: dict[int, int] = field(default_factory=dict)
    members: dict[int, frozenset[int]] = field(default_factory=dict)
    conflicts: frozenset[int] = frozenset()

    def of(self, dataset: int) -> int:
        return self.representative.get(dataset, dataset)

    def all_of(self, dataset: int) -> frozenset[int]:
        return self.members.get(dataset) or frozenset((dataset,))


def join(symlinks: Mapping[int, Iterable[tuple[int, str]]], name: Callable[[int], tuple[str, str]]) -> Joined:
    """`symlinks` holds the identifiers of each name's facet; `name` orders names."""
    tables: dict[int, set[int]] = defaultdict(set)
    for dataset, identifiers in symlinks.items():
        for other, kind in identifiers:
            if kind == "TABLE" and other != dataset:
                tables[dataset].add(other)
            elif kind == "LOCATION" and other != dataset:
                tables[other].add(dataset)
    conflicts = frozenset(table for claimed in tables.values() if len(claimed) > 1 for table in claimed)
    table_of = {location: next(iter(claimed)) for location, claimed in tables.items() if len(claimed) == 1}
    groups: dict[int, set[int]] = {}
    for pair in table_of.items():
        merged = {*pair}.union(*(groups[one] for one in pair if one in groups))
        for one in merged:
            groups[one] = merged
    joined = Joined(conflicts=conflicts)
    for group in groups.values():
        chief = min(group - table_of.keys() or group, key=name)
        joined.members[chief] = frozenset(group)
        joined.representative.update(dict.fromkeys(group, chief))
    return joined


def opening_cut(members: Iterable[int], cuts: Cuts) -> Ord | None:
    """The cut that opened the present history of a dataset."""
    return max((cut.ord for member in members for cut in cuts.get(member, ())), default=None)
