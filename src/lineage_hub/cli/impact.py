"""A dataset, a column or a job enters; what depends on it leaves, as a table or in the format asked for."""

import sys
from enum import StrEnum
from typing import Annotated

import typer
from msgspec import Struct, field

from lineage_hub.cli.answers import Identity
from lineage_hub.cli.app import app
from lineage_hub.cli.hub import Hub, Value
from lineage_hub.cli.nodes import ARGUMENT_HELP, find_node
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.cli.times import HELP as TIME_HELP
from lineage_hub.cli.times import read_time
from lineage_hub.errors import InvalidRequest
from lineage_hub.settings import Settings
from lineage_hub.terminal import print_json, print_table


class Format(StrEnum):
    table = "table"
    markdown = "markdown"
    csv = "csv"
    json = "json"


class Use(Struct, frozen=True):
    at: str
    job: Identity


class Affected(Struct, frozen=True, rename="camel"):
    node_id: str
    distance: int
    owners: list[str] = []
    last_use: Use | None = None
    via: str = "tables"
    columns: list[str] = []


class Counts(Struct, frozen=True, rename="camel"):
    datasets: int = 0
    jobs: int = 0
    namespaces: int = 0
    owners: int = 0
    columns: int = 0
    datasets_without_column_lineage: int = 0


class Impact(Struct, frozen=True, rename="camel"):
    node: str
    counts: Counts
    affected: list[Affected]
    truncated: bool
    hidden_nodes: int = field(name="hidden_nodes", default=0)
    by_columns: Counts | None = None
    by_tables_only: Counts | None = None


EXAMPLES = """Examples:

lineage-hub impact shop.public.orders

lineage-hub impact shop.public.orders --column amount

lineage-hub impact datasetField:postgres://db.bookshop.example:5432:shop.public.orders:amount --format csv

lineage-hub impact revenue_daily --as-of 3d --format markdown"""


@app.command(epilog=EXAMPLES)
@takes_settings(*HUB)
def impact(
    settings: Settings,
    node: Annotated[str, typer.Argument(help=ARGUMENT_HELP, show_default=False)],
    column: Annotated[str | None, typer.Option(help="What depends on this column of the dataset.")] = None,
    depth: Annotated[int, typer.Option(help="How many jobs far to go.", min=0, max=1000)] = 1000,
    as_of: Annotated[str | None, typer.Option(help=f"What had happened by then. {TIME_HELP}")] = None,
    known_at: Annotated[str | None, typer.Option(help="What the hub knew by then; same spellings.")] = None,
    limit: Annotated[int | None, typer.Option(help="Most to show; the rest is counted.", min=1)] = None,
    output: Annotated[Format, typer.Option("--format", help="How to print it.")] = Format.table,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Show all that depends on a dataset, a column or a job, with its owners and its last use."""
    moment: dict[str, Value] = {
        "as_of": read_time(as_of, "--as-of"),
        "known_at": read_time(known_at, "--known-at"),
    }
    question: dict[str, Value] = {"depth": depth, "limit": limit, **moment}
    with Hub(settings) as hub:
        found = _of_column(find_node(hub, node, **moment), column)
        if as_json or output is Format.json:
            print_json(hub.read_object("/impact", nodeId=found, **question))
        elif output is not Format.table:
            print(hub.read_text("/impact", nodeId=found, format=output.value, **question).rstrip("\n"))
        else:
            _show(hub.read(Impact, "/impact", nodeId=found, **question))


def _of_column(node: str, column: str | None) -> str:
    if column is None:
        return node
    kind, _, rest = node.partition(":")
    if kind != "dataset":
        raise InvalidRequest(f"{node} has no columns", subject=node, action="give a dataset with --column")
    return f"datasetField:{rest}:{column}"


def _show(answer: Impact) -> None:
    counts = answer.counts
    print(
        f"{answer.node}: {counts.datasets} datasets and {counts.jobs} jobs depend on it, "
        f"in {counts.namespaces} namespaces, of {counts.owners} owners."
    )
    if answer.by_columns is not None and answer.by_tables_only is not None:
        told, rest = answer.by_columns, answer.by_tables_only
        print(
            f"By columns {told.datasets} datasets ({told.columns} columns) and {told.jobs} jobs; by tables only "
            f"{rest.datasets} datasets and {rest.jobs} jobs, of which {rest.datasets_without_column_lineage} datasets "
            "don't tell where their columns come from."
        )
    if answer.affected:
        print_table(("jobs away", "node", "via", "owners", "last use", "by"), [_row(one) for one in answer.affected])
    if answer.truncated:
        print(f"… {answer.hidden_nodes} more are not shown; raise --limit to see them", file=sys.stderr)


def _row(one: Affected) -> tuple[str, ...]:
    via = f"{one.via} {', '.join(one.columns)}" if one.columns else one.via
    use = one.last_use
    by = f"{use.job.namespace}:{use.job.name}" if use else ""
    return str(one.distance), one.node_id, via, ", ".join(one.owners), use.at if use else "never", by
