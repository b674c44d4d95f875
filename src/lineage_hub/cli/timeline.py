"""A job enters; its runs over time leave, with their state, how long they took and how much they moved."""

import sys
from typing import Annotated, Any

import typer

from lineage_hub.cli.app import app
from lineage_hub.cli.durations import shown
from lineage_hub.cli.hub import Hub, Value
from lineage_hub.cli.node_paths import node_path
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.cli.times import HELP as TIME_HELP
from lineage_hub.cli.times import read_time
from lineage_hub.settings import Settings
from lineage_hub.terminal import print_json, print_table

EXAMPLES = """Examples:

lineage-hub timeline load_orders

lineage-hub timeline job:airflow-prod:shop.load --from 7d --limit 500 --json"""
Answer = dict[str, Any]


@app.command(epilog=EXAMPLES)
@takes_settings(*HUB)
def timeline(
    settings: Settings,
    job: Annotated[
        str,
        typer.Argument(help="job:NAMESPACE:NAME, or a name or its last part if one alone has it.", show_default=False),
    ],
    start: Annotated[str | None, typer.Option("--from", help=f"Runs from then on. {TIME_HELP}")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Runs before then; same spellings.")] = None,
    as_of: Annotated[str | None, typer.Option(help="What had happened by then; same spellings.")] = None,
    known_at: Annotated[str | None, typer.Option(help="What the hub knew by then; same spellings.")] = None,
    limit: Annotated[int, typer.Option(help="Most runs to list.", min=1, max=10_000)] = 25,
    offset: Annotated[int, typer.Option(help="How many to pass over first.", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the runs of a job, the latest first, and which of them took longer than usual."""
    moment: dict[str, Value] = {"as_of": read_time(as_of, "--as-of"), "known_at": read_time(known_at, "--known-at")}
    stretch: dict[str, Value] = {"from": read_time(start, "--from"), "to": read_time(end, "--to")}
    with Hub(settings) as hub:
        path = f"{node_path(hub, job, 'job', **moment)}/timeline"
        answer: Answer = hub.read(dict, path, limit=limit, offset=offset, **stretch, **moment)
    if as_json:
        print_json(answer)
        return
    if not answer["runs"]:
        print("No runs.")
        return
    print_table(("started", "state", "took", "", "read", "written", "idle before", "run"), map(_row, answer["runs"]))
    usual = answer["durations"]
    if usual["p50Ms"] is not None:
        middle, most = (shown(int(usual[name] * 1_000_000)) for name in ("p50Ms", "p95Ms"))
        print(f"Usual: {middle}, 19 of 20 within {most} ({usual['runs']} completed runs).")
    for gap in answer["gaps"]["long"]:
        print(f"No run between {gap['from']} and {gap['to']}.")
    hidden = answer["totalCount"] - offset - len(answer["runs"])
    if hidden > 0:
        print(f"… {hidden} more; use --limit and --offset to see them", file=sys.stderr)


def _row(one: Answer) -> tuple[str, ...]:
    took, idle = one["durationMs"], one["gapBeforeS"]
    return (
        one["startedAt"],
        one["state"],
        "" if took is None else shown(took * 1_000_000),
        "longer than usual" if one["longerThanUsual"] else "",
        *("" if one[name] is None else f"{one[name]:,}" for name in ("rowsRead", "rowsWritten")),
        "" if idle is None else shown(int(idle * 1_000_000_000)),
        one["id"],
    )
