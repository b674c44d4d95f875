"""Names enter; what they are bound to leaves, by Python's rules for modules, functions and classes."""

from __future__ import annotations

import ast

from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.values import ABSENT, Scope, Value

_OPENING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def home(scope: Scope, name: str) -> Scope:
    """The scope in which an assignment to the name is done."""
    if name in scope.declared:
        return scope.declared[name]
    if scope.kind == "comprehension" and scope.parent is not None and name not in scope.cells:
        return scope
    return scope


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


class _Locals(ast.NodeVisitor):
    """Names that a function's body binds."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.elsewhere: set[str] = set()
        self.yields = False

    def visit_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.names.add(node.id)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self.names.add(node.name)
        for one in node.decorator_list:
            self.visit(one)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815
    visit_ClassDef = visit_FunctionDef  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> None:
        pass

    def _comprehension(self, node: ast.AST) -> None:
        for one in ast.walk(node):
            if isinstance(one, ast.NamedExpr) and isinstance(one.target, ast.Name):
                self.names.add(one.target.id)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension  # noqa: N815

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for one in node.names:
            self.names.add(one.asname or one.name.split(".")[0])

    visit_ImportFrom = visit_Import  # noqa: N815

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> None:
        self.elsewhere.update(node.names)

    visit_Nonlocal = visit_Global  # noqa: N815

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.names.add(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name:
            self.names.add(node.name)
        self.generic_visit(node)

    visit_MatchStar = visit_MatchAs  # noqa: N815

    def visit_Yield(self, node: ast.Yield | ast.YieldFrom) -> None:
        self.yields = True
        self.generic_visit(node)

    visit_YieldFrom = visit_Yield  # noqa: N815


_Known = tuple[frozenset[str], bool]


def local_names(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> _Known:
    """The names that are local to a function but for its parameters, and whether it yields."""
    known: _Known | None = getattr(node, "_locals", None)
    if known is None:
        visitor = _Locals()
        body: list[ast.stmt] = [] if isinstance(node, ast.Lambda) else node.body
        for one in body:
            visitor.visit(one)
        known = (frozenset(visitor.names - visitor.elsewhere), visitor.yields)
        node._locals = known  # type: ignore[union-attr]
    return known
