"""A value and a name enter; the attribute leaves, by Python's rules for objects, classes and modules."""

from __future__ import annotations

from functools import partial

from lineage_hub.connectors.databricks.program.branches import each
from lineage_hub.connectors.databricks.program.containers import ContainerMethod
from lineage_hub.connectors.databricks.program.joins import unknown_of
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.strings import ConstantMethod
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    PURE,
    UNKNOWN,
    Alternatives,
    Arguments,
    BoundMethod,
    ClassValue,
    DictValue,
    FunctionValue,
    Instance,
    Library,
    ListValue,
    Method,
    ModuleValue,
    Native,
    Super,
    Unknown,
    Value,
)

# Methods of loggers, which leave alone what they are given.
_BLANKS = {"strip", "lstrip", "rstrip"}
_TELLING = {"info", "debug", "warning", "warn", "error", "critical", "exception"}


def attribute(machine: Machine, value: Value, name: str, line: int) -> Value:
    if isinstance(value, Native):
        return value.attribute(machine, name, line)
    if isinstance(value, Instance):
        return _of_instance(machine, value, name)
    if isinstance(value, Unknown):
        return _of_unknown(machine, value, name, line)
    if isinstance(value, str | int | float | bytes):
        return ConstantMethod(value, name)
    if isinstance(value, ListValue | DictValue | tuple):
        return ContainerMethod(value, name)
    if isinstance(value, Alternatives):
        seen = machine.see(value)
        if not isinstance(seen, Alternatives):
            return attribute(machine, seen, name, line)
        return each(machine, [(guard, partial(attribute, machine, one, name, line)) for guard, one in seen.options])
    if isinstance(value, ModuleValue):
        return _of_module(machine, value, name)
    if isinstance(value, ClassValue):
        return _of_class(machine, value, name)
    if isinstance(value, Super):
        return _of_super(machine, value, name)
    if isinstance(value, FunctionValue):
        if name in ("__name__", "__qualname__"):
            return machine.see(value.attributes.cells.get(name, value.name))
        return machine.see(value.attributes.cells.get(name, UNKNOWN))
    if isinstance(value, BoundMethod):
        return attribute(machine, value.function, name, line)
    machine.doubt += 1
    return UNKNOWN


def _of_unknown(machine: Machine, value: Unknown, name: str, line: int) -> Value:
    from lineage_hub.connectors.databricks.program.frames import Frame
    from lineage_hub.connectors.databricks.program.spark_read import Reader
    from lineage_hub.connectors.databricks.program.spark_write import Writer

    # Nothing but Spark has these names, whatever the object is called.
    if name == "readStream" or (name == "read" and not value.pure):
        return Reader(streaming=name == "readStream", line=line, file=machine.other_file)
    if name == "writeStream" or (name == "write" and not value.pure):
        return Writer(Frame(value.inputs), streaming=name == "writeStream", line=line, file=machine.other_file)
    if name in _TELLING:
        return PURE
    if name in _BLANKS and value.partial is not None:
        return Method(lambda _, given: _stripped(value, given))
    if name == "EventHubsUtils":
        # encrypt() hides a connection string from logs; what it connects to stays the same.
        return Library(name, {"encrypt": Method(lambda inner, given: inner.see(given.get(0, "", UNKNOWN)))})
    key = None if value.key is None else (".", value.key, name)
    return Unknown(value.inputs, key=key, pure=value.pure)


def _stripped(value: Unknown, arguments: Arguments) -> Value:
    """What is known of a text stays known without the blanks around it."""
    return Unknown(value.inputs, partial=None if arguments.every() else value.partial)


def _of_module(machine: Machine, value: ModuleValue, name: str) -> Value:
    found = machine.see(value.scope.cells.get(name, ABSENT))
    if found is ABSENT:
        from lineage_hub.connectors.databricks.program.modules import load_module

        inner = load_module(machine, f"{value.name}.{name}", value.scope.path or machine.main_path)
        if inner is not None:
            return inner
        machine.doubt += 1
        return UNKNOWN
    return found


def lineage_of(of: ClassValue, depth: int = 20) -> list[ClassValue]:
    """The class and its bases in the order in which Python looks into them: none before one that is made of it."""
    bases = [one for one in of.bases if isinstance(one, ClassValue)] if depth else []
    if len(bases) < 2:
        return [of, *(lineage_of(bases[0], depth - 1) if bases else [])]
    found = [of]
    waiting = [*(lineage_of(one, depth - 1) for one in bases), bases]
    while waiting := [line for line in waiting if line]:
        heads = [line[0] for line in waiting]
        # Where Python would refuse the class, any order does.
        first = next((one for one in heads if all(one not in line[1:] for line in waiting)), heads[0])
        found.append(first)
        waiting = [[one for one in line if one is not first] for line in waiting]
    return found


def has_unknown_base(of: ClassValue) -> bool:
    return any(isinstance(base, Unknown) for one in lineage_of(of) for base in one.bases)


def find_member(machine: Machine, of: ClassValue, name: str) -> Value | None:
    for one in lineage_of(of):
        found = machine.see(one.members.cells.get(name, ABSENT))
        if found is not ABSENT:
            return found
    return None


def _of_instance(machine: Machine, value: Instance, name: str) -> Value:
    own = machine.see(value.cells.get(name, ABSENT))
    if own is not ABSENT:
        return unknown_of(own) if find_member(machine, value.of, "__getattribute__") is not None else own
    if name == "__class__":
        return value.of
    if name == "__dict__":
        return DictValue(value.cells)  # not a copy: what is changed there is changed here
    found = find_member(machine, value.of, name)
    if not isinstance(found, FunctionValue) and find_member(machine, value.of, "__getattribute__") is not None:
        return unknown_of(found)
    if found is None:
        return _missing(machine, value, name)
    return bind_to(machine, found, value, value.of)


def _missing(machine: Machine, value: Instance, name: str) -> Value:
    from lineage_hub.connectors.databricks.program.calls import call
    from lineage_hub.connectors.databricks.program.classes import instance_method

    built_in = instance_method(machine, value, name)
    if built_in is not None:
        return built_in
    fallback = find_member(machine, value.of, "__getattr__")
    if fallback is not None:
        return call(machine, fallback, Arguments([value, name]))
    machine.doubt += 1
    if name in ("read", "readStream", "write", "writeStream"):
        return _of_unknown(machine, unknown_of(value), name, 0)
    return UNKNOWN


def bind_to(machine: Machine, found: Value, self_value: Value, of: ClassValue) -> Value:
    """What a class's member is for one of its objects."""
    from lineage_hub.connectors.databricks.program.calls import call

    if isinstance(found, FunctionValue):
        if found.kind == "property":
            return call(machine, found, Arguments([self_value]))
        if found.kind == "cached_property":
            result = call(machine, found, Arguments([self_value]))
            if isinstance(self_value, Instance):
                machine.state.put(self_value, found.name, result)
            return result
        if found.kind == "staticmethod":
            return found
        return BoundMethod(found, of if found.kind == "classmethod" else self_value)
    if isinstance(found, Alternatives):
        return each(machine, [(guard, partial(bind_to, machine, one, self_value, of)) for guard, one in found.options])
    if isinstance(found, Method) and found.name == "wrapped":
        return BoundMethod(found, self_value)
    return found


def _of_class(machine: Machine, value: ClassValue, name: str) -> Value:
    if name in ("__name__", "__qualname__"):
        return value.name
    if name == "__members__" and value.kind == "enum":
        from lineage_hub.connectors.databricks.program.classes import enum_members

        return DictValue({one.cells["name"]: one for one in enum_members(value)})
    found = find_member(machine, value, name)
    if found is None:
        from lineage_hub.connectors.databricks.program.classes import class_method

        built_in = class_method(machine, value, name)
        if built_in is not None:
            return built_in
        machine.doubt += 1
        return UNKNOWN
    if isinstance(found, FunctionValue) and found.kind == "classmethod":
        return BoundMethod(found, value)
    return found


def _of_super(machine: Machine, value: Super, name: str) -> Value:
    of = value.self_value.of if isinstance(value.self_value, Instance) else value.self_value
    line = lineage_of(of) if isinstance(of, ClassValue) else lineage_of(value.of)
    after = line[line.index(value.of) + 1 :] if value.of in line else []
    for one in after:
        found = machine.see(one.members.cells.get(name, ABSENT))
        if found is not ABSENT:
            return bind_to(machine, found, value.self_value, one)
    if name == "__init__":
        from lineage_hub.connectors.databricks.program.classes import plain_init

        return plain_init(value.self_value, after)
    return UNKNOWN
