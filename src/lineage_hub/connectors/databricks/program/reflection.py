"""Questions of a program about its own values enter: attributes by name, types, instances; the answers leave."""

from __future__ import annotations

from collections.abc import Callable

from lineage_hub.connectors.databricks.program.attributes import attribute, find_member, lineage_of
from lineage_hub.connectors.databricks.program.calls import call
from lineage_hub.connectors.databricks.program.iteration import members
from lineage_hub.connectors.databricks.program.joins import unknown_of
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.targets import forget_content, set_attribute
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    CONSTANTS,
    PURE,
    REST,
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
    Unknown,
    Value,
    is_constant,
)


class TypeName(Native):
    """str, int, dict, … : called they make one, and isinstance asks for them."""

    __slots__ = ("action", "name")

    def __init__(self, name: str, action: Callable[[Machine, Arguments], Value]) -> None:
        self.name = name
        self.action = action

    def call(self, machine: Machine, arguments: Arguments) -> Value:
        return self.action(machine, arguments)

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name == "__name__":
            return self.name
        if self.name == "dict" and name == "fromkeys":
            return Method(_from_keys)
        if self.name in ("str", "list", "dict", "set", "tuple"):
            return Method(
                lambda inner, given: call(
                    inner,
                    attribute(inner, inner.see(given.get(0, "", UNKNOWN)), name, line),
                    Arguments(given.positional[1:], given.keywords),
                )
            )
        return PURE


def _first(machine: Machine, arguments: Arguments) -> Value:
    return machine.see(arguments.get(0, "", UNKNOWN))


def _from_keys(machine: Machine, arguments: Arguments) -> Value:
    items = members(machine, _first(machine, arguments))
    value = arguments.get(1, "value", None)
    if items is None or not all(is_constant(one) for one in items):
        return DictValue({REST: unknown_of(value)})
    return DictValue(dict.fromkeys(items, value))


def get_attribute(machine: Machine, arguments: Arguments) -> Value:
    holder, name = _first(machine, arguments), machine.see(arguments.get(1, "", UNKNOWN))
    if not isinstance(name, str):
        return unknown_of(holder)
    default = arguments.get(2, "", ABSENT)
    missing = isinstance(holder, Instance) and (
        machine.see(holder.cells.get(name, ABSENT)) is ABSENT and find_member(machine, holder.of, name) is None
    )
    if default is not ABSENT and missing:
        return default
    return attribute(machine, holder, name, arguments.line)


def set_attribute_of(machine: Machine, arguments: Arguments) -> Value:
    holder, name = _first(machine, arguments), machine.see(arguments.get(1, "", UNKNOWN))
    if isinstance(name, str):
        set_attribute(machine, holder, name, arguments.get(2, "", UNKNOWN))
    else:
        forget_content(machine, holder)
    return None


def has_attribute(machine: Machine, arguments: Arguments) -> Value:
    holder, name = _first(machine, arguments), arguments.get(1, "", UNKNOWN)
    if isinstance(holder, Instance) and isinstance(name, str):
        own = machine.see(holder.cells.get(name, ABSENT)) is not ABSENT
        return True if own or find_member(machine, holder.of, name) is not None else UNKNOWN
    return UNKNOWN


def delete_attribute(machine: Machine, arguments: Arguments) -> Value:
    holder, name = _first(machine, arguments), machine.see(arguments.get(1, "", UNKNOWN))
    if isinstance(holder, Instance) and isinstance(name, str):
        machine.state.put(holder, name, ABSENT)
    else:
        forget_content(machine, holder)
    return None


_CLASSES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "float": (float,),
    "bool": (bool,),
    "bytes": (bytes,),
    "list": (ListValue,),
    "dict": (DictValue,),
    "tuple": (tuple,),
    "set": (SetValue,),
}


def is_instance(machine: Machine, arguments: Arguments) -> Value:
    wanted = machine.see(arguments.get(1, "", UNKNOWN))

    def once(value: Value) -> Value:
        answers = [_is_one(value, one) for one in (wanted if isinstance(wanted, tuple) else (wanted,))]
        return True if True in answers else UNKNOWN if None in answers else False

    return machine.lift(once, _first(machine, arguments))


def _is_one(value: Value, wanted: Value) -> bool | None:
    if isinstance(value, Unknown) or isinstance(wanted, Unknown):
        return None
    if isinstance(wanted, TypeName) and wanted.name in _CLASSES:
        if isinstance(value, SetValue) and wanted.name == "list":
            return False
        known = isinstance(value, (*CONSTANTS, tuple, ListValue, DictValue, FunctionValue))
        return isinstance(value, _CLASSES[wanted.name]) if known else None
    if isinstance(wanted, ClassValue):
        if isinstance(value, Instance):
            return (
                True
                if wanted in lineage_of(value.of)
                else None
                if any(isinstance(b, Unknown) for b in value.of.bases)
                else False
            )
        return False if is_constant(value) or isinstance(value, ListValue | DictValue) else None
    return None
