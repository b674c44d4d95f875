"""try statements enter; handlers count where an exception may come, and only there."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from lineage_hub.connectors.databricks.program.branches import run_arms
from lineage_hub.connectors.databricks.program.guards import Guard
from lineage_hub.connectors.databricks.program.machine import Machine, Raised, Status
from lineage_hub.connectors.databricks.program.scopes import bind
from lineage_hub.connectors.databricks.program.state import State, Trail
from lineage_hub.connectors.databricks.program.values import ABSENT, UNKNOWN, Scope, Value

_BROAD = {"", "Exception", "BaseException"}


def run_try(machine: Machine, node: ast.Try, scope: Scope) -> Status:
    try:
        status = _run_guarded(machine, node, scope)
    except Raised:
        machine.execute(node.finalbody, scope)
        raise
    final = machine.execute(node.finalbody, scope)
    return final if final is not Status.NEXT else status


def _run_guarded(machine: Machine, node: ast.Try, scope: Scope) -> Status:
    """Statements that can't fail are done for good; from the first that may, there are two ways."""
    handlers = node.handlers
    for index, statement in enumerate(node.body):
        doubt, base = machine.doubt, machine.path
        trail = machine.state.begin()
        machine.trying += bool(handlers)
        try:
            status = machine.execute([statement], scope)
        except Raised as error:
            machine.trying -= bool(handlers)
            machine.state.end()
            machine.path = base
            return _handle(machine, node, scope, error)
        machine.trying -= bool(handlers)
        if machine.doubt == doubt or not handlers:
            machine.state.end()
            if status is not Status.NEXT:
                return status
            continue
        path = machine.path
        machine.state.trails.pop()
        after = State.now(trail)
        State.restore(trail)
        machine.path = base
        return _two_ways(machine, node, scope, _Done(index, status, after, path - base))
    return machine.execute(node.orelse, scope)


@dataclass
class _Done:
    """The first statement that may fail, done well."""

    index: int
    status: Status
    after: Trail
    extra: Guard


def _two_ways(machine: Machine, node: ast.Try, scope: Scope, done: _Done) -> Status:
    decision = machine.decision()
    returns = machine.activation.returns

    def well() -> Status:
        for where, key, value in done.after.values():
            machine.state.put(where, key, value)
        machine.path |= done.extra
        if done.status is not Status.NEXT:
            if done.status is Status.RETURN and returns:
                guard, result = returns.pop()
                returns.append((guard | {(decision, 1)}, result))
            return done.status
        machine.trying += 1
        try:
            rest = machine.execute(node.body[done.index + 1 :], scope)
        finally:
            machine.trying -= 1
        return rest if rest is not Status.NEXT else machine.execute(node.orelse, scope)

    def handled(handler: ast.ExceptHandler) -> Callable[[], Status]:
        return lambda: _run_handler(machine, handler, scope, UNKNOWN)

    arms = [(frozenset([(decision, 1)]), well)]
    for number, handler in enumerate(node.handlers):
        arm = 0 if len(node.handlers) == 1 else number + 2
        arms.append((frozenset([(decision, arm)]), handled(handler)))
    return run_arms(machine, arms)


def _handle(machine: Machine, node: ast.Try, scope: Scope, error: Raised) -> Status:
    """An exception that is raised for certain goes to the first handler that may hold it."""
    if error.leaves:
        raise error
    for handler in node.handlers:
        names = _names(handler)
        if names & _BROAD or error.name in names or _may_hold(error.name, names):
            return _run_handler(machine, handler, scope, error.value)
    raise error


def _run_handler(machine: Machine, handler: ast.ExceptHandler, scope: Scope, value: Value) -> Status:
    if handler.name:
        bind(machine, scope, handler.name, UNKNOWN if value is ABSENT else value)
    return machine.execute(handler.body, scope)


def _names(handler: ast.ExceptHandler) -> set[str]:
    if handler.type is None:
        return {""}
    parts = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {
        one.id if isinstance(one, ast.Name) else one.attr if isinstance(one, ast.Attribute) else "" for one in parts
    }


def _may_hold(name: str, names: set[str]) -> bool:
    """By Python's own tree of exceptions; the program's own may stand anywhere in it."""
    import builtins

    raised = getattr(builtins, name, None)
    if not isinstance(raised, type):
        return True
    for one in names:
        known = getattr(builtins, one, None)
        if isinstance(known, type) and issubclass(raised, known):
            return True
    return False
