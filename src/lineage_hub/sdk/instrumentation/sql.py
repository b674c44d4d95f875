"""The text of SQL enters, with what is known of tables' columns; what each of its statements reads and writes leaves.

Parsing is sqlglot's. What it can't parse is unknown, and no name is guessed.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import sqlglot

from lineage_hub.sdk.instrumentation.flows import Flow, Kind
from lineage_hub.sdk.instrumentation.rules import read
from lineage_hub.sdk.instrumentation.statement import ColumnsOf, Statement

_REPLACE = re.compile(r"\A(\s*)REPLACE\s+INTO\b", re.IGNORECASE)


def flows_of(sql: str, dialect: str = "", columns_of: ColumnsOf = lambda _: None) -> tuple[Flow, ...]:
    """`dialect` as sqlglot names it. Nothing is raised."""
    try:
        with quietly():
            parsed = sqlglot.parse(_REPLACE.sub(r"\1INSERT INTO", sql, count=1), read=dialect or None)
        found: list[Flow] = []
        for expression in parsed:
            if expression is not None:
                statement = Statement(dialect, columns_of)
                statement.normalise(expression)
                found.extend(read(statement, expression))
    except Exception:
        return (Flow(Kind.UNKNOWN),)
    return tuple(found)


_silent: ContextVar[bool] = ContextVar("lineage_hub_silent", default=False)


class _Silence(logging.Filter):
    """sqlglot's log speaks of statements that it leaves as text: of ours nobody wants to read, of others' it stays."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not _silent.get()


logging.getLogger("sqlglot").addFilter(_Silence())


@contextmanager
def quietly() -> Iterator[None]:
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)
