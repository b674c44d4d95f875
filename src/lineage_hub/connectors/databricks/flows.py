"""What was read from the programs of one pipeline or task enters; its flows leave, one for each table that it fills.

So two tables of one notebook keep their own topics. A sink is a flow of its own, and so is what is read and goes
nowhere that the code tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from lineage_hub.connectors.databricks.names import STREAMS, DatasetName, Namer, spelling
from lineage_hub.connectors.databricks.programs import Work
from lineage_hub.connectors.databricks.reading import DefinedTable, Expectation, Problem, Reading, StreamSource


@dataclass(frozen=True)
class ReadProgram:
    """One notebook or file of a work, as it was read."""

    path: str
    reading: Reading
    modified_at: int = 0
    is_sql: bool = False

    @property
    def tables(self) -> list[DefinedTable]:
        """As others see them: CREATE VIEW makes a view that stays, whatever its name looks like."""
        views = self.reading.tables
        return [replace(one, kind="published_view") if self.is_sql and one.kind == "view" else one for one in views]


@dataclass(frozen=True)
class Evidence:
    """Where in the code an input or an output stands."""

    path: str
    line: int
    source: StreamSource
    datasets: tuple[DatasetName, ...] = ()


@dataclass(frozen=True)
class Origin:
    dataset: DatasetName
    column: str
    direct: bool


@dataclass
class Flow:
    """From what it reads to the one thing that it fills."""

    name: str  # within its work; empty: the work itself
    outputs: dict[DatasetName, None] = field(default_factory=dict)
    inputs: dict[DatasetName, None] = field(default_factory=dict)
    target: str = ""  # as the code spells it
    kind: str = ""  # of a DefinedTable
    evidence: list[Evidence] = field(default_factory=list)
    expectations: dict[str, Expectation] = field(default_factory=dict)
    columns: dict[str, list[Origin]] | None = None
    comment: str | None = None
    paths: dict[str, None] = field(default_factory=dict)
    line: int = 0

    @property
    def is_streaming(self) -> bool:
        return self.kind == "streaming_table" or any(one.source.kind in STREAMS for one in self.evidence)


def flows_of(
    work: Work, programs: Sequence[ReadProgram], namer: Namer, *, with_streams: bool = True
) -> tuple[list[Flow], list[Problem]]:
    made = _Flows(work, namer, with_streams=with_streams)
    for program in programs:
        for source in program.reading.sources:
            made.add_source(program, source)
        for table in program.reading.tables:
            made.add_table(program, table)
    for program in programs:
        for table in program.reading.tables:
            made.add_columns(table)
    return [one for one in made.flows.values() if one.inputs or one.outputs or one.evidence], made.problems


class _Flows:
    def __init__(self, work: Work, namer: Namer, *, with_streams: bool) -> None:
        self._work, self._namer, self._with_streams = work, namer, with_streams
        self.flows: dict[str, Flow] = {}
        self.problems: list[Problem] = []
        # By spelling, what each flow reads: origins of columns name it so.
        self._spelled: dict[str, dict[str, DatasetName]] = {}

    def _flow(self, key: str, name: str, path: str) -> Flow:
        flow = self.flows.setdefault(key, Flow(name))
        flow.paths[path] = None
        self._spelled.setdefault(key, {})
        return flow

    def _of_target(self, target: str, program: ReadProgram) -> tuple[str, Flow] | None:
        output = self._namer.table(target)
        if output is None:
            return None
        key = "\0".join(output)
        flow = self._flow(key, _last_part(target), program.path)
        flow.outputs[output] = None
        flow.target = flow.target or target
        return key, flow

    def add_source(self, program: ReadProgram, source: StreamSource) -> None:
        if not self._with_streams and source.kind.removesuffix("_sink") in STREAMS:
            return
        try:
            named = self._namer.of_source(source)
        except ValueError as error:
            # An address that is none, such as one with a port of letters.
            self.problems.append(Problem(source.line, f"{source.kind} can't be named: {error}", program.path))
            named = []
        if source.kind.endswith("_sink"):
            self._add_sink(program, source, named)
            return
        found = self._of_target(source.target_table, program) if source.target_table else None
        key, flow = found if found is not None else ("", self._flow("", "", program.path))
        flow.evidence.append(Evidence(source.file or program.path, source.line, source, tuple(named)))
        for one in named:
            flow.inputs[one] = None
        self._spell(key, source, named)

    def _spell(self, key: str, source: StreamSource, named: list[DatasetName]) -> None:
        spelled = self._spelled[key]
        for text, one in zip(source.topics, named, strict=False):
            spelled[text] = one
        for other in (source.path, source.pattern, source.source_table):
            if other and len(named) == 1:
                spelled[other] = spelled[spelling(other)] = named[0]

    def _add_sink(self, program: ReadProgram, source: StreamSource, named: list[DatasetName]) -> None:
        words = [*source.topics, *([source.path] if source.path else [])] or [f"{source.kind} at line {source.line}"]
        key = "\0".join(["sink", *(part for one in named for part in one)]) if named else f"sink\0{source.line}"
        flow = self._flow(key, f"sink {', '.join(words)}", program.path)
        flow.kind = "sink"
        flow.evidence.append(Evidence(source.file or program.path, source.line, source, tuple(named)))
        for one in named:
            flow.outputs[one] = None
        if source.source_table and (fed := self._namer.table(source.source_table)) is not None:
            flow.inputs[fed] = None

    def add_table(self, program: ReadProgram, table: DefinedTable) -> None:
        if table.kind == "sink":
            return
        found = self._of_target(table.name, program)
        if found is None:
            return
        key, flow = found
        flow.kind, flow.line = table.kind, flow.line or table.line
        flow.comment = flow.comment or table.comment
        flow.expectations |= {one.name: one for one in table.expectations}
        for name in table.reads:
            if (read := self._namer.table(name)) is not None and read not in flow.outputs:
                flow.inputs[read] = None
                self._spelled[key][spelling(name)] = read

    def add_columns(self, table: DefinedTable) -> None:
        output = self._namer.table(table.name) if table.kind != "sink" else None
        if output is None or table.columns is None:
            return
        key = "\0".join(output)
        flow, spelled = self.flows[key], self._spelled[key]
        columns = flow.columns if flow.columns is not None else {}
        for column, origins in table.columns.items():
            found = columns.setdefault(column, [])
            for one in origins:
                dataset = spelled.get(one.table) or spelled.get(spelling(one.table))
                if dataset is not None and (origin := Origin(dataset, one.column, one.direct)) not in found:
                    found.append(origin)
        flow.columns = columns


def _last_part(target: str) -> str:
    """What a person calls it: a table without its catalog and schema, a path whole."""
    return target if "/" in target else spelling(target).rpartition(".")[2]


def with_distinct_names(flows: Iterable[Flow]) -> list[Flow]:
    """Tables of one name in two schemas keep their whole names."""
    found = list(flows)
    names = [one.name for one in found]
    for one in found:
        if names.count(one.name) > 1 and one.target:
            one.name = spelling(one.target)
    return found
