"""A query whose columns are qualified enters; for each column it gives, the columns of tables it is made from leave.

Only what is sure: a column that could be of two tables is of none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.scope import Scope, build_scope

from lineage_hub.sdk.instrumentation.flows import How, Origin, Table

_HASHES = (exp.MD5, exp.MD5Digest, exp.SHA, exp.SHA2, exp.FarmFingerprint, exp.StandardHash)
# Of a window they pick a row's value, and aggregate nothing.
_PICKING = (exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue)
_CLAUSES = (
    ("where", How.FILTER), ("having", How.FILTER), ("qualify", How.FILTER), ("group", How.GROUP_BY),
    ("order", How.SORT), ("distinct", How.GROUP_BY),
)  # fmt: skip
Origins = dict[Origin[Table], None]


class Tracer:
    """`tables` holds the tables by the name that stands for each in the query, `known` the columns of some of them."""

    def __init__(self, query: Any, tables: Mapping[str, Table], known: Mapping[str, Iterable[str]]) -> None:
        self._tables, self._known = tables, known
        self._columns: dict[tuple[int, str], Origins | None] = {}
        self._rows: dict[int, Origins | None] = {}
        self._scopes: dict[int, Scope] = {}
        self._unsure = False
        self._unsure_columns: set[tuple[int, str]] = set()
        self.root: Scope | None = build_scope(query)
        if self.root is not None:
            for scope in self.root.traverse():
                self._scopes.setdefault(id(scope.expression), scope)

    def projections(self) -> list[tuple[str, list[Origin[Table]]]] | None:
        """The columns in order; None when a star hides how many there are."""
        if self.root is None:
            return None
        selects = _selects(self.root)
        if any(_is_star(one) for one in selects):
            return None
        return [(one.alias_or_name, list(self._of_position(self.root, at))) for at, one in enumerate(selects)]

    def sure_projections(self) -> list[tuple[str, list[Origin[Table]] | None]] | None:
        """As `projections`, but None instead of origins where one of them could not be found."""
        if self.root is None or any(_is_star(one) for one in _selects(self.root)):
            return None
        found: list[tuple[str, list[Origin[Table]] | None]] = []
        for at, one in enumerate(_selects(self.root)):
            self._unsure = False
            origins = list(self._of_position(self.root, at))
            found.append((one.alias_or_name, None if self._unsure else origins))
        return found

    def named_projections(self) -> list[tuple[str, list[Origin[Table]]]]:
        """Those beside a star, for whoever takes columns by name."""
        if self.root is None or not isinstance(self.root.expression, exp.Select):
            return []
        selects = enumerate(self.root.expression.selects)
        return [(one.alias_or_name, list(self._of_position(self.root, at))) for at, one in selects if not _is_star(one)]

    def rows(self) -> list[Origin[Table]]:
        return list(self._of_rows(self.root)) if self.root is not None else []

    def _of_position(self, scope: Scope, at: int) -> Origins:
        found: Origins = {}
        branches = list(_branches(scope))
        self._unsure = self._unsure or not branches
        for select in branches:
            selects = _selects(select)
            if at < len(selects) and not any(_is_star(one) for one in selects[: at + 1]):
                found |= self._of_expression(select, selects[at].unalias())
            else:
                self._unsure = True
        return found

    def _of_name(self, scope: Scope, name: str) -> Origins:
        key = (id(scope), name)
        if key in self._columns:
            # Of a recursive query that is being looked at already nothing more is known.
            self._unsure = self._unsure or key in self._unsure_columns
            return self._columns[key] or {}
        self._columns[key] = None
        before, self._unsure = self._unsure, False
        found = self._look_up(scope, name)
        self._columns[key] = found
        if self._unsure:
            self._unsure_columns.add(key)
        self._unsure = self._unsure or before
        return found

    def _look_up(self, scope: Scope, name: str) -> Origins:
        expression = scope.expression
        if isinstance(expression, exp.UDTF):
            return self._of_function(scope, expression)
        if not isinstance(expression, exp.Query):
            self._unsure = True
            return {}
        selects = expression.selects
        at = next((at for at, one in enumerate(selects) if one.alias_or_name == name and not _is_star(one)), None)
        if at is not None and isinstance(expression, exp.Select):
            return self._of_expression(scope, selects[at].unalias())
        if at is not None:
            return self._of_position(scope, at)
        stars = [one for one in selects if _is_star(one)]
        if len(stars) == 1 and not isinstance(expression, exp.SetOperation) and not _changes_columns(stars[0]):
            # Fields of a struct, or columns of the only source, or of the one that is named.
            if isinstance(stars[0], exp.Dot):
                return self._of_expression(scope, stars[0].this)
            source = getattr(stars[0], "table", "") or _only(scope.selected_sources)
            if source in scope.selected_sources:
                return self._of_column(scope, exp.column(name, table=source))
        self._unsure = True
        return {}

    def _of_function(self, scope: Scope, expression: Any) -> Origins:
        """Rows that a function makes of columns of the tables beside it."""
        if isinstance(expression, exp.Values) or scope.parent is None:
            return {}
        found: Origins = {}
        for column in expression.find_all(exp.Column):
            for origin in self._of_column(scope.parent, column):
                found[origin.through(How.TRANSFORMATION)] = None
        return found

    def _of_expression(self, scope: Scope, expression: Any) -> Origins:
        found: Origins = {}
        # `struct(*)` is made of columns that nobody names.
        self._unsure = self._unsure or any(True for _ in _within(expression, exp.Star, _stands_for_columns))
        for column, how, masking in _uses(expression):
            for origin in self._of_column(scope, column):
                found[origin.through(how, masking=masking)] = None
        for query in _queries_in(expression):
            inner = self._scopes.get(id(query))
            if inner is not None:
                for at in range(len(query.selects)):
                    for origin in self._of_position(inner, at):
                        found[origin.through(How.TRANSFORMATION)] = None
                found |= self._of_rows(inner)
        return found

    def _of_column(self, scope: Scope | None, column: Any) -> Origins:
        while scope is not None:
            name = column.table or self._only_source(scope, column.name)
            source = scope.sources.get(name) if name else None
            if isinstance(source, exp.Table):
                table = self._tables.get(source.name)
                # What a pivot makes are columns of its own.
                if table is not None and not source.args.get("pivots"):
                    return {Origin(table, column.name): None}
                self._unsure = True
                return {}
            if source is not None:
                # Inside of a recursive query it stands for its first part, without what that part sees.
                return self._of_name(self._scopes.get(id(source.expression), source), column.name)
            # Of a query within a query, whose columns may be those of the one around it.
            scope = scope.parent
        self._unsure = True
        return {}

    def _of_clause_name(self, scope: Scope, column: Any) -> Origins:
        """ORDER BY and the like may call a column by the name that the query gives it."""
        selects = _selects(scope)
        at = next(
            (at for at, one in enumerate(selects) if isinstance(one, exp.Alias) and one.alias == column.name), None
        )
        return self._of_column(scope, column) if at is None else self._of_expression(scope, selects[at].unalias())

    def _only_source(self, scope: Scope, column: str) -> str:
        """The one source that may have such a column, when all others are known not to."""
        candidates = []
        for name, (_, source) in scope.selected_sources.items():
            columns = self._columns_of(source)
            if columns is None:
                candidates.append(name)
            elif column in columns:
                return name
        return candidates[0] if len(candidates) == 1 and not scope.is_correlated_subquery else ""

    def _columns_of(self, source: Any) -> Iterable[str] | None:
        if isinstance(source, exp.Table):
            return self._known.get(source.name)
        selects = source.expression.selects if isinstance(source.expression, exp.Query) else None
        return None if selects is None or any(_is_star(one) for one in selects) else {s.alias_or_name for s in selects}

    def _of_rows(self, scope: Scope) -> Origins:
        if id(scope) in self._rows:
            return self._rows[id(scope)] or {}
        self._rows[id(scope)] = None
        found: Origins = {}
        for select in _branches(scope):
            found |= self._of_clauses(select)
            for _, source in select.selected_sources.values():
                if isinstance(source, Scope) and isinstance(source.expression, exp.Query):
                    found |= self._of_rows(source)
        self._rows[id(scope)] = found
        return found

    def _of_clauses(self, scope: Scope) -> Origins:
        expression = scope.expression
        if not isinstance(expression, exp.Select):
            return {}
        found: Origins = {}
        for name, how in _CLAUSES:
            found |= self._indirectly(scope, expression.args.get(name), how)
        for join in expression.args.get("joins") or ():
            found |= self._indirectly(scope, join.args.get("on"), How.JOIN)
        return found

    def _indirectly(self, scope: Scope, clause: Any, how: How) -> Origins:
        if not isinstance(clause, exp.Expression):
            return {}
        found: Origins = {}
        for column in _columns_in(clause):
            origins = self._of_column(scope, column) if column.table else self._of_clause_name(scope, column)
            found |= {origin.through(how): None for origin in origins}
        for query in _queries_in(clause):
            inner = self._scopes.get(id(query))
            if inner is not None:
                for at in range(len(query.selects)):
                    found |= {origin.through(how): None for origin in self._of_position(inner, at)}
                found |= self._of_rows(inner)
        return found


def _branches(scope: Scope) -> Iterator[Scope]:
    """A query is its own branch; a union has several."""
    if isinstance(scope.expression, exp.SetOperation):
        for branch in scope.set_operation_scopes:
            yield from _branches(branch)
    elif isinstance(scope.expression, exp.Subquery):
        for inner in scope.subquery_scopes:
            yield from _branches(inner)
    elif isinstance(scope.expression, exp.Select):
        yield scope


def _selects(scope: Scope) -> list[Any]:
    return list(getattr(scope.expression, "selects", ()))


def _is_star(projection: Any) -> bool:
    return bool(projection.is_star) and not isinstance(projection, exp.Count)


def _changes_columns(star: Any) -> bool:
    """`* RENAME (a AS b)` and `* REPLACE (f(a) AS a)` give other columns under these names."""
    found = star.find(exp.Star)
    return found is None or any(found.args.get(one) for name in ("rename", "replace") for one in (name, f"{name}_"))


def _only(names: Iterable[str]) -> str:
    found = list(names)
    return found[0] if len(found) == 1 else ""


def _within(expression: Any, wanted: type[Any], found: Callable[[Any], bool]) -> Iterator[Any]:
    """Nodes of a kind, but not those inside of a query within."""
    for node in expression.walk(prune=lambda one: isinstance(one, exp.Query)):
        if isinstance(node, wanted) and found(node):
            yield node


def _stands_for_columns(star: Any) -> bool:
    around = star.parent.parent if isinstance(star.parent, exp.Column) else star.parent
    return not isinstance(around, exp.Count | exp.Dot)


def _columns_in(expression: Any) -> Iterator[Any]:
    return _within(expression, exp.Column, lambda column: not isinstance(column.this, exp.Star))


def _queries_in(expression: Any) -> Iterator[Any]:
    for query in _within(expression, exp.Query, lambda _: True):
        yield query.unnest() if isinstance(query, exp.Subquery) else query


def _uses(expression: Any) -> Iterator[tuple[Any, How, bool]]:
    if isinstance(expression.unnest(), exp.Column):
        yield expression.unnest(), How.IDENTITY, False
        return
    for column in _columns_in(expression):
        yield column, *_way(column, expression)


def _way(column: Any, top: Any) -> tuple[How, bool]:
    """What stands between a column and the expression that uses it."""
    how, masking, node = How.TRANSFORMATION, False, column
    while node is not top:
        inner, node = node, node.parent
        if isinstance(node, exp.If | exp.Case | exp.Filter) and _is_condition(inner, node):
            return How.CONDITIONAL, masking
        if isinstance(node, exp.Window) and inner is not node.this:
            return How.WINDOW, masking
        if isinstance(node, exp.AggFunc) and not isinstance(node, _PICKING):
            how = How.AGGREGATION
        masking = masking or isinstance(node, _HASHES)
    return how, masking


def _is_condition(inner: Any, node: Any) -> bool:
    return inner is node.expression if isinstance(node, exp.Filter) else inner.arg_key == "this"
