"""A hub that folds its history again enters; how far it is leaves, as lines, or as a bar until it is done."""

import sys
import time

from msgspec import Struct

from lineage_hub.cli.hub import Hub
from lineage_hub.terminal import print_table

LOOK_EVERY_S = 0.2


class Refold(Struct, frozen=True, rename="camel"):
    number: int
    state: str
    shapes_scanned: int
    shapes_total: int
    shapes_left: int
    events_looked_at: int
    events_changed: int
    started_at: str | None = None
    finished_at: str | None = None


def wait_until_folded(hub: Hub) -> Refold:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    shown = Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())
    with shown:
        task = shown.add_task("history is folded", total=None)
        while (found := hub.read(Refold, "/rules/refold")).state != "done":
            shown.update(task, description=_said(found))
            time.sleep(LOOK_EVERY_S)
    return found


def _said(found: Refold) -> str:
    if found.shapes_scanned < found.shapes_total:
        return f"looking for what is to be folded: {100 * found.shapes_scanned // found.shapes_total} %"
    return f"{found.events_looked_at} events looked at, {found.events_changed} changed, {found.shapes_left} kinds left"


def print_refold(found: Refold) -> None:
    print_table(
        ("state", "events looked at", "changed", "started", "finished"),
        [(found.state, str(found.events_looked_at), str(found.events_changed), found.started_at or "",
          found.finished_at or "")],
    )  # fmt: skip
