"""Two runs enter; what differs between them leaves as a table."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from lineage_hub.cli.app import app
from lineage_hub.cli.durations import shown
from lineage_hub.cli.hub import Hub
from lineage_hub.cli.nodes import quoted
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.cli.times import HELP as TIME_HELP
from lineage_hub.cli.times import read_time
from lineage_hub.settings import Settings
from lineage_hub.terminal import print_json, print_table

runs = typer.Typer(help="Compare runs.", no_args_is_help=True)
app.add_typer(runs, name="runs")


@runs.callback()
def _group() -> None:
    """A group, though it has one command."""


EXAMPLES = """Examples:

lineage-hub runs compare 018f4e1c-7c1d-7000-8000-00000000002a 018f4e1c-7c1d-7000-8000-00000000002b

lineage-hub runs compare monday-load tuesday-load --json"""
Answer = dict[str, Any]
Row = tuple[str, str, str, str]
_LONGEST = 60


@runs.command("compare", epilog=EXAMPLES)
@takes_settings(*HUB)
def compare(
    settings: Settings,
    first: Annotated[str, typer.Argument(metavar="A", help="The id of a run.", show_default=False)],
    second: Annotated[
        str, typer.Argument(metavar="B", help="The id of the run to compare it with.", show_default=False)
    ],
    as_of: Annotated[str | None, typer.Option(help=f"What had happened by then. {TIME_HELP}")] = None,
    known_at: Annotated[str | None, typer.Option(help="What the hub knew by then; same spellings.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what differs between two runs: times, volumes, datasets, schemas, code, SQL and facets."""
    path = f"/runs/{quoted(first)}/compare/{quoted(second)}"
    with Hub(settings) as hub:
        answer: Answer = hub.read(
            dict, path, as_of=read_time(as_of, "--as-of"), known_at=read_time(known_at, "--known-at")
        )
    if as_json:
        print_json(answer)
        return
    if not answer["sameJob"]:
        jobs = [f"{one['job']['namespace']}:{one['job']['name']}" for one in (answer["a"], answer["b"])]
        print(f"They are runs of two jobs: {jobs[0]} and {jobs[1]}.")
    rows = list(differences(answer))
    if rows:
        print_table(("change", "what", "a", "b"), rows)
    else:
        print("Nothing differs.")
    equal = sum(answer[part]["equal"] for part in ("inputs", "outputs", "code", "runFacets", "jobFacets"))
    print(f"{equal} datasets and facets are equal.")


def differences(answer: Answer) -> Iterator[Row]:
    if not answer["state"]["equal"]:
        yield "changed", "state", answer["state"]["a"], answer["state"]["b"]
    took = answer["durationMs"]
    if not took["equal"]:
        a, b = ("" if took[side] is None else shown(took[side] * 1_000_000) for side in "ab")
        yield "changed", "duration", a, b
    for name, one in answer["volume"].items():
        if not one["equal"]:
            yield "changed", name, _cell(one["a"]), _cell(one["b"])
    for side in ("inputs", "outputs"):
        yield from _datasets(side.removesuffix("s"), answer[side])
    for part in ("code", "runFacets", "jobFacets"):
        yield from _facets("", answer[part])
    if not answer["sql"]["equal"]:
        for line in answer["sql"].get("diff", ["", "", "(only one has SQL)"])[2:]:
            yield "changed", f"sql {line}"[:120], "", ""


def _datasets(side: str, part: Answer) -> Iterator[Row]:
    for kind in ("added", "removed"):
        for one in part[kind]:
            yield kind, f"{side} {one['namespace']}:{one['name']}", "", ""
    for one in part["changed"]:
        name = one["dataset"]["name"]
        for figure in ("version", "rowCount", "size", "fileCount"):
            if figure in one:
                yield "changed", f"{name}: {figure}", _cell(one[figure]["a"]), _cell(one[figure]["b"])
        schema = one.get("schema", {})
        for column in schema.get("added", ()):
            yield "added", f"{name}: column {column['name']}", "", _cell(column["type"])
        for column in schema.get("removed", ()):
            yield "removed", f"{name}: column {column['name']}", _cell(column["type"]), ""
        for column in (*schema.get("changed", ()), *schema.get("moved", ())):
            yield "changed", f"{name}: column {column['name']}", _cell(column["from"]), _cell(column["to"])
        for column in schema.get("likelyRenamed", ()):
            yield "renamed", f"{name}: column", column["from"], column["to"]
        if "facets" in one:
            yield from _facets(f"{name}: ", one["facets"])


def _facets(before: str, part: Answer) -> Iterator[Row]:
    for kind in ("added", "removed"):
        for one in part[kind]:
            yield kind, f"{before}{one['facet']}", "", ""
    for one in part["changed"]:
        for each in one["differences"]:
            where = f"{before}{one['facet']}.{each['path']}".rstrip(".")
            yield each["kind"], where, _cell(each["a"]), _cell(each["b"])


def _cell(value: object) -> str:
    text = (
        "" if value is None else f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    )
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
