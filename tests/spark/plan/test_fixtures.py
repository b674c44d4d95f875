"""Each query of the fixture files goes through the reader; what leaves must be what was written down by hand."""

import re

import pytest
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F  # noqa: N812

from lineage_hub.spark.plan import DatasetName, PlanLineage, lineage
from tests.spark.plan.cases import Case, Findings, Said, differences, read_cases
from tests.spark.plan.sources import COLUMNS, STAGES, Shop

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(600)]
CASES = read_cases()
CLASS = re.compile(r'"class":"[\w.]+\.(\w+)\$?"')
FAMILIES = {
    "rows pass": "Project SubqueryAlias View Sample Repartition RepartitionByExpression ResolvedHint CollectMetrics",
    "rows are chosen": "Filter GlobalLimit LocalLimit Offset Distinct Deduplicate DeduplicateWithinWatermark Sort",
    "rows are joined": "Join AsOfJoin LateralJoin",
    "rows are put together": "Union Except Intersect",
    "rows are grouped": "Aggregate Expand PivotFirst AggregateExpression",
    "windows": "Window WindowExpression WindowSpecDefinition Lag Lead RowNumber",
    "rows are made from one": "Generate Explode PosExplode Inline Stack PythonUDTF",
    "queries in queries": "ScalarSubquery ListQuery Exists OuterReference WithCTE CTERelationDef CTERelationRef"
    " UnionLoop UnionLoopRef",
    "structures": "GetStructField GetArrayStructFields GetArrayItem GetMapValue CreateNamedStruct UpdateFields",
    "lambdas": "ArrayTransform ArrayFilter ArrayExists ArrayForAll ArrayAggregate ZipWith MapFilter TransformValues",
    "conditions": "CaseWhen If Coalesce NullIf Nvl Nvl2",
    "programs": "PythonUDF PythonUDAF MapInPandas MapInArrow FlatMapGroupsInPandas FlatMapCoGroupsInPandas"
    " ScriptTransformation SQLFunctionNode",
    "sources": "LogicalRelation DataSourceV2Relation LocalRelation OneRowRelation Range LogicalRDD StreamingRelation"
    " StreamingRelationV2 EventTimeWatermark",
    "writes": "AppendData InsertIntoHadoopFsRelationCommand InsertIntoDataSourceDirCommand CreateTableAsSelect"
    " CreateDataSourceTableAsSelectCommand ReplaceTableAsSelect CreateViewCommand CloneTableCommand SetVariable",
    "changes": "MergeIntoCommand UpdateCommand DeleteCommand TruncateTableCommand DropTable RestoreTableCommand",
}
"""Classes that a fixture must show, by what they do. Rules for Hive, R, objects and running plans have no fixture."""


class Readings:
    """Each query is made and read once, whichever test asks."""

    def __init__(self, spark: SparkSession, shop: Shop) -> None:
        self.spark, self.shop = spark, shop
        self._found: dict[str, tuple[PlanLineage, set[str]]] = {}

    def of(self, case: Case) -> tuple[PlanLineage, set[str]]:
        """What the reader says of it, and the classes in its plan."""
        if case.name not in self._found:
            for statement in case.setup:
                self.spark.sql(statement.replace("$path", str(self.shop.folder)))
            frame = _frame(case, self.spark, self.shop)
            stages = {
                view: DatasetName(STAGES, stage.removeprefix("stage:")) for view, stage in case.boundaries.items()
            }
            classes = set(CLASS.findall(frame._jdf.queryExecution().analyzed().toJSON()))
            self._found[case.name] = lineage(frame, boundaries=stages), classes
        return self._found[case.name]


@pytest.fixture(scope="module")
def readings(spark: SparkSession, shop: Shop) -> Readings:
    return Readings(spark, shop)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_reader_finds_what_the_query_means(case: Case, readings: Readings) -> None:
    read, _ = readings.of(case)
    assert read.unknown == ()
    assert differences(case.expected, _findings(read, readings.shop)) == []


def test_every_family_of_operators_is_in_the_fixtures(readings: Readings) -> None:
    there = set().union(*(readings.of(case)[1] for case in CASES))
    missing = {family: set(classes.split()) - there for family, classes in FAMILIES.items()}
    assert {family: classes for family, classes in missing.items() if classes} == {}


def _frame(case: Case, spark: SparkSession, shop: Shop) -> DataFrame:
    if case.sql:
        return spark.sql(case.sql.replace("$path", str(shop.folder)))
    names = {"spark": spark, "F": F, "Window": Window, "path": shop.path}
    names |= {source: spark.table(source) for source in COLUMNS}
    exec(compile(case.code, case.name, "exec"), names)
    return names["df"]


def _findings(read: PlanLineage, shop: Shop) -> Findings:
    return Findings(
        inputs=frozenset(shop.name_of(source.name) for source in read.inputs),
        writes={shop.name_of(target.name): target.lifecycle for target in read.outputs},
        columns={
            column: frozenset(Said(shop.name_of(o.dataset), o.field, str(o.kind)) for o in origins)
            for column, origins in read.columns.items()
        },
        opaque=frozenset(column for step in read.opaque for column in step.columns),
        details={
            shop.name_of(source.name): {
                "format": source.format,
                "version": source.version,
                "table": next((link.name.name for link in source.symlinks if link.type == "TABLE"), None),
            }
            for source in read.inputs
        },
    )


def test_there_are_enough_queries_and_few_opaque_columns() -> None:
    columns = sum(len(case.expected.columns) for case in CASES)
    opaque = sum(len(case.expected.opaque) for case in CASES)
    assert len({case.name for case in CASES}) == len(CASES) >= 150
    assert sum(bool(case.code) for case in CASES) >= 50
    assert opaque / columns <= 0.02
