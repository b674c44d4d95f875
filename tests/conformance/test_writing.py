"""Events are kept once, in their least spelling, with the time they were first known."""

import random

import pytest
import sqlalchemy
from sqlalchemy import select

from lineage_hub.errors import InternalError
from lineage_hub.store import tables
from lineage_hub.store.open import LineageStore
from tests.conformance.databases import Database, Sender, count
from tests.oracle.build import Body, columns, complete, dataset, dataset_event, lifecycle, spelled, start, symlinks
from tests.oracle.events import Taken, distinct
from tests.strategies import respell


def kept(store: LineageStore) -> dict[str, tuple[int, bytes]]:
    """Every event by the digest in its id: when it was known, and its text."""
    e, r = tables.event.c, tables.raw.c
    statement = select(e.event_id, e.known_at, r.body).join_from(tables.event, tables.raw, e.seq == r.seq)
    with store.reading() as connection:
        return {
            bytes(number).hex(): (known_at, store.library.text(connection, bytes(body)))
            for number, known_at, body in connection.execute(statement)
        }


def expected(*taken: Taken) -> dict[str, tuple[int, bytes]]:
    return {event.id: (event.known_at, event.raw) for event in distinct(taken)}


def spellings(body: Body, number: int, seed: int = 1) -> list[bytes]:
    dice = random.Random(seed)
    found = {respell(body, dice).encode() for _ in range(20 * number)}
    return random.Random(seed).sample(sorted(found), number)


def taken(known_at: int, *raws: bytes) -> list[Taken]:
    return [Taken("default", known_at, raw) for raw in raws]


def test_a_fresh_event_is_kept_as_it_was_sent(store: LineageStore, sender: Sender) -> None:
    raw = spelled(complete(1, inputs=["a"], outputs=["b"]))
    sender.clock.now = 7
    (outcome,) = sender.send([raw])
    assert not outcome.repeated
    assert outcome.event_id is not None
    assert kept(store) == {outcome.event_id[-32:]: (7, raw)} == expected(*taken(7, raw))


def test_an_event_of_every_kind_and_time_is_kept(store: LineageStore, sender: Sender) -> None:
    bodies = [
        start(0),
        complete(1, inputs=["a"], outputs=[dataset("b", columnLineage=columns(x="a.y"))]),
        dataset_event(2, "c", symlinks=symlinks(TABLE="t")),
        {**complete(0), "eventTime": "1678-01-01T00:00:00Z"},
        {**complete(0), "eventTime": "2261-12-31T23:59:59.999999999Z"},
        {**start(0), "eventTime": "1969-12-31T23:59:59.999999999Z"},
    ]
    raws = [spelled(body) for body in bodies]
    sender.send(raws)
    assert kept(store) == expected(*taken(0, *raws))


def test_a_repeat_in_one_group_is_one_event(store: LineageStore, sender: Sender) -> None:
    bodies = [complete(1, outputs=["a"]), start(0)]
    outcomes = sender.send([bodies[0], bodies[1], bodies[0], bodies[0], bodies[1]])
    assert [outcome.repeated for outcome in outcomes] == [False, False, True, True, True]
    assert count(store, tables.event) == count(store, tables.raw) == 2


def test_a_repeat_in_a_later_group_is_one_event(store: LineageStore, sender: Sender) -> None:
    first, second = complete(1, outputs=["a"]), start(0)
    assert not sender.send([first])[0].repeated
    assert [outcome.repeated for outcome in sender.send([second, first])] == [False, True]
    assert [outcome.repeated for outcome in sender.send([second, first])] == [True, True]
    assert count(store, tables.event) == count(store, tables.raw) == 2


def test_a_group_of_a_thousand_with_many_repeats_is_taken(store: LineageStore, sender: Sender) -> None:
    bodies = [complete(number % 700, run=number % 700, outputs=["a"]) for number in range(1500)]
    sender.send(bodies[:100])
    outcomes = sender.send(bodies)
    assert sum(not outcome.repeated for outcome in outcomes) == 600
    assert count(store, tables.event) == count(store, tables.raw) == 700


def test_of_two_spellings_in_one_group_the_bytewise_least_is_kept(store: LineageStore, sender: Sender) -> None:
    raws = spellings(complete(1, inputs=["ä", "b"], outputs=["c"]), 6)
    for shuffled in range(4):
        random.Random(shuffled).shuffle(raws)
        sender.send(raws)
        assert kept(store) == expected(*taken(0, *raws))


@pytest.mark.parametrize("order", [1, -1], ids=["least first", "least last"])
def test_of_two_spellings_in_two_groups_the_bytewise_least_is_kept(
    store: LineageStore, sender: Sender, order: int
) -> None:
    raws = sorted(spellings(complete(1, inputs=["ä", "b"], outputs=["c"]), 6))[::order]
    for raw in raws:
        sender.send([raw])
    assert kept(store) == expected(*taken(0, *raws))


@pytest.mark.parametrize("times", [(5, 3, 9), (3, 9, 5), (9, 5, 3)])
def test_of_repeats_the_least_known_time_counts(store: LineageStore, sender: Sender, times: tuple[int, ...]) -> None:
    raws = spellings(complete(1, outputs=["a"]), 3)
    for known_at, raw in zip(times, raws, strict=True):
        sender.clock.now = known_at
        sender.send([raw])
    sent = [one for known_at, raw in zip(times, raws, strict=True) for one in taken(known_at, raw)]
    assert kept(store) == expected(*sent)
    assert [known_at for known_at, _ in kept(store).values()] == [3]


def test_one_text_from_two_tenants_is_two_events(store: LineageStore, sender: Sender) -> None:
    body = complete(1, outputs=["a"])
    sender.send([body], "team-a")
    assert not sender.send([body], "team-b")[0].repeated
    assert count(store, tables.event) == 2
    assert count(store, tables.shape) == 1


def test_a_repeat_is_known_to_another_writer(database: Database, store: LineageStore, sender: Sender) -> None:
    raws = spellings(complete(1, inputs=["a"], outputs=["b"]), 2)
    other = database.sender()
    sender.send([max(raws)])
    assert other.send([min(raws)])[0].repeated
    assert kept(store) == expected(*taken(0, *raws))


def test_a_drop_and_a_rename_cut_names_once(store: LineageStore, sender: Sender) -> None:
    bodies = [
        complete(1, outputs=[dataset("gone", lifecycleStateChange=lifecycle("DROP"))]),
        dataset_event(2, "new", lifecycleStateChange=lifecycle("RENAME", "old")),
    ]
    sender.send(bodies)
    sender.send(bodies)
    with store.reading() as connection:
        rows = connection.execute(select(tables.cut.c.event_at, tables.cut.c.continues_as)).all()
    assert len(rows) == 3
    assert sum(continues_as is not None for _, continues_as in rows) == 1


def test_names_in_a_symlinks_facet_are_linked_once(store: LineageStore, sender: Sender) -> None:
    for seconds in (1, 2):
        sender.send([dataset_event(seconds, "l", symlinks=symlinks(TABLE="t u", ALIAS="v"))])
    with store.reading() as connection:
        kinds = connection.execute(select(tables.link.c.type)).scalars().all()
    assert sorted(kinds) == ["ALIAS", "TABLE", "TABLE"]


def test_the_type_of_a_symlink_may_be_any_text(store: LineageStore, sender: Sender) -> None:
    kinds = ["ß" * 40, "NUL \0 inside", "😀", "", "x" * 5000]
    identifiers = [{"namespace": "db", "name": f"t{at}", "type": kind} for at, kind in enumerate(kinds)]
    (outcome,) = sender.send([dataset_event(1, "l", symlinks={"identifiers": identifiers})])
    assert outcome.error is None
    assert count(store, tables.event) == 1


def test_rejected_events_leave_the_others_of_their_group_alone(store: LineageStore, sender: Sender) -> None:
    outcomes = sender.send([b"{", complete(1, outputs=["a"]), b'{"eventTime": 1}'])
    assert [outcome.error is None for outcome in outcomes] == [False, True, False]
    assert count(store, tables.event) == 1
    assert count(store, tables.dead_letter) == 2


def test_what_a_failed_transaction_gave_numbers_to_is_forgotten(store: LineageStore, sender: Sender) -> None:
    lost, stays = complete(1, job="lost", outputs=["a"]), complete(2, job="stays", outputs=["b"])

    def refuse(_connection: object) -> None:
        raise RuntimeError("no commit today")

    sqlalchemy.event.listen(store._writing, "commit", refuse)
    with pytest.raises(InternalError):
        sender.send([lost], "team-a")
    sqlalchemy.event.remove(store._writing, "commit", refuse)
    assert count(store, tables.event) == count(store, tables.tenant) == count(store, tables.shape) == 0
    sender.send([stays])
    assert not sender.send([lost], "team-a")[0].repeated
    assert kept(store) == expected(Taken("team-a", 0, spelled(lost)), *taken(0, spelled(stays)))
    e, s, t = tables.event.c, tables.shape.c, tables.tenant.c
    joined = select(t.name).join_from(tables.event, tables.shape, e.shape == s.id).join(tables.tenant, t.id == e.tenant)
    with store.reading() as connection:
        assert sorted(connection.execute(joined).scalars()) == ["default", "team-a"]
