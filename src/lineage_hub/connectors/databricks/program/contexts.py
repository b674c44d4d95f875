"""with statements enter; what their managers give is bound, and bodies run between their two halves."""

from __future__ import annotations

import ast
from collections.abc import Callable

from lineage_hub.connectors.databricks.program.calls import call, call_method
from lineage_hub.connectors.databricks.program.machine import Machine, Raised, Status
from lineage_hub.connectors.databricks.program.targets import assign
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    UNKNOWN,
    Arguments,
    Instance,
    Method,
    Native,
    Scope,
    Unknown,
    Value,
)


class Manager(Native):
    """A call of a function of contextlib.contextmanager: its body runs when with enters it."""

    __slots__ = ("arguments", "function")

    def __init__(self, function: Value, arguments: Arguments) -> None:
        self.function = function
        self.arguments = arguments


def make_manager(machine: Machine, arguments: Arguments) -> Value:
    """@contextmanager"""
    function = machine.see(arguments.get(0, "", None))
    return Method(lambda _, given: Manager(function, given))


class Suppress(Native):
    """contextlib.suppress(…)"""

    __slots__ = ()


def _run_suppressed(
    machine: Machine, call_: ast.Call, rest: list[ast.withitem], body: list[ast.stmt], scope: Scope
) -> Status:
    """As try does with a handler that does nothing."""
    from lineage_hub.connectors.databricks.program.trying import run_try

    inner: list[ast.stmt] = [ast.copy_location(ast.With(items=rest, body=body), call_)] if rest else body
    types = call_.args[0] if len(call_.args) == 1 else ast.Tuple(elts=call_.args, ctx=ast.Load())
    handler = ast.ExceptHandler(type=types, name=None, body=[ast.Pass()])
    made = ast.Try(body=inner, handlers=[handler], orelse=[], finalbody=[])
    return run_try(machine, ast.fix_missing_locations(ast.copy_location(made, call_)), scope)


def run_with(machine: Machine, node: ast.With | ast.AsyncWith, scope: Scope) -> Status:
    return _run_items(machine, node.items, node.body, scope)


def _run_items(machine: Machine, items: list[ast.withitem], body: list[ast.stmt], scope: Scope) -> Status:
    if not items:
        return machine.execute(body, scope)
    first, rest = items[0], items[1:]
    manager = machine.see(machine.evaluate(first.context_expr, scope))

    def enter(value: Value) -> Status:
        if first.optional_vars is not None:
            assign(machine, first.optional_vars, value, scope)
        return _run_items(machine, rest, body, scope)

    if isinstance(manager, Manager):
        return _run_manager(machine, manager, enter)
    if isinstance(manager, Suppress) and isinstance(first.context_expr, ast.Call):
        return _run_suppressed(machine, first.context_expr, [*rest], body, scope)
    if isinstance(manager, Instance):
        entered = call_method(machine, manager, "__enter__", [])
        path, activation = machine.path, machine.activation
        try:
            status = enter(manager if entered is ABSENT else entered)
        except Raised as error:
            machine.path, machine.activation = path, activation
            holds = machine.see(call_method(machine, manager, "__exit__", [UNKNOWN, UNKNOWN, UNKNOWN]))
            if error.leaves or holds is ABSENT or not holds:
                raise
            return Status.NEXT
        call_method(machine, manager, "__exit__", [None, None, None])
        return status
    machine.doubt += isinstance(manager, Unknown)
    return enter(manager)


def _run_manager(machine: Machine, manager: Manager, enter: Callable[[Value], Status]) -> Status:
    """The function runs, and the body of with stands where it yields."""
    outer = machine.activation
    ended: list[Status] = []

    def body(value: Value) -> None:
        inner, machine.activation = machine.activation, outer
        path = machine.path
        try:
            ended.append(enter(value))
        finally:
            machine.activation, machine.path = inner, path

    machine.entering = body
    call(machine, manager.function, manager.arguments)
    machine.entering = None
    return ended[0] if ended else enter(Unknown())
