"""Comprehensions enter; lists, sets and dictionaries leave, laid out where what they run over is known."""

from __future__ import annotations

import ast
from collections.abc import Callable

from lineage_hub.connectors.databricks.program.branches import decide
from lineage_hub.connectors.databricks.program.budget import ITEMS
from lineage_hub.connectors.databricks.program.containers import make_set
from lineage_hub.connectors.databricks.program.iteration import members
from lineage_hub.connectors.databricks.program.joins import unknown_of
from lineage_hub.connectors.databricks.program.loops import run_unknown
from lineage_hub.connectors.databricks.program.machine import Machine, Status
from lineage_hub.connectors.databricks.program.targets import as_key, assign
from lineage_hub.connectors.databricks.program.values import REST, UNKNOWN, DictValue, ListValue, Scope, Value

_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp


class _Rows:
    """Rows as they come; `sure` until one may be missing."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self.sure = True

    def add(self, value: Value) -> None:
        self.values.append(value)
        if len(self.values) > ITEMS:
            self.sure = False


def comprehend(machine: Machine, node: _Comprehension, scope: Scope) -> Value:
    inner = Scope("comprehension", scope)
    rows = _Rows()
    _run(machine, node.generators, inner, rows, lambda: rows.add(machine.evaluate(node.elt, inner)))
    if not rows.sure:
        return ListValue(unknown_of(*rows.values))
    return make_set(machine, tuple(rows.values)) if isinstance(node, ast.SetComp) else ListValue(tuple(rows.values))


def comprehend_dict(machine: Machine, node: ast.DictComp, scope: Scope) -> Value:
    inner = Scope("comprehension", scope)
    rows = _Rows()

    def row() -> None:
        rows.add((machine.see(machine.evaluate(node.key, inner)), machine.evaluate(node.value, inner)))

    _run(machine, node.generators, inner, rows, row)
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
    machine: Machine, generators: list[ast.comprehension], scope: Scope, rows: _Rows, row: Callable[[], None]
) -> None:
    if not generators:
        row()
        return
    first, rest = generators[0], generators[1:]
    iterable = machine.see(machine.evaluate(first.iter, scope))
    items = members(machine, iterable)

    def turn(item: Value) -> Status:
        assign(machine, first.target, item, scope)
        for condition in first.ifs:
            ways = decide(machine, machine.evaluate(condition, scope))
            if len(ways) > 1:
                rows.sure = False
            elif not ways[0][1]:
                return Status.NEXT
        _run(machine, rest, scope, rows, row)
        return Status.NEXT

    if items is None:
        rows.sure = False
        run_unknown(machine, lambda: turn(unknown_of(iterable)))
        return
    for item in items:
        machine.budget.step()
        turn(item)
