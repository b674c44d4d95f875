"""A transaction that fails leaves nothing behind in the writer's memory: what it interned is interned again."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine
from starlette.testclient import TestClient

from benchmarks.generator import EventStream
from benchmarks.landscape import layered_landscape
from tests.counters.counting import ask, hub_in, send


@contextmanager
def without_room() -> Iterator[None]:
    """A full disk is mostly met when a transaction ends: until then its pages are in memory."""

    def fail(_connection: Any) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    event.listen(Engine, "commit", fail)
    try:
        yield
    finally:
        event.remove(Engine, "commit", fail)


def refused(client: TestClient, events: list[bytes]) -> bool:
    answer = client.post("/api/v1/lineage/batch", content=b"[" + b",".join(events) + b"]")
    return answer.status_code == 503 and answer.json()["error"] == "storage_full"


def test_shapes_of_a_failed_transaction_are_written_with_the_next(tmp_path: Path) -> None:
    landscape = layered_landscape(40)
    events = list(EventStream(landscape))
    first, second = events[:40], events[40:]
    with hub_in(tmp_path / "failed") as failed, hub_in(tmp_path / "smooth") as smooth:
        send(failed, events[:2])
        with without_room():
            assert refused(failed, first)
        # Others take the numbers that the failed transaction had given.
        send(failed, second)
        send(failed, first)
        send(smooth, events)
        for table in landscape.tables:
            found = failed.get("/api/v1/lineage", params={"nodeId": table.node_id, "depth": 1})
            assert found.content == smooth.get("/api/v1/lineage", params={"nodeId": table.node_id, "depth": 1}).content
        for question in ("/jobs", "/namespaces"):
            assert ask(failed, question, limit=1_000) == ask(smooth, question, limit=1_000)


def test_a_dictionary_of_a_failed_transaction_is_kept_with_the_next(tmp_path: Path) -> None:
    stream = EventStream(layered_landscape(40), runs_per_job=40)
    with hub_in(tmp_path) as hub:
        send(hub, stream.events(0, 1_200))
        for thread in threading.enumerate():
            if thread.name == "dictionary":
                thread.join()
        with without_room():
            assert refused(hub, list(stream.events(1_200, 400)))
        send(hub, stream.events(1_200, 400))
    with hub_in(tmp_path) as restarted:
        found = ask(restarted, "/events/lineage", limit=2_000)
        assert found["totalCount"] == len(found["events"]) == 1_600
