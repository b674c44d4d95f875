"""A scan enters; what its pipelines and jobs did since the last time leaves as events of runs.

How far each log and list was read is kept in the cache once its events have arrived.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field

from lineage_hub.connectors.databricks import client as api
from lineage_hub.connectors.databricks.cache import Cache
from lineage_hub.connectors.databricks.config import ScanConfig
from lineage_hub.connectors.databricks.connection import Json
from lineage_hub.connectors.databricks.events import RunTeller
from lineage_hub.connectors.databricks.job_runs import JobRunTeller
from lineage_hub.connectors.databricks.lineage import ToldJob
from lineage_hub.connectors.databricks.report import Report
from lineage_hub.connectors.databricks.scan import Progress, no_progress
from lineage_hub.connectors.databricks.starts import (
    CreatedUpdate,
    PipelineStart,
    parents_of,
    updates_listed,
    updates_logged,
)
from lineage_hub.errors import LineageHubError
from lineage_hub.sdk.said import facet

_KIND = "logs"


@dataclass
class Synced:
    """The runs of pipelines and jobs, and how far their logs and lists were read."""

    events: list[Json] = field(default_factory=list)
    read_to: dict[str, str] = field(default_factory=dict)


async def sync_runs(
    config: ScanConfig, report: Report, cache: Cache, progress: Progress = no_progress, *, whole: bool = False
) -> Synced:
    """`whole` reads logs from their beginning, whatever was read before."""
    options = {"concurrency": config.concurrency, "timeout_s": config.timeout_s, "attempts": config.attempts}
    async with api.DatabricksClient(config.workspace, config.token, **options) as client:
        sync = _Sync(client, config, report, cache, progress, whole=whole)
        return await sync.run()


class _Sync:
    def __init__(
        self,
        client: api.DatabricksClient,
        config: ScanConfig,
        report: Report,
        cache: Cache,
        progress: Progress,
        *,
        whole: bool,
    ) -> None:
        self._client, self._config, self._report, self._cache = client, config, report, cache
        self._progress, self._whole = progress, whole
        self._synced = Synced()
        self._jobs = _by_job(report)
        names = {id_: told[0].work.parent for id_, told in self._jobs.items() if told[0].work is not None}
        self._names = {**report.starters, **names}
        self._counts = Counter(self._names.values())
        self._done, self._total = 0, len(report.namers) + len(self._names)

    async def run(self) -> Synced:
        """Jobs go first: their runs say which updates they started."""
        told = await asyncio.gather(*map(self._runs_of, self._names))
        starts = {id_: found for id_, (_, found) in zip(self._names, told, strict=True)}
        by_pipeline: dict[str, list[PipelineStart]] = {}
        for one in (one for found in starts.values() for one in found):
            by_pipeline.setdefault(one.pipeline_id, []).append(one)
        pipelines = list(self._report.namers)
        updates = await asyncio.gather(*(self._updates_of(one, by_pipeline.get(one, [])) for one in pipelines))
        unread = {one for one, events in zip(pipelines, updates, strict=True) if events is None}
        # What they started is not told yet: their runs are listed again.
        for id_, found in starts.items():
            if any(one.pipeline_id in unread for one in found):
                self._synced.read_to.pop(f"job {id_}", None)
        self._synced.events = [one for each in [*updates, *(events for events, _ in told)] for one in each or ()]
        return self._synced

    async def _runs_of(self, job_id: str) -> tuple[list[Json], list[PipelineStart]]:
        since = self._since(f"job {job_id}")
        whole, tasks = self._job_and_tasks(job_id)
        teller = JobRunTeller(whole, tasks)
        try:
            listed = [one async for one in self._client.runs(job_id, int(since or 0))]
            runs = [await self._client.run(str(one["run_id"])) if one.get("has_more") else one for one in listed]
            events = list(teller.events(runs))
        except LineageHubError as error:
            self._add_problem(whole.name, "its runs", error)
            return [], []
        finally:
            self._count()
        if teller.resume_at is not None:
            self._synced.read_to[f"job {job_id}"] = str(teller.resume_at)
        return events, teller.starts

    async def _updates_of(self, pipeline_id: str, starts: list[PipelineStart]) -> list[Json] | None:
        """None if its log can't be read."""
        since = self._since(pipeline_id)
        jobs = [one for one in self._report.jobs if one.work is not None and one.work.id == pipeline_id]
        try:
            log = [one async for one in self._client.events(pipeline_id, since)]
            parents = await self._parents_of(pipeline_id, log, starts)
            namer = self._report.namers[pipeline_id]
            teller = RunTeller(jobs, namer, resumed=since is not None, parents=parents)
            events = list(teller.events(log))
        except LineageHubError as error:
            self._add_problem(jobs[0].name, "its event log", error)
            return None
        finally:
            self._count()
        if teller.resume_at is not None:
            self._synced.read_to[pipeline_id] = teller.resume_at
        return events

    async def _parents_of(self, pipeline_id: str, log: list[Json], starts: list[PipelineStart]) -> dict[str, Json]:
        """The list of updates is asked for where a job started one: it tells of those before the log's part too."""
        if not starts or not log:
            return {}
        earliest = min(one.started_at for one in starts)
        listed: list[CreatedUpdate] = []
        try:
            async for one in self._client.updates(pipeline_id):
                listed += updates_listed([one])
                if 0 < listed[-1].at < earliest:
                    break
        except LineageHubError as error:
            self._add_problem(f"pipeline {pipeline_id}", "its updates", error)
        return parents_of([*listed, *updates_logged(log)], starts)

    def _job_and_tasks(self, job_id: str) -> tuple[ToldJob, dict[str, ToldJob]]:
        """A job without tasks of its own names is its only task."""
        told = self._jobs.get(job_id, [])
        if told and told[0].work is not None and not told[0].work.parent:
            return told[0], {}
        name = self._names[job_id]
        name = name if self._counts[name] == 1 else f"{name} ({job_id})"
        kind = facet("2-0-4/JobTypeJobFacet", processingType="BATCH", integration="DATABRICKS", jobType="JOB")
        whole = ToldJob(self._config.resolved_namespace, name, {"jobType": kind})
        return whole, {one.work.id.partition("/")[2]: one for one in told if one.work is not None}

    def _since(self, which: str) -> str | None:
        kept = None if self._whole else self._cache.blob(_KIND, _key(self._config, which))
        return kept.decode() if kept is not None else None

    def _add_problem(self, name: str, what: str, error: LineageHubError) -> None:
        self._report.add_problem(name, 0, f"{what}: {error.message}; {error.action or 'try again'}")

    def _count(self) -> None:
        self._done += 1
        self._progress("Reading runs", self._done, self._total)


def _by_job(report: Report) -> dict[str, list[ToldJob]]:
    """By the job's id, its tasks that hold programs; those below them are of single tables."""
    found: dict[str, list[ToldJob]] = {}
    for one in report.jobs:
        if one.work is not None and one.work.kind == "task" and not one.flow:
            found.setdefault(one.work.id.partition("/")[0], []).append(one)
    return found


def keep_place(config: ScanConfig, synced: Synced, cache: Cache) -> None:
    for which, at in synced.read_to.items():
        cache.keep_blob(_KIND, _key(config, which), at.encode())


def _key(config: ScanConfig, which: str) -> str:
    """Of a pipeline by its id, of a job by `job` and its id."""
    return f"{config.workspace} {which}"
