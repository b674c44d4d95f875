"""A scan enters; what its pipelines did since the last time leaves as events of runs.

How far each log was read is kept in the cache once its events have arrived.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from lineage_hub.connectors.databricks import client as api
from lineage_hub.connectors.databricks.cache import Cache
from lineage_hub.connectors.databricks.config import ScanConfig
from lineage_hub.connectors.databricks.connection import Json
from lineage_hub.connectors.databricks.events import RunTeller
from lineage_hub.connectors.databricks.report import Report
from lineage_hub.connectors.databricks.scan import Progress, no_progress
from lineage_hub.errors import LineageHubError

_KIND = "logs"


@dataclass
class Synced:
    """The runs of pipelines, and how far their logs were read."""

    events: list[Json] = field(default_factory=list)
    read_to: dict[str, str] = field(default_factory=dict)


async def sync_runs(
    config: ScanConfig, report: Report, cache: Cache, progress: Progress = no_progress, *, whole: bool = False
) -> Synced:
    """`whole` reads logs from their beginning, whatever was read before."""
    synced = Synced()
    done = 0
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
                progress("Reading event logs", done, len(report.namers))
            if teller.resume_at is not None:
                synced.read_to[pipeline_id] = teller.resume_at
            return told

        for told in await asyncio.gather(*map(one_of, report.namers)):
            synced.events += told
    return synced


def keep_place(config: ScanConfig, synced: Synced, cache: Cache) -> None:
    for pipeline_id, at in synced.read_to.items():
        cache.keep_blob(_KIND, _key(config, pipeline_id), at.encode())


def _since(cache: Cache, config: ScanConfig, pipeline_id: str) -> str | None:
    kept = cache.blob(_KIND, _key(config, pipeline_id))
    return kept.decode() if kept is not None else None


def _key(config: ScanConfig, pipeline_id: str) -> str:
    return f"{config.workspace} {pipeline_id}"
