"""Methods of lists, dictionaries, sets and tuples enter with arguments; what they return leaves, and they change."""

from __future__ import annotations

import ast

from lineage_hub.connectors.databricks.program.budget import ALTERNATIVES, ITEMS
from lineage_hub.connectors.databricks.program.iteration import members
from lineage_hub.connectors.databricks.program.joins import join, unknown_of
from lineage_hub.connectors.databricks.program.machine import Machine, Raised
from lineage_hub.connectors.databricks.program.targets import as_key, forget_content
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    REST,
    UNKNOWN,
    Alternatives,
    Arguments,
    DictValue,
    ListValue,
    Native,
    SetValue,
    Unknown,
    Value,
    is_constant,
    same,
)


class ContainerMethod(Native):
    """A method with its collection."""

    __slots__ = ("holder", "name")

    def __init__(self, holder: Value, name: str) -> None:
        self.holder = holder
        self.name = name

    def call(self, machine: Machine, arguments: Arguments) -> Value:
        holder = self.holder
        if isinstance(holder, DictValue):
            return _of_dict(machine, holder, self.name, arguments)
        if isinstance(holder, SetValue):
            return _of_set(machine, holder, self.name, arguments)
        if isinstance(holder, ListValue):
            return _of_list(machine, holder, self.name, arguments)
        return _count(machine, holder, self.name, arguments)


def _count(machine: Machine, holder: Value, name: str, arguments: Arguments) -> Value:
    items = members(machine, holder)
    wanted = arguments.get(0, "", UNKNOWN)
    if items is None or not is_constant(items) or not is_constant(wanted):
        return UNKNOWN
    if name == "count":
        return items.count(wanted)
    if name == "index":
        return items.index(wanted) if wanted in items else UNKNOWN
    return UNKNOWN


def _of_list(machine: Machine, holder: ListValue, name: str, arguments: Arguments) -> Value:
    items = members(machine, holder)
    one = machine.see(arguments.get(0, "", UNKNOWN))
    if name == "copy":
        return ListValue(holder.cells["items"])
    if name in ("count", "index"):
        return _count(machine, holder, name, arguments)
    if items is None:
        forget_content(machine, holder, unknown_of(*arguments.every()))
        return unknown_of(holder)
    changed: tuple[Value, ...] | None = None
    result: Value = None
    if name == "append":
        changed = (*items, one)
    elif name == "extend":
        more = members(machine, one)
        changed = None if more is None else items + more
    elif name == "insert" and isinstance(one, int) and len(arguments.positional) > 1:
        listed = list(items)
        listed.insert(one, arguments.positional[1])
        changed = tuple(listed)
    elif name == "pop" and items:
        at = -1 if not arguments.positional else one
        if isinstance(at, int) and -len(items) <= at < len(items):
            listed = list(items)
            result = listed.pop(at)
            changed = tuple(listed)
    elif name == "clear":
        changed = ()
    elif name == "reverse":
        changed = items[::-1]
    elif name == "sort":
        changed = sort_values(machine, items, arguments)
    elif name == "remove" and is_constant(one) and all(is_constant(x) for x in items) and one in items:
        listed = list(items)
        listed.remove(one)
        changed = tuple(listed)
    if changed is None or len(changed) > ITEMS:
        forget_content(machine, holder, unknown_of(*arguments.every()))
        return unknown_of(holder)
    machine.state.put(holder, "items", changed)
    return result


def sort_values(machine: Machine, items: tuple[Value, ...], arguments: Arguments) -> tuple[Value, ...] | None:
    """In order, if every key is known."""
    from lineage_hub.connectors.databricks.program.calls import call

    key = arguments.keywords.get("key")
    keys = [one if key is None else machine.see(call(machine, key, Arguments([one]))) for one in items]
    reverse = arguments.keywords.get("reverse", False)
    if not all(is_constant(one) for one in keys) or not isinstance(reverse, bool):
        return None
    try:
        order = sorted(range(len(items)), key=lambda index: keys[index], reverse=reverse)  # type: ignore[arg-type, return-value]
    except TypeError:
        return None
    return tuple(items[index] for index in order)


def extend_in_place(machine: Machine, holder: Value, op: ast.operator, value: Value) -> bool:
    """`a += b` where a is a list, `a |= b` where it is a dictionary or set: the object itself changes."""
    if isinstance(op, ast.Add) and isinstance(holder, ListValue) and not isinstance(holder, SetValue):
        _of_list(machine, holder, "extend", Arguments([value]))
        return True
    if isinstance(op, ast.BitOr) and isinstance(holder, DictValue):
        _update(machine, holder, Arguments([value]))
        return True
    if isinstance(op, ast.BitOr) and isinstance(holder, SetValue):
        _of_set(machine, holder, "update", Arguments([value]))
        return True
    return False


def dict_get(machine: Machine, holder: DictValue, key: Value) -> Value:
    """A member, ABSENT if it is surely not there, unknown if nobody can say."""
    if isinstance(key, Alternatives):
        return machine.lift(lambda one: dict_get(machine, holder, one), key)
    hashable = as_key(key)
    if hashable is None:
        return _any_member(machine, holder, key, ABSENT)
    found = holder.cells.get(hashable[0], ABSENT)
    if found is ABSENT:
        return unknown_of(holder.cells[REST]) if REST in holder.cells else ABSENT
    return machine.see(found)


def _any_member(machine: Machine, holder: DictValue, key: Value, default: Value) -> Value:
    """Under a key that nobody knows: one of the members, the same for whoever asks with that key again."""
    machine.doubt += 1
    members_known = REST not in holder.cells and not any(isinstance(one, Alternatives) for one in holder.cells.values())
    if not members_known or not holder.cells or len(holder.cells) + (default is not ABSENT) > ALTERNATIVES:
        return unknown_of(holder, default)
    asked = key.key if isinstance(key, Unknown) else None
    decision = machine.decision() if asked is None else ("key", asked)
    ways = [(frozenset([(decision, machine.arm(decision, one))]), value) for one, value in holder.cells.items()]
    if default is not ABSENT:
        ways.append((frozenset([(decision, 2)]), default))
    return machine.see(join(ways))


def _get(machine: Machine, holder: DictValue, arguments: Arguments, default: Value) -> Value:
    key = machine.see(arguments.get(0, "", UNKNOWN))
    hashable = as_key(key)
    if isinstance(key, Alternatives):
        return machine.lift(lambda one: _get(machine, holder, Arguments([one]), default), key)
    if hashable is None:
        return _any_member(machine, holder, key, default)
    found = holder.cells.get(hashable[0], ABSENT)
    if isinstance(found, Alternatives):
        return machine.see(Alternatives(tuple((g, default if v is ABSENT else v) for g, v in found.options)))
    if found is ABSENT:
        return unknown_of(holder.cells[REST], default) if REST in holder.cells else default
    return found


def _of_dict(machine: Machine, holder: DictValue, name: str, arguments: Arguments) -> Value:
    if name == "get":
        return _get(machine, holder, arguments, arguments.get(1, "default", None))
    if name in ("items", "keys", "values"):
        return _views(machine, holder, name)
    if name == "copy":
        return DictValue(dict(holder.cells))
    if name == "update":
        _update(machine, holder, arguments)
        return None
    if name == "setdefault":
        default = arguments.get(1, "default", None)
        found = _get(machine, holder, arguments, default)
        hashable = as_key(machine.see(arguments.get(0, "", UNKNOWN)))
        if hashable is None:
            forget_content(machine, holder, default)
        else:
            machine.state.put(holder, hashable[0], found)
        return found
    if name == "pop":
        return _pop(machine, holder, arguments)
    if name == "clear":
        for key in list(holder.cells):
            machine.state.put(holder, key, ABSENT)
        return None
    forget_content(machine, holder, unknown_of(*arguments.every()))
    return unknown_of(holder)


def _pop(machine: Machine, holder: DictValue, arguments: Arguments) -> Value:
    found = _get(machine, holder, arguments, arguments.get(1, "default", ABSENT))
    hashable = as_key(machine.see(arguments.get(0, "", UNKNOWN)))
    if hashable is None:
        forget_content(machine, holder)
        return unknown_of(holder)
    machine.state.put(holder, hashable[0], ABSENT)
    if found is ABSENT:
        machine.doubt += 1
        if machine.trying:
            raise Raised("KeyError")
        return UNKNOWN
    return found


def _views(machine: Machine, holder: DictValue, name: str) -> Value:
    if members(machine, holder) is None:
        return unknown_of(holder)
    pairs = [(key, machine.see(value)) for key, value in holder.cells.items()]
    if name == "keys":
        return ListValue(tuple(key for key, _ in pairs))
    return ListValue(tuple(value for _, value in pairs) if name == "values" else tuple(pairs))


def fill(machine: Machine, holder: DictValue, value: Value) -> None:
    """holder.update(value)"""
    value = machine.see(value)
    if isinstance(value, DictValue):
        if REST in value.cells:
            forget_content(machine, holder, unknown_of(value))
        for key, one in list(value.cells.items()):
            if isinstance(one, Alternatives) and key in holder.cells:
                before = holder.cells[key]
                one = Alternatives(tuple((g, before if v is ABSENT else v) for g, v in one.options))
            machine.state.put(holder, key, one)
        return
    pairs = members(machine, value)
    for pair in pairs if pairs is not None else (UNKNOWN,):
        two = members(machine, pair)
        hashable = as_key(two[0]) if two is not None and len(two) == 2 else None
        if hashable is None or two is None:
            forget_content(machine, holder, unknown_of(value))
            return
        machine.state.put(holder, hashable[0], two[1])


def _update(machine: Machine, holder: DictValue, arguments: Arguments) -> None:
    for one in arguments.positional:
        fill(machine, holder, one)
    for name, value in arguments.keywords.items():
        machine.state.put(holder, name, value)
    if arguments.open:
        forget_content(machine, holder)


_SET_MADE: dict[str, type[ast.operator]] = {
    "union": ast.BitOr,
    "intersection": ast.BitAnd,
    "difference": ast.Sub,
    "symmetric_difference": ast.BitXor,
}


def _of_set(machine: Machine, holder: SetValue, name: str, arguments: Arguments) -> Value:
    from lineage_hub.connectors.databricks.program.operators import binary

    if name == "copy":
        return SetValue(holder.cells["items"])
    if name in _SET_MADE:
        result: Value = holder
        for one in arguments.positional:
            result = binary(machine, _SET_MADE[name](), result, make_set(machine, one))
        return result
    items = members(machine, holder)
    given = arguments.get(0, "", UNKNOWN)
    if items is not None and name == "add" and is_constant(given) and all(is_constant(one) for one in items):
        if not any(same(one, given) for one in items):
            machine.state.put(holder, "items", (*items, given))
        return None
    if items is not None and name in ("discard", "remove") and is_constant(given):
        machine.state.put(holder, "items", tuple(one for one in items if not same(one, given)))
        return None
    if items is not None and name == "update":
        whole = binary(machine, ast.BitOr(), holder, make_set(machine, given))
        if isinstance(whole, SetValue):
            machine.state.put(holder, "items", whole.cells["items"])
            return None
    forget_content(machine, holder, unknown_of(*arguments.every()))
    return UNKNOWN


def make_set(machine: Machine, value: Value) -> SetValue:
    items = members(machine, value)
    if items is None or not all(is_constant(one) for one in items):
        if items is not None and all(as_key(one) is not None for one in items):
            return SetValue(tuple(dict.fromkeys(items)))
        return SetValue(unknown_of(value))
    return SetValue(tuple(dict.fromkeys(items)))
