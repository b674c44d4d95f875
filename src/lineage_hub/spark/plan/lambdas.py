"""Higher-order functions: the values of their collections enter, the values of their lambdas' variables leave.

Each function is one line of `PARAMETERS`: what the variables of a lambda stand for, by its place among the arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from lineage_hub.sdk.instrumentation.flows import DIRECT
from lineage_hub.spark.names import DatasetName
from lineage_hub.spark.plan.model import Origin
from lineage_hub.spark.plan.tree import Node
from lineage_hub.spark.plan.values import EMPTY, Origins, Value, computed, element, flat, merged

Bound = Sequence[Value]
Binder = Callable[[Bound], Bound]


def _elements(given: Bound) -> Bound:
    return element(given[0]), EMPTY  # the second is the index


def _pair(given: Bound) -> Bound:
    return element(given[0]), element(given[0])


def _both(given: Bound) -> Bound:
    return element(given[0]), element(given[1])


def _entries_of_both(given: Bound) -> Bound:
    return merged(element(one) for one in given[:2]), element(given[0]), element(given[1])


def _accumulated(given: Bound) -> Bound:
    # What the lambda gave the last time goes into it again.
    return merged([given[1], *given[2:]]), element(given[0])


PARAMETERS: dict[str, Binder] = {
    "ArrayTransform": _elements,
    "ArrayFilter": _elements,
    "ArrayExists": _elements,
    "ArrayForAll": _elements,
    "ArraySort": _pair,
    "ArrayAggregate": _accumulated,
    "ZipWith": _both,
    "MapFilter": _pair,
    "TransformKeys": _pair,
    "TransformValues": _pair,
    "MapZipWith": _entries_of_both,
}
# A reduction is gone through until a value has come round: a field of its accumulator can come from another.
ORDERS: dict[str, tuple[int, ...]] = {"ArrayAggregate": (0, 1, 2, 2, 2, 3)}


def bind(function: Node, lambda_: Node, given: Bound) -> dict[object, Value]:
    values = PARAMETERS[function.kind](given)
    return {node.id: value for node, value in zip(lambda_.children[1:], values, strict=False)}


def mapped(node: Node, values: Bound) -> Value:
    """What the lambda makes; if it never looks at its elements, their number still decides."""
    collections, result = values[:-1], values[-1]
    used = flat(result)
    unused = [one for one in collections if not _touches(used, one)]
    return computed([result, *unused])


def kept(node: Node, values: Bound) -> Value:
    """Some elements of a collection, or all in another order; what lies beneath it needs no second mention."""
    whole, condition = values[0], computed(values[1:])
    inside = [(one.dataset, one.field) for one in flat(whole) if one.kind in DIRECT]
    outside = frozenset(one for one in condition.origins if not _within(one, inside))
    copy = element(whole)
    return replace(copy, origins=copy.origins | outside, type=whole.type, opaque=copy.opaque | condition.opaque)


def _touches(used: Origins, collection: Value) -> bool:
    whole = [(one.dataset, one.field) for one in flat(collection) if one.kind in DIRECT]
    return any(_within(one, whole) for one in used)


def _within(origin: Origin, places: Sequence[tuple[DatasetName, str]]) -> bool:
    return any(origin.dataset == name and f"{origin.field}.".startswith(f"{field}.") for name, field in places)
