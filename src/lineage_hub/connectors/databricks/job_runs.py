"""The runs of a job as the API lists them enter; OpenLineage events leave: a run for the job, and one for each task.

Ids of runs are derived from the workspace's own, so that a list which is read again says the same again. The API does
not say which tables a task filled: its lineage stays with the events of its code.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lineage_hub.connectors.databricks.connection import Json, objects_of
from lineage_hub.connectors.databricks.lineage import PRODUCER, ToldJob, iso
from lineage_hub.connectors.databricks.starts import PipelineStart
from lineage_hub.sdk.said import RUN_EVENT, facet

_OVER = ("TERMINATED", "SKIPPED", "INTERNAL_ERROR")
_ABORTED = ("CANCELED", "UPSTREAM_CANCELED", "UPSTREAM_FAILED", "EXCLUDED", "DISABLED", "SKIPPED", "USER_CANCELED")
_SUCCEEDED = ("SUCCESS", "SUCCESS_WITH_FAILURES")


class JobRunTeller:
    """Of one job. `tasks` are those whose code was read, by their keys; `whole` is the job itself."""

    def __init__(self, whole: ToldJob, tasks: Mapping[str, ToldJob]) -> None:
        self._whole, self._tasks = whole, tasks
        self._open: list[int] = []
        self.starts: list[PipelineStart] = []
        """Of pipelines, by what was told so far."""
        self._newest = 0

    def events(self, runs: Iterable[Json]) -> Iterator[Json]:
        """The oldest first, whatever the order of the list."""
        for run in sorted(runs, key=lambda one: (_number(one.get("start_time")), str(one.get("run_id")))):
            started = _number(run.get("start_time"))
            if not started or not run.get("run_id"):
                continue
            self._newest = max(self._newest, started)
            if _end(run) is None:
                self._open.append(started)
            yield from self._run(run)

    @property
    def resume_at(self) -> int | None:
        """The start from which runs are listed the next time: that of the oldest that goes on, else of the newest."""
        return min(self._open, default=self._newest) or None

    def _run(self, run: Json) -> Iterator[Json]:
        id_ = self._id(run)
        yield from _events_of(self._whole, run, id_, {})
        job = {"namespace": self._whole.namespace, "name": self._whole.name}
        above = {"run": {"runId": id_}, "job": job}
        parent = {"parent": facet("1-2-0/ParentRunFacet", **above)}
        for task in objects_of(run, "tasks"):
            self._add_start(run, task, above)
            told = self._tasks.get(str(task.get("task_key") or ""))
            if told is not None and task.get("run_id"):
                yield from _events_of(told, task, self._id(task), parent)

    def _add_start(self, run: Json, task: Json, above: Json) -> None:
        started, ended = _number(task.get("start_time")), _number(task.get("end_time"))
        pipeline = _mapping(task.get("pipeline_task"))
        if not started or not pipeline.get("pipeline_id"):
            return
        run_ids = frozenset(str(one["run_id"]) for one in (run, task) if one.get("run_id"))
        end = max(ended, started) if ended or _end(task) is not None else None
        update_id = str(pipeline.get("update_id") or "")
        self.starts.append(PipelineStart(str(pipeline["pipeline_id"]), run_ids, above, started, end, update_id))

    def _id(self, run: Mapping[str, Any]) -> str:
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self._whole.namespace}/runs/{run['run_id']}"))


def _events_of(job: ToldJob, run: Mapping[str, Any], id_: str, facets: Json) -> Iterator[Json]:
    """None of a task that never began, such as one behind a task that failed."""
    started, ended, end = _number(run.get("start_time")), _number(run.get("end_time")), _end(run)
    if not started:
        return
    yield _event(job, id_, "START", started, facets)
    if end is not None:
        error = {"errorMessage": _error(run)} if end == "FAIL" else {}
        yield _event(job, id_, end, max(ended, started), {**facets, **error})


def _event(job: ToldJob, id_: str, kind: str, at: int, facets: Json) -> Json:
    members = job.members() if kind != "START" else {**job.members(), "inputs": [], "outputs": []}
    run = {"runId": id_, "facets": facets}
    return {
        "eventType": kind, "eventTime": iso(at), "producer": PRODUCER, "schemaURL": RUN_EVENT, "run": run, **members,
    }  # fmt: skip


def _end(run: Mapping[str, Any]) -> str | None:
    """None while it goes on. Workspaces tell `state`, newer ones `status` as well."""
    state, status = _mapping(run.get("state")), _mapping(run.get("status"))
    life = str(state.get("life_cycle_state") or status.get("state") or "")
    if life not in _OVER:
        return None
    result = str(state.get("result_state") or _mapping(status.get("termination_details")).get("code") or life)
    if result in _SUCCEEDED:
        return "COMPLETE"
    return "ABORT" if result in _ABORTED else "FAIL"


def _error(run: Mapping[str, Any]) -> Json:
    state, details = _mapping(run.get("state")), _mapping(_mapping(run.get("status")).get("termination_details"))
    said = state.get("state_message") or details.get("message") or state.get("result_state") or details.get("code")
    return facet("1-0-1/ErrorMessageRunFacet", message=str(said or "the run failed"), programmingLanguage="Python")


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _number(value: object) -> int:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0
