"""Functions of the program enter with their arguments; their bodies are evaluated in scopes of their own."""

from __future__ import annotations

import ast

from lineage_hub.connectors.databricks.program.branches import end_elsewhere
from lineage_hub.connectors.databricks.program.budget import CALLS
from lineage_hub.connectors.databricks.program.iteration import members
from lineage_hub.connectors.databricks.program.joins import join, unknown_of
from lineage_hub.connectors.databricks.program.machine import Activation, Machine, Raised, Status
from lineage_hub.connectors.databricks.program.scopes import local_names
from lineage_hub.connectors.databricks.program.values import (
    ABSENT,
    REST,
    UNKNOWN,
    Arguments,
    DictValue,
    FunctionValue,
    ListValue,
    Native,
    Scope,
    Unknown,
    Value,
)

_UNSURE_CALLS = 2  # calls of a function within itself, where a decision about them can't be known
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def make_function(machine: Machine, node: Definition, scope: Scope, name: str) -> FunctionValue:
    """Defaults are evaluated now, once, as Python does."""
    spec = node.args
    named = [*spec.posonlyargs, *spec.args]
    defaults: dict[str, Value] = {}
    for parameter, default in zip(named[len(named) - len(spec.defaults) :], spec.defaults, strict=True):
        defaults[parameter.arg] = machine.evaluate(default, scope)
    for parameter, keyword_default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
        if keyword_default is not None:
            defaults[parameter.arg] = machine.evaluate(keyword_default, scope)
    around = scope
    while around.kind == "class" and around.parent is not None:
        around = around.parent  # methods don't see the names of their class
    return FunctionValue(node, around, defaults, name, guard=machine.path, file=machine.file)


def decorate(machine: Machine, decorator: ast.expr, function: Value, scope: Scope) -> Value:
    from lineage_hub.connectors.databricks.program.calls import call

    named = (
        decorator.id
        if isinstance(decorator, ast.Name)
        else decorator.attr
        if isinstance(decorator, ast.Attribute)
        else ""
    )
    if isinstance(function, FunctionValue):
        if named in ("staticmethod", "classmethod"):
            function.kind = named
            return function
        if named in ("property", "cached_property"):
            function.kind = named
            return function
        if named in ("setter", "deleter", "getter"):
            existing = scope.cells.get(function.name)
            if isinstance(existing, FunctionValue) and named == "setter":
                existing.setter = function
            return existing if isinstance(existing, FunctionValue) else function
    found = machine.see(machine.evaluate(decorator, scope))
    if isinstance(found, Unknown):
        # A decorator from elsewhere: what it gives is called as the function is, whatever it does around it.
        return function
    result = call(machine, found, Arguments([function], line=decorator.lineno))
    return function if isinstance(result, Unknown) else result


def call_function(machine: Machine, function: FunctionValue, arguments: Arguments) -> Value:
    machine.called.add(id(function.node))
    if machine.budget.depth >= CALLS:
        machine.problem(arguments.line or getattr(function.node, "lineno", 0), "calls go too deep to be followed")
        return unknown_of(*arguments.every())
    paths = machine.active.setdefault(id(function.node), [])
    if len(paths) >= _UNSURE_CALLS and len(machine.path) > len(paths[0]):
        # It calls itself again on what can't be known: each turn of it would double the ways.
        return unknown_of(*arguments.every())
    scope = Scope("function", function.scope, function.name)
    own, yields = local_names(machine, function.node)
    scope.own = own
    _bind_parameters(machine, function, arguments, scope)
    node = function.node
    activation = Activation(
        owner=function.owner, self_value=_first(node, scope), entered=machine.entering, base=machine.path
    )
    machine.entering = None
    outer, base, file = machine.activation, machine.path, machine.file
    machine.activation = activation
    machine.file = function.file
    machine.budget.depth += 1
    paths.append(base)
    try:
        if isinstance(node, ast.Lambda):
            return machine.evaluate(node.body, scope)
        status = machine.execute(node.body, scope)
        if status is Status.NEXT:
            activation.returns.append((machine.path, None))
    except Raised:
        # Where another way has returned before, it raises on this way only, and the program goes on by the other.
        if not activation.returns:
            raise
        machine.doubt += 1
        status = Status.RETURN
    finally:
        machine.activation, machine.path, machine.file = outer, base, file
        machine.budget.depth -= 1
        paths.pop()
        if activation.ends:
            going = frozenset([(machine.decision(), 0)])
            machine.path = base | going
            end_elsewhere(machine, going)
    if status is Status.RAISE:
        raise Raised()
    if yields:
        items: Value = tuple(activation.yields)
        return ListValue(unknown_of(*activation.yields) if activation.unsure_yield else items)
    return join([(guard - base, value) for guard, value in activation.returns])


def _first(node: Definition, scope: Scope) -> Value:
    first = [*node.args.posonlyargs, *node.args.args][:1]
    return scope.cells.get(first[0].arg, ABSENT) if first else ABSENT


def _bind_parameters(machine: Machine, function: FunctionValue, arguments: Arguments, scope: Scope) -> None:
    spec = function.node.args
    named = [one.arg for one in (*spec.posonlyargs, *spec.args)]
    cells = scope.cells
    keywords = dict(arguments.keywords)
    positional = arguments.positional
    for index, name in enumerate(named):
        if index < len(positional):
            cells[name] = positional[index]
        elif name in keywords:
            cells[name] = keywords.pop(name)
        else:
            cells[name] = UNKNOWN if arguments.open else function.defaults.get(name, UNKNOWN)
    for one in spec.kwonlyargs:
        given = keywords.pop(one.arg, ABSENT)
        missing = UNKNOWN if arguments.open else function.defaults.get(one.arg, UNKNOWN)
        cells[one.arg] = missing if given is ABSENT else given
    if spec.vararg is not None:
        cells[spec.vararg.arg] = UNKNOWN if arguments.open else tuple(positional[len(named) :])
    if spec.kwarg is not None:
        rest = DictValue()
        rest.cells.update(keywords)
        cells[spec.kwarg.arg] = rest
        if arguments.open:
            rest.cells[REST] = UNKNOWN  # others may be there; those that are given can't be given twice


def gather(machine: Machine, node: ast.Call, scope: Scope) -> Arguments:
    """The arguments of a call, with * and ** laid out where they are known."""
    given = Arguments(line=node.lineno, text_line=_text_line(node.args[0]) if node.args else None)
    for one in node.args:
        if isinstance(one, ast.Starred):
            value = machine.see(machine.evaluate(one.value, scope))
            items = members(machine, value)
            if items is None:
                given.open = True
            else:
                given.positional.extend(items)
        else:
            given.positional.append(machine.evaluate(one, scope))
    for keyword in node.keywords:
        value = machine.evaluate(keyword.value, scope)
        if keyword.arg is not None:
            given.keywords[keyword.arg] = value
            continue
        value = machine.see(value)
        if isinstance(value, DictValue):
            for key, member in value.cells.items():
                if isinstance(key, str):
                    given.keywords[key] = member
                else:
                    given.open = True
        else:
            given.open = True
    return given


def _text_line(node: ast.expr) -> int | None:
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    texts = [one.value for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    if not texts or node.end_lineno is None:
        return None
    return node.lineno if sum(one.count("\n") for one in texts) == node.end_lineno - node.lineno else None


class Wrapped(Native):
    """A function with arguments that are already given."""

    __slots__ = ("first", "function")

    def __init__(self, function: Value, first: Arguments) -> None:
        self.function = function
        self.first = first

    def call(self, machine: Machine, arguments: Arguments) -> Value:
        from lineage_hub.connectors.databricks.program.calls import call

        whole = Arguments(
            [*self.first.positional, *arguments.positional],
            {**self.first.keywords, **arguments.keywords},
            arguments.line,
            self.first.open or arguments.open,
        )
        return call(machine, self.function, whole)

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        return {"func": self.function}.get(name, UNKNOWN)
