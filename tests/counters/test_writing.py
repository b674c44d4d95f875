"""A group costs a fixed few statements; an event whose job and datasets are known two rows and few bytes."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from benchmarks.generator import EventStream
from benchmarks.landscape import layered_landscape
from tests.counters.counting import counted_work, hub_in, send

JOBS = 40
# BEGIN, take numbers, read them, insert events, insert texts.
STATEMENTS_OF_A_GROUP = 5
# Those; of namespaces, names and facets what is there, the greatest number, an insert; the same of shapes; mentions.
STATEMENTS_OF_A_GROUP_OF_NEW_JOBS = 5 + 4 * 3 + 1
# For each of the two one of the table and of every index that its row is in; one of the texts and one of the counter.
PAGES_OF_A_LONE_RUN = 14
LOG_BYTES_OF_AN_EVENT_IN_500 = 3_200
DISK_BYTES_OF_AN_EVENT = 1_000
PAGE = 4_096 + 24


@pytest.fixture
def stream() -> EventStream:
    return EventStream(layered_landscape(JOBS), runs_per_job=200)


@pytest.fixture
def hub(tmp_path: Path, stream: EventStream) -> Iterator[TestClient]:
    """It has met every job, and its dictionary is trained."""
    with hub_in(tmp_path) as client:
        send(client, stream.events(0, 1_200))
        for thread in threading.enumerate():
            if thread.name == "dictionary":
                thread.join()
        send(client, stream.events(1_200, 80))
        yield client


def test_a_group_takes_the_same_few_statements_however_many_events_it_has(hub: TestClient, stream: EventStream) -> None:
    first = 2_000
    for size in (2, 40, 400):
        with counted_work() as work:
            send(hub, stream.events(first, size))
        assert len(work) <= STATEMENTS_OF_A_GROUP, f"{size} events:\n{work.described()}"
        first += size


def test_a_group_of_new_jobs_takes_few_statements_however_many_events_it_has(tmp_path: Path) -> None:
    stream = EventStream(layered_landscape(200))
    with hub_in(tmp_path) as hub:
        send(hub, stream.events(0, 2))
        first = 2
        for size in (2, 40, 200):
            with counted_work() as work:
                send(hub, stream.events(first, size))
            assert len(work) <= STATEMENTS_OF_A_GROUP_OF_NEW_JOBS, f"{size} events:\n{work.described()}"
            first += size


def test_an_event_is_one_row_and_its_text(hub: TestClient, stream: EventStream) -> None:
    before = rows_written(hub)
    send(hub, stream.events(2_000, 400))
    # The counter is one more; asking writes none.
    assert rows_written(hub) - before == 2 * 400 + 1


def test_a_repeat_adds_no_row(hub: TestClient, stream: EventStream) -> None:
    counts = "SELECT (SELECT count(*) FROM event), (SELECT count(*) FROM raw), (SELECT count(*) FROM shape)"
    before = read(hub, counts)
    send(hub, stream.events(0, 400))
    assert read(hub, counts) == before


def test_what_is_known_is_not_written_again(hub: TestClient, stream: EventStream) -> None:
    tables = ("space", "entity", "blob", "shape", "mention", "link", "cut", "tenant", "dictionary")
    counts = f"SELECT {', '.join(f'(SELECT count(*) FROM {table})' for table in tables)}"
    before = read(hub, counts)
    send(hub, stream.events(2_000, 400))
    assert read(hub, counts) == before


def test_an_event_adds_few_bytes_to_the_log(hub: TestClient, stream: EventStream, tmp_path: Path) -> None:
    lone = [grown_by(hub, tmp_path, stream, 2_000 + 2 * number, 2) for number in range(10)]
    # Pages are split now and then: the median tells.
    assert sorted(lone)[len(lone) // 2] <= PAGES_OF_A_LONE_RUN * PAGE, lone
    many = grown_by(hub, tmp_path, stream, 3_000, 500)
    assert many <= 500 * LOG_BYTES_OF_AN_EVENT_IN_500, f"{many / 500:.0f} bytes an event"


def test_an_event_takes_few_bytes_on_disk(hub: TestClient, stream: EventStream) -> None:
    before = read(hub, "SELECT page_count FROM pragma_page_count()")[0]
    send(hub, stream.events(2_000, 4_000))
    after = read(hub, "SELECT page_count FROM pragma_page_count()")[0]
    assert (after - before) * 4_096 <= 4_000 * DISK_BYTES_OF_AN_EVENT, (after - before) * 4_096 / 4_000


def grown_by(hub: TestClient, data: Path, stream: EventStream, first: int, count: int) -> int:
    """The length of the log that this group alone makes."""
    log = data / "lineage.db-wal"
    with closing(sqlite3.connect(data / "lineage.db")) as connection:
        assert connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    assert log.stat().st_size == 0
    send(hub, stream.events(first, count))
    return log.stat().st_size


def rows_written(hub: TestClient) -> int:
    """By the writer's connection since it was opened."""
    with hub.app.state.store.writing() as connection:
        return int(connection.connection.driver_connection.total_changes)


def read(hub: TestClient, statement: str) -> tuple[int, ...]:
    with hub.app.state.store.reading() as connection:
        return tuple(connection.exec_driver_sql(statement).one())
