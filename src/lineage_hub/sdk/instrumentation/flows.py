"""Values that say what a statement does: which tables enter, which one leaves, and column by column how.

Made by `sql`, read by whoever tells of it; tables are named as the statement names them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Generic, TypeVar


@dataclass(frozen=True, slots=True)
class Table:
    """The parts that a statement names, or the address of a file that it reads or writes."""

    name: str
    schema: str = ""
    catalog: str = ""
    address: str = ""

    def __str__(self) -> str:
        return self.address or ".".join(part for part in (self.catalog, self.schema, self.name) if part)


class How(StrEnum):
    """How a column depends on another; the first three directly."""

    IDENTITY = "IDENTITY"
    TRANSFORMATION = "TRANSFORMATION"
    AGGREGATION = "AGGREGATION"
    JOIN = "JOIN"
    GROUP_BY = "GROUP_BY"
    FILTER = "FILTER"
    SORT = "SORT"
    WINDOW = "WINDOW"
    CONDITIONAL = "CONDITIONAL"

    @property
    def type(self) -> str:
        """DIRECT if the value is made from the other's, INDIRECT if the other steers it."""
        return "DIRECT" if self in DIRECT else "INDIRECT"


DIRECT = (How.IDENTITY, How.TRANSFORMATION, How.AGGREGATION)


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Origin(Generic[T]):
    """A column of a table; the table is one that a statement names, or a dataset by its name."""

    table: T
    column: str
    how: How = How.IDENTITY
    masking: bool = False

    def through(self, how: How, *, masking: bool = False) -> Origin[T]:
        """As seen from a column that takes it in such a way: what changes it more is what is said."""
        if how in DIRECT and self.how in DIRECT:
            how = max(how, self.how, key=DIRECT.index)
        elif how in DIRECT:
            how = self.how
        return replace(self, how=how, masking=self.masking or masking)


class Kind(StrEnum):
    READ = "read"
    WRITE = "write"
    """Of rows that are added to what is there, or replace it."""
    DEFINE = "define"
    """Of a table without rows."""
    FORGET = "forget"
    """What was known of a table's columns."""
    COMMIT = "commit"
    ROLLBACK = "rollback"
    OTHER = "other"
    """Which has nothing to do with data."""
    UNKNOWN = "unknown"
    """What can't be understood; no names are guessed."""


@dataclass(frozen=True, slots=True)
class Flow:
    kind: Kind
    inputs: tuple[Table, ...] = ()
    output: Table | None = None
    columns: Mapping[str, tuple[Origin[Table], ...]] = field(default_factory=dict)
    """Of each column of the output where it comes from, as far as that is sure."""
    whole: tuple[Origin[Table], ...] = ()
    """Columns that decide about rows, and so about every column."""
    temporary: bool = False
    defines: tuple[tuple[str, str], ...] = ()
    """Columns of the output with their types, where the statement makes the table and they are all known."""
    counts_rows: bool = False
    """Whether the rows that a driver counts are rows written."""
    adds: bool = False
    """Whether the rows that were there stay."""
    commits: bool = False
    """Whether some databases end the transaction here."""
