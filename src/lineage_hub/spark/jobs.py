"""A job group enters; what Spark counted of its jobs and stages leaves. One call into the JVM for each list."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import msgspec
from pyspark import SparkContext

from lineage_hub.spark.jvm import java_class


class TaskTimes(msgspec.Struct, frozen=True):
    """Quantiles of how long the tasks of a stage ran, in milliseconds: the middle and the longest."""

    median: float = 0.0
    longest: float = 0.0

    @property
    def skew(self) -> float:
        return self.longest / self.median if self.median else 1.0


class StageMetrics(msgspec.Struct, frozen=True):
    """One attempt of a stage of Spark's."""

    id: int
    attempt: int
    name: str
    state: str
    started_ns: int
    ended_ns: int
    tasks: int
    tasks_done: int
    records_in: int
    bytes_in: int
    records_out: int
    bytes_out: int
    shuffle_read: int
    shuffle_written: int
    spilled: int
    cpu_ns: int
    gc_ms: int
    peak_memory: int
    failure: str
    times: TaskTimes = TaskTimes()


class JobMetrics(msgspec.Struct, frozen=True):
    """One job of Spark's, with its stages."""

    id: int
    name: str
    state: str
    started_ns: int
    ended_ns: int
    stages: tuple[StageMetrics, ...]


class RunningJob(msgspec.Struct, frozen=True):
    """A glance at a job that hasn't ended; what was read is that of the stages that run now."""

    id: int
    group: str
    tasks: int
    tasks_done: int
    records_in: int

    def as_ended(self) -> RunningJob:
        return msgspec.structs.replace(self, tasks_done=self.tasks)


class JobStore:
    """Spark's own store of what runs and ran, which is there without its web page."""

    def __init__(self, context: SparkContext) -> None:
        self._context: Any = context
        self._store: Any = self._context._jsc.sc().statusStore()
        self._tracker: Any = self._context._jsc.sc().statusTracker()
        # Spark's REST API writes its answers with it.
        self._mapper: Any = java_class(context, "org.apache.spark.status.api.v1.JacksonMessageWriter")().mapper()
        self._any_state: Any = java_class(context, "java.util.ArrayList")()
        gateway: Any = context._gateway
        self._middle_and_longest: Any = gateway.new_array(java_class(context, "double"), 2)
        self._middle_and_longest[0], self._middle_and_longest[1] = 0.5, 1.0

    def wait_until_told(self, patience_ms: int = 5_000) -> bool:
        """Whether what has happened so far has reached the store."""
        try:
            self._context._jsc.sc().listenerBus().waitUntilEmpty(patience_ms)
        except Exception:
            return False  # a bus that is too slow costs figures, never the run
        return True

    def running(self) -> list[RunningJob]:
        """Of the groups that have a name. Cheap enough for every second: single figures, no lists as JSON."""
        numbers = self._tracker.getActiveJobIds()
        if not numbers:
            return []
        stages = self._store.activeStages()
        read = {stage.stageId(): stage.inputRecords() for stage in map(stages.apply, range(stages.size()))}
        told = [self._store.job(number) for number in numbers]
        return [_running_job(job, read) for job in told if job.jobGroup().isDefined()]

    def of_group(self, group: str, *, times: bool = True) -> list[JobMetrics]:
        """`times` make Spark sort the times of all tasks."""
        return self._with_stages(self._tracker.getJobIdsForGroup(group), times)

    def of_tag(self, tag: str) -> list[JobMetrics]:
        """A tag is there beside the group, which may be the program's own."""
        return self._with_stages(self._tracker.getJobIdsForTag(tag), times=True)

    def _with_stages(self, jobs: Iterable[int], times: bool) -> list[JobMetrics]:
        told = [self._read(self._store.job(number)) for number in sorted(jobs)]
        stages = self._stages({number for job in told for number in job["stageIds"]}, times)
        return [_job(job, stages) for job in told]

    def _stages(self, numbers: Iterable[int], times: bool) -> dict[int, list[StageMetrics]]:
        found = {}
        for number in numbers:
            try:
                asked = self._store.stageData(number, False, self._any_state, times, self._middle_and_longest)
            except Exception:
                continue  # a stage that was skipped, or is older than what Spark keeps
            found[number] = [_stage(one) for one in self._read(asked) if one["status"] not in ("SKIPPED", "PENDING")]
        return found

    def _read(self, told: Any) -> Any:
        return msgspec.json.decode(self._mapper.writeValueAsString(told))


def _running_job(told: Any, read: dict[int, int]) -> RunningJob:
    stages = told.stageIds().mkString(",").split(",")
    return RunningJob(
        id=told.jobId(),
        group=told.jobGroup().get(),
        tasks=told.numTasks() - told.numSkippedTasks(),
        tasks_done=told.numCompletedTasks(),
        records_in=max((read.get(int(number), 0) for number in stages if number), default=0),
    )


def _job(told: dict[str, Any], stages: dict[int, list[StageMetrics]]) -> JobMetrics:
    return JobMetrics(
        id=told["jobId"],
        name=told.get("description") or told["name"],
        state=told["status"],
        started_ns=_instant_ns(told.get("submissionTime")),
        ended_ns=_instant_ns(told.get("completionTime")),
        stages=tuple(one for number in sorted(told["stageIds"]) for one in stages.get(number, ())),
    )


def _stage(told: dict[str, Any]) -> StageMetrics:
    durations = (told.get("taskMetricsDistributions") or {}).get("executorRunTime") or [0.0, 0.0]
    return StageMetrics(
        id=told["stageId"],
        attempt=told["attemptId"],
        name=told["name"],
        state=told["status"],
        started_ns=_instant_ns(told.get("firstTaskLaunchedTime") or told.get("submissionTime")),
        ended_ns=_instant_ns(told.get("completionTime")),
        tasks=told["numTasks"],
        tasks_done=told["numCompleteTasks"],
        records_in=told["inputRecords"],
        bytes_in=told["inputBytes"],
        records_out=told["outputRecords"],
        bytes_out=told["outputBytes"],
        shuffle_read=told["shuffleReadBytes"],
        shuffle_written=told["shuffleWriteBytes"],
        spilled=told["diskBytesSpilled"],
        cpu_ns=told["executorCpuTime"],
        gc_ms=told["jvmGcTime"],
        peak_memory=told["peakExecutionMemory"],
        failure=told.get("failureReason") or "",
        times=TaskTimes(durations[0], durations[-1]),
    )


def _instant_ns(text: str | None) -> int:
    """Spark writes `2026-11-16T06:15:00.123GMT`."""
    if not text:
        return 0
    at = datetime.strptime(text.removesuffix("GMT"), "%Y-%m-%dT%H:%M:%S.%f").replace(tzinfo=UTC)
    return int(at.timestamp() * 1000) * 1_000_000
