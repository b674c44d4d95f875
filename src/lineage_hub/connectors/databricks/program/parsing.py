"""The text of Python enters; statements leave with the lines of the file, and a problem for each broken part."""

from __future__ import annotations

import ast
import re
import textwrap
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from lineage_hub.connectors.databricks.program.budget import BEGINNING, SOURCE
from lineage_hub.connectors.databricks.reading import Problem

_ERRORS = (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError)
_PADDED = 2_000  # lines before a text that are cheaper to parse than to add to every node
_CONTINUES = re.compile(r"(?:\s|[)\]}#]|(?:else|elif|except|finally)\b)")
_JOINED = 25  # parts that are tried as one statement
_lock = threading.Lock()


@contextmanager
def for_its_author() -> Iterator[None]:
    """Warnings are of the program's author; to take them away is not safe between threads."""
    with _lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def parse(text: str, line: int = 1, *, whole: bool = False) -> tuple[list[ast.stmt], list[Problem]]:
    """`line` is that of the text's first line. Unless it counts as a whole, only broken statements are left out."""
    if len(text) > SOURCE:
        return _parse_beginning(text, line, whole)
    try:
        return _parse(text, line), []
    except _ERRORS as error:
        first = error
    dedented = textwrap.dedent(text)
    if dedented != text:
        try:
            return _parse(dedented, line), []
        except _ERRORS:
            pass
    return ([], [_problem(first, line)]) if whole else _recover(dedented, line, first)


def _parse_beginning(text: str, line: int, whole: bool) -> tuple[list[ast.stmt], list[Problem]]:
    """Of a text that is too long, the statements that fit."""
    end = BEGINNING
    while (end := text.rfind("\n", 0, end)) >= 0 and (text[end + 1] == "\n" or _CONTINUES.match(text, end + 1)):
        pass
    kept = text[: max(end, 0)]
    left = Problem(line + kept.count("\n") + bool(kept), f"more than {SOURCE:,} characters: the rest was left out")
    body, problems = parse(kept, line, whole=whole)
    return body, [*problems, left]


def _parse(text: str, line: int) -> list[ast.stmt]:
    padded = "\n" * (line - 1) + text if line <= _PADDED else text
    with for_its_author():
        body = ast.parse(padded).body
    if line > _PADDED:
        for one in body:
            ast.increment_lineno(one, line - 1)
    return body


def _recover(text: str, line: int, error: BaseException) -> tuple[list[ast.stmt], list[Problem]]:
    parts = _split(text)
    if len(parts) < 2 or len(parts) > 3000:
        return [], [_problem(error, line)]
    body: list[ast.stmt] = []
    problems: list[Problem] = []
    tries = 4 * len(parts) + 50
    at = 0
    while at < len(parts):
        start, _ = parts[at]
        failed: BaseException | None = None
        for width in range(1, min(_JOINED, len(parts) - at) + 1):
            chunk = "\n".join("\n".join(one) for _, one in parts[at : at + width])
            tries -= 1
            try:
                body.extend(_parse(chunk, line + start))
                failed = None
                at += width
                break
            except _ERRORS as one:
                failed = failed or one
            if tries < 0:
                break
        if failed is not None:
            problems.append(_problem(failed, line + start))
            at += 1
        if tries < -len(parts):
            break
    return body, problems or [_problem(error, line)]


def _split(text: str) -> list[tuple[int, list[str]]]:
    """Lines by statement at the top: (number of the first line, lines). Decorators stay with what they decorate."""
    parts: list[tuple[int, list[str]]] = []
    decorated = False
    for number, line in enumerate(text.split("\n")):
        begins = bool(line.strip()) and not _CONTINUES.match(line) and not decorated
        if begins or not parts:
            parts.append((number, [line]))
        else:
            parts[-1][1].append(line)
        if line.startswith("@"):
            decorated = True
        elif line.startswith(("def ", "async ", "class ")):
            decorated = False
    return parts


def _problem(error: BaseException, line: int) -> Problem:
    if isinstance(error, SyntaxError):
        return Problem(error.lineno or line, f"can't be parsed: {error.msg}")
    if isinstance(error, MemoryError | RecursionError):
        return Problem(line, "expressions stand too deep in each other")
    return Problem(line, f"can't be parsed: {error}"[:200])
