"""Jobs enter; the edges that their heads tell of leave, between datasets as they are joined at that moment."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from lineage_hub.lineage.names import Joined
from lineage_hub.lineage.rows import EventRow, Ord
from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import WRITTEN, Mention, Shape
from lineage_hub.query.history import NO_EDGES, Edges

if TYPE_CHECKING:
    from lineage_hub.query.snapshot import Snapshot


def told_edges(snapshot: Snapshot, jobs: Collection[int]) -> dict[int, Edges]:
    """Those of hidden jobs and to hidden datasets are among them."""
    found: dict[int, Edges] = snapshot.recall("edges", jobs)
    if len(found) == len(jobs):
        return found
    heads = snapshot.heads([job for job in jobs if job not in found])
    if snapshot.is_plain:
        fresh = _plain_edges(snapshot, heads)
        snapshot.keep("edges", fresh)
        found.update(fresh)
        return found
    shapes = snapshot.reader.shapes({row.shape for head in heads.values() if head for row in head.events})
    joined = snapshot.joined(
        {dataset for shape in shapes.values() for dataset in shape.speaks_of & snapshot.links.keys()}
    )
    if snapshot.cuts:
        joined = snapshot.joined(
            {cut.continues_as for cuts in snapshot.cuts.values() for cut in cuts if cut.continues_as is not None}
        )
    fresh = {
        job: NO_EDGES if head is None else _edges_of(snapshot, head, shapes, joined) for job, head in heads.items()
    }
    # A joined dataset's representative may change with an event of another job.
    snapshot.keep("edges", fresh, lambda job: {job, *_linked(snapshot, heads[job], shapes)})
    found.update(fresh)
    return found


def _plain_edges(snapshot: Snapshot, heads: dict[int, RunFacts | None]) -> dict[int, Edges]:
    # Of events with the same shape only the last can say anything that the others don't.
    keys = {
        job: tuple(dict.fromkeys([row.shape for row in reversed(head.events)])) if head else ()
        for job, head in heads.items()
    }
    by_key = {key: heads[job] for job, key in keys.items()}

    def load(missing: list[tuple[int, ...]]) -> Iterator[tuple[tuple[int, ...], Edges]]:
        shapes = snapshot.reader.shapes({number for key in missing for number in key})
        for key in missing:
            head = by_key[key]
            yield key, NO_EDGES if head is None else _edges_as_named(head, [shapes[number] for number in key])

    edges = snapshot.history.edges.fetch(by_key, load)
    return {job: edges[key] for job, key in keys.items()}


def _linked(snapshot: Snapshot, head: RunFacts | None, shapes: dict[int, Shape]) -> set[int]:
    if head is None or not snapshot.links:
        return set()
    named = {dataset for row in head.events for dataset in shapes[row.shape].speaks_of}
    named |= {cut.continues_as or 0 for name in named for cut in snapshot.cuts.get(name, ())}
    return snapshot.neighbourhood(named & snapshot.links.keys())


def _edges_of(snapshot: Snapshot, head: RunFacts, shapes: dict[int, Shape], joined: Joined) -> Edges:
    inputs: set[int] = set()
    outputs: set[int] = set()
    telling: dict[int, tuple[tuple[Ord, int], EventRow, Mention]] = {}
    for row in head.events:
        for mention in shapes[row.shape].mentions:
            lies_on = snapshot.place_mention(row, shapes[row.shape], mention, head)
            if lies_on is None:
                continue
            dataset = joined.of(lies_on)
            if mention.side not in WRITTEN:
                inputs.add(dataset)
                continue
            outputs.add(dataset)
            if "columnLineage" in mention.facets:
                rank = (row.ord, mention.side)
                before = telling.get(dataset)
                if before is None or rank > before[0] or (rank == before[0] and snapshot.is_first(mention, before[2])):
                    telling[dataset] = (rank, row, mention)
    told: set[int] = set()
    for _, row, mention in telling.values():
        for source in mention.sources:
            lies_on = snapshot.place_source(row, shapes[row.shape], source, head)
            if lies_on is not None:
                told.add(joined.of(lies_on))
    return Edges.of(inputs, outputs, told)


def _edges_as_named(head: RunFacts, shapes: list[Shape]) -> Edges:
    """`shapes` are those of its events, the newest first; of each output the newest columnLineage counts."""
    telling: dict[int, tuple[int, ...]] = {}
    for shape in reversed(shapes):
        for mention in shape.mentions:
            if "columnLineage" in mention.facets and mention.side in WRITTEN:
                telling[mention.dataset] = mention.sources
    return Edges.of(head.inputs, head.outputs, set[int]().union(*telling.values()))
