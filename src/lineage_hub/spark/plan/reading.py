"""One reading of one plan: what it meets on the way enters, the notes that the answer is made of leave.

Rules get it as an argument. It finds what a leaf reads, reads subqueries, and numbers the steps that are opaque.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from lineage_hub.spark.plan.model import Field, Kind, Origin, Target
from lineage_hub.spark.plan.scope import Column, Relation, Scope
from lineage_hub.spark.plan.tree import Node
from lineage_hub.spark.plan.values import NOTHING, Origins, Value

if TYPE_CHECKING:
    from lineage_hub.spark.plan.leaves import Place


class Places(Protocol):
    """Where data is: the only part that has to ask Spark."""

    def place_of(self, leaf: Node) -> Place: ...

    def columns_of(self, node: Node) -> list[Node]:
        """The output of any operator, as attributes."""
        ...

    def fields_of(self, node: Node) -> tuple[Field, ...]:
        """The schema of any operator."""
        ...

    def view_names(self, command: Node) -> list[str]:
        """What a view calls the columns of its query, where it doesn't take their own names."""
        ...

    def target_of(self, command: Node) -> Target | None:
        """What a command writes, without its columns; None for what is no dataset, as a temporary view."""
        ...


class Reading(Protocol):
    places: Places
    outer: Scope | None
    ctes: dict[int, Relation]
    loops: dict[int, Relation]
    targets: list[Target]

    def read(self, plan: Node) -> Relation: ...

    def within(self, plan: Node, places: Places) -> Relation: ...

    def subquery(self, plan: Node, scope: Scope) -> Relation: ...

    def report(self, class_name: str) -> None: ...

    def opaque(self, operator: str, reason: str) -> int: ...

    def unknown(self, node: Node, relation: Relation) -> Value: ...

    def everything(self, relation: Relation, step: int) -> Value: ...


def fields_of(relation: Relation) -> Origins:
    """Every field of every dataset beneath, transformed in a way that nobody knows."""
    return NOTHING.union(
        *(
            frozenset(Origin(source.name, field.name, Kind.TRANSFORMATION) for field in source.fields)
            for source in relation.sources.values()
        )
    )


def columns_with(attributes: list[Node], value: Value) -> tuple[Column, ...]:
    return tuple(Column(one.id, one.name, value) for one in attributes)
