"""A value for a parameter enters; why it can't be taken leaves."""

import datetime
import re

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
    if parameter.pattern is not None and not re.fullmatch(parameter.pattern, value):
        return f"{said} doesn't match {parameter.pattern}"
    match parameter.type:
        case "number" if not NUMBER.fullmatch(value):
            return f"{said} is no number, such as 7 or -0.5"
        case "identifier" if not re.fullmatch(PARAMETER_NAME, value):
            return f"{said} is no identifier: letters, digits and `_`"
        case "date" if not _is_date(value):
            return f"{said} is no date, such as 2026-11-01"
    return None


def _is_date(value: str) -> bool:
    try:
        return bool(re.fullmatch(r"\d{4}-\d\d-\d\d", value, re.ASCII) and datetime.date.fromisoformat(value))
    except ValueError:
        return False
