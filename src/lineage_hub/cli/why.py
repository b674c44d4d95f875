"""A run, job or dataset enters; why its run was late or failed leaves: a sentence, the causes, their evidence."""

import re
import textwrap
from collections.abc import Iterator
from typing import Annotated

import typer

from lineage_hub.cli.answers import Lineage, Run
from lineage_hub.cli.app import app
from lineage_hub.cli.durations import shown
from lineage_hub.cli.hub import Hub, Value
from lineage_hub.cli.nodes import find_node, quoted
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.cli.times import HELP as TIME_HELP
from lineage_hub.cli.times import read_time
from lineage_hub.cli.why_answers import Cause, Figure, Why
from lineage_hub.errors import NotFound
from lineage_hub.settings import Settings
from lineage_hub.terminal import lines_of_text, one_line, print_json, print_table

EXAMPLES = """Examples:

lineage-hub why 018f4e1c-7c1d-7000-8000-00000000002a

lineage-hub why revenue_daily

lineage-hub why job:airflow-prod:ingest_shop.extract_orders --json"""
ARGUMENT = (
    "The id of a run; or a job or dataset, of which the last run counts: job:NAMESPACE:NAME, a name or its last part."
)
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_RUN = "run:"
_WIDTH = 110


@app.command(epilog=EXAMPLES)
@takes_settings(*HUB)
def why(
    settings: Settings,
    what: Annotated[str, typer.Argument(metavar="RUN|JOB|DATASET", help=ARGUMENT, show_default=False)],
    as_of: Annotated[str | None, typer.Option(help=f"What had happened by then. {TIME_HELP}")] = None,
    known_at: Annotated[str | None, typer.Option(help="What the hub knew by then; same spellings.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Tell why a run was late or failed: causes with their evidence, the likeliest first, or that it is unknown."""
    moment: dict[str, Value] = {
        "as_of": read_time(as_of, "--as-of"),
        "known_at": read_time(known_at, "--known-at"),
    }
    with Hub(settings) as hub:
        path = f"/runs/{quoted(_run_of(hub, what, moment))}/why"
        if as_json:
            print_json(hub.read_object(path, **moment))
        else:
            print_why(hub.read(Why, path, **moment))


def _run_of(hub: Hub, what: str, moment: dict[str, Value]) -> str:
    if what.startswith(_RUN):
        return what.removeprefix(_RUN)
    if _UUID.fullmatch(what):
        return what
    node = find_node(hub, what, **moment)
    if node.startswith(_RUN):
        return node.removeprefix(_RUN)
    # A dataset's are those of the jobs that write it.
    depth = 0 if node.startswith("job:") else 1
    graph = hub.read(Lineage, "/lineage", nodeId=node, depth=depth, direction="upstream", **moment).graph
    writers = {edge.origin for one in graph if one.type == "DATASET" for edge in one.in_edges} if depth else None
    runs = [
        one.data.latest_run
        for one in graph
        if one.type == "JOB" and one.data.latest_run is not None and (writers is None or one.id in writers)
    ]
    if not runs:
        raise NotFound(f"{node} has no run", subject=what, action="name a run, or a job that has run")
    return max(runs, key=_started).id


def _started(run: Run) -> str:
    return run.started_at or ""


def print_why(answer: Why) -> None:
    print(one_line(answer.sentence) + ".")
    run = answer.run
    ended = f", ended {run.ended_at}" if run.ended_at else ""
    print(f"Run {one_line(run.id)} of {one_line(run.job.name)}: {run.state}, started {run.started_at}{ended}.")
    if answer.causes:
        print()
        rows = [
            (str(number), cause.kind, f"{cause.score:.2f}", _delay(cause), cause.subject)
            for number, cause in enumerate(answer.causes, 1)
        ]
        print_table(("", "cause", "score", "delay", "subject"), rows)
    for number, cause in enumerate(answer.causes, 1):
        print()
        for line in _evidence(f"{number}. ", cause):
            print(line)
    print()
    for line in _limits(answer):
        print(line)


def _evidence(label: str, cause: Cause) -> Iterator[str]:
    indent = " " * len(label)
    text = one_line(cause.sentence) + "."
    yield from textwrap.wrap(text, _WIDTH, initial_indent=label, subsequent_indent=indent, break_on_hyphens=False)
    for figure in cause.evidence.figures:
        before, now = _figure(figure, figure.usual), _figure(figure, figure.now)
        yield f"{indent}{one_line(figure.name)}: usually {before}, now {now}"
    for run in cause.evidence.runs:
        yield f"{indent}run {one_line(run.id)}  {one_line(run.job.name)}  {run.state}  {run.started_at}"
    for dataset in cause.evidence.datasets:
        yield f"{indent}dataset {one_line(dataset.name)}  {one_line(dataset.namespace)}"
    for span in cause.evidence.spans:
        yield f"{indent}span {one_line(span)}"
    for message in cause.evidence.messages:
        for line in lines_of_text(message).splitlines()[:6]:
            yield f"{indent}| {line}"
    for why_so in cause.because:
        yield from _evidence(f"{indent}because: ", why_so)


def _limits(answer: Why) -> Iterator[str]:
    """How far the answer can be trusted."""
    jobs = answer.jobs_looked_at
    looked = f"Compared with {_number(answer.earlier_runs, 'earlier run')}; "
    looked += f"{_number(jobs, 'job')} {'was' if jobs == 1 else 'were'} looked at"
    if answer.truncated:
        looked += ", and more lie upstream"
    spans = f"spans of {_number(answer.telemetry.runs, 'run')}" if answer.telemetry.runs else "no spans"
    if answer.telemetry.inferred:
        spans += f", {answer.telemetry.inferred} of them found by name and time only"
    if answer.telemetry.state == "unavailable":
        spans = "spans can't be asked for at the moment"
    yield f"{looked}; {spans}."


def _number(count: int, what: str) -> str:
    return f"{count or 'no'} {what}{'' if count == 1 else 's'}"


def _delay(cause: Cause) -> str:
    return shown(round(cause.delay_seconds * 1e9)) if cause.delay_seconds is not None else ""


def _figure(figure: Figure, value: float | str | None) -> str:
    if value is None:
        return "none"
    if isinstance(value, str):
        return one_line(value)
    if figure.unit == "s":
        return shown(round(value * 1e9)) if value else "0 s"
    return f"{value:,.6g} {figure.unit}".rstrip()
