"""Operators that hand rows to a program: Python, R, Scala functions and scripts; what comes back is opaque.

Every column of theirs is said to depend on every field of every dataset beneath, and the step is listed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from lineage_hub.spark.plan.reading import Reading
from lineage_hub.spark.plan.rules import by_class
from lineage_hub.spark.plan.scope import Column, Relation, scope_over
from lineage_hub.spark.plan.tree import Node
from lineage_hub.spark.plan.values import computed

Relations = Sequence[Relation]


def _opaque(reason: str, *fields: str) -> Callable[[Node, Relations, Reading], Relation]:
    """The new columns stand in `fields`, the first of them that is there."""

    def rule(node: Node, below: Relations, reading: Reading) -> Relation:
        relation = scope_over(below, None).relation
        value = reading.everything(relation, reading.opaque(node.kind, reason))
        made = next((found for name in fields if (found := node.trees(name))), [])
        columns = tuple(Column(one.id, one.name, value) for one in made)
        if node.kind.startswith("AppendColumns"):
            columns = (*below[0].columns, *columns)
        elif not fields:
            columns = tuple(Column(one.id, one.name, value) for one in relation.columns)
        return replace(relation, columns=columns)

    return rule


def _to_objects(node: Node, below: Relations, reading: Reading) -> Relation:
    """Rows become objects: no step of a program yet."""
    value = computed(one.value for one in below[0].columns)
    made = node.trees("outputObjAttr")
    return replace(below[0], columns=tuple(Column(one.id, one.name, value) for one in made))


def _from_objects(node: Node, below: Relations, reading: Reading) -> Relation:
    value = computed(one.value for one in below[0].columns)
    made = node.trees("serializer")
    return replace(below[0], columns=tuple(Column(one.id, one.name, value) for one in made))


RULES = by_class(
    (
        _opaque("a Python function makes the rows", "output"),
        """MapInPandas MapInArrow FlatMapGroupsInPandas FlatMapGroupsInArrow FlatMapCoGroupsInPandas
        FlatMapCoGroupsInArrow FlatMapGroupsInPandasWithState TransformWithStateInPandas """,
    ),
    (
        _opaque("a function on objects makes the rows", "outputObjAttr", "output"),
        "MapPartitions MapElements MapGroups CoGroup FlatMapGroupsWithState TransformWithState ",
    ),
    (
        _opaque("an R function makes the rows", "output", "outputObjAttr"),
        "MapPartitionsInR MapPartitionsInRWithArrow FlatMapGroupsInR FlatMapGroupsInRWithArrow",
    ),
    (_opaque("a function on objects makes columns", "serializer"), "AppendColumns"),
    (_opaque("a function on objects makes columns", "newColumnsSerializer"), "AppendColumnsWithObject"),
    (_opaque("a function on objects decides which rows stay"), "TypedFilter"),
    (_opaque("a script makes the rows", "output"), "ScriptTransformation"),
    (_opaque("a Python table function makes the rows", "resultAttrs"), "BatchEvalPythonUDTF ArrowEvalPythonUDTF"),
    (_to_objects, "DeserializeToObject"),
    (_from_objects, "SerializeFromObject"),
)
