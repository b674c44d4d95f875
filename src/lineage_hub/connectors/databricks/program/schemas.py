"""Columns of frames and where each comes from, as far as the code tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lineage_hub.connectors.databricks.program.kinds import kind_of
from lineage_hub.connectors.databricks.program.reads import Read
from lineage_hub.connectors.databricks.reading import ColumnOrigin

Origins = tuple[ColumnOrigin, ...]
AMBIGUOUS = ""  # columns that are not named come from more than one table
_KAFKA = ("key", "value", "topic", "partition", "offset", "timestamp", "timestampType")


@dataclass(frozen=True)
class Schema:
    """Named columns; `rest` is the table that all others come from, None if there are no others."""

    columns: Mapping[str, Origins]
    rest: str | None = None
    doubtful: frozenset[str] = frozenset()  # names that two tables of a join have
    alias: str | None = None
    structs: Mapping[str, tuple[str, ...]] | None = None  # fields of columns whose type the code says

    def closed(self) -> Mapping[str, Origins] | None:
        """The whole of the columns, if they are known."""
        return self.columns if self.rest is None and not self.doubtful & set(self.columns) else None

    def origins(self, name: str) -> Origins | None:
        """Where a column comes from; None if that can't be known."""
        plain = name.strip("`")
        if plain in self.doubtful:
            return None
        if plain in self.columns:
            return self.columns[plain]
        first, dot, rest = plain.partition(".")
        if dot:
            if first == self.alias:
                return self.origins(rest)
            if first in self.columns:
                return self.columns[first]
        return (ColumnOrigin(self.rest, first),) if self.rest else None

    def named(self, name: str) -> str:
        """A column's name without the frame's alias."""
        plain = name.strip("`")
        first, dot, rest = plain.partition(".")
        if dot and first == self.alias:
            return rest
        return plain.rpartition(".")[2] if dot else plain


def schema_of_read(read: Read) -> Schema | None:
    """Kafka's columns are Kafka's own; those of a table or path are open, but all from there."""
    if not isinstance(read.format, str):
        return None
    kind = kind_of(read.format)
    if kind == "kafka":
        topics = read.options.get("subscribe", ("", None))[1]
        if isinstance(topics, str) and topics.strip():
            names = [one.strip() for one in topics.split(",") if one.strip()]
            return Schema({column: tuple(ColumnOrigin(one, column) for one in names) for column in _KAFKA})
        return None
    name = read.options.get("table" if kind == "table" else "path", ("", None))[1]
    if kind in ("table", "delta", "files") and isinstance(name, str) and name:
        plain = name[5:] if name[:5].lower() == "live." else name
        return Schema({}, rest=plain)
    return None
