"""A parsed query enters; the tables, paths and systems that it reads leave, in order, each with its own line.

Names of WITH are no tables, nor are functions that make rows of nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from lineage_hub.connectors.databricks.addresses import plain_path
from lineage_hub.connectors.databricks.reading import StreamSource
from lineage_hub.connectors.databricks.sql.constants import Constants
from lineage_hub.connectors.databricks.sql.functions import columns_of_call, name_of, read_call
from lineage_hub.connectors.databricks.sql.names import format_and_path, parts_of, spelled
from lineage_hub.connectors.databricks.sql.splitting import UNKNOWN
from lineage_hub.sdk.instrumentation.statement import Statement, real_tables

Qualify = Callable[[Sequence[str]], str | None]


class Spelling(Statement):
    """Databricks compares names without their case, and keeps how they were written."""

    def __init__(self) -> None:
        super().__init__("databricks", lambda _: None)
        self._keeps = True

    def normalise(self, expression: Any) -> None:
        """A name that is a column's and another's alias in two spellings is a column's first."""
        # As the base does, in one walk for all of it: this is a good part of what a statement takes.
        columns: dict[str, str] = {}
        for name in expression.find_all(exp.Identifier):
            written, folded = name.this, name.this.lower()
            name.meta["written"] = written
            if folded != written:
                name.set("this", folded)
            if isinstance(name.parent, exp.Column) and name.arg_key == "this":
                columns[folded] = written
            elif not isinstance(name.parent, exp.Table):
                self._spelled.setdefault(folded, written)
        self._spelled |= columns

    def knows(self, name: str) -> bool:
        """Does the query, or a table that it reads, have this name?"""
        return name in self._spelled


@dataclass(frozen=True)
class Reference:
    """A place in a query where rows come from; without a source where they are made there."""

    node: Any
    source: StreamSource | None
    columns: Sequence[str] | None = None  # where the kind of the source says which it has


def find_references(query: Any, constants: Constants, qualify: Qualify, line: int) -> list[Reference]:
    """`query` has been normalised; `line` is that of its text's first line."""
    found: list[Reference] = []
    for node in real_tables(query):
        if isinstance(node.this, exp.Func) and name_of(node.this) != "identifier":
            at = _line(node.this, line)
            source = read_call(node.this, constants, at) or _of_changes(node, constants, qualify, at)
            found.append(Reference(node, source, columns_of_call(node.this, constants)))
            found += [Reference(None, one) for one in _table_arguments(node.this, qualify, line)]
        else:
            found.append(Reference(node, read_table(node, constants, qualify, line)))
    return found


def read_table(node: Any, constants: Constants, qualify: Qualify, line: int) -> StreamSource:
    at = next((_line(part, line) for part in node.parts if part.meta.get("line")), line)
    parts = list(_parts(node, constants))
    by_path = format_and_path(parts, quoted=bool(getattr(node.this, "quoted", False)))
    if by_path is not None:
        return _by_path(*by_path, at)
    return _named(parts, qualify, at)


def _by_path(kind: str, path: str, line: int) -> StreamSource:
    known = UNKNOWN not in path
    return StreamSource(kind, path=plain_path(path) if known else None, unresolved=[] if known else ["path"], line=line)


def _named(parts: Sequence[str], qualify: Qualify, line: int) -> StreamSource:
    name = qualify(parts)
    return StreamSource("table", path=name, source_table=name, unresolved=[] if name else ["table"], line=line)


def _parts(node: Any, constants: Constants) -> Iterator[str]:
    for part in node.parts:
        if isinstance(part, exp.Identifier):
            yield part.meta.get("written", part.name)
        elif isinstance(part, exp.Anonymous) and name_of(part) == "identifier" and part.expressions:
            yield from parts_of(constants.text(part.expressions[0]) or UNKNOWN)
        else:
            yield UNKNOWN


def _of_changes(node: Any, constants: Constants, qualify: Qualify, line: int) -> StreamSource | None:
    """The changes of a table are read from it."""
    call = node.this
    if name_of(call) != "table_changes" or not getattr(call, "expressions", None):
        return None
    first = call.expressions[0]
    text = constants.text(first) if not isinstance(first, exp.Column) else None
    parts = parts_of(text) if text is not None else _of_column(first)
    return _named(parts, qualify, line)


def _of_column(node: Any) -> list[str]:
    if not isinstance(node, exp.Column):
        return [UNKNOWN]
    return [part.meta.get("written", part.name) for part in node.parts]


def _table_arguments(call: Any, qualify: Qualify, line: int) -> Iterator[StreamSource]:
    """`f(TABLE(t))` reads t; the log of events isn't data."""
    if name_of(call) == "event_log":
        return
    for one in call.find_all(exp.Anonymous):
        if name_of(one) == "table" and len(one.expressions) == 1 and isinstance(one.expressions[0], exp.Column):
            column = one.expressions[0]
            yield _named(_of_column(column), qualify, _line(column.parts[0], line))


def _line(node: Any, line: int) -> int:
    return line + int(node.meta.get("line") or 1) - 1


def known_name(parts: Sequence[str], catalog: str | None, schema: str | None) -> str | None:
    """With the catalog and the schema that were said to be used."""
    if len(parts) == 1 and schema:
        parts = [*([catalog] if catalog else []), schema, *parts]
    elif len(parts) == 2 and catalog:
        parts = [catalog, *parts]
    return spelled(parts)
