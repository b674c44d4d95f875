"""Tokens of a query enter; what it reads and the columns that it gives leave."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from sqlglot import exp
from sqlglot.errors import ParseError

from lineage_hub.connectors.databricks.reading import StreamSource
from lineage_hub.connectors.databricks.sql import tokens as t
from lineage_hub.connectors.databricks.sql.columns import ColumnsOf, Doubtful, Traced, trace
from lineage_hub.connectors.databricks.sql.constants import Constants
from lineage_hub.connectors.databricks.sql.references import Qualify, Reference, Spelling, find_references
from lineage_hub.connectors.databricks.sql.splitting import UNKNOWN
from lineage_hub.sdk.instrumentation.statement import arg

_LONGEST_TRACED = 6_000  # tokens; beyond that columns would take longer than they are worth


class Names(Protocol):
    """What names and values mean where the query stands."""

    @property
    def constants(self) -> Constants: ...
    @property
    def qualify(self) -> Qualify: ...
    @property
    def columns_of(self) -> ColumnsOf: ...
    @property
    def traces_columns(self) -> bool: ...


@dataclass
class Query:
    sources: list[StreamSource] = field(default_factory=list)
    traced: Traced | None = None
    partly: bool = False  # a part of its text can't be known, and may say more


def read_query_tokens(tokens: t.Tokens, text: str, line: int, names: Names) -> Query:
    """`line` is that of the text's first line. What can't be parsed is raised."""
    try:
        expression = t.parse(tokens, text)
    except ParseError:
        shorter = list(t.without_unknown_ends(tokens))
        if len(shorter) == len(tokens):
            raise
        found = read_expression(t.parse(shorter, text), line, names, traced=False)
        return replace(found, partly=True)
    partly = UNKNOWN in text and any(_hides_more(one) for one in expression.find_all(exp.Identifier))
    traced = names.traces_columns and len(tokens) <= _LONGEST_TRACED and not partly
    try:
        found = read_expression(expression, line, names, traced=traced)
    except Doubtful:
        found = read_expression(t.parse(tokens, text), line, names, hide_doubtful=True)
    return replace(found, partly=partly)


def _hides_more(identifier: Any) -> bool:
    """Where only a name can be, there may as well be clauses: an unknown part that is taken for an alias."""
    if UNKNOWN not in identifier.name or isinstance(identifier.parent, exp.Table):
        return False
    return not isinstance(identifier.parent, exp.Column) or isinstance(identifier.parent.parent, exp.Star)


def read_expression(
    expression: Any,
    line: int,
    names: Names,
    *,
    traced: bool = True,
    written: Any = None,
    hide_doubtful: bool = False,
) -> Query:
    """`written` is the table that a statement changes, which it doesn't read by that."""
    spelling = Spelling()
    spelling.normalise(expression)
    if isinstance(expression, exp.Subquery) and expression.is_wrapper:
        expression = expression.unnest()
    found = find_references(expression, names.constants, names.qualify, line)
    references = [one for one in found if written is None or one.node is not written]
    sources = [one.source for one in references if one.source is not None]
    if not traced or not isinstance(expression, exp.Query):
        return Query(sources)
    return Query(sources, trace(expression, references, spelling, names.columns_of, hide_doubtful=hide_doubtful))


def read_merge(expression: Any, line: int, names: Names) -> Query:
    """The columns that a MERGE fills, by what its branches give them."""
    spelling = Spelling()
    spelling.normalise(expression)
    target = expression.this
    found = find_references(expression, names.constants, names.qualify, line)
    references = [one for one in found if one.node is not target]
    sources = [one.source for one in references if one.source is not None]
    query = _as_query(expression) if names.traces_columns else None
    if query is None:
        return Query(sources)
    with_ = arg(expression, "with")
    if with_ is not None:
        query.set("with_" if "with_" in query.arg_types else "with", with_.copy())
    # Nodes are others in the copy, in the same order.
    copies = find_references(query, names.constants, names.qualify, line)
    return Query(sources, trace(query, copies, spelling, names.columns_of, hide_doubtful=True))


def _as_query(merge: Any) -> Any:
    """SELECT the values that columns get FROM the source; none where a branch takes all columns by star."""
    source = merge.args["using"].copy()
    selects: list[Any] = []
    target = {merge.this.alias_or_name, merge.this.name}
    for when in merge.args["whens"].expressions:
        then = when.args.get("then")
        if isinstance(then, exp.Insert) and isinstance(then.this, exp.Tuple) and isinstance(then.expression, exp.Tuple):
            pairs = list(zip(then.this.expressions, then.expression.expressions, strict=False))
        elif isinstance(then, exp.Update) and then.expressions:
            pairs = [(one.this, one.expression) for one in then.expressions if isinstance(one, exp.EQ)]
        elif isinstance(then, exp.Var) and then.name.upper() == "DELETE":
            continue
        else:
            every = exp.select("*").from_(source)
            return every.where(_without_target(merge.args["on"], target)) if _takes_all(merge) else None
        for column, value in pairs:
            if not isinstance(column, exp.Column):
                return None
            selects.append((column.name, value))
    if not selects:
        return None
    chosen = [exp.alias_(_without_target(value, target), name, quoted=True) for name, value in selects]
    return exp.select(*chosen).from_(source).where(_without_target(merge.args["on"], target))


def _takes_all(merge: Any) -> bool:
    return all(
        isinstance(then := when.args.get("then"), exp.Var)
        or (isinstance(then, exp.Update | exp.Insert) and "*" in then.sql())
        for when in merge.args["whens"].expressions
    )


def _without_target(value: Any, target: set[str]) -> Any:
    """What a column was before is no origin from elsewhere."""
    value = value.copy()
    for column in list(value.find_all(exp.Column)):
        if column.table in target or (column.parts[0].name in target and len(column.parts) > 1):
            if column is value:
                return exp.null()
            column.replace(exp.null())
    return value


def merged_columns(traced: Traced) -> Traced:
    """A column that several branches fill has the origins of all."""
    found: dict[str, Any] = {}
    for name, origins in traced.columns:
        if name in found and (found[name] is None or origins is None):
            found[name] = None
        elif name in found:
            found[name] = tuple(dict.fromkeys((*found[name], *(origins or ()))))
        else:
            found[name] = origins
    return Traced(tuple(found.items()), traced.rows)


__all__ = ["Names", "Query", "Reference", "merged_columns", "read_expression", "read_merge", "read_query_tokens"]
