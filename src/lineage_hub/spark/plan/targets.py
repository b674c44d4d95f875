"""A command of a plan and its object in the JVM enter; the dataset that it writes or changes leaves.

A command without a line here writes no dataset that has a name: a temporary view, a stream to the console.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lineage_hub.spark import names
from lineage_hub.spark.plan.catalog import Catalog, Table, each, options_of, present, private
from lineage_hub.spark.plan.model import Target
from lineage_hub.spark.plan.rules import by_class
from lineage_hub.spark.plan.tree import Json, Node

# Of what is made unless it is there, the plan doesn't say whether it was: neither mode "Ignore" nor these.
_UNLESS_THERE = ("ignoreIfExists", "ifNotExists", "allowExisting")
_BY_MODE = {"Overwrite": "OVERWRITE", "Append": "APPEND", "ErrorIfExists": "CREATE"}
_LIFECYCLES = by_class(
    (
        "CREATE",
        """CreateTable CreateTableAsSelect CreateTableCommand CreateDataSourceTableCommand CreateTableLikeCommand
        CreateDeltaTableCommand CreateViewCommand""",
    ),
    ("OVERWRITE", "ReplaceTable ReplaceTableAsSelect"),
    ("DROP", "DropTable DropTableCommand DropView"),
    ("TRUNCATE", "TruncateTable TruncateTableCommand"),
)
_RESOLVED = ("ResolvedTable", "ResolvedIdentifier", "ResolvedPersistentView")
_SUBJECTS = ("table", "tableName", "tableIdent", "name", "child", "targetTable", "tableDesc", "ident", "view")


def target_of(command: Node, jcommand: Any, catalog: Catalog) -> Target | None:
    return _RULES.get(command.kind, _changed)(command, jcommand, catalog)


def _made(table: Table, lifecycle: str | None) -> Target:
    return Target(table.name, table.fields, table.symlinks, table.format, lifecycle)


def _mode(jcommand: Any) -> str | None:
    return _BY_MODE.get(jcommand.mode().toString())


def _overwrites(jcommand: Any) -> str:
    return "OVERWRITE" if jcommand.overwrite() else "APPEND"


def _files(command: Node, jcommand: Any, catalog: Catalog) -> Target:
    table = command.raw.get("catalogTable")
    links = (catalog.symlink(table["identifier"]),) if table else ()
    place = names.of_path(jcommand.outputPath().toString())
    return Target(place, (), links, str(jcommand.fileFormat().toString()).lower(), _mode(jcommand))


def _table_as_select(command: Node, jcommand: Any, catalog: Catalog) -> Target:
    return _made(catalog.table_of(jcommand.table()), _mode(jcommand))


def _hive_table_as_select(command: Node, jcommand: Any, catalog: Catalog) -> Target:
    return _made(catalog.table_of(jcommand.tableDesc()), _mode(jcommand))


def _hive_table(command: Node, jcommand: Any, catalog: Catalog) -> Target:
    return _made(catalog.table_of(jcommand.table()), _overwrites(jcommand))


def _folder(command: Node, jcommand: Any, catalog: Catalog) -> Target:
    place = names.of_path(catalog.path_of(jcommand.storage().locationUri().get()))
    return Target(place, format=str(command.raw.get("provider") or "hive"), lifecycle=_overwrites(jcommand))


def _saved(command: Node, jcommand: Any, catalog: Catalog) -> Target | None:
    """By a provider of its own: JDBC, Delta, Kafka, or what a package brings."""
    options = {key.lower(): value for key, value in options_of(jcommand.options()).items()}
    provider = jcommand.dataSource().getClass().getName()
    if provider.endswith(".JdbcRelationProvider"):
        return Target(names.of_jdbc(options["url"], options["dbtable"]), format="jdbc", lifecycle=_mode(jcommand))
    if "kafka" in provider.lower():
        return next((Target(one, format="kafka", lifecycle="APPEND") for one in names.of_kafka(options)), None)
    if "path" in options:
        format_ = "delta" if ".delta." in provider else catalog.short_name(jcommand.dataSource())
        return Target(names.of_path(catalog.qualified(options["path"])), format=format_, lifecycle=_mode(jcommand))
    return None


def _relation(command: Node, jcommand: Any, catalog: Catalog) -> Target | None:
    relation = jcommand.logicalRelation()
    table = present(relation.catalogTable())
    lifecycle = _overwrites(jcommand)
    if relation.relation().getClass().getName().endswith(".JDBCRelation"):
        options = relation.relation().jdbcOptions()
        return Target(names.of_jdbc(options.url(), options.tableOrQuery()), format="jdbc", lifecycle=lifecycle)
    return _made(catalog.table_of(table), lifecycle) if table is not None else None


def _v2(command: Node, jcommand: Any, catalog: Catalog) -> Target | None:
    relation = jcommand.table()
    found = catalog.table_v2(
        relation.table(), relation.catalog(), relation.identifier(), options_of(relation.options())
    )
    lifecycle = {"AppendData": "APPEND", "ReplaceData": None, "WriteDelta": None}.get(command.kind, "OVERWRITE")
    return next((Target(one.name, (), one.symlinks, one.format, lifecycle) for one in found), None)


def _view(command: Node, jcommand: Any, catalog: Catalog) -> Target | None:
    identifier = command.raw["name"]
    if command.kind == "CreateViewCommand" and "PersistedView" not in str(command.raw["viewType"]):
        return None
    if "database" not in identifier:
        return None  # a temporary view is in no database
    return Target(catalog.table_name(identifier), format="view", lifecycle=_lifecycle(command))


def _renamed(command: Node, jcommand: Any, catalog: Catalog) -> Target | None:
    if command.kind == "RenameTable":
        parts = [str(one) for one in each(jcommand.newName())]
        before = catalog.located(jcommand.child().catalog(), jcommand.child().identifier())
        after = catalog.located(jcommand.child().catalog(), catalog.identifier(parts, jcommand.child().identifier()))
    else:
        old, new = command.raw["oldName"], command.raw["newName"]
        before, after = catalog.table(old), catalog.table({"database": old.get("database"), **new})
    # Where the data stays in its place only the table's name changes.
    moved = before.name != after.name or not before.symlinks
    previous = before.name if moved else before.symlinks[0].name
    return Target(after.name, (), after.symlinks, after.format, "RENAME", previous)


def _stream(command: Node, jcommand: Any, catalog: Catalog) -> Target | None:
    table = present(jcommand.catalogTable())
    if table is not None:
        return _made(catalog.table_of(table), "APPEND")
    sink = jcommand.sink()
    name = sink.getClass().getSimpleName()
    if name == "FileStreamSink":
        format_ = str(private(sink, "fileFormat").toString()).lower()
        return Target(names.of_path(catalog.qualified(private(sink, "path"))), format=format_, lifecycle="APPEND")
    if name == "DeltaSink":
        place = names.of_path(str(private(sink, "path").toString()))
        return Target(place, format="delta", lifecycle="APPEND")
    return None


def _loaded(command: Node, jcommand: Any, catalog: Catalog) -> Target:
    lifecycle = "OVERWRITE" if command.raw["isOverwrite"] else "APPEND"
    return _made(catalog.table(command.raw["table"]), lifecycle)


def _made_by_delta(command: Node, jcommand: Any, catalog: Catalog) -> Target | None:
    target = _changed(command, jcommand, catalog)
    replaced = "Replace" in str(command.raw.get("operation"))
    return replace(target, lifecycle="OVERWRITE") if target and replaced else target


def _restored(command: Node, jcommand: Any, catalog: Catalog) -> Target | None:
    found = catalog.table_v2(jcommand.sourceTable(), None, None, {})
    return next((Target(one.name, (), one.symlinks, one.format, "OVERWRITE") for one in found), None)


def _changed(command: Node, jcommand: Any, catalog: Catalog) -> Target | None:
    """Of a command that makes, changes or drops a table without a query."""
    if command.raw.get("isView") is True and "tableName" in command.raw:
        return Target(catalog.table_name(command.raw["tableName"]), format="view", lifecycle=_lifecycle(command))
    for field in _SUBJECTS:
        value = command.raw.get(field)
        table = _described(value, field, jcommand, catalog) if isinstance(value, dict) else None
        if table is None and (isinstance(value, list) or (field == "child" and command.children)):
            subject = command.children[0] if field == "child" else command.tree(field)
            if subject is not None and subject.kind in _RESOLVED:
                resolved = present(getattr(jcommand, field)())
                table = catalog.located(resolved.catalog(), resolved.identifier())
        if table is not None:
            return _made(_placed(table, command, jcommand, catalog), _lifecycle(command))
    return None


def _placed(table: Table, command: Node, jcommand: Any, catalog: Catalog) -> Table:
    """Where the command itself says: the table may not be there yet, or never if it failed."""
    if "tableSpec" not in command.raw:
        return table
    spec = jcommand.tableSpec()
    location, provider = present(spec.location()), present(spec.provider())
    name = names.of_path(catalog.qualified(location)) if location else table.name
    return replace(table, name=name, format=str(provider) if provider else table.format)


def _lifecycle(command: Node) -> str | None:
    found = _LIFECYCLES.get(command.kind, "ALTER")
    perhaps = found == "CREATE" and any(command.raw.get(field) is True for field in _UNLESS_THERE)
    return None if perhaps else found


def _described(value: Json, field: str, jcommand: Any, catalog: Catalog) -> Table | None:
    kind = str(value.get("product-class", "")).rpartition(".")[2]
    if kind == "CatalogTable":
        return catalog.table_of(getattr(jcommand, field)())
    return catalog.table(value) if kind == "TableIdentifier" else None


_RULES: dict[str, Callable[[Node, Any, Catalog], Target | None]] = by_class(
    (_files, "InsertIntoHadoopFsRelationCommand"),
    (_table_as_select, "CreateDataSourceTableAsSelectCommand"),
    (_hive_table_as_select, "CreateHiveTableAsSelectCommand"),
    (_hive_table, "InsertIntoHiveTable"),
    (_folder, "InsertIntoDataSourceDirCommand InsertIntoHiveDirCommand"),
    (_saved, "SaveIntoDataSourceCommand"),
    (_relation, "InsertIntoDataSourceCommand"),
    (
        _v2,
        """AppendData OverwriteByExpression OverwritePartitionsDynamic ReplaceData WriteDelta
        DeltaDynamicPartitionOverwriteCommand""",
    ),
    (_view, "CreateViewCommand AlterViewAsCommand"),
    (_renamed, "RenameTable AlterTableRenameCommand"),
    (_loaded, "LoadDataCommand"),
    (_stream, "WriteToStream"),
    (_made_by_delta, "CreateDeltaTableCommand"),
    (_restored, "RestoreTableCommand"),
)
