"""A pipeline, the values given for a run and its environment enter; the pipeline with every `${…}` filled leaves.

A value is text: it is never read as YAML, and in SQL it stands as a literal, whatever it holds.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from pydantic import ValidationError

from lineage_hub.errors import InvalidPipeline
from lineage_hub.spark.pipeline import checks, wording
from lineage_hub.spark.pipeline.definition import Parameter, Pipeline, Plain
from lineage_hub.spark.pipeline.parameter_values import declaration, unfit
from lineage_hub.spark.pipeline.problems import Finding, Path, advise, shortened
from lineage_hub.spark.pipeline.slots import Kind, Slot, kind_of, mapped, pieces
from lineage_hub.spark.pipeline.sql_text import TABLE, Unclear, written


def resolve(pipeline: Pipeline, given: Mapping[str, str], environment: Mapping[str, str]) -> Pipeline:
    """Raises InvalidPipeline with everything that is missing, unknown or doesn't fit."""
    declared = {name: declaration(one) for name, one in pipeline.parameters.items()}
    found = [
        Finding(("parameters", name), "there is no such parameter", advise(name, list(declared)), at="key")
        for name in given
        if name not in declared
    ]
    values: dict[str, str] = {}
    for name, parameter in declared.items():
        path: Path = ("parameters", name)
        try:
            value = given[name] if name in given else _default(parameter, environment)
        except Unclear as error:
            found.append(Finding(path, error.says, error.action))
            continue
        if value is None:
            found.append(Finding(path, "it has no value", f"give one: `{name}=…`"))
        elif fault := unfit(value, parameter):
            found.append(Finding(path, fault))
        else:
            values[name] = value
    _raise(found)
    filled = _filled(pipeline, declared, values, environment)
    _raise(list(checks.places(filled)))
    return filled


def _default(parameter: Parameter, environment: Mapping[str, str]) -> str | None:
    if parameter.default is None:
        return None
    parts = pieces(parameter.default, "plain")
    return "".join(_variable(part, environment) if isinstance(part, Slot) else part for part in parts)


def _variable(slot: Slot, environment: Mapping[str, str]) -> str:
    name = slot.variable
    if name is None:
        raise Unclear(f"`${{{slot.inside}}}` is no variable of the environment", "write `${env:NAME}`")
    if name not in environment:
        raise Unclear(f"the variable {name} is not set, or not allowed", f"set {name} in the environment")
    return environment[name]


def _filled(
    pipeline: Pipeline, declared: Mapping[str, Parameter], values: Mapping[str, str], environment: Mapping[str, str]
) -> Pipeline:
    found: list[Finding] = []

    def value_of(slot: Slot) -> tuple[str, Parameter]:
        if slot.inside in declared:
            return values[slot.inside], declared[slot.inside]
        if slot.variable is None:
            raise Unclear(f"`${{{slot.inside}}}` is not declared", advise(slot.inside, list(declared)))
        return _variable(slot, environment), Parameter()

    def fill(path: Path, text: str) -> str:
        try:
            kind = kind_of(path)
            parts = pieces(text, kind)
            filled = "".join(_spaced(parts, kind, value_of))
            number = len(parts) == 1 and isinstance(parts[0], Slot) and value_of(parts[0])[1].type == "number"
            return Plain(filled) if number else filled
        except Unclear as error:
            found.append(Finding(path, error.says, error.action))
            return text

    # What was left out stays left out, so that a later reader still sees what the author wrote.
    tree = mapped(pipeline.model_dump(by_alias=True, exclude_unset=True), fill)
    _raise(found)
    try:
        return Pipeline.model_validate(tree)
    except ValidationError as error:
        raise InvalidPipeline([one.problem() for one in wording.findings(error, tree)]) from None


def _spaced(parts: list[str | Slot], kind: Kind, value_of: Callable[[Slot], tuple[str, Parameter]]) -> Iterator[str]:
    """In SQL a literal keeps its distance from words and quotes, which would make something else of it."""
    for index, part in enumerate(parts):
        if isinstance(part, str):
            yield part
            continue
        value, parameter = value_of(part)
        if kind == "plain":
            yield value
        elif kind == "table":
            if not TABLE.fullmatch(value):
                raise Unclear(f"`{shortened(value)}` is no name of a table", "give letters, digits, `_` and `.`")
            yield value
        else:
            before = parts[index - 1] if index else " "
            after = parts[index + 1] if index + 1 < len(parts) else " "
            yield " " if isinstance(before, Slot) or re.search(r"[\w'\"`]\Z", before) else ""
            yield written(value, parameter.type, kind)
            yield " " if isinstance(after, str) and re.match(r"[\w'\"`]", after) else ""


def _raise(found: list[Finding]) -> None:
    if found:
        raise InvalidPipeline([one.problem() for one in found])
