"""A namespace's name enters, or none; what the hub knows of it, or the list of all, leaves."""

import sys
from typing import Annotated

import typer

from lineage_hub.cli.answers import Datasets, Jobs, Namespace, Namespaces
from lineage_hub.cli.app import app
from lineage_hub.cli.hub import Hub
from lineage_hub.cli.nodes import quoted
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.settings import Settings
from lineage_hub.terminal import print_json, print_table

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list-namespaces", epilog="Examples: lineage-hub list-namespaces — lineage-hub list-namespaces --json")
@takes_settings(*HUB)
def list_namespaces(
    settings: Settings,
    limit: Annotated[int, typer.Option(help="Most namespaces to list.", min=1, max=10_000)] = 100,
    offset: Annotated[int, typer.Option(help="How many to pass over first.", min=0)] = 0,
    as_json: Json = False,
) -> None:
    """List the namespaces of jobs and datasets by name."""
    with Hub(settings) as hub:
        if as_json:
            print_json(hub.read_object("/namespaces", limit=limit, offset=offset))
            return
        answer = hub.read(Namespaces, "/namespaces", limit=limit, offset=offset)
    if not answer.namespaces:
        print("No namespaces.")
        return
    print_table(("namespace", "first seen", "description"), [_row(one) for one in answer.namespaces])
    hidden = answer.total_count - offset - len(answer.namespaces)
    if hidden > 0:
        print(f"… {hidden} more; use --limit and --offset to see them", file=sys.stderr)


def _row(one: Namespace) -> tuple[str, str, str]:
    return one.name, one.created_at, one.description or ""


@app.command("get-namespace", epilog="Example: lineage-hub get-namespace s3://lake — list-namespaces has the names.")
@takes_settings(*HUB)
def get_namespace(
    settings: Settings,
    name: Annotated[str, typer.Argument(help="The namespace's name.", show_default=False)],
    as_json: Json = False,
) -> None:
    """Show one namespace, and how many jobs and datasets it has."""
    path = f"/namespaces/{quoted(name)}"
    with Hub(settings) as hub:
        if as_json:
            print_json(hub.read_object(path))
            return
        found = hub.read(Namespace, path)
        jobs = hub.read(Jobs, f"{path}/jobs", limit=1).total_count
        datasets = hub.read(Datasets, f"{path}/datasets", limit=1).total_count
    rows = [
        ("name", found.name),
        ("first seen", found.created_at),
        ("owner", found.owner_name or ""),
        ("description", found.description or ""),
        ("jobs", str(jobs)),
        ("datasets", str(datasets)),
    ]
    print_table(("field", "value"), rows)
