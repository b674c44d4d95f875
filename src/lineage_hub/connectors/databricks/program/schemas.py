"""Columns of frames and where each comes from, as far as the code tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from lineage_hub.connectors.databricks.program.kinds import kind_of
from lineage_hub.connectors.databricks.program.reads import Read
from lineage_hub.connectors.databricks.reading import ColumnOrigin
from lineage_hub.connectors.databricks.sql.functions import KAFKA_COLUMNS

Origins = tuple[ColumnOrigin, ...]
AMBIGUOUS = ""  # columns that are not named come from more than one table


@dataclass(frozen=True)
class Schema:
    """Named columns; `rest` is the table that all others come from, None if there are no others."""

    columns: Mapping[str, Origins]
    rest: str | None = None
    doubtful: frozenset[str] = frozenset()  # names that two tables of a join have
    aliases: Mapping[str, Schema] = field(default_factory=dict)
    structs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # fields of columns whose type the code says
    rows: Origins = ()  # what decides which rows there are, and how they are grouped and ordered

    def told(self) -> Mapping[str, Origins] | None:
        """As `closed`, each column with what decides about rows, too."""
        known = self.closed()
        if known is None or not self.rows:
            return known
        return {name: tuple(dict.fromkeys((*origins, *self.rows))) for name, origins in known.items()}

    def decided_by(self, *several: Origins | None) -> Schema:
        """Origins that can't be known are left out: of rows a part is worth telling."""
        found = [replace(one, direct=False) for origins in several for one in origins or ()]
        return replace(self, rows=tuple(dict.fromkeys((*self.rows, *found)))) if found else self

    def closed(self) -> Mapping[str, Origins] | None:
        """The whole of the columns, if they are known."""
        return self.columns if self.rest is None and not self.doubtful & set(self.columns) else None

    def origins(self, name: str) -> Origins | None:
        """Where a column comes from; None if that can't be known."""
        plain = name.replace("`", "")
        spelled = self.spelled(plain)
        if spelled in self.doubtful:
            return None
        if spelled in self.columns:
            return self.columns[spelled]
        first, dot, rest = plain.partition(".")
        alias = _spelled(first, self.aliases) if dot else ""
        if alias in self.aliases:
            return self.aliases[alias].origins(rest)
        if dot and self.spelled(first) in self.columns:
            return self.columns[self.spelled(first)]
        if self.rest is None:
            return None
        return (ColumnOrigin(self.rest, first),) if self.rest != AMBIGUOUS else None

    def spelled(self, name: str) -> str:
        """A column's name as it is here, or the name itself: Spark doesn't mind its case."""
        return _spelled(name, self.columns)

    def with_columns(self, columns: Mapping[str, Origins], structs: Mapping[str, tuple[str, ...]]) -> Schema:
        """New columns, or others under the same names."""
        before = {self.spelled(name): name for name in columns}
        kept = {name: fields for name, fields in self.structs.items() if name not in before}
        return replace(
            self,
            columns={**{before.get(name, name): origins for name, origins in self.columns.items()}, **columns},
            structs={**kept, **structs},
            doubtful=self.doubtful - set(before),
        )


def _spelled(name: str, known: Mapping[str, object]) -> str:
    if name in known:
        return name
    low = name.lower()
    return next((one for one in known if one.lower() == low), name)


def short_name(name: str) -> str:
    """The name that a column has in the result: its last part."""
    return name.replace("`", "").rpartition(".")[2]


def joined(left: Schema, right: Schema, keys: list[str] | None) -> Schema:
    """Of two frames side by side. Keys that are joined by name are there once, and come from both."""
    columns: dict[str, Origins] = dict(left.columns)
    doubtful = set(left.doubtful | right.doubtful)
    for name, origins in right.columns.items():
        mine = left.spelled(name)
        if mine in columns and mine not in (keys or ()) and name not in (keys or ()):
            doubtful.add(mine)
        columns.setdefault(mine, origins)
    for key in keys or ():
        both = (left.origins(key), right.origins(key))
        if both[0] is not None and both[1] is not None:
            columns[left.spelled(key)] = tuple(dict.fromkeys((*both[0], *both[1])))
    rest = AMBIGUOUS if left.rest is not None and right.rest is not None else left.rest or right.rest
    open_side = left if left.rest is not None else right if right.rest is not None else None
    if open_side is not None and rest != AMBIGUOUS:
        # The open side may have any name, those of the other too.
        closed = right if open_side is left else left
        doubtful.update(name for name in closed.columns if name not in (keys or ()) and name not in open_side.columns)
    aliases = {**left.aliases, **right.aliases}
    for name in left.aliases.keys() & right.aliases.keys():
        if left.aliases[name] != right.aliases[name]:
            aliases[name] = Schema({}, AMBIGUOUS)
    return Schema(columns, rest, frozenset(doubtful), aliases, {**right.structs, **left.structs})


def united(one: Schema, other: Schema, *, by_name: bool) -> Schema | None:
    """Rows of both; by name, or by place."""
    first, second = one.closed(), other.closed()
    if first is None or second is None:
        return one if one == other else None
    if by_name:
        names = {**first, **second}
        return Schema({name: tuple(dict.fromkeys((*first.get(name, ()), *second.get(name, ())))) for name in names})
    if len(first) != len(second):
        return None
    pairs = zip(first.items(), second.values(), strict=True)
    return Schema({name: tuple(dict.fromkeys((*mine, *theirs))) for (name, mine), theirs in pairs})


def schema_of_read(read: Read) -> Schema | None:
    """Kafka's columns are Kafka's own; those of a table or path are open, but all from there."""
    if not isinstance(read.format, str):
        return None
    kind = kind_of(read.format)
    if kind == "kafka":
        topics = read.options.get("subscribe", ("", None))[1]
        headers = read.options.get("includeheaders", ("", None))[1]
        if isinstance(topics, str) and topics.strip() and headers is None:
            names = [one.strip() for one in topics.split(",") if one.strip()]
            return Schema({column: tuple(ColumnOrigin(one, column) for one in names) for column in KAFKA_COLUMNS})
        return None
    name = read.options.get("table" if kind == "table" else "path", ("", None))[1]
    if kind in ("table", "delta", "files") and isinstance(name, str) and name.strip():
        from lineage_hub.connectors.databricks.program.resolving import table_name

        if kind != "table":
            return Schema({}, rest=name)
        plain = Schema({}, rest=table_name(name))
        return replace(plain, aliases={short_name(name): plain})
    return None
