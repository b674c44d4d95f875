"""Ids and paths of a workspace enter; pipelines, jobs, notebooks, files and tables leave as the API describes them.

async with DatabricksClient("https://….cloud.databricks.com", token) as client:
    pipeline = await client.get_pipeline_details(pipeline_id)
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from lineage_hub.connectors.databricks.connection import Connection, Json, objects_of
from lineage_hub.errors import LineageHubError, NotFound, Refusal, SourceUnreadable

_PAGE = 100
_EVENTS_PAGE = 250
_PAGE_SIZE = ("max_results", "limit")


@dataclass(frozen=True)
class WorkspaceObject:
    """A notebook, a file or a folder of a workspace."""

    path: str
    kind: str  # NOTEBOOK, FILE, DIRECTORY, REPO, LIBRARY, DASHBOARD
    language: str = ""
    modified_at: int = 0  # in milliseconds; 0: not known
    size: int = 0

    @classmethod
    def of(cls, given: Json) -> WorkspaceObject:
        return cls(
            path=str(given.get("path") or ""),
            kind=str(given.get("object_type") or ""),
            language=str(given.get("language") or ""),
            modified_at=_number(given.get("modified_at") or given.get("created_at")),
            size=_number(given.get("size")),
        )

    @property
    def is_folder(self) -> bool:
        return self.kind in ("DIRECTORY", "REPO")

    @property
    def is_source(self) -> bool:
        """Whether its text can be read as a program."""
        return self.kind == "NOTEBOOK" or (self.kind == "FILE" and self.path.endswith((".py", ".sql", ".ipynb")))


class DatabricksClient:
    """Awaited, with a limit to how much it asks at a time; `SyncDatabricksClient` has the same without `await`."""

    def __init__(self, host: str, token: str, **options: Any) -> None:
        """Options are those of `Connection`: concurrency, timeout_s, attempts, first_wait_s."""
        self.connection = Connection(host, token, **options)

    @property
    def host(self) -> str:
        return self.connection.host

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.connection.close()

    # What may fail gives None, as callers that go from one to the next want it.

    async def get_pipeline_details(self, pipeline_id: str) -> Json | None:
        """A pipeline's definition, or None if it can't be had."""
        try:
            return await self.pipeline(pipeline_id)
        except (LineageHubError, TypeError, ValueError):
            return None

    async def export_notebook_source(self, notebook_path: str) -> str | None:
        """A notebook's source text, or None if it can't be had."""
        try:
            return await self.export(notebook_path)
        except (LineageHubError, TypeError, ValueError):
            return None

    # Pipelines

    def pipelines(self) -> AsyncIterator[Json]:
        return self.connection.pages("/api/2.0/pipelines", "statuses", {"max_results": _PAGE}, _PAGE_SIZE)

    async def pipeline(self, pipeline_id: str) -> Json:
        return await self.connection.get(f"/api/2.0/pipelines/{_part(pipeline_id)}")

    def updates(self, pipeline_id: str) -> AsyncIterator[Json]:
        """The newest first."""
        path = f"/api/2.0/pipelines/{_part(pipeline_id)}/updates"
        return self.connection.pages(path, "updates", {"max_results": _PAGE}, _PAGE_SIZE)

    def events(self, pipeline_id: str, since: str | None = None) -> AsyncIterator[Json]:
        """Of the event log, the oldest first; those after `since`, a time in ISO 8601."""
        asked: dict[str, str | int] = {"max_results": _EVENTS_PAGE, "order_by": "timestamp asc"}
        if since is not None:
            asked["filter"] = f"timestamp > '{since}'"
        path = f"/api/2.0/pipelines/{_part(pipeline_id)}/events"
        return self.connection.pages(path, "events", asked, _PAGE_SIZE)

    # Jobs

    def jobs(self) -> AsyncIterator[Json]:
        """As a list shows them: `has_more` says that a job has further tasks, which `job` gives."""
        asked: dict[str, str | int] = {"limit": _PAGE, "expand_tasks": "true"}
        return self.connection.pages("/api/2.2/jobs/list", "jobs", asked, (*_PAGE_SIZE, "expand_tasks"))

    async def job(self, job_id: str) -> Json:
        """With all of its tasks, which come in pages too."""
        found: Json = {}
        async for page in self._parts("/api/2.2/jobs/get", {"job_id": job_id}):
            if not found:
                found = page
                continue
            for name in ("tasks", "job_clusters", "parameters", "environments"):
                if more := (page.get("settings") or {}).get(name):
                    found.setdefault("settings", {}).setdefault(name, []).extend(more)
        return found

    def runs(self, job_id: str, since_ms: int = 0) -> AsyncIterator[Json]:
        """Of a job, the newest first, with their tasks; those that began at `since_ms` or later."""
        asked: dict[str, str | int] = {"job_id": job_id, "limit": 25, "expand_tasks": "true"}
        if since_ms:
            asked["start_time_from"] = since_ms
        return self.connection.pages("/api/2.2/jobs/runs/list", "runs", asked, tuple(asked))

    async def run(self, run_id: str) -> Json:
        """With all of its tasks."""
        found: Json = {}
        async for page in self._parts("/api/2.2/jobs/runs/get", {"run_id": run_id}):
            if not found:
                found = page
            elif more := page.get("tasks"):
                found.setdefault("tasks", []).extend(more)
        return found

    async def _parts(self, path: str, asked: Mapping[str, str | int]) -> AsyncIterator[Json]:
        """Of one thing whose lists come in pages; a workspace that gives a page twice has no more."""
        seen: set[str] = set()
        token = ""
        while token not in seen:
            seen.add(token)
            page = await self.connection.get(path, {**asked, "page_token": token} if token else asked)
            yield page
            token = str(page.get("next_page_token") or "")

    # Notebooks, files and folders

    async def status(self, path: str) -> WorkspaceObject:
        return WorkspaceObject.of(await self.connection.get("/api/2.0/workspace/get-status", {"path": path}))

    async def list_folder(self, path: str) -> list[WorkspaceObject]:
        found = await self.connection.get("/api/2.0/workspace/list", {"path": path})
        return [WorkspaceObject.of(one) for one in objects_of(found, "objects")]

    async def export(self, path: str, *, is_file: bool = False) -> str:
        """A notebook as SOURCE, or as JUPYTER where it has no other form; a file as it is."""
        formats = ("AUTO", "SOURCE") if is_file else ("SOURCE", "JUPYTER")
        try:
            return await self._exported(path, formats[0])
        except Refusal as error:
            if error.answered != 400:
                raise
        return await self._exported(path, formats[1])

    async def _exported(self, path: str, form: str) -> str:
        answer = await self.connection.get("/api/2.0/workspace/export", {"path": path, "format": form})
        content = answer.get("content")
        if not isinstance(content, str):
            raise SourceUnreadable(f"the export of {path} has no content", subject=path, action="export it by hand")
        try:
            return base64.b64decode(content, validate=True).decode("utf-8-sig")
        except (binascii.Error, ValueError):
            raise SourceUnreadable(
                f"the export of {path} is not base64 of UTF-8 text", subject=path, action="see whether it is a notebook"
            ) from None

    async def repos(self) -> list[Json]:
        """Git folders, each with its address, branch and commit."""
        pages = self.connection.pages("/api/2.0/repos", "repos", {}, ())
        return [one async for one in pages]

    async def cluster_conf(self, cluster_id: str) -> Json:
        """The `spark_conf` of a cluster that is there for several jobs."""
        found = await self.connection.get("/api/2.1/clusters/get", {"cluster_id": cluster_id})
        conf = found.get("spark_conf")
        return conf if isinstance(conf, dict) else {}

    # Queries and tables

    async def query_text(self, query_id: str) -> str:
        found = await self.connection.get(f"/api/2.0/sql/queries/{_part(query_id)}")
        return str(found.get("query_text") or found.get("query") or "")

    async def table(self, full_name: str) -> Json | None:
        """What Unity Catalog knows of a table; None if there is none by that name."""
        try:
            return await self.connection.get(f"/api/2.1/unity-catalog/tables/{_part(full_name)}")
        except NotFound:
            return None


class SyncDatabricksClient:
    """The two calls that programs make one at a time; each opens and closes its own connection."""

    def __init__(self, host: str, token: str, **options: Any) -> None:
        self._host, self._token, self._options = host, token, options

    def get_pipeline_details(self, pipeline_id: str) -> Json | None:
        async def ask() -> Json | None:
            async with DatabricksClient(self._host, self._token, **self._options) as client:
                return await client.get_pipeline_details(pipeline_id)

        return asyncio.run(ask())

    def export_notebook_source(self, notebook_path: str) -> str | None:
        async def ask() -> str | None:
            async with DatabricksClient(self._host, self._token, **self._options) as client:
                return await client.export_notebook_source(notebook_path)

        return asyncio.run(ask())


def _part(text: str) -> str:
    """As one part of a path: a name may hold slashes and spaces."""
    return quote(str(text), safe="")


def _number(value: object) -> int:
    """0: the workspace does not tell, or no number."""
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0
