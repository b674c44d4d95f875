"""Pages tell what a look through everything tells, also while others write: their order, their totals, their ends."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from lineage_hub.lineage.rows import EventRow
from lineage_hub.model import EVERYTHING, FOREVER, NOW, Moment
from lineage_hub.query import events as events_query
from lineage_hub.query import namespaces as namespaces_query
from lineage_hub.query.datasets import datasets
from lineage_hub.query.jobs import jobs
from lineage_hub.query.queries import Queries
from lineage_hub.query.time_slices import TimeSlices
from lineage_hub.store import tables
from tests.conformance.databases import Database, count
from tests.oracle.build import Body, at, complete, dataset, dataset_event, fail, lifecycle, ns, start, symlinks

BEGINNING = -(2**63)


def plain(answer: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(answer))


def queries_on(database: Database, size: int = 3) -> Queries:
    """With slices so small that a few events fill many."""
    queries = Queries(database.store())
    queries.slices = TimeSlices(size)
    return queries


def every_event(queries: Queries) -> list[EventRow]:
    with queries.at(EVERYTHING, NOW) as snapshot:
        return snapshot.reader.page_events(BEGINNING, FOREVER, False, 100_000, 0)


def assert_windows(queries: Queries, dice: random.Random) -> None:
    rows = every_event(queries)
    times = sorted({row.event_at for row in rows}) or [0]
    for _ in range(12):
        after = dice.choice([BEGINNING, dice.choice(times) - dice.randint(0, 1)])
        before = dice.choice([FOREVER, dice.choice(times) + dice.randint(0, 1)])
        as_of = dice.choice([FOREVER, FOREVER, dice.choice(times)])
        down, limit, offset = dice.random() < 0.5, dice.randint(0, 7), dice.choice([0, 0, 1, dice.randrange(60)])
        seen = [row for row in rows if after < row.event_at < before and row.event_at <= as_of]
        expected = sorted(seen, key=lambda row: row.ord, reverse=down)
        with queries.at(EVERYTHING, Moment(as_of)) as snapshot:
            found = events_query.events(snapshot, after, before, down, limit, offset)
        assert found["totalCount"] == len(expected)
        assert found["ids"] == [row.reference for row in expected[offset : offset + limit]]


def some_runs(dice: random.Random, first: int, many: int) -> Iterator[Body]:
    """Some late, many of them at one time."""
    for number in range(first, first + many):
        seconds = dice.choice([number, number, 5, dice.randrange(first + 1)])
        yield complete(seconds, run=number, outputs=[dice.choice("abc")])


@pytest.mark.parametrize("seed", range(3))
def test_events_are_counted_and_paged_whoever_writes_when(database: Database, seed: int) -> None:
    dice = random.Random(seed)
    one, other = database.sender(), database.sender()
    asking = [queries_on(database), Queries(one.store), queries_on(database, 1)]
    for queries in asking:
        assert_windows(queries, dice)
    for turn in range(6):
        batch = list(some_runs(dice, turn * 10, 10))
        dice.choice((one, other)).send(batch)
        # A repeat uses numbers up, and adds nothing.
        dice.choice((one, other)).send(batch[:3])
        for queries in asking:
            assert_windows(queries, dice)


def test_events_of_one_time_stay_together_however_many_they_are(database: Database) -> None:
    sender = database.sender()
    sender.send([complete(7, run=number, outputs=["a"]) for number in range(40)])
    sender.send([complete(number, run=100 + number, outputs=["a"]) for number in range(15)])
    assert_windows(queries_on(database), random.Random(4))
    assert count(sender.store, tables.event) == 55


def test_a_snapshot_that_is_older_than_what_was_counted_counts_for_itself(database: Database) -> None:
    sender = database.sender()
    queries = queries_on(database)
    sender.send([complete(number, run=number, outputs=["a"]) for number in range(9)])
    with queries.at(EVERYTHING, NOW) as older:
        sender.send([complete(20, run=20, job="new", outputs=["new"])])
        with queries.at(EVERYTHING, NOW) as newer:
            assert events_query.events(newer, BEGINNING, FOREVER, True, 5, 0)["totalCount"] == 10
            assert jobs(newer, None, 5, 0)["totalCount"] == 2
            assert datasets(newer, None, 5, 0)["totalCount"] == 2
        assert events_query.events(older, BEGINNING, FOREVER, True, 5, 0)["totalCount"] == 9
        assert plain(jobs(older, None, 5, 0))["totalCount"] == 1
        assert [one["name"] for one in plain(datasets(older, None, 5, 0))["datasets"]] == ["a"]


NAMES = ["b", "a", "ä", "Z", "a b", "z/ü", "a.b", "~", "\U0001f600", "aa"]


def test_names_are_paged_in_the_order_of_their_characters(database: Database) -> None:
    """Whatever the database would sort them by."""
    one, other = database.sender(), database.sender()
    queries = Queries(one.store)
    heard: set[tuple[str, str]] = set()
    for turn, name in enumerate(NAMES):
        spaces = ("s", "S") if turn % 2 else ("s",)
        body = complete(turn, job=name, run=turn, outputs=[dataset(name, space) for space in spaces])
        (other if turn % 3 else one).send([body])
        heard |= {(space, name) for space in spaces}
        with queries.at(EVERYTHING, NOW) as snapshot:
            for namespace in (None, "s", "S", "none"):
                expected = sorted(name for name in heard if namespace in (None, name[0]))
                assert paged(lambda limit, offset, n=namespace: datasets(snapshot, n, limit, offset), 3) == expected
            found = paged(lambda limit, offset: jobs(snapshot, "jobs", limit, offset), 4)
            assert found == [("jobs", name) for name in sorted(NAMES[: turn + 1])]


def paged(ask: Any, limit: int) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    while True:
        answer = plain(ask(limit, len(found)))
        kind = "datasets" if "datasets" in answer else "jobs"
        found += [(one["namespace"], one["name"]) for one in answer[kind]]
        if not answer[kind]:
            assert answer["totalCount"] == len(found)
            return found


def test_lists_leave_out_what_is_dropped_renamed_and_joined_as_soon_as_it_is(database: Database) -> None:
    one, other = database.sender(), database.sender()
    queries = Queries(one.store)
    one.send([complete(1, inputs=["a", "b"], outputs=["c", "d"])])
    steps: list[tuple[Body, str]] = [
        (dataset_event(2, "a", lifecycleStateChange=lifecycle("DROP")), "bcd"),
        (complete(3, job="k", run=3, inputs=["a"], outputs=["c"]), "abcd"),
        (dataset_event(4, "e", lifecycleStateChange=lifecycle("RENAME", "b")), "acde"),
        (dataset_event(5, "c", symlinks=symlinks(TABLE="d")), "ade"),
        (dataset_event(6, "c", symlinks=symlinks()), "acde"),
        (dataset_event(7, "c", symlinks=symlinks(TABLE="d")), "ade"),
        # The run began before the drop after all, so that its mention is gone with it.
        (start(0.5, job="k", run=3), "de"),
    ]
    for turn, (body, left) in enumerate(steps):
        (other if turn % 2 else one).send([body])
        with queries.at(EVERYTHING, NOW) as snapshot:
            found = paged(lambda limit, offset: datasets(snapshot, "db", limit, offset), 2)
        assert "".join(name for _, name in found) == left, body


def test_jobs_are_listed_by_the_state_of_their_last_run_as_it_is(database: Database) -> None:
    one, other = database.sender(), database.sender()
    queries = Queries(one.store)

    def listed(state: str) -> list[str]:
        with queries.at(EVERYTHING, NOW) as snapshot:
            return [name for _, name in paged(lambda limit, offset: jobs(snapshot, None, limit, offset, [state]), 1)]

    one.send([complete(1, job="j", run=1), complete(1, job="k", run=2), start(1, job="l", run=3)])
    assert (listed("COMPLETED"), listed("RUNNING"), listed("FAILED")) == (["j", "k"], ["l"], [])
    other.send([fail(2, job="l", run=3), start(3, job="k", run=4)])
    assert (listed("COMPLETED"), listed("RUNNING"), listed("FAILED")) == (["j"], ["k"], ["l"])


def test_a_namespace_is_as_old_as_the_first_event_that_names_something_in_it(database: Database) -> None:
    one, other = database.sender(), database.sender()
    queries = Queries(one.store)

    def created(moment: Moment = NOW) -> dict[str, str]:
        with queries.at(EVERYTHING, moment) as snapshot:
            found = namespaces_query.namespaces(snapshot, 100, 0)
        return {space["name"]: space["createdAt"] for space in found["namespaces"]}

    assert created() == {}
    one.send([complete(10, outputs=[dataset("a", "x")])])
    assert created() == {"jobs": at(10), "x": at(10)}
    other.send([complete(20, run=2, outputs=[dataset("b", "y")]), complete(5, run=3, outputs=[dataset("c", "x")])])
    assert created() == {"jobs": at(5), "x": at(5), "y": at(20)}
    one.send([complete(1, run=4, outputs=[dataset("b", "y")])])
    assert created() == {"jobs": at(1), "x": at(5), "y": at(1)}
    assert created(Moment(as_of=ns(4))) == {"jobs": at(1), "y": at(1)}


def test_a_run_whose_rest_another_job_tells_later_is_not_remembered_as_it_was(database: Database) -> None:
    """Whichever half comes first; each answer is asked twice, so that the second is a remembered one."""
    sender = database.sender()
    queries = queries_on(database)

    def latest(job: str) -> tuple[Any, ...]:
        for _ in range(2):
            with queries.at(EVERYTHING, NOW) as snapshot:
                found = {one["name"]: one["latestRun"] for one in plain(jobs(snapshot, None, 9, 0))["jobs"]}
                completed = [one["name"] for one in plain(jobs(snapshot, None, 9, 0, ["COMPLETED"]))["jobs"]]
        return found[job]["state"], found[job]["startedAt"][-3:], job in completed

    sender.send([start(1, job="first", run=1), complete(8, job="other end", run=2)])
    assert latest("first") == ("RUNNING", "01Z", False)
    assert latest("other end") == ("COMPLETED", "08Z", True)
    sender.send([complete(5, job="first end", run=1), start(3, job="other", run=2)])
    assert latest("first") == ("COMPLETED", "01Z", True)
    assert latest("other end") == ("COMPLETED", "03Z", True)
