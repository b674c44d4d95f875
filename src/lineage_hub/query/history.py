"""What answers about any moment share: edges and texts that follow from facts which never change, worked out once."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

from msgspec import Struct

from lineage_hub.lineage.intervals import Folded
from lineage_hub.store.library import Shelf

Nominal = tuple[str | None, str | None]
Silent = tuple[()]


class Edges(Struct, frozen=True, eq=False, gc=False):
    """A job's datasets under their present representatives; `columns` are sources that only columns tell of.

    Each stands for one job only, except NO_EDGES.
    """

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


# A dataset of a job, and the edge from it and the edge to it as JSON, as far as there are such.
Arrow = tuple[int, bytes | None, bytes | None]


class Arrows(NamedTuple):
    """The arrows of a job in the order of their datasets' ids, and the end of its node's text when all are shown."""

    each: Sequence[Arrow]
    text: bytes


class History:
    """What was worked out about moments and holds at each of them, since it follows from what never changes."""

    def __init__(self) -> None:
        # By the shapes of a head's events, as long as no name was ever cut or joined.
        self.edges: Shelf[tuple[int, ...], Edges] = Shelf(100_000)
        # Edges without some of their datasets, which are hidden.
        self.fewer: Shelf[tuple[Edges, frozenset[int]], Edges] = Shelf(20_000)
        self.ends: Shelf[int, End] = Shelf(200_000)
        self.arrows: Shelf[Edges, Arrows] = Shelf(50_000)
        # By kind and namespace: the greatest number among them, and all of them in the order of their names.
        self.ordered: dict[tuple[int, str | None], tuple[int, list[int]]] = {}
        # By an event's number: what its nominalTime facet says; a tombstone says neither time.
        self.nominal: Shelf[int, Nominal | Silent] = Shelf(100_000)
        # By a job: how its runs stand in a list, after so many events of the store.
        self.folded: dict[int, Folded] = {}
