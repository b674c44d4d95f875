"""Nodes, edges and a root enter; the lines of a tree leave, upstream first, each node opened once.

A node met again is marked rather than drawn again, a cycle is called one, and no recursion bounds the depth.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lineage_hub.cli.answers import Edge, Node
from lineage_hub.terminal import one_line

SEEN = "(see above)"
CYCLE = "(cycle)"
Neighbours = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Line:
    """`branch` is the drawing, `node` the id or the heading, `mark` what is said about it."""

    branch: str
    node: str
    mark: str = ""
    is_heading: bool = False


def draw(nodes: Sequence[Node], root: str, sides: Sequence[str] = ("upstream", "downstream")) -> Iterator[Line]:
    """The root, then a branch for each side that has something."""
    arrows = _arrows(nodes)
    yield Line("", root)
    ways = [(side, _neighbours(arrows, side)) for side in sides]
    ways = [(side, way) for side, way in ways if way.get(root)]
    for number, (side, way) in enumerate(ways):
        last = number == len(ways) - 1
        yield Line("└── " if last else "├── ", side, is_heading=True)
        yield from _branches(way, root, "    " if last else "│   ")


def _arrows(nodes: Sequence[Node]) -> set[tuple[str, str]]:
    """(from, to), between nodes that were sent: what lies beyond the depth or the limit can't be drawn.

    The list an edge stands in says which way it goes: in the API for columns the ends of some are swapped.
    """
    shown = {node.id for node in nodes}
    into = {(_other_end(edge, node.id), node.id) for node in nodes for edge in node.in_edges}
    out = {(node.id, _other_end(edge, node.id)) for node in nodes for edge in node.out_edges}
    return {(start, end) for start, end in into | out if start in shown and end in shown}


def _other_end(edge: Edge, node: str) -> str:
    return edge.destination if edge.origin == node else edge.origin


def _neighbours(arrows: set[tuple[str, str]], side: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for start, end in sorted(arrows):
        near, far = (end, start) if side == "upstream" else (start, end)
        found.setdefault(near, []).append(far)
    return found


def _branches(way: Neighbours, root: str, indent: str) -> Iterator[Line]:
    opened = {root}
    path = {root: None}
    # Of each open node: its drawing and the neighbours still to come.
    stack: list[tuple[str, list[str]]] = [(indent, list(reversed(way[root])))]
    while stack:
        indent, waiting = stack[-1]
        if not waiting:
            stack.pop()
            path.popitem()
            continue
        node = waiting.pop()
        branch = indent + ("├── " if waiting else "└── ")
        further = way.get(node, ())
        if node in path:
            yield Line(branch, node, CYCLE)
        elif node in opened and further:
            yield Line(branch, node, SEEN)
        else:
            yield Line(branch, node)
            if further:
                opened.add(node)
                path[node] = None
                stack.append((indent + ("│   " if waiting else "    "), list(reversed(further))))


Label = Callable[[str], tuple[str, str, str]]


def print_tree(lines: Iterator[Line], label: Label) -> None:
    """`label` gives kind, name and what stands beside the name; a terminal gets colours, a pipe none."""
    if not sys.stdout.isatty():
        for line in lines:
            print(_plain(line, label))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    styles = {"job": "bold cyan", "dataset": "bold green", "column": "green"}
    for line in lines:
        if line.is_heading:
            parts = [(line.branch, "dim"), (line.node, "italic")]
        else:
            kind, name, beside = map(one_line, label(line.node))
            parts = [(line.branch, "dim"), (f"{kind} ", "dim"), (name, styles.get(kind, ""))]
            parts += [(f"  {beside}", "red" if "FAILED" in beside else "dim")] if beside else []
            parts += [(f"  {line.mark}", "yellow")] if line.mark else []
        console.print(Text.assemble(*parts), soft_wrap=True)


def _plain(line: Line, label: Label) -> str:
    if line.is_heading:
        return line.branch + line.node
    kind, name, beside = map(one_line, label(line.node))
    return "  ".join(part for part in (f"{line.branch}{kind} {name}", beside, line.mark) if part)
