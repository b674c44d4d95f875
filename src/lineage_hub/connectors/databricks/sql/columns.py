"""A query with its references enters; its columns leave in order, each with the columns of sources it is made from.

The tracing is the SDK's. A column whose origins can't all be told has none here, and is not taken for a constant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp
from sqlglot.errors import OptimizeError
from sqlglot.optimizer.qualify_columns import qualify_columns
from sqlglot.optimizer.qualify_tables import qualify_tables
from sqlglot.schema import MappingSchema

from lineage_hub.connectors.databricks.reading import ColumnOrigin, StreamSource
from lineage_hub.connectors.databricks.sql.fields import tell_fields
from lineage_hub.connectors.databricks.sql.references import Reference, Spelling
from lineage_hub.connectors.databricks.sql.splitting import UNKNOWN
from lineage_hub.connectors.databricks.sql.tokens import DIALECT
from lineage_hub.sdk.instrumentation.columns import Tracer
from lineage_hub.sdk.instrumentation.flows import DIRECT, Origin, Table
from lineage_hub.sdk.instrumentation.statement import shorten, stand_in

_MADE_UP = re.compile(r"_col_\d+")  # by sqlglot, for an expression without a name
Origins = tuple[ColumnOrigin, ...]
ColumnsOf = Callable[[str], Sequence[str] | None]


@dataclass(frozen=True)
class Traced:
    """Columns in the query's order, and the columns that decide about its rows. Some have no name that is known."""

    columns: tuple[tuple[str, Origins | None], ...]
    rows: Origins

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.columns]

    def named(self, names: Sequence[str] | None = None) -> Mapping[str, Origins] | None:
        """By the query's names, or by those of a table whose columns are filled in this order."""
        names = self.names if names is None else names
        if len(names) != len(self.columns) or any(UNKNOWN in name for name in names):
            return None
        found: dict[str, Origins] = {}
        for name, (_, origins) in zip(names, self.columns, strict=True):
            if name and origins is not None:
                found[name] = tuple(dict.fromkeys((*origins, *self.rows)))
        return found or None


class Doubtful(Exception):
    """A name may be a column's or that of a column beside it, and only the table could tell."""


def trace(
    query: Any,
    references: Sequence[Reference],
    spelling: Spelling,
    columns_of: ColumnsOf,
    *,
    hide_doubtful: bool = False,
) -> Traced | None:
    """Nothing where the columns can't be known. The query is changed; `Doubtful` asks for it anew, to hide names."""
    try:
        return _trace(query, references, spelling, columns_of, hide_doubtful)
    except OptimizeError:
        if hide_doubtful:
            return None
        raise Doubtful from None
    except Exception:
        return None


def _trace(
    query: Any, references: Sequence[Reference], spelling: Spelling, columns_of: ColumnsOf, hide_doubtful: bool
) -> Traced | None:
    tables: dict[str, Table] = {}
    known: dict[str, list[str]] = {}
    sources: dict[str, StreamSource] = {}
    nodes: dict[str, Any] = {}
    for at, reference in enumerate(references):
        if reference.node is None:
            continue
        name = f"_source_{at}"
        nodes[name] = reference.node
        if reference.source is not None:
            sources[name] = reference.source
            tables[name] = Table(name)
            columns = reference.columns or _columns_of(reference.source, columns_of)
            if columns:
                known[name] = [spelling.folded(column) for column in columns]
        elif reference.node.args.get("alias") is None:
            return None
    tell_fields(query, {id(nodes[name]): columns for name, columns in known.items()}, spelling.folded)
    for name, node in nodes.items():
        stand_in(node, name)
    shorten(query)
    written = [_written(one) for one in query.selects]
    schema = MappingSchema(
        {name: dict.fromkeys(columns, "UNKNOWN") for name, columns in known.items()},
        dialect=DIALECT,
        normalize=False,
    )
    qualified = _qualified(qualify_tables(query, dialect=DIALECT), schema, hide_doubtful)
    tracer = Tracer(qualified, tables, known)
    projections = tracer.sure_projections()
    if projections is None or any(UNKNOWN in name for name, _ in projections):
        return None
    names = [name for name, _ in projections]
    # A star has made more of them.
    names = written if [one.lower() for one in written] == names else [_named(name, spelling) for name in names]
    return Traced(
        tuple((name, _told(one, sources, spelling)) for name, (_, one) in zip(names, projections, strict=True)),
        tuple(
            ColumnOrigin(one.table, one.column, direct=False)
            for one in _told(tracer.rows(), sources, spelling, partly=True) or ()
        ),
    )


def _qualified(query: Any, schema: MappingSchema, hide_doubtful: bool) -> Any:
    """Columns with their tables, where those are sure."""
    if not hide_doubtful:
        return qualify_columns(query, schema, allow_partial_qualification=True, dialect=DIALECT)
    for select in query.find_all(exp.Select):
        _hide_doubtful(select)
    return qualify_columns(query, schema, expand_alias_refs=False, allow_partial_qualification=True)


def _hide_doubtful(select: Any) -> None:
    before: set[str] = set()
    for one in select.selects:
        for column in list(one.find_all(exp.Column)):
            if not column.table and column.name in before:
                column.this.set("this", UNKNOWN)
        if isinstance(one, exp.Alias) and all(column.name != one.alias for column in one.find_all(exp.Column)):
            before.add(one.alias)


def _named(name: str, spelling: Spelling) -> str:
    """None where the query gives none: Spark would make one of the expression's text."""
    return "" if _MADE_UP.fullmatch(name) and not spelling.knows(name) else spelling.spelled(name)


def _written(projection: Any) -> str:
    name = projection.args.get("alias") if isinstance(projection, exp.Alias) else getattr(projection, "this", None)
    return str(name.meta.get("written", name.name)) if isinstance(name, exp.Identifier) else projection.alias_or_name


def _columns_of(source: StreamSource, columns_of: ColumnsOf) -> Sequence[str] | None:
    return columns_of(source.path) if source.kind == "table" and source.path else None


def _told(
    origins: Iterable[Origin[Table]] | None,
    sources: Mapping[str, StreamSource],
    spelling: Spelling,
    *,
    partly: bool = False,
) -> Origins | None:
    if origins is None:
        return None
    found: dict[ColumnOrigin, None] = {}
    for origin in origins:
        source = sources[origin.table.name]
        names = source.topics or ([source.path] if source.path else [])
        known = bool(names) and UNKNOWN not in origin.column and origin.column != "*"
        if not known and not partly:
            return None
        for name in names if known else ():
            found[ColumnOrigin(name, spelling.spelled(origin.column), origin.how in DIRECT)] = None
    return tuple(found)
