"""Statements enter; the state after them leaves, and how they end."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from lineage_hub.connectors.databricks.program.branches import decide, run_arms
from lineage_hub.connectors.databricks.program.contexts import run_with
from lineage_hub.connectors.databricks.program.loops import run_for, run_while
from lineage_hub.connectors.databricks.program.machine import Machine, Raised, Status
from lineage_hub.connectors.databricks.program.matching import run_match
from lineage_hub.connectors.databricks.program.scopes import bind, module_of
from lineage_hub.connectors.databricks.program.targets import assign, delete
from lineage_hub.connectors.databricks.program.trying import run_try
from lineage_hub.connectors.databricks.program.values import (
    FunctionValue,
    Scope,
    Value,
)


def _expression(machine: Machine, node: ast.Expr, scope: Scope) -> Status:
    if not isinstance(node.value, ast.Constant):
        machine.evaluate(node.value, scope)
    return Status.NEXT


def _assign(machine: Machine, node: ast.Assign, scope: Scope) -> Status:
    value = machine.evaluate(node.value, scope)
    for target in node.targets:
        assign(machine, target, value, scope)
    return Status.NEXT


def _annotated(machine: Machine, node: ast.AnnAssign, scope: Scope) -> Status:
    if node.value is not None:
        assign(machine, node.target, machine.evaluate(node.value, scope), scope)
    return Status.NEXT


def _augmented(machine: Machine, node: ast.AugAssign, scope: Scope) -> Status:
    from lineage_hub.connectors.databricks.program.containers import extend_in_place
    from lineage_hub.connectors.databricks.program.operators import binary

    load = _as_load(node.target)
    before = machine.see(machine.evaluate(load, scope))
    value = machine.evaluate(node.value, scope)
    if extend_in_place(machine, before, node.op, value):
        return Status.NEXT
    result = machine.lift(lambda one, other: binary(machine, node.op, one, other), before, machine.see(value))
    assign(machine, node.target, result, scope)
    return Status.NEXT


def _as_load(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    if isinstance(target, ast.Attribute):
        return ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), target)
    if isinstance(target, ast.Subscript):
        return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
    return target


def _if(machine: Machine, node: ast.If, scope: Scope) -> Status:
    ways = decide(machine, machine.evaluate(node.test, scope))
    if len(ways) == 1:
        return machine.execute(node.body if ways[0][1] else node.orelse, scope)

    def arm(block: list[ast.stmt]) -> Callable[[], Status]:
        return lambda: machine.execute(block, scope)

    return run_arms(machine, [(guard, arm(node.body if way else node.orelse)) for guard, way in ways])


def _return(machine: Machine, node: ast.Return, scope: Scope) -> Status:
    value = None if node.value is None else machine.evaluate(node.value, scope)
    machine.activation.returns.append((machine.path, value))
    return Status.RETURN


def _raise(machine: Machine, node: ast.Raise, scope: Scope) -> Status:
    value: Value = None
    if node.exc is not None:
        value = machine.evaluate(node.exc, scope)
    name = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    named = name.id if isinstance(name, ast.Name) else name.attr if isinstance(name, ast.Attribute) else ""
    raise Raised(named, leaves=named in {"SystemExit", "KeyboardInterrupt"}, value=value)


def _global(machine: Machine, node: ast.Global, scope: Scope) -> Status:
    for name in node.names:
        scope.declared[name] = module_of(scope)
    return Status.NEXT


def _nonlocal(machine: Machine, node: ast.Nonlocal, scope: Scope) -> Status:
    for name in node.names:
        one = scope.parent
        while one is not None:
            if one.kind == "function" and (name in one.cells or (one.own and name in one.own)):
                scope.declared[name] = one
                break
            one = one.parent
    return Status.NEXT


def _delete(machine: Machine, node: ast.Delete, scope: Scope) -> Status:
    for target in node.targets:
        delete(machine, target, scope)
    return Status.NEXT


def _assert(machine: Machine, node: ast.Assert, scope: Scope) -> Status:
    ways = decide(machine, machine.evaluate(node.test, scope))
    if len(ways) > 1:
        machine.doubt += 1
    elif not ways[0][1] and machine.trying:
        raise Raised("AssertionError")
    return Status.NEXT


def _function(machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> Status:
    from lineage_hub.connectors.databricks.program.functions import decorate, make_function

    function: Value = make_function(machine, node, scope, node.name)
    if isinstance(function, FunctionValue):
        machine.defined.append(function)
    for decorator in reversed(node.decorator_list):
        function = decorate(machine, decorator, function, scope)
    bind(machine, scope, node.name, function)
    return Status.NEXT


def _class(machine: Machine, node: ast.ClassDef, scope: Scope) -> Status:
    from lineage_hub.connectors.databricks.program.classes import make_class

    bind(machine, scope, node.name, make_class(machine, node, scope))
    return Status.NEXT


def _import(machine: Machine, node: ast.Import | ast.ImportFrom, scope: Scope) -> Status:
    from lineage_hub.connectors.databricks.program.modules import import_from, import_modules

    if isinstance(node, ast.Import):
        import_modules(machine, node, scope)
    else:
        import_from(machine, node, scope)
    return Status.NEXT


def _pass(machine: Machine, node: ast.stmt, scope: Scope) -> Status:
    return Status.NEXT


def _break(machine: Machine, node: ast.Break, scope: Scope) -> Status:
    return Status.BREAK


def _continue(machine: Machine, node: ast.Continue, scope: Scope) -> Status:
    return Status.CONTINUE


EXECUTORS: Mapping[type, Callable[..., Status]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.For: run_for,
    ast.AsyncFor: run_for,
    ast.While: run_while,
    ast.Try: run_try,
    ast.With: run_with,
    ast.AsyncWith: run_with,
    ast.Match: run_match,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.Global: _global,
    ast.Nonlocal: _nonlocal,
    ast.Delete: _delete,
    ast.Assert: _assert,
    ast.Pass: _pass,
    ast.Break: _break,
    ast.Continue: _continue,
    **({ast.TryStar: run_try} if hasattr(ast, "TryStar") else {}),
}
