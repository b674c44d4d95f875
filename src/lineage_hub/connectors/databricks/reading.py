"""What was understood of a program, as values: its reads and writes, its tables, and what could not be read.

The readers of Python and of SQL fill these; scans and events are made from them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any


class Fields(Mapping[str, Any]):
    """A dataclass whose members answer as attributes and as a dictionary's."""

    def __getitem__(self, name: str) -> Any:
        if name not in self:
            raise KeyError(name)
        return getattr(self, name)

    def __contains__(self, name: object) -> bool:
        return any(one.name == name for one in fields(self))  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[str]:
        return (one.name for one in fields(self))  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(fields(self))  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, Any]:
        """Plain, for JSON."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]


@dataclass(frozen=True, eq=True)
class StreamSource(Fields):
    """One read and the table it feeds, or one sink and the table that feeds it.

    A read that feeds two tables is two of these. A value that can't be known is absent, and its option is in
    `unresolved` under the name that the code gives it.
    """

    kind: str  # kafka, kafka_sink, eventhubs, kinesis, pulsar, pubsub, files, delta, table, jdbc, …
    topics: list[str] = field(default_factory=list)  # topics, streams, event hubs, subscriptions
    pattern: str | None = None  # a regular expression of topics
    bootstrap: str | None = None  # brokers, or what stands for them: a region, a JDBC address without secrets
    path: str | None = None  # files, a Delta table by path, a table's name, a query's or table's name over JDBC
    group_id_prefix: str | None = None
    target_table: str | None = None
    source_table: str | None = None
    unresolved: list[str] = field(default_factory=list)
    line: int = 0
    confidence: float = 1.0  # 1: it runs, with these values; less: it may run, or values are some of several
    file: str = ""  # in which the line is; empty: the program itself

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=True)
class KafkaSourceConfig(Fields):
    """What a program says of one Kafka source."""

    bootstrap_servers: str | None = None
    topics: list[str] = field(default_factory=list)
    group_id_prefix: str | None = None

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Expectation:
    """A rule for rows of a table."""

    name: str
    condition: str | None  # None: can't be known
    action: str  # warn, drop, fail
    line: int = 0


@dataclass(frozen=True)
class ColumnOrigin:
    """Where a column of a table comes from: `table` is a table's name, or a topic or path as in `StreamSource`."""

    table: str
    column: str
    direct: bool = True  # False: it decides rows, groups or order


@dataclass(frozen=True)
class DefinedTable:
    """A table, view or sink that a program fills."""

    name: str
    kind: str = "table"  # table, streaming_table, materialized_view, view, temporary_view, sink
    reads: tuple[str, ...] = ()  # names of tables and views that it is made of
    expectations: tuple[Expectation, ...] = ()
    # None: the plan can't be known from the code; a column without origins is a constant.
    columns: Mapping[str, tuple[ColumnOrigin, ...]] | None = None
    comment: str | None = None
    line: int = 0


@dataclass(frozen=True)
class Problem:
    """Something that could not be read, and why."""

    line: int
    reason: str
    path: str = ""


@dataclass
class Reading:
    """All that was understood of one program. Lines are those of the file as it was given."""

    sources: list[StreamSource] = field(default_factory=list)
    tables: list[DefinedTable] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
