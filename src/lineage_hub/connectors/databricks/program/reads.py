"""Reads and writes that a program does enter as they happen; the ledger keeps them until the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lineage_hub.connectors.databricks.program.guards import Guard
from lineage_hub.connectors.databricks.reading import ColumnOrigin, DefinedTable, Expectation, Problem, StreamSource

Options = dict[str, tuple[str, object]]  # lower-cased name → (the name as spelled, the value)


@dataclass(eq=False)
class Read:
    """One read as the program does it."""

    format: object  # a name, or something unknown
    options: Options
    line: int
    guard: Guard
    open: bool = False  # options may be there that can't be known
    ready: StreamSource | None = None  # what the reader of SQL made of it
    file: str = ""  # in which the line is; empty: the program itself


@dataclass(frozen=True)
class Input:
    """A read that a frame is made of."""

    read: Read
    guard: Guard


@dataclass(eq=False)
class Write:
    """A table, view, path or sink, and what goes into it."""

    target: object  # its name
    inputs: tuple[Input, ...]
    line: int
    guard: Guard
    kind: str = "table"
    expectations: tuple[Expectation, ...] = ()
    columns: Mapping[str, tuple[ColumnOrigin, ...]] | None = None
    comment: object = None
    defines: bool = True  # False: rows come to a table that another statement defines


@dataclass(eq=False)
class Sink:
    """A write to another system."""

    format: object
    options: Options
    inputs: tuple[Input, ...]
    line: int
    guard: Guard
    open: bool = False
    name: object = None  # of a pipeline's sink: flows go there by it
    file: str = ""


@dataclass
class Ledger:
    """All that a program was seen to do."""

    reads: list[Read] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    sinks: list[Sink] = field(default_factory=list)
    ready_sources: list[StreamSource] = field(default_factory=list)
    ready_tables: list[DefinedTable] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def joined_inputs(*several: tuple[Input, ...]) -> tuple[Input, ...]:
    """All of them, each once; a read that comes by two ways comes where either is taken."""
    ways: dict[Read, Guard] = {}
    for inputs in several:
        for one in inputs:
            ways[one.read] = ways[one.read] & one.guard if one.read in ways else one.guard
    return tuple(Input(read, guard) for read, guard in ways.items())


def guarded_inputs(inputs: tuple[Input, ...], guard: Guard) -> tuple[Input, ...]:
    return tuple(Input(one.read, one.guard | guard) for one in inputs) if guard else inputs
