"""A pipeline's file or a run's id enters on the command line; progress, tables or JSON leave. Spark runs in a child."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from lineage_hub.errors import Conflict, InvalidRequest
from lineage_hub.settings import load_settings
from lineage_hub.spark.pipeline.run_folder import RunFolder, RunFolders
from lineage_hub.spark.pipeline.status import ENDED, RunStatus
from lineage_hub.terminal import print_json, print_table

_LOOK_S = 0.2

app = typer.Typer(name="pipeline", help="Run data pipelines on Spark, and watch them.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="The pipeline's YAML file.", show_default=False)]
Param = Annotated[list[str] | None, typer.Option("--param", "-p", help="name=value, for a parameter; repeatable.")]
Master = Annotated[str | None, typer.Option(help="As spark-submit takes it: local[*], spark://…, yarn, k8s://….")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Data = Annotated[Path | None, typer.Option(help="The data folder, where runs are kept.", show_default=False)]
RunId = Annotated[str, typer.Argument(help="The run's id; see `pipeline list`.", show_default=False)]


@app.command(epilog="Examples: lineage-hub pipeline run retail.yaml -p day=2026-11-02 — … run retail.yaml --from sales")
def run(
    file: File,
    param: Param = None,
    master: Master = None,
    from_stage: Annotated[str | None, typer.Option("--from", help="Begin here; loads before it stay.")] = None,
    rerun_failed: Annotated[str | None, typer.Option(help="A run: its finished loads stay, the rest runs.")] = None,
    url: Annotated[str | None, typer.Option(help="The hub that the run is told to.")] = None,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Run a pipeline, with a bar for each stage, and print what came of it."""
    from lineage_hub.sdk import outbox
    from lineage_hub.spark.pipeline import submitting
    from lineage_hub.spark.pipeline.asking import ask

    folders = _folders(data)
    if rerun_failed is not None and folders.find(rerun_failed).status().state not in ENDED:
        raise Conflict(f"the run {rerun_failed} has not ended", subject=rerun_failed, action="wait, or cancel it")
    asked, pipeline, namespace = ask(file, _pairs(param), master=master, from_stage=from_stage, continues=rerun_failed)
    folder = folders.make(asked, namespace, {name: stage.kind for name, stage in pipeline.stages.items()})
    environment = dict(os.environ) | ({"LINEAGE_HUB_URL": url} if url else {})
    driver = submitting.submit(folder, pipeline, master=master, environment=environment)
    with _cancelling(folder):
        _follow(folder, driver, quiet=as_json)
    if folder.status().state not in ENDED:
        from lineage_hub.spark.pipeline.deaths import bury

        for event in bury(folder):
            outbox.send(event)
        outbox.flush(5.0)
    _print_run(folder, as_json=as_json)
    state = folder.status().state
    raise typer.Exit({"COMPLETE": 0, "ABORT": 3}.get(state, 1))


@app.command(epilog="Example: lineage-hub pipeline validate retail.yaml -p lake=/data/lake")
def validate(file: File, param: Param = None, as_json: AsJson = False) -> None:
    """Check a pipeline without running it: every error with its line, and what can't be promised."""
    from lineage_hub.spark.pipeline.validating import problems_of

    problems = problems_of(file, _pairs(param))
    errors = [one for one in problems if one.level == "error"]
    if as_json:
        print_json([asdict(one) for one in problems])
    else:
        for one in problems:
            print(f"{one.level}: {one}" + (f"; {one.action}" if one.action else ""))
        print(f"{file} has {len(errors)} errors." if errors else f"{file} is a valid pipeline.")
    if errors:
        raise typer.Exit(2)


@app.command(epilog="Example: lineage-hub pipeline plan retail.yaml -p raw=in -p lake=out")
def plan(file: File, param: Param = None, as_json: AsJson = False) -> None:
    """Print the stages in their order and the lineage to expect. Sources are looked at; nothing is run or written."""
    from lineage_hub.spark.pipeline.asking import ask
    from lineage_hub.spark.pipeline.planning import expected
    from lineage_hub.spark.session import quiet_session

    _, pipeline, _ = ask(file, _pairs(param))
    found = expected(quiet_session(pipeline), pipeline)
    if as_json:
        print_json(found)
    else:
        _print_expected(found)


@app.command(epilog="Example: lineage-hub pipeline status 0199f0d2-… --watch")
def status(
    run_id: RunId,
    watch: Annotated[bool, typer.Option(help="Until it has ended.")] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Print where a run is."""
    folder = _folders(data).find(run_id)
    if watch:
        with _cancelling(None):
            _follow(folder, None, quiet=as_json)
    _print_run(folder, as_json=as_json)


@app.command(epilog="Example: lineage-hub pipeline cancel 0199f0d2-…")
def cancel(run_id: RunId, data: Data = None) -> None:
    """Ask a run to stop: what is being written is given up, and the run ends with ABORT."""
    folder = _folders(data).find(run_id)
    if folder.status().state in ENDED:
        raise Conflict(f"the run {run_id} has ended", subject=run_id, action="see `pipeline status`")
    folder.ask_to_cancel()
    print(f"The run {run_id} is asked to stop.")


@app.command("list", epilog="Example: lineage-hub pipeline list --limit 5")
def list_runs(
    limit: Annotated[int, typer.Option(min=1, help="The newest so many.")] = 20,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Print the runs that were started from this data folder, the newest first."""
    found = [one.status() for _, one in zip(range(limit), _folders(data), strict=False)]
    if as_json:
        print_json([msgspec.to_builtins(one) for one in found])
        return
    rows = [(one.run_id, one.pipeline, one.state, _time(one.started_at), _took(one)) for one in found]
    print_table(("run", "pipeline", "state", "started (UTC)", "took"), rows)


@app.command(epilog="Examples: lineage-hub pipeline init retail.yaml — … init retail.yaml --no-rows")
def init(
    file: File = Path("pipeline.yaml"),
    no_rows: Annotated[bool, typer.Option("--no-rows", help="The example alone.")] = False,
) -> None:
    """Write a commented example to begin with, and a few rows to run it on."""
    from lineage_hub.spark.pipeline.example import EXAMPLE_FILES, example

    try:
        with file.open("x") as made:
            made.write(example(str(file)))
    except FileExistsError:
        raise Conflict(f"{file} is there already", subject=str(file), action="name another file") from None
    if no_rows or Path("data").exists():  # never among rows of the user's own
        print(f"Wrote {file}. Next: lineage-hub pipeline validate {file}")
        return
    for place, text in EXAMPLE_FILES.items():
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        Path(place).write_text(text)
    print(f"Wrote {', '.join((str(file), *EXAMPLE_FILES))}. Next: lineage-hub pipeline run {file}")


def _folders(data: Path | None) -> RunFolders:
    settings = load_settings({"data_dir": str(data)} if data is not None else {})
    return RunFolders(Path(settings.data_dir) / "pipelines" / "runs")


def _pairs(given: list[str] | None) -> dict[str, str]:
    found = {}
    for one in given or ():
        name, equals, value = one.partition("=")
        if not equals:
            raise InvalidRequest(f"{one!r} is no parameter", subject=one, action="write --param name=value")
        found[name] = value
    return found


@contextmanager
def _cancelling(folder: RunFolder | None) -> Iterator[None]:
    """Ctrl-C and SIGTERM cancel the run; a second one leaves it to itself."""

    def stop(_number: int, _frame: object) -> None:
        if folder is None or folder.is_cancelled:
            raise KeyboardInterrupt
        folder.ask_to_cancel()

    before = [signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        yield
    finally:
        for number, handler in zip((signal.SIGINT, signal.SIGTERM), before, strict=True):
            signal.signal(number, handler)


def _follow(folder: RunFolder, driver: subprocess.Popen[bytes] | None, *, quiet: bool) -> None:
    """Until the driver is gone, or without one until the run has ended."""
    shown = _bars() if sys.stderr.isatty() and not quiet else _Lines(quiet)
    with shown:
        while True:
            is_over = driver.poll() is not None if driver is not None else _has_ended(folder)
            shown.show(folder.status())
            if is_over:
                return
            _wait(driver)


def _wait(driver: subprocess.Popen[bytes] | None) -> None:
    """A moment, or less if the driver ends."""
    if driver is None:
        time.sleep(_LOOK_S)
        return
    with suppress(subprocess.TimeoutExpired):
        driver.wait(_LOOK_S)


def _has_ended(folder: RunFolder) -> bool:
    return folder.status().state in ENDED or folder.is_silent()


class _Lines:
    """Where nobody sees a bar move: one line for each change."""

    def __init__(self, quiet: bool) -> None:
        self._told: dict[str, str] = {}
        self._quiet = quiet

    def __enter__(self) -> _Lines:
        return self

    def __exit__(self, *_: object) -> None: ...

    def show(self, status: RunStatus) -> None:
        for stage in status.stages:
            if not self._quiet and stage.state != "WAITING" and self._told.get(stage.name) != stage.state:
                print(f"{stage.state:8} {stage.name}", file=sys.stderr, flush=True)
            self._told[stage.name] = stage.state


def _bars() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    class Bars:
        def __init__(self) -> None:
            columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[told]}"))
            self._progress = Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True))
            self._tasks: dict[str, Any] = {}

        def __enter__(self) -> Bars:
            self._progress.start()
            return self

        def __exit__(self, *_: object) -> None:
            self._progress.stop()

        def show(self, status: RunStatus) -> None:
            for stage in status.stages:
                if stage.state == "WAITING":
                    continue
                if stage.name not in self._tasks:
                    self._tasks[stage.name] = self._progress.add_task(stage.name, total=100, told="")
                rows = f"{stage.rows:,} rows" if stage.rows is not None else ""
                told = f"{stage.state.lower()} {rows}".strip()
                self._progress.update(self._tasks[stage.name], completed=stage.percent, told=told)
                if stage.state in ENDED:
                    self._progress.stop_task(self._tasks[stage.name])

    return Bars()


def _print_run(folder: RunFolder, *, as_json: bool) -> None:
    found = folder.status()
    if as_json:
        print_json(msgspec.to_builtins(found))
        return
    rows = [
        (one.name, one.kind, one.state, _number(one.rows), _number(one.rejected or None), _size(one.bytes), _took(one))
        for one in found.stages
    ]
    print_table(("stage", "kind", "state", "rows", "rejected", "bytes", "took"), rows)
    rules = [
        (stage.name, one.name, one.severity, "holds" if one.passed else "broken", _number(one.broken), one.says)
        for stage in found.stages
        for one in stage.rules
    ]
    if rules:
        print()
        print_table(("stage", "rule", "severity", "judged", "rows", "says"), rules)
    for stage in found.stages:
        for change in stage.changes:
            print(f"schema of {stage.name}: {change}")
    print(f"{found.pipeline} {found.state}, run {found.run_id}, {_took(found)}")
    if found.error:
        print(f"{found.failed_stage or 'The run'} failed: {found.error}", file=sys.stderr)
        print(f"The driver's log: {folder.log}", file=sys.stderr)


def _print_expected(found: dict[str, Any]) -> None:
    for number, level in enumerate(found["order"], 1):
        print(f"{number}. {', '.join(level)}")
    for name, stage in found["stages"].items():
        print(f"\n{name} ({stage['kind']})")
        for source in stage["inputs"]:
            print(f"  reads  {source}")
        print(f"  makes  {stage['output']}")
        for column, origins in stage["columns"].items():
            print(f"    {column}" + (f" ← {', '.join(origins)}" if origins else ""))
        if stage["rows"]:
            print(f"    all of it ← {', '.join(stage['rows'])}")
        for reason in stage["opaque"]:
            print(f"  can't be seen through: {reason}")


def _number(value: int | None) -> str:
    return f"{value:,}" if value is not None else "–"


def _size(value: int | None) -> str:
    if value is None:
        return "–"
    return f"{value / 1024:,.1f} KB" if value < 1024 * 1024 else f"{value / 1024 / 1024:,.1f} MB"


def _time(at: float | None) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(at)) if at else "–"


def _took(of: Any) -> str:
    if of.started_at is None:
        return "–"
    return f"{(of.ended_at or time.time()) - of.started_at:.1f} s"
