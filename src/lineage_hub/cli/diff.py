"""A node and two moments enter; what came, went and changed between them leaves as a table."""

from typing import Annotated

import typer

from lineage_hub.cli.answers import Column, Difference, Edge
from lineage_hub.cli.app import app
from lineage_hub.cli.hub import Hub, Value
from lineage_hub.cli.lineage import Direction
from lineage_hub.cli.nodes import ARGUMENT_HELP, find_node
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.cli.times import HELP as TIME_HELP
from lineage_hub.cli.times import read_time
from lineage_hub.settings import Settings
from lineage_hub.terminal import print_json, print_table

EXAMPLES = """Examples:

lineage-hub diff revenue_daily --from 7d

lineage-hub diff revenue_daily --from 2026-11-09 --to 2026-11-12T09:00:00Z --json"""


@app.command(epilog=EXAMPLES)
@takes_settings(*HUB)
def diff(
    settings: Settings,
    node: Annotated[str, typer.Argument(help=ARGUMENT_HELP, show_default=False)],
    start: Annotated[str, typer.Option("--from", help=f"The earlier moment. {TIME_HELP}", show_default=False)],
    end: Annotated[str, typer.Option("--to", help="The later moment; same spellings.")] = "now",
    depth: Annotated[int, typer.Option(help="How many jobs far to compare.", min=0, max=1000)] = 20,
    direction: Annotated[
        Direction | None, typer.Option(help="Which arrows to follow; without it, everything around.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what changed around a node between two moments: nodes, edges, columns and schemas."""
    since, until = read_time(start, "--from"), read_time(end, "--to")
    with Hub(settings) as hub:
        found = find_node(hub, node)
        question: dict[str, Value] = {"nodeId": found, "from": since, "to": until, "depth": depth}
        question["direction"] = None if direction is None else direction.value
        if as_json:
            print_json(hub.read_object("/lineage/diff", **question))
        else:
            print_changes(hub.read(Difference, "/lineage/diff", **question))


def print_changes(answer: Difference) -> None:
    if rows := changes(answer):
        print_table(("change", "what", "which"), rows)
    else:
        print(f"Nothing changed between {answer.start} and {answer.end}.")


def changes(answer: Difference) -> list[tuple[str, str, str]]:
    """One row a change: added, removed or changed; node, edge, column or schema; which."""
    rows = [("added", *_node(node)) for node in answer.nodes.added]
    rows += [("removed", *_node(node)) for node in answer.nodes.removed]
    for what, side in (("edge", answer.edges), ("column edge", answer.columns)):
        rows += [("added", what, _arrow(edge)) for edge in side.added]
        rows += [("removed", what, _arrow(edge)) for edge in side.removed]
    for one in answer.schemas:
        rows += [("added", "column", f"{_short(one.dataset)}: {_column(column)}") for column in one.added]
        rows += [("removed", "column", f"{_short(one.dataset)}: {_column(column)}") for column in one.removed]
        rows += [
            ("changed", "column", f"{_short(one.dataset)}: {change.name} {change.before} → {change.after}")
            for change in one.changed
        ]
    return rows


def _node(node_id: str) -> tuple[str, str]:
    kind, _, rest = node_id.partition(":")
    return kind, rest


def _arrow(edge: Edge) -> str:
    return f"{_short(edge.origin)} → {_short(edge.destination)}"


def _short(node_id: str) -> str:
    """The name without its namespace, for a line that two of them share; `--json` has the ids."""
    kind, _, rest = node_id.partition(":")
    if kind == "datasetField":
        rest, _, column = rest.rpartition(":")
        return f"{rest.rpartition(':')[2]}.{column}"
    return rest.rpartition(":")[2]


def _column(column: Column | str) -> str:
    if isinstance(column, str):
        return column
    return f"{column.name} {column.type}" if column.type else column.name
