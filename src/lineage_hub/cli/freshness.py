"""A dataset and what is expected of it enter; whether it is fresh, due or late leaves, or a list of all that are."""

import json
import sys
from typing import Annotated

import typer
from msgspec import Struct

from lineage_hub.cli.answers import Identity
from lineage_hub.cli.app import app
from lineage_hub.cli.groups import ListByDefault
from lineage_hub.cli.hub import Hub
from lineage_hub.cli.node_paths import node_path
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.cli.times import HELP as TIME_HELP
from lineage_hub.cli.times import read_time
from lineage_hub.settings import Settings
from lineage_hub.terminal import print_json, print_table

freshness = typer.Typer(
    help="Whether datasets are written when they should be; without a command they are listed.", cls=ListByDefault
)
app.add_typer(freshness, name="freshness")

EXAMPLES = """Examples:

lineage-hub freshness --state late

lineage-hub freshness --learned

lineage-hub freshness set revenue_daily --cron "0 6 * * 1-5" --zone Europe/Berlin --tolerance 30m

lineage-hub freshness set orders --every 6h

lineage-hub freshness show orders --as-of 3d

lineage-hub freshness unset orders"""

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Dataset = Annotated[
    str,
    typer.Argument(help="dataset:NAMESPACE:NAME, or a name or its last part if one alone has it.", show_default=False),
]
AsOf = Annotated[str | None, typer.Option(help=f"What was the case then. {TIME_HELP}")]
Learned = Annotated[bool, typer.Option("--learned", help="Where nothing is set, go by the habit of its writes.")]


class Run(Struct, frozen=True):
    id: str
    job: Identity


class Write(Struct, frozen=True):
    at: str
    run: Run | None = None


class Freshness(Struct, frozen=True, rename="camel"):
    dataset: Identity
    state: str
    reason: str | None = None
    due_at: str | None = None
    late_since: str | None = None
    late_s: float | None = None
    expectation: dict[str, str | bool] | None = None
    habit: dict[str, object] | None = None
    last_write: Write | None = None


class AllFreshness(Struct, frozen=True, rename="camel"):
    freshness: list[Freshness]
    total_count: int = 0


@freshness.command("list", epilog=EXAMPLES)
@takes_settings(*HUB)
def list_freshness(
    settings: Settings,
    state: Annotated[str | None, typer.Option(help="fresh, due, late or unknown; several by commas.")] = None,
    learned: Learned = False,
    as_of: AsOf = None,
    limit: Annotated[int, typer.Option(help="Most datasets to list.", min=1, max=10_000)] = 100,
    offset: Annotated[int, typer.Option(help="How many to pass over first.", min=0)] = 0,
    as_json: Json = False,
) -> None:
    """List the datasets that something is expected of, with their state."""
    question = {"state": state, "learned": str(learned).lower(), "as_of": read_time(as_of, "--as-of")}
    with Hub(settings) as hub:
        if as_json:
            print_json(hub.read_object("/freshness", **question, limit=limit, offset=offset))
            return
        answer = hub.read(AllFreshness, "/freshness", **question, limit=limit, offset=offset)
    if not answer.freshness:
        print("No datasets.")
        return
    print_table(("state", "late by", "due", "last write", "expected", "dataset"), map(_row, answer.freshness))
    hidden = answer.total_count - offset - len(answer.freshness)
    if hidden > 0:
        print(f"… {hidden} more; use --limit and --offset to see them", file=sys.stderr)


@freshness.command("show", epilog=EXAMPLES)
@takes_settings(*HUB)
def show_freshness(
    settings: Settings, dataset: Dataset, learned: Learned = False, as_of: AsOf = None, as_json: Json = False
) -> None:
    """Show whether a dataset is fresh, due or late, and the run that wrote it last."""
    with Hub(settings) as hub:
        path = _path(hub, dataset)
        question = {"learned": str(learned).lower(), "as_of": read_time(as_of, "--as-of")}
        if as_json:
            print_json(hub.read_object(path, **question))
        else:
            _show(hub.read(Freshness, path, **question))


@freshness.command("set", epilog=EXAMPLES)
@takes_settings(*HUB)
def set_freshness(
    settings: Settings,
    dataset: Dataset,
    every: Annotated[str | None, typer.Option(help="Expect a write at least this often: 90s, 30m, 6h, 1d.")] = None,
    cron: Annotated[str | None, typer.Option(help='Expect one for each of these times: "0 6 * * 1-5".')] = None,
    learned: Annotated[bool, typer.Option("--learned", help="Expect what its history says.")] = False,
    zone: Annotated[str | None, typer.Option(help="Time zone of --cron, or of weekends with --learned.")] = None,
    tolerance: Annotated[str | None, typer.Option(help="How much later a write may come before it is late.")] = None,
    early: Annotated[str | None, typer.Option(help="How long before a time of --cron a write counts for it.")] = None,
    as_json: Json = False,
) -> None:
    """Say when a dataset should be written; it counts from now on."""
    given = {"every": every, "cron": cron, "zone": zone, "tolerance": tolerance, "early": early}
    body: dict[str, str | bool] = {name: value for name, value in given.items() if value is not None}
    if learned:
        body["learned"] = True
    with Hub(settings) as hub:
        answer = hub.ask("PUT", _path(hub, dataset), body=json.dumps(body).encode())
        if as_json:
            print_json(hub.decode(object, answer))
        else:
            _show(hub.decode(Freshness, answer))


@freshness.command("unset", epilog=EXAMPLES)
@takes_settings(*HUB)
def unset_freshness(settings: Settings, dataset: Dataset) -> None:
    """Expect nothing of a dataset any more."""
    with Hub(settings) as hub:
        hub.ask("DELETE", _path(hub, dataset))
    print(f"Nothing is expected of {dataset} any more.")


def _path(hub: Hub, dataset: str) -> str:
    return f"{node_path(hub, dataset, 'dataset')}/freshness"


def _row(one: Freshness) -> tuple[str, ...]:
    last = one.last_write.at if one.last_write is not None else "never"
    return one.state, _late(one), one.due_at or "", last, _expected(one), f"{one.dataset.namespace}:{one.dataset.name}"


def _show(one: Freshness) -> None:
    rows = [
        ("dataset", f"{one.dataset.namespace}:{one.dataset.name}"),
        ("state", one.state if one.reason is None else f"{one.state}: {one.reason}"),
        ("expected", _expected(one)),
        ("due", one.due_at or ""),
        ("late since", one.late_since or ""),
        ("late by", _late(one)),
    ]
    if one.last_write is not None:
        rows.append(("last write", one.last_write.at))
        if one.last_write.run is not None:
            rows.append(("by run", one.last_write.run.id))
            rows.append(("of job", f"{one.last_write.run.job.namespace}:{one.last_write.run.job.name}"))
    print_table(("field", "value"), [row for row in rows if row[1]])


def _late(one: Freshness) -> str:
    from lineage_hub.lineage.expectations import duration

    return "" if one.late_s is None else duration(int(one.late_s))


def _expected(one: Freshness) -> str:
    if one.expectation is None:
        return ""
    if "learned" in one.expectation:
        sure = f", {one.habit['confidence']:.0%} sure" if one.habit is not None else ""
        return f"as usual{sure}"
    if "every" in one.expectation:
        return f"every {one.expectation['every']}"
    return f"{one.expectation['cron']} {one.expectation['zone']}"
