"""A workspace's pipelines and jobs enter; those that are chosen leave as works, each under a name of its own.

What can't be listed or asked for is in the report, and the rest goes on.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace

from lineage_hub.connectors.databricks import client as api
from lineage_hub.connectors.databricks.config import Chosen, ScanConfig
from lineage_hub.connectors.databricks.connection import Json
from lineage_hub.connectors.databricks.programs import (
    Work,
    clusters_of_job,
    starts_pipelines,
    work_of_pipeline,
    works_of_job,
)
from lineage_hub.connectors.databricks.report import Report
from lineage_hub.connectors.databricks.workspace import once, plain_path, said
from lineage_hub.errors import LineageHubError


async def works_of(client: api.DatabricksClient, config: ScanConfig, report: Report) -> list[Work]:
    """Pipelines and the tasks of jobs, each under a name of its own."""
    pipelines, jobs = await asyncio.gather(_pipelines(client, config, report), _jobs(client, config, report))
    found = sorted([*pipelines, *jobs], key=lambda one: (one.kind, one.name, one.id))
    counts = Counter(one.name for one in found)
    works = []
    for one in found:
        for problem in one.problems:
            report.add_problem(problem.path or one.name, problem.line, problem.reason)
        renamed = one if counts[one.name] == 1 else replace(one, name=f"{one.name} ({one.id})")
        works.append(replace(renamed, catalog=one.catalog or config.catalog, schema=one.schema or config.schema))
    report.works = len(works)
    return works


async def _pipelines(client: api.DatabricksClient, config: ScanConfig, report: Report) -> list[Work]:
    async def details(one: Json) -> Work | None:
        try:
            found = await client.pipeline(str(one.get("pipeline_id")))
            return work_of_pipeline(found, client.host, config.configuration)
        except LineageHubError as error:
            note(report, f"pipeline {one.get('name') or one.get('pipeline_id')}", error)
            return None

    named = [
        (str(one.get("name") or ""), str(one.get("pipeline_id") or ""), one)
        async for one in _tolerated(client.pipelines(), "the list of pipelines", report)
    ]
    listed = _chosen(config.pipelines, named, "pipeline", report)
    return [one for one in await asyncio.gather(*map(details, listed)) if one is not None]


async def _jobs(client: api.DatabricksClient, config: ScanConfig, report: Report) -> list[Work]:
    async def tasks_of(one: Json) -> list[Work]:
        if one.get("has_more"):
            try:
                one = await client.job(str(one.get("job_id")))
            except LineageHubError as error:
                note(report, f"the further tasks of job {_name_of_job(one) or one.get('job_id')}", error)
        if one.get("job_id") and starts_pipelines(one):
            report.starters[str(one["job_id"])] = _name_of_job(one) or str(one["job_id"])
        ids = clusters_of_job(one)
        asked = await asyncio.gather(*(once(confs, id_, conf_of) for id_ in ids))
        known = {id_: conf for id_, conf in zip(ids, asked, strict=True) if conf is not None}
        return list(works_of_job(one, client.host, config.configuration, known))

    async def conf_of(cluster_id: str) -> Json | None:
        try:
            return await client.cluster_conf(cluster_id)
        except LineageHubError as error:
            note(report, f"cluster {cluster_id}", error)
            return None

    confs: dict[str, asyncio.Future[Json | None]] = {}
    named = [
        (_name_of_job(one), str(one.get("job_id") or ""), one)
        async for one in _tolerated(client.jobs(), "the list of jobs", report)
    ]
    listed = _chosen(config.jobs, named, "job", report)
    return [work for works in await asyncio.gather(*map(tasks_of, listed)) for work in works]


def _chosen(chosen: Chosen, named: list[tuple[str, str, Json]], what: str, report: Report) -> list[Json]:
    """A name that chooses none is said: it may be misspelled, or the token may not see what it means."""
    for one in chosen.names:
        if not any(Chosen(names=(one,)).takes(name, id_) for name, id_, _ in named):
            report.notes.append(f"no {what} is chosen by {one}: check its spelling, and that the token may see it")
    return [one for name, id_, one in named if chosen.takes(name, id_)]


def _name_of_job(job: Json) -> str:
    settings = job.get("settings")
    return str(settings.get("name") or "") if isinstance(settings, dict) else ""


async def _tolerated(items: AsyncIterator[Json], what: str, report: Report) -> AsyncIterator[Json]:
    """What comes before a failure counts. Without a valid token there is nothing to go on with."""
    try:
        async for one in items:
            yield one
    except LineageHubError as error:
        if getattr(error, "answered", None) == 401 or error.code in ("unreachable", "invalid_setting"):
            raise
        note(report, what, error)


async def repos_of(client: api.DatabricksClient, report: Report) -> dict[str, Json]:
    try:
        return {plain_path(str(one["path"])): one for one in await client.repos() if one.get("path")}
    except LineageHubError as error:
        if getattr(error, "answered", None) == 401 or error.code in ("unreachable", "invalid_setting"):
            raise
        report.notes.append(f"Git folders are not known: {error.message}")
        return {}


def note(report: Report, path: str, error: LineageHubError) -> None:
    report.add_problem(path, 0, said(error))
