"""A value enters; its members in order leave, or nothing where they can't be known."""

from __future__ import annotations

from lineage_hub.connectors.databricks.program.budget import ITEMS
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.values import (
    REST,
    Alternatives,
    Arguments,
    ClassValue,
    DictValue,
    Instance,
    ListValue,
    Native,
    SetValue,
    UnorderedList,
    Value,
)


class RangeValue(Native):
    """range(…), which is never laid out longer than it is read."""

    __slots__ = ("range",)

    def __init__(self, numbers: range) -> None:
        self.range = numbers

    def truth(self) -> bool | None:
        return bool(self.range)


def members(machine: Machine, value: Value) -> tuple[Value, ...] | None:
    """None: unknown, or too many."""
    value = machine.see(value)
    if isinstance(value, tuple):
        return value
    if isinstance(value, str):
        return tuple(value) if len(value) <= ITEMS else None
    if isinstance(value, bytes):
        return tuple(value) if len(value) <= ITEMS else None
    if isinstance(value, RangeValue):
        return tuple(value.range) if len(value.range) <= ITEMS else None
    if isinstance(value, ListValue):
        items = machine.see(value.cells["items"])
        return items if isinstance(items, tuple) else None
    if isinstance(value, DictValue):
        if REST in value.cells or any(isinstance(one, Alternatives) and _maybe(one) for one in value.cells.values()):
            return None
        return tuple(value.cells)
    if isinstance(value, ClassValue) and value.kind == "enum":
        from lineage_hub.connectors.databricks.program.classes import enum_members

        return tuple(enum_members(value))
    if isinstance(value, Instance):
        return _instance_members(machine, value)
    return None


def is_unordered(machine: Machine, value: Value) -> bool:
    """Are there several members in an order that nobody knows?"""
    if not isinstance(value, SetValue | UnorderedList):
        return False
    items = machine.see(value.cells["items"])
    return not isinstance(items, tuple) or len(items) > 1


def in_order_of(machine: Machine, value: Value, items: tuple[Value, ...]) -> ListValue:
    """A list of these, whose order is as well known as that of what they come from."""
    return UnorderedList(items) if is_unordered(machine, value) else ListValue(items)


def _maybe(value: Alternatives) -> bool:
    from lineage_hub.connectors.databricks.program.values import ABSENT

    return any(one is ABSENT for _, one in value.options)


def _instance_members(machine: Machine, value: Instance) -> tuple[Value, ...] | None:
    from lineage_hub.connectors.databricks.program.attributes import find_member
    from lineage_hub.connectors.databricks.program.calls import call

    if value.of.kind == "namedtuple":
        return tuple(value.cells.get(name) for name, _ in value.of.fields)
    method = find_member(machine, value.of, "__iter__")
    if method is None:
        return None
    result = call(machine, method, Arguments([value]))
    return None if isinstance(result, Instance) else members(machine, result)
