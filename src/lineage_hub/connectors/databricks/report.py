"""What a scan came across enters; rows for a table, values for JSON and a count of what is open leave."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

from lineage_hub.connectors.databricks.flows import Flow
from lineage_hub.connectors.databricks.lineage import ToldJob
from lineage_hub.connectors.databricks.names import Namer
from lineage_hub.connectors.databricks.programs import Work
from lineage_hub.connectors.databricks.reading import Problem, StreamSource


@dataclass(frozen=True)
class Finding:
    """One read or sink of a program."""

    work: str
    path: str
    line: int
    kind: str
    source: str
    """Topics, a pattern, a path or a table; empty: it can't be known."""
    place: str
    """The namespace of its datasets."""
    target: str
    confidence: float
    unresolved: tuple[str, ...] = ()


@dataclass(repr=False)
class Report:
    """Of one scan."""

    works: int = 0
    programs: int = 0
    exported: int = 0
    findings: list[Finding] = field(default_factory=list)
    tables: int = 0
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    jobs: list[ToldJob] = field(default_factory=list)
    namers: dict[str, Namer] = field(default_factory=dict)
    """Of pipelines, by their ids."""
    starters: dict[str, str] = field(default_factory=dict)
    """Names of jobs that have tasks which start pipelines, by the ids of these jobs."""

    @property
    def unresolved(self) -> list[Finding]:
        return [one for one in self.findings if one.unresolved]

    def take(self, outcome: Report) -> None:
        """What was made of the programs, beside what happened on the way to them.

        A workspace answers in any order; the report of the same scan reads the same.
        """
        self.programs, self.tables = outcome.programs, outcome.tables
        self.findings, self.jobs, self.namers = outcome.findings, outcome.jobs, outcome.namers
        for one in outcome.problems:
            self.add_problem(one.path, one.line, one.reason)
        self.problems.sort(key=lambda one: (one.path, one.line, one.reason))
        self.notes.sort()

    def add_problem(self, path: str, line: int, reason: str) -> None:
        problem = Problem(line, reason, path)
        if problem not in self.problems:
            self.problems.append(problem)

    def add_flows(self, work: Work, flows: Iterable[Flow]) -> None:
        for flow in flows:
            self.tables += 1 if flow.outputs and flow.kind != "sink" else 0
            for one in flow.evidence:
                source = one.source
                is_sink = source.kind.endswith("_sink")
                places = dict.fromkeys(name.namespace for name in one.datasets)
                self.findings.append(
                    Finding(
                        work=work.name,
                        path=one.path,
                        line=one.line,
                        kind=source.kind,
                        source=", ".join(_spelled(source)),
                        place=", ".join(places),
                        target=(source.source_table if is_sink else source.target_table) or "",
                        confidence=source.confidence,
                        unresolved=tuple(source.unresolved),
                    )
                )

    def to_dict(self) -> dict[str, object]:
        return {
            "works": self.works,
            "programs": self.programs,
            "exported": self.exported,
            "tables": self.tables,
            "jobs": len(self.jobs),
            "sources": [asdict(one) for one in self.findings],
            "unresolved": len(self.unresolved),
            "problems": [asdict(one) for one in self.problems],
            "notes": self.notes,
        }


def _spelled(source: StreamSource) -> list[str]:
    if source.topics:
        return source.topics
    one = source.pattern or source.path or (source.source_table if source.kind == "table" else None)
    return [one] if one else []
