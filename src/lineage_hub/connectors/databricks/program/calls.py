"""A value and arguments enter; what the call returns leaves. What is unknown may change what it is given."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial

from lineage_hub.connectors.databricks.program.attributes import find_member, has_unknown_base
from lineage_hub.connectors.databricks.program.branches import each
from lineage_hub.connectors.databricks.program.classes import instantiate
from lineage_hub.connectors.databricks.program.functions import call_function
from lineage_hub.connectors.databricks.program.joins import unknown_of
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.targets import forget_content
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    UNKNOWN,
    Alternatives,
    Arguments,
    BoundMethod,
    ClassValue,
    FunctionValue,
    Instance,
    Native,
    Unknown,
    Value,
    is_constant,
)


def call(machine: Machine, callee: Value, arguments: Arguments) -> Value:
    machine.budget.step()
    if isinstance(callee, Native):
        return callee.call(machine, arguments)
    if isinstance(callee, FunctionValue):
        return call_function(machine, callee, arguments)
    if isinstance(callee, BoundMethod):
        given = Arguments(
            [callee.self_value, *arguments.positional], arguments.keywords, arguments.line, arguments.open
        )
        return call(machine, callee.function, given)
    if isinstance(callee, ClassValue):
        return instantiate(machine, callee, arguments)
    if isinstance(callee, Alternatives):
        seen = machine.see(callee)
        if not isinstance(seen, Alternatives):
            return call(machine, seen, arguments)
        return each(machine, [(guard, partial(call, machine, one, arguments)) for guard, one in seen.options])
    if isinstance(callee, Instance):
        result = call_method(machine, callee, "__call__", arguments.positional, arguments)
        if result is not ABSENT:
            return result
    return call_unknown(machine, callee, arguments)


def call_unknown(machine: Machine, callee: Value, arguments: Arguments) -> Value:
    """Nobody knows what it does: it may fail, and may change what it is given."""
    machine.doubt += 1
    pure = isinstance(callee, Unknown) and callee.pure
    for one in arguments.every():
        if not pure:
            forget_content(machine, one)
    result = unknown_of(callee, *arguments.every())
    return Unknown(result.inputs, key=_asked(machine, callee, arguments), pure=pure)


def _asked(machine: Machine, callee: Value, arguments: Arguments) -> Hashable | None:
    """get("name") of the environment, of secrets and their like gives the same each time."""
    key = callee.key if isinstance(callee, Unknown) else None
    given = tuple(machine.see(one) for one in arguments.positional)
    asks = isinstance(key, tuple) and key[-1] in ("get", "getenv") and is_constant(given)
    return ("()", key, given) if asks and not arguments.keywords else None


def call_method(
    machine: Machine, value: Instance, name: str, positional: list[Value], arguments: Arguments | None = None
) -> Value:
    """ABSENT if its class has no such method."""
    found = find_member(machine, value.of, name)
    if found is None:
        return UNKNOWN if has_unknown_base(value.of) and not name.startswith("__") else ABSENT
    given = Arguments([value, *positional])
    if arguments is not None:
        given = Arguments(given.positional, arguments.keywords, arguments.line, arguments.open)
    return call(machine, found, given)
