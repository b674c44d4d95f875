"""A value for a parameter enters; why it can't be taken leaves."""

import datetime
import re
from functools import lru_cache
from typing import Annotated, Any

from pydantic import StringConstraints, TypeAdapter, ValidationError
from pydantic_core import SchemaError

from lineage_hub.spark.pipeline.definition import NUMBER, PARAMETER_NAME, Parameter
from lineage_hub.spark.pipeline.problems import one_of, shortened

LONGEST = 10_000


def declaration(parameter: str | Parameter) -> Parameter:
    return Parameter(default=parameter) if isinstance(parameter, str) else parameter


def unfit(value: str, parameter: Parameter) -> str | None:
    """Why a value can't be taken."""
    said = f"`{shortened(value)}`"
    if len(value) > LONGEST or any(ord(sign) < 32 or 0x7F <= ord(sign) < 0xA0 for sign in value):
        return f"a value is one line of at most {LONGEST:,} characters"
    if parameter.choices is not None and value not in parameter.choices:
        return f"{said} is none of {one_of(parameter.choices)}"
    if parameter.pattern is not None and not _matcher(parameter.pattern)(value):
        return f"{said} doesn't match {parameter.pattern}"
    match parameter.type:
        case "number" if not NUMBER.fullmatch(value):
            return f"{said} is no number, such as 7 or -0.5"
        case "identifier" if not re.fullmatch(PARAMETER_NAME, value):
            return f"{said} is no identifier: letters, digits and `_`"
        case "date" if not _is_date(value):
            return f"{said} is no date, such as 2026-11-01"
    return None


def unreadable(pattern: str) -> str | None:
    """Why a pattern can't be used."""
    try:
        _matcher(pattern)
    except SchemaError as error:
        said = [line.strip() for line in str(error).splitlines() if line.strip().startswith("error: ")]
        return said[0].removeprefix("error: ") if said else "it is too large"
    return None


@lru_cache(maxsize=100)
def _matcher(pattern: str) -> Any:
    """By pydantic's engine, whose time grows with the text alone: a pattern may come from outside, and mean harm."""
    for text in (pattern, rf"\A(?:{pattern})\z"):  # alone as well: brackets that are not its own must not close ours
        adapter = TypeAdapter(Annotated[str, StringConstraints(pattern=text)])

    def matches(value: str) -> bool:
        try:
            adapter.validate_python(value)
        except ValidationError:
            return False
        return True

    return matches


def _is_date(value: str) -> bool:
    try:
        return bool(re.fullmatch(r"\d{4}-\d\d-\d\d", value, re.ASCII) and datetime.date.fromisoformat(value))
    except ValueError:
        return False
