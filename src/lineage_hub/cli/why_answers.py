"""JSON of /runs/{id}/why enters; typed values leave, with what the command shows of it."""

from __future__ import annotations

from msgspec import Struct, field

from lineage_hub.cli.answers import Identity


class Figure(Struct, frozen=True):
    name: str
    usual: float | str | None = None
    now: float | str | None = None
    unit: str = ""


class ToldRun(Struct, frozen=True, rename="camel"):
    id: str
    job: Identity
    state: str
    started_at: str
    ended_at: str | None = None


class Evidence(Struct, frozen=True):
    runs: list[ToldRun] = []
    datasets: list[Identity] = []
    spans: list[str] = []
    figures: list[Figure] = []
    messages: list[str] = []


class Cause(Struct, frozen=True, rename="camel"):
    kind: str
    score: float
    subject: str
    sentence: str
    delay_seconds: float | None = None
    evidence: Evidence = field(default_factory=Evidence)
    because: list[Cause] = []


class Spans(Struct, frozen=True):
    state: str = "none"
    runs: int = 0
    inferred: int = 0


class Why(Struct, frozen=True, rename="camel"):
    run: ToldRun
    verdict: str
    sentence: str
    causes: list[Cause] = []
    delay_seconds: float | None = None
    earlier_runs: int = 0
    jobs_looked_at: int = 0
    truncated: bool = False
    telemetry: Spans = field(default_factory=Spans)
