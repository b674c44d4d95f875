"""A query with its references enters; its columns leave in order, each with the columns of sources it is made from.

The tracing is the SDK's. A column whose origins can't all be told has none here, and is not taken for a constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot.optimizer.qualify_columns import qualify_columns
from sqlglot.optimizer.qualify_tables import qualify_tables
from sqlglot.schema import MappingSchema

from lineage_hub.connectors.databricks.reading import ColumnOrigin, StreamSource
from lineage_hub.connectors.databricks.sql.functions import KAFKA_COLUMNS
from lineage_hub.connectors.databricks.sql.references import Reference, Spelling
from lineage_hub.connectors.databricks.sql.splitting import UNKNOWN
from lineage_hub.sdk.instrumentation.columns import Tracer
from lineage_hub.sdk.instrumentation.flows import DIRECT, Origin, Table
from lineage_hub.sdk.instrumentation.statement import shorten, stand_in

Origins = tuple[ColumnOrigin, ...]
ColumnsOf = Callable[[str], Sequence[str] | None]


@dataclass(frozen=True)
class Traced:
    """Columns in the query's order, and the columns that decide about its rows."""

    columns: tuple[tuple[str, Origins | None], ...]
    rows: Origins

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.columns]

    def named(self, names: Sequence[str] | None = None) -> Mapping[str, Origins] | None:
        """By the query's names, or by those of a table whose columns are filled in this order."""
        names = self.names if names is None else names
        if len(names) != len(self.columns) or not all(names) or any(UNKNOWN in name for name in names):
            return None
        found: dict[str, Origins] = {}
        for name, (_, origins) in zip(names, self.columns, strict=True):
            if origins is not None:
                found[name] = tuple(dict.fromkeys((*origins, *self.rows)))
        return found or None


def trace(query: Any, references: Sequence[Reference], spelling: Spelling, columns_of: ColumnsOf) -> Traced | None:
    """Nothing where the columns can't be known. The query is changed."""
    try:
        return _trace(query, references, spelling, columns_of)
    except Exception:
        return None


def _trace(query: Any, references: Sequence[Reference], spelling: Spelling, columns_of: ColumnsOf) -> Traced | None:
    tables: dict[str, Table] = {}
    known: dict[str, list[str]] = {}
    sources: dict[str, StreamSource] = {}
    for at, reference in enumerate(references):
        if reference.node is None:
            continue
        name = f"_source_{at}"
        if reference.source is not None:
            sources[name] = reference.source
            tables[name] = Table(name)
            columns = _columns_of(reference.source, columns_of)
            if columns:
                known[name] = [spelling.folded(column) for column in columns]
        elif reference.node.args.get("alias") is None:
            return None
        stand_in(reference.node, name)
    shorten(query)
    schema = MappingSchema(
        {name: dict.fromkeys(columns, "UNKNOWN") for name, columns in known.items()},
        dialect="databricks",
        normalize=False,
    )
    qualified = qualify_tables(query, dialect="databricks")
    qualified = qualify_columns(qualified, schema=schema, allow_partial_qualification=True, dialect="databricks")
    tracer = Tracer(qualified, tables, known)
    projections = tracer.sure_projections()
    if projections is None or any(UNKNOWN in name for name, _ in projections):
        return None
    return Traced(
        tuple((spelling.spelled(name), _told(origins, sources, spelling)) for name, origins in projections),
        tuple(
            ColumnOrigin(one.table, one.column, direct=False)
            for one in _told(tracer.rows(), sources, spelling, partly=True) or ()
        ),
    )


def _columns_of(source: StreamSource, columns_of: ColumnsOf) -> Sequence[str] | None:
    if source.kind == "kafka":
        return KAFKA_COLUMNS
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
        if not names and not partly:
            return None
        for name in names:
            found[ColumnOrigin(name, spelling.spelled(origin.column), origin.how in DIRECT)] = None
    return tuple(found)
