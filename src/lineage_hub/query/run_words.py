"""Runs enter; what their own events say leaves: facets of the run and its job, and of each dataset on each side.

Of the events of a run the last that has a facet counts. Datasets stand under their present names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec import Raw

from lineage_hub.lineage.runs import RunFacts
from lineage_hub.lineage.shapes import WRITTEN
from lineage_hub.query.raw import of_side
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.wire.canonical import canonical
from lineage_hub.wire.described import Statistics
from lineage_hub.wire.facets import is_tombstone
from lineage_hub.wire.quality import READ_FACET, WRITTEN_FACET, read_statistics
from lineage_hub.wire.told import ToldEvent, decode_told

Facets = dict[str, bytes]


@dataclass(slots=True)
class RunWords:
    """Inputs and outputs have the facets of both kinds, those of the dataset and those of the run."""

    run: RunFacts
    run_facets: Facets = field(default_factory=dict)
    job_facets: Facets = field(default_factory=dict)
    inputs: dict[int, Facets] = field(default_factory=dict)
    outputs: dict[int, Facets] = field(default_factory=dict)


class Volume(NamedTuple):
    """None where no event says it."""

    rows_read: int | None
    rows_written: int | None
    bytes_read: int | None
    bytes_written: int | None


def words_of(snapshot: Snapshot, runs: Collection[RunFacts]) -> list[RunWords]:
    texts = snapshot.reader.texts([row for run in runs for row in run.events])
    return [_words(snapshot, run, [decode_told(texts[row.seq]) for row in run.events]) for run in runs]


def volume_of(words: RunWords) -> Volume:
    read = [counted(facets, READ_FACET) for facets in words.inputs.values()]
    written = [counted(facets, WRITTEN_FACET) for facets in words.outputs.values()]
    return Volume(
        _sum(one.rowCount for one in read),
        _sum(one.rowCount for one in written),
        _sum(one.size for one in read),
        _sum(one.size for one in written),
    )


def counted(facets: Facets, name: str) -> Statistics:
    """However it was spelled: of a repeated member the last value counts, whatever type an earlier one has."""
    return read_statistics(canonical(facets[name])) if name in facets else Statistics()


def _words(snapshot: Snapshot, run: RunFacts, events: list[ToldEvent]) -> RunWords:
    found = RunWords(run)
    shapes = snapshot.reader.shapes({row.shape for row in run.events})
    for row, event in zip(run.events, events, strict=True):
        _take(found.run_facets, event.run.facets if event.run else None)
        _take(found.job_facets, event.job.facets if event.job else None)
        for mention in shapes[row.shape].mentions:
            lies_on = snapshot.place_mention(row, shapes[row.shape], mention, run)
            named = mention.dataset if lies_on is None else lies_on
            side = found.outputs if mention.side in WRITTEN else found.inputs
            facets = side.setdefault(snapshot.joined((named,)).of(named), {})
            element = of_side(event, mention.side).get(snapshot.name(mention.dataset))
            if element is not None:
                _take(facets, element.facets)
                _take(facets, element.outputFacets if mention.side in WRITTEN else element.inputFacets)
    for facets in (found.run_facets, found.job_facets, *found.inputs.values(), *found.outputs.values()):
        for name in [name for name, text in facets.items() if is_tombstone(text)]:
            del facets[name]
    return found


def _take(known: Facets, facets: dict[str, Raw] | None) -> None:
    for name, text in (facets or {}).items():
        body = bytes(text)
        if body[:1] == b"{":
            known[name] = body


def _sum(values: Iterable[int | None]) -> int | None:
    said = [value for value in values if value is not None]
    return sum(said) if said else None
