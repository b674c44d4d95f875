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
    synced = Synced()
    done = 0
    jobs = _by_job(report)
    names = Counter(told[0].work.parent for told in jobs.values() if told[0].work is not None)
    total = len(report.namers) + len(jobs)
    options = {"concurrency": config.concurrency, "timeout_s": config.timeout_s, "attempts": config.attempts}
    async with api.DatabricksClient(config.workspace, config.token, **options) as client:

        async def one_of(pipeline_id: str) -> list[Json]:
            nonlocal done
            since = None if whole else _since(cache, config, pipeline_id)
            jobs = [one for one in report.jobs if one.work is not None and one.work.id == pipeline_id]
            teller = RunTeller(jobs, report.namers[pipeline_id], resumed=since is not None)
            try:
                log = [one async for one in client.events(pipeline_id, since)]
                told = list(teller.events(log))
            except LineageHubError as error:
                report.add_problem(jobs[0].name, 0, f"its event log: {error.message}; {error.action or 'try again'}")
                return []
            finally:
                done += 1
                progress("Reading runs", done, total)
            if teller.resume_at is not None:
                synced.read_to[pipeline_id] = teller.resume_at
            return told

        async def runs_of(job_id: str, told: list[ToldJob]) -> list[Json]:
            nonlocal done
            since = None if whole else _since(cache, config, f"job {job_id}")
            teller = JobRunTeller(*_job_and_tasks(told, names))
            try:
                listed = [one async for one in client.runs(job_id, int(since or 0))]
                runs = [await client.run(str(one["run_id"])) if one.get("has_more") else one for one in listed]
                events = list(teller.events(runs))
            except LineageHubError as error:
                report.add_problem(told[0].name, 0, f"its runs: {error.message}; {error.action or 'try again'}")
                return []
            finally:
                done += 1
                progress("Reading runs", done, total)
            if teller.resume_at is not None:
                synced.read_to[f"job {job_id}"] = str(teller.resume_at)
            return events

        asked = [*map(one_of, report.namers), *(runs_of(*one) for one in jobs.items())]
        for told in await asyncio.gather(*asked):
            synced.events += told
    return synced


def _by_job(report: Report) -> dict[str, list[ToldJob]]:
    """By the job's id, its tasks that hold programs; those below them are of single tables."""
    found: dict[str, list[ToldJob]] = {}
    for one in report.jobs:
        if one.work is not None and one.work.kind == "task" and not one.flow:
            found.setdefault(one.work.id.partition("/")[0], []).append(one)
    return found


def _job_and_tasks(told: list[ToldJob], names: Counter[str]) -> tuple[ToldJob, dict[str, ToldJob]]:
    """A job without tasks of its own names is its only task."""
    first = told[0]
    work = first.work
    assert work is not None
    if not work.parent:
        return first, {}
    id_ = work.id.partition("/")[0]
    name = work.parent if names[work.parent] == 1 else f"{work.parent} ({id_})"
    kind = facet("2-0-4/JobTypeJobFacet", processingType="BATCH", integration="DATABRICKS", jobType="JOB")
    return ToldJob(first.namespace, name, {"jobType": kind}), {
        one.work.id.partition("/")[2]: one for one in told if one.work is not None
    }


def keep_place(config: ScanConfig, synced: Synced, cache: Cache) -> None:
    for which, at in synced.read_to.items():
        cache.keep_blob(_KIND, _key(config, which), at.encode())


def _since(cache: Cache, config: ScanConfig, which: str) -> str | None:
    kept = cache.blob(_KIND, _key(config, which))
    return kept.decode() if kept is not None else None


def _key(config: ScanConfig, which: str) -> str:
    """Of a pipeline by its id, of a job by `job` and its id."""
    return f"{config.workspace} {which}"
