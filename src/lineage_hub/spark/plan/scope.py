"""What an expression can see: the columns beneath it, those of the query around it, and the variables of lambdas.

A relation is what an operator leaves: columns by id, what steers all of its rows, and the datasets beneath.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from lineage_hub.spark.plan.model import Columns, Source
from lineage_hub.spark.plan.values import NOTHING, Origins, Value, flat

Sources = Mapping[tuple[str, ...], Source]
"""By name and version."""


class Column(NamedTuple):
    id: int
    name: str
    value: Value


@dataclass(frozen=True, slots=True)
class Relation:
    columns: tuple[Column, ...] = ()
    steering: Origins = NOTHING
    """Holds for every column: filters, joins, sorts and the like beneath."""
    sources: Sources = field(default_factory=dict)
    grouping: Origins = NOTHING
    """The keys that its rows are grouped by: holds for every column but the key itself."""

    def origins(self) -> Origins:
        """Of all columns and of what steers them."""
        return self.steering.union(self.grouping, *(flat(one.value) for one in self.columns))

    def settled(self) -> Relation:
        """What groups its rows becomes part of its columns: in a union it says nothing of the rows of others."""
        if not self.grouping:
            return self
        columns = (one._replace(value=grouped(one.value, self.grouping)) for one in self.columns)
        return replace(self, columns=tuple(columns), grouping=NOTHING)


def grouped(value: Value, grouping: Origins) -> Value:
    return replace(value, origins=value.origins | (grouping - value.spared), spared=NOTHING)


@dataclass(slots=True)
class Scope:
    relation: Relation
    by_id: Mapping[int, Value]
    outer: Scope | None = None
    variables: dict[object, Value] = field(default_factory=dict)
    """Of lambdas, by the id of the variable, and of `With`, by the node itself."""
    seen: dict[tuple[str, ...], Source] = field(default_factory=dict)
    """Datasets that subqueries in the expressions of this scope read."""

    def find(self, id_: int) -> Value | None:
        scope: Scope | None = self
        while scope is not None:
            found = scope.by_id.get(id_)
            if found is not None:
                return found
            scope = scope.outer
        return None


def scope_over(relations: Iterable[Relation], outer: Scope | None) -> Scope:
    """The columns of all children of an operator."""
    children = tuple(relations)
    if len(children) == 1:
        relation = children[0]
    else:
        relation = Relation(
            tuple(column for one in children for column in one.columns),
            NOTHING.union(*(one.steering for one in children)),
            sources_of(children),
            NOTHING.union(*(one.grouping for one in children)),
        )
    return Scope(relation, {one.id: one.value for one in relation.columns}, outer)


def sources_of(relations: Iterable[Relation]) -> Sources:
    return together(*(one.sources for one in relations))


def together(*many: Sources) -> Sources:
    """One dataset read twice is one; if it was read with two schemas it has the fields of both."""
    found: dict[tuple[str, ...], Source] = {}
    for sources in many:
        for key, one in sources.items():
            before = found.get(key, one)
            if before.fields != one.fields:
                known = {field.name for field in before.fields}
                more = (field for field in one.fields if field.name not in known)
                before = replace(before, fields=(*before.fields, *more))
            found[key] = before
    return found


def columns_of(relation: Relation) -> Columns:
    """By name: columns with one name are one."""
    own: dict[str, Origins] = {}
    for one in relation.settled().columns:
        origins = flat(one.value)
        own[one.name] = own[one.name] | origins if one.name in own else origins
    return Columns(own, relation.steering)
