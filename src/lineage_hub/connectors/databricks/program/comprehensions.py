"""Comprehensions enter; lists, sets and dictionaries leave, laid out where what they run over is known."""

from __future__ import annotations

import ast
from collections.abc import Callable

from lineage_hub.connectors.databricks.program.branches import decide
from lineage_hub.connectors.databricks.program.budget import ALTERNATIVES, ITEMS
from lineage_hub.connectors.databricks.program.containers import make_set
from lineage_hub.connectors.databricks.program.guards import ALWAYS, Guard, both
from lineage_hub.connectors.databricks.program.iteration import is_unordered, members
from lineage_hub.connectors.databricks.program.joins import join, unknown_of
from lineage_hub.connectors.databricks.program.loops import run_unknown
from lineage_hub.connectors.databricks.program.machine import Machine, Status
from lineage_hub.connectors.databricks.program.targets import as_key, assign
from lineage_hub.connectors.databricks.program.values import (
    REST,
    UNKNOWN,
    DictValue,
    ListValue,
    Scope,
    UnorderedList,
    Value,
)

_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp


class _Rows:
    """Rows as they come; `sure` until one may be missing."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self.sure = True
        self.ordered = True
        self.guards: list[Guard] = []  # of each row: where it is there

    def add(self, value: Value, guard: Guard = ALWAYS) -> None:
        self.values.append(value)
        self.guards.append(guard)
        if len(self.values) > ITEMS:
            self.sure = False

    def alternatives(self, machine: Machine) -> Value:
        """Rows that may be missing make as many lists as there are ways."""
        ways: list[tuple[Guard, tuple[Value, ...]]] = [(ALWAYS, ())]
        for value, guard in zip(self.values, self.guards, strict=True):
            if not guard:
                ways = [(held, (*items, value)) for held, items in ways]
                continue
            ((decision, arm),) = guard
            other = frozenset([(decision, 1 - arm)])
            ways = [
                (whole, (*items, value) if way is guard else items)
                for held, items in ways
                for way in (guard, other)
                if (whole := both(held, way)) is not None
            ]
            if len(ways) > ALTERNATIVES:
                return unknown_of(*self.values)
        return join(ways)


def _inner(scope: Scope) -> Scope:
    """As functions do, comprehensions don't see the names of a class around them."""
    around = scope
    while around.kind == "class" and around.parent is not None:
        around = around.parent
    return Scope("comprehension", around)


def comprehend(machine: Machine, node: _Comprehension, scope: Scope) -> Value:
    inner = _inner(scope)
    rows = _Rows()
    _run(machine, node.generators, inner, rows, lambda held: rows.add(machine.evaluate(node.elt, inner), held), scope)
    if not rows.sure:
        return ListValue(unknown_of(*rows.values))
    if any(rows.guards):
        items = rows.alternatives(machine)
        return ListValue(items if rows.ordered and not isinstance(node, ast.SetComp) else unknown_of(*rows.values))
    if isinstance(node, ast.SetComp):
        return make_set(machine, tuple(rows.values))
    return ListValue(tuple(rows.values)) if rows.ordered else UnorderedList(tuple(rows.values))


def comprehend_dict(machine: Machine, node: ast.DictComp, scope: Scope) -> Value:
    inner = _inner(scope)
    rows = _Rows()

    def row(held: Guard) -> None:
        rows.sure = rows.sure and not held
        rows.add((machine.see(machine.evaluate(node.key, inner)), machine.evaluate(node.value, inner)))

    _run(machine, node.generators, inner, rows, row, scope)
    made = DictValue()
    for pair in rows.values:
        key = as_key(pair[0]) if isinstance(pair, tuple) else None
        if key is None or not rows.sure or not isinstance(pair, tuple):
            return DictValue({REST: unknown_of(*rows.values)})
        made.cells[key[0]] = pair[1]
    if not rows.sure:
        made.cells[REST] = UNKNOWN
    return made


def _run(
    machine: Machine,
    generators: list[ast.comprehension],
    scope: Scope,
    rows: _Rows,
    row: Callable[[Guard], None],
    outer: Scope,
    held: Guard = ALWAYS,
) -> None:
    """What the first part runs over is evaluated outside."""
    if not generators:
        row(held)
        return
    first, rest = generators[0], generators[1:]
    iterable = machine.see(machine.evaluate(first.iter, outer))
    items = members(machine, iterable)

    def turn(item: Value) -> Status:
        assign(machine, first.target, item, scope)
        here = held
        for condition in first.ifs:
            ways = decide(machine, machine.evaluate(condition, scope))
            if len(ways) > 1:
                guard = next(guard for guard, way in ways if way)
                rows.sure = rows.sure and not here and len(guard) == 1 and all(arm in (0, 1) for _, arm in guard)
                here = guard
            elif not ways[0][1]:
                return Status.NEXT
        _run(machine, rest, scope, rows, row, scope, here)
        return Status.NEXT

    rows.ordered = rows.ordered and not is_unordered(machine, iterable)

    if items is None:
        rows.sure = False
        run_unknown(machine, lambda: turn(unknown_of(iterable)))
        return
    for item in items:
        machine.budget.step()
        turn(item)
