"""The address of a hub enters; how it and its parts are leaves, and an exit code that a probe understands."""

import sys
from typing import Annotated

import typer

from lineage_hub.cli import explain
from lineage_hub.cli.answers import Health
from lineage_hub.cli.app import app
from lineage_hub.cli.hub import Hub
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.errors import LineageHubError
from lineage_hub.settings import Settings
from lineage_hub.terminal import lines_of_text, one_line, print_json, print_table

# A hub asks each of its parts for three seconds at most.
TIMEOUT_S = 10.0
UNHEALTHY = 503
# What a person can do about a part; what isn't here is told by the hub's log.
ACTIONS = {
    "store": "look at the hub's log, and run `lineage-hub doctor` on its machine",
    "writer": "restart the hub: nothing that it confirmed is lost",
    "disk": "make room on the disk of the hub's data folder",
}


@app.command(epilog="Examples: lineage-hub health — lineage-hub health --url http://hub:8000 --json")
@takes_settings(*HUB)
def health(settings: Settings, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Tell whether the hub is well, and each part that it depends on; the exit code is 1 if not."""
    with Hub(settings, TIMEOUT_S) as hub:
        try:
            answer = hub.ask("GET", "/health", also=(UNHEALTHY,))
            found = hub.decode(Health, answer)
        except LineageHubError as error:
            if as_json:
                print_json({"status": "unreachable", "message": error.message, "action": error.action})
            else:
                print(lines_of_text(explain(error)), file=sys.stderr)
            raise typer.Exit(1) from None
        if as_json:
            print_json(hub.decode(object, answer))
        else:
            _show(hub.shown_url, found)
    if found.status == "unhealthy":
        raise typer.Exit(1)


def _show(url: str, found: Health) -> None:
    print(one_line(f"The hub at {url} is {found.status} (version {found.version})."))
    parts = found.dependencies.items()
    print_table(
        ("part", "state", "answered in", "detail"),
        [(name, one.status, f"{one.latency_ms:.1f} ms", one.detail) for name, one in parts],
    )
    for name, one in parts:
        if one.status != "healthy":
            action = ACTIONS.get(name, "look at the hub's log")
            print(one_line(f"{name} is {one.status}: {action}"), file=sys.stderr)
