"""Nothing enters, or how long is too long; who sends events to the hub leaves, and who has fallen silent."""

from typing import Annotated, Any

import typer

from lineage_hub.cli.app import app
from lineage_hub.cli.durations import shown
from lineage_hub.cli.hub import Hub, Value
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.cli.times import HELP as TIME_HELP
from lineage_hub.cli.times import read_time
from lineage_hub.settings import Settings
from lineage_hub.terminal import print_json, print_table

EXAMPLES = """Examples:

lineage-hub producers

lineage-hub producers --silent 6h

lineage-hub producers --silent 1d --as-of 2026-11-09 --json"""
Answer = dict[str, Any]


@app.command(epilog=EXAMPLES)
@takes_settings(*HUB)
def producers(
    settings: Settings,
    silent: Annotated[
        str | None, typer.Option(help="Only those without an event for so long: 90s, 30m, 6h, 1d12h.")
    ] = None,
    as_of: Annotated[str | None, typer.Option(help=f"What had happened by then. {TIME_HELP}")] = None,
    known_at: Annotated[str | None, typer.Option(help="What the hub knew by then; same spellings.")] = None,
    limit: Annotated[int, typer.Option(help="Most producers to list.", min=1, max=10_000)] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List who sends events: how many, since when, the usual gap, and how long they have been silent."""
    question: dict[str, Value] = {
        "silent": silent,
        "as_of": read_time(as_of, "--as-of"),
        "known_at": read_time(known_at, "--known-at"),
        "limit": limit,
    }
    with Hub(settings) as hub:
        answer: Answer = hub.read(dict, "/producers", **question)
    if as_json:
        print_json(answer)
    elif not answer["producers"]:
        print("No producers." if silent is None else f"No producer has been silent for {silent}.")
    else:
        columns = ("silent for", "usual gap", "last event", "events", "integration", "version", "producer")
        print_table(columns, map(_row, answer["producers"]))


def _row(one: Answer) -> tuple[str, ...]:
    usual = one["usualGapS"]
    return (
        shown(int(one["silentForS"] * 1_000_000_000)),
        "" if usual is None else shown(int(usual * 1_000_000_000)),
        one["lastEventAt"],
        f"{one['events']:,}",
        one["integration"] or "",
        one["version"] or "",
        one["producer"],
    )
