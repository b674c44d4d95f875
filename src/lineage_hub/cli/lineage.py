"""A node and a moment enter; what feeds it and what it feeds leave, as a tree or in the format asked for."""

from enum import StrEnum
from typing import Annotated

import typer

from lineage_hub.cli.answers import Lineage, Node
from lineage_hub.cli.app import app
from lineage_hub.cli.hub import Hub, Value
from lineage_hub.cli.nodes import ARGUMENT_HELP, find_node
from lineage_hub.cli.options import HUB, takes_settings
from lineage_hub.cli.times import HELP as TIME_HELP
from lineage_hub.cli.times import read_time
from lineage_hub.cli.tree import draw, print_tree
from lineage_hub.errors import InvalidRequest
from lineage_hub.settings import Settings
from lineage_hub.terminal import print_json


class Direction(StrEnum):
    upstream = "upstream"
    downstream = "downstream"
    both = "both"


class Format(StrEnum):
    tree = "tree"
    mermaid = "mermaid"
    dot = "dot"
    csv = "csv"
    json = "json"


EXAMPLES = """Examples:

lineage-hub lineage revenue_daily

lineage-hub lineage revenue_daily --direction upstream --as-of 3d

lineage-hub lineage revenue_daily --columns

lineage-hub lineage job:airflow-prod:ingest_shop.extract_orders --format mermaid"""


@app.command(epilog=EXAMPLES)
@takes_settings(*HUB)
def lineage(
    settings: Settings,
    node: Annotated[str, typer.Argument(help=ARGUMENT_HELP, show_default=False)],
    depth: Annotated[int, typer.Option(help="How many jobs far to go.", min=0, max=1000)] = 20,
    direction: Annotated[Direction, typer.Option(help="Which arrows to follow.")] = Direction.both,
    as_of: Annotated[str | None, typer.Option(help=f"What had happened by then. {TIME_HELP}")] = None,
    known_at: Annotated[str | None, typer.Option(help="What the hub knew by then; same spellings.")] = None,
    edges: Annotated[str, typer.Option(help="current, ever, or a span such as 30d.")] = "current",
    limit: Annotated[int | None, typer.Option(help="Most nodes to show; the rest is counted.", min=1)] = None,
    columns: Annotated[bool, typer.Option("--columns", help="Follow columns instead of tables.")] = False,
    output: Annotated[Format, typer.Option("--format", help="How to print it.")] = Format.tree,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Show what feeds a dataset or job and what it feeds, now or at any moment."""
    moment: dict[str, Value] = {
        "as_of": read_time(as_of, "--as-of"),
        "known_at": read_time(known_at, "--known-at"),
    }
    output = Format.json if as_json else output
    with Hub(settings) as hub:
        found = find_node(hub, node, **moment)
        if columns:
            _show_columns(hub, found, depth, direction, output, moment | {"edges": edges, "limit": limit})
            return
        question: dict[str, Value] = {
            "depth": depth,
            "direction": direction.value,
            "edges": edges,
            "limit": limit,
        }
        show_lineage(hub, found, output, **question, **moment)


def show_lineage(hub: Hub, node: str, output: Format = Format.tree, **question: Value) -> None:
    """Print one answer of /lineage."""
    if output is Format.json:
        print_json(hub.read_object("/lineage", nodeId=node, **question))
    elif output is not Format.tree:
        print(hub.read_text("/lineage", nodeId=node, format=output.value, **question).rstrip("\n"))
    else:
        answer = hub.read(Lineage, "/lineage", nodeId=node, **question)
        by_id = {one.id: one for one in answer.graph}
        print_tree(draw(answer.graph, _root_of(node, answer.graph), _sides(question)), lambda one: label(by_id, one))
        _say_what_is_hidden(answer)


def label(nodes: dict[str, Node], node_id: str) -> tuple[str, str, str]:
    """Kind, name and what stands beside it."""
    kind, _, rest = node_id.partition(":")
    node = nodes.get(node_id)
    if node is None or not (node.data.name or node.data.dataset):
        return kind, rest, ""
    if node.data.dataset:
        if node.data.field is None:
            return "dataset", node.data.dataset, node.data.namespace
        how = f" {node.data.transformation_type}" if node.data.transformation_type else ""
        return "column", f"{node.data.dataset}.{node.data.field}", f"{node.data.namespace}{how}"
    state = f"  {node.data.latest_run.state}" if node.data.latest_run is not None else ""
    return kind, node.data.name, node.data.namespace + state


def _root_of(asked: str, graph: list[Node]) -> str:
    """The id that the hub gives the node, when it was asked for by another of its names."""
    ids = {node.id for node in graph}
    if asked in ids or not graph:
        return asked
    return graph[0].id


def _sides(question: dict[str, Value]) -> tuple[str, ...]:
    direction = question.get("direction")
    return ("upstream", "downstream") if direction in (None, "both") else (str(direction),)


def _say_what_is_hidden(answer: Lineage) -> None:
    if len(answer.graph) == 1:
        print("No edges.")
    if answer.truncated:
        print(f"… {answer.hidden_nodes} more nodes are not shown; raise --limit to see them")


def _show_columns(
    hub: Hub, node: str, depth: int, direction: Direction, output: Format, question: dict[str, Value]
) -> None:
    if not node.startswith(("dataset:", "datasetField:")):
        raise InvalidRequest(
            f"{node} has no columns",
            subject=node,
            action="give a dataset, or a column: datasetField:NAMESPACE:NAME:COLUMN",
        )
    downstream = direction is not Direction.upstream
    ask: dict[str, Value] = {"depth": depth, "withDownstream": str(downstream).lower(), **question}
    if output is Format.json:
        print_json(hub.read_object("/column-lineage", nodeId=node, **ask))
        return
    if output is not Format.tree:
        print(hub.read_text("/column-lineage", nodeId=node, format=output.value, **ask).rstrip("\n"))
        return
    answer = hub.read(Lineage, "/column-lineage", nodeId=node, **ask)
    by_id = {one.id: one for one in answer.graph}
    whole = node.replace("dataset:", "datasetField:", 1) + ":"
    roots = [one for one in by_id if one == node or one.startswith(whole)]
    sides = _sides({"direction": direction.value})
    for root in roots:
        print_tree(draw(answer.graph, root, sides), lambda one: label(by_id, one))
    if not roots:
        print("No column lineage is known for it.")
    if answer.truncated:
        print(f"… {answer.hidden_nodes} more columns are not shown; raise --limit to see them")
