"""A workspace or a folder enters; a report of what its programs read and fill leaves, and the jobs to tell of.

First every text is fetched, many at a time; then each program is read, or taken from the cache; then the catalog is
asked for the tables that were found. What fails on the way is in the report, and the rest goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lineage_hub.connectors.databricks import client as api
from lineage_hub.connectors.databricks.cache import Cache, reader_version, reading_key
from lineage_hub.connectors.databricks.choosing import note, repos_of, works_of
from lineage_hub.connectors.databricks.clusters import Clusters
from lineage_hub.connectors.databricks.config import ScanConfig
from lineage_hub.connectors.databricks.connection import Json
from lineage_hub.connectors.databricks.flows import Flow, ReadProgram, flows_of, with_distinct_names
from lineage_hub.connectors.databricks.lineage import Teller
from lineage_hub.connectors.databricks.memo import Memo
from lineage_hub.connectors.databricks.names import Namer
from lineage_hub.connectors.databricks.programs import Work
from lineage_hub.connectors.databricks.reading import Reading
from lineage_hub.connectors.databricks.report import Report
from lineage_hub.connectors.databricks.workspace import (
    FolderTree,
    Taken,
    Tree,
    WorkspaceTree,
    expanded,
    plain_path,
    taken_in,
)
from lineage_hub.errors import LineageHubError

Progress = Callable[[str, int, int], None]
"""What is done, how much of it, and of how much."""
# A scan only builds: looking for garbage as often as usual takes a third of its time. For gc.set_threshold.
GARBAGE = (50_000, 20, 50)
_LANGUAGES = {"PYTHON": "python", "SQL": "sql"}


@dataclass(frozen=True)
class Fetched:
    """The text of one program of a work, with what it takes in."""

    work: Work
    path: str
    text: str
    files: Mapping[str, str]
    language: str = "auto"
    modified_at: int = 0


def no_progress(_what: str, _done: int, _of: int) -> None:
    pass


async def scan_workspace(
    config: ScanConfig, cache: Cache, progress: Progress = no_progress, *, for_runs: bool = False
) -> Report:
    """`for_runs`: the report also holds names by which runs are told."""
    report = Report(notes=list(config.notes))
    options = {"concurrency": config.concurrency, "timeout_s": config.timeout_s, "attempts": config.attempts}
    async with api.DatabricksClient(config.workspace, config.token, **options) as client:
        works, repos = await asyncio.gather(works_of(client, config, report), repos_of(client, report))
        roots = tuple(dict.fromkeys([*repos, *(plain_path(one.root) for one in works if one.root)]))
        tree = WorkspaceTree(client, cache, roots)
        fetched = await _fetched(tree, client, works, report, progress)
        report.exported = tree.exported
        memo = Memo(cache, config, works, map(_read_as, fetched))
        scan: _Scan | None = None
        names = None if for_runs else memo.table_names()
        if names is None:
            scan = _Scan(config, works, fetched, cache, progress)
            names = scan.table_names()
            memo.keep_table_names(names)
        tables = await _tables(client, names, report, progress) if config.unity_catalog else {}
    facts = [config.host, tables, repos]
    outcome = None if scan is not None else memo.outcome(facts)
    if outcome is None:
        scan = scan or _Scan(config, works, fetched, cache, progress)
        outcome = scan.told(config.host, tables, repos)
        memo.keep(facts, outcome)
    report.take(outcome)
    cache.shrink()
    return report


async def scan_folder(folder: Path, config: ScanConfig, cache: Cache, progress: Progress = no_progress) -> Report:
    """Each file is a program of its own, but for those that others take in."""
    report = Report(notes=list(config.notes))
    tree = FolderTree(folder)

    listed = [] if tree.file else await expanded(tree, "/", lambda path, error: note(report, path, error))
    paths = [f"/{tree.file}"] if tree.file else [one.path for one in listed]
    fetched = []
    for at, path in enumerate(paths):
        work = _work_of_file(path, config)
        fetched += await _programs_of(tree, work, report)
        progress("Reading files", at + 1, len(paths))
    fetched = _roots_of(fetched)
    works = [one.work for one in fetched]
    memo = Memo(cache, config, works, map(_read_as, fetched))
    outcome = memo.outcome(None)
    if outcome is None:
        outcome = _Scan(config, works, fetched, cache, progress).told("", {}, {})
        memo.keep(None, outcome)
    report.take(outcome)
    cache.shrink()
    return report


def _work_of_file(path: str, config: ScanConfig) -> Work:
    return Work(
        kind="file",
        id="",
        name=path.lstrip("/"),
        paths=(path,),
        configuration=config.configuration,
        catalog=config.catalog,
        schema=config.schema,
    )


def _roots_of(fetched: list[Fetched]) -> list[Fetched]:
    """Without those that another takes in; of files that take in each other the first stays."""
    by_path = {one.path: one for one in fetched}
    below = {path for one in fetched for path in one.files}
    found: list[Fetched] = []
    reached: set[str] = set()
    for one in [*(one for one in fetched if one.path not in below), *fetched]:
        if one.path not in reached:
            reached |= {one.path, *(path for path in one.files if path in by_path)}
            found.append(one)
    return sorted(found, key=lambda one: one.path)


async def _fetched(
    tree: Tree, client: api.DatabricksClient, works: list[Work], report: Report, progress: Progress
) -> list[Fetched]:
    done = 0

    async def one_of(work: Work) -> list[Fetched]:
        nonlocal done
        found = await _programs_of(tree, work, report)
        if work.query_id:
            found += await _query_of(client, work, report)
        done += 1
        progress("Exporting sources", done, len(works))
        return found

    return [one for each in await asyncio.gather(*map(one_of, works)) for one in each]


async def _programs_of(tree: Tree, work: Work, report: Report) -> list[Fetched]:
    async def one_of(path: str, finding: Coroutine[Any, Any, api.WorkspaceObject]) -> Fetched | None:
        path = _shown(work, path)
        try:
            found = await finding
            if found.is_folder or found.kind not in ("NOTEBOOK", "FILE"):
                report.add_problem(path, 0, f"it is a {found.kind.lower() or 'thing'} that holds no source")
                return None
            text = await tree.text(found)
            taken: Taken = await taken_in(tree, found.path, text)
        except LineageHubError as error:
            note(report, path, error)
            return None
        for other, reason in taken.problems.items():
            report.add_problem(
                path.lstrip("/") if work.kind == "file" else found.path, 0, f"{other}, which it takes in: {reason}"
            )
        language = _LANGUAGES.get(found.language, "auto")
        modified_at = max(found.modified_at, taken.modified_at)
        return Fetched(work, found.path, text, dict(taken), language, modified_at)

    async def known(one: api.WorkspaceObject) -> api.WorkspaceObject:
        return one

    objects: dict[str, Coroutine[Any, Any, api.WorkspaceObject]] = {path: tree.found(path) for path in work.paths}
    for glob in work.globs:
        try:
            for one in await expanded(tree, glob, lambda path, error: note(report, path, error)):
                if one.path not in objects:
                    objects[one.path] = known(one)
        except LineageHubError as error:
            note(report, glob, error)
    found = await asyncio.gather(*(one_of(path, finding) for path, finding in objects.items()))
    return [one for one in found if one is not None]


async def _query_of(client: api.DatabricksClient, work: Work, report: Report) -> list[Fetched]:
    try:
        text = await client.query_text(work.query_id)
        return [Fetched(work, f"query {work.query_id}", text, {}, "sql", work.modified_at)]
    except LineageHubError as error:
        note(report, f"query {work.query_id}", error)
        return []


def _read(fetched: list[Fetched], cache: Cache, report: Report, progress: Progress) -> dict[str, list[ReadProgram]]:
    """By the name of the work."""
    report.programs = len(fetched)
    found: dict[str, list[ReadProgram]] = {}
    for at, one in enumerate(fetched):
        reading = read_with(cache, one)
        path = _shown(one.work, one.path)
        is_sql = one.language == "sql" or one.path.endswith(".sql")
        for problem in reading.problems:
            report.add_problem(_shown(one.work, problem.path) or path, problem.line, problem.reason)
        sources = [replace(each, file=_shown(one.work, each.file)) if each.file else each for each in reading.sources]
        reading = replace(reading, sources=sources)
        found.setdefault(one.work.name, []).append(ReadProgram(path, reading, one.modified_at, is_sql))
        progress("Reading programs", at + 1, len(fetched))
    return found


def _read_as(one: Fetched) -> tuple[str, str, int]:
    """What decides what is read in it, for whom, and its time."""
    pairs = [*one.work.configuration.items(), *one.files.items()]
    key = reading_key(reader_version(), one.text, one.language, one.path, pairs=pairs)
    return key, one.work.name, one.modified_at


def read_with(cache: Cache, one: Fetched) -> Reading:
    from lineage_hub.connectors.databricks.sources import read_program

    key, _, _ = _read_as(one)
    kept = cache.reading(key)
    if kept is not None:
        return kept
    reading = read_program(
        one.text,
        language=one.language,  # type: ignore[arg-type]
        path=one.path,
        configuration=one.work.configuration,
        files=one.files,
    )
    cache.keep_reading(key, reading)
    return reading


class _Scan:
    """What was read of every work, made into flows."""

    def __init__(
        self, config: ScanConfig, works: Iterable[Work], fetched: list[Fetched], cache: Cache, progress: Progress
    ) -> None:
        self._namespace = config.resolved_namespace
        self._report = report = Report()
        self._read = read = _read(fetched, cache, report, progress)
        bootstraps = [
            source.bootstrap
            for programs in read.values()
            for program in programs
            for source in program.reading.sources
            if source.kind.removesuffix("_sink") == "kafka"
        ]
        clusters = Clusters(config.clusters, config.default_cluster, bootstraps)
        self._flows: list[tuple[Work, Namer, list[Flow]]] = []
        for work in works:
            programs = read.get(work.name, [])
            defined = [table for program in programs for table in program.tables]
            namer = Namer(work, self._namespace, clusters, defined)
            flows, problems = flows_of(work, programs, namer, with_streams=config.include_kafka_lineage)
            for problem in problems:
                report.add_problem(problem.path, problem.line, problem.reason)
            self._flows.append((work, namer, with_distinct_names(flows)))
            report.add_flows(work, flows)

    def table_names(self) -> list[str]:
        """Of tables that are filled and have a place in a catalog."""
        names = {
            name.name
            for _, _, flows in self._flows
            for flow in flows
            for name in flow.outputs
            if name.namespace == self._namespace and name.name.count(".") == 2 and "/" not in name.name
        }
        return sorted(name for name in names if not name.startswith("hive_metastore."))

    def told(self, host: str, tables: Mapping[str, Json], repos: Mapping[str, Json]) -> Report:
        for work, namer, flows in self._flows:
            teller = Teller(work, namer, self._namespace, host=host, tables=tables, repos=repos)
            modified_at = {one.path: one.modified_at for one in self._read.get(work.name, [])}
            self._report.jobs += teller.jobs(flows, modified_at)
            if work.kind == "pipeline":
                self._report.namers[work.id] = namer
        return self._report


async def _tables(
    client: api.DatabricksClient, names: list[str], report: Report, progress: Progress
) -> dict[str, Json]:
    done = 0

    async def one_of(name: str) -> Json | None:
        nonlocal done
        try:
            return await client.table(name)
        except LineageHubError as error:
            note(report, name, error)
            return None
        finally:
            done += 1
            progress("Asking the catalog", done, len(names))

    found = await asyncio.gather(*map(one_of, names))
    return {name: one for name, one in zip(names, found, strict=True) if one is not None}


def _shown(work: Work, path: str) -> str:
    """Of a folder paths are shown as a person would write them there."""
    return path.lstrip("/") if work.kind == "file" else path
