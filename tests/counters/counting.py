"""Code enters; how many SQL statements, database steps and calls of C functions it took leaves."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from sqlalchemy import event
from sqlalchemy.engine import Engine
from starlette.testclient import TestClient

from benchmarks.generator import in_batches
from lineage_hub.server.app import create_app
from lineage_hub.settings import load_settings

# SQLite reports its steps in portions of this many.
PORTION = 10


@dataclass
class Work:
    """What the database was asked, values in place, and how many steps of its machine the answers took."""

    statements: list[str] = field(default_factory=list)
    steps: int = 0

    def __len__(self) -> int:
        return len(self.statements)

    def described(self) -> str:
        shown = Counter(" ".join(text.split())[:90] for text in self.statements)
        return "\n".join(f"{count} × {text}" for text, count in shown.most_common())


@contextmanager
def counted_work() -> Iterator[Work]:
    """Of all engines, as SQLite itself tells; several rows of one insert are one statement, the end of one is none."""
    work = Work()
    inserted = ""

    def note(statement: str) -> None:
        nonlocal inserted
        table = statement.partition("VALUES")[0] if statement.startswith("INSERT") else ""
        if statement not in ("COMMIT", "ROLLBACK") and (not table or table != inserted):
            work.statements.append(statement)
        inserted = table

    def step() -> int:
        work.steps += PORTION
        return 0

    def watch(connection: Any, _record: Any, _proxy: Any) -> None:
        connection.set_progress_handler(step, PORTION)
        connection.set_trace_callback(note)

    event.listen(Engine, "checkout", watch)
    try:
        yield work
    finally:
        event.remove(Engine, "checkout", watch)


@contextmanager
def counted_calls() -> Iterator[Counter[str]]:
    """Calls of functions that are written in C, by qualified name, in this thread."""
    calls: Counter[str] = Counter()

    def note(_frame: Any, kind: str, called: Any) -> None:
        if kind == "c_call":
            calls[called.__qualname__] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(before)


@contextmanager
def hub_in(folder: Path, clock_at: int = 1_800_000_000_000_000_000) -> Iterator[TestClient]:
    """A hub whose clock stands still, so that it writes the same bytes every time."""
    settings = load_settings({"data_dir": folder, "log_level": "error"}, environ={})
    with TestClient(create_app(settings, clock=lambda: clock_at)) as client:
        yield client


def send(client: TestClient, events: Iterable[bytes], size: int = 500) -> None:
    for body in in_batches(iter(events), size):
        answer = client.post("/api/v1/lineage/batch", content=body)
        assert answer.status_code == 204, answer.text


def ask(client: TestClient, question: str, **parameters: object) -> dict[str, Any]:
    more = urlencode(parameters)
    answer = client.get(f"/api/v1{question}{'&' if '?' in question else '?'}{more}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found
