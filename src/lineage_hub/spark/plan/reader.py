"""A plan enters, as a tree and a way to ask where its data is; its lineage leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from lineage_hub.spark.names import DatasetName
from lineage_hub.spark.plan import commands, functions, leaves, operators
from lineage_hub.spark.plan.model import Opaque, PlanLineage, Source, Target
from lineage_hub.spark.plan.reading import Places, columns_with, fields_of
from lineage_hub.spark.plan.scope import Column, Relation, Scope, columns_of, scope_over, sources_of
from lineage_hub.spark.plan.tree import Node
from lineage_hub.spark.plan.values import Value, flat, merged, opaque_of


def read_plan(plan: Node, places: Places, boundaries: Mapping[str, DatasetName]) -> PlanLineage:
    reading = PlanReading(places, boundaries)
    relation = reading.read(plan)
    columns = columns_of(relation)
    return PlanLineage(
        inputs=tuple(relation.sources.values()),
        outputs=tuple(reading.targets),
        columns=columns,
        opaque=tuple(reading.opaque_steps(relation)),
        unknown=tuple(sorted(reading.reported)),
    )


class PlanReading:
    """One reading: definitions that queries share, and what could not be seen through."""

    def __init__(self, places: Places, boundaries: Mapping[str, DatasetName]) -> None:
        self.places = places
        self._boundaries = {name.casefold(): dataset for name, dataset in boundaries.items()}
        self.outer: Scope | None = None
        self.ctes: dict[int, Relation] = {}
        self.loops: dict[int, Relation] = {}
        self.targets: list[Target] = []
        self.reported: set[str] = set()
        self.steps: list[Opaque] = []

    def read(self, plan: Node) -> Relation:
        """Children before parents, on a stack of our own: a plan can be deeper than Python's."""
        done: list[list[Relation]] = [[]]
        stack: list[tuple[Node, Iterator[Node]]] = []
        node: Node | None = plan
        while True:
            if node is not None:
                stack.append((node, iter(self._below(node))))
                done.append([])
            current, rest = stack[-1]
            node = next(rest, None)
            if node is not None:
                continue
            stack.pop()
            relation = self._relation(current, done.pop())
            done[-1].append(relation)
            if not stack:
                return relation

    def _below(self, node: Node) -> list[Node]:
        if self._boundary(node) or node.kind in commands.RULES or node.kind in WHOLE:
            return []
        return node.children

    def _boundary(self, node: Node) -> DatasetName | None:
        if not self._boundaries or node.kind != "SubqueryAlias":
            return None
        return self._boundaries.get(node.raw["identifier"]["name"].casefold())

    def _relation(self, node: Node, below: list[Relation]) -> Relation:
        boundary = self._boundary(node)
        if boundary is not None:
            place = leaves.Place(sources=(Source(boundary, format="view"),))
            return leaves.relation_of(place, self.places.columns_of(node))
        kind = node.kind
        if kind in WHOLE:
            return WHOLE[kind](node, self)
        if kind in commands.RULES:
            return commands.RULES[kind](node, self)
        if kind in leaves.RULES:
            return leaves.RULES[kind](node, self)
        if kind == "Union" and all(one.kind in commands.RULES for one in node.children):
            return _side_by_side(below)
        rule = operators.RULES.get(kind) or functions.RULES.get(kind)
        if rule is not None:
            return rule(node, below, self)
        return self._unknown_operator(node, below)

    def _unknown_operator(self, node: Node, below: list[Relation]) -> Relation:
        whole = scope_over(below, None).relation
        value = self.unknown(node, whole)
        return replace(whole, columns=columns_with(self.places.columns_of(node), value))

    def subquery(self, plan: Node, scope: Scope) -> Relation:
        before, self.outer = self.outer, scope
        try:
            return self.read(plan)
        finally:
            self.outer = before

    def within(self, plan: Node, places: Places) -> Relation:
        """A plan that isn't part of this one's tree."""
        before, self.places = self.places, places
        try:
            return self.read(plan)
        finally:
            self.places = before

    def report(self, class_name: str) -> None:
        self.reported.add(class_name)

    def opaque(self, operator: str, reason: str) -> int:
        self.steps.append(Opaque(operator, reason))
        return len(self.steps) - 1

    def unknown(self, node: Node, relation: Relation) -> Value:
        self.report(node.class_name)
        return self.everything(relation, self.opaque(node.kind, f"{node.class_name} is not known"))

    def everything(self, relation: Relation, step: int) -> Value:
        before = (opaque_of(one.value) for one in relation.columns)
        return Value(fields_of(relation), opaque=frozenset({step}).union(*before))

    def opaque_steps(self, relation: Relation) -> Iterator[Opaque]:
        concerned: dict[int, dict[str, None]] = {}
        for column in relation.columns:
            for step in opaque_of(column.value):
                concerned.setdefault(step, {})[column.name] = None
        for number, one in enumerate(self.steps):
            yield replace(one, columns=tuple(concerned.get(number, ())))


def _define(node: Node, reading: PlanReading) -> Relation:
    relation = reading.read(node.children[0])
    reading.ctes[node.raw["id"]] = relation
    return relation


def _loop(node: Node, reading: PlanReading) -> Relation:
    """A recursion: what it gives goes into it again, until nothing new comes."""
    anchor, recursion = node.children
    relation = reading.read(anchor)
    for _ in range(_ROUNDS):
        reading.loops[node.raw["id"]] = relation
        again = operators.RULES["Union"](node, [relation, reading.read(recursion)], reading)
        if _origins(again) == _origins(relation):
            break
        relation = again
    return relation


def _origins(relation: Relation) -> tuple[object, ...]:
    return relation.steering, *(flat(one.value) for one in relation.columns)


def _side_by_side(below: list[Relation]) -> Relation:
    """One query, several INSERTs: columns of one name are one column of the answer."""
    by_name: dict[str, list[Column]] = {}
    for relation in below:
        for one in relation.settled().columns:
            steered = Value(one.value.origins | relation.steering, one.value.fields, opaque=one.value.opaque)
            by_name.setdefault(one.name, []).append(one._replace(value=steered))
    columns = (Column(same[0].id, name, merged(one.value for one in same)) for name, same in by_name.items())
    return Relation(tuple(columns), sources=sources_of(below))


def _command_result(node: Node, reading: PlanReading) -> Relation:
    command = node.tree("commandLogicalPlan")
    return reading.read(command) if command else Relation(columns_with(node.trees("output"), Value()))


def _query_stage(node: Node, reading: PlanReading) -> Relation:
    """A part of a plan that runs already."""
    return reading.read(node.trees("logicalPlan")[0])


_ROUNDS = 20
# These read what is beneath them by themselves.
WHOLE: dict[str, Callable[[Node, PlanReading], Relation]] = {
    "CTERelationDef": _define,
    "UnionLoop": _loop,
    "CommandResult": _command_result,
    "LogicalQueryStage": _query_stage,
}
