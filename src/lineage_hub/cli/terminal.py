"""Rows and values enter; a table for a person or plain columns for a pipe leave on stdout.

A pipe gets no colours, no borders and no cut values, so that cut, grep and awk work on it.
"""

import json
import sys
from collections.abc import Iterable, Sequence


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    if sys.stdout.isatty():
        _print_rich(columns, rows)
    else:
        _print_plain(columns, rows)


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
