"""No statement of a read walks through all events: SQLite's own plans say so, on a loaded database."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from lineage_hub.model import EVERYTHING
from lineage_hub.query.live import Live
from lineage_hub.sample import shop_week
from lineage_hub.store import read_statements
from lineage_hub.store.prepared import Prepared
from tests.counters.counting import ask, counted_work, hub_in

# Walks the index of times backwards and stops at the first row.
STOPS_AT_ONCE = {"last_event_at", "TIME_OF", "TIME_AFTER"}
VALUES: dict[str, Any] = {
    "t": 2**62, "k": 2**62, "tenants": [1, 2], "ids": [1, 2, 3], "types": [1, 2], "job": 1, "shape": 1, "at": 5,
    "hash": b"h" * 16, "run": b"r" * 16, "id": b"i" * 16, "after": 0, "before": 2**62, "limit": 10, "offset": 0,
    "kind": 1, "names": ["a"], "seq": 0, "jobs": [1, 2], "runs": [b"r" * 16, b"s" * 16], "since": 5, "start": 0,
    "end": 2**62, "step": 900,
    "number": 0, "begin": 0, "skip": 3,
}  # fmt: skip
_WALKS = re.compile(r"^SCAN (event|earlier|raw|mention|blob|shape)\b")


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with hub_in(tmp_path_factory.mktemp("plans")) as client:
        week = shop_week(7, datetime(2026, 11, 15, 12, tzinfo=UTC))
        assert client.post("/api/v1/lineage/batch", json=week.events).status_code == 204
        yield client


def walks(hub: TestClient, statement: str) -> list[str]:
    with hub.app.state.store.reading() as connection:
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}")
        return [row[3] for row in plan if _WALKS.match(row[3])]


def every_statement() -> Iterator[tuple[str, Prepared]]:
    for bounds in product((False, True), repeat=3):
        for name, statement in read_statements.statements(*bounds).items():
            yield name, statement
    for name, value in vars(read_statements).items():
        if isinstance(value, Prepared):
            yield name, value


def test_no_statement_of_the_reader_walks_through_all_events(hub: TestClient) -> None:
    found: dict[str, list[str]] = {}
    count = 0
    for name, statement in every_statement():
        values = {**VALUES, "ids": [b"r" * 16, b"s" * 16]} if name in ("runs", "own_runs", "shared_runs") else VALUES
        with counted_work() as work, hub.app.state.store.reading() as connection:
            statement.rows(connection, values)
        count += 1
        walked = walks(hub, work.statements[-1])
        if name in STOPS_AT_ONCE:
            walked = [step for step in walked if "INDEX event_time" not in step]
        if walked:
            found[name] = walked
    assert not found
    assert count > 100


def test_no_question_walks_through_all_events(hub: TestClient) -> None:
    found: dict[str, list[str]] = {}
    for question in questions(hub):
        for moment in ({}, {"as_of": "2026-11-15T11:59:00Z", "known_at": "2030-01-01T00:00:00Z"}):
            with counted_work() as work:
                ask(hub, question, **moment)
            for statement in work.statements:
                if not statement.startswith("SELECT") or "ORDER BY event.event_at DESC\n LIMIT" in statement:
                    continue
                if walked := walks(hub, statement):
                    found[question] = [*walked, statement]
    assert not found


def test_neither_the_stream_nor_a_look_for_silence_walks_through_all_events(hub: TestClient) -> None:
    with counted_work() as work:
        page = Live(hub.app.state.store).page(EVERYTHING, 100, 50)
        assert ask(hub, "/producers", silent="52w")["totalCount"] == 0
    assert len(page.items) == 50
    found = {statement: walks(hub, statement) for statement in work.statements if statement.startswith("SELECT")}
    # Whether all shapes have a producer is found by counting those.
    walked = {step for steps in found.values() for step in steps}
    assert not {step for step in walked if not step.startswith("SCAN shape USING COVERING INDEX")}
    assert len(found) > 10


def questions(hub: TestClient) -> Iterator[str]:
    yield from ("/namespaces", "/jobs?limit=5", "/events/lineage?limit=5", "/tags", "/sources")
    yield from (f"/stats/{what}?period=DAY" for what in ("lineage-events", "jobs", "datasets", "sources"))
    jobs = ask(hub, "/jobs", limit=1000)["jobs"]
    for job in jobs[:: len(jobs) // 3]:
        path = f"/namespaces/{quote(job['namespace'], safe='')}/jobs/{quote(job['name'], safe='')}"
        yield from (path, f"{path}/versions", f"{path}/runs?limit=5", f"{path}/timeline?limit=5")
        node = quote(f"job:{job['namespace']}:{job['name']}", safe="")
        yield from (f"/lineage?nodeId={node}", f"/lineage?edges=30d&nodeId={node}")
    for space in ask(hub, "/namespaces")["namespaces"]:
        for dataset in ask(hub, f"/namespaces/{quote(space['name'], safe='')}/datasets", limit=1)["datasets"]:
            node = quote(f"dataset:{dataset['namespace']}:{dataset['name']}", safe="")
            path = f"/namespaces/{quote(dataset['namespace'], safe='')}/datasets/{quote(dataset['name'], safe='')}"
            yield from (path, f"{path}/versions", f"/lineage?nodeId={node}", f"/lineage?edges=ever&nodeId={node}")
            yield f"/column-lineage?withDownstream=true&nodeId={node}"
            yield from (f"{path}/{history}" for history in ("schema-history", "quality", "statistics"))
