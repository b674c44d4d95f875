"""What is known of runs when one asks why: their times, datasets, schemas, code, errors, and the stages inside them.

Values only. Times are seconds since 1970, durations are seconds; what isn't known is None.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineage_hub.lineage.causes.findings import Cause
    from lineage_hub.lineage.causes.schedule import Lateness

# Namespace and name of a job or dataset.
Name = tuple[str, str]
COMPLETED, FAILED, ABORTED, RUNNING = "COMPLETED", "FAILED", "ABORTED", "RUNNING"


@dataclass(frozen=True, slots=True)
class Use:
    """A dataset as one run read or wrote it."""

    dataset: Name
    rows: int | None = None
    schema: Mapping[str, str] | None = None
    """The type of each column."""
    columns: frozenset[str] | None = None
    """Those of an input that the run makes something from."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of a run that has the same name in each run; several attempts of it are one stage."""

    name: str
    span_id: str
    started_at: float
    duration_s: float
    skew: float | None = None
    """The longest task by the middle one."""
    spilled_bytes: float | None = None
    gc_s: float | None = None
    attempts: int = 1
    error: str | None = None
    run_id: str | None = None
    """Of a stage that is a run of its own, and no span."""

    @property
    def subject(self) -> str:
        return f"span:{self.span_id}" if self.run_id is None else f"run:{self.run_id}"

    @property
    def ended_at(self) -> float:
        return self.started_at + self.duration_s


@dataclass(frozen=True, slots=True)
class Run:
    id: str
    job: Name
    state: str
    started_at: float
    ended_at: float | None = None
    expected_at: float | None = None
    """The nominal time that its scheduler told."""
    inputs: tuple[Use, ...] = ()
    outputs: tuple[Use, ...] = ()
    code: str | None = None
    error: str | None = None
    stages: tuple[Stage, ...] = ()

    @property
    def failed(self) -> bool:
        return self.state in (FAILED, ABORTED)

    @property
    def records(self) -> int | None:
        """What it read; of a run that doesn't count that, what it wrote."""
        for uses in (self.inputs, self.outputs):
            counted = [use.rows for use in uses if use.rows is not None]
            if counted:
                return sum(counted)
        return None


@dataclass(frozen=True, slots=True)
class Facts:
    """The run that is asked about, and the runs of its job and of all jobs upstream, each job's in order of start."""

    run: Run
    runs: Mapping[Name, Sequence[Run]]
    now: float
    _writers: dict[Name, list[Name]] = field(default_factory=dict)
    # What was found of each run: many ways lead to the same run upstream, and their number may grow without bound.
    lateness: dict[str, Lateness | None] = field(default_factory=dict)
    delays: dict[str, list[Cause]] = field(default_factory=dict)
    failures: dict[str, list[Cause]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for job, runs in self.runs.items():
            for dataset in dict.fromkeys(use.dataset for run in runs for use in run.outputs):
                self._writers.setdefault(dataset, []).append(job)

    def before(self, run: Run) -> list[Run]:
        """Earlier runs of the same job."""
        return [one for one in self.runs.get(run.job, ()) if one.started_at < run.started_at and one.id != run.id]

    def completed_before(self, run: Run) -> list[Run]:
        return [one for one in self.before(run) if one.state == COMPLETED and one.ended_at is not None]

    def inputs_of(self, run: Run) -> tuple[Use, ...]:
        """Those that it names; one that failed may not have come so far, so what the last good one read counts too."""
        if run.inputs and not run.failed:
            return run.inputs
        named = {use.dataset for use in run.inputs}
        good = next((one for one in reversed(self.completed_before(run)) if one.inputs), None)
        return run.inputs + tuple(use for use in (good.inputs if good else ()) if use.dataset not in named)

    def feeds(self, run: Run) -> Iterator[Run]:
        """Of each job that writes one of its inputs the last run that had started by then."""
        jobs = dict.fromkeys(job for use in self.inputs_of(run) for job in self._writers.get(use.dataset, ()))
        for job in jobs:
            if job != run.job:
                found = self.last_of(job, run.started_at)
                if found is not None:
                    yield found

    def last_of(self, job: Name, before: float) -> Run | None:
        return next((one for one in reversed(self.runs.get(job, ())) if one.started_at < before), None)

    def jobs_looked_into(self) -> set[Name]:
        """Once explained: those of which a run took longer than usual or failed, so that its stages matter."""
        matter = {run_id for run_id, late in self.lateness.items() if late is not None and late.excess_certainty > 0}
        matter |= self.failures.keys()
        return {run.job for runs in self.runs.values() for run in runs if run.id in matter}

    def duration_s(self, run: Run) -> float:
        """So far, if it still runs."""
        return max(0.0, (run.ended_at if run.ended_at is not None else self.now) - run.started_at)
