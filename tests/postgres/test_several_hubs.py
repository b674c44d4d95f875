"""Several hubs, each a process of its own, on one database: they start at once, tell the same, outlive each other."""

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psycopg
import pytest
from sqlalchemy import create_engine

from lineage_hub.store.counters import Counters
from lineage_hub.store.migrate import HEAD, upgrade
from lineage_hub.store.postgres import url_of
from tests.conformance.test_upgrading import load, sent
from tests.oracle.build import Body, complete, dataset, dataset_event, fail, lifecycle, schema, symlinks
from tests.oracle.events import distinct
from tests.postgres.hubs import QUESTIONS, get, hubs_on, post, told

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def asked(url: str, query: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute(query).fetchall()


def history(seed: int, count: int) -> list[Body]:
    """Runs of a few jobs on a few datasets, some of which are dropped, renamed and joined on the way."""
    dice = random.Random(seed)
    events: list[Body] = []
    for number in range(count):
        names = dice.sample("abcdef", 3)
        made = dataset(names[0], schema=schema(f"c{number % 3}"))
        how = fail if dice.random() < 0.1 else complete
        job = dice.choice(("j", "k", "l"))
        events.append(how(number, job=job, run=seed * 10_000 + number, inputs=names[1:], outputs=[made]))
        if dice.random() < 0.05:
            change = lifecycle("DROP") if dice.random() < 0.5 else lifecycle("RENAME", names[1])
            events.append(dataset_event(number, names[0], lifecycleStateChange=change))
        if dice.random() < 0.05:
            events.append(dataset_event(number, names[0], symlinks=symlinks(TABLE=f"t{number % 2}")))
    return events


def test_hubs_that_start_at_once_on_an_empty_database_all_serve(postgres_url: str, tmp_path: Path) -> None:
    with hubs_on(postgres_url, tmp_path, 3) as hubs:
        assert asked(postgres_url, "SELECT version_num FROM alembic_version") == [(HEAD,)]
        assert set(asked(postgres_url, "SELECT name, value FROM counter")) == {(name, 0) for name in Counters._fields}
        for number, hub in enumerate(hubs):
            assert post(hub, complete(number, run=number, inputs=["a"], outputs=["b"])).status_code == 204
        first, *others = [told(hub) for hub in hubs]
        assert all(other == first for other in others)
        assert first["/events/lineage"][1].count(b'"eventType"') == 3


def test_hubs_that_start_at_once_on_an_older_schema_bring_it_up_to_date(postgres_url: str, tmp_path: Path) -> None:
    engine = create_engine(url_of(postgres_url))
    with engine.begin() as connection:
        upgrade(connection, "0001")
        load(connection)
    engine.dispose()
    known = len(distinct(sent()))
    with hubs_on(postgres_url, tmp_path, 3) as hubs:
        assert asked(postgres_url, "SELECT version_num FROM alembic_version") == [(HEAD,)]
        for number, hub in enumerate(hubs):
            assert post(hub, complete(number, run=900 + number, outputs=["a"])).status_code == 204
            assert get(hub, "/events/lineage?limit=0").json()["totalCount"] == known + number + 1


def test_a_write_through_one_hub_is_told_by_the_other_at_once(postgres_url: str, tmp_path: Path) -> None:
    """In every kind of answer, each of which the other has given before and remembers."""
    with hubs_on(postgres_url, tmp_path, 2) as (one, other):
        post(one, complete(1, inputs=["a"], outputs=["b"]), complete(2, job="k", run=2, inputs=["b"], outputs=["a"]))
        before = told(other)
        assert {status for status, _ in before.values()} == {200}
        changes: list[Body] = [
            complete(3, run=3, inputs=["a", "c"], outputs=[dataset("b", schema=schema("x"))]),
            dataset_event(4, "a", schema=schema("y", "z")),
            fail(5, job="k", run=2),
            dataset_event(6, "b", lifecycleStateChange=lifecycle("RENAME", "a")),
            dataset_event(7, "b", symlinks=symlinks(TABLE="t")),
            dataset_event(8, "b", lifecycleStateChange=lifecycle("DROP")),
        ]
        for change in changes:
            assert post(one, change).status_code == 204
            after = told(other)
            assert after == told(one)
            assert after != before
            before = after


def test_two_hubs_that_write_at_once_tell_the_same_and_wait_for_nobody(postgres_url: str, tmp_path: Path) -> None:
    events = history(1, 240)
    shares = [events, random.Random(5).sample(events, len(events))]
    with hubs_on(postgres_url, tmp_path, 3) as (*writing, third):

        def write(number: int) -> None:
            for at in range(0, len(shares[number]), 12):
                assert post(writing[number], *shares[number][at : at + 12]).status_code == 204
                get(writing[number], QUESTIONS[at % len(QUESTIONS)])

        with ThreadPoolExecutor(2) as threads:
            for done in [threads.submit(write, number) for number in range(2)]:
                done.result()
        expected = told(third)
        assert [told(hub) for hub in writing] == [expected] * 2
        assert b'"totalCount":%d' % len(events) in expected["/events/lineage"][1]
    deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    assert asked(postgres_url, deadlocks) == [(0,)]


def test_a_hub_that_is_killed_hurts_nobody_and_loses_nothing(postgres_url: str, tmp_path: Path) -> None:
    events = history(2, 400)
    with hubs_on(postgres_url, tmp_path, 2) as (doomed, other):
        acknowledged: list[Body] = []

        def write() -> None:
            for at in range(0, len(events), 5):
                try:
                    answer = post(doomed, *events[at : at + 5])
                except httpx.TransportError:
                    return
                if answer.status_code == 204:
                    acknowledged.extend(events[at : at + 5])

        with ThreadPoolExecutor(1) as threads:
            writing = threads.submit(write)
            number = 0
            while len(acknowledged) < 60:
                assert post(other, complete(number, job="m", run=90_000 + number, outputs=["z"])).status_code == 204
                number += 1
                assert not writing.done()
            doomed.kill()
            writing.result()
        for _ in range(5):
            number += 1
            assert post(other, complete(number, job="m", run=90_000 + number, outputs=["z"])).status_code == 204
        # Whatever was acknowledged is there: sent again, none of it is new.
        counted = get(other, "/events/lineage?limit=0").json()["totalCount"]
        assert post(other, *acknowledged).status_code == 204
        assert get(other, "/events/lineage?limit=0").json()["totalCount"] == counted
