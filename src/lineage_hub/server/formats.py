"""An answer about lineage enters, of tables or columns; text for Mermaid, Graphviz or a spreadsheet leaves.

What the answer doesn't show is counted in a comment; a spreadsheet has no room for one.
"""

from __future__ import annotations

import csv
import io
import re
from typing import Any

MEDIA_TYPES = {"mermaid": "text/vnd.mermaid", "dot": "text/vnd.graphviz", "csv": "text/csv"}
_COMMENT = {"mermaid": "%%", "dot": "//"}

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
# What Mermaid takes for an entity, the end of a text, or markup.
_MERMAID = str.maketrans({"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "`": "#96;"})


def drawn(answer: dict[str, Any], style: str) -> str:
    graph = answer["graph"]
    nodes = [(node["id"], node["type"]) for node in graph]
    edges = sorted({
        (edge["origin"], edge["destination"], edge.get("from", ""))
        for node in graph
        for edge in node["outEdges"]
    })  # fmt: skip
    text = {"mermaid": _mermaid, "dot": _dot, "csv": _csv}[style](nodes, edges)
    if style in _COMMENT and answer["truncated"]:
        text += f"{_COMMENT[style]} {answer['hidden_nodes']} more nodes are not shown\n"
    return text


def _mermaid(nodes: list[tuple[str, str]], edges: list[tuple[str, str, str]]) -> str:
    numbers = {node: f"n{at}" for at, (node, _) in enumerate(nodes)}
    lines = ["flowchart LR"]
    for node, kind in nodes:
        label = _label(node).translate(_MERMAID)
        lines.append(f'  {numbers[node]}{"[" if kind == "JOB" else "[("}"{label}"{"]" if kind == "JOB" else ")]"}')
    for origin, destination, told in edges:
        lines.append(f"  {numbers[origin]} {'-.->' if told else '-->'} {numbers[destination]}")
    return "\n".join(lines) + "\n"


def _dot(nodes: list[tuple[str, str]], edges: list[tuple[str, str, str]]) -> str:
    lines = ["digraph lineage {", "  rankdir=LR;"]
    for node, kind in nodes:
        shape = "box" if kind == "JOB" else "cylinder"
        lines.append(f"  {_quoted(node)} [label={_quoted(_label(node))}, shape={shape}];")
    for origin, destination, told in edges:
        lines.append(f"  {_quoted(origin)} -> {_quoted(destination)}{' [style=dashed]' if told else ''};")
    return "\n".join([*lines, "}"]) + "\n"


def _csv(nodes: list[tuple[str, str]], edges: list[tuple[str, str, str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["origin", "destination", "from"])
    writer.writerows(edges)
    joined = {node for edge in edges for node in edge[:2]}
    writer.writerows([node, "", ""] for node, _ in nodes if node not in joined)
    return text.getvalue()


def _label(node: str) -> str:
    return " ".join(_CONTROLS.sub(" ", node.split(":", 1)[1]).split())


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
