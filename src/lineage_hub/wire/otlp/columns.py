"""What a body of telemetry told, as values: lists by the names of the tables' columns, and the items that were refused.

Maps lie flat, as Arrow has them: a dictionary for each span would cost more than reading the span.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
            theirs = range(len(other.offsets) - 1) if other.rows is None else other.rows
            if self.rows is None:
                self.rows = list(range(maps))
            self.rows += [maps + row for row in theirs]
        self.offsets += [entries + offset for offset in other.offsets[1:]]
        self.keys += other.keys
        self.values += other.values

    def with_more(self, entries: Mapping[int, Sequence[tuple[str, str]]]) -> MapColumn:
        """The same maps, some with entries added at their end."""
        found = MapColumn()
        for row in range(len(self)):
            for key, value in (*self.pairs(row), *entries.get(row, ())):
                found.keys.append(key)
                found.values.append(value)
            found.offsets.append(len(found.keys))
        return found

    def chosen(self, rows: Sequence[int]) -> MapColumn:
        """The same maps, of these rows alone."""
        named = rows if self.rows is None else [self.rows[row] for row in rows]
        return MapColumn(self.offsets, self.keys, self.values, list(named))


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

    def names(self) -> list[str]:
        """Of the metrics, each once."""
        return list(dict.fromkeys(self.columns["metric_name"]))

    def refuse(self, names: set[str], cause: str) -> None:
        """Leave out the points of these metrics."""
        rows = [at for at, name in enumerate(self.columns["metric_name"]) if name not in names]
        self.rejected += self.count - len(rows)
        room = MOST_REASONS - len(self.reasons)
        self.reasons = self.reasons + [f"metric {name[:80]!r}: {cause}" for name in sorted(names)[:room]]
        self.columns = {
            name: column.chosen(rows) if isinstance(column, MapColumn) else [column[at] for at in rows]
            for name, column in self.columns.items()
        }
        self.count = len(rows)


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
    """Who makes rows durable. What it can't do it raises as one of our errors."""

    async def submit(
        self,
        kind: Kind,
        namespace: str,
        identity: bytes,
        columns: Mapping[str, Sequence[Any]],
        *,
        size: int | None = None,
    ) -> None:
        """The rows are durable when it returns.

        `identity` is the SHA-256 of the request's body: a repeat counts once. `size` is about what the columns take
        in memory.
        """

    async def admit(self, namespace: str, names: Sequence[str]) -> set[str]:
        """Those of the names of metrics that are too many for the namespace; the others are remembered."""
