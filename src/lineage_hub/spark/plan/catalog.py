"""Tables of a catalog enter, as identifiers of a plan or as objects of the JVM; their names and places leave.

A table is named by where its data is, with the table's own name as a symlink, as OpenLineage's Spark integration does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lineage_hub.spark import names
from lineage_hub.spark.jvm import HADOOP_PATH, java_class
from lineage_hub.spark.names import DatasetName
from lineage_hub.spark.plan.model import Field, Source, Symlink
from lineage_hub.spark.plan.schemas import fields_of_schema
from lineage_hub.spark.plan.tree import Json


@dataclass(frozen=True, slots=True)
class Table:
    name: DatasetName
    symlinks: tuple[Symlink, ...] = ()
    format: str = ""
    fields: tuple[Field, ...] = ()


class Catalog:
    def __init__(self, spark: SparkSession) -> None:
        self._session: Any = spark._jsparkSession
        self._spark = spark
        self._gateway: Any = spark.sparkContext._gateway

    @cached_property
    def _types(self) -> Any:
        return java_class(self._spark, "py4j.reflection.TypeUtil")

    def is_a(self, given: Any, class_name: str) -> bool:
        return bool(self._types.isInstanceOf(class_name, given))

    def short_name(self, provider: Any) -> str:
        named = self.is_a(provider, "org.apache.spark.sql.sources.DataSourceRegister")
        return str(provider.shortName() if named else provider.getClass().getSimpleName())

    @cached_property
    def _tables(self) -> Any:
        return self._session.sessionState().catalog()

    @cached_property
    def namespace(self) -> str:
        """Of the names of tables: the metastore, or without one the folder that the warehouse is in."""
        conf = self._session.sparkContext().hadoopConfiguration()
        uris = conf.get("hive.metastore.uris") or self._conf("spark.hadoop.hive.metastore.uris")
        if self._conf("spark.sql.catalogImplementation") == "hive" and uris:
            return "hive://" + str(uris).split(",")[0].rpartition("://")[2]
        return self.qualified(self._conf("spark.sql.warehouse.dir")).rstrip("/")

    def _conf(self, key: str) -> str:
        found = self._session.conf().getOption(key)
        return str(found.get()) if found.isDefined() else ""

    def qualified(self, path: str) -> str:
        """With a scheme: a path without one is of the default file system."""
        hadoop = java_class(self._spark, HADOOP_PATH)(path)
        return str(hadoop.getFileSystem(self._session.sessionState().newHadoopConf()).makeQualified(hadoop).toString())

    def table_name(self, identifier: Json) -> DatasetName:
        database = identifier.get("database") or self._tables.getCurrentDatabase()
        return DatasetName(self.namespace, f"{database}.{identifier['table']}")

    def symlink(self, identifier: Json) -> Symlink:
        return Symlink(self.table_name(identifier))

    def table(self, identifier: Json) -> Table:
        """Of an identifier in a plan; a table that isn't there is where it would be."""
        option = java_class(self._spark, "scala.Option")
        database = identifier.get("database")
        found = java_class(self._spark, "org.apache.spark.sql.catalyst.TableIdentifier")(
            identifier["table"], option.apply(database) if database else option.empty()
        )
        if self._tables.tableExists(found):
            return self.table_of(self._tables.getTableMetadata(found))
        place = names.of_path(self.path_of(self._tables.defaultTablePath(found)))
        return Table(place, (self.symlink(identifier),))

    def table_of(self, table: Any) -> Table:
        """Of Spark's own description of a table or a view."""
        name = table.identifier()
        identifier = {"table": name.table(), "database": present(name.database())}
        format_ = str(present(table.provider()) or "hive")
        if table.tableType().name() == "VIEW":
            return Table(self.table_name(identifier), (), "view")
        location = present(table.storage().locationUri())
        if location is None:
            place = names.of_path(self.path_of(self._tables.defaultTablePath(name)))
        else:
            place = names.of_path(self.path_of(location))
        fields = fields_of_schema(msgspec.json.decode(table.schema().json()))
        return Table(place, (self.symlink(identifier),), format_, fields)

    def path_of(self, uri: Any) -> str:
        return str(java_class(self._spark, HADOOP_PATH)(uri).toString())

    def table_v2(self, table: Any, catalog: Any, identifier: Any, options: dict[str, str]) -> tuple[Source, ...]:
        """Of a table of any catalog; none if nothing says where it is."""
        class_name = table.getClass().getName()
        if class_name.endswith(".DeltaTableV2"):
            described = present(table.catalogTable())
            links = self.table_of(described).symlinks if described is not None else ()
            return (Source(names.of_path(table.path().toString()), (), links, "delta"),)
        if self.is_a(table, "org.apache.spark.sql.execution.datasources.v2.FileTable"):
            paths = table.fileIndex().rootPaths().mkString("\n").split("\n")
            format_ = table.formatName().lower()
            return tuple(Source(one, format=format_) for one in names.of_paths(paths))
        if self.is_a(table, "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTable"):
            return (Source(names.of_jdbc(table.jdbcOptions().url(), str(table.name())), format="jdbc"),)
        if "kafka" in class_name.lower():
            return tuple(Source(one, format="kafka") for one in names.of_kafka(options))
        return self._by_properties(table, present(catalog), present(identifier))

    def _by_properties(self, table: Any, catalog: Any, identifier: Any) -> tuple[Source, ...]:
        properties = table.properties()
        location, provider = properties.get("location"), str(properties.get("provider") or "")
        if catalog is None or identifier is None:
            return (Source(names.of_path(location), format=provider),) if location else ()
        name = self.identified(catalog, identifier)
        if location:
            return (Source(names.of_path(location), (), (Symlink(name),), provider),)
        return (Source(name, format=provider),)

    def identified(self, catalog: Any, identifier: Any) -> DatasetName:
        """Of an identifier in a catalog; Spark's own catalog has the metastore's namespace."""
        parts = [*identifier.namespace(), identifier.name()]
        own = catalog.name() == "spark_catalog"
        return DatasetName(self.namespace if own else str(catalog.name()), ".".join(parts))

    def identifier(self, parts: list[str], like: Any) -> Any:
        """A new name beside that of another table."""
        space = parts[:-1] or list(like.namespace())
        array = self._gateway.new_array(java_class(self._spark, "java.lang.String"), len(space))
        for index, one in enumerate(space):
            array[index] = one
        return java_class(self._spark, "org.apache.spark.sql.connector.catalog.Identifier").of(array, parts[-1])

    def located(self, catalog: Any, identifier: Any) -> Table:
        """Of a resolved identifier, whether the table is there or not."""
        space = list(identifier.namespace())
        if space == ["delta"] and "/" in identifier.name():
            return Table(names.of_path(self.qualified(identifier.name())), (), "delta")  # delta.`/a/path`
        if catalog.name() == "spark_catalog":
            return self.table({"table": identifier.name(), "database": ".".join(space) or None})
        try:
            found = self._by_properties(catalog.loadTable(identifier), catalog, identifier)
        except PySparkException:  # dropped since
            found = ()
        if found:
            return Table(found[0].name, found[0].symlinks, found[0].format)
        return Table(self.identified(catalog, identifier))


def present(option: Any) -> Any:
    """What a Scala Option holds, or what is none at all."""
    if option is None:
        return None
    name = option.getClass().getName() if hasattr(option, "getClass") else ""
    if name == "scala.Some":
        return option.get()
    return None if name == "scala.None$" else option


def private(given: Any, name: str) -> Any:
    """A field without an accessor."""
    field = given.getClass().getDeclaredField(name)
    field.setAccessible(True)
    return field.get(given)


def each(sequence: Any) -> Iterator[Any]:
    """Of a Scala sequence."""
    for index in range(sequence.size()):
        yield sequence.apply(index)


def options_of(given: Any) -> dict[str, str]:
    """Options as a Python dictionary: of a Scala map or of Java's."""
    if given.getClass().getSimpleName() == "CaseInsensitiveStringMap":
        given = given.asCaseSensitiveMap()
        return {str(key): str(given[key]) for key in given}
    found: dict[str, str] = {}
    pairs = given.iterator()
    while pairs.hasNext():
        pair = pairs.next()
        found[str(pair._1())] = str(pair._2())
    return found
