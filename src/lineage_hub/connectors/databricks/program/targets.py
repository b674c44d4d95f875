"""A value and the target of an assignment enter; names, members, attributes and slices are bound."""

from __future__ import annotations

import ast
from collections.abc import Hashable

from lineage_hub.connectors.databricks.program.iteration import members
from lineage_hub.connectors.databricks.program.joins import unknown_of
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.scopes import bind
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    REST,
    Alternatives,
    Arguments,
    Cells,
    ClassValue,
    DictValue,
    FunctionValue,
    Instance,
    ListValue,
    ModuleValue,
    Scope,
    Unknown,
    Value,
    is_constant,
)


def assign(machine: Machine, target: ast.expr, value: Value, scope: Scope) -> None:
    if isinstance(target, ast.Name):
        bind(machine, scope, target.id, value)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(machine, target.elts, value, scope)
    elif isinstance(target, ast.Starred):
        assign(machine, target.value, value, scope)
    elif isinstance(target, ast.Attribute):
        holder = machine.see(machine.evaluate(target.value, scope))
        set_attribute(machine, holder, target.attr, value)
    elif isinstance(target, ast.Subscript):
        holder = machine.see(machine.evaluate(target.value, scope))
        if isinstance(target.slice, ast.Slice):
            forget_content(machine, holder, value)
            return
        set_item(machine, holder, machine.see(machine.evaluate(target.slice, scope)), value)


def _unpack(machine: Machine, targets: list[ast.expr], value: Value, scope: Scope) -> None:
    value = machine.see(value)
    if isinstance(value, Alternatives):
        _unpack_each(machine, targets, value, scope)
        return
    items = members(machine, value)
    star = next((index for index, one in enumerate(targets) if isinstance(one, ast.Starred)), None)
    if items is None or (star is None and len(items) != len(targets)) or len(items) < len(targets) - 1:
        machine.doubt += 1
        for one in targets:
            assign(machine, one, unknown_of(value), scope)
        return
    if star is None:
        for one, item in zip(targets, items, strict=True):
            assign(machine, one, item, scope)
        return
    after = len(targets) - star - 1
    for one, item in zip(targets[:star], items[:star], strict=True):
        assign(machine, one, item, scope)
    assign(machine, targets[star], ListValue(items[star : len(items) - after]), scope)
    for one, item in zip(targets[star + 1 :], items[len(items) - after :], strict=True):
        assign(machine, one, item, scope)


def _unpack_each(machine: Machine, targets: list[ast.expr], value: Alternatives, scope: Scope) -> None:
    """`a, b = ("x", 1) if c else ("y", 2)`: both names follow the one decision."""
    rows = [(guard, members(machine, one)) for guard, one in value.options]
    whole = [(guard, row) for guard, row in rows if row is not None and len(row) == len(targets)]
    plain = not any(isinstance(one, ast.Starred) for one in targets)
    for index, one in enumerate(targets):
        if plain and len(whole) == len(rows):
            assign(machine, one, Alternatives(tuple((guard, row[index]) for guard, row in whole)), scope)
        else:
            assign(machine, one, unknown_of(value), scope)


def set_attribute(machine: Machine, holder: Value, name: str, value: Value) -> None:
    from lineage_hub.connectors.databricks.program.attributes import find_member
    from lineage_hub.connectors.databricks.program.calls import call

    if isinstance(holder, Instance):
        member = find_member(machine, holder.of, name)
        if isinstance(member, FunctionValue) and member.kind == "property" and member.setter is not None:
            call(machine, member.setter, Arguments([holder, value]))
        elif find_member(machine, holder.of, "__setattr__") is not None:
            machine.state.put(holder, name, unknown_of(value))
        else:
            machine.state.put(holder, name, value)
    elif isinstance(holder, ClassValue):
        machine.state.put(holder.members, name, value)
    elif isinstance(holder, ModuleValue):
        machine.state.put(holder.scope, name, value)
    elif isinstance(holder, FunctionValue):
        machine.state.put(holder.attributes, name, value)
    elif isinstance(holder, Alternatives):
        for _, one in holder.options:
            if isinstance(one, Instance):
                machine.state.put(one, name, unknown_of(value))


def set_item(machine: Machine, holder: Value, key: Value, value: Value) -> None:
    if isinstance(holder, Alternatives):
        for _, one in holder.options:
            forget_content(machine, one, value)
    elif isinstance(holder, DictValue):
        hashable = as_key(key)
        if hashable is None:
            forget_content(machine, holder, value)
        else:
            machine.state.put(holder, hashable[0], value)
    elif isinstance(holder, ListValue):
        items = machine.see(holder.cells["items"])
        if isinstance(items, tuple) and isinstance(key, int) and -len(items) <= key < len(items):
            changed = list(items)
            changed[key] = value
            machine.state.put(holder, "items", tuple(changed))
        else:
            forget_content(machine, holder, value)
    elif isinstance(holder, Instance):
        from lineage_hub.connectors.databricks.program.calls import call_method

        call_method(machine, holder, "__setitem__", [key, value])


def as_key(key: Value) -> tuple[Hashable] | None:
    """A dictionary's key, in a tuple of its own; None if it can't be known."""
    if is_constant(key) or isinstance(key, ClassValue | Instance | FunctionValue):
        return (key,)
    return None


def forget_content(machine: Machine, holder: Value, value: Value = None, depth: int = 3) -> None:
    """Something may have changed here, nobody knows what: a collection's members, an object's attributes."""
    if isinstance(holder, ListValue):
        before = holder.cells["items"]
        machine.state.put(holder, "items", unknown_of(before, value))
        _forget_members(machine, before, depth)
    elif isinstance(holder, DictValue):
        for key, one in list(holder.cells.items()):
            if key is not REST:
                machine.state.put(holder, key, unknown_of(one, value))
                _forget_members(machine, one, depth)
        machine.state.put(holder, REST, unknown_of(value))
    elif isinstance(holder, Instance):
        if holder.of.kind == "enum":
            return
        for key, one in list(holder.cells.items()):
            if isinstance(one, Cells):
                _forget_members(machine, one, depth)
            elif not isinstance(one, Unknown):
                machine.state.put(holder, key, unknown_of(one))
    elif isinstance(holder, tuple):
        _forget_members(machine, holder, depth)
    elif isinstance(holder, Alternatives):
        for _, one in holder.options:
            _forget_members(machine, one, depth)


def _forget_members(machine: Machine, value: Value, depth: int) -> None:
    if depth == 0:
        return
    if isinstance(value, tuple):
        for one in value:
            _forget_members(machine, one, depth - 1)
    elif isinstance(value, Cells | Alternatives):
        forget_content(machine, value, None, depth - 1)


def delete(machine: Machine, target: ast.expr, scope: Scope) -> None:
    if isinstance(target, ast.Name):
        bind(machine, scope, target.id, ABSENT)
    elif isinstance(target, ast.Tuple | ast.List):
        for one in target.elts:
            delete(machine, one, scope)
    elif isinstance(target, ast.Attribute):
        holder = machine.see(machine.evaluate(target.value, scope))
        if isinstance(holder, Instance):
            machine.state.put(holder, target.attr, ABSENT)
    elif isinstance(target, ast.Subscript):
        holder = machine.see(machine.evaluate(target.value, scope))
        key = machine.see(machine.evaluate(target.slice, scope))
        hashable = as_key(key)
        if isinstance(holder, DictValue) and hashable is not None and not isinstance(target.slice, ast.Slice):
            machine.state.put(holder, hashable[0], ABSENT)
        elif isinstance(holder, ListValue) and isinstance(key, int):
            items = machine.see(holder.cells["items"])
            if isinstance(items, tuple) and -len(items) <= key < len(items):
                changed = list(items)
                del changed[key]
                machine.state.put(holder, "items", tuple(changed))
            else:
                forget_content(machine, holder)
        else:
            forget_content(machine, holder)
