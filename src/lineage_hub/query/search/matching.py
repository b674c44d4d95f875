"""A question's words, a name and what is told of it enter; how well they match leaves, with the places that do.

Match is judged from texts alone, so that any database, order of events and number of other names give the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from lineage_hub.lineage.words import Word, words
from lineage_hub.query.search.likeness import SAME, likeness
from lineage_hub.query.search.told import COLUMN, COLUMN_DESCRIPTION, DESCRIPTION, OWNER, TAG, Told

NAME, ALIAS, NAMESPACE = "name", "alias", "namespace"
# What a word is worth where it stands; in the name all of it.
WORTH = {ALIAS: 0.95, COLUMN: 0.75, TAG: 0.75, OWNER: 0.75, DESCRIPTION: 0.55, COLUMN_DESCRIPTION: 0.5, NAMESPACE: 0.5}
MOST_SHOWN = 5
# Names have a dozen; each word costs a look.
MOST_WORDS = 40
# A value that is longer is shown around the first match.
LONGEST_SHOWN, BEFORE_IT = 200, 60
WHOLE_NAME, WHOLE_END, HALF_OF_NAME, SOME_OF_NAME = 0, 1, 2, 3


class Wanted(NamedTuple):
    """A word of the question; `parts` are other words that together mean the same."""

    text: str
    parts: tuple[Wanted, ...] = ()

    @property
    def weight(self) -> float:
        return len(self.text) + 1.0

    @property
    def pieces(self) -> set[str]:
        """Of which a text must hold one to match: a word with a mistake keeps its beginning or its end."""
        kept = [(part.text, (len(part.text) - 1) // 2 or 1) for part in (self, *self.parts)]
        return {text[:size] for text, size in kept} | {text[-size:] for text, size in kept}


class Place(NamedTuple):
    """A text in which words of the question stand, and where, in characters."""

    field: str
    value: str
    ranges: list[tuple[int, int]]
    column: str | None = None


class Match(NamedTuple):
    """`score` is 1 if every word stands in the name as it was asked; `nearness` the part of the name that was asked."""

    score: float
    closeness: int
    nearness: float
    places: list[Place]


class _Fits(NamedTuple):
    by_word: list[float]
    ranges: list[tuple[int, int]]


def match(question: Collection[Wanted], name: str, namespace: str, told: Iterable[Told] = ()) -> Match:
    named = _in_name(question, name)
    best, chosen = list(named.by_word), [-1] * len(named.by_word)
    places = [Place(NAME, name, named.ranges)] if named.ranges else []
    pieces = set[str]().union(*[wanted.pieces for wanted in question])
    for one in (*told, Told(NAMESPACE, namespace)):
        if not _may_hold(pieces, one.text):
            continue
        found = _in_text(question, one.text)
        if not found.ranges:
            continue
        worth = WORTH[one.field]
        better = [at for at, fit in enumerate(found.by_word) if fit * worth > best[at]]
        if better:
            for at in better:
                best[at], chosen[at] = found.by_word[at] * worth, len(places)
            places.append(Place(one.field, one.text, found.ranges, one.column))
    # Of the told only what counts for a word is shown.
    shown = [place for at, place in enumerate(places) if place.field == NAME or at in chosen]
    weights = [word.weight for word in question]
    score = sum([fit * weight for fit, weight in zip(best, weights, strict=True)]) / sum(weights)
    closeness, nearness = _closeness(name, named.ranges)
    return Match(score, closeness, nearness, [_shortened(place) for place in shown[:MOST_SHOWN]])


def name_score(question: Collection[Wanted], name: str) -> tuple[float, float]:
    """How well the name alone matches, for a first choice among many."""
    named = _in_name(question, name)
    weights = [word.weight for word in question]
    score = sum([fit * weight for fit, weight in zip(named.by_word, weights, strict=True)]) / sum(weights)
    return score, _closeness(name, named.ranges)[1]


def _in_name(question: Collection[Wanted], name: str) -> _Fits:
    """Each word of the name counts once, and the same words count before those that are only alike."""
    units = [unit for word in words(name) for unit in (word, *word.parts)]
    fits = [0.0] * len(question)
    ranges: list[tuple[int, int]] = []
    for only_same in (True, False):
        for at, wanted in enumerate(question):
            if fits[at] < SAME:
                free = [unit for unit in units if not _overlaps(unit, ranges)]
                fit, where = _best(wanted, free, only_same)
                if fit > fits[at]:
                    fits[at] = fit
                    ranges += where
    return _Fits(fits, sorted(ranges))


def _in_text(question: Collection[Wanted], text: str) -> _Fits:
    units = [unit for word in words(text) for unit in (word, *word.parts)]
    found = [_best(wanted, units, False) for wanted in question]
    return _Fits([fit for fit, _ in found], sorted({one for _, where in found for one in where}))


def _best(wanted: Wanted, units: list[Word], only_same: bool) -> tuple[float, list[tuple[int, int]]]:
    best, where = 0.0, None
    for unit in units:
        fit = (SAME if unit.text == wanted.text else 0.0) if only_same else likeness(wanted.text, unit.text)
        if fit > best:
            best, where = fit, (unit.start, unit.end)
    if best == SAME or not wanted.parts:
        return best, [where] if where else []
    each = [_best(part, units, only_same) for part in wanted.parts]
    if only_same and not all(fit for fit, _ in each):
        return best, [where] if where else []
    total = sum([part.weight for part in wanted.parts])
    together = sum([fit * part.weight for (fit, _), part in zip(each, wanted.parts, strict=True)]) / total * 0.98
    if together > best:
        return together, sorted({one for _, found in each for one in found})
    return best, [where] if where else []


def _may_hold(pieces: Collection[str], text: str) -> bool:
    if not text.isascii():
        return True
    folded = text.lower()
    return any(piece in folded for piece in pieces)


def _overlaps(unit: Word, ranges: list[tuple[int, int]]) -> bool:
    return any(unit.start < end and start < unit.end for start, end in ranges)


def _closeness(name: str, ranges: list[tuple[int, int]]) -> tuple[int, float]:
    every = words(name)
    letters = sum([word.end - word.start for word in every])
    covered = sum([end - start for start, end in ranges])
    if not letters or not covered:
        return SOME_OF_NAME, 0.0
    if covered >= letters:
        return WHOLE_NAME, 1.0
    last = max(name.rfind("."), name.rfind("/")) + 1
    at_end = sum([word.end - word.start for word in every if word.start >= last])
    if at_end and sum([end - start for start, end in ranges if start >= last]) >= at_end:
        return WHOLE_END, covered / letters
    return (HALF_OF_NAME if covered * 2 >= letters else SOME_OF_NAME), covered / letters


def _shortened(place: Place) -> Place:
    if len(place.value) <= LONGEST_SHOWN:
        return place
    start = max(0, place.ranges[0][0] - BEFORE_IT)
    shown = place.value[start : start + LONGEST_SHOWN]
    inside = [(a - start, b - start) for a, b in place.ranges if b - start <= len(shown)]
    return Place(place.field, shown, inside, place.column)


def wanted_words(text: str) -> list[Wanted]:
    """In their order, and as often as they are there: so do they stand in names."""
    found = []
    for word in words(text)[:MOST_WORDS]:
        parts = tuple([Wanted(part.text) for part in word.parts if len(part.text) > 1])
        found.append(Wanted(word.text, parts if len(parts) > 1 else ()))
    return found
