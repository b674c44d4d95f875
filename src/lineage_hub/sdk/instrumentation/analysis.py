"""A statement's text enters; its flows leave, and the text as it may be told: short, and without its strings.

Texts come again and again, so what was found is kept, the last ones of them. Without sqlglot nothing is understood.
"""

from __future__ import annotations

import os
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence

from lineage_hub.sdk.instrumentation.flows import Flow, Kind, Table
from lineage_hub.sdk.warnings import warn_once

LONGEST = 100_000
SHOWN = 4_000
_KEPT = 1_000
# The rows of a statement that names them one by one say nothing; its beginning does.
_VALUES = re.compile(r"\s*(?:INSERT|REPLACE)\b[^();']*(?:\([^();']*\)\s*)?VALUES\s*(?=\()", re.IGNORECASE)
_LONG_VALUES = 500
SELECT = re.compile(r"\bSELECT\b", re.IGNORECASE)
_QUOTES = "'\"`$"

Analysis = tuple[tuple[Flow, ...], str]
_lock = threading.Lock()
_kept: OrderedDict[Hashable, Analysis] = OrderedDict()


def _forked() -> None:
    global _lock  # noqa: PLW0603
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_forked)


def analyse(
    sql: str,
    dialect: str,
    columns_of: Callable[[Table], Sequence[str] | None],
    key: Callable[[], Hashable],
) -> Analysis:
    """`key` tells apart what else the answer depends on; it is asked again afterwards, since looking may teach."""
    text = _shortened(sql)
    with _lock:
        found = _kept.get((text, key()))
        if found is not None:
            _kept.move_to_end((text, key()))
            return found
    found = (_understand(text, dialect, columns_of), told(text, dialect))
    with _lock:
        _kept[text, key()] = found
        while len(_kept) > _KEPT:
            _kept.popitem(last=False)
    return found


def _shortened(sql: str) -> str:
    if len(sql) < _LONG_VALUES:
        return sql
    head = _VALUES.match(sql)
    return sql if head is None or SELECT.search(sql) else head[0] + "(NULL)"


def _understand(text: str, dialect: str, columns_of: Callable[[Table], Sequence[str] | None]) -> tuple[Flow, ...]:
    if len(text) > LONGEST:
        return (Flow(Kind.UNKNOWN),)
    try:
        from lineage_hub.sdk.instrumentation.sql import flows_of
    except ImportError:
        warn_once("sqlglot", "tables in SQL can't be told without sqlglot: pip install 'lineage-hub[sql]'")
        return (Flow(Kind.UNKNOWN),)
    return flows_of(text, dialect, columns_of)


def told(text: str, dialect: str) -> str:
    """Strings are masked: a password may be one."""
    masked = _masked(text, dialect)
    return masked if len(masked) <= SHOWN else masked[:SHOWN] + "…"


def _masked(text: str, dialect: str) -> str:
    if not any(quote in text for quote in _QUOTES):
        return text
    if len(text) <= LONGEST:
        try:
            return _mask_strings(text, dialect)
        except Exception:
            pass
    # Where strings begin and end is unknown: all after the first quote may be one.
    return text[: min(at for at in map(text.find, _QUOTES) if at >= 0)] + "'…"


def _mask_strings(text: str, dialect: str) -> str:
    import sqlglot

    parts: list[str] = []
    at = 0
    for token in sqlglot.tokenize(text, read=dialect or None):
        if token.token_type.name.endswith("STRING"):
            parts += [text[at : token.start], "'…'"]
            at = token.end + 1
    return "".join([*parts, text[at:]])
