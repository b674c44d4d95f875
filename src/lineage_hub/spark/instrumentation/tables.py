"""The name of a table enters, as a program writes it; where its data is leaves, whether it is there yet or not."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from lineage_hub.spark.plan import Field
from lineage_hub.spark.plan.catalog import Catalog, Table, each
from lineage_hub.spark.telling import fields_of


def table_named(spark: SparkSession, name: str) -> Table:
    state: Any = spark._jsparkSession.sessionState()
    return table_of_parts(spark, [str(one) for one in each(state.sqlParser().parseMultipartIdentifier(name))])


def table_of_parts(spark: SparkSession, parts: list[str]) -> Table:
    state: Any = spark._jsparkSession.sessionState()
    manager, catalog = state.catalogManager(), Catalog(spark)
    if len(parts) > 1 and manager.isCatalogRegistered(parts[0]):
        plugin, parts = manager.catalog(parts[0]), parts[1:]
    else:
        plugin = manager.currentCatalog()
    if len(parts) == 1:
        parts = [*manager.currentNamespace(), *parts]
    return catalog.located(plugin, catalog.identifier(parts, None))


def existing_fields(spark: SparkSession, name: str) -> tuple[Field, ...]:
    """None if there is no such table."""
    return fields_of(spark.table(name)) if spark.catalog.tableExists(name) else ()


def quoted(parts: list[str]) -> str:
    return ".".join(f"`{one.replace('`', '``')}`" for one in parts)
