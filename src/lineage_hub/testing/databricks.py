"""Pipelines, jobs, notebooks and tables enter; a server on a free port leaves that answers as a workspace does.

    with FakeWorkspace() as workspace:
        workspace.add_notebook("/Repos/shop/bronze", source)
        workspace.add_pipeline("shop", notebooks=["/Repos/shop/bronze"], catalog="main", schema="bronze")
        run_what_is_tested(workspace.url, workspace.token)

Switches make it as unkind as a real one: small pages, throttling, slow answers, refusals, failures, broken exports.
"""

from __future__ import annotations

import base64
import itertools
import json
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import parse_qsl, unquote, urlsplit

Json = dict[str, Any]
LONG_AGO_MS = 1_760_000_000_000


class Asked(NamedTuple):
    """A request that the workspace got."""

    path: str
    params: dict[str, str]
    status: int


class Answer(Exception):
    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.body = status, {"error_code": code, "message": message}


@dataclass
class _Object:
    kind: str
    text: str = ""
    language: str = ""
    modified_at: int = LONG_AGO_MS


@dataclass
class FakeWorkspace:
    """Use it in a `with` statement. Switches may be changed while it runs."""

    token: str = "dapi-fake"
    page_size: int = 0
    """Most items of a page; 0: as many as are asked for."""
    latency_s: float = 0.0
    """How long each answer takes."""
    throttle_every: int = 0
    """Each so manieth request gets 429."""
    fail_every: int = 0
    """Each so manieth request gets 500."""
    retry_after_s: int | None = 0
    """Told with 429; None tells nothing."""
    forbidden: set[str] = field(default_factory=set)
    """Paths of the workspace, ids of pipelines and clusters, and names of tables that answer 403."""
    bad_base64: set[str] = field(default_factory=set)
    """Paths whose export can't be decoded."""
    asked: list[Asked] = field(default_factory=list)
    most_at_once: int = 0
    """Of requests that were under way at the same time."""

    def __post_init__(self) -> None:
        self._objects: dict[str, _Object] = {"/": _Object("DIRECTORY")}
        self._pipelines: dict[str, Json] = {}
        self._events: dict[str, list[Json]] = {}
        self._jobs: dict[str, Json] = {}
        self._runs: dict[str, list[Json]] = {}
        self._clusters: dict[str, Json] = {}
        self._repos: list[Json] = []
        self._tables: dict[str, Json] = {}
        self._queries: dict[str, str] = {}
        self._count = itertools.count(1)
        self._under_way = 0
        self._lock = threading.Lock()
        self._server: ThreadingHTTPServer | None = None

    # What is in it

    def add_notebook(self, path: str, source: str, language: str = "PYTHON", modified_at: int = LONG_AGO_MS) -> None:
        """Given again, it is changed: a later `modified_at` tells so."""
        self._put(path, _Object("NOTEBOOK", source, language, modified_at))

    def add_file(self, path: str, text: str, modified_at: int = LONG_AGO_MS) -> None:
        self._put(path, _Object("FILE", text, "", modified_at))

    def add_folder(self, path: str) -> None:
        self._put(path, _Object("DIRECTORY"))

    def add_repo(self, path: str, url: str, branch: str = "main", commit: str = "0" * 40) -> None:
        self._put(path, _Object("REPO"))
        self._repos.append(
            {"id": len(self._repos) + 1, "path": path, "url": url, "branch": branch, "head_commit_id": commit}
        )

    def _put(self, path: str, one: _Object) -> None:
        self._objects[path] = one
        parts = path.strip("/").split("/")[:-1]
        for end in range(1, len(parts) + 1):
            self._objects.setdefault("/" + "/".join(parts[:end]), _Object("DIRECTORY"))

    def add_pipeline(
        self,
        name: str,
        notebooks: Sequence[str] = (),
        files: Sequence[str] = (),
        globs: Sequence[str] = (),
        pipeline_id: str | None = None,
        last_modified: int = LONG_AGO_MS,
        **spec: Any,
    ) -> str:
        """`spec` as the API has it: catalog, schema or target, configuration, clusters, continuous, …"""
        id_ = pipeline_id or str(uuid.uuid5(uuid.NAMESPACE_URL, f"{name}/{len(self._pipelines)}"))
        libraries = [{"notebook": {"path": one}} for one in notebooks]
        libraries += [{"file": {"path": one}} for one in files]
        libraries += [{"glob": {"include": one}} for one in globs]
        self._pipelines[id_] = {
            "pipeline_id": id_,
            "name": name,
            "state": "IDLE",
            "creator_user_name": "owner@example.com",
            "last_modified": last_modified,
            "spec": {"id": id_, "name": name, "libraries": libraries, **spec},
        }
        return id_

    def add_events(self, pipeline_id: str, events: Iterable[Mapping[str, Any]]) -> None:
        self._events.setdefault(pipeline_id, []).extend(dict(one) for one in events)

    def add_job(self, name: str, tasks: Sequence[Mapping[str, Any]], **settings: Any) -> str:
        """Tasks and settings as the API has them."""
        id_ = str(1000 + len(self._jobs))
        self._jobs[id_] = {
            "job_id": int(id_),
            "creator_user_name": "owner@example.com",
            "created_time": LONG_AGO_MS,
            "settings": {"name": name, "tasks": [dict(one) for one in tasks], **settings},
        }
        return id_

    def add_runs(self, job_id: str, runs: Iterable[Mapping[str, Any]]) -> None:
        """As the API has them: run_id, start_time and end_time in milliseconds, state, tasks."""
        self._runs.setdefault(job_id, []).extend({"job_id": int(job_id), **one} for one in runs)

    def add_table(self, full_name: str, columns: Mapping[str, str] | None = None, **members: Any) -> None:
        """Columns with their types."""
        told = [
            {"name": name, "type_text": kind, "position": at} for at, (name, kind) in enumerate((columns or {}).items())
        ]
        self._tables[full_name] = {"full_name": full_name, "columns": told, **members}

    def add_cluster(self, cluster_id: str, spark_conf: Mapping[str, str]) -> None:
        """One that jobs run on by its id (`existing_cluster_id`)."""
        self._clusters[cluster_id] = {"cluster_id": cluster_id, "spark_conf": dict(spark_conf)}

    def add_query(self, query_id: str, text: str) -> None:
        self._queries[query_id] = text

    # How it answers

    def answer(self, path: str, params: dict[str, str]) -> Json:
        """What the API says to a GET; raises Answer for what it refuses."""
        for begin, answers in self._routes():
            if path == begin or path.startswith(begin + "/"):
                return answers([unquote(one) for one in path[len(begin) :].strip("/").split("/") if one], params)
        raise Answer(404, "ENDPOINT_NOT_FOUND", f"No API found for 'GET {path}'")

    def _routes(self) -> Sequence[tuple[str, Callable[[list[str], dict[str, str]], Json]]]:
        return (
            ("/api/2.0/pipelines", self._of_pipelines),
            ("/api/2.1/jobs", self._of_jobs),
            ("/api/2.2/jobs", self._of_jobs),
            ("/api/2.1/clusters/get", self._of_clusters),
            ("/api/2.0/workspace", self._of_workspace),
            ("/api/2.0/repos", lambda _, params: self._page("repos", self._repos, params)),
            ("/api/2.0/sql/queries", self._of_queries),
            ("/api/2.1/unity-catalog/tables", self._of_tables),
        )

    def _page(self, key: str, items: Sequence[Any], params: Mapping[str, str]) -> Json:
        asked = int(params.get("max_results") or params.get("limit") or 100)
        size = min(asked, self.page_size) if self.page_size else asked
        token = params.get("page_token", "")
        start = int(token.removeprefix("page-") or 0)
        found: Json = {key: list(items[start : start + size])}
        if start + size < len(items):
            found["next_page_token"] = f"page-{start + size}"
        return found

    def _of_pipelines(self, rest: list[str], params: dict[str, str]) -> Json:
        if not rest:
            short = [
                {name: one[name] for name in ("pipeline_id", "name", "state", "creator_user_name")}
                for one in self._pipelines.values()
            ]
            return self._page("statuses", short, params)
        self._check(rest[0], "pipeline")
        if rest[0] not in self._pipelines:
            raise Answer(404, "RESOURCE_DOES_NOT_EXIST", f"The specified pipeline {rest[0]} was not found.")
        if rest[1:] == ["events"]:
            return self._page_of_events(self._events.get(rest[0], []), params)
        if rest[1:] == ["updates"]:
            return self._page("updates", self._updates(rest[0]), params)
        return self._pipelines[rest[0]]

    def _updates(self, pipeline_id: str) -> list[Json]:
        """The newest first, as the log tells of them: `create_update` why, and `update_progress` how far."""
        found: dict[str, Json] = {}
        for one in sorted(self._events.get(pipeline_id, []), key=lambda one: str(one.get("timestamp"))):
            id_ = str(one.get("origin", {}).get("update_id"))
            update = found.setdefault(id_, {"pipeline_id": pipeline_id, "update_id": id_})
            details = one.get("details", {}).get(one.get("event_type"), {})
            if one.get("event_type") == "create_update":
                update |= {name: details[name] for name in ("cause", "update_cause_details") if name in details}
                update["creation_time"] = int(datetime.fromisoformat(str(one["timestamp"])).timestamp() * 1000)
            elif one.get("event_type") == "update_progress":
                update["state"] = details.get("state")
        return list(reversed(found.values()))

    def _page_of_events(self, events: Sequence[Json], params: Mapping[str, str]) -> Json:
        """A token carries the filter that it was made for, which must not be given again."""
        token, _, since = params.get("page_token", "").partition(">")
        if "page_token" in params and set(params) - {"page_token", "max_results"}:
            raise Answer(400, "INVALID_PARAMETER_VALUE", "page_token goes with max_results alone")
        since = params["filter"].split("'")[1] if "filter" in params else since
        found = sorted((one for one in events if str(one["timestamp"]) > since), key=lambda one: str(one["timestamp"]))
        page = self._page("events", found, {"max_results": params.get("max_results", "25"), "page_token": token})
        if "next_page_token" in page:
            page["next_page_token"] += f">{since}"
        return page

    def _of_jobs(self, rest: list[str], params: dict[str, str]) -> Json:
        if rest == ["list"]:
            return self._page("jobs", list(self._jobs.values()), params)
        if rest == ["get"]:
            id_ = params.get("job_id", "")
            self._check(id_, "job")
            if id_ not in self._jobs:
                raise Answer(400, "INVALID_PARAMETER_VALUE", f"Job {id_} does not exist.")
            return self._jobs[id_]
        if rest == ["runs", "list"]:
            self._check(params.get("job_id", ""), "runs of the job")
            since = int(params.get("start_time_from") or 0)
            found = [one for one in self._runs.get(params.get("job_id", ""), []) if one["start_time"] >= since]
            found.sort(key=lambda one: -int(one["start_time"]))
            if params.get("expand_tasks") != "true":
                found = [{name: value for name, value in one.items() if name != "tasks"} for one in found]
            return self._page("runs", found, params)
        raise Answer(404, "ENDPOINT_NOT_FOUND", "No API found")

    def _of_workspace(self, rest: list[str], params: dict[str, str]) -> Json:
        path = params.get("path", "")
        self._check(path, "object")
        one = self._objects.get(path)
        if one is None:
            raise Answer(404, "RESOURCE_DOES_NOT_EXIST", f"Path ({path}) doesn't exist.")
        if rest == ["get-status"]:
            return self._status(path, one)
        if rest == ["list"]:
            beneath = path.rstrip("/") + "/"
            found = [
                self._status(other, each)
                for other, each in sorted(self._objects.items())
                if other.startswith(beneath) and other != "/" and "/" not in other[len(beneath) :]
            ]
            return {"objects": found} if found else {}
        if rest == ["export"]:
            return self._export(path, one, params.get("format", "SOURCE"))
        raise Answer(404, "ENDPOINT_NOT_FOUND", "No API found")

    def _status(self, path: str, one: _Object) -> Json:
        found: Json = {"path": path, "object_type": one.kind, "object_id": abs(hash(path)) % 10**12}
        if one.kind in ("NOTEBOOK", "FILE"):
            found |= {"modified_at": one.modified_at, "created_at": LONG_AGO_MS}
        if one.language:
            found["language"] = one.language
        return found

    def _export(self, path: str, one: _Object, form: str) -> Json:
        if one.kind not in ("NOTEBOOK", "FILE"):
            raise Answer(400, "BAD_REQUEST", f"{path} is a folder, which only DBC can hold")
        if one.kind == "FILE" and form != "AUTO":
            raise Answer(400, "BAD_REQUEST", f"{path} is a file: it is exported as AUTO")
        content = base64.b64encode(one.text.encode()).decode()
        return {"content": f"!{content[:-1]}" if path in self.bad_base64 else content}

    def _of_clusters(self, _rest: list[str], params: dict[str, str]) -> Json:
        id_ = params.get("cluster_id", "")
        self._check(id_, "cluster")
        if id_ not in self._clusters:
            raise Answer(400, "INVALID_PARAMETER_VALUE", f"Cluster {id_} does not exist")
        return self._clusters[id_]

    def _of_queries(self, rest: list[str], _params: dict[str, str]) -> Json:
        if not rest or rest[0] not in self._queries:
            raise Answer(404, "RESOURCE_DOES_NOT_EXIST", "no such query")
        return {"id": rest[0], "query_text": self._queries[rest[0]]}

    def _of_tables(self, rest: list[str], _params: dict[str, str]) -> Json:
        self._check(rest[0] if rest else "", "table")
        if not rest or rest[0] not in self._tables:
            raise Answer(404, "TABLE_DOES_NOT_EXIST", f"Table '{'/'.join(rest)}' does not exist.")
        return self._tables[rest[0]]

    def _check(self, subject: str, what: str) -> None:
        if subject in self.forbidden:
            raise Answer(403, "PERMISSION_DENIED", f"You do not have permission to read the {what} {subject}")

    # How it is asked

    @property
    def url(self) -> str:
        assert self._server is not None, "it runs in a with statement"
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def count(self, path: str) -> int:
        """How many requests were for this part of the API."""
        return sum(one.path.startswith(path) for one in self.asked)

    def _handled(self, target: str, authorization: str) -> tuple[int, Json, int | None]:
        parts = urlsplit(target)
        params = dict(parse_qsl(parts.query, keep_blank_values=True))
        number = next(self._count)
        with self._lock:
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
        try:
            time.sleep(self.latency_s)
            status, body, wait_s = self._decided(number, parts.path, params, authorization)
        finally:
            with self._lock:
                self._under_way -= 1
        self.asked.append(Asked(parts.path, params, status))
        return status, body, wait_s

    def _decided(
        self, number: int, path: str, params: dict[str, str], authorization: str
    ) -> tuple[int, Json, int | None]:
        if authorization != f"Bearer {self.token}":
            return 401, {"error_code": "UNAUTHENTICATED", "message": "Invalid access token."}, None
        if self.throttle_every and number % self.throttle_every == 0:
            body = {"error_code": "REQUEST_LIMIT_EXCEEDED", "message": "Too many requests"}
            return 429, body, self.retry_after_s
        if self.fail_every and number % self.fail_every == 0:
            return 500, {"error_code": "INTERNAL_ERROR", "message": "Something went wrong"}, None
        try:
            return 200, self.answer(path, params), None
        except Answer as answer:
            return answer.status, answer.body, None

    def __enter__(self) -> Self:
        workspace = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # One packet an answer: two wait for each other.
            wbufsize = -1
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                status, body, wait_s = workspace._handled(self.path, self.headers.get("Authorization", ""))
                content = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                if wait_s is not None:
                    self.send_header("Retry-After", str(wait_s))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:
                """Tests read what was asked from `asked`."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
