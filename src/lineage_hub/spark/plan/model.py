"""The answer of the plan reader as values: what a plan reads and writes, and where each column comes from.

Nothing enters but plain values; kinds are the subtypes of OpenLineage's column lineage.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from lineage_hub.sdk.instrumentation.flows import How
from lineage_hub.spark.names import DatasetName

# How a column depends on a field: one vocabulary with statements of SQL.
Kind = How


class Origin(NamedTuple):
    dataset: DatasetName
    field: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    type: str
    fields: tuple[Field, ...] = ()


@dataclass(frozen=True, slots=True)
class Symlink:
    """Another name of the same data: TABLE or LOCATION."""

    name: DatasetName
    type: str = "TABLE"


@dataclass(frozen=True, slots=True)
class Source:
    """A dataset that a plan reads."""

    name: DatasetName
    fields: tuple[Field, ...] = ()
    symlinks: tuple[Symlink, ...] = ()
    format: str = ""
    version: str | None = None


class Columns(Mapping[str, frozenset[Origin]]):
    """Each column's own origins, and those that all columns share: a DISTINCT of 5,000 columns needs no 25 million."""

    __slots__ = ("own", "shared")

    def __init__(
        self, own: Mapping[str, frozenset[Origin]] | None = None, shared: frozenset[Origin] = frozenset()
    ) -> None:
        self.own = own or {}
        self.shared = shared

    def __getitem__(self, name: str) -> frozenset[Origin]:
        return self.own[name] | self.shared if self.shared else self.own[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.own)

    def __len__(self) -> int:
        return len(self.own)

    def __repr__(self) -> str:
        return repr(dict(self))


@dataclass(frozen=True, slots=True)
class Target:
    """A dataset that a command writes, makes, changes or drops."""

    name: DatasetName
    fields: tuple[Field, ...] = ()
    symlinks: tuple[Symlink, ...] = ()
    format: str = ""
    lifecycle: str | None = None
    """CREATE, OVERWRITE, APPEND (which OpenLineage has no word for), DROP, RENAME, TRUNCATE or ALTER."""
    previous: DatasetName | None = None
    """What it was called before a RENAME."""
    columns: Columns = field(default_factory=Columns)
    """Of this target alone; they differ from the plan's where one plan has several targets."""


@dataclass(frozen=True, slots=True)
class Opaque:
    """A step that can't be seen through: its columns are said to depend on everything beneath it."""

    operator: str
    reason: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanLineage:
    inputs: tuple[Source, ...] = ()
    outputs: tuple[Target, ...] = ()
    columns: Columns = field(default_factory=Columns)
    opaque: tuple[Opaque, ...] = ()
    unknown: tuple[str, ...] = ()
    """Classes of operators and expressions that have no rule."""
