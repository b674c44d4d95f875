"""Python's built-in functions enter with their arguments; what they return leaves."""

from __future__ import annotations

import builtins
from collections.abc import Callable

from lineage_hub.connectors.databricks.program.branches import decide, truth
from lineage_hub.connectors.databricks.program.budget import fits
from lineage_hub.connectors.databricks.program.calls import call, call_method
from lineage_hub.connectors.databricks.program.classes import Marker, class_of_call
from lineage_hub.connectors.databricks.program.containers import fill, make_set, sort_values
from lineage_hub.connectors.databricks.program.documents import open_file
from lineage_hub.connectors.databricks.program.iteration import RangeValue, in_order_of, is_unordered, members
from lineage_hub.connectors.databricks.program.joins import unknown_of
from lineage_hub.connectors.databricks.program.loops import run_unknown
from lineage_hub.connectors.databricks.program.machine import Machine, Raised, Status
from lineage_hub.connectors.databricks.program.operators import binary
from lineage_hub.connectors.databricks.program.reflection import (
    TypeName,
    delete_attribute,
    get_attribute,
    has_attribute,
    is_instance,
    set_attribute_of,
)
from lineage_hub.connectors.databricks.program.strings import text_of
from lineage_hub.connectors.databricks.program.targets import forget_content
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    CONSTANTS,
    PURE,
    UNKNOWN,
    Alternatives,
    Arguments,
    ClassValue,
    DictValue,
    FunctionValue,
    Instance,
    ListValue,
    Method,
    Unknown,
    UnorderedList,
    Value,
    is_constant,
)


def _first(machine: Machine, arguments: Arguments, default: Value = UNKNOWN) -> Value:
    return machine.see(arguments.get(0, "", default))


def _pure(function: Callable[..., object]) -> Method:
    """A function of constants, done by Python itself."""

    def over(machine: Machine, arguments: Arguments) -> Value:
        def once(*given: Value) -> Value:
            if arguments.open or arguments.keywords or not all(is_constant(one) and fits(one) for one in given):
                return unknown_of(*given)
            try:
                result = function(*given)
            except Exception:  # whatever the program's own call would raise
                return UNKNOWN
            return result if is_constant(result) and fits(result) else UNKNOWN

        return machine.lift(once, *(machine.see(one) for one in arguments.positional))

    return Method(over)


def _text(machine: Machine, arguments: Arguments) -> Value:
    if not arguments.positional:
        return "" if not arguments.keywords else UNKNOWN
    if len(arguments.positional) > 1:
        return UNKNOWN
    return machine.lift(lambda one: text_of(machine, one), _first(machine, arguments))


def _number(kind: type) -> Callable[[Machine, Arguments], Value]:
    def make(machine: Machine, arguments: Arguments) -> Value:
        def once(*given: Value) -> Value:
            plain = [one for one in given if isinstance(one, CONSTANTS) and fits(one) and len(str(one)) <= 1000]
            if arguments.open or arguments.keywords or len(plain) < len(given):
                machine.doubt += 1
                return unknown_of(*given)
            try:
                result: object = kind(*given)
            except Exception as error:  # whatever the program's own call would raise
                machine.doubt += 1
                if machine.trying:
                    raise Raised(type(error).__name__) from None
                return UNKNOWN
            return result if fits(result) else UNKNOWN

        return machine.lift(once, *(machine.see(one) for one in arguments.positional))

    return make


def _bool(machine: Machine, arguments: Arguments) -> Value:
    if not arguments.positional:
        return False

    def once(one: Value) -> Value:
        known = truth(one)
        if known is None:
            return one if isinstance(one, Unknown) and one.key is not None else UNKNOWN
        return known

    return machine.lift(once, _first(machine, arguments))


def _list(machine: Machine, arguments: Arguments) -> Value:
    value = _first(machine, arguments, ())
    if isinstance(value, ListValue) and isinstance(value.cells["items"], Alternatives):
        return ListValue(value.cells["items"])
    items = members(machine, value)
    return ListValue(unknown_of(value)) if items is None else in_order_of(machine, value, items)


def _tuple(machine: Machine, arguments: Arguments) -> Value:
    value = _first(machine, arguments, ())
    items = None if is_unordered(machine, value) else members(machine, value)
    return unknown_of(value) if items is None else items


def _dict(machine: Machine, arguments: Arguments) -> Value:
    made = DictValue()
    for one in arguments.positional:
        fill(machine, made, one)
    made.cells.update(arguments.keywords)
    if arguments.open:
        forget_content(machine, made)
    return made


def _length(machine: Machine, arguments: Arguments) -> Value:
    def once(value: Value) -> Value:
        if isinstance(value, str | bytes):
            return len(value)
        if isinstance(value, RangeValue):
            return len(value.range)
        if isinstance(value, Instance) and value.of.kind != "namedtuple":
            result = call_method(machine, value, "__len__", [])
            return UNKNOWN if result is ABSENT else result
        items = members(machine, value)
        return UNKNOWN if items is None else len(items)

    return machine.lift(once, _first(machine, arguments))


def _range(machine: Machine, arguments: Arguments) -> Value:
    def once(*given: Value) -> Value:
        numbers = [one for one in given if isinstance(one, int)]
        if len(numbers) < len(given) or not 1 <= len(numbers) <= 3:
            return UNKNOWN
        try:
            made = range(*numbers)
            return RangeValue(made) if len(made) >= 0 else UNKNOWN
        except (ValueError, OverflowError):
            return UNKNOWN

    return machine.lift(once, *(machine.see(one) for one in arguments.positional))


def _rows(machine: Machine, arguments: Arguments) -> list[tuple[Value, ...]] | None:
    rows = [None if is_unordered(machine, one) else members(machine, one) for one in arguments.positional]
    known = [one for one in rows if one is not None]
    return None if len(known) < len(rows) or arguments.open else known


def _zip(machine: Machine, arguments: Arguments) -> Value:
    rows = _rows(machine, arguments)
    if rows is None:
        return ListValue(unknown_of(*arguments.positional))
    return ListValue(tuple(zip(*rows, strict=False)))


def _enumerate(machine: Machine, arguments: Arguments) -> Value:
    value = _first(machine, arguments)
    items, start = members(machine, value), arguments.get(1, "start", 0)
    if items is None or is_unordered(machine, value) or not isinstance(start, int):
        return ListValue(unknown_of(value))
    return ListValue(tuple(enumerate(items, start)))


def _sorted(machine: Machine, arguments: Arguments) -> Value:
    value = _first(machine, arguments)
    items = members(machine, value)
    ordered = None if items is None else sort_values(machine, items, arguments)
    return ListValue(unknown_of(value) if ordered is None else ordered)


def _reversed(machine: Machine, arguments: Arguments) -> Value:
    value = _first(machine, arguments)
    items = members(machine, value)
    return ListValue(unknown_of(value) if items is None else items[::-1])


def _map(machine: Machine, arguments: Arguments) -> Value:
    function = _first(machine, arguments)
    single = machine.see(arguments.positional[1]) if len(arguments.positional) == 2 else None
    if is_unordered(machine, single) and members(machine, single) is not None:
        items = members(machine, single) or ()
        return UnorderedList(tuple(call(machine, function, Arguments([one], line=arguments.line)) for one in items))
    rows = _rows(machine, Arguments(arguments.positional[1:], open=arguments.open))
    if rows is None:
        given = Arguments([unknown_of(one) for one in arguments.positional[1:]], line=arguments.line)
        call_perhaps(machine, function, given)
        return ListValue(unknown_of(*arguments.positional[1:]))
    return ListValue(
        tuple(call(machine, function, Arguments(list(row), line=arguments.line)) for row in zip(*rows, strict=False))
    )


def call_perhaps(machine: Machine, function: Value, arguments: Arguments) -> Value:
    """As often as there are items that nobody knows."""

    def turn() -> Status:
        call(machine, function, arguments)
        return Status.NEXT

    run_unknown(machine, turn)
    return UNKNOWN


def _filter(machine: Machine, arguments: Arguments) -> Value:
    function, value = _first(machine, arguments), machine.see(arguments.get(1, "", UNKNOWN))
    items = members(machine, value)
    kept: list[Value] = []
    for one in items if items is not None else ():
        answer = one if function is None else call(machine, function, Arguments([one]))
        ways = decide(machine, answer)
        if len(ways) > 1:
            return ListValue(unknown_of(value))
        if ways[0][1]:
            kept.append(one)
    return ListValue(unknown_of(value)) if items is None else ListValue(tuple(kept))


def _by_key(machine: Machine, function: Callable[..., object], items: tuple[Value, ...], key: Value) -> Value:
    keys = [machine.see(call(machine, key, Arguments([one]))) for one in items]
    if not is_constant(tuple(keys)):
        return unknown_of(*items)
    try:
        return items[function(range(len(items)), key=keys.__getitem__)]  # type: ignore[call-overload]
    except TypeError:
        return UNKNOWN


def _extreme(function: Callable[..., object]) -> Method:
    def find(machine: Machine, arguments: Arguments) -> Value:
        items = (
            members(machine, _first(machine, arguments))
            if len(arguments.positional) == 1
            else tuple(arguments.positional)
        )
        key = arguments.keywords.get("key")
        if items and key is not None and not set(arguments.keywords) - {"key"}:
            return _by_key(machine, function, items, key)
        if not items or not is_constant(items) or arguments.keywords:
            return unknown_of(*arguments.positional)
        try:
            return function(items)
        except TypeError:
            return UNKNOWN

    return Method(find)


def _sum(machine: Machine, arguments: Arguments) -> Value:
    import ast

    items = members(machine, _first(machine, arguments))
    total = arguments.get(1, "start", 0)
    if items is None:
        return unknown_of(*arguments.positional)
    for one in items:
        total = machine.lift(lambda a, b: binary(machine, ast.Add(), a, b), total, one)
    return total


def _every(machine: Machine, arguments: Arguments, wanted: bool) -> Value:
    items = members(machine, _first(machine, arguments))
    answers = [truth(machine.see(one)) for one in items] if items is not None else [None]
    if (not wanted) in answers:
        return not wanted
    return wanted if None not in answers else UNKNOWN


def _type(machine: Machine, arguments: Arguments) -> Value:
    value = _first(machine, arguments)
    if len(arguments.positional) == 3:
        return class_of_call(machine, value, *map(machine.see, arguments.positional[1:]))
    if isinstance(value, Instance):
        return value.of
    return BUILTINS.get(type(value).__name__, UNKNOWN) if isinstance(value, CONSTANTS) else UNKNOWN


def _next(machine: Machine, arguments: Arguments) -> Value:
    value = _first(machine, arguments)
    items = members(machine, value) if isinstance(value, ListValue) and not is_unordered(machine, value) else None
    default = arguments.get(1, "", ABSENT)
    if items is None or not isinstance(value, ListValue):
        return unknown_of(value, default)
    if not items:
        return UNKNOWN if default is ABSENT else default
    machine.state.put(value, "items", items[1:])
    return items[0]


def _iter(machine: Machine, arguments: Arguments) -> Value:
    return _list(machine, arguments)


def _leave(machine: Machine, arguments: Arguments) -> Value:
    status = machine.see(arguments.get(0, "status", 0))
    machine.end(UNKNOWN, well=status is None or status == 0)


def _callable(machine: Machine, arguments: Arguments) -> Value:
    value = _first(machine, arguments)
    return True if isinstance(value, FunctionValue | ClassValue) else False if is_constant(value) else UNKNOWN


BUILTINS: dict[str, Value] = {
    "str": TypeName("str", _text),
    "int": TypeName("int", _number(int)),
    "float": TypeName("float", _number(float)),
    "bool": TypeName("bool", _bool),
    "bytes": TypeName("bytes", lambda machine, given: UNKNOWN),
    "list": TypeName("list", _list),
    "tuple": TypeName("tuple", _tuple),
    "dict": TypeName("dict", _dict),
    "set": TypeName("set", lambda machine, given: make_set(machine, _first(machine, given, ()))),
    "frozenset": TypeName("frozenset", lambda machine, given: make_set(machine, _first(machine, given, ()))),
    "object": Marker("plain"),
    "type": Method(_type),
    "len": Method(_length),
    "range": Method(_range),
    "zip": Method(_zip),
    "enumerate": Method(_enumerate),
    "sorted": Method(_sorted),
    "reversed": Method(_reversed),
    "map": Method(_map),
    "filter": Method(_filter),
    "iter": Method(_iter),
    "next": Method(_next),
    "min": _extreme(min),
    "max": _extreme(max),
    "sum": Method(_sum),
    "any": Method(lambda machine, given: _every(machine, given, False)),
    "all": Method(lambda machine, given: _every(machine, given, True)),
    "abs": _pure(abs),
    "round": _pure(round),
    "chr": _pure(chr),
    "ord": _pure(ord),
    "repr": _pure(repr),
    "divmod": _pure(divmod),
    "print": Method(lambda machine, given: None),
    "getattr": Method(get_attribute),
    "setattr": Method(set_attribute_of),
    "delattr": Method(delete_attribute),
    "hasattr": Method(has_attribute),
    "isinstance": Method(is_instance),
    "callable": Method(_callable),
    "exit": Method(_leave),
    "quit": Method(_leave),
    "id": PURE,
    "hash": PURE,
    "open": Method(open_file),
    "input": PURE,
    "format": PURE,
    "issubclass": PURE,
    "NotImplemented": UNKNOWN,
    "Ellipsis": ...,
    **{
        name: PURE
        for name in dir(builtins)
        if isinstance(getattr(builtins, name), type) and issubclass(getattr(builtins, name), BaseException)
    },
}
