"""A pipeline of the right shape enters; what can't work in it, or is doubtful, leaves as findings."""

import itertools
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from lineage_hub.errors import InvalidPipeline, Problem
from lineage_hub.spark.pipeline.definition import PARAMETER_NAME, Load, Parameter, Pipeline, Rule, Stage
from lineage_hub.spark.pipeline.graph import cycles, told, waits
from lineage_hub.spark.pipeline.parameter_values import declaration, unfit, unreadable
from lineage_hub.spark.pipeline.places import overlap, same_target
from lineage_hub.spark.pipeline.problems import Finding, Path, advise
from lineage_hub.spark.pipeline.slots import Slot, kind_of, pieces, texts
from lineage_hub.spark.pipeline.sql_text import Unclear

# The formats whose rows can fail to be read.
MALFORMED = ("csv", "json", "ndjson")
FUNCTION = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):[A-Za-z_]\w*", re.ASCII)


def check(pipeline: Pipeline, written: Mapping[str, Any], unreadable: Collection[str] = ()) -> list[Finding]:
    """`written` is the definition as it was given; `unreadable` are stages of it that the pipeline lacks."""
    found = [
        *_references(pipeline.stages, unreadable),
        *map(told, cycles(waits(pipeline.stages))),
        *places(pipeline),
        *_quarantine(pipeline),
        *_stages(pipeline.stages),
        *_slots(written),
        *_parameters(pipeline.parameters),
    ]
    return found if unreadable else [*found, *_unused(pipeline, written)]


def problems_of(pipeline: Pipeline) -> list[Problem]:
    """Errors and warnings of a pipeline that a program has made; they have no lines."""
    return [finding.problem() for finding in check(pipeline, pipeline.model_dump(by_alias=True, exclude_unset=True))]


def require(pipeline: Pipeline) -> None:
    """Raises InvalidPipeline if it can't work."""
    errors = [problem for problem in problems_of(pipeline) if problem.level == "error"]
    if errors:
        raise InvalidPipeline(errors, subject=pipeline.name)


def places(pipeline: Pipeline) -> Iterator[Finding]:
    """No two stages may write to one place: each would destroy what the other made."""
    loads = {name: stage.load for name, stage in pipeline.stages.items() if stage.load is not None}
    for (one, first), (other, second) in itertools.combinations(loads.items(), 2):
        if same_target(first, second):
            says = f"{one} loads into {_place(first)}, which this one would overwrite or mix with"
            path: Path = ("stages", other, "load", "table" if second.format == "jdbc" else "path")
            yield Finding(path, says, "give each load a place of its own, or join their rows in a transform first")
    folders: list[tuple[Path, str | None]] = [
        (("quarantine",), pipeline.quarantine),
        *((("stages", name, "quarantine"), stage.quarantine) for name, stage in pipeline.stages.items()),
    ]
    for (path, folder), (name, load) in itertools.product(folders, loads.items()):
        if folder is not None and load.path is not None and overlap(folder, load.path):
            yield Finding(path, f"{name} loads into {_place(load)}, which overlaps", "keep rejected rows elsewhere")


def _place(load: Load) -> str:
    return f"the table {load.table}" if load.format == "jdbc" else str(load.path)


def _named(stages: Mapping[str, Stage]) -> Iterator[tuple[Path, str]]:
    """Every place where a stage names another."""
    for name, stage in stages.items():
        if stage.load is not None:
            yield ("stages", name, "load", "from"), stage.load.from_
        if stage.transform is not None:
            for index, source in enumerate(stage.transform.from_):
                yield ("stages", name, "transform", "from", index), source
            for index, step in enumerate(stage.transform.steps):
                if step.join is not None:
                    yield ("stages", name, "transform", "steps", index, "join", "with"), step.join.with_
        for index, rule in enumerate(stage.rules):
            if rule.referential is not None:
                yield ("stages", name, "rules", index, "referential", "to"), rule.referential.to.split(".")[0]


def _references(stages: Mapping[str, Stage], unreadable: Collection[str]) -> Iterator[Finding]:
    for path, source in _named(stages):
        known = stages.get(source)
        if known is None and source not in unreadable:
            readable = [name for name, stage in stages.items() if stage.load is None and name != path[1]]
            yield Finding(path, f"there is no stage `{source}`", advise(source, [*readable, *unreadable]))
        elif known is not None and known.load is not None:
            says = f"`{source}` is a load, which gives no rows to other stages"
            action = f"read `{known.load.from_}`, or add an extract of {_place(known.load)}: it waits for the load"
            yield Finding(path, says, action)


def _quarantine(pipeline: Pipeline) -> Iterator[Finding]:
    for name, stage in pipeline.stages.items():
        if pipeline.quarantine is not None or stage.quarantine is not None:
            continue
        action = "give `quarantine: FOLDER`, for the pipeline or for this stage"
        for index, rule in enumerate(stage.rules):
            if rule.severity == "quarantine":
                path: Path = ("stages", name, "rules", index, "severity")
                yield Finding(path, "rows are to be kept apart, but no folder is named", action)
        if stage.extract is not None and stage.extract.format in MALFORMED:
            says = "rows that can't be read are counted, but not kept"
            yield Finding(("stages", name), says, action, "warning", at="key")


def _stages(stages: Mapping[str, Stage]) -> Iterator[Finding]:
    for name, stage in stages.items():
        path: Path = ("stages", name)
        if name == "this":
            says = "`this` is what the steps before have made, in SQL"
            yield Finding(path, says, "name the stage otherwise", at="key")
        place = stage.extract or stage.load
        if place is not None and place.password is not None and "${" not in place.password:
            kind: Path = (*path, stage.kind, "password")
            says, action = "a password stands in the definition", "write `${env:NAME}`"
            yield Finding(kind, says, action, "warning", at="key")
        if stage.load is not None and re.search(r"[*?\[\]]", stage.load.path or ""):
            yield Finding((*path, "load", "path"), "a load has one place", "take out the wildcards")
        for index, step in enumerate(stage.transform.steps if stage.transform else []):
            if isinstance(step.python, str) and "${" not in step.python and not FUNCTION.fullmatch(step.python):
                where: Path = (*path, "transform", "steps", index, "python")
                yield Finding(where, f"`{step.python}` names no function", "write `module:function`")
        yield from _rules(path, stage.rules)


def _rules(path: Path, rules: list[Rule]) -> Iterator[Finding]:
    names: set[str] = set()
    for index, rule in enumerate(rules):
        where = (*path, "rules", index)
        limits = rule.range or rule.row_count or rule.row_count_change
        if limits is not None and not any(
            value is not None for key, value in limits.model_dump().items() if key != "column"
        ):
            keys = [key for key in type(limits).model_fields if key != "column"]
            yield Finding((*where, rule.kind), "no bound is given", f"give `{keys[0]}`, `{keys[1]}` or both", at="key")
        if rule.name in names:
            yield Finding((*where, "name"), f"another rule of the stage is named `{rule.name}`", "name it otherwise")
        names |= {rule.name} if rule.name else set()


def _slots(written: Mapping[str, Any]) -> Iterator[Finding]:
    """Every `${…}` names a parameter or a variable, and stands where a value can."""
    declared = list(written.get("parameters") or {})
    for path, text in texts(written):
        yield from (Finding(path, error.says, error.action) for error in _unknown(path, text, declared))
    for path in _keys(written):
        if "${" in str(path[-1]):
            yield Finding(path, "`${…}` can't stand in a key", "write the name out", at="key")


def _unknown(path: Path, text: str, declared: Collection[str]) -> Iterator[Unclear]:
    try:
        slots = [piece for piece in pieces(text, kind_of(path)) if isinstance(piece, Slot)]
    except Unclear as error:
        yield error
        return
    for slot in slots:
        if slot.variable is not None:
            if not re.fullmatch(PARAMETER_NAME, slot.variable):
                yield Unclear(f"`{slot.variable}` is no name of a variable", "write `${env:NAME}`")
        elif slot.inside not in declared:
            near = advise(slot.inside, declared) if declared else "declare it"
            yield Unclear(f"`${{{slot.inside}}}` is not among the `parameters`", near)


def _keys(value: Any, path: Path = ()) -> Iterator[Path]:
    items: Any = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from _keys(item, (*path, key))


def _parameters(parameters: Mapping[str, str | Parameter]) -> Iterator[Finding]:
    for name, given in parameters.items():
        path: Path = ("parameters", name)
        parameter = declaration(given)
        if parameter.pattern is not None and (fault := unreadable(parameter.pattern)):
            yield Finding((*path, "pattern"), f"this is no regular expression: {fault}")
            continue
        if parameter.default is None:
            continue
        at = (*path, "default") if isinstance(given, Parameter) else path
        try:
            parts = pieces(parameter.default, "plain")
        except Unclear as error:
            yield Finding(at, error.says, error.action)
            continue
        wrong = [part.inside for part in parts if isinstance(part, Slot) and part.variable is None]
        if wrong:
            yield Finding(at, f"a default can't use `${{{wrong[0]}}}`", "only `${env:NAME}` can stand in it")
        elif len(parts) == 1 and isinstance(parts[0], str) and (fault := unfit(parts[0], parameter)):
            yield Finding(at, fault)


def _unused(pipeline: Pipeline, written: Mapping[str, Any]) -> Iterator[Finding]:
    read = {source for path, source in _named(pipeline.stages) if source != path[1]}
    for name, stage in pipeline.stages.items():
        if stage.load is None and name not in read:
            yield Finding(("stages", name), "nothing reads this stage", "load it, or take it out", "warning", at="key")
    used = " ".join(text for _, text in texts(written))
    for name in pipeline.parameters:
        if f"${{{name}}}" not in used:
            yield Finding(("parameters", name), "nothing uses this parameter", "take it out", "warning", at="key")
