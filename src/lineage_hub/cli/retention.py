"""A tenant and a number of days enter; how long events stay leaves, or old ones go while progress is shown."""

import json
import sys
import time
from typing import Annotated

import typer
from msgspec import Struct

from lineage_hub.cli.app import app
from lineage_hub.cli.hub import Hub
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.errors import InternalError
from lineage_hub.settings import Settings
from lineage_hub.terminal import print_json, print_table

retention = typer.Typer(help="How long events of lineage stay.", no_args_is_help=True)
app.add_typer(retention, name="retention")

EXAMPLES = """Examples:

lineage-hub retention show

lineage-hub retention set team-a 90

lineage-hub retention set team-b forever

lineage-hub retention unset team-a

lineage-hub retention run --tenant team-a"""

LOOK_EVERY_S = 0.5
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
TenantName = Annotated[str, typer.Argument(help="The tenant that sent the events.", show_default=False)]


class Kept(Struct, frozen=True, rename="camel"):
    tenant: str
    days: int
    set_by: str
    horizon: str | None = None
    swept_at: str | None = None
    removed_events: int = 0


class Sweep(Struct, frozen=True, rename="camel"):
    running: bool
    events_ahead: int = 0
    events_examined: int = 0
    events_removed: int = 0
    dead_letters_removed: int = 0
    error: str | None = None


class Retention(Struct, frozen=True, rename="camel"):
    default_days: int
    tenants: list[Kept]
    sweep: Sweep


@retention.command("show", epilog=EXAMPLES)
@takes_settings(*HUB)
def show_retention(settings: Settings, as_json: Json = False) -> None:
    """Show how long each tenant's events stay, and up to where they were removed."""
    with Hub(settings) as hub:
        _show(hub, hub.ask("GET", "/retention"), as_json)


@retention.command("set", epilog=EXAMPLES)
@takes_settings(*HUB)
def set_retention(
    settings: Settings,
    tenant: TenantName,
    days: Annotated[str, typer.Argument(help="Days, or `forever`.", show_default=False)],
    as_json: Json = False,
) -> None:
    """Set how long a tenant's events stay; older ones go with the next sweep."""
    if days != "forever" and not (days.isascii() and days.isdigit() and int(days) > 0):
        raise typer.BadParameter("give a number of days, or `forever`", param_hint="DAYS")
    body = json.dumps({"days": 0 if days == "forever" else int(days)}).encode()
    with Hub(settings) as hub:
        _show(hub, hub.ask("PUT", f"/retention/{tenant}", body=body), as_json)


@retention.command("unset", epilog=EXAMPLES)
@takes_settings(*HUB)
def unset_retention(settings: Settings, tenant: TenantName) -> None:
    """Leave it to the hub's settings how long a tenant's events stay."""
    with Hub(settings) as hub:
        hub.ask("DELETE", f"/retention/{tenant}")
    print(f"The settings of the hub count for {tenant}.")


@retention.command("run", epilog=EXAMPLES)
@takes_settings(*HUB)
def run_sweep(
    settings: Settings,
    tenant: Annotated[str | None, typer.Option(help="Of this tenant only.")] = None,
    as_json: Json = False,
) -> None:
    """Remove what is too old now, and wait until that is done. The hub does it by itself now and then."""
    from rich.console import Console
    from rich.progress import Progress

    with Hub(settings) as hub, Progress(console=Console(stderr=True), disable=not sys.stderr.isatty()) as bar:
        answer = hub.ask("POST", "/retention/sweep", {"tenant": tenant})
        shown = bar.add_task("events", total=None)
        while (found := hub.decode(Retention, answer).sweep).running:
            bar.update(
                shown, total=found.events_ahead or None, completed=min(found.events_examined, found.events_ahead)
            )
            time.sleep(LOOK_EVERY_S)
            answer = hub.ask("GET", "/retention")
    if found.error is not None:
        raise InternalError(
            f"the sweep was broken off: {found.error}", subject="retention", action="run it again; it goes on there"
        )
    if as_json:
        print_json(hub.decode(object, answer))
    else:
        print(f"{found.events_removed} events and {found.dead_letters_removed} dead letters removed.")


def _show(hub: Hub, answer: bytes, as_json: bool) -> None:
    if as_json:
        print_json(hub.decode(object, answer))
        return
    found = hub.decode(Retention, answer)
    print(f"By default events stay {_days(found.default_days)}.")
    rows = [
        (one.tenant, _days(one.days), one.set_by, one.horizon or "", one.swept_at or "", str(one.removed_events))
        for one in found.tenants
    ]
    if rows:
        print_table(("tenant", "stay", "set by", "horizon", "swept", "removed"), rows)


def _days(days: int) -> str:
    return "for ever" if not days else "1 day" if days == 1 else f"{days} days"
