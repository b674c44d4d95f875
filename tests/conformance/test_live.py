"""What is written is told to all who listen, once and in order, on every database; who comes back misses nothing."""

import asyncio
import json
import random
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any, NamedTuple

import pytest

from lineage_hub.errors import Overloaded
from lineage_hub.ingest.intake import Intake
from lineage_hub.model import EVERYTHING
from lineage_hub.query.live import TOPICS, Live
from lineage_hub.server import feed as feed_module
from lineage_hub.server.feed import Feed
from lineage_hub.server.stream_routes import Position, Wanted, messages
from lineage_hub.store.open import LineageStore
from tests.conformance.databases import Database, Sender
from tests.oracle.build import (
    Body,
    abort,
    at,
    complete,
    dataset,
    dataset_event,
    fail,
    lifecycle,
    run_event,
    run_id,
    running,
    schema,
    spelled,
    start,
)

PATIENCE_S = 60
EVERY = frozenset(TOPICS)


class Told(NamedTuple):
    topic: str
    id: str
    data: Any


def parsed(chunk: bytes) -> list[Told]:
    """By the rules of the format: fields by line, a blank line ends a message, one without data is none."""
    found = []
    for block in chunk.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":"))
        if "data" in fields:
            found.append(Told(fields["event"], fields["id"], json.loads(fields["data"])))
    return found


def wanted(topics: frozenset[str] = EVERY, **names: str) -> Wanted:
    return Wanted(topics, names.get("namespace"), names.get("job"), names.get("dataset"))


async def listen(
    feed: Feed, count: int, position: Position | None = None, wants: Wanted | None = None, last: int | None = None
) -> list[Told]:
    """The first so many messages."""
    last = await feed.last_seq() if last is None else last
    found: list[Told] = []
    async with asyncio.timeout(PATIENCE_S), aclosing(messages(feed, wants or wanted(), position, last)) as told:
        async for chunk in told:
            found += parsed(chunk)
            if len(found) >= count:
                break
    return found


@asynccontextmanager
async def opened(store: LineageStore) -> AsyncIterator[Feed]:
    feed = Feed(store)
    try:
        yield feed
    finally:
        await feed.stop()


def asked(store: LineageStore, count: int, position: Position, wants: Wanted | None = None) -> list[Told]:
    async def ask() -> list[Told]:
        async with opened(store) as feed:
            return await listen(feed, count, position, wants)

    return asyncio.run(ask())


EVENTS: list[Body] = [
    start(1, run=1, inputs=["a"]),
    complete(3, run=1, inputs=["a"], outputs=[dataset("b", schema=schema("x"))]),
    dataset_event(4, "b", lifecycleStateChange=lifecycle("DROP")),
    complete(6, run=2, inputs=["a"], outputs=[dataset("b", schema=schema("x"))]),
    start(5, run=2, inputs=["a"]),
]


def test_each_topic_tells_what_happened(store: LineageStore, sender: Sender) -> None:
    sender.send([EVENTS[0]])
    sender.send([EVENTS[0], *EVENTS[1:]])
    told = asked(store, 12, Position(0))
    job = {"namespace": "jobs", "name": "j"}
    a, b = {"namespace": "db", "name": "a"}, {"namespace": "db", "name": "b"}
    events = [one.data for one in told if one.topic == "events"]
    assert [one["eventTime"] for one in events] == [at(1), at(3), at(4), at(6), at(5)], "a repeat tells nothing"
    assert [one["eventType"] for one in events] == ["START", "COMPLETE", None, "COMPLETE", "START"]
    assert (events[1]["job"], events[1]["run"]) == (job, run_id(1))
    assert (events[1]["inputs"], events[1]["outputs"]) == ([a], [b])
    assert (events[2]["kind"], events[2]["dataset"]) == ("DatasetEvent", b)
    runs = [one.data for one in told if one.topic == "runs"]
    assert [(one["run"], one["stateBefore"], one["state"], one["durationMs"]) for one in runs] == [
        (run_id(1), None, "RUNNING", None),
        (run_id(1), "RUNNING", "COMPLETED", 2000),
        (run_id(2), None, "COMPLETED", 0),
        (run_id(2), "COMPLETED", "COMPLETED", 1000),
    ], "a late START tells when the run began"
    changes = [one.data for one in told if one.topic == "changes"]
    assert [(one["jobs"], one["datasets"], one["movesNames"]) for one in changes] == [
        ([job], [a], False),
        ([job], [a, b], False),
        ([], [b], True),
    ], "the second run says what the first has said"
    assert [change["event"] for change in changes] == [one["id"] for one in events[:3]]


TRIED_AGAIN: list[tuple[Body, tuple[str | None, str, float | None] | None]] = [
    (start(10), (None, "RUNNING", None)),
    (running(11), None),
    (running(12), None),
    (fail(15), ("RUNNING", "FAILED", 5000)),
    (start(20), ("FAILED", "RUNNING", None)),
    (running(21), None),
    (complete(30), ("RUNNING", "COMPLETED", 20_000)),
    (complete(31), ("COMPLETED", "COMPLETED", 21_000)),
    (complete(29), None),
    (running(9), ("COMPLETED", "COMPLETED", 22_000)),
    (run_event("OTHER", 40), None),
    (abort(32), ("COMPLETED", "ABORTED", 23_000)),
    (start(50), ("ABORTED", "RUNNING", None)),
]


@pytest.mark.parametrize("together", [True, False])
def test_each_attempt_of_a_run_is_told_and_nothing_that_leaves_it_as_it_was(
    store: LineageStore, sender: Sender, together: bool
) -> None:
    expected = [told for _, told in TRIED_AGAIN if told is not None]
    bodies = [body for body, _ in TRIED_AGAIN]
    for part in [bodies] if together else [[body] for body in bodies]:
        sender.send(part)
    runs = asked(store, len(expected), Position(0), wanted(frozenset({"runs"})))
    assert [(one.data["stateBefore"], one.data["state"], one.data["durationMs"]) for one in runs] == expected


@pytest.mark.parametrize("many", [0, 60])
def test_a_listener_hears_each_attempt_as_one_that_comes_later_does(
    store: LineageStore, sender: Sender, many: int
) -> None:
    """Also of a run that has completed many times before, and while others read elsewhere."""
    bodies = [*(complete(1 + tick / 100) for tick in range(many)), *(one for one, _ in TRIED_AGAIN)]
    for number in range(7, len(bodies), 7):
        bodies.insert(number, complete(number, job="other", run=100 + number))
    live, found = Live(store), []
    for number, body in enumerate(bodies):
        sender.send([body])
        found += live.page(EVERYTHING, number, 1).items
        if number % 7 == 6:
            live.page(EVERYTHING, number // 2, number // 3)
    assert len(found) == len(bodies)
    assert found == Live(store).page(EVERYTHING, 0, 1000).items
    later = Live(store)
    assert found == [one for begin in range(0, len(found), 8) for one in later.page(EVERYTHING, begin, 8).items]


def test_from_every_id_the_rest_follows_on_every_hub(database: Database) -> None:
    one, two = database.store(), database.store()
    sender = database.sender(one)
    for body in EVENTS:
        sender.send([body])
    every = asked(one, 12, Position(0))
    assert len({told.id for told in every}) == len(every) == 12
    for number, told in enumerate(every[:-1]):
        seq, _, part = told.id.partition(".")
        rest = every[number + 1 :]
        assert asked(two, len(rest), Position(int(seq), int(part))) == rest
    for topic in TOPICS:
        of_topic = [told for told in every if told.topic == topic]
        assert asked(two, len(of_topic), Position(0), wanted(frozenset({topic}))) == of_topic


FILTERS: dict[str, tuple[dict[str, str], list[int]]] = {
    "a dataset": ({"dataset": "b"}, [1, 2, 3]),
    "a dataset of a namespace": ({"namespace": "db", "dataset": "a"}, [0, 1, 3, 4]),
    "a dataset of another namespace": ({"namespace": "jobs", "dataset": "a"}, []),
    "a job": ({"job": "j"}, [0, 1, 3, 4]),
    "a job and a dataset": ({"job": "j", "dataset": "b"}, [1, 3]),
    "a namespace": ({"namespace": "db"}, [0, 1, 2, 3, 4]),
    "a namespace of jobs": ({"namespace": "jobs"}, [0, 1, 3, 4]),
}


@pytest.mark.parametrize("name", FILTERS)
def test_filters_keep_what_speaks_of_a_name(store: LineageStore, sender: Sender, name: str) -> None:
    sender.send(EVENTS)
    names, expected = FILTERS[name]
    last = complete(9, run=9, job="j")
    last["job"] = {"namespace": names.get("namespace", "jobs"), "name": names.get("job", "end"), "facets": {}}
    last["outputs"] = [dataset(names.get("dataset", "end"), names.get("namespace", "db"))]
    sender.send([last])
    told = asked(store, len(expected) + 1, Position(0), wanted(frozenset({"events"}), **names))
    times = [at(1), at(3), at(4), at(6), at(5)]
    assert [one.data["eventTime"] for one in told] == [*(times[number] for number in expected), at(9)]


def test_a_hub_without_that_event_says_so_and_goes_on(store: LineageStore, sender: Sender) -> None:
    sender.send(EVENTS)

    async def resumed() -> list[Told]:
        async with opened(store) as feed, aclosing(messages(feed, wanted(), Position(99, 1), 5)) as told:
            return parsed(await anext(told))

    (reset,) = asyncio.run(resumed())
    assert (reset.topic, reset.id) == ("reset", "5")


def test_a_listener_hears_that_nothing_happens(store: LineageStore) -> None:
    async def beats() -> list[bytes]:
        async with opened(store) as feed, aclosing(messages(feed, wanted(), None, 0, 0.01)) as told:
            return [await anext(told) for _ in range(3)]

    greeting, *rest = asyncio.run(beats())
    assert greeting == b"retry: 2000\nid: 0\n\n"
    assert rest == [b": still there\nid: 0\n\n"] * 2


def test_nothing_is_left_when_the_last_one_goes(store: LineageStore) -> None:
    async def come_and_go() -> None:
        feed = Feed(store)
        streams: list[AsyncIterator[bytes]] = [messages(feed, wanted(), None, 0) for _ in range(3)]
        for one in streams:
            await anext(one)
        assert (feed.listeners, len(store.changes.listeners)) == (3, 1)
        for one in streams:
            await one.aclose()  # type: ignore[attr-defined]
        assert (feed.listeners, store.changes.listeners) == (0, [])
        left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(*left)

    asyncio.run(come_and_go())


def test_there_is_room_for_so_many_and_none_while_it_stops(
    store: LineageStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_module, "MOST_LISTENERS", 1)

    async def crowd() -> None:
        feed = Feed(store)
        first = messages(feed, wanted(), None, await feed.last_seq())
        await anext(first)
        with pytest.raises(Overloaded, match="listen already"):
            await feed.last_seq()
        ending = asyncio.create_task(anext(first, None))  # type: ignore[arg-type]
        await asyncio.sleep(0)
        feed.close()
        async with asyncio.timeout(PATIENCE_S):
            assert await ending is None, "it comes to its end"
        with pytest.raises(Overloaded, match="stopping"):
            await feed.last_seq()
        await feed.stop()

    asyncio.run(crowd())


def test_one_that_is_behind_reads_from_the_store(
    store: LineageStore, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed_module, "MOST_HELD", 10)
    monkeypatch.setattr(feed_module, "PAGE_EVENTS", 7)

    async def slow() -> list[Told]:
        feed = Feed(store)
        stream = messages(feed, wanted(frozenset({"events"})), None, await feed.last_seq())
        async with asyncio.timeout(PATIENCE_S), aclosing(stream):
            await anext(stream)
            for number in range(10):
                bodies = [complete(20 * number + one, run=20 * number + one, outputs=["o"]) for one in range(20)]
                await asyncio.to_thread(sender.send, bodies)
            while (news := feed.news()) and feed._last < 200:
                await news
            assert len(feed._held) == 10
            found: list[Told] = []
            while len(found) < 200:
                found += parsed(await anext(stream))
        await feed.stop()
        return found

    told = asyncio.run(slow())
    assert [one.data["run"] for one in told] == [run_id(number) for number in range(200)]
    assert [one.id for one in told] == [f"{number + 1}.0" for number in range(200)]


def bursts(dice: random.Random, total: int) -> list[list[Body]]:
    found, number = [], 0
    while number < total:
        size = min(dice.choice((1, 1, 2, 7, 40)), total - number)
        found.append(
            [start(at, job=f"j{at % 5}", run=at, outputs=[f"o{at % 7}"]) for at in range(number, number + size)]
        )
        number += size
    return found


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize("writers", ["itself", "another hub", "both"])
def test_in_a_soak_nobody_misses_or_repeats_anything(
    database: Database, monkeypatch: pytest.MonkeyPatch, writers: str
) -> None:
    """Who writes wakes those who listen; the regular look is for other hubs, so it is put off where there is none."""
    if writers == "itself":
        monkeypatch.setattr(feed_module, "LOOK_EVERY_S", 3600.0)
    else:
        monkeypatch.setattr(feed_module, "LOOK_EVERY_S", 0.05)
    monkeypatch.setattr(feed_module, "MOST_HELD", 60)
    monkeypatch.setattr(feed_module, "PAGE_EVENTS", 25)
    total, here, there = 1_000, database.store(), database.store()
    stores = {"itself": [here], "another hub": [there], "both": [here, there]}[writers]

    async def write(store: LineageStore, share: list[list[Body]], dice: random.Random) -> None:
        intake = Intake(store, database.settings)
        intake.start()
        for burst in share:
            outcomes = await intake.submit(EVERYTHING, [spelled(body) for body in burst], "soak")
            assert all(outcome.error is None for outcome in outcomes)
            if dice.random() < 0.3:
                await intake.submit(EVERYTHING, [spelled(burst[0])], "soak")
                await asyncio.sleep(dice.random() * 0.02)
        await intake.stop()

    async def follow(feed: Feed, restless: bool, dice: random.Random) -> list[Told]:
        """Goes away now and then, and comes back with the last id."""
        found: list[Told] = []
        position = Position(0)
        while len(found) < total:
            stay = dice.randrange(1, 60) if restless else total
            async with aclosing(messages(feed, wanted(frozenset({"events"})), position, await feed.last_seq())) as told:
                async for chunk in told:
                    found += parsed(chunk)[: max(stay, 0)] if restless else parsed(chunk)
                    stay -= len(parsed(chunk))
                    if len(found) >= total or stay <= 0:
                        break
            if found:
                seq, _, part = found[-1].id.partition(".")
                position = Position(int(seq), int(part))
        return found

    async def soak() -> list[list[Told]]:
        dice = random.Random(7)
        work = bursts(dice, total)
        feed = Feed(here)
        async with asyncio.timeout(200):
            followers = [
                asyncio.create_task(follow(feed, number % 2 == 1, random.Random(number))) for number in range(6)
            ]
            every = [write(store, work[number :: len(stores)], dice) for number, store in enumerate(stores)]
            await asyncio.gather(*every)
            heard = list(await asyncio.gather(*followers))
        await feed.stop()
        return heard

    heard = asyncio.run(soak())
    runs = {run_id(number) for number in range(total)}
    for one in heard:
        assert [told.id for told in one] == [told.id for told in heard[0]]
        assert {told.data["run"] for told in one} == runs
        numbers = [float(told.id) for told in one]
        assert numbers == sorted(numbers)
