"""A dataset and a stretch of time enter; the facets leave that each run, or each event without one, gave of it.

Of the events of a run the last that has a facet on a side counts, as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from lineage_hub.lineage.rows import EventRow
from lineage_hub.lineage.shapes import IN, STATIC_IN
from lineage_hub.query.raw import of_side, raw_events
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.query.spoken import Spoken, spoken_of
from lineage_hub.wire.canonical import canonical
from lineage_hub.wire.facets import is_tombstone
from lineage_hub.wire.raw import RawDataset

READ = (IN, STATIC_IN)
_PAGE = 200


class Words(NamedTuple):
    """A facet, however it was spelled, and the event that gave it; `written` tells on which side of a run."""

    facet: str
    written: bool
    row: EventRow
    text: bytes


@dataclass(slots=True)
class Teller:
    """A run, or an event without one."""

    words: list[Words] = field(default_factory=list)

    @property
    def row(self) -> EventRow:
        """The last event that gave any of it."""
        return max((one.row for one in self.words), key=lambda row: row.ord)


class Told(NamedTuple):
    """Tellers in the order of their last event."""

    tellers: list[Teller]
    spoken: Spoken


def facets_told(element: RawDataset, wanted: Callable[[str], bool]) -> Iterator[tuple[str, int, bytes]]:
    """The facets that an event gives of a dataset, and in which of the three places."""
    for place, facets in enumerate((element.facets, element.inputFacets, element.outputFacets)):
        for name, text in (facets or {}).items():
            if wanted(name) and bytes(text)[:1] == b"{":
                yield name, place, bytes(text)


def own_words(
    snapshot: Snapshot,
    dataset: int,
    since: int,
    until: int,
    limit: int,
    wanted: Callable[[str], bool],
    among: Set[int] | None = None,
) -> Told:
    spoken = spoken_of(snapshot, dataset, since, until, limit, among=among)
    newest: dict[object, dict[tuple[str, bool, int], Words]] = {}
    for start in range(0, len(spoken.said), _PAGE):
        page = spoken.said[start : start + _PAGE]
        events = {
            row.seq: event for row, event in raw_events(snapshot, {one.row.seq: one.row for one in page}.values())
        }
        for one in page:
            element = of_side(events[one.row.seq], one.mention.side).get(snapshot.name(one.mention.dataset))
            if element is None:
                continue
            written = one.mention.side not in READ
            teller = newest.setdefault(one.row.run_key if one.row.run is not None else one.row.ord, {})
            for name, place, text in facets_told(element, wanted):
                # They come newest first, so what is there already counts.
                if (name, written, place) not in teller:
                    teller[name, written, place] = Words(name, written, one.row, canonical(text))
    tellers = [Teller([word for word in words.values() if not is_tombstone(word.text)]) for words in newest.values()]
    told = sorted((one for one in tellers if one.words), key=lambda one: one.row.ord)
    return Told(told, spoken)
