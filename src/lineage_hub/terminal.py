"""Rows and values enter; a table for a person or plain columns for a pipe leave on stdout.

A pipe gets no colours, no borders and no cut values, so that cut, grep and awk work on it.
Names come from whoever sends events: what would steer a terminal is written out, so a name stays on its line.
"""

import json
import sys
from collections.abc import Iterable, Sequence

_VISIBLE = {at: repr(chr(at))[1:-1] for at in (*range(0x20), *range(0x7F, 0xA0))}
_BUT_LINES = {at: shown for at, shown in _VISIBLE.items() if chr(at) not in "\n\t"}


def one_line(text: str) -> str:
    return text.translate(_VISIBLE)


def lines_of_text(text: str) -> str:
    return text.translate(_BUT_LINES)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    safe = [[one_line(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _print_rich(columns, safe)
    else:
        _print_plain(columns, safe)


def print_json(value: object) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False))


def _print_rich(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*columns, box=None, header_style="bold", pad_edge=False)
    for row in rows:
        # As Text, because names in brackets are not markup.
        table.add_row(*(Text(cell) for cell in row))
    Console().print(table)


def _print_plain(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    lines = [[title.upper() for title in columns], *([*row] for row in rows)]
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def print_heading(question: str, command: str = "") -> None:
    """A question, and the command that asks it."""
    print()
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.text import Text

        Console().print(Text(question, style="bold"))
    else:
        print(question)
    if command:
        print(f"  $ {command}")
    print(flush=True)
