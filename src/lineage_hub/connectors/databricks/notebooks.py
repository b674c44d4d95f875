"""The text of a file in any form that Databricks exports enters; its cells leave, each of one language.

Forms are source notebooks, plain files, Jupyter's JSON, and the notebook's own JSON, bare or inside of HTML.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Literal
from urllib.parse import unquote

from lineage_hub.connectors.databricks.magics import LANGUAGES, Cell, read_cell

__all__ = ["CELLS", "Cell", "split_cells", "why_unreadable"]

LONGEST = 20_000_000
CELLS = 5_000  # of one notebook
_EXTENSIONS = {".py": "python", ".sql": "sql", ".scala": "scala", ".r": "r", ".md": "markdown", ".sh": "shell"}
_MARKS = {"#": "python", "--": "sql", "//": "scala"}
_HEADER = re.compile(r"\s*(#|--|//) ?Databricks notebook source\b.*")
_SEPARATOR = re.compile(r"(#|--|//) ?COMMAND -{3,}\s*\Z")
_TITLE = re.compile(r"(#|--|//) ?DBTITLE\b")
_R = re.compile(r"^\s*[\w.$]+\s*<-\s|^\s*library\(\w+\)", re.MULTILINE)
_PYTHON = re.compile(r"^\s*(?:import \w|from [\w.]+ import|def \w|@\w|class \w)", re.MULTILINE)
_MODEL = re.compile(r"__DATABRICKS_NOTEBOOK_MODEL\s*=\s*['\"]([A-Za-z0-9+/=\s]+)['\"]")
_REMARKS = re.compile(r"(?:\s++|--[^\n]*|/\*.*?(?:\*/|\Z)|#[^\n]*)*+", re.DOTALL)
_VERBS = re.compile(
    r"(?:create|insert|merge|use|set|apply|copy|declare|drop|alter|refresh|cache|uncache|delete|update|truncate|"
    r"describe|desc|show|explain|grant|revoke|optimize|vacuum|analyze|msck|restore|clear|begin|execute|comment)"
    r"\s+[`\"'\w$]|select\s+[`\"'\w$*(:-]|values\s*\(|with\s+(?:recursive\s+)?[`\w]+\s*(?:\([^)]*\)\s*)?as\s*\(|"
    r"from\s+[`\w.]+\s+(?!import\b)\w",
    re.IGNORECASE,
)
_CELL_LANGUAGES = (
    "application/vnd.databricks.v1+cell",
    "vscode",
    "microsoft",
    "polyglot_notebook",
    "dotnet_interactive",
)


def split_cells(source: str, *, language: Literal["python", "sql", "auto"] = "auto", path: str = "") -> list[Cell]:
    """The cells in order; a plain file is one cell. Nothing is raised: what is no text or no notebook has no cells."""
    text = _as_text(source)
    if not text.strip() or len(text) > LONGEST:
        return []
    notebook = _as_json(text, path)
    if notebook is not None:
        return list(islice(_of_json(notebook, language), CELLS))
    if _is_json_path(path):
        return []
    if text[: len(text) - len(text.lstrip())].rpartition("\n")[2]:
        text = textwrap.dedent(text)
    lines = text.split("\n")
    mark = _mark(lines)
    if mark is not None:
        return list(islice(_of_source(lines, mark, path, language), CELLS))
    said = language if language != "auto" else _EXTENSIONS.get(_extension(path)) or _language_of(text)
    return list(read_cell(text, said))


def why_unreadable(source: str, path: str = "") -> str | None:
    """Why a file has no cells although it is not empty."""
    text = _as_text(source)
    if not text.strip():
        return None
    if len(text) > LONGEST:
        return f"the file has more than {LONGEST:,} characters"
    if _is_json_path(path) and _as_json(text, path) is None:
        return "the file is no notebook: its JSON is broken, cut off or of another shape"
    return None


def _as_text(source: object) -> str:
    if isinstance(source, bytes | bytearray):
        try:
            source = source.decode("utf-8")
        except UnicodeDecodeError:
            source = source.decode("latin-1")  # type: ignore[union-attr]
    if not isinstance(source, str):
        return ""
    return source.removeprefix("\ufeff").removeprefix("ï»¿").replace("\r\n", "\n").replace("\r", "\n")


def _extension(path: object) -> str:
    name = path.rpartition("/")[2] if isinstance(path, str) else ""
    return "." + name.rpartition(".")[2].lower() if "." in name else ""


def _is_json_path(path: object) -> bool:
    return _extension(path) == ".ipynb"


# Source notebooks


def _mark(lines: list[str]) -> str | None:
    """The sign of a comment in a source notebook: of its header, or of a line between cells where that was cut off."""
    first = next(line for line in lines if line.strip())
    header = _HEADER.match(first)
    if header is not None:
        return header[1]
    return next((found[1] for line in lines if "COMMAND" in line and (found := _SEPARATOR.match(line))), None)


def _of_source(lines: list[str], mark: str, path: str, language: str) -> Iterator[Cell]:
    said = _MARKS[mark]
    if mark == "#" and language == "auto" and _is_r(lines, path):
        said = "r"
    magic = re.compile(rf"{re.escape(mark)} ?MAGIC(?: |(?=\t)|\Z)")
    begin = 0
    for at in range(len(lines) + 1):
        if at == len(lines) or ((found := _SEPARATOR.match(lines[at])) and found[1] == mark):
            cell = lines[begin:at]
            if begin == 0:
                cell = ["" if _HEADER.match(line) else line for line in cell]
            cell = ["" if _TITLE.match(line) else line for line in cell]
            yield from _parts(cell, magic, said, begin + 1)
            begin = at + 1


def _parts(lines: list[str], magic: re.Pattern[str], language: str, line: int) -> Iterator[Cell]:
    """Lines with the mark of a magic and lines without it are cells of their own."""
    begin = 0
    for at in range(1, len(lines) + 1):
        if at < len(lines) and (
            not lines[at].strip() or bool(magic.match(lines[at])) == bool(magic.match(lines[begin]))
        ):
            continue
        part = [magic.sub("", one, count=1) if magic.match(one) else one for one in lines[begin:at]]
        yield from read_cell("\n".join(part), language, line + begin)
        begin = at


def _is_r(lines: list[str], path: str) -> bool:
    """R's source notebooks have Python's header."""
    if _extension(path) in (".r", ".py"):
        return _extension(path) == ".r"
    code = "\n".join(line for line in lines if not line.startswith("#"))
    return _R.search(code) is not None and _PYTHON.search(code) is None


def _language_of(text: str) -> str:
    """SQL begins with a verb and a name after it, which Python never does."""
    remarks = _REMARKS.match(text)
    begin = remarks.end() if remarks else 0
    opening = text.lstrip()[:2]
    if _VERBS.match(text, begin) or (opening in ("--", "/*") and not _PYTHON.search(text)):
        return "sql"
    return "python"


# Notebooks as JSON


def _as_json(text: str, path: str) -> dict[str, Any] | None:
    begin = text.lstrip()[:1]
    if begin == "<":
        text = _model_of_html(text)
    elif begin != "{":
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not any(
        isinstance(found.get(k), list) for k in ("cells", "worksheets", "commands")
    ):
        return None
    return found


def _model_of_html(text: str) -> str:
    found = _MODEL.search(text)
    if found is None:
        return ""
    try:
        return unquote(base64.b64decode(found[1]).decode("utf-8", "replace"))
    except (ValueError, binascii.Error):
        return ""


def _of_json(notebook: dict[str, Any], language: str) -> Iterator[Cell]:
    said = _notebook_language(notebook) or (language if language != "auto" else "python")
    line = 1
    for kind, text, own in _raw_cells(notebook):
        text = _as_text(text)
        if kind == "code":
            yield from read_cell(text, _known(own) or said, line)
        elif text.strip():
            yield Cell("markdown" if kind in ("markdown", "heading") else "other", text, line)
        line += text.count("\n") + 1


def _raw_cells(notebook: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Each cell's kind, text and the language that it says of itself."""
    if isinstance(notebook.get("commands"), list):
        commands = [one for one in notebook["commands"] if isinstance(one, dict)]
        for one in sorted(commands, key=lambda one: _number(one.get("position"))):
            yield "code", _joined(one.get("command")), ""
        return
    sheets = notebook.get("worksheets")
    cells = notebook.get("cells")
    for sheet in sheets if isinstance(sheets, list) and not isinstance(cells, list) else [notebook]:
        found = sheet.get("cells") if isinstance(sheet, dict) else None
        for cell in found if isinstance(found, list) else ():
            if isinstance(cell, dict):
                text = _joined(cell.get("source", cell.get("input")))
                yield str(cell.get("cell_type", "code")), text, _cell_language(cell)


def _number(position: object) -> float:
    return float(position) if isinstance(position, int | float) else 0.0


def _joined(source: object) -> str:
    if isinstance(source, list):
        return "".join(part for part in source if isinstance(part, str))
    return source if isinstance(source, str) else ""


def _notebook_language(notebook: dict[str, Any]) -> str:
    metadata = _mapping(notebook.get("metadata"))
    for said in (
        _mapping(metadata.get("application/vnd.databricks.v1+notebook")).get("language"),
        _mapping(metadata.get("language_info")).get("name"),
        _mapping(metadata.get("kernelspec")).get("language"),
        notebook.get("language"),
    ):
        if _known(said):
            return _known(said)
    return ""


def _cell_language(cell: Mapping[str, Any]) -> str:
    metadata = _mapping(cell.get("metadata"))
    said = [cell.get("language"), metadata.get("language")]
    for tool in _CELL_LANGUAGES:
        own = _mapping(metadata.get(tool))
        said += [own.get("language"), own.get("languageId"), own.get("kernelName")]
    return next((one for one in said if isinstance(one, str) and _known(one)), "")


def _known(language: object) -> str:
    found = LANGUAGES.get(language.lower(), "") if isinstance(language, str) else ""
    return "" if found == "run" else found


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
