"""functools.singledispatch enters; the function that is registered for the type of what it is called with runs."""

from __future__ import annotations

import ast

from lineage_hub.connectors.databricks.program.calls import call
from lineage_hub.connectors.databricks.program.joins import unknown_of
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.values import (
    UNKNOWN,
    Arguments,
    ClassValue,
    DictValue,
    FunctionValue,
    Instance,
    ListValue,
    Method,
    Native,
    SetValue,
    Value,
)

_CONTAINERS = ((DictValue, "dict"), (SetValue, "set"), (ListValue, "list"))
_ABSTRACT = {"Mapping", "Sequence", "Iterable", "Number", "object", "Any", "Union", "Optional"}


class Dispatched(Native):
    """A function of several types; `known` is by the names of these."""

    __slots__ = ("known", "otherwise", "sure")

    def __init__(self, otherwise: Value) -> None:
        self.otherwise = otherwise
        self.known: dict[str, Value] = {}
        self.sure = True

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        return Method(self._register) if name == "register" else UNKNOWN

    def _register(self, machine: Machine, arguments: Arguments) -> Value:
        first = machine.see(arguments.get(0, "cls", UNKNOWN))
        if isinstance(first, FunctionValue):
            self._add(_annotated(first), first)
            return first
        if len(arguments.positional) > 1:
            self._add(_type_name(first), arguments.positional[1])
            return arguments.positional[1]
        return Method(lambda inner, given: self._registered(_type_name(first), inner.see(given.get(0, "", UNKNOWN))))

    def _registered(self, name: str | None, function: Value) -> Value:
        self._add(name, function)
        return function

    def _add(self, name: str | None, function: Value) -> None:
        """A type that stands for others leaves open which of two is nearer."""
        if name is None or name in _ABSTRACT:
            self.sure = False
        else:
            self.known[name] = function

    def call(self, machine: Machine, arguments: Arguments) -> Value:
        names = _types_of(machine.see(arguments.get(0, "", UNKNOWN)))
        if names is None or not self.sure:
            return unknown_of(*arguments.every())
        found = next((self.known[one] for one in names if one in self.known), self.otherwise)
        return call(machine, found, arguments)


def _types_of(value: Value) -> list[str] | None:
    """Nearest first; None where the type can't be known."""
    from lineage_hub.connectors.databricks.program.attributes import has_unknown_base, lineage_of

    if isinstance(value, Instance):
        return None if has_unknown_base(value.of) else [one.name for one in lineage_of(value.of)]
    for kind, name in _CONTAINERS:
        if isinstance(value, kind):
            return [name]
    if isinstance(value, bool):
        return ["bool", "int"]
    if isinstance(value, str | int | float | bytes | tuple):
        return [type(value).__name__]
    return None


def _annotated(function: FunctionValue) -> str | None:
    parameters = [*function.node.args.posonlyargs, *function.node.args.args]
    annotation = parameters[0].annotation if parameters else None
    return annotation.id if isinstance(annotation, ast.Name) else None


def _type_name(value: Value) -> str | None:
    from lineage_hub.connectors.databricks.program.builtin_functions import BUILTINS

    if isinstance(value, ClassValue):
        return value.name
    return next((name for name, one in BUILTINS.items() if one is value and one is not UNKNOWN), None)
