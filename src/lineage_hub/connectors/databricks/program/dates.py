"""Dates and durations that a program makes of known numbers enter; what it makes of them leaves. Today is unknown."""

from __future__ import annotations

import ast
import datetime
import re

from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.values import (
    PURE,
    UNKNOWN,
    Arguments,
    Library,
    Method,
    Native,
    Value,
)

Known = datetime.date | datetime.timedelta
_SAFE = re.compile(r"[^\d]*\Z|[^%]*(?:%[-]?[a-zA-Z][^%]*)*\Z")


class Moment(Native):
    """A date, a time or a duration."""

    __slots__ = ("value",)

    def __init__(self, value: Known) -> None:
        self.value = value

    def truth(self) -> bool | None:
        return bool(self.value)

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name in ("year", "month", "day", "hour", "minute", "second", "days", "seconds"):
            found: object = getattr(self.value, name, UNKNOWN)
            return found
        if name in ("isoformat", "strftime", "weekday", "isoweekday", "date", "total_seconds", "replace"):
            return Method(lambda _, given: self._call(name, given))
        return PURE

    def _call(self, name: str, arguments: Arguments) -> Value:
        plain = all(isinstance(one, str | int) for one in arguments.every())
        if not plain or arguments.open or any(isinstance(one, str) and not shown(one) for one in arguments.positional):
            return UNKNOWN
        try:
            return _told(getattr(self.value, name)(*arguments.positional, **arguments.keywords))
        except (AttributeError, TypeError, ValueError, OverflowError):
            return UNKNOWN


def shown(template: str) -> bool:
    """A form of dates that can't make endless text."""
    return len(template) < 200 and _SAFE.match(template) is not None


def _told(result: object) -> Value:
    if isinstance(result, datetime.date | datetime.timedelta):
        return Moment(result)
    return result if isinstance(result, str | int | float) else UNKNOWN


def combine_moments(op: ast.operator, one: Value, other: Value) -> Value:
    """date + timedelta and their like"""
    left = one.value if isinstance(one, Moment) else one
    right = other.value if isinstance(other, Moment) else other
    try:
        if isinstance(op, ast.Add):
            return _told(left + right)  # type: ignore[operator]
        if isinstance(op, ast.Sub):
            return _told(left - right)  # type: ignore[operator]
        return _told(left * right) if isinstance(op, ast.Mult) else UNKNOWN  # type: ignore[operator]
    except (TypeError, OverflowError, ValueError):
        return UNKNOWN


class _Kind(Native):
    """date, datetime, timedelta"""

    __slots__ = ("kind",)

    def __init__(self, kind: type[Known]) -> None:
        self.kind = kind

    def call(self, machine: Machine, arguments: Arguments) -> Value:
        def once(*given: Value) -> Value:
            count = len(arguments.positional)
            if arguments.open or not all(isinstance(one, int | float) for one in given):
                return UNKNOWN
            try:
                return Moment(self.kind(*given[:count], **dict(zip(arguments.keywords, given[count:], strict=True))))  # type: ignore[arg-type]
            except (TypeError, ValueError, OverflowError):
                return UNKNOWN

        return machine.lift(once, *(machine.see(one) for one in arguments.every()))

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name in ("fromisoformat", "strptime"):
            return Method(lambda inner, given: self._parse(name, [inner.see(one) for one in given.positional]))
        return PURE

    def _parse(self, name: str, given: list[Value]) -> Value:
        texts = [one for one in given if isinstance(one, str) and len(one) < 100]
        if len(texts) < len(given):
            return UNKNOWN
        try:
            return _told(getattr(self.kind, name)(*texts))
        except (AttributeError, TypeError, ValueError):
            return UNKNOWN


DATETIME = Library(
    "datetime",
    {
        "date": _Kind(datetime.date),
        "datetime": _Kind(datetime.datetime),
        "timedelta": _Kind(datetime.timedelta),
    },
)
