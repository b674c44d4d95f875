"""A ledger enters; the sources and tables that it amounts to leave, in order, each once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from lineage_hub.connectors.databricks.program.budget import ALTERNATIVES, PAIRS
from lineage_hub.connectors.databricks.program.guards import ALWAYS, Guard, always, both
from lineage_hub.connectors.databricks.program.reads import Input, Ledger, Read, Sink, Write
from lineage_hub.connectors.databricks.program.resolving import Found, options_of, resolve, table_name
from lineage_hub.connectors.databricks.reading import DefinedTable, Problem, Reading, StreamSource

Named = tuple[Guard, str]


class _Results:
    """Reads are resolved once; what they feed is found from the writes."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.pairs = 0
        self.found: dict[Read, list[Found]] = {read: resolve(read) for read in ledger.reads}
        self.targets: list[tuple[Write, list[Named]]] = [(one, names(one.target)) for one in ledger.writes]

    def sources(self) -> list[tuple[StreamSource, Guard]]:
        """Each with the guard under which it is so."""
        sinks = {name for sink in self.ledger.sinks for _, name in names(sink.name)}
        feeds: dict[Read, list[tuple[Guard, str | None]]] = {read: [] for read in self.found}
        for write, targets in self.targets:
            for one in write.inputs:
                if one.read in feeds:
                    for guard, name in targets:
                        if name in sinks:
                            continue
                        whole = _all(one.guard, write.guard, guard)
                        if whole is not None and self._room(write.line):
                            feeds[one.read].append((whole, name))
        made: list[tuple[StreamSource, Guard]] = []
        for read, found in self.found.items():
            for way in found:
                made.extend(_fed(read, way, feeds[read]))
        for sink in self.ledger.sinks:
            made.extend(self._sink(sink))
        return made

    def _room(self, line: int) -> bool:
        """Are there fewer pairs of a read and its target than anyone looks at?"""
        self.pairs += 1
        if self.pairs == PAIRS:
            self.ledger.problems.append(Problem(line, f"more than {PAIRS:,} reads and targets: the rest was left out"))
        return self.pairs < PAIRS

    def _sink(self, sink: Sink) -> list[tuple[StreamSource, Guard]]:
        inputs = list(sink.inputs)
        for write, targets in self.targets:
            if sink.name is not None and any(name == wanted for _, name in targets for _, wanted in names(sink.name)):
                inputs.extend(write.inputs)
        tables = self._tables(inputs) or [(ALWAYS, None)]
        made = []
        for one in resolve(sink):
            for guard, table in tables:
                whole = _all(sink.guard, one.guard, guard)
                if whole is not None:
                    made.append((replace(one.source, source_table=table, line=sink.line, file=sink.file), whole))
        return made

    def _tables(self, inputs: Iterable[Input]) -> list[tuple[Guard, str | None]]:
        """Names of tables among the inputs."""
        tables: dict[str, Guard] = {}
        for one in inputs:
            for found in self.found.get(one.read, []):
                name = found.source.source_table
                guard = _all(one.read.guard, one.guard, found.guard)
                if name is not None and guard is not None:
                    tables[name] = tables[name] & guard if name in tables else guard
        return [(guard, name) for name, guard in tables.items()]

    def tables(self) -> list[DefinedTable]:
        made: dict[str, DefinedTable] = {}
        for sink in self.ledger.sinks:
            for _, name in names(sink.name):
                made[name] = DefinedTable(name, "sink", line=sink.line)
        for write, targets in self.targets:
            reads = tuple(name for _, name in self._tables(write.inputs) if name is not None)
            for _, name in targets:
                one = DefinedTable(
                    name,
                    write.kind,
                    tuple(dict.fromkeys(reads)),
                    write.expectations,
                    write.columns,
                    write.comment if isinstance(write.comment, str) else None,
                    write.line,
                )
                made[name] = one if name not in made else _merged(made[name], one, write.defines)
        return list(made.values())


def _merged(before: DefinedTable, now: DefinedTable, defines: bool) -> DefinedTable:
    columns = before.columns if before.columns == now.columns else None
    if before.columns is None and not before.reads:
        columns = now.columns  # until now it was only declared
    return DefinedTable(
        before.name,
        now.kind if defines and before.kind == "table" else before.kind,
        tuple(dict.fromkeys([*before.reads, *now.reads])),
        tuple(dict.fromkeys([*before.expectations, *now.expectations])),
        columns,
        before.comment or now.comment,
        before.line,
    )


def names(value: object) -> list[Named]:
    """The names that a target may have; none if they can't be known."""
    options = options_of(value)
    if len(options) > ALTERNATIVES:
        return []
    return [(guard, table_name(one)) for guard, one in options if isinstance(one, str) and one.strip()]


def _all(*guards: Guard) -> Guard | None:
    whole: Guard | None = ALWAYS
    for guard in guards:
        whole = None if whole is None else both(whole, guard)
    return whole


def _fed(read: Read, found: Found, feeds: list[tuple[Guard, str | None]]) -> list[tuple[StreamSource, Guard]]:
    made: list[tuple[StreamSource, Guard]] = []
    for guard, target in feeds:
        whole = _all(read.guard, found.guard, guard)
        if whole is not None:
            made.append((replace(found.source, target_table=target, line=read.line, file=read.file), whole))
    return made or [(replace(found.source, line=read.line, file=read.file), _all(read.guard, found.guard) or ALWAYS)]


def make_reading(ledger: Ledger) -> Reading:
    results = _Results(ledger)
    told = results.sources()
    tables = results.tables()
    known = {one.name for one in tables}
    tables.extend(one for one in ledger.ready_tables if one.name not in known)
    problems = sorted(dict.fromkeys(ledger.problems), key=lambda one: (one.path, one.line))
    ready = [(one, ALWAYS if one.confidence == 1.0 else _DOUBT) for one in ledger.ready_sources]
    return Reading(_distinct([*told, *ready]), tables, problems)


_DOUBT: Guard = frozenset([("doubt", 1)])


def _distinct(told: list[tuple[StreamSource, Guard]]) -> list[StreamSource]:
    """In order of line and target, each once; what knows less of its target than another goes."""
    ways: dict[tuple[object, ...], tuple[StreamSource, list[Guard]]] = {}
    for one, guard in told:
        ways.setdefault(_identity(one), (one, []))[1].append(guard)
    with_target = {key[:-1] for key, (one, _) in ways.items() if one.target_table is not None}
    kept = [
        replace(one, confidence=1.0 if always(guards) else 0.5)
        for key, (one, guards) in ways.items()
        if one.target_table is not None or one.kind.endswith("_sink") or key[:-1] not in with_target
    ]
    return sorted(kept, key=lambda one: (one.line, one.target_table or "", one.kind, one.topics, one.path or ""))


def _identity(one: StreamSource) -> tuple[object, ...]:
    return (
        one.kind, tuple(one.topics), one.pattern, one.bootstrap, one.path, one.group_id_prefix, one.source_table,
        tuple(one.unresolved), one.file, one.line, one.target_table,
    )  # fmt: skip
