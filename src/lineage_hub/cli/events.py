"""Filters or an event's id enter; stored events leave."""

import sys
from enum import StrEnum
from typing import Annotated

import typer

from lineage_hub.cli.answers import Event, Events, StoredEvent
from lineage_hub.cli.app import app
from lineage_hub.cli.groups import ListByDefault
from lineage_hub.cli.hub import Hub
from lineage_hub.cli.nodes import quoted
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.cli.times import HELP as TIME_HELP
from lineage_hub.cli.times import read_time
from lineage_hub.settings import Settings
from lineage_hub.terminal import print_json, print_table

events = typer.Typer(help="List and show events; without a command they are listed.", cls=ListByDefault)
app.add_typer(events, name="events")

JSON_OPTION = typer.Option("--json", help="Print JSON.")


class Order(StrEnum):
    desc = "desc"
    asc = "asc"


EXAMPLES = """Examples:

lineage-hub events

lineage-hub events list --after 24h --limit 20

lineage-hub events show ID"""


@events.command("list", epilog=EXAMPLES)
@takes_settings(*HUB)
def list_events(
    settings: Settings,
    before: Annotated[str | None, typer.Option(help=f"Only events before then. {TIME_HELP}")] = None,
    after: Annotated[str | None, typer.Option(help="Only events after then; same spellings.")] = None,
    limit: Annotated[int, typer.Option(help="Most events to list.", min=1, max=10_000)] = 25,
    offset: Annotated[int, typer.Option(help="How many to pass over first.", min=0)] = 0,
    order: Annotated[Order, typer.Option(help="desc: the latest first.")] = Order.desc,
    as_json: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """List events by their time, the latest first."""
    question = {
        "before": read_time(before, "--before"),
        "after": read_time(after, "--after"),
        "limit": limit,
        "offset": offset,
        "sortDirection": order.value,
    }
    with Hub(settings) as hub:
        if as_json:
            print_json(hub.read_object("/events/lineage", **question))
            return
        answer = hub.read(Events, "/events/lineage", **question)
    rows = [(*_row(event), *answer.ids[at : at + 1]) for at, event in enumerate(answer.events)]
    print_table(("time", "event", "about", "in", "out", "id"), rows)
    hidden = answer.total_count - offset - len(answer.events)
    if hidden > 0:
        print(f"… {hidden} more; use --limit and --offset to see them", file=sys.stderr)


def _row(event: Event) -> tuple[str, ...]:
    static = "JOB" if event.job is not None else "DATASET"
    kind = (event.event_type or "OTHER") if event.run is not None else static
    about = event.job or event.dataset
    name = f"{about.namespace}:{about.name}" if about is not None else ""
    return event.event_time, kind, name, str(len(event.inputs or ())), str(len(event.outputs or ()))


@events.command("show", epilog="Example: lineage-hub events show ID — `lineage-hub events` lists the ids.")
@takes_settings(*HUB)
def show_event(
    settings: Settings,
    event_id: Annotated[str, typer.Argument(metavar="ID", help="The id of an event.", show_default=False)],
    as_json: Annotated[bool, JSON_OPTION] = False,
) -> None:
    """Show one event as it was sent, when it arrived, and what is odd about it."""
    path = f"/events/{quoted(event_id)}"
    with Hub(settings) as hub:
        if as_json:
            print_json(hub.read_object(path))
            return
        found = hub.read(StoredEvent, path)
        print(f"event {found.id}\nknown since {found.known_at}, tenant {found.tenant}")
        for warning in found.warnings:
            print(f"warning: {_told(warning)}")
        print()
        print_json(hub.decode(object, bytes(found.event)))


def _told(warning: object) -> str:
    if isinstance(warning, dict):
        return ", ".join(f"{key}: {value}" for key, value in warning.items())
    return str(warning)
