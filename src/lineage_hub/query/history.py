"""What answers about any moment share: edges and texts that follow from facts which never change, worked out once."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import NamedTuple

from lineage_hub.store.library import Shelf

Nominal = tuple[str | None, str | None]
Silent = tuple[()]


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """A job's datasets under their present representatives; `columns` are sources that only columns tell of."""

    inputs: frozenset[int]
    outputs: frozenset[int]
    columns: frozenset[int]
    datasets: frozenset[int]

    @classmethod
    def of(cls, inputs: Set[int], outputs: Set[int], told: Set[int]) -> Edges:
        """`told` are all sources that columns name, inputs or not."""
        columns = frozenset(told - inputs)
        return cls(frozenset(inputs), frozenset(outputs), columns, frozenset(inputs | outputs | columns))


NO_EDGES = Edges.of(set(), set(), set())


class End(NamedTuple):
    """A node's id, the same as JSON, and its half of the ids of its edges."""

    id: str
    text: bytes
    half: bytes


# A dataset of a job, and the edge from it and the edge to it as JSON, as far as there are such; in the order of ids.
Arrow = tuple[int, bytes | None, bytes | None]


class History:
    """What was worked out about moments and holds at each of them, since it follows from what never changes."""

    def __init__(self) -> None:
        # By the shapes of a head's events, as long as no name was ever cut or joined.
        self.edges: Shelf[tuple[int, ...], Edges] = Shelf(100_000)
        self.ends: Shelf[int, End] = Shelf(200_000)
        self.arrows: Shelf[tuple[int, Edges], tuple[Arrow, ...]] = Shelf(50_000)
        # By an event's number: what its nominalTime facet says; a tombstone says neither time.
        self.nominal: Shelf[int, Nominal | Silent] = Shelf(100_000)
