"""Entities enter with the words of their names and of what was ever told of them; candidates for a question leave.

It only grows, and it knows nothing of moments or tenants: whether a candidate counts is decided by the fold.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable
from itertools import chain
from math import log
from typing import NamedTuple, TypeAlias

from lineage_hub.query.search.vocabulary import Vocabulary

# Entities that have a word: one, or several.
Posting: TypeAlias = "int | array[int]"
Passes = Callable[[int], bool]
# What is told of a dataset counts less than its name.
TOLD = 0.6
# Entities that a question may touch one by one; beyond that only those with all its words are looked at.
MOST_TOUCHED = 3_000
# A word on so many entities tells them apart too little for the time it takes.
FREQUENT = 20_000
SAMPLED = 1_000
_UNUSED = 0xFFFF


class Asked(NamedTuple):
    """A word of a question: the words that fit it with how well they do, and their numbers."""

    fitting: dict[str, float]
    numbers: list[tuple[int, float]]
    weight: float


class Index:
    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self._named: list[Posting | None] = []
        self._told: list[Posting | None] = []
        self.space_numbers: dict[str, int] = {}
        self._labels: dict[str, array[int]] = {}
        self.entities = 0
        # By entity.
        self.kinds = bytearray(1)
        self.spaces = array("I", (0,))
        # Short names first, then what is used most, then an order that comes from the names alone.
        self._ranks = array("Q", (0,))

    def add_name(self, entity: int, kind: int, space: int, order: int, words: Collection[str]) -> None:
        """`order` decides between those of which nothing else does; it comes from the name alone."""
        if len(self.kinds) <= entity:
            self._make_room(entity + 10_000)
        self.kinds[entity], self.spaces[entity] = kind, space
        self._ranks[entity] = min(len(words), 255) << 48 | _UNUSED << 32 | order & 0xFFFFFFFF
        self.entities += 1
        for number in self.numbers(words):
            _post(self._named, number, entity)

    def _make_room(self, size: int) -> None:
        more = size - len(self.kinds)
        self.kinds.extend(bytes(more))
        self.spaces.frombytes(bytes(more * self.spaces.itemsize))
        self._ranks.frombytes(bytes(more * self._ranks.itemsize))

    def numbers(self, words: Iterable[str]) -> list[int]:
        numbers = [self.vocabulary.number(word) for word in words]
        missing = len(self.vocabulary.numbers) - len(self._named)
        self._named += [None] * missing
        self._told += [None] * missing
        return numbers

    def tell(self, entity: int, numbers: Iterable[int]) -> None:
        """Words that a facet of the entity holds; they may have been told before."""
        told = self._told
        for number in numbers:
            _post(told, number, entity)

    def use(self, entity: int) -> None:
        """Another kind of event speaks of it."""
        if self._ranks[entity] >> 32 & _UNUSED:
            self._ranks[entity] -= 1 << 32

    def asked(self, word: str) -> Asked:
        """Of words that fit, the best, as long as they aren't on too many entities."""
        fitting = self.vocabulary.fitting(word)
        best: list[tuple[int, float]] = []
        size = 0
        for text, fit in fitting.items():
            number = self.vocabulary.numbers[text]
            size += _size(self._named[number]) + _size(self._told[number])
            if best and size > MOST_TOUCHED:
                break
            best.append((number, fit))
        return Asked(fitting, best[::-1], len(word) + 1.0)

    def label(self, entity: int, label: str) -> None:
        self._labels.setdefault(label, array("I")).append(entity)

    def labelled(self, label: str) -> set[int]:
        """Entities that ever had it."""
        return set(self._labels.get(label, ()))

    def candidates(self, question: Collection[Asked], limit: int, passes: Passes | None) -> tuple[list[int], int]:
        """The best of them, and how many there are that have at least one of the words or, of frequent ones, all."""
        rare_first = sorted(question, key=self._size)
        if rare_first and self._size(rare_first[0]) > MOST_TOUCHED:
            return self._of_frequent(rare_first, limit, passes)
        scores: dict[int, float] = {}
        touched = 0
        for asked in rare_first:
            size = self._size(asked)
            if scores and size > FREQUENT:
                break
            touched += size
            weight = asked.weight * log(2 + self.entities / (1 + size))
            # From here on words only decide between those that are there.
            fits = self._fits(asked, set(scores) if touched > MOST_TOUCHED else None)
            for entity, fit in fits.items():
                scores[entity] = scores.get(entity, 0.0) + weight * fit
        if passes is not None:
            scores = {entity: score for entity, score in scores.items() if passes(entity)}
        return self._best(scores, limit), len(scores)

    def _best(self, scores: dict[int, float], limit: int) -> list[int]:
        rank = self._ranks.__getitem__
        if len(scores) > limit:
            least = sorted(scores.values(), reverse=True)[limit - 1]
            chosen = [entity for entity, score in scores.items() if score > least]
            tied = [entity for entity, score in scores.items() if score == least]
            scores = {entity: scores[entity] for entity in chosen + self._first(tied, limit - len(chosen))}
        return sorted(sorted(scores, key=rank), key=lambda entity: -scores[entity])

    def _size(self, asked: Asked) -> int:
        return sum([_size(self._named[number]) + _size(self._told[number]) for number, _ in asked.numbers])

    def _fits(self, asked: Asked, among: set[int] | None) -> dict[int, float]:
        """Each entity counts with the word that fits best, in its name before elsewhere."""
        found: dict[int, float] = {}
        for postings, worth in ((self._told, TOLD), (self._named, 1.0)):
            for number, fit in asked.numbers:
                entities = _entities(postings[number])
                if among is not None:
                    entities = among.intersection(entities)
                found.update(dict.fromkeys(entities, fit * worth))
        return found

    def _of_frequent(self, rare_first: list[Asked], limit: int, passes: Passes | None) -> tuple[list[int], int]:
        """All words are on more entities than can be weighed one by one: those with all of them, by rank."""
        found: set[int] | None = None
        for asked in rare_first:
            named = chain(*[_entities(self._named[number]) for number, _ in asked.numbers])
            told = chain(*[_entities(self._told[number]) for number, _ in asked.numbers])
            if found is None:
                found = set(named)
                # In names it is found often enough.
                if len(found) < limit or len(rare_first) > 1:
                    found.update(told)
            else:
                # A word that none of them has is left out.
                found = found.intersection(chain(named, told)) or found
            if len(found) <= limit:
                break
        return self.ranked(found or set(), limit, passes)

    def ranked(self, entities: Collection[int], limit: int, passes: Passes | None) -> tuple[list[int], int]:
        if passes is not None:
            entities = [entity for entity in entities if passes(entity)]
        return self._first(list(entities), limit), len(entities)

    def _first(self, entities: list[int], limit: int) -> list[int]:
        """Those of least rank. A sample tells below which rank they must be, so that few are sorted."""
        ranks = self._ranks
        if len(entities) > SAMPLED:
            sample = sorted([ranks[entity] for entity in entities[:: len(entities) // SAMPLED]])
            share = 4 * limit * len(sample) // len(entities) + 4
            if share < len(sample):
                below = [entity for entity in entities if ranks[entity] <= sample[share]]
                entities = below if len(below) >= limit else entities
        return sorted(entities, key=ranks.__getitem__)[:limit]


def _post(postings: list[Posting | None], number: int, entity: int) -> None:
    there = postings[number]
    if there is None:
        postings[number] = entity
    elif isinstance(there, int):
        if there != entity:
            postings[number] = array("I", (there, entity))
    elif there[-1] != entity:
        there.append(entity)


def _size(posting: Posting | None) -> int:
    return 0 if posting is None else 1 if isinstance(posting, int) else len(posting)


def _entities(posting: Posting | None) -> Iterable[int]:
    return () if posting is None else (posting,) if isinstance(posting, int) else posting


def order_of(name_hash: bytes) -> int:
    return int.from_bytes(name_hash[:4], "big")
