"""A workspace or a folder enters on the command line; a table or JSON of what its programs read and fill leaves.

With `--send` or `--output` the lineage leaves as OpenLineage events.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lineage_hub.errors import ExtraMissing, InvalidEvent, InvalidRequest
from lineage_hub.settings import load_settings, mask_url
from lineage_hub.terminal import one_line, print_json, print_table

if TYPE_CHECKING:
    from lineage_hub.connectors.databricks.cache import Cache
    from lineage_hub.connectors.databricks.config import ScanConfig
    from lineage_hub.connectors.databricks.connection import Json
    from lineage_hub.connectors.databricks.report import Report
    from lineage_hub.connectors.databricks.scan import Progress
    from lineage_hub.connectors.databricks.sync import Synced

app = typer.Typer(
    name="databricks", help="Lineage from the code of Databricks' pipelines and jobs.", no_args_is_help=True
)

Workspace = Annotated[
    str | None, typer.Option(help="Address of the workspace; default DATABRICKS_HOST. The token: DATABRICKS_TOKEN.")
]
ConfigFile = Annotated[Path | None, typer.Option("--config", help="YAML file that says what to scan.")]
Configuration = Annotated[
    list[str] | None, typer.Option(help="name=value that goes before the workspace's own. Repeatable.")
]
Pipeline = Annotated[list[str] | None, typer.Option(help="Only this pipeline: id, name or glob. Repeatable.")]
Job = Annotated[list[str] | None, typer.Option(help="Only this job: id, name or glob. Repeatable.")]
Send = Annotated[bool, typer.Option("--send", help="Send the lineage to the hub.")]
Url = Annotated[str | None, typer.Option(help="The hub; default that of the settings.")]
Output = Annotated[Path | None, typer.Option(help="Write the events to this file, one a line.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be sent or written.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Fetch and read everything again.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

SCAN_EXAMPLES = """Examples:

lineage-hub databricks scan --path pipelines/ --configuration env=prod --fail-on-unresolved

DATABRICKS_TOKEN=… lineage-hub databricks scan --workspace https://shop.cloud.databricks.com --send

lineage-hub databricks scan --config databricks.yaml --output events.ndjson"""

SYNC_EXAMPLES = """Examples:

lineage-hub databricks sync --config databricks.yaml

lineage-hub databricks sync --workspace https://shop.cloud.databricks.com --pipeline 'sales*' --dry-run"""


@app.command(epilog=SCAN_EXAMPLES)
def scan(
    workspace: Workspace = None,
    config: ConfigFile = None,
    path: Annotated[Path | None, typer.Option(help="A folder or file of this machine; needs no account.")] = None,
    configuration: Configuration = None,
    pipeline: Pipeline = None,
    job: Job = None,
    catalog: Annotated[str | None, typer.Option(help="Of tables that nothing else qualifies.")] = None,
    schema: Annotated[str | None, typer.Option(help="Of tables that nothing else qualifies.")] = None,
    namespace: Annotated[
        str | None, typer.Option(help="Of jobs and tables; default databricks:// and the host.")
    ] = None,
    send: Send = False,
    url: Url = None,
    output: Output = None,
    events: Annotated[
        bool, typer.Option("--events", help="What ran too: updates of pipelines, and runs of jobs.")
    ] = False,
    fail_on_unresolved: Annotated[
        bool, typer.Option("--fail-on-unresolved", help="Exit with 1 if a topic, path or server can't be known.")
    ] = False,
    dry_run: DryRun = False,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> None:
    """Read the programs of a workspace or a folder: which topics, files and tables feed which tables, and where."""
    if path is not None and (workspace is not None or events or pipeline or job):
        raise InvalidRequest(
            "--path is a folder of this machine, which no workspace belongs to",
            subject="--path",
            action="leave --workspace, --pipeline, --job and --events out, or --path",
        )
    given = _config(
        config, workspace, configuration, pipeline, job, catalog=catalog, schema=schema, namespace=namespace
    )
    told = _Told(given, _cache(given, no_cache), quiet=as_json)
    report = told.scan(path, for_runs=events)
    found, runs = told.static_events(report), told.runs(report) if events else None
    _print_report(report, as_json=as_json, more={"events": len(found) + (len(runs.events) if runs else 0)})
    told.give([*found, *(runs.events if runs else ())], send=send, url=url, output=output, dry_run=dry_run)
    if runs is not None and not dry_run and (send or output is not None):
        told.keep(runs)
    if fail_on_unresolved and report.unresolved:
        _tell_unresolved(report)
        raise typer.Exit(1)


@app.command(epilog=SYNC_EXAMPLES)
def sync(
    workspace: Workspace = None,
    config: ConfigFile = None,
    configuration: Configuration = None,
    pipeline: Pipeline = None,
    job: Job = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="Read event logs and lists of runs from their beginning.")
    ] = False,
    url: Url = None,
    output: Output = None,
    dry_run: DryRun = False,
    no_cache: NoCache = False,
    as_json: AsJson = False,
) -> None:
    """Tell the hub what ran: updates of pipelines with rows, expectations and errors, and runs of jobs."""
    given = _config(config, workspace, configuration, pipeline, job)
    told = _Told(given, _cache(given, no_cache), quiet=as_json)
    report = told.scan(None, for_runs=True)
    static, runs = told.static_events(report), told.runs(report, whole=whole)
    ids = {one["run"]["runId"] for one in runs.events}
    jobs = {one.work.id.partition("/")[0] for one in report.jobs if one.work is not None and one.work.kind == "task"}
    jobs |= set(report.starters)
    summary = {
        "pipelines": len(report.namers), "jobs": len(jobs), "runs": len(ids), "events": len(static) + len(runs.events),
    }  # fmt: skip
    if as_json:
        print_json({**summary, "problems": report.to_dict()["problems"], "notes": report.notes})
    else:
        print(", ".join(_counted(count, name.removesuffix("s")) for name, count in summary.items()))
        _tell_problems(report)
    told.give([*static, *runs.events], send=output is None, url=url, output=output, dry_run=dry_run)
    if not dry_run:
        told.keep(runs)


def _config(
    file: Path | None,
    workspace: str | None,
    configuration: list[str] | None,
    pipelines: list[str] | None,
    jobs: list[str] | None,
    catalog: str | None = None,
    schema: str | None = None,
    namespace: str | None = None,
) -> ScanConfig:
    from importlib.util import find_spec

    from lineage_hub.connectors.databricks.config import NONE, Chosen, load_config

    if any(find_spec(name) is None for name in ("sqlglot", "yaml")):
        raise ExtraMissing.of("connectors", "lineage-hub databricks")
    pairs = {}
    for one in configuration or ():
        name, equals, value = one.partition("=")
        if not equals or not name:
            raise InvalidRequest(
                f"{one!r} is no value", subject="--configuration", action="write --configuration name=value"
            )
        pairs[name] = value
    return load_config(
        file,
        workspace=workspace,
        configuration=pairs or None,
        pipelines=Chosen(names=tuple(pipelines)) if pipelines else NONE if jobs else None,
        jobs=Chosen(names=tuple(jobs)) if jobs else NONE if pipelines else None,
        catalog=catalog,
        schema=schema,
        namespace=namespace,
    )


def _cache(config: ScanConfig, no_cache: bool) -> Cache:
    from lineage_hub.connectors.databricks.cache import Cache, default_folder

    if no_cache:
        return Cache(None)
    return Cache(Path(config.cache).expanduser() if config.cache else default_folder())


@dataclass
class _Told:
    """One run of a command."""

    config: ScanConfig
    cache: Cache
    quiet: bool

    def scan(self, path: Path | None, *, for_runs: bool) -> Report:
        import asyncio
        import gc

        from lineage_hub.connectors.databricks.scan import GARBAGE, scan_folder, scan_workspace

        gc.set_threshold(*GARBAGE)
        with _progress(self.quiet) as progress:
            if path is not None:
                return asyncio.run(scan_folder(path, self.config, self.cache, progress))
            if not self.config.workspace:
                raise InvalidRequest(
                    "there is nothing to scan",
                    subject="--workspace",
                    action="give --path, --workspace or --config, or set DATABRICKS_HOST",
                )
            return asyncio.run(scan_workspace(self.config, self.cache, progress, for_runs=for_runs))

    def static_events(self, report: Report) -> list[Json]:
        from lineage_hub.connectors.databricks.told import events_of

        return events_of(report.jobs, self.cache)

    def runs(self, report: Report, *, whole: bool = False) -> Synced:
        import asyncio

        from lineage_hub.connectors.databricks.sync import sync_runs

        with _progress(self.quiet) as progress:
            return asyncio.run(sync_runs(self.config, report, self.cache, progress, whole=whole))

    def keep(self, runs: Synced) -> None:
        from lineage_hub.connectors.databricks.sync import keep_place

        keep_place(self.config, runs, self.cache)

    def give(self, events: list[Json], *, send: bool, url: str | None, output: Path | None, dry_run: bool) -> None:
        from lineage_hub.connectors.databricks import sending

        settings = load_settings({"url": url})
        if dry_run:
            places = [mask_url(settings.url)] if send else []
            places += [str(output)] if output is not None else []
            _say(f"dry run: {_counted(len(events), 'event')} would go to {' and '.join(places) or 'nowhere'}")
            return
        if output is not None:
            sending.write(events, output)
            _say(f"{_counted(len(events), 'event')} written to {output}")
        if send:
            with _progress(self.quiet) as progress:
                refused = sending.send(events, settings, lambda done, of: progress("Sending events", done, of))
            _say(f"{_counted(len(events) - len(refused), 'event')} sent to {mask_url(settings.url)}")
            if refused:
                raise InvalidEvent(
                    f"the hub refused {_counted(len(refused), 'event')}: {refused[0].reason}",
                    subject=f"event {refused[0].index}",
                    action="see `lineage-hub dead-letters`",
                )


@contextmanager
def _progress(quiet: bool) -> Iterator[Progress]:
    """A bar on stderr for each step, when a person watches."""
    if quiet or not sys.stderr.isatty():
        yield lambda _what, _done, _of: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        tasks = {}

        def show(what: str, done: int, of: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=of)
            bars.update(tasks[what], completed=done, total=of)

        yield show


def _print_report(report: Report, *, as_json: bool, more: dict[str, int]) -> None:
    if as_json:
        print_json({**report.to_dict(), **more})
        return
    rows = [
        (
            one.kind,
            one.source or "?",
            one.place or "–",
            one.target or "–",
            f"{one.path}:{one.line}",
            f"{one.confidence:g}",
            ", ".join(one.unresolved) or "–",
        )
        for one in report.findings
    ]
    print_table(("kind", "source", "where", "target", "at", "confidence", "unresolved"), rows)
    print(
        f"{_counted(report.programs, 'program')}, {_counted(len(report.findings), 'source')}, "
        f"{_counted(report.tables, 'table')}, {len(report.unresolved)} unresolved, "
        f"{_counted(len(report.problems), 'problem')}"
    )
    _tell_problems(report)


def _tell_problems(report: Report) -> None:
    for one in report.problems:
        place = f"{one.path}:{one.line}" if one.line else one.path
        _say(f"{place}: {one.reason}")
    for note in report.notes:
        _say(f"note: {note}")


def _tell_unresolved(report: Report) -> None:
    for one in report.unresolved:
        _say(
            f"{one.path}:{one.line}: {one.kind}: {', '.join(one.unresolved)} can't be known from code and configuration"
        )


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _say(text: str) -> None:
    print(one_line(text), file=sys.stderr)
