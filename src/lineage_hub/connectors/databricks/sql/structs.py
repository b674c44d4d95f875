"""A query enters; it leaves with `data.*` written out where a literal in the query says which fields there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from lineage_hub.connectors.databricks.sql.functions import name_of
from lineage_hub.connectors.databricks.sql.scopes import Source, query_of, sources_of
from lineage_hub.connectors.databricks.sql.splitting import UNKNOWN
from lineage_hub.connectors.databricks.sql.tokens import DIALECT
from lineage_hub.sdk.instrumentation.statement import arg

_WITH_SCHEMA = ("from_json", "from_csv", "from_xml")
_DEEPEST = 20
_LONGEST = 20_000
Folded = Callable[[str], str]


def write_out_stars(select: Any, folded: Folded) -> None:
    made: list[Any] = []
    for one in select.expressions:
        fields = _fields_of_star(one, select)
        if fields is None:
            made.append(one)
            continue
        value, names = fields
        for name in names:
            field = exp.Dot(this=value.copy(), expression=exp.to_identifier(folded(name), quoted=True))
            alias = exp.to_identifier(folded(name), quoted=True)
            alias.meta["written"] = name
            made.append(exp.Alias(this=field, alias=alias))
    if len(made) != len(select.expressions) or any(a is not b for a, b in zip(made, select.expressions, strict=True)):
        select.set("expressions", made)


def _fields_of_star(projection: Any, select: Any) -> tuple[Any, list[str]] | None:
    if not isinstance(projection, exp.Dot) or not isinstance(projection.expression, exp.Star):
        return None
    star = projection.expression
    if arg(star, "replace") or arg(star, "rename"):
        return None
    without = {one.name.lower() for one in arg(star, "except") or ()}
    kind = type_of(projection.this, select)
    names = field_names(kind)
    if names is None or not without <= {one.lower() for one in names}:
        return None
    return projection.this, [one for one in names if one.lower() not in without]


def field_names(kind: Any) -> list[str] | None:
    if kind is None or not kind.is_type(exp.DataType.Type.STRUCT):
        return None
    names = [one.name for one in kind.expressions if isinstance(one, exp.ColumnDef)]
    return names if names and len(names) == len(kind.expressions) else None


def type_of(node: Any, select: Any, depth: int = 0) -> Any:
    """The type of a value where a literal says it; None otherwise."""
    if depth > _DEEPEST:
        return None
    if isinstance(node, exp.Paren | exp.Alias):
        return type_of(node.this, select, depth + 1)
    if isinstance(node, exp.Column):
        return _of_column(node, select, depth + 1)
    if isinstance(node, exp.Cast | exp.TryCast):
        return node.to
    if isinstance(node, exp.Dot):
        return _field(type_of(node.this, select, depth + 1), node.expression.name)
    if isinstance(node, exp.Bracket):
        return element(type_of(node.this, select, depth + 1))
    if not isinstance(node, exp.Func):
        return None
    if name_of(node) in _WITH_SCHEMA:
        given = node.expressions if isinstance(node, exp.Anonymous) else [node.this, node.args.get("expression")]
        return _parsed(given[1]) if len(given) > 1 else None
    if name_of(node) in ("explode", "explode_outer"):
        return element(type_of(_argument(node), select, depth + 1))
    return None


def _argument(call: Any) -> Any:
    return (call.expressions or [None])[0] if isinstance(call, exp.Anonymous) else call.this


def _parsed(schema: Any) -> Any:
    if not isinstance(schema, exp.Literal) or not schema.is_string or UNKNOWN in schema.this:
        return None
    if len(schema.this) > _LONGEST or schema.this.count("<") > _DEEPEST:
        return None
    for text in (schema.this, f"STRUCT<{schema.this}>"):
        try:
            found = exp.DataType.build(text.strip(), dialect=DIALECT)
        except (SqlglotError, ValueError):
            continue
        if found.is_type(exp.DataType.Type.STRUCT, exp.DataType.Type.ARRAY, exp.DataType.Type.MAP):
            return found
    return None


def element(kind: Any) -> Any:
    """Of an array; a map has keys and values."""
    if kind is None or not kind.is_type(exp.DataType.Type.ARRAY) or len(kind.expressions) != 1:
        return None
    return kind.expressions[0]


def _field(kind: Any, name: str) -> Any:
    if kind is None or not kind.is_type(exp.DataType.Type.STRUCT):
        return None
    return next((one.args.get("kind") for one in kind.expressions if one.name.lower() == name.lower()), None)


def _of_column(column: Any, select: Any, depth: int) -> Any:
    sources = sources_of(select) or []
    if column.table:
        sources = [one for one in sources if one.name == column.table]
    found = [(one, expression) for one in sources for expression in _expressions_of(one, column.name)]
    if len(found) != 1 or (not column.table and not _only(found[0][0], sources)):
        return None
    source, (expression, inner) = found[0]
    return _of_generator(source, column.name, select, depth) if inner is None else type_of(expression, inner, depth)


def _only(source: Source, sources: Sequence[Source]) -> bool:
    """Whether no other could have a column of that name: a query that tells its columns, or a generator."""
    return all(one is source or one.is_generator or _tells_columns(query_of(one)) for one in sources)


def _tells_columns(query: Any) -> bool:
    return isinstance(query, exp.Select) and not any(one.is_star for one in query.expressions)


def _expressions_of(source: Source, name: str) -> list[tuple[Any, Any]]:
    """What a source gives under a name, and the query in which that stands; a generator without a query."""
    if source.is_generator:
        return [(source.node.this, None)] if name in source.columns else []
    query = query_of(source)
    if not isinstance(query, exp.Select) or source.columns:
        return []
    named = [one for one in query.expressions if one.alias_or_name == name and not one.is_star]
    if named:
        return [(named[0], query)]
    stars = [one for one in query.expressions if isinstance(one, exp.Star) and not one.args]
    return [(exp.column(name), query)] if stars else []


def _of_generator(source: Source, name: str, select: Any, depth: int) -> Any:
    call, columns = source.node.this, source.columns
    kind = element(type_of(_argument(call), select, depth))
    made = name_of(call)
    if made in ("inline", "inline_outer"):
        names = field_names(kind) or []
        return kind.expressions[columns.index(name)].args.get("kind") if len(names) == len(columns) else None
    if made in ("explode", "explode_outer") and len(columns) == 1:
        return kind
    return kind if made in ("posexplode", "posexplode_outer") and len(columns) == 2 and name == columns[1] else None
