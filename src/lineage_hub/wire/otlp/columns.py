"""What a body of telemetry told, as values: lists by the names of the tables' columns, and the items that were refused.

Maps lie flat, as Arrow has them: a dictionary for each span would cost more than reading the span.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, overload

Kind = Literal["traces", "metrics", "logs"]
Encoding = Literal["protobuf", "json"]
# What ClickHouse's DateTime64(9) holds ends at 2262-04-11 23:47:16.854775807.
LATEST_NS = 2**63 - 1
MOST_REASONS = 20


@dataclass(slots=True)
class MapColumn(Sequence[dict[str, str]]):
    """Map i has the keys and values from offsets[i] to offsets[i + 1], in the order in which they were sent.

    Where many rows share a map, `rows` names the map of each row; without it row i has map i.
    """

    offsets: list[int] = field(default_factory=lambda: [0])
    keys: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    rows: list[int] | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1 if self.rows is None else len(self.rows)

    @overload
    def __getitem__(self, row: int) -> dict[str, str]: ...
    @overload
    def __getitem__(self, row: slice) -> list[dict[str, str]]: ...
    def __getitem__(self, row: int | slice) -> dict[str, str] | list[dict[str, str]]:
        if isinstance(row, slice):
            return [self[at] for at in range(*row.indices(len(self)))]
        return dict(self.pairs(row))

    def pairs(self, row: int) -> list[tuple[str, str]]:
        """Also those of a key that was sent twice."""
        row = range(len(self))[row]
        at = row if self.rows is None else self.rows[row]
        first, end = self.offsets[at], self.offsets[at + 1]
        return list(zip(self.keys[first:end], self.values[first:end], strict=True))

    def extend(self, other: MapColumn) -> None:
        maps, entries = len(self.offsets) - 1, len(self.keys)
        if self.rows is not None or other.rows is not None:
            mine = list(range(maps)) if self.rows is None else self.rows
            theirs = range(len(other.offsets) - 1) if other.rows is None else other.rows
            self.rows = mine + [maps + row for row in theirs]
        self.offsets += [entries + offset for offset in other.offsets[1:]]
        self.keys += other.keys
        self.values += other.values


Column = list[Any] | MapColumn


@dataclass(slots=True)
class Columns:
    """`reasons` is bounded and names the item and the cause; `rejected` counts all that were refused."""

    columns: dict[str, Column]
    count: int
    rejected: int = 0
    reasons: list[str] = field(default_factory=list)

    def extend(self, other: Columns) -> None:
        """The rows of another body of the same kind after these, for one insert; the refusals stay with their body."""
        for name, column in self.columns.items():
            # Columns of a name are of a type.
            column.extend(other.columns[name])  # type: ignore[arg-type]
        self.count += other.count


class SpanColumns(Columns):
    """Of the table `traces`."""

    __slots__ = ()


class PointColumns(Columns):
    """Of the table `metrics`."""

    __slots__ = ()


class LogColumns(Columns):
    """Of the table `logs`."""

    __slots__ = ()


@dataclass(slots=True)
class Refusals:
    count: int = 0
    reasons: list[str] = field(default_factory=list)

    def add(self, item: str, cause: str, many: int = 1) -> None:
        self.count += many
        if many and len(self.reasons) < MOST_REASONS:
            self.reasons.append(f"{item}: {cause}")


class TelemetryTaker(Protocol):
    """Takes the rows of a request; they are durable when the call returns. What it can't do it raises of our errors.

    `identity` is the SHA-256 of the request's body: a repeat is answered alike and counts once.
    """

    async def submit(self, kind: Kind, namespace: str, identity: bytes, columns: Columns) -> None: ...
