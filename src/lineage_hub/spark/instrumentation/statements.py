"""A statement of SQL enters, as a program gives it to `spark.sql`; the action that it is leaves, if it writes.

Spark parses and analyses it as for EXPLAIN: nothing runs. A query is left alone after a look at its first word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pyspark.errors import ParseException, PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.functions import lit
from pyspark.sql.sql_formatter import SQLStringFormatter

from lineage_hub.spark.instrumentation.action import Action, subject_of
from lineage_hub.spark.instrumentation.tables import quoted
from lineage_hub.spark.instrumentation.writers import analysed
from lineage_hub.spark.jvm import java_class, scala_seq
from lineage_hub.spark.plan import PlanLineage, lineage_of_plan
from lineage_hub.spark.plan.catalog import each

_FIRST_WORD = re.compile(r"(?s)\A(?:\s|\(|--[^\n]*\n|/\*.*?\*/)*(\w+)")
_WORDS = frozenset(
    ("with", "from", "insert", "create", "replace", "merge", "update", "delete", "drop", "alter", "truncate", "load",
     "execute")
)  # fmt: skip
_STATEMENTS = (
    "org.apache.spark.sql.catalyst.plans.logical.Command",
    "org.apache.spark.sql.catalyst.plans.logical.ParsedStatement",
)
# Of these it is told that they failed, even if nobody can say what they would have written.
_WRITES = re.compile(
    r"Insert|Merge|Update|Delete|(Create|Replace)(Table|View)|(Drop|Rename|Truncate|Load)(Table|View|Data)"
)

_NAMES = {
    "UnresolvedIdentifier": "nameParts",
    **dict.fromkeys(
        ("UnresolvedRelation", "UnresolvedTable", "UnresolvedTableOrView", "UnresolvedView"), "multipartIdentifier"
    ),
}


def may_write(text: object) -> bool:
    """Cheap: most statements of a program are queries."""
    found = _FIRST_WORD.match(text) if isinstance(text, str) else None
    return found is not None and found[1].lower() in _WORDS


def action_of(spark: SparkSession, text: str, args: Any, named: Mapping[str, Any]) -> Action | None:
    """None if it writes nothing that has a name, or isn't a statement at all."""
    formatter = SQLStringFormatter(spark)
    try:
        plain = formatter.format(text, **named) if named else text
        state: Any = spark._jsparkSession.sessionState()
        parsed = state.sqlParser().parsePlan(plain)
        command = _command_in(spark, parsed)
        if command is None or _changes_nothing(spark, command):
            return None
        return _action(spark, command, _with_arguments(spark, parsed, args), text)
    except ParseException:
        return None  # Spark says so itself
    finally:
        formatter.clear()


def _action(spark: SparkSession, command: Any, parsed: Any, text: str) -> Action | None:
    kind = str(command.getClass().getSimpleName())
    operation = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", re.sub("Statement$|Command$", "", kind)).lower()
    found = PlanLineage()
    try:
        found = lineage_of_plan(analysed(spark, parsed), spark)
    except PySparkException:
        if not _WRITES.match(kind):
            return None  # Spark says itself what is wrong with it
        return Action(operation, ".".join(_name_in(command)), found, text)
    return Action(operation, subject_of(found.outputs[0]), found, text) if found.outputs else None


def _command_in(spark: SparkSession, parsed: Any) -> Any:
    """What a WITH is in front of, or the first of several INSERTs of one query."""
    kinds: Any = java_class(spark, "py4j.reflection.TypeUtil")
    found = parsed
    while not any(kinds.isInstanceOf(one, found) for one in _STATEMENTS):
        kind = found.getClass().getSimpleName()
        if kind in ("InsertIntoDir", "ExecuteImmediateQuery"):
            return found  # Spark doesn't count them among its commands until they are analysed
        if kind not in ("UnresolvedWith", "Union"):
            return None
        found = found.children().apply(0)
    return found


def _with_arguments(spark: SparkSession, parsed: Any, args: Any) -> Any:
    """As `spark.sql` does with them."""
    if not args:
        return parsed
    from pyspark.sql.classic.column import _to_java_column

    values = list(args.values()) if isinstance(args, dict) else list(args)
    session: Any = spark._jsparkSession
    given = scala_seq(spark, [session.expression(_to_java_column(lit(one))) for one in values])
    queries = "org.apache.spark.sql.catalyst.analysis"
    if isinstance(args, dict):
        return java_class(spark, f"{queries}.NameParameterizedQuery")(parsed, scala_seq(spark, list(args)), given)
    return java_class(spark, f"{queries}.PosParameterizedQuery")(parsed, given)


def _changes_nothing(spark: SparkSession, command: Any) -> bool:
    """IF EXISTS of what isn't there, IF NOT EXISTS of what is."""
    kind = command.getClass().getSimpleName()
    drops, makes = kind in ("DropTable", "DropView"), kind in ("CreateTable", "CreateTableAsSelect")
    if not (drops and command.ifExists()) and not (makes and command.ignoreIfExists()):
        return False
    name = _name_in(command)
    return bool(name) and spark.catalog.tableExists(quoted(name)) is makes


def _name_in(command: Any) -> list[str]:
    """The table as the statement names it; none if that takes more than to read it."""
    found = command.table() if command.getClass().getSimpleName() == "InsertIntoStatement" else command
    while (kind := found.getClass().getSimpleName()) not in _NAMES:
        if found.children().isEmpty():
            return []
        found = found.children().apply(0)
    return [str(part) for part in each(getattr(found, _NAMES[kind])())]
