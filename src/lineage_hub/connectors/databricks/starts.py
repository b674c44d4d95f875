"""Tasks of jobs that start pipelines enter with updates of a pipeline; which run of a job started which update leaves.

Ids say so where the workspace tells them. Else an update that a task of a job caused is that task's which ran when it
was created; where several could have, or a task could have caused several, nothing is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lineage_hub.connectors.databricks.connection import Json

_BY_TASK = "JOB_TASK"


@dataclass(frozen=True)
class PipelineStart:
    """A task's run that starts a pipeline; `parent` is what an update says of the run of its job."""

    pipeline_id: str
    run_ids: frozenset[str]  # of the task and of its job
    parent: Json
    started_at: int  # in milliseconds
    ended_at: int | None = None
    update_id: str = ""


@dataclass(frozen=True)
class CreatedUpdate:
    id: str
    at: int  # in milliseconds; 0: not known
    is_by_task: bool
    run_ids: frozenset[str] = frozenset()

    @classmethod
    def of(cls, id_: object, at: int, told: Mapping[str, Any]) -> CreatedUpdate:
        """`told` is an update as a list shows it, or the details of the log's `create_update`."""
        details = _mapping(_mapping(told.get("update_cause_details")).get("job_details"))
        run_ids = {str(details[name]) for name in ("job_task_run_id", "run_id") if details.get(name)}
        return cls(str(id_), at, told.get("cause") == _BY_TASK, frozenset(run_ids))


def updates_listed(listed: Iterable[Json]) -> list[CreatedUpdate]:
    return [CreatedUpdate.of(one.get("update_id"), _milliseconds(one.get("creation_time")), one) for one in listed]


def updates_logged(log: Iterable[Json]) -> list[CreatedUpdate]:
    found = []
    for one in log:
        if one.get("event_type") == "create_update":
            details = _mapping(_mapping(one.get("details")).get("create_update"))
            id_ = _mapping(one.get("origin")).get("update_id")
            found.append(CreatedUpdate.of(id_, _milliseconds(one.get("timestamp")), details))
    return found


def parents_of(updates: Iterable[CreatedUpdate], starts: Iterable[PipelineStart]) -> dict[str, Json]:
    """By the ids of updates. One that is told twice, by a list and a log, is one."""
    known: dict[str, CreatedUpdate] = {}
    for one in updates:
        other = known.get(one.id, one)
        run_ids = other.run_ids | one.run_ids
        known[one.id] = CreatedUpdate(one.id, other.at or one.at, other.is_by_task or one.is_by_task, run_ids)
    candidates = list(starts)
    said = [
        (update, start)
        for update in known.values()
        for start in candidates
        if start.update_id == update.id or (not start.update_id and start.run_ids & update.run_ids)
    ]
    taken = {id(start) for _, start in said}
    settled = {update.id for update, _ in said}
    by_time = [
        (update, start)
        for update in known.values()
        if update.is_by_task and update.at and update.id not in settled and not update.run_ids
        for start in candidates
        if id(start) not in taken and not start.update_id and _ran_at(start, update.at)
    ]
    counts = Counter(id(start) for _, start in by_time)
    unclear = {update.id for update, start in by_time if counts[id(start)] > 1}
    return _of_one_run(said) | _of_one_run([pair for pair in by_time if pair[0].id not in unclear])


def _of_one_run(pairs: list[tuple[CreatedUpdate, PipelineStart]]) -> dict[str, Json]:
    found: dict[str, list[Json]] = {}
    for update, start in pairs:
        if start.parent not in found.setdefault(update.id, []):
            found[update.id].append(start.parent)
    return {id_: parents[0] for id_, parents in found.items() if len(parents) == 1}


def _ran_at(start: PipelineStart, at: int) -> bool:
    return start.started_at <= at and (start.ended_at is None or at <= start.ended_at)


def _milliseconds(value: object) -> int:
    """Lists tell milliseconds, logs ISO 8601."""
    if isinstance(value, str):
        try:
            at = datetime.fromisoformat(value)
        except ValueError:
            return 0
        return int(at.timestamp() * 1000) if at.tzinfo is not None else 0
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
