"""Entities enter with the words of their names and of what was ever told of them; candidates for a question leave.

It only grows, and it knows nothing of moments or tenants: whether a candidate counts is decided by the fold.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable
from heapq import nlargest, nsmallest
from math import log
from typing import NamedTuple, TypeAlias

from lineage_hub.query.search.vocabulary import Vocabulary

# Entities that have a word: one, or several.
Posting: TypeAlias = "int | array[int]"
Passes = Callable[[int], bool]
# What is told of a dataset counts less than its name.
TOLD = 0.6
# Entities that a question may touch one by one; beyond that only those with all its words are looked at.
MOST_TOUCHED = 40_000


class Asked(NamedTuple):
    """A word of a question: the words that fit it, and how well; a longer word weighs more."""

    fitting: dict[int, float]
    weight: float


class Index:
    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self._named: list[Posting | None] = []
        self._told: list[Posting | None] = []
        self.space_numbers: dict[str, int] = {}
        self._labels: dict[str, array[int]] = {}
        # By entity.
        self.kinds = bytearray(1)
        self.spaces = array("I", (0,))
        self._uses = array("I", (0,))
        self._lengths = bytearray(1)
        self._order = array("I", (0,))

    def add_name(self, entity: int, kind: int, space: int, order: int, words: Collection[str]) -> None:
        """`order` decides between those of which nothing else does; it comes from the name alone."""
        while len(self.kinds) <= entity:
            self.kinds.append(0)
            self.spaces.append(0)
            self._uses.append(0)
            self._lengths.append(0)
            self._order.append(0)
        self.kinds[entity], self.spaces[entity], self._order[entity] = kind, space, order & 0xFFFFFFFF
        self._lengths[entity] = min(len(words), 255)
        for number in self.numbers(words):
            _post(self._named, number, entity)

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
        self._uses[entity] += 1

    def asked(self, word: str) -> Asked:
        return Asked(self.vocabulary.fitting(word), len(word) + 1.0)

    def label(self, entity: int, label: str) -> None:
        self._labels.setdefault(label, array("I")).append(entity)

    def labelled(self, label: str) -> set[int]:
        """Entities that ever had it."""
        return set(self._labels.get(label, ()))

    def candidates(self, question: Collection[Asked], limit: int, passes: Passes | None) -> tuple[list[int], int]:
        """The best of them, and how many there are that have at least one of the words or, of frequent ones, all."""
        rare_first = sorted(question, key=self._size)
        scores: dict[int, float] = {}
        touched = 0
        for asked in rare_first:
            size = self._size(asked)
            if touched and touched + size > MOST_TOUCHED:
                break
            if size > MOST_TOUCHED:
                return self._of_frequent(rare_first, limit, passes)
            touched += size
            self._score(asked, size, scores, passes)
        order = self._rank
        if len(scores) > limit:
            chosen = nlargest(limit, scores, key=lambda entity: (scores[entity], -order(entity)))
        else:
            chosen = sorted(scores, key=lambda entity: (-scores[entity], order(entity)))
        return chosen, len(scores)

    def _size(self, asked: Asked) -> int:
        return sum([_size(self._named[number]) + _size(self._told[number]) for number in asked.fitting])

    def _score(self, asked: Asked, size: int, scores: dict[int, float], passes: Passes | None) -> None:
        """Each entity counts with the word that fits best."""
        weight = asked.weight * log(2 + len(self.kinds) / (1 + size))
        best: dict[int, float] = {}
        for number, fit in sorted(asked.fitting.items(), key=lambda item: item[1]):
            best.update(dict.fromkeys(_entities(self._told[number]), fit * TOLD))
        for number, fit in sorted(asked.fitting.items(), key=lambda item: item[1]):
            best.update(dict.fromkeys(_entities(self._named[number]), fit))
        for entity, fit in best.items():
            if passes is None or passes(entity):
                scores[entity] = scores.get(entity, 0.0) + weight * fit

    def _of_frequent(self, rare_first: list[Asked], limit: int, passes: Passes | None) -> tuple[list[int], int]:
        """All words are on more entities than can be weighed one by one: those with all of them, by rank."""
        found: set[int] | None = None
        for asked in rare_first:
            having: set[int] = set()
            for number in asked.fitting:
                having.update(_entities(self._named[number]), _entities(self._told[number]))
            # A word that none of them has is left out.
            found = having if found is None else (found & having) or found
            if len(found) <= limit:
                break
        return self.ranked(found or set(), limit, passes)

    def ranked(self, entities: Collection[int], limit: int, passes: Passes | None) -> tuple[list[int], int]:
        if passes is not None:
            entities = [entity for entity in entities if passes(entity)]
        return nsmallest(limit, entities, key=self._rank), len(entities)

    def _rank(self, entity: int) -> int:
        """Short names first, then what is used most."""
        used = min(self._uses[entity], 0xFFFF)
        return (self._lengths[entity] << 48) | ((0xFFFF - used) << 32) | self._order[entity]


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
