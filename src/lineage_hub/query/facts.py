"""Datasets and jobs enter, the present value of each of their facets and their first and last mention leave.

For a name that was never cut the newest event of each shape decides; else each mention is placed by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

from lineage_hub.lineage.rows import EventRow
from lineage_hub.lineage.runs import RunFacts, static_facts
from lineage_hub.lineage.shapes import (
    DATASET_EVENT,
    IN,
    IN_RAW,
    OUT,
    RUN_EVENT,
    STATIC,
    STATIC_IN,
    STATIC_OUT,
    Mention,
    Shape,
)
from lineage_hub.query.snapshot import Snapshot


class _Every:
    def __contains__(self, _: object) -> bool:
        return True


EVERY_FACET = _Every()
# In one event: out before static before in; of two static ones the output's.
PRECEDENCE = {IN: 0, STATIC: 1, STATIC_IN: 2, STATIC_OUT: 3, OUT: 4}
_SIDES = {precedence: side for side, precedence in PRECEDENCE.items()}


class Holder(NamedTuple):
    """Where a facet's value stands; greater is newer. `shape` and `event_at` lead to the event."""

    rank: int
    event_at: int
    event_id: bytes
    precedence: int
    blob: int
    shape: int
    dataset: int

    @property
    def side(self) -> int:
        return _SIDES[self.precedence]


@dataclass(slots=True)
class Facts:
    facets: dict[str, Holder] = field(default_factory=dict)
    created_at: int = 0
    updated_at: int = 0
    mentioned: bool = False
    alive: bool = False


def dataset_facts(
    snapshot: Snapshot, datasets: Collection[int], wanted: Container[str] = EVERY_FACET
) -> dict[int, Facts]:
    """For representatives; what isn't visible at the moment is left out."""
    joined = snapshot.joined(datasets)
    names = {dataset: snapshot.names_under(dataset) for dataset in datasets}
    by_name = snapshot.shapes_of({name for group in names.values() for name in group})
    numbers = {number for group in names.values() for name in group for number in by_name[name]}
    shapes = snapshot.reader.shapes(numbers)
    bounds = snapshot.bounds(numbers)
    found: dict[int, Facts] = {}
    for dataset in datasets:
        spoken: list[Spoken] = [
            (seen[1], seen[0], name, number, shapes[number].by_dataset.get(name, ()))
            for name in joined.all_of(dataset)
            for number in by_name[name]
            if (seen := bounds[number]) is not None
        ]
        if not spoken:
            continue
        spoken.sort(key=_last, reverse=True)
        facts = Facts(
            created_at=min([one[1] for one in spoken]),
            updated_at=spoken[0][0],
            mentioned=any(one[4] for one in spoken),
        )
        if snapshot.cuts and any(name in snapshot.cuts for name in names[dataset]):
            _facets_of_placed(snapshot, dataset, names[dataset], facts)
        else:
            facts.alive = facts.mentioned
            _facets_of_shapes(snapshot, spoken, wanted, facts)
        found[dataset] = facts
    return found


# What one shape says of one name: when it was last and first said, the name, the shape, the mentions.
Spoken = tuple[int, int, int, int, Sequence[Mention]]
_last = itemgetter(0)


def _facets_of_shapes(snapshot: Snapshot, spoken: list[Spoken], wanted: Container[str], facts: Facts) -> None:
    """`spoken` begins with what was said last, so that what was said before mostly changes nothing."""
    best = facts.facets
    tied: dict[str, list[Holder]] = {}
    for last, _, name, number, mentions in spoken:
        for mention in mentions:
            for facet, blob in mention.facets.items():
                if facet not in wanted:
                    continue
                rank = 1 if facet == "schema" and mention.side != IN else 0
                before = best.get(facet)
                if before is not None and (rank < before.rank or (rank == before.rank and last < before.event_at)):
                    continue
                holder = Holder(rank, last, b"", PRECEDENCE[mention.side], blob, number, name)
                if before is None or rank > before.rank or last > before.event_at:
                    best[facet] = holder
                    tied.pop(facet, None)
                else:
                    tied.setdefault(facet, [before]).append(holder)
    for facet, holders in tied.items():
        best[facet] = _untie(snapshot, holders)


def _untie(snapshot: Snapshot, holders: list[Holder]) -> Holder:
    """Several shapes were last seen at the same time: the ids of their events decide, then the side, then the name."""
    numbers = {holder.shape for holder in holders}
    ids = snapshot.reader.newest_ids(numbers, holders[0].event_at) if len(numbers) > 1 else {}
    names = snapshot.names({holder.dataset for holder in holders})
    return max(
        sorted(holders, key=lambda holder: names[holder.dataset]),
        key=lambda holder: (ids.get(holder.shape, b""), holder.precedence),
    )


class Placed(NamedTuple):
    """A mention that lies on a dataset at present."""

    row: EventRow
    mention: Mention
    run: RunFacts


def placed_mentions(snapshot: Snapshot, dataset: int, names: Collection[int]) -> list[Placed]:
    by_name = snapshot.shapes_of(names)
    shapes = snapshot.reader.shapes({number for name in names for number in by_name[name]})
    wanted = {number for name in names for number in by_name[name] if name in shapes[number].by_dataset}
    rows = snapshot.reader.of_shapes(wanted)
    runs = snapshot.runs_of(rows)
    placed = []
    for row in rows:
        shape = shapes[row.shape]
        run = runs[row.run_key] if shape.kind == RUN_EVENT else static_facts(row, shape)
        for mention in mentions_of(shape, names):
            lies_on = snapshot.place_mention(row, shape, mention, run)
            if lies_on is not None and snapshot.joined((lies_on,)).of(lies_on) == dataset:
                placed.append(Placed(row, mention, run))
    return placed


def newest_placed(snapshot: Snapshot, placed: Collection[Placed]) -> Placed | None:
    """Of two names that one event has for one dataset the least speaks."""
    if len(placed) > 1:
        names = snapshot.names({one.mention.dataset for one in placed})
        placed = sorted(placed, key=lambda one: names[one.mention.dataset])
    return max(placed, key=lambda one: (one.row.ord, PRECEDENCE[one.mention.side]), default=None)


def mentions_of(shape: Shape, names: Collection[int]) -> list[Mention]:
    """In the shape's order."""
    if len(names) == 1:
        return [mention for name in names for mention in shape.by_dataset.get(name, ())]
    return [mention for mention in shape.mentions if mention.dataset in names]


def _facets_of_placed(snapshot: Snapshot, dataset: int, names: Collection[int], facts: Facts) -> None:
    placed = placed_mentions(snapshot, dataset, names)
    facts.alive = bool(placed)
    facts.facets = newest_of_placed(snapshot, placed).facets


def newest_of_placed(snapshot: Snapshot, placed: Collection[Placed]) -> Facts:
    order = snapshot.names({one.mention.dataset for one in placed})
    times = [one.row.event_at for one in placed]
    facts = Facts(created_at=min(times, default=0), updated_at=max(times, default=0), mentioned=bool(placed))
    for one in sorted(placed, key=lambda one: order[one.mention.dataset]):
        _observe(facts, one)
    return facts


def _observe(facts: Facts, one: Placed) -> None:
    for facet, blob in one.mention.facets.items():
        rank = 1 if facet == "schema" and one.mention.side != IN else 0
        holder = Holder(
            rank, one.row.event_at, one.row.event_id, PRECEDENCE[one.mention.side], blob, one.row.shape,
            one.mention.dataset,
        )  # fmt: skip
        before = facts.facets.get(facet)
        if before is None or holder[:4] > before[:4]:
            facts.facets[facet] = holder


def newest_facets(snapshot: Snapshot, datasets: Collection[int], facet: str) -> dict[int, int]:
    """The blob of one facet under each very name, whatever was cut or joined."""
    by_name = snapshot.shapes_of(datasets)
    shapes = snapshot.reader.shapes({number for name in datasets for number in by_name[name]})
    holding = {number: shape for number, shape in shapes.items() if any(facet in m.facets for m in shape.mentions)}
    bounds = snapshot.bounds(holding)
    found: dict[int, int] = {}
    for name in datasets:
        holders = []
        for number in by_name[name]:
            seen = bounds.get(number) if number in holding else None
            if seen is not None:
                holders += [
                    Holder(0, seen[1], b"", PRECEDENCE[m.side], m.facets[facet], number, name)
                    for m in shapes[number].by_dataset.get(name, ())
                    if facet in m.facets
                ]
        if holders:
            last = max(holder.event_at for holder in holders)
            found[name] = _untie(snapshot, [holder for holder in holders if holder.event_at == last]).blob
    return found


def job_facts(snapshot: Snapshot, jobs: Collection[int], wanted: Container[str] = EVERY_FACET) -> dict[int, Facts]:
    by_job = snapshot.shapes_of(jobs)
    numbers = {number for job in jobs for number in by_job[job]}
    shapes = snapshot.reader.shapes(numbers)
    bounds = snapshot.bounds(numbers)
    found: dict[int, Facts] = {}
    for job in jobs:
        facts = Facts()
        first = last = None
        tied: dict[str, list[Holder]] = {}
        for number in by_job[job]:
            seen = bounds[number]
            if seen is None:
                continue
            first = seen[0] if first is None or seen[0] < first else first
            last = seen[1] if last is None or seen[1] > last else last
            if shapes[number].subject != job or shapes[number].kind == DATASET_EVENT:
                continue
            facts.mentioned = facts.alive = True
            for facet, blob in shapes[number].job_facets.items():
                before = facts.facets.get(facet)
                if facet not in wanted or (before is not None and seen[1] < before.event_at):
                    continue
                holder = Holder(0, seen[1], b"", 0, blob, number, job)
                if before is None or holder.event_at > before.event_at:
                    facts.facets[facet] = holder
                    tied.pop(facet, None)
                else:
                    tied.setdefault(facet, [before]).append(holder)
        if first is None or last is None:
            continue
        for facet, holders in tied.items():
            facts.facets[facet] = _untie(snapshot, holders)
        facts.created_at, facts.updated_at = first, last
        found[job] = facts
    return found


def load_facets(snapshot: Snapshot, facts: Collection[Facts]) -> None:
    """Read in bulk what `facet_texts` of each will ask for."""
    snapshot.reader.blobs({holder.blob for one in facts for holder in one.facets.values()} - {IN_RAW})


def facet_texts(snapshot: Snapshot, facts: Facts, wanted: Container[str] = EVERY_FACET) -> dict[str, bytes]:
    """The JSON text of facets by name; tombstones are left out."""
    from lineage_hub.query.raw import volatile_facet
    from lineage_hub.wire.facets import is_tombstone

    chosen = {name: holder for name, holder in facts.facets.items() if name in wanted}
    bodies = snapshot.reader.blobs(holder.blob for holder in chosen.values() if holder.blob != IN_RAW)
    texts: dict[str, bytes] = {}
    for name in sorted(chosen):
        holder = chosen[name]
        text = bodies[holder.blob] if holder.blob != IN_RAW else volatile_facet(snapshot, holder, name)
        if not is_tombstone(text):
            texts[name] = text
    return texts
