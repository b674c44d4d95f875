"""Cells of a program in any of the forms that a workspace exports.

Text and file name come in; cells with their language and first line go out (an .ipynb counts lines of joined cells).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field


@dataclass
class Cell:
    language: str
    text: str
    line: int = 1
    arguments: dict[str, str] = field(default_factory=dict)


LANGUAGES = {"python": "python", "sql": "sql", "md": "markdown", "run": "run", "scala": "scala", "r": "r"}


def _of_magic(text: str, line: int, default: str) -> Cell:
    head = re.match(r"\s*%{1,2}(\w+)([^\n]*)\n?", text)
    if not head:
        return Cell(default, text, line)
    language = LANGUAGES.get(head[1], "other")
    if language == "run":
        path, *pairs = re.findall(r'\$?[\w./-]+="[^"]*"|[^\s"]+|"[^"]+"', head[2])
        arguments = {key.lstrip("$"): value.strip('"') for key, value in (one.split("=", 1) for one in pairs)}
        return Cell("run", path.strip('"'), line, arguments)
    return Cell(language, head[2] + "\n" + text[head.end() :], line)


def cells_of(source: str, name: str) -> list[Cell]:
    if name.endswith(".ipynb"):
        return _cells_of_json(source)
    mark = "--" if name.endswith(".sql") else "#"
    default = "sql" if name.endswith(".sql") else "python"
    if not source.startswith(f"{mark} Databricks notebook source"):
        return [Cell(default, source)]
    cells, lines, first = [], [], 2
    for number, text in enumerate([*source.split("\n")[1:], f"{mark} COMMAND ----------"], start=2):
        if re.match(rf"{mark} COMMAND -+\s*$", text):
            cells.append(_of_lines(lines, first, mark, default))
            lines, first = [], number + 1
        else:
            lines.append(text)
    return cells


def _of_lines(lines: list[str], first: int, mark: str, default: str) -> Cell:
    while lines and not lines[0].strip():
        lines, first = lines[1:], first + 1
    magic = [re.sub(rf"^{mark} MAGIC ?", "", one) for one in lines]
    if lines and lines[0].startswith(f"{mark} MAGIC"):
        return _of_magic("\n".join(magic), first, default)
    return Cell(default, "\n".join(lines), first)


def _cells_of_json(source: str) -> list[Cell]:
    cells, line = [], 1
    for one in json.loads(source)["cells"]:
        text = one["source"] if isinstance(one["source"], str) else "".join(one["source"])
        cells.append(Cell("markdown", text, line) if one["cell_type"] != "code" else _of_magic(text, line, "python"))
        line += text.count("\n") + 1
    return cells
