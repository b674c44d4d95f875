"""The tokens of a CREATE enter; what it makes leaves: its name, kind, columns and rules, and where its query begins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lineage_hub.connectors.databricks.reading import Expectation
from lineage_hub.connectors.databricks.sql import tokens as t
from lineage_hub.connectors.databricks.sql.splitting import UNKNOWN

_MODIFIERS = frozenset(
    {"PRIVATE", "TEMPORARY", "TEMP", "GLOBAL", "EXTERNAL", "INCREMENTAL", "STREAMING", "LIVE", "MATERIALIZED"}
)
_NO_COLUMNS = frozenset({"CONSTRAINT", "PRIMARY", "FOREIGN", "CHECK", "UNIQUE"})
_TAKES_TYPES = frozenset({"ARRAY", "MAP", "STRUCT"})


@dataclass
class Definition:
    """A table or view; `query` and `flow` are places of tokens, 0 where there is none."""

    kind: str
    name: tuple[int, int]  # the places where its name begins and ends
    line: int
    temporary: bool = False
    shared: bool = False  # a temporary view that all sessions see
    columns: list[str] = field(default_factory=list)
    typed: bool = False  # columns have types, so that they are matched by name
    expectations: list[Expectation] = field(default_factory=list)
    comment: str | None = None
    query: int = 0
    flow: int = 0
    clone: int = 0
    format: str = ""
    options: tuple[int, int] | None = None


def read_definition(tokens: t.Tokens, text: str, line: int) -> Definition | None:
    """None for what is no table or view."""
    at = 1
    if t.says(tokens, at, "OR", "REFRESH") or t.says(tokens, at, "OR", "REPLACE"):
        at += 2
    modifiers = set[str]()
    while t.word(tokens, at) in _MODIFIERS:
        modifiers.add(t.word(tokens, at))
        at += 1
    what = t.word(tokens, at)
    if what not in ("TABLE", "VIEW"):
        return None
    at += 1
    if t.says(tokens, at, "IF", "NOT", "EXISTS"):
        at += 3
    end = after_name(tokens, at)
    if end == at:
        raise t.Unreadable("what is created has no name")
    temporary = what == "VIEW" and bool(modifiers & {"TEMPORARY", "TEMP"})
    shared = temporary and "GLOBAL" in modifiers
    made = Definition(_kind(what, modifiers), (at, end), line + tokens[at].line - 1, temporary, shared)
    if t.word(tokens, end) == "(" and not _begins_query(tokens, end):
        after = t.after_brackets(tokens, end)
        _read_specification(made, tokens, text, end + 1, after - 1, line)
        end = after
    _read_clauses(made, tokens, end)
    return made


def _kind(what: str, modifiers: set[str]) -> str:
    if what == "VIEW":
        if "MATERIALIZED" in modifiers:
            return "materialized_view"
        return "temporary_view" if modifiers & {"TEMPORARY", "TEMP"} else "view"
    if modifiers & {"STREAMING", "INCREMENTAL"}:
        return "streaming_table"
    return "materialized_view" if "LIVE" in modifiers else "table"


def after_name(tokens: t.Tokens, at: int) -> int:
    """The place after a table's name, which may be `IDENTIFIER(…)`; the same place where there is none."""
    if t.word(tokens, at) == "IDENTIFIER" and t.word(tokens, at + 1) == "(":
        end = t.after_brackets(tokens, at + 1)
        while t.word(tokens, end) == "." and t.is_name(tokens, end + 1):
            end += 2
        return end
    return t.name_parts(tokens, at)[1] if t.is_name(tokens, at) else at


def _read_clauses(made: Definition, tokens: t.Tokens, at: int) -> None:
    while at < len(tokens):
        said = t.word(tokens, at)
        if said == "AS" and (t.says(tokens, at + 1, "OF") or t.word(tokens, at - 1) == "STORED"):
            at += 2
        elif said == "AS":
            made.query = at + 1
            return
        elif said in ("SELECT", "VALUES") or _begins_query(tokens, at) or (said == "WITH" and _begins_ctes(tokens, at)):
            made.query = at
            return
        elif said == "FLOW":
            made.flow = at + 1
            return
        elif said == "CLONE":
            made.clone = at + 1
            at = after_name(tokens, at + 1)
        elif said == "LIKE":
            return
        elif said == "COMMENT" and t.is_string(tokens, at + 1):
            made.comment = tokens[at + 1].text if UNKNOWN not in tokens[at + 1].text else None
            at += 2
        elif said == "USING":
            parts, at = t.name_parts(tokens, at + 1)
            made.format = ".".join(parts).lower()
        elif said == "OPTIONS" and t.word(tokens, at + 1) == "(":
            made.options = (at + 2, t.after_brackets(tokens, at + 1) - 1)
            at = made.options[1] + 1
        elif said == "(":
            at = t.after_brackets(tokens, at)
        else:
            at += 1


def _begins_query(tokens: t.Tokens, at: int) -> bool:
    """A query in brackets may stand without its AS."""
    inner = at + 1
    if t.word(tokens, at) != "(":
        return False
    return t.word(tokens, inner) == "SELECT" or (t.word(tokens, inner) == "WITH" and _begins_ctes(tokens, inner))


def _begins_ctes(tokens: t.Tokens, at: int) -> bool:
    """`WITH ROW FILTER` and `WITH SCHEMA …` are clauses of the table."""
    after = at + 2 if t.word(tokens, at + 1) == "RECURSIVE" else at + 1
    return t.is_name(tokens, after) and t.word(tokens, after + 1) in ("AS", "(")


def _read_specification(made: Definition, tokens: t.Tokens, text: str, at: int, end: int, line: int) -> None:
    for begin, stop in items(tokens, at, end):
        first = t.word(tokens, begin)
        if first not in _NO_COLUMNS and t.is_name(tokens, begin):
            made.columns.append(tokens[begin].text)
            made.typed = made.typed or (stop > begin + 1 and t.word(tokens, begin + 1) not in ("COMMENT", "MASK"))
        for place in range(begin, stop):
            if t.word(tokens, place) == "CONSTRAINT" and t.word(tokens, place + 2) == "EXPECT":
                made.expectations.append(_expectation(tokens, text, place, stop, line))


def items(tokens: t.Tokens, at: int, end: int) -> Iterator[tuple[int, int]]:
    """Between commas, those of brackets and of types like MAP<STRING, INT> left out."""
    begin, angles = at, 0
    while at < end:
        said = t.word(tokens, at)
        if said == "<" and (angles or t.word(tokens, at - 1) in _TAKES_TYPES):
            angles += 1
        elif said in (">", ">>") and angles:
            angles -= len(said)
        elif said == "," and angles <= 0:
            yield begin, at
            begin = at + 1
        elif said in ("(", "["):
            at = t.after_brackets(tokens, at)
            continue
        at += 1
    if begin < end:
        yield begin, end


def _expectation(tokens: t.Tokens, text: str, at: int, end: int, line: int) -> Expectation:
    """`CONSTRAINT name EXPECT (condition) [ON VIOLATION {DROP ROW | FAIL UPDATE}]`"""
    begin = at + 3
    stop = t.find(tokens, begin, ("ON", "CONSTRAINT"), end)
    while stop < end and t.word(tokens, stop) == "ON" and t.word(tokens, stop + 1) != "VIOLATION":
        stop = t.find(tokens, stop + 1, ("ON", "CONSTRAINT"), end)
    action = "warn"
    if t.says(tokens, stop, "ON", "VIOLATION"):
        action = {"DROP": "drop", "FAIL": "fail"}.get(t.word(tokens, stop + 2), "warn")
    if t.word(tokens, begin) == "(" and t.after_brackets(tokens, begin) == stop:
        begin, stop = begin + 1, stop - 1
    condition = slice_of(text, tokens, begin, stop)
    known = condition is not None and UNKNOWN not in condition
    return Expectation(tokens[at + 1].text, condition if known else None, action, line + tokens[at].line - 1)


def slice_of(text: str, tokens: t.Tokens, begin: int, stop: int) -> str | None:
    if not begin < stop <= len(tokens):
        return None
    return text[tokens[begin].start : tokens[stop - 1].end + 1].strip()


def options_in(tokens: t.Tokens, begin: int, end: int) -> dict[str, tuple[str, Any]]:
    """`key 'value'`, `key = 'value'` or `'key' = 'value'`, each value as places of tokens."""
    found: dict[str, tuple[str, Any]] = {}
    for at, stop in items(tokens, begin, end):
        if t.is_string(tokens, at):
            name, value = tokens[at].text, at + 1
        else:
            parts, value = t.name_parts(tokens, at)
            name = ".".join(parts)
        if t.word(tokens, value) == "=":
            value += 1
        if name and value < stop:
            found.setdefault(name.lower(), (name, (value, stop)))
    return found
