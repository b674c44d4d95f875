"""The history of a schema is what its events say in their order, whatever order they came in, on every database."""

import random
from typing import Any

import pytest

from lineage_hub.errors import NotFound
from lineage_hub.model import EVERYTHING, NOW, Moment, Scope
from lineage_hub.query.queries import Queries
from lineage_hub.query.schema_history import schema_history, schema_versions
from lineage_hub.store.open import LineageStore
from lineage_hub.store.tables import DATASET
from tests.conformance.databases import Sender, limited_to
from tests.oracle.build import (
    TOMBSTONE,
    Body,
    at,
    complete,
    dataset,
    dataset_event,
    facet,
    fail,
    lifecycle,
    ns,
    run_id,
    spelled,
    start,
    symlinks,
)
from tests.oracle.events import Taken
from tests.oracle.view import View, newest, schema_fields, view


def typed(columns: str) -> Body:
    """`typed("id:int total:double")`"""
    return facet(fields=[dict(zip(("name", "type"), one.split(":"), strict=True)) for one in columns.split()])


def asked(store: LineageStore, name: str, moment: Moment = NOW, scope: Scope = EVERYTHING, **page: int) -> Any:
    with Queries(store).at(scope, moment) as snapshot:
        return schema_history(snapshot, "db", name, page.get("limit", 100), page.get("offset", 0))


EVENTS = [
    # A reader that knows two columns; it counts until a writer speaks.
    complete(1, job="reader", run=1, inputs=[dataset("t", schema=typed("id:int total:int"))]),
    complete(2, job="writer", run=2, outputs=[dataset("t", schema=typed("id:int total:int day:date"))]),
    complete(3, job="reader", run=3, inputs=[dataset("t", schema=typed("id:int"))]),
    complete(4, job="writer", run=4, outputs=[dataset("t", schema=typed("id:int total:int day:date"))]),
    complete(5, job="writer", run=5, outputs=[dataset("t", schema=typed("id:bigint day:date amount:int"))]),
    dataset_event(6, "t", schema=typed("id:bigint day:date amount:int")),
    fail(7, job="writer", run=7, outputs=[dataset("t", schema=typed("day:date id:bigint amount:int"))]),
    dataset_event(8, "t", schema=TOMBSTONE),
]


def test_each_change_is_told_with_the_run_and_event_that_brought_it(store: LineageStore, sender: Sender) -> None:
    random.Random(1).shuffle(shuffled := list(EVENTS))
    sender.send([*shuffled, EVENTS[3]])
    answer = asked(store, "t")
    assert (answer["dataset"], answer["totalCount"]) == ({"namespace": "db", "name": "t"}, 5)
    gone, moved, changed, added, first = answer["changes"]
    nothing = {"added": [], "removed": [], "changed": [], "moved": [], "likelyRenamed": [], "described": []}
    assert first | {"event": ""} == {
        **nothing,
        "at": at(1),
        "run": run_id(1),
        "job": {"namespace": "jobs", "name": "reader"},
        "event": "",
        "kind": "first",
        "columns": 2,
        "added": [{"name": "id", "type": "int"}, {"name": "total", "type": "int"}],
        "equal": 0,
    }
    assert (added["at"], added["run"], added["added"]) == (at(2), run_id(2), [{"name": "day", "type": "date"}])
    assert (changed["at"], changed["run"], changed["columns"]) == (at(5), run_id(5), 3)
    assert changed["changed"] == [{"name": "id", "from": "int", "to": "bigint"}]
    # Between id and day there is nothing any more, and after day there was nothing.
    assert (changed["removed"], changed["added"]) == (
        [{"name": "total", "type": "int"}],
        [{"name": "amount", "type": "int"}],
    )
    assert (moved["at"], moved["moved"], moved["equal"]) == (at(7), [{"name": "day", "from": 2, "to": 1}], 2)
    assert (gone["at"], gone["kind"], gone["run"], gone["job"]) == (at(8), "taken back", None, None)
    assert len(gone["removed"]) == 3
    assert asked(store, "t", limit=2, offset=1)["changes"] == [moved, changed]
    assert asked(store, "t", Moment(as_of=ns(4)))["changes"] == [added, first]


def test_a_rename_takes_the_history_along_and_a_drop_ends_it(store: LineageStore, sender: Sender) -> None:
    events = [
        complete(1, run=1, outputs=[dataset("old", schema=typed("a:int"))]),
        complete(2, run=2, outputs=[dataset("new", schema=typed("z:text"))]),
        dataset_event(3, "new", lifecycleStateChange=lifecycle("RENAME", "old"), schema=typed("a:int b:int")),
        complete(4, run=4, outputs=[dataset("new", schema=typed("a:int b:int c:int"))]),
    ]
    sender.send(events)
    assert [one["at"] for one in asked(store, "new")["changes"]] == [at(4), at(3), at(1)]
    assert [one["at"] for one in asked(store, "new", Moment(as_of=ns(2)))["changes"]] == [at(2)]
    assert asked(store, "old")["changes"] == []
    sender.send([
        dataset_event(5, "new", lifecycleStateChange=lifecycle("DROP")),
        complete(6, run=6, outputs=[dataset("new", schema=typed("q:int"))]),
    ])  # fmt: skip
    (only,) = asked(store, "new")["changes"]
    assert (only["at"], only["kind"]) == (at(6), "first")


def test_joined_names_have_one_history(store: LineageStore, sender: Sender) -> None:
    sender.send([
        complete(1, run=1, outputs=[dataset("loc", schema=typed("a:int"), symlinks=symlinks(TABLE="tab"))]),
        complete(2, run=2, job="other", outputs=[dataset("tab", schema=typed("a:int b:int"))]),
    ])  # fmt: skip
    assert asked(store, "loc") == asked(store, "tab")
    assert asked(store, "loc")["dataset"]["name"] == "tab"
    assert [one["at"] for one in asked(store, "tab")["changes"]] == [at(2), at(1)]


def test_a_scope_sees_the_changes_of_its_tenants(store: LineageStore, sender: Sender) -> None:
    sender.send([EVENTS[1]], "team-a")
    sender.send([EVENTS[4]], "team-b")
    assert [one["at"] for one in asked(store, "t", scope=limited_to("team-b"))["changes"]] == [at(5)]
    with pytest.raises(NotFound):
        asked(store, "t", scope=limited_to("team-c"))


# Against the oracle


def random_history(dice: random.Random, number: int) -> list[Body]:
    names = [f"{number}.{letter}" for letter in "abc"]

    def one(seconds: int) -> Body:
        facets: Body = {}
        if dice.random() < 0.8:
            facets["schema"] = typed(" ".join(f"{c}:int" for c in dice.sample("xyz", dice.randrange(1, 4))))
        if dice.random() < 0.1:
            facets["symlinks"] = symlinks(TABLE=dice.choice(names))
        change = dice.random()
        if change < 0.08:
            facets["lifecycleStateChange"] = lifecycle("DROP")
        elif change < 0.2:
            facets["lifecycleStateChange"] = lifecycle("RENAME", dice.choice(names))
        told = dataset(dice.choice(names), **facets)
        if dice.random() < 0.2:
            return dataset_event(seconds, str(told["name"]), **facets)
        side = {dice.choice(["inputs", "outputs", "outputs"]): [told]}
        make = dice.choice([start, complete, complete, fail])
        return make(seconds, job=f"{number}.j", run=1000 * number + dice.randrange(6), **side)

    # Some at the same time: then their ids decide.
    return [one(dice.randrange(12)) for _ in range(14)]


def plain_history(told: View, name: str) -> list[tuple[str, list[Any] | None]]:
    """Of the mentions that lie on it at present, read again at each of their times."""
    key = ("db", name)
    here = [
        m
        for m in told._mentions
        if told._present[m] is not None and told._joined.resolve(told._present[m]) == told._joined.resolve(key)
    ]
    observing = [m for m in here if "schema" in m.facets]
    found: list[tuple[str, list[Any] | None]] = []
    for ord_ in sorted({m.event.ord for m in observing}):
        until = [m for m in observing if m.event.ord <= ord_]
        holder = newest([m for m in until if m.side != "in"] or until, "schema")
        assert holder is not None
        deleted = holder.facets["schema"].get("_deleted")
        fields = None if deleted else schema_fields(holder.facets["schema"])
        if fields != (found[-1][1] if found else None):
            found.append((ord_[1], fields))
    return found


@pytest.mark.slow
def test_random_histories_are_told_as_a_plain_reading_tells_them(store: LineageStore, sender: Sender) -> None:
    dice = random.Random(11)
    histories = {number: random_history(dice, number) for number in range(60)}
    bodies = [body for history in histories.values() for body in history]
    dice.shuffle(bodies)
    for first in range(0, len(bodies), 50):
        sender.send(bodies[first : first + 50])
    several = 0
    with Queries(store).at(EVERYTHING, NOW) as snapshot:
        for number, history in histories.items():
            told = view([Taken("default", 0, spelled(body)) for body in history])
            for letter in "abc":
                found = snapshot.reader.find(DATASET, "db", f"{number}.{letter}")
                if found is None:
                    continue
                representative = snapshot.joined((found,)).of(found)
                versions = [
                    (
                        one.row.event_id.hex(),
                        None if one.columns is None else [(column.path, column.type) for column in one.columns],
                    )
                    for one in schema_versions(snapshot, representative)
                ]
                assert versions == plain_history(told, f"{number}.{letter}"), (number, letter)
                several += len(versions) > 2
    assert several > 40, "there was something to tell"
