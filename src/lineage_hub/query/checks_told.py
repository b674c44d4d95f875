"""Events enter; what each tells of checks on datasets leaves, as far as retention must know it.

It stands in their texts. For all slices of a sweep each text is read once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from lineage_hub.lineage.check_series import CheckWords
from lineage_hub.lineage.rows import EventRow
from lineage_hub.lineage.shapes import Shape
from lineage_hub.query.own_words import facets_told
from lineage_hub.query.raw import folded, of_side
from lineage_hub.store.reader import Reader
from lineage_hub.wire.canonical import canonical
from lineage_hub.wire.facets import is_tombstone
from lineage_hub.wire.quality import ASSERTION_FACETS, read_assertions, tells_of_checks

_PAGE = 500
Told = Mapping[int, Sequence[CheckWords]]


class ChecksTold:
    def __init__(self) -> None:
        self._known: dict[tuple[int, int], tuple[CheckWords, ...]] = {}

    def by(self, reader: Reader, rows: Iterable[EventRow], shapes: Mapping[int, Shape]) -> Told:
        """By the numbers of events. What isn't asked about again is forgotten: it has gone."""
        wanted = [row for row in rows if shapes[row.shape].mentions]
        known = {key: self._known[key] for row in wanted if (key := (row.seq, row.shape)) in self._known}
        missing = [row for row in wanted if (row.seq, row.shape) not in known]
        for row, words in _read(reader, missing, shapes):
            known[row.seq, row.shape] = words
        self._known = known
        return {seq: words for (seq, _), words in known.items() if words}


def tellers(
    reader: Reader, rows: Collection[EventRow], shapes: Mapping[int, Shape]
) -> Iterator[tuple[EventRow, set[int]]]:
    """Of these events those that tell of checks, each with the datasets that it names."""
    for row, words in _read(reader, rows, shapes):
        if words:
            yield row, {one.dataset for one in words}


def _read(
    reader: Reader, rows: Collection[EventRow], shapes: Mapping[int, Shape]
) -> Iterator[tuple[EventRow, tuple[CheckWords, ...]]]:
    every = list(rows)
    for start in range(0, len(every), _PAGE):
        page = every[start : start + _PAGE]
        told = reader.told(page)
        for row in page:
            text, rules = told[row.seq]
            yield row, tuple(_words(reader, row, text, rules, shapes)) if tells_of_checks(text) else ()


def _words(
    reader: Reader, row: EventRow, text: bytes, rules: int | None, shapes: Mapping[int, Shape]
) -> Iterator[CheckWords]:
    event = folded(reader, row, text, rules)
    mentions = shapes[row.shape].mentions
    names = reader.names({mention.dataset for mention in mentions})
    for mention in mentions:
        element = of_side(event, mention.side).get(names[mention.dataset])
        if element is None:
            continue
        for facet, place, body in facets_told(element, ASSERTION_FACETS.__contains__):
            body = canonical(body)
            results = None
            if not is_tombstone(body):
                results = tuple(((one.assertion, one.column or ""), one.success) for one in read_assertions(body))
            yield CheckWords(mention.dataset, mention.side, facet, place, results)
