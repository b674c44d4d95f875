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
# What a word is worth where it stands; in the name all of it. The same word in a column goes before one in a name
# that is only like it.
WORTH = {ALIAS: 0.95, COLUMN: 0.87, TAG: 0.87, OWNER: 0.87, DESCRIPTION: 0.6, COLUMN_DESCRIPTION: 0.55, NAMESPACE: 0.5}
MOST_SHOWN = 5
# Names have a dozen; each word costs a look.
MOST_WORDS = 40
# A value that is longer is shown around the first match.
LONGEST_SHOWN, BEFORE_IT = 200, 60
# Two words that were written as one count a little less than the one.
TOGETHER = 0.98
WHOLE_NAME, WHOLE_END, HALF_OF_NAME, SOME_OF_NAME = 0, 1, 2, 3


MOST_WORTH = max(WORTH.values())
Ranges = list[tuple[int, int]]
# How well a word fits a text, and where it does.
_Fit = tuple[float, Ranges]
NO_FIT: _Fit = (0.0, [])


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
    ranges: Ranges
    column: str | None = None


class Match(NamedTuple):
    """`score` is 1 if every word stands in the name as it was asked; `nearness` the part of the name that was asked."""

    score: float
    closeness: int
    nearness: float
    places: list[Place]


class _Fits(NamedTuple):
    by_word: list[float]
    ranges: Ranges


class Matching:
    """For the words of one question; what was found out about a text or a word is used for the next."""

    def __init__(self, question: Collection[Wanted]) -> None:
        self._question = tuple(question)
        self._weights = [word.weight for word in question]
        self._pieces = [wanted.pieces for wanted in question]
        self._alike: dict[tuple[str, str], float] = {}
        self._texts: dict[tuple[str, int], _Fit] = {}

    def match(self, name: str, namespace: str, told: Iterable[Told] = ()) -> Match:
        named = self._in_name(name)
        best = list(named.by_word)
        chosen: list[tuple[Told, Ranges] | None] = [None] * len(best)
        open_words = [at for at, fit in enumerate(best) if fit < MOST_WORTH]
        for one in (*told, Told(NAMESPACE, namespace)) if open_words else ():
            worth = WORTH[one.field]
            for at in open_words:
                if best[at] < worth:
                    fit, where = self._in_text(one.text, at)
                    if fit * worth > best[at]:
                        best[at], chosen[at] = fit * worth, (one, where)
        places = [Place(NAME, name, named.ranges)] if named.ranges else []
        # Of the told only what counts for a word is shown.
        ranges: dict[Told, set[tuple[int, int]]] = {}
        for found in chosen:
            if found is not None:
                ranges.setdefault(found[0], set()).update(found[1])
        places += [Place(one.field, one.text, sorted(where), one.column) for one, where in ranges.items()]
        closeness, nearness = _closeness(name, named.ranges)
        return Match(self._score(best), closeness, nearness, [_shortened(place) for place in places[:MOST_SHOWN]])

    def _score(self, fits: list[float]) -> float:
        weighed = [fit * weight for fit, weight in zip(fits, self._weights, strict=True)]
        return sum(weighed) / sum(self._weights)

    def _in_name(self, name: str) -> _Fits:
        """Each word of the name counts once, and the same words count before those that are only alike."""
        units = _units(name)
        fits = [0.0] * len(self._question)
        ranges: Ranges = []
        for at, wanted in enumerate(self._question):
            for unit in units:
                if unit.text == wanted.text and not _overlaps(unit, ranges):
                    fits[at] = SAME
                    ranges.append((unit.start, unit.end))
                    break
        for at, wanted in enumerate(self._question):
            if fits[at] < SAME:
                fits[at], where = self._best(wanted, [unit for unit in units if not _overlaps(unit, ranges)])
                ranges += where
        return _Fits(fits, sorted(ranges))

    def _in_text(self, text: str, at: int) -> _Fit:
        found = self._texts.get((text, at))
        if found is None:
            lower = text.lower()
            may = not text.isascii() or any(piece in lower for piece in self._pieces[at])
            found = self._texts[text, at] = self._best(self._question[at], _units(text)) if may else NO_FIT
        return found

    def _best(self, wanted: Wanted, units: list[Word]) -> _Fit:
        best, where = 0.0, None
        for unit in units:
            pair = (wanted.text, unit.text)
            fit = self._alike.get(pair)
            if fit is None:
                fit = self._alike[pair] = likeness(*pair)
            if fit > best:
                best, where = fit, (unit.start, unit.end)
        if best < SAME and wanted.parts:
            each = [self._best(part, units) for part in wanted.parts]
            total = sum([part.weight for part in wanted.parts])
            fits = sum([fit * part.weight for (fit, _), part in zip(each, wanted.parts, strict=True)])
            if fits / total * TOGETHER > best:
                return fits / total * TOGETHER, sorted({one for _, found in each for one in found})
        return best, [where] if where else []


def _units(text: str) -> list[Word]:
    return [unit for word in words(text) for unit in (word, *word.parts)]


def _overlaps(unit: Word, ranges: Ranges) -> bool:
    return any(unit.start < end and start < unit.end for start, end in ranges)


def _covered(ranges: Ranges) -> int:
    return sum([end - start for start, end in ranges])


def _closeness(name: str, ranges: Ranges) -> tuple[int, float]:
    every = words(name)
    letters = sum([word.end - word.start for word in every])
    covered = _covered(ranges)
    if not letters or not covered:
        return SOME_OF_NAME, 0.0
    if covered >= letters:
        return WHOLE_NAME, 1.0
    last = max(name.rfind("."), name.rfind("/")) + 1
    at_end = sum([word.end - word.start for word in every if word.start >= last])
    if at_end and _covered([one for one in ranges if one[0] >= last]) >= at_end:
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
