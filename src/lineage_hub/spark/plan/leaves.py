"""A leaf of a plan and the place that it reads enter; a relation whose columns come from that place leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from lineage_hub.spark.plan.model import Kind, Opaque, Origin, Source
from lineage_hub.spark.plan.reading import Places, Reading, columns_with
from lineage_hub.spark.plan.rules import by_class
from lineage_hub.spark.plan.schemas import fields_of_attributes
from lineage_hub.spark.plan.scope import Column, Relation
from lineage_hub.spark.plan.tree import Node
from lineage_hub.spark.plan.values import EMPTY, NOTHING, Origins, Value, renumbered


@dataclass(frozen=True, slots=True)
class Remembered:
    """What an earlier reading found, for a plan that goes on where it ended."""

    relation: Relation
    opaque: tuple[Opaque, ...] = ()
    unknown: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Place:
    """What a leaf reads; exactly one of these says so."""

    sources: tuple[Source, ...] = ()
    """Without their fields, if those are the leaf's columns."""
    origins: Mapping[str, Origins] | None = None
    """Of the leaf's columns by their names without case, where the place knows better than by name."""
    steering: Origins = NOTHING
    remembered: Remembered | None = None
    inner: Node | None = None
    """A plan whose rows are kept in memory."""
    elsewhere: Places | None = None
    """Who knows the places of that plan."""
    literal: bool = False
    opaque: str = ""
    unknown: str = ""


def _literal(node: Node, reading: Reading) -> Relation:
    return Relation(columns_with(node.trees("output"), EMPTY))


def _by_position(relation: Relation, node: Node) -> Relation:
    """The same rows under the ids that this use of them has."""
    columns = tuple(
        Column(one.id, one.name, column.value)
        for one, column in zip(node.trees("output"), relation.columns, strict=True)
    )
    return replace(relation, columns=columns)


def _cte(node: Node, reading: Reading) -> Relation:
    return _by_position(reading.ctes[node.raw["cteId"]], node)


def _loop(node: Node, reading: Reading) -> Relation:
    return _by_position(reading.loops[node.raw["loopId"]], node)


def _place(node: Node, reading: Reading) -> Relation:
    place = reading.places.place_of(node)
    attributes = node.trees("output")
    if place.literal:
        return Relation(columns_with(attributes, EMPTY))
    if place.remembered is not None:
        return _by_position(_taken_up(place.remembered, reading), node)
    if place.inner is not None:
        return _by_position(reading.within(place.inner, place.elsewhere or reading.places), node)
    if place.opaque or place.unknown:
        if place.unknown:
            reading.report(place.unknown)
        step = reading.opaque(node.kind, place.opaque or f"{place.unknown} is not known")
        return Relation(columns_with(attributes, Value(opaque=frozenset({step}))))
    return relation_of(place, attributes) if place.origins is None else _traced(place, attributes, node, reading)


def _taken_up(remembered: Remembered, reading: Reading) -> Relation:
    for one in remembered.unknown:
        reading.report(one)
    numbers = {old: reading.opaque(one.operator, one.reason) for old, one in enumerate(remembered.opaque)}
    columns = (one._replace(value=renumbered(one.value, numbers)) for one in remembered.relation.columns)
    return replace(remembered.relation, columns=tuple(columns)) if numbers else remembered.relation


def relation_of(place: Place, attributes: list[Node]) -> Relation:
    """Every column is the field of that name."""
    fields = fields_of_attributes(attributes)
    sources = [replace(one, fields=fields) for one in place.sources]
    columns = (
        Column(
            one.id,
            one.name,
            Value(frozenset(Origin(source.name, one.name, Kind.IDENTITY) for source in sources), type=one.type),
        )
        for one in attributes
    )
    return Relation(tuple(columns), sources=_by_name(sources))


def _traced(place: Place, attributes: list[Node], node: Node, reading: Reading) -> Relation:
    known = place.origins or {}
    columns = []
    for one in attributes:
        origins = known.get(one.name.casefold())
        if origins is None:
            step = reading.opaque(node.kind, f"nobody can say where {one.name} comes from")
            columns.append(Column(one.id, one.name, Value(opaque=frozenset({step}))))
        else:
            columns.append(Column(one.id, one.name, Value(origins)))
    return Relation(tuple(columns), place.steering, _by_name(place.sources))


def _clone(node: Node, reading: Reading) -> Relation:
    """A table as it is, with columns that have no ids yet."""
    place = reading.places.place_of(node)
    if place.unknown:
        reading.report(place.unknown)
    columns = (
        Column(number, field.name, Value(frozenset({Origin(source.name, field.name, Kind.IDENTITY)})))
        for source in place.sources
        for number, field in enumerate(source.fields)
    )
    return Relation(tuple(columns), sources=_by_name(place.sources))


def _by_name(sources: Iterable[Source]) -> dict[tuple[str, ...], Source]:
    return {(*one.name, one.version or ""): one for one in sources}


def _transposed(node: Node, reading: Reading) -> Relation:
    """Spark has run what was beneath to know the columns; the plan holds its rows."""
    step = reading.opaque(node.kind, "rows were read to become columns")
    return Relation(columns_with(node.trees("output"), Value(opaque=frozenset({step}))))


RULES = by_class(
    (_literal, "LocalRelation OneRowRelation Range EmptyRelation MemoryPlan"),
    (_transposed, "Transpose"),
    (_clone, "CloneTableCommand"),
    (_cte, "CTERelationRef"),
    (_loop, "UnionLoopRef"),
    (
        _place,
        """LogicalRelation HiveTableRelation DataSourceV2Relation DataSourceV2ScanRelation LogicalRDD
        InMemoryRelation StreamingRelation StreamingRelationV2 StreamingExecutionRelation
        StreamingDataSourceV2Relation StreamingDataSourceV2ScanRelation ExternalRDD""",
    ),
)
