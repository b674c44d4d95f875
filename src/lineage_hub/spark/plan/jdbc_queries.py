"""What Spark reads by JDBC enters: an address and a table, or a query; the tables behind it leave, with its columns.

A query is understood by `pip install 'lineage-hub[sql]'`; without it, or where it can't be, its columns are opaque.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lineage_hub.sdk.instrumentation.flows import Flow, Table
from lineage_hub.sdk.instrumentation.flows import Kind as FlowKind
from lineage_hub.sdk.instrumentation.flows import Origin as FlowOrigin
from lineage_hub.spark import names
from lineage_hub.spark.names import DatasetName
from lineage_hub.spark.plan.leaves import Place
from lineage_hub.spark.plan.model import Field, Origin, Source
from lineage_hub.spark.plan.values import Origins

_DIALECTS = {"postgresql": "postgres", "mariadb": "mysql", "sqlserver": "tsql"}
_OPAQUE = "a query that the database answers"


def place_of(url: str, table: str, columns: Sequence[str]) -> Place:
    if not names.is_query(table):
        return Place((Source(names.of_jdbc(url, table), format="jdbc"),))
    flow = _flow(url, table, columns)
    return Place(opaque=_OPAQUE) if flow is None else _place(flow, url)


def _flow(url: str, table: str, columns: Sequence[str]) -> Flow | None:
    try:
        from lineage_hub.sdk.instrumentation.sql import flows_of
    except ImportError:
        return None
    kind = url.removeprefix("jdbc:").partition(":")[0].lower()
    dialect = _DIALECTS.get(kind, kind if kind in ("mysql", "oracle", "redshift", "snowflake", "trino") else "")
    # Spark writes the query in parentheses, with a name after them. As the query of a new table its columns are told.
    query = f"CREATE TABLE lineage_hub_query AS {table[table.index('(') + 1 : table.rindex(')')]}"
    flow = _only(flows_of(query, dialect))
    if flow is not None and len(flow.columns) < len(columns):
        # What a star stands for Spark has asked the database.
        flow = _only(flows_of(query, dialect, lambda _: list(columns)))
    return flow


def _only(flows: Sequence[Flow]) -> Flow | None:
    return flows[0] if len(flows) == 1 and flows[0].kind is FlowKind.WRITE and flows[0].inputs else None


def _place(flow: Flow, url: str) -> Place:
    by_table = {one: names.of_jdbc(url, str(one)) for one in flow.inputs}
    origins = {name.casefold(): _origins(found, by_table) for name, found in flow.columns.items()}
    steering = _origins(flow.whole, by_table)
    used = steering.union(*origins.values())
    sources = tuple(
        Source(name, tuple(Field(field, "") for field in sorted({one.field for one in used if one.dataset == name})))
        for name in dict.fromkeys(by_table.values())
    )
    return Place(tuple(Source(one.name, one.fields, format="jdbc") for one in sources), origins, steering)


def _origins(found: Iterable[FlowOrigin[Table]], by_table: dict[Table, DatasetName]) -> Origins:
    return frozenset(Origin(by_table[one.table], one.column, one.how) for one in found if one.table in by_table)
