"""What happens to a run and its stages enters from several threads; its state at any moment leaves, as one value."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

import msgspec

State = Literal["WAITING", "RUNNING", "COMPLETE", "FAIL", "ABORT", "SKIPPED", "REUSED"]
ENDED: frozenset[State] = frozenset({"COMPLETE", "FAIL", "ABORT", "SKIPPED", "REUSED"})


class RuleStatus(msgspec.Struct, frozen=True):
    """What became of a rule."""

    name: str
    severity: str
    passed: bool
    broken: int | None
    says: str


class StageStatus(msgspec.Struct):
    """Where a stage is. Times are seconds since 1970."""

    name: str
    kind: str
    state: State = "WAITING"
    run_id: str = ""
    started_at: float | None = None
    ended_at: float | None = None
    percent: int = 0
    rows: int | None = None
    rejected: int = 0
    bytes: int | None = None
    error: str = ""
    rules: list[RuleStatus] = []
    changes: list[str] = []
    """Of the schema, against the last known one."""


class RunStatus(msgspec.Struct):
    """A run of a pipeline, as `status.json` and the API tell it."""

    run_id: str
    pipeline: str
    namespace: str
    state: State = "WAITING"
    parameters: dict[str, str] = {}
    started_at: float | None = None
    ended_at: float | None = None
    heartbeat_at: float | None = None
    pid: int = 0
    trace_id: str = ""
    application_id: str = ""
    error: str = ""
    failed_stage: str = ""
    stages: list[StageStatus] = []


class Far(msgspec.Struct, frozen=True):
    """How far a group of jobs is, and how many rows it has read so far."""

    percent: int
    rows: int | None


class Board:
    """The one place where the state of a run is kept while it runs."""

    def __init__(self, status: RunStatus, on_change: Callable[[RunStatus], None] | None = None) -> None:
        self._status = status
        self._on_change = on_change
        self._lock = threading.RLock()
        self._stages = {one.name: one for one in status.stages}

    def begin(self) -> None:
        self._change(self._status, state="RUNNING", started_at=time.time(), pid=os.getpid())

    def end(self, state: State, error: str = "", failed_stage: str = "") -> None:
        self._change(self._status, state=state, ended_at=time.time(), error=error, failed_stage=failed_stage)

    def begin_stage(self, name: str, run_id: str) -> None:
        self._change(self._stages[name], state="RUNNING", run_id=run_id, started_at=time.time())

    def end_stage(self, name: str, state: State, error: str = "", **counted: int | None) -> None:
        """What was counted at its end replaces what was seen on the way."""
        done = {"percent": 100} if state in ("COMPLETE", "REUSED") else {}
        self._change(self._stages[name], state=state, ended_at=time.time(), error=error, **counted, **done)

    def tell(self, name: str, **found: Any) -> None:
        self._change(self._stages[name], **found)

    def state_of(self, name: str) -> State:
        with self._lock:
            return self._stages[name].state

    def names(self) -> Iterable[str]:
        return tuple(self._stages)

    def beat(self, progress: Mapping[str, Far]) -> None:
        """A sign of life, and how far the stages are: only those that run, and never back to where they were."""
        with self._lock:
            for name, far in progress.items():
                stage = self._stages[name]
                if stage.state == "RUNNING":
                    stage.percent = max(stage.percent, far.percent)
                    stage.rows = max(stage.rows or 0, far.rows or 0) or None
            self._change(self._status, heartbeat_at=time.time())

    def snapshot(self) -> RunStatus:
        with self._lock:
            return msgspec.convert(msgspec.to_builtins(self._status), RunStatus)

    def _change(self, of: RunStatus | StageStatus, **found: Any) -> None:
        with self._lock:
            for name, value in found.items():
                setattr(of, name, value)
            if self._on_change is not None:
                self._on_change(self.snapshot())
