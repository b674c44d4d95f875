"""What was measured of a stage's rows enters; a result for each rule, with a sentence, leaves. No Spark here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from lineage_hub.spark.pipeline.definition import RowCount, RowCountChange, Rule, Severity

_MOST_OF_A_NAME = 80
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


@dataclass(frozen=True, slots=True)
class RuleResult:
    """How one rule fared."""

    name: str
    kind: str
    columns: tuple[str, ...]
    severity: Severity
    passed: bool
    checked: int
    """Rows that were judged."""
    broken: int | None
    """Rows that break it; None for a rule about all rows together."""
    value: Any
    """not_null: nulls by column; unique: number of keys; range: least and greatest of numbers; freshness: the latest
    time; row_count: the rows; row_count_change: the change as a share of the rows before; else None."""
    says: str


def name_of(rule: Rule) -> str:
    """As it was named, else its kind and what it is about."""
    if rule.name:
        return rule.name
    given = getattr(rule, rule.kind)
    if isinstance(given, str):
        about = given
    elif isinstance(given, list):
        about = ", ".join(given)
    else:
        about = getattr(given, "column", "")
    about = " ".join(about.split())
    short = about if len(about) <= _MOST_OF_A_NAME else about[: _MOST_OF_A_NAME - 1] + "…"
    return f"{rule.kind}({short})" if short else rule.kind


def judged(
    rule: Rule,
    columns: Sequence[str],
    checked: int,
    measured: Mapping[str, Any],
    previous_rows: int | None,
    now: datetime,
) -> RuleResult:
    """`measured` are the rule's own measures. Of no rows every rule holds; `row_count` says whether none is right."""
    broken: int | None = None
    value: Any
    if rule.row_count is not None:
        passed, value, says = _row_count(rule.row_count, checked)
    elif rule.row_count_change is not None:
        passed, value, says = _row_count_change(rule.row_count_change, checked, previous_rows)
    elif rule.freshness is not None:
        passed, value, says = _freshness(columns[0], rule.freshness.within, checked, measured.get("latest"), now)
    else:
        broken = int(measured["broken"]) if "broken" in measured else checked - int(measured["present_0"])
        # As it was written: as a float 0.29 of 100 would be less than 29.
        passed = broken <= Decimal(str(rule.tolerance)) * checked
        value = _value(rule, columns, checked, measured)
        says = f"{broken:,} of {checked:,} rows {_BREAKING[rule.kind](rule, columns)}"
        if rule.tolerance:
            says += f"; up to {_percent(rule.tolerance)} of them may"
    return RuleResult(name_of(rule), rule.kind, tuple(columns), rule.severity, passed, checked, broken, value, says)


def _value(rule: Rule, columns: Sequence[str], checked: int, measured: Mapping[str, Any]) -> Any:
    if rule.not_null is not None:
        return {name: checked - int(measured[f"present_{at}"]) for at, name in enumerate(columns)}
    if rule.unique is not None:
        return int(measured["distinct"])
    return None


_BREAKING: dict[str, Callable[[Any, Sequence[str]], str]] = {
    "not_null": lambda rule, columns: f"have no {' or no '.join(columns)}",
    "unique": lambda rule, columns: f"share their {', '.join(columns)} with another",
    "accepted_values": lambda rule, columns: f"have {columns[0]} not among the accepted values",
    "range": lambda rule, columns: f"have {columns[0]} not {_span(rule.range.min, rule.range.max)}",
    "regex": lambda rule, columns: f"have {columns[0]} not like {rule.regex.pattern}",
    "referential": lambda rule, columns: f"have {columns[0]} not in {rule.referential.to}",
    "expression": lambda rule, columns: f"break {rule.expression}",
}


def _span(least: Any, most: Any) -> str:
    if least is None:
        return "any" if most is None else f"at most {most}"
    return f"at least {least}" if most is None else f"from {least} to {most}"


def _row_count(given: RowCount, rows: int) -> tuple[bool, int, str]:
    passed = (given.min is None or rows >= given.min) and (given.max is None or rows <= given.max)
    return passed, rows, f"{rows:,} rows; wanted are {_span(given.min, given.max)}"


def _row_count_change(given: RowCountChange, rows: int, previous: int | None) -> tuple[bool, float | None, str]:
    if previous is None:
        return True, None, f"{rows:,} rows, and no run before to compare with"
    if previous == 0:
        # From nothing to something is more than any share.
        passed = rows == 0 or given.max_growth is None
        return passed, 0.0 if rows == 0 else None, f"{rows:,} rows after none"
    change = (rows - previous) / previous
    passed = (given.max_drop is None or -change <= given.max_drop) and (
        given.max_growth is None or change <= given.max_growth
    )
    allowed = [
        f"{_percent(share)} {way}"
        for share, way in ((given.max_drop, "fewer"), (given.max_growth, "more"))
        if share is not None
    ]
    says = f"{rows:,} rows after {previous:,}, a change of {_percent(change, '+')}"
    if allowed:
        says += f"; at most {' and '.join(allowed)} may be"
    return passed, change, says


def _freshness(
    name: str, within: str, checked: int, micros: int | None, now: datetime
) -> tuple[bool, datetime | None, str]:
    if micros is None:
        return checked == 0, None, f"no row has a {name}" if checked else "no rows"
    latest = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
    age = now - latest
    says = f"the latest {name} is {latest.isoformat()}, {_spoken(age)} before now; at most {within} may be"
    return age <= _duration(within), latest, says


def _percent(share: float, sign: str = "") -> str:
    return f"{100 * share:{sign}.4g} %"


def _duration(text: str) -> timedelta:
    return timedelta(seconds=float(text[:-1]) * _SECONDS[text[-1]])


def _spoken(age: timedelta) -> str:
    seconds = age.total_seconds()
    unit = next((unit for unit in ("d", "h", "m") if abs(seconds) >= 2 * _SECONDS[unit]), "s")
    return f"{seconds / _SECONDS[unit]:.4g}{unit}"
