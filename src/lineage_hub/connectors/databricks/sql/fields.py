"""A query enters; it leaves with columns told from fields of structs, and with generators that name what they make.

`a.b.c` may be a table's column, a column's field, or a field's field: what stands in FROM decides. A generator such as
`explode` sees the sources before it, and its columns are those of its alias.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot import exp

from lineage_hub.connectors.databricks.sql.functions import name_of
from lineage_hub.connectors.databricks.sql.scopes import (
    Source,
    enclosing,
    inner_nodes,
    matched,
    source_nodes,
    sources_of,
)
from lineage_hub.connectors.databricks.sql.splitting import UNKNOWN
from lineage_hub.connectors.databricks.sql.structs import Folded, write_out_stars

_MOST_GENERATORS = 40
_BY_ALIAS = ("order", "group", "having", "qualify", "sort", "cluster", "distribute")
Known = Mapping[int, Sequence[str]]


def tell_fields(query: Any, known: Known, folded: Folded) -> None:
    """`known` are columns of tables, by the ids of their nodes."""
    selects = list(query.find_all(exp.Select))
    for at, select in enumerate(selects):
        _name_sources(select, at)
    for select in selects:
        sources = sources_of(select)
        if sources is None:
            continue
        around = [sources_of(outer) for outer in enclosing(select)]
        if None not in around:
            outer_sources = [one for found in around for one in found or ()]
            for column in inner_nodes(select, exp.Column):
                _split(column, sources, outer_sources)
    for select in selects:
        sources = sources_of(select)
        if sources is not None and 0 < sum(one.is_generator for one in sources) <= _MOST_GENERATORS:
            _qualify(select, sources, known)
    for select in reversed(selects):
        _write_out_aliases(select)
        write_out_stars(select, folded)


def _name_sources(select: Any, number: int) -> None:
    """Queries and functions may have no name of their own, as in `LATERAL VIEW explode(x) AS a`."""
    for at, node in enumerate(source_nodes(select)):
        alias = node.args.get("alias")
        is_nameless = isinstance(node, exp.Lateral | exp.Subquery) or (
            isinstance(node, exp.Table) and isinstance(node.this, exp.Func) and name_of(node.this) != "identifier"
        )
        if not is_nameless or (alias is not None and alias.name):
            continue
        name = exp.to_identifier(f"_made_{number}_{at}", quoted=True)
        if alias is None:
            node.set("alias", exp.TableAlias(this=name))
        else:
            alias.set("this", name)


def _split(column: Any, sources: Sequence[Source], around: Sequence[Source]) -> None:
    parts = list(column.parts)
    is_star = isinstance(column.this, exp.Star)
    if len(parts) == 1 or any(not isinstance(one, exp.Identifier) for one in parts[: len(parts) - is_star]):
        return
    names = [one.name for one in parts]
    if any(UNKNOWN in one for one in names):
        return
    found = matched(names, sources) or matched(names, around)
    source, length = found if found is not None else (None, 0)
    if length == len(parts) - 1:
        if length > 1 and source is not None:
            column.set("table", exp.to_identifier(source.name, quoted=True))
            column.set("db", None)
            column.set("catalog", None)
        return
    first = exp.column(parts[length].copy(), table=exp.to_identifier(source.name, quoted=True) if source else None)
    made: Any = first
    for part in parts[length + 1 :]:
        made = exp.Dot(this=made, expression=part.copy())
    if not is_star and isinstance(column.parent, exp.Select) and column.arg_key == "expressions":
        made = exp.Alias(this=made, alias=parts[-1].copy())
    column.replace(made)


def _qualify(select: Any, sources: Sequence[Source], known: Known) -> None:
    plain = [one for one in sources if not one.is_generator]
    generators = [one for one in sources if one.is_generator]
    hidden = [one for one in generators if not one.columns]
    for at, generator in enumerate(generators):
        for column in inner_nodes(generator.node.this, exp.Column):
            # Which of its arguments fills which column depends on how many there are.
            if name_of(generator.node.this) == "stack":
                _set(column, None, plain)
            elif not column.table:
                _set(column, _told(column.name, plain, generators[:at], known), plain)
    if hidden:
        return
    within = {id(column) for one in generators for column in inner_nodes(one.node, exp.Column)}
    aliases = {one.alias for one in select.expressions if isinstance(one, exp.Alias)}
    for column in inner_nodes(select, exp.Column):
        if column.table or id(column) in within or isinstance(column.this, exp.Star):
            continue
        made = next((one for one in generators if column.name in one.columns), None)
        if made is None and column.name in aliases and _may_be_alias(column, select):
            if not _stands_in(column, select, _BY_ALIAS):
                column.this.set("this", UNKNOWN)
            continue
        told = made or _told(column.name, plain, (), known)
        if told is not None:
            _set(column, told, plain)


def _may_be_alias(column: Any, select: Any) -> bool:
    """A name that an expression beside it has as well; `x AS x` calls the column."""
    node = column
    while node.parent is not select and node.parent is not None:
        node = node.parent
    return not (isinstance(node, exp.Alias) and node.alias == column.name)


def _stands_in(column: Any, select: Any, clauses: Sequence[str]) -> bool:
    node = column
    while node.parent is not select and node.parent is not None:
        node = node.parent
    return node.arg_key in clauses


def _told(name: str, plain: Sequence[Source], before: Sequence[Source], known: Known) -> Source | None:
    made = next((one for one in before if name in one.columns), None)
    if made is not None:
        return made
    if any(not one.columns for one in before):
        return None
    having = [one for one in plain if name in known.get(id(one.node), ())]
    if len(having) == 1:
        return having[0]
    possible = [one for one in plain if id(one.node) not in known]
    return possible[0] if len(possible) == 1 and not having else None


def _set(column: Any, source: Source | None, plain: Sequence[Source]) -> None:
    """A column that can't be told is one of some source that has no name."""
    if source is None:
        column.this.set("this", UNKNOWN)
        source = plain[0] if plain else None
    if source is not None:
        column.set("table", exp.to_identifier(source.name, quoted=True))


def _write_out_aliases(select: Any) -> None:
    """`posexplode(x) AS (pos, item)` gives two columns."""
    if not any(isinstance(one, exp.Aliases) for one in select.expressions):
        return
    made: list[Any] = []
    for one in select.expressions:
        if not isinstance(one, exp.Aliases):
            made.append(one)
            continue
        names = one.args["expressions"]
        for at, name in enumerate(names):
            value = _part(one.this, at, len(names))
            made.append(exp.Alias(this=value, alias=name.copy()))
    select.set("expressions", made)


def _part(call: Any, at: int, count: int) -> Any:
    """Of what a call gives the part that one column gets: `stack` deals its values out in turn."""
    if not isinstance(call, exp.Func) or name_of(call) != "stack":
        return call.copy()
    given = call.expressions[1:] if isinstance(call, exp.Anonymous) else call.expressions
    return exp.func("coalesce", *(one.copy() for one in given[at::count])) if given else exp.column(UNKNOWN)
