"""Pipelines and jobs as the API describes them enter; what each of them runs leaves, with the values it runs with.

Where a value stands twice, the first of these counts: what the user of a scan gives, the pipeline's `configuration`,
the job's parameters, the task's own parameters, the `spark_conf` of the cluster. Values that only a run has
(`{{job.start_time.…}}`) and secrets (`{{secrets/…}}`) are left out, so that they count as unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from lineage_hub.connectors.databricks.addresses import plain_path
from lineage_hub.connectors.databricks.connection import Json
from lineage_hub.connectors.databricks.reading import Problem

_REFERENCE = re.compile(r"\{\{\s*([^}]*?)\s*\}\}")
HIVE = "hive_metastore"


@dataclass(frozen=True)
class Work:
    """A pipeline, a task of a job, or a file: what runs, and with which values."""

    kind: str  # pipeline, task, file
    id: str
    name: str
    paths: tuple[str, ...] = ()
    globs: tuple[str, ...] = ()
    query_id: str = ""
    root: str = ""  # in which modules are looked for
    configuration: Mapping[str, str] = field(default_factory=dict)
    catalog: str = ""
    schema: str = ""
    is_published: bool = True
    """Else its tables can be read by nobody else, and unqualified names are its own."""
    parent: str = ""  # the name of the job that a task belongs to
    owner: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    description: str = ""
    is_streaming: bool = False
    modified_at: int = 0
    problems: tuple[Problem, ...] = ()


def work_of_pipeline(details: Json, host: str, given: Mapping[str, str]) -> Work:
    spec = _mapping(details.get("spec")) or details
    id_ = str(details.get("pipeline_id") or spec.get("id") or "")
    name = str(spec.get("name") or details.get("name") or id_)
    libraries = _Libraries(name)
    for one in _list(spec.get("libraries")):
        libraries.add(_mapping(one))
    catalog = str(spec.get("catalog") or "")
    schema = str(spec.get("schema") or spec.get("target") or "")
    conf: dict[str, Any] = {}
    for cluster in _list(spec.get("clusters")):
        # That of updates goes before that of maintenance.
        if _mapping(cluster).get("label") != "maintenance":
            conf |= _mapping(_mapping(cluster).get("spark_conf"))
    return Work(
        kind="pipeline",
        id=id_,
        name=name,
        paths=tuple(libraries.paths),
        globs=tuple(libraries.globs),
        root=str(spec.get("root_path") or ""),
        configuration={**_known(conf, {}), **_known(_mapping(spec.get("configuration")), {}), **given},
        catalog=catalog or (HIVE if schema else ""),
        schema=schema,
        is_published=bool(schema),
        owner=str(details.get("run_as_user_name") or details.get("creator_user_name") or ""),
        tags={str(key): str(value) for key, value in _mapping(spec.get("tags")).items()},
        url=f"{host}/pipelines/{id_}" if host else "",
        description=str(spec.get("description") or ""),
        is_streaming=bool(spec.get("continuous")),
        modified_at=_number(details.get("last_modified")),
        problems=tuple(libraries.problems),
    )


class _Libraries:
    def __init__(self, owner: str) -> None:
        self._owner = owner
        self.paths: list[str] = []
        self.globs: list[str] = []
        self.problems: list[Problem] = []

    def add(self, library: Mapping[str, Any]) -> None:
        for kind in ("notebook", "file"):
            path = _mapping(library.get(kind)).get("path")
            if isinstance(path, str) and path:
                self.paths.append(path)
                return
        glob = _mapping(library.get("glob")).get("include")
        if isinstance(glob, str) and glob:
            self.globs.append(glob)
            return
        kind = next(iter(library), "nothing")
        self.problems.append(Problem(0, f"a library of kind {kind} of {self._owner} holds no source that can be read"))


def clusters_of_job(job: Json) -> list[str]:
    """Ids of clusters that its tasks run on and that are not its own."""
    settings = _mapping(job.get("settings"))
    tasks = map(_mapping, _list(settings.get("tasks")) or [settings])
    found = [
        str((_inner(one)).get("existing_cluster_id") or "") for one in tasks if _Task("", _inner(one), {}).is_program
    ]
    return [one for one in dict.fromkeys(found) if one]


def starts_pipelines(job: Json) -> bool:
    tasks = map(_mapping, _list(_mapping(job.get("settings")).get("tasks")))
    return any(_mapping(_inner(one).get("pipeline_task")).get("pipeline_id") for one in tasks)


def works_of_job(
    job: Json, host: str, given: Mapping[str, str], confs: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
) -> Iterator[Work]:
    """Its tasks; those that only start something else are none. `confs` are those of `clusters_of_job`, by id."""
    settings = _mapping(job.get("settings"))
    id_ = str(job.get("job_id") or "")
    name = str(settings.get("name") or id_)
    defaults = {
        str(_mapping(one).get("name")): _mapping(one).get("default") for one in _list(settings.get("parameters"))
    }
    clusters = {
        str(_mapping(one).get("job_cluster_key")): _mapping(_mapping(one).get("new_cluster"))
        for one in _list(settings.get("job_clusters"))
    }
    tasks = _list(settings.get("tasks")) or [settings]
    for task in map(_mapping, tasks):
        key = str(task.get("task_key") or "")
        inner = _inner(task)
        found = _Task(name, inner, settings)
        if not found.is_program:
            continue
        problems = list(found.problems)
        shared = str(inner.get("existing_cluster_id") or "")
        if shared and shared not in confs:
            said = f"the spark_conf of the cluster {shared}, on which it runs, is not known"
            problems.append(Problem(0, f"{said}; give values with --configuration"))
        cluster = _mapping(inner.get("new_cluster")) or clusters.get(str(inner.get("job_cluster_key")), {})
        conf = confs.get(shared) or _mapping(cluster.get("spark_conf"))
        facts = {"job.id": id_, "job.name": name, "task.name": key}
        parameters = _known(defaults, facts)
        known = {**facts, **{f"job.parameters.{one}": value for one, value in parameters.items()}}
        yield Work(
            kind="task",
            id=f"{id_}/{key}" if key else id_,
            name=f"{name}.{key}" if key else name,
            parent=name if key else "",
            paths=found.paths,
            query_id=found.query_id,
            configuration={
                **_known(conf, known),
                **_known(found.parameters, known),
                **parameters,
                **given,
            },
            owner=str(settings.get("run_as_user_name") or job.get("creator_user_name") or ""),
            tags={str(one): str(value) for one, value in _mapping(settings.get("tags")).items()},
            url=f"{host}/jobs/{id_}" if host else "",
            description=str(inner.get("description") or settings.get("description") or ""),
            is_streaming="continuous" in settings,
            modified_at=_number(job.get("created_time")),
            problems=tuple(problems),
        )


def _inner(task: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a loop over inputs does each time, or the task itself."""
    return _mapping(_mapping(task.get("for_each_task")).get("task")) or task


class _Task:
    """What one task runs."""

    def __init__(self, job: str, task: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        self.paths: tuple[str, ...] = ()
        self.query_id = ""
        self.parameters: Mapping[str, Any] = {}
        self.problems: tuple[Problem, ...] = ()
        self.is_program = True
        git = _mapping(settings.get("git_source")).get("git_url")
        if notebook := _mapping(task.get("notebook_task")):
            self.parameters = _mapping(notebook.get("base_parameters"))
            self._add(str(notebook.get("notebook_path") or ""), notebook, git)
        elif python := _mapping(task.get("spark_python_task")):
            self._add(str(python.get("python_file") or ""), python, git)
        elif sql := _mapping(task.get("sql_task")):
            self.parameters = _mapping(sql.get("parameters"))
            self.query_id = str(_mapping(sql.get("query")).get("query_id") or "")
            file = _mapping(sql.get("file"))
            if file:
                self._add(str(file.get("path") or ""), file, git)
            self.is_program = bool(file or self.query_id)
        else:
            unread = next((one for one in _UNREAD if one in task), None)
            self.is_program = unread is not None
            if unread is not None:
                self.problems = (Problem(0, f"a {unread} of {job} runs built code, whose source is not here"),)

    def _add(self, path: str, part: Mapping[str, Any], git: object) -> None:
        if part.get("source") == "GIT" or (git and not path.startswith("/") and part.get("source") != "WORKSPACE"):
            said = (
                f"its source is in Git at {plain_path(str(git or '')) or 'a repository'}; scan a checkout with --path"
            )
            self.problems = (Problem(0, said, path),)
        elif re.match(r"[a-z0-9]+:/", path) and not path.startswith("file:"):
            self.problems = (Problem(0, "its source is not in the workspace; scan a copy with --path", path),)
        elif path:
            self.paths = (path,)


_UNREAD = ("python_wheel_task", "spark_jar_task", "spark_submit_task", "dbt_task")


def _known(values: Mapping[str, Any], facts: Mapping[str, str]) -> dict[str, str]:
    """Only those that are wholly known before a run."""
    found = {}
    for name, value in values.items():
        if value is None or isinstance(value, dict | list):
            continue
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if all(one in facts for one in _REFERENCE.findall(text)):
            found[str(name)] = _REFERENCE.sub(lambda match: facts[match[1]], text)
    return found


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: object) -> int:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0
