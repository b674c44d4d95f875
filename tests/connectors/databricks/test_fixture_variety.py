"""The fixtures are many, of every category, and no two are the same program with other names."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict

import pytest

from tests.connectors.databricks.fixture_files import Fixture, fixtures
from tests.connectors.databricks.notebook_cells import Cell, cells_of

AT_LEAST = {
    "sql": 42, "ipynb": 23, "configured": 64, "several files": 37, "unresolved": 39, "broken": 17,
    "plain spark": 53, "trap": 22,
}  # fmt: skip


def test_there_are_enough_fixtures() -> None:
    assert len(fixtures()) >= 275


@pytest.mark.parametrize(("tag", "count"), AT_LEAST.items())
def test_there_are_enough_fixtures_of_each_category(tag: str, count: int) -> None:
    assert sum(tag in one.tags for one in fixtures()) >= count


class Nameless(ast.NodeTransformer):
    """Takes names, constants, imports and docstrings out of a tree: what is left is its shape."""

    def visit_Import(self, node: ast.AST) -> None:
        return None

    visit_ImportFrom = visit_Import  # noqa: N815

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for name in ("id", "attr", "name", "asname", "arg", "value", "module", "names", "kind"):
            if isinstance(getattr(node, name, None), str | int | float | bytes):
                setattr(node, name, "")
        return node


def shape_of_python(text: str) -> str:
    try:
        return ast.dump(Nameless().visit(ast.parse(text)))
    except SyntaxError:
        return "broken " + " ".join(re.findall(r"\w+|\S", re.sub(r"\w+", "x", text)))


KEYWORDS = {
    "all", "alter", "apply", "as", "by", "changes", "constraint", "copy", "create", "cross", "delete",
    "distinct", "except", "exists", "expect", "flow", "from", "grant", "group", "having", "in", "inner",
    "insert", "into", "join", "keys", "lateral", "left", "limit", "live", "materialized", "matched", "merge",
    "not", "on", "once", "optimize", "or", "order", "overwrite", "partition", "private", "refresh", "replace",
    "schedule", "select", "sequence", "set", "stored", "stream", "streaming", "table", "temporary", "then",
    "union", "update", "using", "vacuum", "values", "view", "when", "where", "with",
}  # fmt: skip


def shape_of_sql(text: str) -> str:
    text = re.sub(r"--[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    words = re.findall(r"'[^']*'|\"[^\"]*\"|`[^`]*`|\$\{[^}]*\}|\w+|\S", text)
    return " ".join(
        one.lower() if one.lower() in KEYWORDS else re.sub(r"^[\w'\"`$].*", "x", one, flags=re.DOTALL) for one in words
    )


def shape_of(fixture: Fixture) -> str:
    def one(cell: Cell) -> str:
        shapes = {"python": shape_of_python, "sql": shape_of_sql}
        return shapes.get(cell.language, lambda text: cell.language)(cell.text)

    return "\n".join(map(one, cells_of(fixture.source, fixture.name)))


def test_no_two_fixtures_have_the_same_shape() -> None:
    shapes = defaultdict(list)
    for one in fixtures():
        shapes[shape_of(one)].append(one.name)
    assert [names for names in shapes.values() if len(names) > 1] == []


def test_names_and_constants_are_no_part_of_a_shape() -> None:
    assert shape_of_python("a = f('x', k=1)") == shape_of_python("b = g('y', j=2.5)")
    assert shape_of_python("a = f('x')") != shape_of_python("a = f(x)")
    assert shape_of_sql("SELECT a FROM b -- c") == shape_of_sql("select 'x' from y")
    assert shape_of_sql("SELECT a FROM b") != shape_of_sql("SELECT a FROM b WHERE c")


def without_comments(text: str, mark: str) -> str:
    if mark == "--":
        return re.sub(r"--[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, IndentationError):
        return text
    return " ".join(one.string for one in tokens if one.type != tokenize.COMMENT)


@pytest.mark.parametrize("fixture", [one for one in fixtures() if one.name.endswith(".sql")], ids=lambda one: one.name)
def test_what_is_expected_of_sql_stands_in_it_outside_comments(fixture: Fixture) -> None:
    text = " ".join(
        without_comments(cell.text, "--" if cell.language == "sql" else "#")
        for cell in cells_of(fixture.source, fixture.name)
        if cell.language in {"sql", "python"}
    )
    for name, value in {**fixture.configuration, **dict(re.findall(r"(?m)^SET (\w+)=([\w.]+);", text))}.items():
        text = text.replace("${" + name + "}", value)
    for one in fixture.sources:
        for name in [
            *one.get("topics", []),
            *(one.get(key) for key in ("pattern", "bootstrap", "path", "target_table")),
        ]:
            assert name is None or name in text
        line = fixture.source.split("\n")[one["line"] - 1]
        assert re.search(r"(?i)read_|cloud_files|stream|from|join|using|delta\.|'", line), line


def test_the_checker_must_be_trusted_with_most_fixtures() -> None:
    """SQL text inside Python programs is checked by hand: it stays a small part of what is expected."""
    sources = [one for fixture in fixtures() if not fixture.name.endswith(".sql") for one in fixture.sources]
    assert sum(one.get("by") == "sql" for one in sources) < len(sources) / 10
