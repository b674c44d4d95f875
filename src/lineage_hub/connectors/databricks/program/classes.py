"""Classes of the program enter; objects, enumerations, data classes and named tuples leave."""

from __future__ import annotations

import ast

from lineage_hub.connectors.databricks.program.joins import unknown_of
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    UNKNOWN,
    Arguments,
    ClassValue,
    DictValue,
    FunctionValue,
    Instance,
    Library,
    ListValue,
    Method,
    Native,
    Scope,
    Unknown,
    Value,
    is_constant,
    same,
)

# Decorators of attrs, which make a class as dataclass does.
_FILLING = ("s", "attrs", "define", "frozen", "mutable")


class Marker(Native):
    """A base class or function that makes a class something special: Enum, NamedTuple, object, …"""

    __slots__ = ("kind", "text")

    def __init__(self, kind: str, text: bool = False) -> None:
        self.kind = kind
        self.text = text  # its members are text, and print as such

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        return UNKNOWN

    def call(self, machine: Machine, arguments: Arguments) -> Value:
        if self.kind == "namedtuple":
            return _named_tuple(machine, arguments)
        if self.kind == "auto":
            return self
        return UNKNOWN


def make_class(machine: Machine, node: ast.ClassDef, scope: Scope) -> Value:
    from lineage_hub.connectors.databricks.program.functions import decorate

    bases = [machine.see(machine.evaluate(one, scope)) for one in node.bases]
    made = ClassValue(node.name, [], Scope("class", scope, node.name), node=node)
    for base in bases:
        if isinstance(base, Marker):
            if base.kind in ("enum", "namedtuple", "plain"):
                made.kind = base.kind if base.kind != "plain" else made.kind
            made.bases.append(base)
        elif isinstance(base, ClassValue):
            made.bases.append(base)
            made.kind = base.kind if base.kind in ("enum", "dataclass", "namedtuple") else made.kind
            made.fields.extend(base.fields)
        else:
            made.bases.append(base if isinstance(base, Native) else UNKNOWN)
    machine.execute(node.body, made.members)
    for value in made.members.cells.values():
        if isinstance(value, FunctionValue) and value.owner is None:
            value.owner = made
    if made.kind == "enum":
        _make_members(machine, made)
    keywords = {one.arg: machine.evaluate(one.value, scope) for one in node.keywords if one.arg}
    _be_made_by(machine.see(keywords.pop("metaclass", None)), made)
    tell_bases(machine, made, keywords, any(one.arg is None for one in node.keywords))
    result: Value = made
    for decorator in reversed(node.decorator_list):
        named = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = named.id if isinstance(named, ast.Name) else named.attr if isinstance(named, ast.Attribute) else ""
        if name == "dataclass":
            made.kind = "dataclass"
        elif not isinstance(result, Unknown):
            if name in _FILLING and isinstance(machine.see(machine.evaluate(named, scope)), Unknown):
                made.kind = "dataclass"
            result = decorate(machine, decorator, result, scope)
    if made.kind in ("dataclass", "namedtuple"):
        _collect_fields(made, node)
    return made if isinstance(result, Unknown) else result


def _be_made_by(maker: Value, made: ClassValue) -> None:
    """A metaclass of the program may give the class other members than its body does."""
    from lineage_hub.connectors.databricks.program.attributes import lineage_of

    if isinstance(maker, ClassValue) and any(
        name in one.members.cells for one in lineage_of(maker) for name in ("__new__", "__init__", "__prepare__")
    ):
        for name, value in made.members.cells.items():
            if not isinstance(value, FunctionValue):
                made.members.cells[name] = unknown_of(value)


def tell_bases(machine: Machine, made: ClassValue, keywords: dict[str, Value], is_open: bool = False) -> None:
    """__init_subclass__ of the nearest base that has one"""
    from lineage_hub.connectors.databricks.program.attributes import find_member
    from lineage_hub.connectors.databricks.program.calls import call

    for base in made.bases:
        hook = find_member(machine, base, "__init_subclass__") if isinstance(base, ClassValue) else None
        if hook is not None:
            call(machine, hook, Arguments([made], keywords, open=is_open))
            return


def class_of_call(machine: Machine, name: Value, bases: Value, content: Value) -> Value:
    """type("Orders", (Base,), {"topic": "orders"})"""
    if not isinstance(name, str) or not isinstance(bases, tuple) or not isinstance(content, DictValue):
        return UNKNOWN
    if not all(isinstance(one, ClassValue) for one in bases) or not all(isinstance(one, str) for one in content.cells):
        return UNKNOWN
    above = [one for one in bases if isinstance(one, ClassValue)]
    made = ClassValue(name, list(bases), Scope("class", name=name))
    made.kind = next((one.kind for one in above if one.kind != "plain"), "plain")
    made.fields = [field for one in above for field in one.fields]
    made.members.cells.update(content.cells)
    for one in content.cells.values():
        if isinstance(one, FunctionValue) and one.owner is None:
            one.owner = made
    tell_bases(machine, made, {})
    return made


def _collect_fields(made: ClassValue, node: ast.ClassDef) -> None:
    names = dict(made.fields)
    for one in node.body:
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            if "ClassVar" in ast.dump(one.annotation):
                continue
            names[one.target.id] = made.members.cells.get(one.target.id, ABSENT)
    made.fields = list(names.items())


def _make_members(machine: Machine, made: ClassValue) -> None:
    count = 0
    for name, value in list(made.members.cells.items()):
        if (
            not isinstance(name, str)
            or name.startswith("_")
            or isinstance(value, FunctionValue | Instance | ClassValue)
        ):
            continue
        member = Instance(made)
        if isinstance(value, Marker) and value.kind == "auto":
            count += 1
            # A string enumeration's auto() is its name in lower case; which it is depends on the base.
            text = any(isinstance(base, Marker) and base.text for base in made.bases)
            plain = all(isinstance(base, Marker) and base.kind == "enum" for base in made.bases)
            value = name.lower() if text else count if plain else UNKNOWN
        elif isinstance(value, int):
            count = value
        # A second name for the same value is no second member.
        first = next((one for one in enum_members(made) if same(one.cells.get("value"), value)), None)
        if first is not None and is_constant(value):
            made.members.cells[name] = first
            continue
        member.cells.update({"name": name, "value": value, "_name_": name, "_value_": value})
        made.members.cells[name] = member
        init = made.members.cells.get("__init__")
        if isinstance(init, FunctionValue):
            from lineage_hub.connectors.databricks.program.calls import call

            given = list(value) if isinstance(value, tuple) else [value]
            call(machine, init, Arguments([member, *given]))


def enum_members(of: ClassValue) -> list[Instance]:
    found = {id(one): one for one in of.members.cells.values() if isinstance(one, Instance) and one.of is of}
    return list(found.values())


def _named_tuple(machine: Machine, arguments: Arguments) -> Value:
    from lineage_hub.connectors.databricks.program.iteration import members

    name = arguments.get(0, "typename", UNKNOWN)
    fields = arguments.get(1, "field_names", UNKNOWN)
    if isinstance(fields, str):
        names: tuple[Value, ...] | None = tuple(fields.replace(",", " ").split())
    else:
        names = members(machine, fields)
    if names is None:
        return UNKNOWN
    plain = [one[0] if isinstance(one, tuple) and one else one for one in names]
    if not all(isinstance(one, str) for one in plain):
        return UNKNOWN
    title = name if isinstance(name, str) else ""
    return ClassValue(title, [], Scope("class"), "namedtuple", [(str(one), ABSENT) for one in plain])


def instantiate(machine: Machine, of: ClassValue, arguments: Arguments) -> Value:
    from lineage_hub.connectors.databricks.program.attributes import find_member, has_unknown_base
    from lineage_hub.connectors.databricks.program.calls import call, call_method

    if of.kind == "enum":
        wanted = machine.see(arguments.get(0, "value", UNKNOWN))
        found = [one for one in enum_members(of) if same(one.cells.get("value"), wanted)]
        return found[0] if found and is_constant(wanted) else UNKNOWN
    made = Instance(of)
    machine.instances.setdefault(id(of), []).append(made)
    init = find_member(machine, of, "__init__")
    if init is not None:
        given = Arguments([made, *arguments.positional], arguments.keywords, arguments.line, arguments.open)
        call(machine, init, given)
    elif of.kind in ("dataclass", "namedtuple"):
        _fill_fields(machine, made, arguments)
        if of.kind == "dataclass":
            call_method(machine, made, "__post_init__", [])
    elif has_unknown_base(of):
        _fill_by_base(made, arguments)
    return made


def _fill_by_base(made: Instance, arguments: Arguments) -> None:
    """pydantic and its like: keywords become attributes. Settings come from the environment, where there are any."""
    from lineage_hub.connectors.databricks.program.attributes import lineage_of

    others = bool(arguments.positional) or arguments.open
    for one in reversed(lineage_of(made.of)):
        others = others or (one.node is not None and any(_last_name(base) == "BaseSettings" for base in one.node.bases))
        for name in _annotated(one.node):
            default = one.members.cells.get(name, ABSENT)
            if others:
                made.cells[name] = UNKNOWN
            elif isinstance(default, FieldDefault):
                made.cells[name] = UNKNOWN if default.value is ABSENT else default.value
    made.cells.update(arguments.keywords)


def _last_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _annotated(node: ast.ClassDef | None) -> list[str]:
    found = [one.target for one in (node.body if node is not None else ()) if isinstance(one, ast.AnnAssign)]
    return [one.id for one in found if isinstance(one, ast.Name)]


def _fill_fields(machine: Machine, made: Instance, arguments: Arguments) -> None:
    from lineage_hub.connectors.databricks.program.calls import call

    for index, (name, default) in enumerate(made.of.fields):
        value = arguments.get(index, name, ABSENT)
        if value is ABSENT:
            value = default
            if isinstance(default, FieldDefault):
                value = default.value
                if value is ABSENT:
                    value = UNKNOWN if default.factory is ABSENT else call(machine, default.factory, Arguments())
        made.cells[name] = UNKNOWN if value is ABSENT else value


class FieldDefault(Native):
    """dataclasses.field(default=…, default_factory=…)"""

    __slots__ = ("factory", "value")

    def __init__(self, value: Value, factory: Value) -> None:
        self.value = value
        self.factory = factory


def instance_method(machine: Machine, value: Instance, name: str) -> Value | None:
    """What data classes and named tuples have by themselves."""
    if value.of.kind == "namedtuple" and name == "_asdict":
        return Method(lambda _, __: DictValue(dict(value.cells)))
    if value.of.kind == "namedtuple" and name == "_replace":
        return Method(lambda _, given: replaced(value, given))
    if any(isinstance(base, Unknown) for base in value.of.bases) and name in ("dict", "model_dump"):
        return Method(lambda _, __: DictValue(dict(value.cells)))
    return None


def replaced(value: Value, arguments: Arguments) -> Value:
    if not isinstance(value, Instance):
        return UNKNOWN
    made = Instance(value.of)
    made.cells.update(value.cells)
    made.cells.update(arguments.keywords)
    return made


def class_method(machine: Machine, of: ClassValue, name: str) -> Value | None:
    if of.kind == "namedtuple" and name == "_make":
        return Method(lambda inner, given: instantiate(inner, of, Arguments(_listed(inner, given))))
    if of.kind == "namedtuple" and name == "_fields":
        return tuple(one for one, _ in of.fields)
    if name == "__init__":
        return plain_init(None, [])
    return None


def _listed(machine: Machine, given: Arguments) -> list[Value]:
    from lineage_hub.connectors.databricks.program.iteration import members

    return list(members(machine, given.get(0, "", UNKNOWN)) or ())


def plain_init(self_value: Value, bases: list[ClassValue]) -> Value:
    """object.__init__, or that of a data class."""

    def fill(machine: Machine, arguments: Arguments) -> Value:
        if isinstance(self_value, Instance) and any(one.kind == "dataclass" for one in bases):
            _fill_fields(machine, self_value, arguments)
        return None

    return Method(fill)


def plain_dict(machine: Machine, value: Value) -> Value:
    """dataclasses.asdict"""
    if isinstance(value, Instance):
        return DictValue({name: plain_dict(machine, value.cells.get(name, UNKNOWN)) for name, _ in value.of.fields})
    if isinstance(value, ListValue) and isinstance(value.cells["items"], tuple):
        return ListValue(tuple(plain_dict(machine, one) for one in value.cells["items"]))
    return value if is_constant(value) or isinstance(value, DictValue | ListValue) else unknown_of(value)


ENUM = Library(
    "enum",
    {
        "Enum": Marker("enum"),
        "IntEnum": Marker("enum"),
        "StrEnum": Marker("enum", text=True),
        "auto": Marker("auto"),
        "unique": Method(lambda _, given: given.get(0, "", UNKNOWN)),
    },
)
