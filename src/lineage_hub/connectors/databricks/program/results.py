"""A ledger enters; the sources and tables that it amounts to leave, in order, each once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from lineage_hub.connectors.databricks.program.budget import ALTERNATIVES
from lineage_hub.connectors.databricks.program.guards import ALWAYS, Guard, both
from lineage_hub.connectors.databricks.program.reads import Input, Ledger, Read, Sink, Write
from lineage_hub.connectors.databricks.program.resolving import Found, options_of, resolve, table_name
from lineage_hub.connectors.databricks.reading import DefinedTable, Reading, StreamSource

Named = tuple[Guard, str]


class _Results:
    """Reads are resolved once; what they feed is found from the writes."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.found: dict[Read, list[Found]] = {read: resolve(read) for read in ledger.reads}
        self.targets: list[tuple[Write, list[Named]]] = [(one, names(one.target)) for one in ledger.writes]

    def sources(self) -> list[StreamSource]:
        feeds: dict[Read, list[tuple[Guard, str | None]]] = {read: [] for read in self.found}
        for write, targets in self.targets:
            for one in write.inputs:
                if one.read in feeds:
                    for guard, name in targets:
                        whole = _all(one.guard, write.guard, guard)
                        if whole is not None:
                            feeds[one.read].append((whole, name))
        made: list[StreamSource] = []
        for read, found in self.found.items():
            for one in found:
                made.extend(_fed(read, one, feeds[read], len(found)))
        for sink in self.ledger.sinks:
            made.extend(self._sink(sink))
        return made

    def _sink(self, sink: Sink) -> list[StreamSource]:
        inputs = list(sink.inputs)
        for write, targets in self.targets:
            if sink.name is not None and any(name == wanted for _, name in targets for _, wanted in names(sink.name)):
                inputs.extend(write.inputs)
        tables = self._tables(inputs) or [(ALWAYS, None)]
        made = []
        variants = resolve(sink)
        for one in variants:
            for guard, table in tables:
                whole = _all(sink.guard, one.guard, guard)
                if whole is not None:
                    sure = not whole and len(variants) == 1
                    made.append(
                        replace(one.source, source_table=table, line=sink.line, confidence=1.0 if sure else 0.5)
                    )
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
    return DefinedTable(
        before.name,
        now.kind if defines and before.kind == "table" else before.kind,
        tuple(dict.fromkeys([*before.reads, *now.reads])),
        tuple(dict.fromkeys([*before.expectations, *now.expectations])),
        now.columns if before.columns is None and not before.reads else before.columns if before.columns == now.columns else None,
        before.comment or now.comment,
        before.line,
    )  # fmt: skip


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


def _fed(read: Read, found: Found, feeds: list[tuple[Guard, str | None]], variants: int) -> list[StreamSource]:
    made: dict[str | None, bool] = {}
    for guard, target in feeds:
        whole = _all(read.guard, found.guard, guard)
        if whole is not None:
            made[target] = made.get(target, False) or not whole
    if not made:
        made[None] = not read.guard and not found.guard
    return [
        replace(found.source, target_table=target, line=read.line, confidence=1.0 if sure and variants == 1 else 0.5)
        for target, sure in made.items()
    ]


def make_reading(ledger: Ledger) -> Reading:
    results = _Results(ledger)
    sources = [*results.sources(), *ledger.ready_sources]
    tables = results.tables()
    known = {one.name for one in tables}
    tables.extend(one for one in ledger.ready_tables if one.name not in known)
    problems = sorted(dict.fromkeys(ledger.problems), key=lambda one: (one.path, one.line))
    return Reading(_distinct(sources), tables, problems)


def _distinct(sources: list[StreamSource]) -> list[StreamSource]:
    """In order of line and target; one that differs from another only by knowing less of its target goes."""
    best: dict[tuple[object, ...], StreamSource] = {}
    for one in sources:
        key = _identity(one)
        if key not in best or best[key].confidence < one.confidence:
            best[key] = one
    with_target = {_identity(one)[:-1] for one in best.values() if one.target_table is not None}
    kept = [
        one
        for one in best.values()
        if one.target_table is not None or one.kind.endswith("_sink") or _identity(one)[:-1] not in with_target
    ]
    return sorted(kept, key=lambda one: (one.line, one.target_table or "", one.kind, one.topics, one.path or ""))


def _identity(one: StreamSource) -> tuple[object, ...]:
    return (
        one.kind, tuple(one.topics), one.pattern, one.bootstrap, one.path, one.group_id_prefix, one.source_table,
        tuple(one.unresolved), one.line, one.target_table,
    )  # fmt: skip
