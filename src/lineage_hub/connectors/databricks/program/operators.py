"""Operators and their operands enter, one possibility at a time; the result leaves, or unknown."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

from lineage_hub.connectors.databricks.program.budget import DIGITS, ITEMS, TEXT, fits
from lineage_hub.connectors.databricks.program.iteration import RangeValue, is_unordered, members
from lineage_hub.connectors.databricks.program.joins import unknown_of
from lineage_hub.connectors.databricks.program.machine import Machine, Raised
from lineage_hub.connectors.databricks.program.patterns import MatchValue
from lineage_hub.connectors.databricks.program.strings import partial_text, percent
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    CONSTANTS,
    REST,
    UNKNOWN,
    Alternatives,
    Arguments,
    ClassValue,
    DefaultDict,
    DictValue,
    FunctionValue,
    Instance,
    ListValue,
    ModuleValue,
    Native,
    SetValue,
    Unknown,
    Value,
    is_constant,
    same,
)

_ARITHMETIC: dict[type, Callable[..., object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.RShift: operator.rshift,
}
_ORDER: dict[type, Callable[..., object]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_SPECIAL = {
    ast.Add: "__add__",
    ast.Sub: "__sub__",
    ast.Mult: "__mul__",
    ast.Div: "__truediv__",
    ast.Mod: "__mod__",
    ast.BitOr: "__or__",
    ast.BitAnd: "__and__",
    ast.BitXor: "__xor__",
    ast.LShift: "__lshift__",
    ast.RShift: "__rshift__",
    ast.FloorDiv: "__floordiv__",
    ast.Pow: "__pow__",
    ast.MatMult: "__matmul__",
}


def binary(machine: Machine, op: ast.operator, one: Value, other: Value) -> Value:
    if isinstance(one, Unknown) or isinstance(other, Unknown):
        if isinstance(op, ast.Add) and (isinstance(one, str) or isinstance(other, str)):
            return partial_text((one, other))
        if isinstance(op, ast.Mod) and isinstance(one, str):
            return percent(machine, one, other)
        return unknown_of(one, other)
    if isinstance(one, Native):
        from lineage_hub.connectors.databricks.program.columns import combine_columns
        from lineage_hub.connectors.databricks.program.dates import Moment, combine_moments
        from lineage_hub.connectors.databricks.program.paths import PathValue

        if isinstance(one, PathValue) and isinstance(op, ast.Div):
            return one.below(other)
        if isinstance(one, Moment):
            return combine_moments(op, one, other)
        return combine_columns(one, other)
    if isinstance(one, Instance):
        from lineage_hub.connectors.databricks.program.calls import call_method

        result = call_method(machine, one, _SPECIAL.get(type(op), "__none__"), [other])
        return UNKNOWN if result is ABSENT else result
    if isinstance(other, Native):
        return _compare_columns(one, other)
    if isinstance(one, str) and isinstance(op, ast.Mod):
        return percent(machine, one, other)
    if isinstance(one, CONSTANTS) and isinstance(other, CONSTANTS):
        return _constants(op, one, other)
    return _collections(machine, op, one, other)


def _constants(op: ast.operator, one: Value, other: Value) -> Value:
    try:
        if isinstance(op, ast.Mult) and (isinstance(one, str | bytes) or isinstance(other, str | bytes)):
            text, times = (one, other) if isinstance(one, str | bytes) else (other, one)
            if not isinstance(times, int) or not isinstance(text, str | bytes) or len(text) * max(times, 0) > TEXT:
                return UNKNOWN
            return text * times
        if isinstance(op, ast.Pow):
            if isinstance(one, int) and isinstance(other, int):
                if not 0 <= other <= 64 or one.bit_length() * other > DIGITS:
                    return UNKNOWN
                return one**other
            if isinstance(one, int | float) and isinstance(other, int | float):
                return one**other
            return UNKNOWN
        if isinstance(op, ast.LShift):
            if isinstance(one, int) and isinstance(other, int) and 0 <= other <= 256:
                return one << other
            return UNKNOWN
        function = _ARITHMETIC.get(type(op))
        result = UNKNOWN if function is None else function(one, other)
    except (TypeError, ValueError, ArithmeticError):
        return UNKNOWN
    return result if fits(result) and not isinstance(result, complex) else UNKNOWN


def _collections(machine: Machine, op: ast.operator, one: Value, other: Value) -> Value:
    if isinstance(op, ast.Add) and isinstance(one, tuple) and isinstance(other, tuple):
        return one + other if len(one) + len(other) <= ITEMS else UNKNOWN
    if isinstance(op, ast.Add) and isinstance(one, ListValue) and isinstance(other, ListValue):
        first, second = members(machine, one), members(machine, other)
        if first is None or second is None or len(first) + len(second) > ITEMS:
            return ListValue(unknown_of(one, other))
        return ListValue(first + second)
    if isinstance(op, ast.Mult):
        sequence, times = (one, other) if isinstance(other, int) else (other, one)
        items = members(machine, sequence) if isinstance(sequence, ListValue | tuple) else None
        if items is not None and isinstance(times, int):
            if len(items) * max(times, 0) > ITEMS:
                return ListValue(unknown_of(sequence)) if isinstance(sequence, ListValue) else UNKNOWN
            return ListValue(items * times) if isinstance(sequence, ListValue) else items * times
    if isinstance(one, DictValue) and isinstance(other, DictValue) and isinstance(op, ast.BitOr):
        return merged_dicts(one, other)
    if isinstance(one, SetValue) and isinstance(other, SetValue):
        return _sets(machine, op, one, other)
    return unknown_of(one, other)


def merged_dicts(one: DictValue, other: DictValue) -> DictValue:
    """The second counts; a member of it that may be missing leaves two ways, and unknown ones hide the first's."""
    if REST in other.cells:
        return DictValue({**dict.fromkeys(one.cells, UNKNOWN), **other.cells})
    merged = dict(one.cells)
    for key, value in other.cells.items():
        if isinstance(value, Alternatives) and key in merged:
            before = merged[key]
            merged[key] = Alternatives(tuple((g, before if v is ABSENT else v) for g, v in value.options))
        else:
            merged[key] = value
    return DictValue(merged)


def _sets(machine: Machine, op: ast.operator, one: SetValue, other: SetValue) -> Value:
    first, second = members(machine, one), members(machine, other)
    if first is None or second is None or not all(is_constant(x) for x in first + second):
        return SetValue(unknown_of(one, other))
    left, right = dict.fromkeys(first), dict.fromkeys(second)
    if isinstance(op, ast.BitOr):
        return SetValue(tuple({**left, **right}))
    if isinstance(op, ast.BitAnd):
        return SetValue(tuple(x for x in left if x in right))
    if isinstance(op, ast.Sub):
        return SetValue(tuple(x for x in left if x not in right))
    if isinstance(op, ast.BitXor):
        return SetValue((*(x for x in left if x not in right), *(x for x in right if x not in left)))
    return UNKNOWN


def unary(op: ast.unaryop, value: Value) -> Value:
    from lineage_hub.connectors.databricks.program.branches import truth

    if isinstance(op, ast.Not):
        known = truth(value)
        if known is not None:
            return not known
        key = value.key if isinstance(value, Unknown) else None
        return UNKNOWN if key is None else Unknown(key=("not", key))
    if isinstance(value, int | float):
        if isinstance(op, ast.USub):
            return -value
        if isinstance(op, ast.UAdd):
            return +value
        if isinstance(op, ast.Invert) and isinstance(value, int):
            return ~int(value)
    return value if isinstance(value, Native) else UNKNOWN


def compare(machine: Machine, op: ast.cmpop, one: Value, other: Value) -> Value:
    """True, False, or unknown under a key: who asks the same again gets the same answer."""
    if isinstance(op, ast.NotEq | ast.NotIn | ast.IsNot):
        positive = {ast.NotEq: ast.Eq, ast.NotIn: ast.In, ast.IsNot: ast.Is}[type(op)]()
        answer = compare(machine, positive, one, other)
        return unary(ast.Not(), answer)
    if isinstance(op, ast.Is):
        return _identical(one, other)
    if isinstance(op, ast.In):
        return _contains(machine, other, one)
    if isinstance(op, ast.Eq):
        return _equal(machine, one, other)
    if isinstance(one, Native) or isinstance(other, Native):
        return _compare_columns(one, other)
    if is_constant(one) and is_constant(other):
        try:
            return bool(_ORDER[type(op)](one, other))
        except (TypeError, KeyError):
            return UNKNOWN
    if isinstance(one, Unknown) and one.key is not None and is_constant(other):
        return Unknown(key=(type(op).__name__, one.key, other))
    return UNKNOWN


def _compare_columns(one: Value, other: Value) -> Value:
    """A comparison of columns is a column; of frames and other things nobody can say what it is."""
    from lineage_hub.connectors.databricks.program.columns import combine_columns

    if isinstance(one, Native):
        return combine_columns(one, other)
    return combine_columns(other, one) if isinstance(other, Native) else UNKNOWN


def _identical(one: Value, other: Value) -> Value:
    if isinstance(one, Unknown) or isinstance(other, Unknown):
        asked, constant = (one, other) if isinstance(one, Unknown) else (other, one)
        if isinstance(asked, Unknown) and asked.key is not None and is_constant(constant):
            return Unknown(key=("is", asked.key, constant))
        return UNKNOWN
    if one is None or other is None or isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return True if one is other else (UNKNOWN if is_constant(one) else False)


def _equal(machine: Machine, one: Value, other: Value) -> Value:
    if is_constant(one) and is_constant(other):
        return one == other
    if isinstance(one, Unknown) or isinstance(other, Unknown):
        asked, constant = (one, other) if isinstance(one, Unknown) else (other, one)
        if isinstance(asked, Unknown) and asked.key is not None and is_constant(constant):
            return Unknown(key=("==", asked.key, constant))
        return UNKNOWN
    if one is other:
        return True
    if (isinstance(one, Native) or isinstance(other, Native)) and not isinstance(one, RangeValue):
        return _compare_columns(one, other)
    if isinstance(one, Instance) or isinstance(other, Instance):
        return _equal_instances(one, other)
    if isinstance(one, ListValue) and isinstance(other, ListValue):
        first, second = members(machine, one), members(machine, other)
        if first is not None and second is not None and is_constant(first) and is_constant(second):
            return set(first) == set(second) if isinstance(one, SetValue) else first == second
        return UNKNOWN
    if isinstance(one, DictValue) and isinstance(other, DictValue):
        if all(is_constant(x) for x in (*one.cells.values(), *other.cells.values())) and REST not in one.cells:
            return one.cells == other.cells
        return UNKNOWN
    if isinstance(one, ClassValue | FunctionValue | ModuleValue) or is_constant(one) != is_constant(other):
        return False
    return UNKNOWN


def _equal_instances(one: Value, other: Value) -> Value:
    first, second = (one, other) if isinstance(one, Instance) else (other, one)
    if isinstance(first, Instance) and first.of.kind == "enum":
        mixed = any(isinstance(base, Native) or base in ("str", "int") for base in first.of.bases)
        value = first.cells.get("value")
        if isinstance(second, Instance):
            return False
        return same(value, second) if mixed or not is_constant(second) else (False if value != second else UNKNOWN)
    return UNKNOWN


def _contains(machine: Machine, holder: Value, item: Value) -> Value:
    if isinstance(holder, str):
        return item in holder if isinstance(item, str) else _keyed("in", item, holder)
    if isinstance(holder, DictValue):
        if not is_constant(item):
            return _keyed("in", item, None)
        if item not in holder.cells:
            return UNKNOWN if REST in holder.cells else False
        value = machine.see(holder.cells[item])
        if value is ABSENT:
            return False
        if isinstance(value, Alternatives) and any(x is ABSENT for _, x in value.options):
            return UNKNOWN
        raw = holder.cells[item]
        return UNKNOWN if isinstance(raw, Alternatives) and any(x is ABSENT for _, x in raw.options) else True
    if isinstance(holder, RangeValue):
        return item in holder.range if isinstance(item, int) else UNKNOWN
    items = members(machine, holder)
    if items is None:
        return _keyed("in", item, None)
    answers = [machine.lift(lambda a, b: _equal(machine, a, b), item, one) for one in items]
    if any(one is True for one in answers):
        return True
    if all(one is False for one in answers):
        return False
    return _keyed("in", item, items if is_constant(items) else None)


def _keyed(name: str, item: Value, holder: Value) -> Value:
    if isinstance(item, Unknown) and item.key is not None and holder is not None:
        return Unknown(key=(name, item.key, holder))
    return UNKNOWN


def subscript(machine: Machine, holder: Value, key: Value, line: int) -> Value:
    """holder[key]"""
    from lineage_hub.connectors.databricks.program.containers import dict_get

    if isinstance(holder, DictValue):
        found = dict_get(machine, holder, key)
        if found is ABSENT and isinstance(holder, DefaultDict) and holder.factory is not None:
            return _made_member(machine, holder, key)
        if found is ABSENT:
            machine.doubt += 1
            if machine.trying:
                raise Raised("KeyError")
            return UNKNOWN
        return found
    if isinstance(holder, MatchValue):
        return holder.group([key])
    if isinstance(holder, Native):
        from lineage_hub.connectors.databricks.program.columns import member

        return member(machine, holder, key)
    if isinstance(holder, ClassValue) and holder.kind == "enum":
        return holder.members.cells.get(key, UNKNOWN) if isinstance(key, str) else UNKNOWN
    if isinstance(holder, Instance) and holder.of.kind != "namedtuple":
        from lineage_hub.connectors.databricks.program.calls import call_method

        result = call_method(machine, holder, "__getitem__", [key])
        return unknown_of(holder) if result is ABSENT else result
    if isinstance(holder, str | bytes) and isinstance(key, int | slice):
        return _at(machine, holder, key)
    items = None if is_unordered(machine, holder) else members(machine, holder)
    if items is None or not isinstance(key, int | slice):
        machine.doubt += isinstance(holder, Unknown)
        if isinstance(holder, Unknown) and holder.key is not None and is_constant(key):
            return Unknown(holder.inputs, key=("[]", holder.key, key))
        return unknown_of(holder)
    found = _at(machine, items, key)
    return ListValue(found) if isinstance(key, slice) and isinstance(holder, ListValue) else found


def _made_member(machine: Machine, holder: DefaultDict, key: Value) -> Value:
    from lineage_hub.connectors.databricks.program.calls import call
    from lineage_hub.connectors.databricks.program.targets import set_item

    made = call(machine, holder.factory, Arguments())
    set_item(machine, holder, key, made)
    return made


def _at(machine: Machine, sequence: tuple[Value, ...] | str | bytes, key: int | slice) -> Value:
    try:
        return sequence[key]
    except (IndexError, TypeError, ValueError):
        machine.doubt += 1
        if machine.trying and isinstance(key, int):
            raise Raised("IndexError") from None
        return UNKNOWN
