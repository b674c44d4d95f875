"""with statements enter; what their managers give is bound, and bodies run between their two halves."""

from __future__ import annotations

import ast
from collections.abc import Callable

from lineage_hub.connectors.databricks.program.calls import call, call_method
from lineage_hub.connectors.databricks.program.machine import Machine, Status
from lineage_hub.connectors.databricks.program.targets import assign
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
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
    if isinstance(manager, Instance):
        entered = call_method(machine, manager, "__enter__", [])
        status = enter(manager if entered is ABSENT else entered)
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
