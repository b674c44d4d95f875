"""A parsed statement enters; its tables leave as they are named, and its columns with the columns they are made from.

What a name means is sqlglot's knowledge: how a database folds it, and of which table a column is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers
from sqlglot.optimizer.qualify_columns import qualify_columns
from sqlglot.optimizer.qualify_tables import qualify_tables
from sqlglot.schema import MappingSchema

from lineage_hub.sdk.instrumentation.columns import Tracer
from lineage_hub.sdk.instrumentation.flows import Flow, Kind, Origin, Table

ColumnsOf = Callable[[Table], Sequence[str] | None]
# These databases keep names as they were written first, and compare them without their case.
_KEEP_SPELLING = frozenset({"sqlite", "duckdb", "tsql", "fabric", "bigquery"})
_FILE = re.compile(r"\.(csv|tsv|json|jsonl|ndjson|parquet|orc|avro|xlsx|txt)(\.(gz|zst|bz2))?$", re.IGNORECASE)
_READERS = re.compile(r"(read_\w+|\w+_scan)$", re.IGNORECASE)


class Statement:
    """How names of one statement are read: folded as the database folds them, spelled as they were written."""

    def __init__(self, dialect: str, columns_of: ColumnsOf) -> None:
        self.dialect, self._columns_of = dialect, columns_of
        self._keeps = dialect in _KEEP_SPELLING
        self._spelled: dict[str, str] = {}

    def normalise(self, expression: Any) -> None:
        """Names as the database folds them; where it keeps the spelling, that is remembered."""
        names = list(expression.find_all(exp.Identifier))
        before = [name.this for name in names]
        normalize_identifiers(expression, dialect=self.dialect or None)
        if self._keeps:
            for name, text in zip(names, before, strict=True):
                name.meta["written"] = text
                if not isinstance(name.parent, exp.Table):
                    self._spelled.setdefault(name.this, text)

    def spelled(self, column: str) -> str:
        return self._spelled.get(column, column)

    def table(self, node: Any) -> Table | None:
        """The table that a node names; None for functions, stages and the like."""
        this = node.this
        if isinstance(this, exp.Literal):
            return self.file(this.this)
        if isinstance(this, exp.Func):
            return self._file_of(this)
        parts = [part.meta.get("written", part.name) for part in node.parts]
        if not parts or not parts[-1] or not all(isinstance(part, exp.Identifier) for part in node.parts):
            return None
        if self.dialect == "duckdb" and len(parts) == 1 and _FILE.search(parts[0]):
            return self.file(parts[0])
        name = "#" + parts[-1] if this.args.get("temporary") else parts[-1]
        return Table(name, parts[-2] if len(parts) > 1 else "", ".".join(parts[:-2]))

    def type(self, kind: Any) -> str:
        """SQLite takes any word for a type, so there sqlglot writes what it makes of it."""
        return "" if kind is None else str(kind.sql(dialect=None if self.dialect in ("", "sqlite") else self.dialect))

    def file(self, address: str) -> Table | None:
        """Of a database that runs in this process a path is a path here; elsewhere only an address says where."""
        return Table("", address=address) if "://" in address or self.dialect == "duckdb" else None

    def _file_of(self, function: Any) -> Table | None:
        literal = function.find(exp.Literal)
        named = function.name if isinstance(function, exp.Anonymous) else function.sql_name()
        return self.file(literal.this) if literal is not None and literal.is_string and _READERS.match(named) else None

    def query(
        self,
        query: Any,
        output: Table | None = None,
        *,
        targets: Sequence[str] | None = None,
        by_name: bool = False,
        updated: Sequence[Any] = (),
        kind: Kind = Kind.WRITE,
        **more: Any,
    ) -> Flow:
        """`targets` are the output's columns in the order of the query's; `updated` tables are only written."""
        found = [(node, self.table(node)) for node in real_tables(query)]
        own = {id(node) for node in updated}
        inputs = tuple(dict.fromkeys(table for node, table in found if table is not None and id(node) not in own))
        columns: dict[str, tuple[Origin[Table], ...]] = {}
        whole: tuple[Origin[Table], ...] = ()
        if output is not None:
            try:
                columns, whole, names = self._columns(query, found, own, targets, by_name)
                more.setdefault("defines", tuple((name, "") for name in names) if by_name and names else ())
            except Exception:
                columns, whole = {}, ()
        return Flow(kind if output is not None else Kind.READ, inputs, output, columns, whole, **more)

    def _columns(
        self, query: Any, found: Any, own: set[int], targets: Sequence[str] | None, by_name: bool
    ) -> tuple[dict[str, tuple[Origin[Table], ...]], tuple[Origin[Table], ...], list[str]]:
        tables: dict[str, Table] = {}
        known: dict[str, list[str]] = {}
        for at, (node, table) in enumerate(found):
            name = f"_table_{at}"
            columns = self._columns_of(table) if table is not None else None
            if columns:
                known[name] = [self.folded(column) for column in columns]
            if table is not None and id(node) not in own:
                tables[name] = table
            stand_in(node, name)
        shorten(query)
        schema = MappingSchema(
            {name: dict.fromkeys(columns, "UNKNOWN") for name, columns in known.items()},
            dialect=self.dialect or None,
            normalize=False,
        )
        qualified = qualify_tables(query, dialect=self.dialect or None)
        qualified = qualify_columns(qualified, schema=schema, allow_partial_qualification=True)
        tracer = Tracer(qualified, tables, known)
        projections = tracer.projections()
        names = [self.spelled(name) for name, _ in projections or ()]
        if projections is None:
            projections = tracer.named_projections() if by_name else []
        if not by_name:
            given = targets if targets is not None and len(targets) == len(projections) else ()
            projections = [(target, origins) for target, (_, origins) in zip(given, projections, strict=False)]
        made: dict[str, tuple[Origin[Table], ...]] = {}
        for name, origins in projections:
            if name and origins:
                told = (*made.get(self.spelled(name), ()), *map(self._as_written, origins))
                made[self.spelled(name)] = tuple(dict.fromkeys(told))
        whole = tuple(dict.fromkeys(map(self._as_written, tracer.rows())))
        return made, whole, names if all(names) and len(set(names)) == len(names) else []

    def folded(self, column: str) -> str:
        if not self._keeps:
            return column
        self._spelled[column.lower()] = column
        return column.lower()

    def _as_written(self, origin: Origin[Table]) -> Origin[Table]:
        return Origin(origin.table, self.spelled(origin.column), origin.how, origin.masking)

    def columns_of(self, table: Table | None) -> Sequence[str] | None:
        columns = self._columns_of(table) if table is not None else None
        return [self.folded(column) for column in columns] if columns else None


def arg(node: Any, name: str) -> Any:
    return node.args.get(f"{name}_") or node.args.get(name)


def real_tables(expression: Any) -> list[Any]:
    names = {cte.alias for cte in expression.find_all(exp.CTE)}
    return [node for node in expression.find_all(exp.Table, bfs=False) if node.name not in names or not _is_cte(node)]


def _is_cte(node: Any) -> bool:
    """Whether a name is that of a WITH that can be seen from there: a WITH doesn't see itself, nor those after it."""
    if node.args.get("db") is not None or not isinstance(node.this, exp.Identifier):
        return False
    inner, outer = node, node.parent
    while outer is not None:
        if isinstance(outer, exp.With):
            seen = list(outer.expressions) if outer.recursive else _before(outer.expressions, inner)
        else:
            with_ = arg(outer, "with")
            seen = list(with_.expressions) if with_ is not None and with_ is not inner else []
        if any(cte.alias == node.name for cte in seen):
            return True
        inner, outer = outer, outer.parent
    return False


def _before(ctes: Sequence[Any], one: Any) -> list[Any]:
    return list(ctes[: next((at for at, cte in enumerate(ctes) if cte is one), 0)])


def stand_in(node: Any, name: str) -> None:
    """One short name for a table however it was named, under the alias by which its columns are called."""
    if not node.args.get("alias"):
        shown = node.name if isinstance(node.this, exp.Identifier) else name
        node.set("alias", exp.TableAlias(this=exp.to_identifier(shown, quoted=True)))
    node.set("this", exp.to_identifier(name))
    node.set("db", None)
    node.set("catalog", None)


def shorten(query: Any) -> None:
    """`shop.orders.id` is `orders.id`: the table is found by its alias."""
    for column in query.find_all(exp.Column):
        if column.args.get("db") is not None and not isinstance(column.this, exp.Star):
            column.set("db", None)
            column.set("catalog", None)
