"""A parsed statement enters; by the rule of its kind, what it reads and writes leaves.

Each kind has one rule in `RULES`. One that writes rows is turned into the query that would give these rows, so that
every kind has the same lineage of columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from lineage_hub.sdk.instrumentation.flows import Flow, Kind, Table
from lineage_hub.sdk.instrumentation.statement import Statement, arg, real_tables

# Statements that sqlglot leaves as text, and that touch no rows.
_HARMLESS = frozenset(
    (
        "SET", "SHOW", "PRAGMA", "VACUUM", "ANALYZE", "EXPLAIN", "BEGIN", "START", "SAVEPOINT", "RELEASE", "LOCK",
        "UNLOCK", "GRANT", "REVOKE", "COMMENT", "DISCARD", "RESET", "CHECKPOINT", "LISTEN", "NOTIFY", "DEALLOCATE",
        "DECLARE", "CLOSE", "FETCH", "USE", "DESCRIBE", "ATTACH", "DETACH", "INSTALL", "LOAD", "REINDEX",
    )
)  # fmt: skip
_MODIFY = (exp.Insert, exp.Update, exp.Delete, exp.Merge)


def read(statement: Statement, expression: Any) -> list[Flow]:
    for kinds, rule in RULES:
        if isinstance(expression, kinds):
            before = [flow for one in _modifying(expression) for flow in read(statement, one)]
            return before + rule(statement, expression)
    return [Flow(Kind.OTHER)]


def _modifying(expression: Any) -> list[Any]:
    """Statements inside of WITH: each is one of its own, and then the rows that it returns."""
    with_ = arg(expression, "with")
    found: list[Any] = []
    for at, cte in enumerate(with_.expressions if with_ else ()):
        inner = cte.this
        if isinstance(inner, _MODIFY):
            before = [other.copy() for other in with_.expressions[:at]]
            target = _target(inner.this)[0]
            returning = inner.args.get("returning")
            rows = exp.select(*[one.copy() for one in (returning.expressions if returning else ())])
            cte.set("this", rows.from_(target.copy()) if returning else exp.select("1"))
            if before and not arg(inner, "with"):
                inner.set("with_", exp.With(expressions=before))
            found.append(inner)
    return found


def _target(node: Any) -> tuple[Any, list[str] | None]:
    """The table that is written, and the columns that are named with it."""
    if isinstance(node, exp.Schema):
        return node.this, [one.name for one in node.expressions if isinstance(one, exp.Identifier | exp.ColumnDef)]
    return node, None


def _select(statement: Statement, query: Any) -> list[Flow]:
    into = query.args.get("into")
    if into is not None and isinstance(into.this, exp.Table):
        query.set("into", None)
        output = statement.table(into.this)
        temporary = bool(into.args.get("temporary")) or _is_temporary(output)
        return [statement.query(query, output, by_name=True, temporary=temporary, counts_rows=True, commits=True)]
    return [statement.query(query)]


def _is_temporary(table: Table | None) -> bool:
    return table is not None and (table.name.startswith("#") or table.schema.lower() in ("temp", "pg_temp"))


def _insert(statement: Statement, insert: Any) -> list[Flow]:
    if not isinstance(insert.this, exp.Table | exp.Schema):
        # Into a folder or a function.
        return [Flow(Kind.UNKNOWN)]
    node, named = _target(insert.this)
    output = statement.table(node)
    if output is None:
        return [Flow(Kind.UNKNOWN)]
    query = insert.expression
    more: dict[str, Any] = {
        "temporary": _is_temporary(output), "counts_rows": True, "adds": not insert.args.get("overwrite"),
    }  # fmt: skip
    if isinstance(query, exp.Query) and not isinstance(query, exp.Values):
        _lend_with(insert, query)
        if insert.args.get("by_name"):
            more["defines"] = ()
            return [statement.query(query, output, by_name=True, **more)]
        targets = named if named is not None else statement.columns_of(output)
        return [statement.query(query, output, targets=targets, **more)]
    inner = [statement.table(one) for one in (real_tables(query) if isinstance(query, exp.Expression) else ())]
    inputs = tuple(dict.fromkeys(table for table in inner if table is not None))
    return [Flow(Kind.WRITE, inputs, output, **more)]


def _lend_with(statement: Any, query: Any) -> None:
    with_ = arg(statement, "with")
    if with_ is not None:
        own = arg(query, "with")
        statement.set("with_", None)
        query.set("with_", exp.With(expressions=[*with_.expressions, *(own.expressions if own else ())]))


def _inserts(statement: Statement, several: Any) -> list[Flow]:
    """One query for several tables."""
    source = several.args.get("source")
    found: list[Flow] = []
    for one in several.expressions:
        insert = one.this if isinstance(one, exp.ConditionalInsert) else one
        node, named = _target(insert.this)
        output = statement.table(node)
        if output is None or source is None:
            continue
        query = _of_each_row(insert.expression, source.copy())
        targets = named if named is not None else statement.columns_of(output)
        found.append(statement.query(query, output, targets=targets, temporary=_is_temporary(output), adds=True))
    return found or [Flow(Kind.UNKNOWN)]


def _of_each_row(given: Any, source: Any) -> Any:
    rows = source.subquery("_rows") if isinstance(source, exp.Query) else source
    if isinstance(given, exp.Select):
        return given.from_(rows)
    if isinstance(given, exp.Values):
        return exp.select(*given.expressions[0].expressions).from_(rows)
    return exp.select("*").from_(rows)


def _create(statement: Statement, create: Any) -> list[Flow]:
    if str(create.args.get("kind")).upper() not in ("TABLE", "VIEW"):
        return [Flow(Kind.OTHER, commits=True)]
    node, named = _target(create.this)
    output = statement.table(node)
    properties = create.args.get("properties")
    temporary = _is_temporary(output) or (properties is not None and properties.find(exp.TemporaryProperty) is not None)
    more: dict[str, Any] = {"temporary": temporary, "commits": not temporary}
    query = create.expression.unnest() if isinstance(create.expression, exp.Subquery) else create.expression
    if isinstance(query, exp.Query) and output is not None:
        _lend_with(create, query)
        more["counts_rows"] = str(create.args["kind"]).upper() == "TABLE"
        if named:
            names = [statement.spelled(name) for name in named]
            return [statement.query(query, output, targets=named, defines=tuple((one, "") for one in names), **more)]
        return [statement.query(query, output, by_name=True, **more)]
    clone = create.args.get("clone")
    if clone is not None and isinstance(clone.this, exp.Table):
        return [statement.query(exp.select("*").from_(clone.this), output, by_name=True, **more)]
    defines = tuple(
        (statement.spelled(one.name), statement.type(one.kind))
        for one in (create.this.expressions if isinstance(create.this, exp.Schema) else ())
        if isinstance(one, exp.ColumnDef)
    )
    return [Flow(Kind.DEFINE, output=output, defines=defines, **more)]


def _update(statement: Statement, update: Any) -> list[Flow]:
    """UPDATE … FROM, and MySQL's with joins; the rows are those of the tables together."""
    target, beside = update.this, arg(update, "from")
    sources = [target, *([beside.this] if beside is not None else ())]
    named = _by_alias(sources, target) if beside is not None else None
    if named is not None:
        # The target is an alias of what stands in FROM.
        sources, target = sources[1:], named
    query = _of_tables(update, sources)
    written: dict[int, tuple[Any, list[tuple[str, Any]]]] = {}
    for assignment in update.expressions:
        column = assignment.this
        node = (_by_alias([query], column) if isinstance(column, exp.Column) and column.table else None) or target
        written.setdefault(id(node), (node, []))[1].append((column.name, assignment.expression))
    return [
        _updated(statement, query, node, [(name, expression.copy()) for name, expression in assigned])
        for node, assigned in written.values()
    ] or [Flow(Kind.UNKNOWN)]


def _by_alias(sources: Sequence[Any], wanted: Any) -> Any:
    name = wanted.table if isinstance(wanted, exp.Column) else wanted.name
    for source in sources:
        for node in source.find_all(exp.Table):
            if node is not wanted and node.alias_or_name == name and not (isinstance(wanted, exp.Table) and wanted.db):
                return node
    return None


def _of_tables(statement: Any, sources: Sequence[Any]) -> Any:
    """The join of what stands there; the WITH and WHERE of the statement are the query's."""
    query = exp.Select(expressions=[exp.Literal.number(1)])
    for at, source in enumerate(sources):
        joins = list(source.args.get("joins") or ())
        source.set("joins", None)
        if at == 0:
            query.set("from_", exp.From(this=source))
        else:
            query.append("joins", exp.Join(this=source, kind="CROSS"))
        for join in joins:
            query.append("joins", join)
    where = statement.args.get("where")
    if where is not None:
        query.set("where", where)
    _lend_with(statement, query)
    return query


def _updated(statement: Statement, query: Any, node: Any, assigned: list[tuple[str, Any]], **more: Any) -> Flow:
    """One table of the query is written; of its own columns nothing flows into it."""
    place = next(at for at, one in enumerate(real_tables(query)) if one is node)
    query = query.copy()
    node = real_tables(query)[place]
    query.set("expressions", [exp.alias_(expression, f"_{at}") for at, (_, expression) in enumerate(assigned)])
    output = statement.table(node)
    temporary = _is_temporary(output)
    targets = [name for name, _ in assigned]
    return statement.query(
        query, output, targets=targets, updated=[node], temporary=temporary, adds=True, counts_rows=True, **more
    )


def _merge(statement: Statement, merge: Any) -> list[Flow]:
    query = _of_tables(merge, [merge.this, merge.args["using"]])
    on = merge.args.get("on")
    if on is not None:
        query.args["joins"][0].set("on", on)
        query.args["joins"][0].set("kind", None)
    assigned: list[tuple[str, Any]] = []
    whens = merge.args.get("whens")
    for when in whens.expressions if whens is not None else merge.expressions:
        if when.args.get("condition") is not None:
            query = query.where(when.args["condition"], copy=False)
        assigned += _assigned(statement, when.args.get("then"), statement.table(merge.this))
    return [_updated(statement, query, _target(merge.this)[0], assigned or [("", exp.Literal.number(1))])]


def _assigned(statement: Statement, then: Any, target: Table | None) -> list[tuple[str, Any]]:
    if isinstance(then, exp.Update):
        pairs = [one for one in then.expressions if isinstance(one, exp.EQ)]
        return [(one.this.name, one.expression.copy()) for one in pairs]
    if isinstance(then, exp.Insert) and isinstance(then.expression, exp.Tuple):
        values = then.expression.expressions
        names = [one.name for one in then.this.expressions] if isinstance(then.this, exp.Tuple) else None
        targets = names or statement.columns_of(target) or []
        if len(targets) == len(values):
            return [(name, value.copy()) for name, value in zip(targets, values, strict=True)]
    return []


def _delete(statement: Statement, delete: Any) -> list[Flow]:
    using = delete.args.get("using") or []
    target = delete.this
    if not isinstance(target, exp.Table):
        return [Flow(Kind.UNKNOWN)]
    query = _of_tables(delete, [target, *(using if isinstance(using, list) else [using])])
    nodes = real_tables(query)
    written = [_by_alias(nodes, one) for one in delete.args.get("tables") or ()] or [target]
    found: list[Flow] = []
    for node in written:
        output = statement.table(node) if node is not None else None
        if output is not None:
            inputs = [statement.table(one) for one in nodes if one is not node]
            told = tuple(dict.fromkeys(table for table in inputs if table is not None))
            found.append(Flow(Kind.WRITE, told, output, temporary=_is_temporary(output), adds=True))
    return found or [Flow(Kind.UNKNOWN)]


def _truncate(statement: Statement, truncate: Any) -> list[Flow]:
    tables = [statement.table(node) for node in truncate.expressions if isinstance(node, exp.Table)]
    return [
        Flow(Kind.WRITE, output=table, temporary=_is_temporary(table), commits=True)
        for table in tables
        if table is not None
    ]


def _copy(statement: Statement, copy: Any) -> list[Flow]:
    """FROM files into a table, or the other way round; what a client streams is no dataset."""
    files = [_address(statement, one) for one in copy.args.get("files") or ()]
    addresses = tuple(one for one in files if one is not None)
    this = copy.this.unnest() if isinstance(copy.this, exp.Subquery) else copy.this
    if copy.args.get("kind"):
        output = statement.table(_target(this)[0])
        return [Flow(Kind.WRITE, addresses, output, temporary=_is_temporary(output), adds=True, counts_rows=True)]
    query = this if isinstance(this, exp.Query) else exp.select("*").from_(_target(this)[0])
    return [statement.query(query, addresses[0] if addresses else None, by_name=True, defines=(), counts_rows=True)]


def _address(statement: Statement, node: Any) -> Table | None:
    if isinstance(node, exp.Table):
        return statement.table(node) if isinstance(node.this, exp.Literal) else None
    return statement.file(node.this) if isinstance(node, exp.Literal) else None


def _load(statement: Statement, load: Any) -> list[Flow]:
    path = load.args.get("inpath")
    table = _address(statement, path) if path is not None else None
    output = statement.table(_target(load.this)[0])
    return [Flow(Kind.WRITE, (table,) if table is not None else (), output, adds=not load.args.get("overwrite"))]


def _forget(statement: Statement, change: Any) -> list[Flow]:
    found = [Flow(Kind.FORGET, output=statement.table(node), commits=True) for node in change.find_all(exp.Table)]
    return found or [Flow(Kind.OTHER, commits=True)]


def _command(_: Statement, command: Any) -> list[Flow]:
    return [Flow(Kind.OTHER if str(command.this).upper() in _HARMLESS else Kind.UNKNOWN)]


def _rollback(_: Statement, rollback: Any) -> list[Flow]:
    return [Flow(Kind.OTHER if rollback.args.get("savepoint") else Kind.ROLLBACK)]


RULES: tuple[tuple[Any, Callable[[Statement, Any], list[Flow]]], ...] = (
    (exp.MultitableInserts, _inserts),
    (exp.Insert, _insert),
    (exp.Update, _update),
    (exp.Delete, _delete),
    (exp.Merge, _merge),
    (exp.Create, _create),
    (exp.Copy, _copy),
    (exp.LoadData, _load),
    (exp.TruncateTable, _truncate),
    ((exp.Drop, exp.Alter), _forget),
    (exp.Commit, lambda *_: [Flow(Kind.COMMIT)]),
    (exp.Rollback, _rollback),
    (exp.Command, _command),
    (exp.Query, _select),
)
