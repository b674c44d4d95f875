"""Two writers on one database: nothing is lost, nobody waits for ever, and the order leaves no trace."""

import itertools
import random
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy import select, text

from lineage_hub.model import EVERYTHING, NOW
from lineage_hub.query.queries import Queries
from lineage_hub.store import tables
from lineage_hub.store.open import LineageStore
from tests.conformance.asking import answers, assert_equal
from tests.conformance.databases import Database, Databases, count, sending
from tests.conformance.histories import taken_over_time
from tests.oracle.build import complete, dataset, facet, schema, symlinks, taken
from tests.oracle.events import Taken, distinct
from tests.properties.hubs import Clock

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def write_at_once(database: Database, shares: list[list[list[Taken]]]) -> None:
    """Each share in a thread, with a store and an intake of its own; a list in it is one transaction."""
    begin = Barrier(len(shares))

    def work(groups: list[list[Taken]]) -> None:
        store = database.store()
        with sending(store, database.settings, Clock()) as sender:
            begin.wait()
            for group in groups:
                sender.clock.now = group[0].known_at
                for outcome in sender.send([one.raw for one in group], group[0].tenant):
                    assert outcome.error is None

    with ThreadPoolExecutor(len(shares)) as threads:
        for done in [threads.submit(work, share) for share in shares]:
            done.result()


def grouped(sent: list[Taken], dice: random.Random) -> list[list[Taken]]:
    groups: list[list[Taken]] = []
    for one in sent:
        joins = groups and dice.random() < 0.7
        if joins and (groups[-1][0].tenant, groups[-1][0].known_at) == (one.tenant, one.known_at):
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def deadlocks(store: LineageStore) -> int:
    if store.is_sqlite:
        return 0
    with store.reading() as connection:
        query = text("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        return int(connection.execute(query).scalar_one())


@pytest.mark.parametrize("seed", range(2))
def test_two_writers_with_overlapping_events_give_what_one_gives(databases: Databases, seed: int) -> None:
    dice = random.Random(seed)
    sent = [Taken(one.tenant, one.known_at // 20 * 20, one.raw) for one in taken_over_time(seed, most=30)]
    told = distinct(sent)
    plain = databases.new().sender()
    plain.send_taken(sent)
    shared = databases.new()
    by_time = sorted(sent, key=lambda one: (one.known_at, one.tenant))
    shares = [
        by_time,
        sorted(dice.sample(sent, len(sent)), key=lambda one: (one.known_at, one.tenant), reverse=True),
    ]
    write_at_once(shared, [grouped(share, dice) for share in shares])
    store = shared.store()
    for table in (tables.event, tables.raw, tables.cut, tables.entity, tables.shape, tables.mention, tables.blob):
        assert count(store, table) == count(plain.store, table), table.name
    assert deadlocks(store) == 0
    expected = answers(Queries(plain.store), EVERYTHING, NOW, told)
    assert_equal(answers(Queries(store), EVERYTHING, NOW, told), expected)


def test_writers_that_meet_the_same_new_names_in_opposite_orders_do_not_block_each_other(
    database: Database,
) -> None:
    """Every event is new in all its parts, so that each transaction interns, and both meet on every row."""
    events = [
        complete(
            number,
            job=f"job_{number}",
            run=number,
            inputs=[dataset(f"in_{number}", symlinks=symlinks(TABLE=f"t_{number}"))],
            outputs=[
                dataset(f"out_{number}", schema=schema(f"c_{number}"), documentation=facet(description=str(number)))
            ],
        )
        for number in range(240)
    ]
    forwards = [taken(*events[first : first + 8], tenant=f"team-{first}") for first in range(0, 240, 8)]
    again = [taken(*reversed(events[first : first + 8]), tenant=f"team-{first}") for first in range(0, 240, 8)]
    write_at_once(database, [forwards, again[::-1], again, forwards[::-1]])
    store = database.store()
    assert deadlocks(store) == 0
    assert count(store, tables.event) == count(store, tables.raw) == len(events)
    assert count(store, tables.shape) == len(events)
    producer = 1
    assert count(store, tables.entity) == 4 * len(events) + producer
    assert count(store, tables.tenant) == 30


def test_numbers_become_visible_in_their_order(database: Database) -> None:
    """A reader that has seen a number will never meet a smaller one that is new."""
    events = [complete(number, run=number, outputs=["a"]) for number in range(300)]
    shares = [[taken(event) for event in events[half::2]] for half in range(2)]
    store = database.store()
    seen: list[list[int]] = []
    with ThreadPoolExecutor(1) as writing:
        done = writing.submit(write_at_once, database, shares)
        while not done.done():
            with store.reading() as connection:
                seen.append(sorted(connection.execute(select(tables.raw.c.seq)).scalars()))
        done.result()
    assert seen
    for earlier, later in itertools.pairwise(seen):
        assert later[: len(earlier)] == earlier
    assert count(store, tables.event) == len(events)
