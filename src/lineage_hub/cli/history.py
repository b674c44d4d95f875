"""A dataset enters; how its schema changed, what checks said of it, or how much was written and read leaves."""

import sys
from typing import Annotated, Any

import typer

from lineage_hub.cli.app import app
from lineage_hub.cli.hub import Hub, Value
from lineage_hub.cli.node_paths import node_path
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.cli.times import HELP as TIME_HELP
from lineage_hub.cli.times import read_time
from lineage_hub.errors import InvalidRequest
from lineage_hub.settings import Settings
from lineage_hub.terminal import print_json, print_table

EXAMPLES = """Examples:

lineage-hub history revenue_daily

lineage-hub history revenue_daily --quality --from 7d

lineage-hub history dataset:s3://lake:orders --statistics --json"""
Answer = dict[str, Any]


@app.command(epilog=EXAMPLES)
@takes_settings(*HUB)
def history(
    settings: Settings,
    dataset: Annotated[
        str,
        typer.Argument(
            help="dataset:NAMESPACE:NAME, or a name or its last part if one alone has it.", show_default=False
        ),
    ],
    schema: Annotated[bool, typer.Option("--schema", help="Changes of its schema; the default.")] = False,
    quality: Annotated[bool, typer.Option("--quality", help="What checks said of it.")] = False,
    statistics: Annotated[bool, typer.Option("--statistics", help="How much runs wrote and read.")] = False,
    start: Annotated[str | None, typer.Option("--from", help=f"From then on. {TIME_HELP}")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Before then; same spellings.")] = None,
    as_of: Annotated[str | None, typer.Option(help="What had happened by then; same spellings.")] = None,
    known_at: Annotated[str | None, typer.Option(help="What the hub knew by then; same spellings.")] = None,
    limit: Annotated[int, typer.Option(help="Most changes, or events to look at.", min=1, max=10_000)] = 1_000,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show how a dataset changed: its schema, what checks said of it, or how much was written and read."""
    if schema + quality + statistics > 1:
        raise InvalidRequest(
            "only one history is shown at a time",
            subject="--schema",
            action="give one of --schema, --quality, --statistics",
        )
    moment: dict[str, Value] = {"as_of": read_time(as_of, "--as-of"), "known_at": read_time(known_at, "--known-at")}
    stretch: dict[str, Value] = {"from": read_time(start, "--from"), "to": read_time(end, "--to")}
    if not (quality or statistics) and any(stretch.values()):
        raise InvalidRequest(
            "the history of a schema is told whole", subject="--from", action="use --as-of, --quality or --statistics"
        )
    part = "quality" if quality else "statistics" if statistics else "schema-history"
    with Hub(settings) as hub:
        path = f"{node_path(hub, dataset, 'dataset', **moment)}/{part}"
        answer: Answer = hub.read(dict, path, limit=limit, **stretch, **moment)
    if as_json:
        print_json(answer)
        return
    if quality:
        _print_quality(answer)
    elif statistics:
        _print_statistics(answer)
    else:
        _print_schema(answer)
    if answer.get("truncated"):
        print(
            f"… older events were not looked at; use --limit or --to (looked back to {answer['lookedBackTo']})",
            file=sys.stderr,
        )


def _print_schema(answer: Answer) -> None:
    rows = [
        (one["at"], what, column, (one["job"] or {}).get("name", ""), one["run"] or "")
        for one in answer["changes"]
        for what, column in _changes(one)
    ]
    if not rows:
        print("No schema was told.")
        return
    print_table(("at", "change", "column", "job", "run"), rows)


def _changes(one: Answer) -> list[tuple[str, str]]:
    if one["kind"] == "first":
        return [("first", f"{one['columns']} columns: " + ", ".join(_typed(each) for each in one["added"][:8]))]
    found = [("added", _typed(each)) for each in one["added"]]
    found += [("removed", _typed(each)) for each in one["removed"]]
    found += [("type", f"{each['name']}: {each['from']} → {each['to']}") for each in one["changed"]]
    found += [("likely renamed", f"{each['from']} → {each['to']}") for each in one["likelyRenamed"]]
    found += [("moved", f"{each['name']}: {each['from']} → {each['to']}") for each in one["moved"]]
    return found + [("described", each) for each in one["described"]]


def _typed(column: Answer) -> str:
    return f"{column['name']} {column['type']}" if column["type"] else str(column["name"])


def _print_quality(answer: Answer) -> None:
    if not answer["assertions"]:
        print("No checks were told.")
        return
    print_table(
        ("state", "assertion", "column", "checks", "success", "failing since"),
        [
            (
                "unknown" if one["success"] is None else "ok" if one["success"] else "FAILING",
                one["assertion"],
                one["column"] or "",
                str(one["checks"]),
                "" if one["successRate"] is None else f"{one['successRate']:.1%}",
                one["failingSince"] or "",
            )
            for one in answer["assertions"]
        ],
    )


def _print_statistics(answer: Answer) -> None:
    rows = [
        (point["at"], side, *(_number(point[name]) for name in ("rowCount", "size", "fileCount")), point["job"]["name"])
        for side in ("written", "read")
        for point in answer[side]["points"]
    ]
    if not rows:
        print("No figures were told.")
        return
    print_table(("at", "side", "rows", "bytes", "files", "job"), sorted(rows, reverse=True))


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"
