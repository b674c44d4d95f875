"""Every operator and command that this Spark and this Delta can put into an analysed plan has a rule."""

import re
import zipfile

import pytest

from lineage_hub.spark.plan import commands, expressions, functions, lambdas, leaves, operators, reader

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

RULES = {*commands.RULES, *functions.RULES, *leaves.RULES, *operators.RULES, *reader.WHOLE}
# What the analyser replaces, what a command has as its child, and what scripts and the optimiser use.
NEVER_READ = re.compile(
    r"Unresolved.*|Resolved(?!Hint).*|.*Statement|.*ParameterizedQuery|CDC(Name|Path)Based|ClusterByPlan|CompoundBody|CurrentNamespace|"
    r"DataFrameDropColumns|DomainJoin|ErrorCondition|ExceptionHandler|ExecuteImmediateQuery|RelationTimeTravel|"
    r"ExpressionLogicalPlanWrapper|LoadData|OffsetHolder|Pivot|PlanWithUnresolvedIdentifier|SQLTableFunction|ScanBuilderHolder|"
    r"TableChanges|TemporaryViewRelation|Unpivot|WriteIntoDelta"
)
IN_EACH_JAR = (
    "org.apache.spark.sql.catalyst.plans.logical.LogicalPlan",
    "org.apache.spark.sql.execution.datasources.LogicalRelation",
    "org.apache.spark.sql.hive.execution.InsertIntoHiveTable",
    "io.delta.sql.DeltaSparkSessionExtension",
)
FOLDERS = re.compile(
    r"(io/delta/tables/execution|org/apache/spark/sql/(catalyst/(analysis|catalog|expressions(/\w+)*|plans/logical|streaming)|hive/execution|"
    r"execution(/(adaptive|columnar|command|python|streaming|streaming/continuous|streaming/sources|datasources|datasources/v2))?|"
    r"delta(/commands(/backfill)?|/constraints)?))"
    r"/[A-Z]\w*\$?\.class"
)


@pytest.fixture(scope="module")
def classes(spark):
    """The concrete classes in the jars of Spark SQL and Delta that are plans or expressions, by which of both."""
    java = spark._jvm.java.lang
    loader = java.Thread.currentThread().getContextClassLoader()
    jars = {
        java.Class.forName(one, False, loader).getProtectionDomain().getCodeSource().getLocation().getPath()
        for one in IN_EACH_JAR
    }
    bases = {
        kind: java.Class.forName(f"org.apache.spark.sql.catalyst.{name}", False, loader)
        for kind, name in (("plan", "plans.logical.LogicalPlan"), ("expression", "expressions.Expression"))
    }
    abstract = spark._jvm.java.lang.reflect.Modifier.isAbstract
    found = {"plan": set(), "expression": set()}
    for jar in jars:
        for entry in zipfile.ZipFile(jar).namelist():
            if not FOLDERS.fullmatch(entry):
                continue
            given = java.Class.forName(entry.removesuffix(".class").replace("/", "."), False, loader)
            for kind, base in bases.items():
                if base.isAssignableFrom(given) and not abstract(given.getModifiers()):
                    found[kind].add(given.getName().removesuffix("$"))
    return found


def short(names):
    return {one.rpartition(".")[2] for one in names}


def test_every_operator_and_command_has_a_rule(classes):
    assert len(classes["plan"]) > 300
    assert sorted(one for one in short(classes["plan"]) - RULES if not NEVER_READ.fullmatch(one)) == []


def test_no_rule_is_for_a_class_that_is_not_there(classes):
    hive = {"CreateHiveTableAsSelectCommand", "InsertIntoHiveDirCommand", "InsertIntoHiveTable"}
    assert sorted(RULES - short(classes["plan"]) - hive) == []
    named = {*expressions.RULES, *expressions.SCOPED, *lambdas.PARAMETERS}
    assert sorted(named - short(classes["expression"])) == []


def test_every_function_with_a_lambda_binds_its_variables(classes, spark):
    java = spark._jvm.java.lang
    loader = java.Thread.currentThread().getContextClassLoader()
    base = java.Class.forName("org.apache.spark.sql.catalyst.expressions.HigherOrderFunction", False, loader)
    higher = {one for one in classes["expression"] if base.isAssignableFrom(java.Class.forName(one, False, loader))}
    assert short(higher) == set(lambdas.PARAMETERS)


def test_every_expression_that_holds_a_plan_has_a_rule(classes, spark):
    java = spark._jvm.java.lang
    loader = java.Thread.currentThread().getContextClassLoader()
    base = java.Class.forName("org.apache.spark.sql.catalyst.expressions.PlanExpression", False, loader)
    holding = short(
        one for one in classes["expression"] if base.isAssignableFrom(java.Class.forName(one, False, loader))
    )
    # A lateral join reads its own; arguments that are tables become part of the plan; pruning is the optimiser's.
    others = {"LateralSubquery", "FunctionTableSubqueryArgumentExpression", "DynamicPruningSubquery", "InSubqueryExec"}
    assert holding - others <= set(expressions.SCOPED)
