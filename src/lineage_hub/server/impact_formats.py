"""An answer about impact enters; a table for a spreadsheet or a page for a ticket leaves."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

MEDIA_TYPES = {"csv": "text/csv", "markdown": "text/markdown"}
HEADINGS = ("type", "namespace", "name", "distance", "via", "columns", "owners", "lastUseAt", "lastUseBy", "lastRunId")
Answer = dict[str, Any]


def written(answer: Answer, style: str) -> str:
    return {"csv": _csv, "markdown": _markdown}[style](answer)


def _csv(answer: Answer) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(HEADINGS)
    writer.writerows(map(_row, answer["affected"]))
    return text.getvalue()


def _row(one: Answer) -> tuple[str, ...]:
    use = one["lastUse"]
    by = f"{use['job']['namespace']}:{use['job']['name']}" if use else ""
    columns = [*one.get("columns", ()), *(["*"] if one.get("wholeDataset") else [])]
    return (
        one["type"],
        one["namespace"],
        one["name"],
        str(one["distance"]),
        one.get("via", "tables"),
        " ".join(columns),
        " ".join(one["owners"]),
        use["at"] if use else "",
        by,
        use["runId"] if use else "",
    )


def _markdown(answer: Answer) -> str:
    counts = answer["counts"]
    lines = [
        f"# What depends on {_plain(answer['node'])}",
        "",
        f"{_many(counts['datasets'], 'dataset')} and {_many(counts['jobs'], 'job')} "
        f"in {_many(counts['namespaces'], 'namespace')}; "
        f"{_many(counts['owners'], 'owner')}, {counts['withoutOwner']} without one.",
        "",
    ]
    if "byColumns" in answer:
        exact, rest = answer["byColumns"], answer["byTablesOnly"]
        lines += [
            f"Column lineage reaches {_many(exact['columns'], 'column')} of {_many(exact['datasets'], 'dataset')}, "
            f"by {_many(exact['jobs'], 'job')}. By tables only are reached: "
            f"{_many(rest['datasets'], 'dataset')} and {_many(rest['jobs'], 'job')}; "
            f"of {rest['datasetsWithoutColumnLineage']} of these datasets nobody tells where their columns come from.",
            "",
        ]
    owners = [(one["owner"] or "(nobody)", str(one["datasets"]), str(one["jobs"])) for one in answer["byOwner"]]
    spaces = [(one["namespace"], str(one["datasets"]), str(one["jobs"])) for one in answer["byNamespace"]]
    lines += ["## By owner", "", *_table(("owner", "datasets", "jobs"), owners), ""]
    lines += ["## By namespace", "", *_table(("namespace", "datasets", "jobs"), spaces), ""]
    lines += ["## All of it", "", *_table(HEADINGS, map(_row, answer["affected"]))]
    if answer["truncated"]:
        lines += ["", f"{answer['hidden_nodes']} more are not shown."]
    return "\n".join(lines) + "\n"


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _table(headings: Iterable[str], rows: Iterable[tuple[str, ...]]) -> list[str]:
    headings = list(headings)
    return [_line(headings), "|" + "---|" * len(headings), *[_line(map(_plain, row)) for row in rows]]


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _plain(text: str) -> str:
    """So that a name can't end its cell, its line or become markup."""
    for char in "\\`*_[]<>|":
        text = text.replace(char, "\\" + char)
    return " ".join(text.split())
