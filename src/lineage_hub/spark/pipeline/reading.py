"""A YAML file or text enters; a checked pipeline leaves, or every problem in it at once, each with its line."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from lineage_hub.errors import InvalidPipeline, NotFound, Problem
from lineage_hub.spark.pipeline import checks, wording
from lineage_hub.spark.pipeline.definition import MOST_STAGES, Parameter, Pipeline, Stage
from lineage_hub.spark.pipeline.document import MOST_BYTES, Document, Unreadable, read_document
from lineage_hub.spark.pipeline.problems import Finding

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Review:
    """A definition as far as it can be used, and what is wrong or doubtful in it, in the order of its lines."""

    pipeline: Pipeline | None
    problems: tuple[Problem, ...]

    @property
    def errors(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.level == "error")


def read_pipeline(source: File | str) -> Pipeline:
    """A path is a file, a text is the YAML itself."""
    review = review_pipeline(source)
    if review.pipeline is None:
        raise InvalidPipeline(review.errors, subject=str(source) if isinstance(source, File) else None)
    return review.pipeline


def review_pipeline(source: File | str) -> Review:
    """As `read_pipeline`, but warnings leave too and nothing is raised for what the text says."""
    try:
        document = read_document(_content(source))
    except Unreadable as error:
        return Review(None, (error.finding.problem(error.mark),))
    known = [finding.problem(mark) for finding, mark in document.findings]
    pipeline, found = _checked(document)
    problems = [*known, *(finding.problem(document.mark(finding)) for finding in found)]
    problems.sort(key=lambda problem: (problem.line or 0, problem.column or 0))
    usable = pipeline if not any(problem.level == "error" for problem in problems) else None
    return Review(usable, tuple(problems))


def _content(source: File | str) -> bytes:
    if isinstance(source, str):
        return source.encode("utf-8", "surrogatepass")
    try:
        with source.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        raise NotFound(
            f"{source} can't be read: {error.strerror}", subject=str(source), action="check the path"
        ) from None


def _checked(document: Document) -> tuple[Pipeline | None, list[Finding]]:
    value = document.value
    if not isinstance(value, dict):
        says = "a pipeline is a mapping: `name: …`, `stages: …`"
        return None, [Finding((), says, "`lineage-hub pipeline init` writes an example")]
    try:
        pipeline = Pipeline.model_validate(value)
    except ValidationError as error:
        return None, [*wording.findings(error, value), *_meaning_of_the_rest(value)]
    return pipeline, checks.check(pipeline, value)


def _meaning_of_the_rest(value: dict[str, Any]) -> Iterable[Finding]:
    """The stages that can be read are checked beside the others, so that one slip doesn't hide the next."""
    written = value.get("stages")
    if not isinstance(written, dict) or len(written) > MOST_STAGES:
        return []
    stages = {name: stage for name, part in written.items() if (stage := _read(Stage, part)) is not None}
    declared = value.get("parameters")
    parameters = {
        name: one
        for name, part in (declared.items() if isinstance(declared, dict) else ())
        if (one := part if isinstance(part, str) else _read(Parameter, part)) is not None
    }
    folder = value.get("quarantine")
    quarantine = folder if isinstance(folder, str) else None
    partial = Pipeline.model_construct(stages=stages, quarantine=quarantine, parameters=parameters)
    return checks.check(partial, value, unreadable=set(written) - set(stages))


def _read(model: type[Model], part: Any) -> Model | None:
    try:
        return model.model_validate(part)
    except ValidationError:
        return None
