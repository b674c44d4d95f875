"""A resolved pipeline and what an administrator allows enter; a pipeline that stays within it leaves, or a refusal.

This is a boundary: a definition or a parameter may come from someone who wants out. What isn't known to be harmless
is refused. A link that someone makes below a root after the check is out of its sight: who may write there is trusted.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path as Folder
from typing import Any

from lineage_hub.errors import InvalidPipeline
from lineage_hub.spark.pipeline.checks import FUNCTION
from lineage_hub.spark.pipeline.confined_places import Refused, place_database, place_path
from lineage_hub.spark.pipeline.confined_sql import refuse_escapes
from lineage_hub.spark.pipeline.definition import Pipeline
from lineage_hub.spark.pipeline.problems import Finding, Path, one_of, shortened
from lineage_hub.spark.pipeline.slots import kind_of, mapped
from lineage_hub.spark.pipeline.sql_text import TABLE, Unclear

# SQL can't read files past the extracts, and Spark doesn't put variables of the environment into it.
ENFORCED = {"spark.sql.runSQLOnFiles": False, "spark.sql.variable.substitute": False}
# Keys that neither load classes nor name places; an administrator may allow more.
CONF = frozenset(
    {
        "spark.default.parallelism",
        "spark.driver.memory",
        "spark.dynamicAllocation.enabled",
        "spark.dynamicAllocation.maxExecutors",
        "spark.executor.cores",
        "spark.executor.instances",
        "spark.executor.memory",
        "spark.sql.adaptive.advisoryPartitionSizeInBytes",
        "spark.sql.adaptive.coalescePartitions.enabled",
        "spark.sql.adaptive.enabled",
        "spark.sql.adaptive.skewJoin.enabled",
        "spark.sql.ansi.enabled",
        "spark.sql.autoBroadcastJoinThreshold",
        "spark.sql.broadcastTimeout",
        "spark.sql.caseSensitive",
        "spark.sql.files.maxPartitionBytes",
        "spark.sql.files.maxRecordsPerFile",
        "spark.sql.files.openCostInBytes",
        "spark.sql.legacy.timeParserPolicy",
        "spark.sql.parquet.compression.codec",
        "spark.sql.session.timeZone",
        "spark.sql.shuffle.partitions",
        "spark.databricks.delta.optimizeWrite.enabled",
        "spark.databricks.delta.schema.autoMerge.enabled",
        "spark.databricks.delta.snapshotPartitions",
    }
)
# Of readers and writers, in small letters as Spark compares them. None names a place, a class or a statement.
OPTIONS = frozenset(
    {
        "sep",
        "delimiter",
        "header",
        "encoding",
        "charset",
        "quote",
        "escape",
        "comment",
        "inferschema",
        "prefersdate",
        "enforceschema",
        "samplingratio",
        "ignoreleadingwhitespace",
        "ignoretrailingwhitespace",
        "nullvalue",
        "emptyvalue",
        "nanvalue",
        "positiveinf",
        "negativeinf",
        "dateformat",
        "timestampformat",
        "timestampntzformat",
        "maxcolumns",
        "maxcharspercolumn",
        "mode",
        "multiline",
        "chartoescapequoteescaping",
        "linesep",
        "locale",
        "unescapedquotehandling",
        "quoteall",
        "escapequotes",
        "compression",
        "primitivesasstring",
        "prefersdecimal",
        "allowcomments",
        "allowunquotedfieldnames",
        "allowsinglequotes",
        "allownumericleadingzeros",
        "allownonnumericnumbers",
        "allowbackslashescapinganycharacter",
        "allowunquotedcontrolchars",
        "dropfieldifallnull",
        "ignorenullfields",
        "timezone",
        "mergeschema",
        "overwriteschema",
        "pathglobfilter",
        "recursivefilelookup",
        "modifiedbefore",
        "modifiedafter",
        "datetimerebasemode",
        "int96rebasemode",
        "versionasof",
        "timestampasof",
        "ignoredeletes",
        "ignorechanges",
        "maxrecordsperfile",
        "fetchsize",
        "batchsize",
        "numpartitions",
        "partitioncolumn",
        "lowerbound",
        "upperbound",
        "querytimeout",
        "isolationlevel",
        "truncate",
        "pushdownpredicate",
    }
)
VALUE = re.compile(r"[\w.,+:/-]*", re.ASCII)


def confine(
    pipeline: Pipeline,
    roots: Sequence[Folder],
    *,
    uris: Sequence[str] = (),
    databases: Sequence[str] = (),
    modules: Sequence[str] = (),
    packages: Collection[str] = (),
    conf: Collection[str] = (),
    base: Folder | None = None,
) -> Pipeline:
    """Allowed are files under `roots` and the prefixes `uris`, JDBC URLs that begin with one of `databases`, functions
    of `modules`, the `packages`, and further keys of `conf`. A path that isn't absolute is taken from `base`."""
    found: list[Finding] = []

    def checked(path: Path, text: str) -> str:
        try:
            match path:
                case ("stages", _, "extract", "path", *_):
                    return place_path(text, roots, uris, base, writes=False)
                case ("stages", _, "load", "path") | ("quarantine",) | ("stages", _, "quarantine"):
                    return place_path(text, roots, uris, base, writes=True)
                case ("stages", _, "extract" | "load", "url"):
                    return place_database(text, databases)
                case ("stages", _, "transform", "steps", _, "python"):
                    _refuse_module(text, modules)
                case ("stages", _, "extract" | "load", "table") if not TABLE.fullmatch(text):
                    raise Refused(f"`{shortened(text)}` is no name of a table", "give letters, digits, `_` and `.`")
                case ("stages", _, "extract" | "load", "options", str(option)) if _names_class(option, text):
                    raise Refused(f"`{shortened(text)}` could name a class", "use the short name")
                case ("spark", "packages", _) if text not in packages:
                    raise Refused(f"the package `{shortened(text)}` is not allowed", _allowed(packages))
                case _ if kind_of(path) == "spark":
                    refuse_escapes(text, statement=path[5:] == ("sql",))
        except (Refused, Unclear) as error:
            found.append(Finding(path, error.says, error.action))
        return text

    tree: dict[str, Any] = pipeline.model_dump(by_alias=True, exclude_unset=True)
    confined = mapped(tree, checked)
    found.extend(_refused_keys(pipeline, {*CONF, *conf}))
    if found:
        raise InvalidPipeline([finding.problem() for finding in found], subject=pipeline.name)
    spark = confined.setdefault("spark", {})
    spark["conf"] = {**spark.get("conf", {}), **ENFORCED}
    return Pipeline.model_validate(confined)


def _refused_keys(pipeline: Pipeline, conf: Collection[str]) -> Iterator[Finding]:
    for key, value in pipeline.spark.conf.items():
        path: Path = ("spark", "conf", key)
        if key not in conf:
            yield Finding(path, "this key of Spark's configuration is not allowed", _allowed(conf), at="key")
        elif not VALUE.fullmatch(str(value)):
            yield Finding(path, f"`{shortened(str(value))}` is no plain value", "use letters, digits and . , + : / -")
    for name, stage in pipeline.stages.items():
        place = stage.extract or stage.load
        for option in place.options if place else ():
            if option.lower() not in OPTIONS:
                where: Path = ("stages", name, stage.kind, "options", option)
                yield Finding(where, "this option is not allowed", "leave it out", at="key")
        for index, step in enumerate(stage.transform.steps if stage.transform else ()):
            if callable(step.python):
                where = ("stages", name, "transform", "steps", index, "python")
                yield Finding(where, "a function of the program itself is not allowed", "write `module:function`")


def _refuse_module(text: str, modules: Sequence[str]) -> None:
    match = FUNCTION.fullmatch(text)
    if match is None:
        raise Refused(f"`{shortened(text)}` names no function of a module", "write `module:function`")
    if not any(match[1] == module or match[1].startswith(f"{module}.") for module in modules):
        raise Refused(f"functions of the module `{shortened(match[1])}` are not allowed", _allowed(modules))


def _names_class(option: str, value: str) -> bool:
    """A codec may be given by its class, which is then loaded."""
    return option.lower() == "compression" and not re.fullmatch(r"[A-Za-z0-9_]+", value)


def _allowed(names: Collection[str]) -> str:
    return f"allowed is {one_of(sorted(names))}" if names else "none is allowed here"
