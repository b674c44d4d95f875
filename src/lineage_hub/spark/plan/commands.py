"""A command enters: a write, a MERGE, a view, a change of a table; its target is noted, and its columns leave.

`RULES` has a line for each class. Which dataset a command means is asked of Spark (`targets.py`), what goes into its
columns is in the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from lineage_hub.spark import names
from lineage_hub.spark.plan.expressions import evaluate, used
from lineage_hub.spark.plan.model import Field, Kind, Source, Target
from lineage_hub.spark.plan.operators import left_by
from lineage_hub.spark.plan.reading import Reading, columns_with
from lineage_hub.spark.plan.rules import by_class
from lineage_hub.spark.plan.schemas import fields_of_attributes
from lineage_hub.spark.plan.scope import Column, Relation, Scope, columns_of, scope_over
from lineage_hub.spark.plan.tree import Node
from lineage_hub.spark.plan.values import EMPTY, NOTHING, Origins, Value, merged, steering

Rule = Callable[[Node, Reading], Relation]
# These always write somewhere, by a provider that may come from any package.
_BY_PROVIDERS = ("SaveIntoDataSourceCommand", "InsertIntoDataSourceCommand")


def _wrote(node: Node, relation: Relation, fields: tuple[Field, ...], reading: Reading) -> Relation:
    """Notes what a command writes, if that is a dataset."""
    target = reading.places.target_of(node)
    if target is None and node.kind in _BY_PROVIDERS:
        reading.report(node.class_name)
    return _noted(target, relation, fields, reading)


def _noted(target: Target | None, relation: Relation, fields: tuple[Field, ...], reading: Reading) -> Relation:
    if target is not None:
        reading.targets.append(replace(target, fields=target.fields or fields, columns=columns_of(relation)))
    return relation


def _write(*query_fields: str) -> Rule:
    """A query whose rows go somewhere; its columns have the names that they get there."""

    def rule(node: Node, reading: Reading) -> Relation:
        query = next((found for name in query_fields if (found := node.tree(name))), None)
        if query is None:
            return _wrote(node, Relation(), (), reading)
        return _wrote(node, reading.read(query), reading.places.fields_of(query), reading)

    return rule


def _write_table(node: Node, reading: Reading) -> Relation:
    """Into a table of a catalog: by position the columns get the table's names, by name they have them."""
    query, table = node.trees("query")[0], node.trees("table")[0]
    relation = reading.read(query)
    given = reading.places.columns_of(table)
    if not node.raw.get("isByName", True) and len(given) == len(relation.columns):
        columns = tuple(Column(one.id, into.name, one.value) for one, into in zip(relation.columns, given, strict=True))
        relation = replace(relation, columns=columns)
    known = {one.name.casefold() for one in given}
    have = {one.name.casefold() for one in relation.columns}
    missing = [one for one in given if one.name.casefold() not in have]
    relation = replace(relation, columns=(*relation.columns, *columns_with(missing, EMPTY)))
    if node.kind in ("ReplaceData", "WriteDelta"):
        # Beside the table's own columns such a query carries what tells updates from deletes.
        relation = replace(relation, columns=tuple(one for one in relation.columns if one.name.casefold() in known))
    return _wrote(node, relation, fields_of_attributes(given), reading)


def _view(node: Node, reading: Reading) -> Relation:
    query = node.tree("plan") or node.tree("query")
    if query is None:
        return _wrote(node, Relation(), (), reading)
    relation, fields = reading.read(query), reading.places.fields_of(query)
    # The columns of a view may be named apart from its query: "(a, b) AS SELECT …".
    own = reading.places.view_names(node) if "userSpecifiedColumns" in node.raw else []
    if len(own) == len(relation.columns):
        columns = tuple(one._replace(name=name) for one, name in zip(relation.columns, own, strict=True))
        relation = replace(relation, columns=columns)
        fields = tuple(replace(one, name=name) for one, name in zip(fields, own, strict=True))
    return _wrote(node, relation, fields, reading)


def _change(node: Node, reading: Reading) -> Relation:
    """A table is made, changed or dropped; no rows of a query are in it."""
    defined = [one for one in node.trees("columns") if one.kind == "ColumnDefinition"]
    return _wrote(node, Relation(), fields_of_attributes(defined), reading)


def _variable(node: Node, reading: Reading) -> Relation:
    """SET VAR keeps what a query gives in the session: something is read, no dataset is written."""
    return reading.read(node.trees("sourceQuery")[0])


def _quiet(node: Node, reading: Reading) -> Relation:
    """Shows, describes or sets something: no dataset is read or written."""
    return Relation(columns_with(node.trees("output"), EMPTY))


@dataclass(slots=True)
class _Changes:
    """What a MERGE, an UPDATE or a DELETE does to the columns of its target: they describe the rows that it writes."""

    target: Relation
    scope: Scope
    reading: Reading
    rows: Origins = NOTHING
    values: dict[str, list[Value]] = field(default_factory=dict)

    def assign(self, name: str, expression: Node) -> None:
        wanted = name.casefold()
        own = next((one.name for one in self.target.columns if one.name.casefold() == wanted), name)
        self.values.setdefault(own, []).append(evaluate(expression, self.scope, self.reading))

    def when(self, conditions: Sequence[Node], kind: Kind) -> None:
        self.rows |= steering(used(conditions, self.scope, self.reading), kind)

    def noted(self, plan: Node) -> Relation:
        """The rows of the target itself change, so the target is what its plan reads."""
        found = next(iter(self.target.sources.values()), None)
        target = Target(found.name, (), found.symlinks, found.format) if found else None
        every = dict.fromkeys([*(one.name for one in self.target.columns), *self.values])
        columns = tuple(Column(number, name, merged(self.values.get(name, ()))) for number, name in enumerate(every))
        relation = left_by(self.scope, columns, self.rows)
        return _noted(target, relation, self.reading.places.fields_of(plan), self.reading)


def _merge(node: Node, reading: Reading) -> Relation:
    plan = node.tree("target") or node.trees("targetTable")[0]
    target, source = reading.read(plan), reading.read(node.tree("source") or node.trees("sourceTable")[0])
    changes = _Changes(target, scope_over([target, source], reading.outer), reading)
    changes.when([*node.trees("condition"), *node.trees("mergeCondition")], Kind.JOIN)
    for name in _CLAUSES:
        for clause in node.trees(name):
            changes.when(clause.trees("condition"), Kind.FILTER)
            _merge_clause(clause, changes)
    return changes.noted(plan)


_CLAUSES = (
    "matchedClauses", "notMatchedClauses", "notMatchedBySourceClauses",
    "matchedActions", "notMatchedActions", "notMatchedBySourceActions",
)  # fmt: skip


def _merge_clause(clause: Node, changes: _Changes) -> None:
    for assignment in clause.trees("assignments"):
        changes.assign(_top_name(assignment.children[0]), assignment.children[1])
    actions = clause.trees("actions")
    columns = changes.target.columns
    for index, action in enumerate(actions):
        # Delta names a column by its parts, written as a text; with one action for each column the place is surer.
        name = columns[index].name if len(actions) == len(columns) else str(action.raw["targetColNameParts"])[1:-1]
        changes.assign(name, action.children[0])
    if "Star" in clause.kind:
        changes.reading.report(clause.class_name)


def _top_name(key: Node) -> str:
    while key.children:
        key = key.children[0]
    return key.name


def _changed_in(node: Node, reading: Reading) -> tuple[Node, _Changes]:
    """An UPDATE or a DELETE: all rows are read, and its condition decides which are written."""
    plan = next(found for name in ("target", "table", "child") if (found := node.tree(name)))
    target = reading.read(plan)
    changes = _Changes(target, scope_over([target], reading.outer), reading)
    changes.when(node.trees("condition"), Kind.FILTER)
    return plan, changes


def _update(node: Node, reading: Reading) -> Relation:
    plan, changes = _changed_in(node, reading)
    columns = changes.target.columns
    for assignment in node.trees("assignments"):
        changes.assign(_top_name(assignment.children[0]), assignment.children[1])
    keys = node.trees("updateColumns")
    assigned = [_top_name(one) for one in keys] or [one.name for one in columns]
    for name, expression in zip(assigned, node.trees("updateExpressions"), strict=False):
        changes.assign(name, expression)
    _keep(changes)
    return changes.noted(plan)


def _delete(node: Node, reading: Reading) -> Relation:
    plan, changes = _changed_in(node, reading)
    _keep(changes)
    return changes.noted(plan)


def _keep(changes: _Changes) -> None:
    """Columns that nothing is assigned to are written as they were."""
    for one in changes.target.columns:
        changes.values.setdefault(one.name, [one.value])


def _load(node: Node, reading: Reading) -> Relation:
    """LOAD DATA moves files into a table: which of their fields become which columns no plan says."""
    moved = Source(names.of_path(node.raw["path"]))
    return _wrote(node, Relation(sources={(*moved.name, ""): moved}), (), reading)


RULES: dict[str, Rule] = by_class(
    (
        _write("query"),
        """InsertIntoHadoopFsRelationCommand CreateDataSourceTableAsSelectCommand SaveIntoDataSourceCommand
        InsertIntoDataSourceCommand InsertIntoDataSourceDirCommand InsertIntoHiveTable InsertIntoHiveDirCommand
        CreateHiveTableAsSelectCommand CreateTableAsSelect ReplaceTableAsSelect CreateDeltaTableCommand
        WriteToDataSourceV2 WriteToMicroBatchDataSource WriteToMicroBatchDataSourceV1 WriteToContinuousDataSource
        InsertIntoDir""",
    ),
    (_write("inputQuery"), "WriteToStream WriteToStreamStatement"),
    (
        _write_table,
        """AppendData OverwriteByExpression OverwritePartitionsDynamic ReplaceData WriteDelta
        DeltaDynamicPartitionOverwriteCommand""",
    ),
    (_view, "CreateViewCommand AlterViewAsCommand CacheTableAsSelect CreateView AlterViewAs"),
    (_merge, "MergeIntoCommand DeltaMergeInto MergeIntoTable"),
    (_update, "UpdateCommand DeltaUpdateTable UpdateTable"),
    (_delete, "DeleteCommand DeltaDelete DeleteFromTable DeleteFromTableWithFilters"),
    (_load, "LoadDataCommand"),
    (_variable, "SetVariable"),
    (
        _change,
        """CreateTable ReplaceTable CreateTableCommand CreateDataSourceTableCommand CreateTableLikeCommand DropTable
        DropTableCommand DropView RenameTable AlterTableRenameCommand TruncateTable TruncateTableCommand
        TruncatePartition AddColumns DropColumns RenameColumn ReplaceColumns AlterColumns
        AlterTableAddColumnsCommand AlterTableChangeColumnCommand AlterTableAddColumnsDeltaCommand
        AlterTableChangeColumnDeltaCommand AlterTableReplaceColumnsDeltaCommand AlterTableDropColumnsDeltaCommand
        AlterTableSetLocationCommand AlterTableSetLocationDeltaCommand SetTableLocation SetTableProperties
        UnsetTableProperties AlterTableSetPropertiesCommand AlterTableUnsetPropertiesCommand
        AlterTableSerDePropertiesCommand SetTableSerDeProperties CommentOnTable AlterTableClusterBy
        AlterTableCollation AddPartitions DropPartitions RenamePartitions RecoverPartitions RepairTable
        AlterTableAddPartitionCommand AlterTableDropPartitionCommand AlterTableRenamePartitionCommand
        RepairTableCommand SetViewProperties UnsetViewProperties AlterViewSchemaBinding
        AlterViewSchemaBindingCommand AlterTableAddConstraint AlterTableDropConstraint AlterTableDropFeature
        AlterTableAddConstraintDeltaCommand AlterTableDropConstraintDeltaCommand AlterTableDropFeatureDeltaCommand
        AlterTableSetPropertiesDeltaCommand AlterTableUnsetPropertiesDeltaCommand AlterTableClusterByDeltaCommand
        AlterColumnSyncIdentity RestoreTableCommand RestoreTableStatement ConvertToDeltaCommand
        CloneTableStatement""",
    ),
    (
        _quiet,
        """AddArchivesCommand AddFilesCommand AddJarsCommand AlterDatabasePropertiesCommand
        AlterDatabaseSetLocationCommand AnalyzeColumn AnalyzeColumnCommand AnalyzePartitionCommand AnalyzeTable
        AnalyzeTableCommand AnalyzeTables AnalyzeTablesCommand CacheTable Call ClearCacheCommand CommentOnNamespace
        CreateDatabaseCommand CreateFunction CreateFunctionCommand CreateIndex CreateNamespace
        CreateSQLFunctionCommand CreateTempViewUsing CreateUserDefinedFunction CreateVariable DeltaGenerateCommand
        DeltaReorgTable DeltaReorgTableCommand DescribeColumn DescribeColumnCommand DescribeDatabaseCommand
        DescribeDeltaDetailCommand DescribeDeltaHistory DescribeDeltaHistoryCommand DescribeFunction
        DescribeFunctionCommand DescribeNamespace DescribeQueryCommand DescribeRelation DescribeRelationJsonCommand
        DescribeTableCommand DropDatabaseCommand DropFunction DropFunctionCommand DropIndex DropNamespace
        DropTempViewCommand DropVariable ExplainCommand ExternalCommandExecutor ListArchivesCommand ListFilesCommand
        ListJarsCommand MultiResult NoopCommand OptimizeTableCommand RefreshFunction RefreshFunctionCommand
        RefreshResource RefreshTable RefreshTableCommand ResetCommand RowTrackingBackfillCommand
        SetCatalogAndNamespace SetCatalogCommand SetCommand SetNamespaceCommand SetNamespaceLocation
        SetNamespaceProperties ShowCatalogsCommand ShowColumns ShowColumnsCommand ShowCreateTable
        ShowCreateTableAsSerdeCommand ShowCreateTableCommand ShowCurrentNamespaceCommand
        ShowDeltaTableColumnsCommand ShowFunctions ShowFunctionsCommand ShowNamespaces ShowPartitions
        ShowPartitionsCommand ShowTableProperties ShowTablePropertiesCommand ShowTablePartition ShowTables
        ShowTablesCommand ShowTablesExtended ShowViews ShowViewsCommand StreamingExplainCommand UncacheTable
        UnsetNamespacePropertiesCommand VacuumTableCommand""",
    ),
)
