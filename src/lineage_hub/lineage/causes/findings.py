"""What the search for causes finds: kinds, causes with their evidence, and the answer that holds them in order."""

from __future__ import annotations

from dataclasses import dataclass, field

from lineage_hub.lineage.causes.facts import Name

FAILED_DEPENDENCY = "failed_dependency"
LATE_UPSTREAM = "late_upstream"
SLOW_STAGE = "slow_stage"
SKEW = "skew"
MORE_DATA = "more_data"
SCHEMA_CHANGE = "schema_change"
CODE_CHANGE = "code_change"
OWN_ERROR = "own_error"
RESOURCES = "resources"
RETRIES = "retries"
UNKNOWN = "unknown"
KINDS = (
    FAILED_DEPENDENCY,
    LATE_UPSTREAM,
    SLOW_STAGE,
    SKEW,
    MORE_DATA,
    SCHEMA_CHANGE,
    CODE_CHANGE,
    OWN_ERROR,
    RESOURCES,
    RETRIES,
    UNKNOWN,
)


@dataclass(frozen=True, slots=True)
class Figure:
    """Something measured: what it usually is, and what it is now."""

    name: str
    usual: float | str | None
    now: float | str | None
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    runs: tuple[str, ...] = ()
    """From the run that is asked about to the origin, where a chain leads there."""
    datasets: tuple[Name, ...] = ()
    spans: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cause:
    kind: str
    score: float
    subject: str
    """run:…, job:…, dataset:… or span:…"""
    sentence: str
    evidence: Evidence = field(default_factory=Evidence)
    delay_s: float | None = None
    """How many seconds of the delay it explains."""
    because: tuple[Cause, ...] = ()
    """Why that came about, where the cause lies in another run."""


@dataclass(frozen=True, slots=True)
class Explanation:
    verdict: str
    """failed, late, running, as_usual, or unknown where earlier runs are too few."""
    sentence: str
    causes: tuple[Cause, ...]
    delay_s: float | None
    earlier_runs: int


def run_node(run_id: str) -> str:
    return f"run:{run_id}"


def dataset_node(name: Name) -> str:
    return f"dataset:{name[0]}:{name[1]}"


def job_node(name: Name) -> str:
    return f"job:{name[0]}:{name[1]}"


def shown_s(seconds: float) -> str:
    """As a person says it."""
    whole = abs(seconds)
    if whole < 1:
        return f"{whole * 1000:.0f} ms"
    if whole < 120:
        return f"{whole:.3g} s"
    if whole < 7_200:
        return f"{whole / 60:.3g} min"
    return f"{whole / 3_600:.3g} h" if whole < 172_800 else f"{whole / 86_400:.3g} days"
