"""Names enter; what they are bound to leaves, by Python's rules for modules, functions and classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.values import ABSENT, Scope, Value


def home(scope: Scope, name: str) -> Scope:
    """The scope in which an assignment to the name is done."""
    return scope.declared.get(name, scope)


def bind(machine: Machine, scope: Scope, name: str, value: Value) -> None:
    machine.state.put(home(scope, name), name, value)


def lookup(machine: Machine, scope: Scope, name: str) -> Value:
    """ABSENT if no scope of the program has it."""
    one: Scope | None = scope
    first = True
    while one is not None:
        # A class's names are not seen from its methods.
        if first or one.kind != "class":
            where = one.declared.get(name, one)
            found = where.cells.get(name, ABSENT)
            if found is not ABSENT:
                seen = machine.see(found)
                if seen is not ABSENT:
                    return seen
            if one.own is not None and name in one.own:
                return ABSENT
        first = first and one.kind == "comprehension"
        one = one.parent
    return ABSENT


def module_of(scope: Scope) -> Scope:
    while scope.parent is not None:
        scope = scope.parent
    return scope


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BOUND = (ast.Store, ast.Del)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class _Locals:
    """Names that the statements of a function bind, without those of functions within it."""

    def __init__(self, body: list[ast.stmt], deep: bool) -> None:
        """`deep`: expressions may bind names and yield, too."""
        self._deep = deep
        self.names: set[str] = set()
        self.elsewhere: set[str] = set()
        self.yields = False
        # Neither by ast.NodeVisitor nor into every expression: all functions of all programs come by here.
        waiting: list[ast.AST] = list(body)
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Name):
                if not isinstance(node.ctx, ast.Load):
                    self.names.add(node.id)
            elif not isinstance(node, ast.Constant | ast.Lambda):
                waiting.extend(self._within(node))

    def _within(self, node: ast.AST) -> Iterator[ast.AST]:
        """Notes what a node binds by itself; its parts leave, but for those that have names of their own."""
        if isinstance(node, _DEFINITIONS):
            self.names.add(node.name)
            yield from node.decorator_list
            return
        if isinstance(node, _COMPREHENSIONS):
            bound = (one.target for one in ast.walk(node) if isinstance(one, ast.NamedExpr))
            self.names.update(one.id for one in bound)
            return
        if isinstance(node, ast.Import | ast.ImportFrom):
            self.names.update(one.asname or one.name.split(".")[0] for one in node.names)
            return
        if isinstance(node, ast.Global | ast.Nonlocal):
            self.elsewhere.update(node.names)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            self.names.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            self.names.add(node.rest)
        elif isinstance(node, ast.Yield | ast.YieldFrom):
            self.yields = True
        for name in node._fields:
            part = getattr(node, name, None)
            for one in part if isinstance(part, list) else (part,):
                if isinstance(one, ast.AST) and (
                    self._deep or not isinstance(one, ast.expr) or isinstance(getattr(one, "ctx", None), _BOUND)
                ):
                    yield one


_Known = tuple[frozenset[str], bool]


def local_names(machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> _Known:
    """The names that are local to a function but for its parameters, and whether it yields."""
    known: _Known | None = getattr(node, "_locals", None)
    if known is None:
        found = _Locals([] if isinstance(node, ast.Lambda) else node.body, machine.binds_in_expressions)
        known = (frozenset(found.names - found.elsewhere), found.yields)
        node._locals = known  # type: ignore[union-attr]
    return known
