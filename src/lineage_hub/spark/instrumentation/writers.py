"""A writer of pyspark's enters at the moment when it is about to write; the action that it is leaves.

`RULES` has a line for each method of Spark's writers. Here is the way into their JVM objects.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from lineage_hub.sdk.warnings import warn_once
from lineage_hub.spark import names
from lineage_hub.spark.instrumentation.action import Action, subject_of, subject_of_path
from lineage_hub.spark.instrumentation.tables import existing_fields, quoted, table_named
from lineage_hub.spark.jvm import java_class
from lineage_hub.spark.plan import Columns, Field, PlanLineage, Target, lineage, lineage_of_plan
from lineage_hub.spark.plan.catalog import Catalog, each, options_of, private
from lineage_hub.spark.telling import fields_of

_BY_MODE = {"Overwrite": "OVERWRITE", "Append": "APPEND"}


@dataclass(frozen=True, slots=True)
class Write:
    """One call of a writer in the JVM."""

    spark: SparkSession
    frame: DataFrame | None
    jwriter: Any
    method: str
    given: tuple[Any, ...]

    @property
    def name(self) -> str:
        """A path or the name of a table, where the call has one."""
        return self.given[0] if self.given and isinstance(self.given[0], str) else ""


def action_of(write: Write) -> Action:
    """Never raises: of what can't be found out the rest is told."""
    found = PlanLineage()
    try:
        found = RULES[write.method](write)
    except PySparkException:
        pass  # Spark will say to the program itself what is wrong
    except Exception as error:
        warn_once(
            f"spark {write.method} {type(error).__name__}", "a write by %s is told without its datasets: %s",
            write.method, str(error).partition("\n")[0],
        )  # fmt: skip
    subject = subject_of(found.outputs[0]) if found.outputs else _plain_subject(write)
    return Action(write.method, subject, found)


def _plain_subject(write: Write) -> str:
    try:
        text = write.name or private(write.jwriter, "tableName").mkString(".")
    except Exception:
        return ""  # a writer without a table
    return subject_of_path(text) if "/" in text else text


def _written(
    write: Write, target: Target | None, fields: tuple[Field, ...] = (), *, by_position: bool = False
) -> PlanLineage:
    """The rows of the frame go into the target; `fields` are those that it has already."""
    assert write.frame is not None
    found = lineage(write.frame)
    if target is None:
        return found
    columns = _into(found.columns, fields, by_position=by_position)
    return replace(found, outputs=(replace(target, fields=fields or fields_of(write.frame), columns=columns),))


def _into(columns: Columns, fields: tuple[Field, ...], *, by_position: bool) -> Columns:
    """With the names that the columns have where they go to."""
    if by_position and len(fields) == len(columns.own):
        own = {field.name: origins for field, origins in zip(fields, columns.own.values(), strict=True)}
    else:
        spelled = {one.name.casefold(): one.name for one in fields}
        own = {spelled.get(name.casefold(), name): origins for name, origins in columns.own.items()}
    return Columns(own, columns.shared)


def _mode(jwriter: Any) -> str:
    return _BY_MODE.get(jwriter.curmode().toString(), "CREATE")


def _save(write: Write) -> PlanLineage:
    options = {key.lower(): value for key, value in options_of(write.jwriter.extraOptions()).items()}
    if write.name:
        options["path"] = write.name
    return _saved(write, str(write.jwriter.source()), options)


def _files(write: Write) -> PlanLineage:
    return _saved(write, write.method, {"path": write.name})


def _jdbc(write: Write) -> PlanLineage:
    return _saved(write, "jdbc", {"url": write.given[0], "dbtable": write.given[1]})


def _saved(write: Write, format_: str, options: dict[str, str]) -> PlanLineage:
    return _written(write, _place(write, format_, options))


def _place(write: Write, format_: str, options: dict[str, str]) -> Target | None:
    lifecycle = _mode(write.jwriter)
    kind = format_.lower().rpartition(".")[2]
    if kind == "jdbc":
        return Target(names.of_jdbc(options["url"], options["dbtable"]), format=kind, lifecycle=lifecycle)
    if kind == "kafka":
        return next((Target(one, format=kind, lifecycle="APPEND") for one in names.of_kafka(options)), None)
    if "path" not in options:
        return None  # a provider that says nothing of where it writes
    place = names.of_path(Catalog(write.spark).qualified(options["path"]))
    return Target(place, format=kind, lifecycle=lifecycle)


def _table(spark: SparkSession, name: str, lifecycle: str, location: str | None = None, format_: str = "") -> Target:
    table = table_named(spark, name)
    place = names.of_path(Catalog(spark).qualified(location)) if location else table.name
    return Target(place, (), table.symlinks, table.format or format_, lifecycle)


def _save_as_table(write: Write) -> PlanLineage:
    lifecycle = _mode(write.jwriter)
    fields = existing_fields(write.spark, write.name)
    options = {key.lower(): value for key, value in options_of(write.jwriter.extraOptions()).items()}
    location = None if fields else options.get("path")
    target = _table(write.spark, write.name, lifecycle, location, str(write.jwriter.source()))
    return _written(write, target, fields if lifecycle == "APPEND" else ())


def _insert_into(write: Write) -> PlanLineage:
    lifecycle = "OVERWRITE" if _mode(write.jwriter) == "OVERWRITE" else "APPEND"
    target = _table(write.spark, write.name, lifecycle)
    return _written(write, target, existing_fields(write.spark, write.name), by_position=True)


def _write_to(lifecycle: str, *, is_there: bool) -> Callable[[Write], PlanLineage]:
    def rule(write: Write) -> PlanLineage:
        name = quoted([str(one) for one in each(private(write.jwriter, "tableName"))])
        location = options_of(private(write.jwriter, "properties")).get("location")
        target = _table(write.spark, name, lifecycle, location)
        return _written(write, target, existing_fields(write.spark, name) if is_there else ())

    return rule


def _merge(write: Write) -> PlanLineage:
    """The command that Spark would make of it."""
    jwriter, spark = write.jwriter, write.spark
    options = java_class(spark, "org.apache.spark.sql.util.CaseInsensitiveStringMap").empty()
    relation = java_class(spark, "org.apache.spark.sql.catalyst.analysis.UnresolvedRelation")
    target = relation(private(jwriter, "tableName"), options, False)
    condition = write.spark._jsparkSession.expression(private(jwriter, "on"))
    actions = (jwriter.matchedActions(), jwriter.notMatchedActions(), jwriter.notMatchedBySourceActions())
    command = java_class(spark, "org.apache.spark.sql.catalyst.plans.logical.MergeIntoTable")(
        target, private(jwriter, "logicalPlan"), condition, *(one.toSeq() for one in actions), False
    )
    return lineage_of_plan(analysed(write.spark, command), write.spark)


def analysed(spark: SparkSession, jplan: Any) -> Any:
    """As EXPLAIN does: names are looked up, nothing runs."""
    state: Any = spark._jsparkSession.sessionState()
    return state.executePlan(jplan, getattr(state, "executePlan$default$2")()).analyzed()


RULES: dict[str, Callable[[Write], PlanLineage]] = {
    "save": _save,
    **dict.fromkeys(("csv", "json", "orc", "parquet", "text", "xml"), _files),
    "jdbc": _jdbc,
    "saveAsTable": _save_as_table,
    "insertInto": _insert_into,
    "create": _write_to("CREATE", is_there=False),
    "replace": _write_to("OVERWRITE", is_there=False),
    "createOrReplace": _write_to("OVERWRITE", is_there=False),
    "append": _write_to("APPEND", is_there=True),
    "overwrite": _write_to("OVERWRITE", is_there=True),
    "overwritePartitions": _write_to("OVERWRITE", is_there=True),
    "merge": _merge,
}
