"""What a program lets be seen of its tables enters: their columns, and what temporary ones were made of.

A statement's flow enters as well, and leaves with datasets in the place of tables. A temporary table is no dataset:
what is read from it comes from where it was filled.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lineage_hub.sdk.datasets import Name
from lineage_hub.sdk.instrumentation.databases import Database
from lineage_hub.sdk.instrumentation.flows import Flow, Kind, Origin, Table

Column = tuple[str, str]
_KEEP_SPELLING = frozenset({"sqlite", "duckdb", "mssql"})
# Schemas by which temporary tables may be called.
_TEMPORARY = frozenset({"temp", "pg_temp"})
MOST_TABLES = 5_000
LONGEST_TEXT = 10_000


@dataclass(slots=True)
class Temporary:
    """What a temporary table was made of, by the lower-case names of its columns."""

    inputs: dict[Name, None] = field(default_factory=dict)
    columns: dict[str, tuple[Origin[Name], ...]] = field(default_factory=dict)
    whole: tuple[Origin[Name], ...] = ()
    names: tuple[str, ...] = ()


Temporaries = dict[str, Temporary]


@dataclass(frozen=True, slots=True)
class Resolved:
    """A flow between datasets; without an output it reads only."""

    inputs: tuple[Name, ...] = ()
    output: Name | None = None
    columns: Mapping[str, tuple[Origin[Name], ...]] = field(default_factory=dict)
    whole: tuple[Origin[Name], ...] = ()


class Seen:
    """The tables of one database, as far as the program showed them. Counts its changes."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.changes = 0
        self._lock = threading.Lock()
        self._columns: dict[str, tuple[Column, ...]] = {}
        self._spelled: dict[str, str] = {}
        self._texts: set[str] = set()

    def is_new(self, text: str) -> bool:
        """Whether a statement was not asked about before, or so long ago that it is forgotten."""
        if text in self._texts or len(text) > LONGEST_TEXT:
            return False
        if len(self._texts) >= MOST_TABLES:
            self._texts.clear()
        self._texts.add(text)
        return True

    def name_of(self, table: Table) -> Name | None:
        """One name for a table, also where the database doesn't mind the case in which it is written."""
        name = self.database.name_of(table)
        if name is None or self.database.kind not in _KEEP_SPELLING or table.address:
            return name
        return name[0], self._spelled.setdefault(name[1].lower(), name[1])

    def learn(self, table: Table, columns: Iterable[Column]) -> None:
        name, given = self.name_of(table), tuple(columns)
        if name is None or not given:
            return
        with self._lock:
            before = self._columns.get(name[1])
            known = dict(before or ())
            # What was said first of a type is nearer to the program than what a statement's text gives.
            told = tuple((one, known.get(one) or kind) for one, kind in given)
            if before != told and (name[1] in self._columns or len(self._columns) < MOST_TABLES):
                self._columns[name[1]] = told
                self.changes += 1

    def forget(self, table: Table) -> None:
        name = self.name_of(table)
        with self._lock:
            if name is not None and self._columns.pop(name[1], None) is not None:
                self.changes += 1

    def columns_of(self, name: Name) -> tuple[Column, ...]:
        return self._columns.get(name[1], ()) if name[0] == self.database.namespace else ()


def columns_for(
    seen: Seen, temporaries: Temporaries, look_up: Callable[[Table], Sequence[Column]] | None
) -> Callable[[Table], Sequence[str] | None]:
    """What is known of a table's columns; `look_up` asks the database where that costs nothing."""

    def columns_of(table: Table) -> Sequence[str] | None:
        temporary = _temporary(table, seen, temporaries)
        if temporary is not None:
            return temporary.names or None
        name = seen.name_of(table)
        if name is None:
            return None
        if not seen.columns_of(name) and look_up is not None and not table.address:
            seen.learn(table, look_up(table))
        return [column for column, _ in seen.columns_of(name)] or None

    return columns_of


def _temporary(table: Table, seen: Seen, temporaries: Temporaries) -> Temporary | None:
    """It hides a table of the same name, unless that is called by its schema."""
    if table.address or (table.schema and not seen.database.in_memory and table.schema.lower() not in _TEMPORARY):
        return None
    return temporaries.get(table.name.lower())


def resolve(flow: Flow, seen: Seen, temporaries: Temporaries) -> Resolved:
    """Temporary tables that it writes are remembered, those that it reads are followed."""
    inputs: dict[Name, None] = {}
    for table in flow.inputs:
        temporary = _temporary(table, seen, temporaries)
        name = seen.name_of(table) if temporary is None else None
        inputs |= temporary.inputs if temporary is not None else {name: None} if name is not None else {}
    columns = {column: _named(origins, seen, temporaries) for column, origins in flow.columns.items()}
    columns = {column: origins for column, origins in columns.items() if origins}
    whole = _named(flow.whole, seen, temporaries)
    if flow.output is None:
        return Resolved(tuple(inputs))
    key = flow.output.name.lower()
    if _is_temporary(flow, seen, temporaries):
        _fill(temporaries.setdefault(key, Temporary()), flow, inputs, columns, whole)
        return Resolved(tuple(inputs))
    output = seen.name_of(flow.output)
    if output is None:
        return Resolved(tuple(inputs))
    return Resolved(tuple(inputs), output, columns, whole)


def _is_temporary(flow: Flow, seen: Seen, temporaries: Temporaries) -> bool:
    output = flow.output
    if output is None or output.address:
        return False
    return flow.temporary or seen.database.in_memory or _temporary(output, seen, temporaries) is not None


def _fill(
    temporary: Temporary,
    flow: Flow,
    inputs: dict[Name, None],
    columns: Mapping[str, tuple[Origin[Name], ...]],
    whole: tuple[Origin[Name], ...],
) -> None:
    if flow.kind is Kind.DEFINE or flow.defines:
        temporary.names = tuple(name for name, _ in flow.defines) or temporary.names
    temporary.inputs |= inputs
    for column, origins in columns.items():
        told = (*temporary.columns.get(column.lower(), ()), *origins)
        temporary.columns[column.lower()] = tuple(dict.fromkeys(told))
    temporary.whole = tuple(dict.fromkeys((*temporary.whole, *whole)))


def _named(origins: Iterable[Origin[Table]], seen: Seen, temporaries: Temporaries) -> tuple[Origin[Name], ...]:
    found: dict[Origin[Name], Any] = {}
    for origin in origins:
        temporary = _temporary(origin.table, seen, temporaries)
        if temporary is not None:
            inner = temporary.columns.get(origin.column.lower(), ())
            found |= {one.through(origin.how, masking=origin.masking): None for one in inner}
            continue
        name = seen.name_of(origin.table)
        if name is not None:
            found[Origin(name, origin.column, origin.how, origin.masking)] = None
    return tuple(found)
