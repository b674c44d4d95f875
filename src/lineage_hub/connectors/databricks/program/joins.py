"""Values of several branches enter, each with its guard; the one value that stands for all of them leaves."""

from __future__ import annotations

from collections.abc import Iterable

from lineage_hub.connectors.databricks.program.budget import ALTERNATIVES
from lineage_hub.connectors.databricks.program.guards import Guard, both
from lineage_hub.connectors.databricks.program.reads import Input, guarded_inputs, joined_inputs
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    UNKNOWN,
    Alternatives,
    BoundMethod,
    Carrier,
    Cells,
    Unknown,
    Value,
    same,
)

_DEEP = 3


def inputs_of(value: Value, depth: int = _DEEP) -> tuple[Input, ...]:
    """The reads that a value is made of, those of its members too."""
    if isinstance(value, Unknown | Carrier):
        return value.inputs
    if depth == 0 or isinstance(value, str | int | float | None):
        return ()
    if isinstance(value, tuple):
        return _all_inputs(value, depth)
    if isinstance(value, Alternatives):
        return joined_inputs(*(guarded_inputs(inputs_of(one, depth - 1), guard) for guard, one in value.options))
    if isinstance(value, BoundMethod):
        return inputs_of(value.self_value, depth - 1)
    if isinstance(value, Cells):
        return _all_inputs(tuple(value.cells.values()), depth)
    return ()


def _all_inputs(values: tuple[Value, ...], depth: int) -> tuple[Input, ...]:
    found = [inputs for one in values if (inputs := inputs_of(one, depth - 1))]
    return joined_inputs(*found) if found else ()


def unknown_of(*values: Value) -> Unknown:
    """Unknown, and made of what these are made of."""
    inputs = _all_inputs(values, _DEEP)
    return Unknown(inputs) if inputs else UNKNOWN


def flatten(options: Iterable[tuple[Guard, Value]]) -> list[tuple[Guard, Value]]:
    """Options within options come out; those that can never be go."""
    flat: list[tuple[Guard, Value]] = []
    for guard, value in options:
        if isinstance(value, Alternatives):
            for inner, one in value.options:
                held = both(guard, inner)
                if held is not None:
                    flat.append((held, one))
        else:
            flat.append((guard, value))
    return flat


def join(options: Iterable[tuple[Guard, Value]]) -> Value:
    """One value for all of them."""
    distinct: list[tuple[Guard, Value]] = []
    for guard, value in flatten(options):
        for index, (seen, one) in enumerate(distinct):
            if same(one, value) or (isinstance(one, Unknown) and isinstance(value, Unknown)):
                merged = unknown_of(one, value) if isinstance(one, Unknown) and one is not value else one
                distinct[index] = (seen & guard, merged)
                break
        else:
            distinct.append((guard, value))
    if not distinct:
        return UNKNOWN
    if len(distinct) == 1:
        return distinct[0][1]
    first = distinct[0][1]
    if isinstance(first, Carrier) and all(type(one) is type(first) for _, one in distinct):
        carriers = [(guard, one) for guard, one in distinct if isinstance(one, Carrier)]
        whole = first.joined(carriers)
        if not isinstance(whole, Unknown):
            return whole
    if len(distinct) > ALTERNATIVES:
        return unknown_of(*(one for _, one in distinct))
    return Alternatives(tuple(distinct))


def held(value: Value, path: Guard) -> Value:
    """What a value can be where the path has led. An absent one is left out if anything else is there."""
    if not isinstance(value, Alternatives):
        return value
    left = [(guard, one) for guard, one in value.options if both(guard, path) is not None]
    present = [(guard, one) for guard, one in left if one is not ABSENT]
    if not left:
        return UNKNOWN
    if not present:
        return ABSENT
    if len(present) == len(value.options):
        return value
    return present[0][1] if len(present) == 1 else Alternatives(tuple(present))
