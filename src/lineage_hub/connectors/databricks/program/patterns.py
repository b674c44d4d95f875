"""Regular expressions on known text enter; matches leave, if the expression is one that surely ends soon."""

from __future__ import annotations

import re

from lineage_hub.connectors.databricks.program.budget import TEXT
from lineage_hub.connectors.databricks.program.machine import Machine
from lineage_hub.connectors.databricks.program.parsing import for_its_author
from lineage_hub.connectors.databricks.program.values import (
    PURE,
    UNKNOWN,
    Arguments,
    Library,
    ListValue,
    Method,
    Native,
    Value,
)

_LONGEST = 200  # characters of a text and of an expression
_REPEATS = 3  # parts that repeat without a bound: more may take longer than anyone waits
_REPEATED_GROUP = re.compile(r"\)[*+{?]")
_REPEAT = re.compile(r"(?<!\\)[*+]|\{\d*,\d*\}|\{\d{3,}")
_PLAIN_GROUP = re.compile(r"\(\?(?!:|P<|[aims]+\))")
_FUNCTIONS = ("match", "search", "fullmatch", "sub", "split", "findall")


def _safe(pattern: str) -> bool:
    if len(pattern) > _LONGEST or _PLAIN_GROUP.search(pattern) or len(_REPEAT.findall(pattern)) > _REPEATS:
        return False
    return _REPEATED_GROUP.search(re.sub(r"\\.", "", pattern)) is None


class PatternValue(Native):
    """re.compile(…)"""

    __slots__ = ("pattern",)

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name == "pattern":
            return self.pattern.pattern
        if name not in _FUNCTIONS:
            return PURE
        return Method(
            lambda inner, given: inner.lift(
                lambda *texts: self._run(name, texts, given.open or bool(given.keywords)),
                *(inner.see(one) for one in given.positional),
            )
        )

    def _run(self, name: str, given: tuple[Value, ...], more: bool) -> Value:
        texts = [one for one in given if isinstance(one, str) and len(one) <= _LONGEST]
        if more or len(texts) < len(given) or len(texts) != (2 if name == "sub" else 1):
            return UNKNOWN
        try:
            result: object = getattr(self.pattern, name)(*texts)
        except (re.error, IndexError):
            return UNKNOWN
        if isinstance(result, list):
            return ListValue(tuple(result))
        if isinstance(result, re.Match):
            return MatchValue(result)
        return result if result is None or (isinstance(result, str) and len(result) <= TEXT) else UNKNOWN


class MatchValue(Native):
    """What a match found."""

    __slots__ = ("match",)

    def __init__(self, match: re.Match[str]) -> None:
        self.match = match

    def attribute(self, machine: Machine, name: str, line: int) -> Value:
        if name == "group":
            return Method(lambda inner, given: self.group([inner.see(one) for one in given.positional] or [0]))
        return Method(lambda _, __: self.match.groups()) if name == "groups" else PURE

    def group(self, names: list[Value]) -> Value:
        keys = [one for one in names if isinstance(one, int | str)]
        try:
            return self.match.group(*keys) if len(keys) == len(names) else UNKNOWN
        except IndexError:
            return UNKNOWN


def compiled(machine: Machine, pattern: Value, flags: Value = 0) -> Value:
    if not isinstance(pattern, str) or flags != 0 or not _safe(pattern):
        return UNKNOWN
    try:
        with for_its_author():
            return PatternValue(re.compile(pattern))
    except (re.error, RecursionError, OverflowError):
        return UNKNOWN


def _function(name: str) -> Method:
    def run(machine: Machine, arguments: Arguments) -> Value:
        count = 3 if name == "sub" else 2
        pattern = machine.see(arguments.get(0, "pattern", UNKNOWN))
        made = machine.lift(lambda one: compiled(machine, one), pattern)
        if len(arguments.positional) > count or arguments.keywords or not isinstance(made, PatternValue):
            return UNKNOWN
        method = made.attribute(machine, name, arguments.line)
        return method.call(machine, Arguments(arguments.positional[1:])) if isinstance(method, Method) else UNKNOWN

    return Method(run)


def _compile(machine: Machine, arguments: Arguments) -> Value:
    flags = machine.see(arguments.get(1, "flags", 0))
    return machine.lift(lambda one: compiled(machine, one, flags), machine.see(arguments.get(0, "pattern", UNKNOWN)))


def _escape(machine: Machine, arguments: Arguments) -> Value:
    given = machine.see(arguments.get(0, "pattern", UNKNOWN))
    return machine.lift(lambda one: re.escape(one) if isinstance(one, str) else UNKNOWN, given)


RE = Library(
    "re", {**{name: _function(name) for name in _FUNCTIONS}, "compile": Method(_compile), "escape": Method(_escape)}
)
