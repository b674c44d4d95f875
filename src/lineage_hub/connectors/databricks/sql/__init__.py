"""SQL of Databricks enters, streaming tables, flows and queries; what it reads and fills leaves, column by column."""

from __future__ import annotations

from lineage_hub.connectors.databricks.reading import Reading
from lineage_hub.connectors.databricks.sql.session import QueryReading, Session
from lineage_hub.connectors.databricks.sql.splitting import Substitute

__all__ = ["QueryReading", "Session", "read_query", "read_statements"]


def read_statements(
    text: str,
    *,
    line: int = 1,
    substitute: Substitute = lambda _: None,
    catalog: str | None = None,
    schema: str | None = None,
) -> Reading:
    """All statements of one text. For several cells of a notebook keep a `Session`, since one counts for the next."""
    return Session(substitute, catalog, schema).read(text, line)


def read_query(sql: str, *, line: int = 1, substitute: Substitute = lambda _: None) -> QueryReading:
    """One piece of SQL in another program. A part that is unknown there can stand as `${…}` of any unknown name."""
    return Session(substitute).query(sql, line)
