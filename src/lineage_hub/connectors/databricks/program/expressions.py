"""Expressions enter; the values they stand for leave."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from lineage_hub.connectors.databricks.program.attributes import attribute
from lineage_hub.connectors.databricks.program.branches import choose, decide
from lineage_hub.connectors.databricks.program.budget import ITEMS
from lineage_hub.connectors.databricks.program.calls import call
from lineage_hub.connectors.databricks.program.comprehensions import comprehend, comprehend_dict
from lineage_hub.connectors.databricks.program.containers import fill, make_set
from lineage_hub.connectors.databricks.program.functions import gather, make_function
from lineage_hub.connectors.databricks.program.iteration import members
from lineage_hub.connectors.databricks.program.joins import unknown_of
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.operators import binary, compare, subscript, unary
from lineage_hub.connectors.databricks.program.scopes import bind, lookup
from lineage_hub.connectors.databricks.program.strings import evaluate_joined
from lineage_hub.connectors.databricks.program.targets import as_key
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    REST,
    UNKNOWN,
    Alternatives,
    DictValue,
    ListValue,
    Scope,
    Super,
    Unknown,
    Value,
)


def _constant(machine: Machine, node: ast.Constant, scope: Scope) -> Value:
    return node.value


def _name(machine: Machine, node: ast.Name, scope: Scope) -> Value:
    found = lookup(machine, scope, node.id)
    if found is not ABSENT:
        return _as_session(node.id, found)
    from lineage_hub.connectors.databricks.program.names import free_name

    return free_name(machine, node.id)


def _as_session(name: str, value: Value) -> Value:
    """What programs call spark is the session, wherever they have it from."""
    if name in ("spark", "_spark") and isinstance(value, Unknown):
        from lineage_hub.connectors.databricks.program.session import Session

        return Session()
    return value


def _chain(machine: Machine, node: ast.Attribute | ast.Call, scope: Scope) -> Value:
    """Calls and attributes one after the other, however many: the innermost first, without going deeper."""
    links: list[ast.Attribute | ast.Call] = []
    inner: ast.expr = node
    while isinstance(inner, ast.Attribute | ast.Call):
        links.append(inner)
        inner = inner.value if isinstance(inner, ast.Attribute) else inner.func
    if isinstance(inner, ast.Name) and inner.id == "super" and isinstance(links[-1], ast.Call):
        value = _super(machine, scope)
        links.pop()
    else:
        value = machine.evaluate(inner, scope)
    for link in reversed(links):
        machine.budget.step()
        if isinstance(link, ast.Attribute):
            value = _as_session(link.attr, attribute(machine, value, link.attr, link.lineno))
        else:
            value = call(machine, value, gather(machine, link, scope))
    return value


def _super(machine: Machine, scope: Scope) -> Value:
    owner, self_value = machine.activation.owner, machine.activation.self_value
    return UNKNOWN if owner is None or self_value is ABSENT else Super(owner, self_value)


def _binary(machine: Machine, node: ast.BinOp, scope: Scope) -> Value:
    """A chain of operators on the left, without going deeper."""
    chain: list[ast.BinOp] = []
    inner: ast.expr = node
    while isinstance(inner, ast.BinOp):
        chain.append(inner)
        inner = inner.left
    value = machine.evaluate(inner, scope)
    for one in reversed(chain):
        machine.budget.step()
        other = machine.evaluate(one.right, scope)
        value = machine.lift(lambda a, b, op=one.op: binary(machine, op, a, b), value, machine.see(other))
    return value


def _unary(machine: Machine, node: ast.UnaryOp, scope: Scope) -> Value:
    return machine.lift(lambda one: unary(node.op, one), machine.evaluate(node.operand, scope))


def _boolean(machine: Machine, node: ast.BoolOp, scope: Scope) -> Value:
    """`a or b`, `a and b`: the first that decides. What follows an unknown one is unknown, too."""
    wanted = isinstance(node.op, ast.Or)
    value: Value = UNKNOWN
    for index, operand in enumerate(node.values):
        value = machine.see(machine.evaluate(operand, scope))
        if index == len(node.values) - 1:
            break
        ways = decide(machine, value)
        if len(ways) == 1:
            if ways[0][1] is wanted:
                return value
            continue
        rest = (
            ast.copy_location(ast.BoolOp(node.op, node.values[index + 1 :]), node)
            if index < len(node.values) - 2
            else node.values[-1]
        )
        return _undecided(machine, value, rest, scope, wanted)
    return value


def _undecided(machine: Machine, value: Value, rest: ast.expr, scope: Scope, wanted: bool) -> Value:
    if isinstance(value, Alternatives):
        return choose(
            machine,
            value,
            (lambda: machine.see(value)) if wanted else (lambda: machine.evaluate(rest, scope)),
            (lambda: machine.evaluate(rest, scope)) if wanted else (lambda: machine.see(value)),
        )
    other = choose(machine, value, *((lambda: UNKNOWN, lambda: machine.evaluate(rest, scope))[:: 1 if wanted else -1]))
    return unknown_of(value, other)


def _compare(machine: Machine, node: ast.Compare, scope: Scope) -> Value:
    left = machine.see(machine.evaluate(node.left, scope))
    answer: Value = True
    for op, operand in zip(node.ops, node.comparators, strict=True):
        right = machine.see(machine.evaluate(operand, scope))
        answer = machine.lift(lambda a, b, op=op: compare(machine, op, a, b), left, right)
        if answer is False:
            return False
        left = right
    return answer if len(node.ops) == 1 or answer is True else UNKNOWN


def _conditional(machine: Machine, node: ast.IfExp, scope: Scope) -> Value:
    condition = machine.evaluate(node.test, scope)
    return choose(
        machine, condition, lambda: machine.evaluate(node.body, scope), lambda: machine.evaluate(node.orelse, scope)
    )


def _items(machine: Machine, nodes: list[ast.expr], scope: Scope) -> tuple[Value, ...] | Unknown:
    items: list[Value] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            value = machine.see(machine.evaluate(node.value, scope))
            more = members(machine, value)
            if more is None:
                return unknown_of(
                    value, *items, *(machine.evaluate(one, scope) for one in nodes if not isinstance(one, ast.Starred))
                )
            items.extend(more)
        else:
            items.append(machine.evaluate(node, scope))
    return tuple(items) if len(items) <= ITEMS else UNKNOWN


def _list(machine: Machine, node: ast.List, scope: Scope) -> Value:
    return ListValue(_items(machine, node.elts, scope))


def _tuple(machine: Machine, node: ast.Tuple, scope: Scope) -> Value:
    return _items(machine, node.elts, scope)


def _set(machine: Machine, node: ast.Set, scope: Scope) -> Value:
    return make_set(machine, _items(machine, node.elts, scope))


def _dict(machine: Machine, node: ast.Dict, scope: Scope) -> Value:
    made = DictValue()
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        if key_node is None:
            fill(machine, made, machine.evaluate(value_node, scope))
            continue
        key = machine.see(machine.evaluate(key_node, scope))
        value = machine.evaluate(value_node, scope)
        hashable = as_key(key)
        if hashable is None:
            for one in made.cells:
                made.cells[one] = UNKNOWN
            made.cells[REST] = unknown_of(value)
        else:
            made.cells[hashable[0]] = value
    return made


def _subscript(machine: Machine, node: ast.Subscript, scope: Scope) -> Value:
    holder = machine.see(machine.evaluate(node.value, scope))
    if isinstance(node.slice, ast.Slice):
        parts = [
            None if one is None else machine.see(machine.evaluate(one, scope))
            for one in (node.slice.lower, node.slice.upper, node.slice.step)
        ]
        if not all(one is None or isinstance(one, int) for one in parts):
            return unknown_of(holder)
        key: Value = slice(*parts)
    else:
        key = machine.see(machine.evaluate(node.slice, scope))
    return machine.lift(lambda one, other: subscript(machine, one, other, node.lineno), holder, key)


def _lambda(machine: Machine, node: ast.Lambda, scope: Scope) -> Value:
    return make_function(machine, node, scope, "<lambda>")


def _walrus(machine: Machine, node: ast.NamedExpr, scope: Scope) -> Value:
    value = machine.evaluate(node.value, scope)
    where = scope
    while where.kind == "comprehension" and where.parent is not None:
        where = where.parent
    bind(machine, where, node.target.id, value)
    return value


def _await(machine: Machine, node: ast.Await, scope: Scope) -> Value:
    return machine.evaluate(node.value, scope)


def _starred(machine: Machine, node: ast.Starred, scope: Scope) -> Value:
    return unknown_of(machine.evaluate(node.value, scope))


def _yield(machine: Machine, node: ast.Yield, scope: Scope) -> Value:
    value = None if node.value is None else machine.evaluate(node.value, scope)
    if machine.activation.entered is not None:
        entered, machine.activation.entered = machine.activation.entered, None
        entered(value)
    machine.activation.yields.append(value)
    machine.activation.unsure_yield |= machine.path != machine.activation.base
    return UNKNOWN


def _yield_from(machine: Machine, node: ast.YieldFrom, scope: Scope) -> Value:
    value = machine.see(machine.evaluate(node.value, scope))
    items = members(machine, value)
    machine.activation.yields.extend([unknown_of(value)] if items is None else items)
    machine.activation.unsure_yield |= items is None or machine.path != machine.activation.base
    return UNKNOWN


EVALUATORS: Mapping[type, Callable[..., Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _chain,
    ast.Call: _chain,
    ast.JoinedStr: evaluate_joined,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.List: _list,
    ast.Tuple: _tuple,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.Subscript: _subscript,
    ast.ListComp: comprehend,
    ast.SetComp: comprehend,
    ast.GeneratorExp: comprehend,
    ast.DictComp: comprehend_dict,
    ast.Lambda: _lambda,
    ast.NamedExpr: _walrus,
    ast.Await: _await,
    ast.Starred: _starred,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
}
