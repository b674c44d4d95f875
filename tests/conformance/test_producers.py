"""Who sends events, since when and how long silent: the same on every database, whatever order they came in."""

import json
import random
from typing import Any

import pytest
from sqlalchemy import delete

from lineage_hub.model import EVERYTHING, NOW, Moment, Scope
from lineage_hub.query.producers import all_producers
from lineage_hub.query.queries import Queries
from lineage_hub.store import tables
from lineage_hub.store.open import LineageStore
from tests.conformance.databases import Databases, Sender, limited_to
from tests.conformance.histories import taken_over_time
from tests.oracle.build import Body, at, complete, dataset_event, ns, start
from tests.oracle.events import distinct
from tests.properties.hubs import text_of

HOUR = 3600
OLD = "https://github.com/OpenLineage/OpenLineage/tree/1.30.0/integration/airflow"
NEW = "https://github.com/OpenLineage/OpenLineage/tree/1.31.0/integration/airflow"
TOOL = "my own tool"


def by(producer: str, body: Body) -> Body:
    return {**body, "producer": producer}


EVENTS = [
    *(by(OLD, complete(hour * HOUR, job="a", run=hour)) for hour in range(0, 40, 8)),
    *(by(NEW, complete(hour * HOUR, job="a", run=100 + hour)) for hour in range(40, 60, 8)),
    # At ten minutes past, each day; the fourth day it came a day late.
    *(by(TOOL, dataset_event(day * 24 * HOUR + 600, "t")) for day in (0, 1, 2, 4)),
    by(TOOL, start(700, job="b", run=500)),
]


def asked(
    store: LineageStore, now: int, silent_s: int | None = None, moment: Moment = NOW, scope: Scope = EVERYTHING
) -> Any:
    with Queries(store).at(scope, moment) as snapshot:
        return all_producers(snapshot, now, silent_s, 100, 0)


def test_every_producer_is_told_with_its_pace_and_its_silence(store: LineageStore, sender: Sender) -> None:
    sender.clock.now = ns(1000 * HOUR)
    sender.send([*EVENTS, EVENTS[0]])
    answer = asked(store, ns(100 * HOUR))
    assert answer["at"] == at(100 * HOUR)
    assert [one["producer"] for one in answer["producers"]] == [TOOL, NEW, OLD]
    tool, new, old = answer["producers"]
    assert tool == {
        "producer": TOOL,
        "integration": None,
        "version": None,
        "namespaces": ["db", "jobs"],
        "events": 5,
        "firstEventAt": at(600),
        "lastEventAt": at(96 * HOUR + 600),
        "lastKnownAt": at(1000 * HOUR),
        "usualGapS": 48.0 * HOUR,
        "silentForS": 4.0 * HOUR - 600,
        "longerThanUsual": False,
        "succeededBy": None,
    }
    assert (new["integration"], new["version"], new["events"], new["usualGapS"]) == ("airflow", "1.31.0", 3, None)
    assert (old["events"], old["usualGapS"], old["longerThanUsual"]) == (5, 8.0 * HOUR, True)
    assert old["succeededBy"] == NEW, "the newer version speaks of all that it spoke of"


def test_who_has_been_silent_is_asked_for_any_moment(store: LineageStore, sender: Sender) -> None:
    sender.send(EVENTS)

    def silent(hours: float, for_s: int, moment: Moment = NOW) -> list[str]:
        return [one["producer"] for one in asked(store, ns(hours * HOUR), for_s, moment)["producers"]]

    assert silent(100, 4 * HOUR) == [NEW]
    assert silent(100, 4 * HOUR - 600) == [TOOL, NEW]
    assert silent(56, 1) == [TOOL]
    assert silent(9999, 6 * HOUR, Moment(as_of=ns(38 * HOUR))) == [OLD, TOOL], "it had no successor yet"


def test_an_old_version_elsewhere_is_not_excused_by_a_new_one(store: LineageStore, sender: Sender) -> None:
    elsewhere = complete(1, job="x", run=900)
    elsewhere["job"] = {"namespace": "another team", "name": "x", "facets": {}}
    sender.send([*EVENTS, by(OLD, elsewhere)])
    answer = asked(store, ns(100 * HOUR), HOUR)
    assert {one["producer"]: one["succeededBy"] for one in answer["producers"]} == {TOOL: None, NEW: None, OLD: None}


def plain_count(taken: list[Any], scope: Scope, moment: Moment) -> dict[str, tuple[int, int, int]]:
    found: dict[str, list[int]] = {}
    for event in distinct(taken):
        if scope.tenants is not None and event.tenant not in scope.tenants:
            continue
        if event.at <= moment.as_of and event.known_at <= moment.known_at:
            found.setdefault(json.loads(event.raw)["producer"], []).append(event.at)
    return {producer: (len(times), min(times), max(times)) for producer, times in found.items()}


@pytest.mark.slow
def test_counts_are_those_of_the_raw_events(databases: Databases) -> None:
    taken = taken_over_time(seed=5)
    told = distinct(taken)
    middle, known = told[len(told) // 2].at, told[len(told) // 3].known_at
    sender = databases.new().sender()
    random.Random(1).shuffle(taken)
    sender.send_taken(taken)
    for scope in (EVERYTHING, limited_to("team-a")):
        for moment in (NOW, Moment(as_of=middle), Moment(known_at=known), Moment(middle, known)):
            answer = asked(sender.store, middle, moment=moment, scope=scope)
            counted = {
                one["producer"]: (one["events"], one["firstEventAt"], one["lastEventAt"]) for one in answer["producers"]
            }
            expected = plain_count(taken, scope, moment)
            assert {name: (n, text_of(a), text_of(b)) for name, (n, a, b) in expected.items()} == {
                name: (n, nine_digits(a), nine_digits(b)) for name, (n, a, b) in counted.items()
            }


def nine_digits(text: str) -> str:
    """With nine digits of a second, as the tests write it."""
    head, _, fraction = text.rstrip("Z").partition(".")
    return f"{head}.{fraction.ljust(9, '0')}Z"


def test_events_that_an_older_hub_wrote_are_found_by_their_text(store: LineageStore, sender: Sender) -> None:
    sender.send(EVENTS)
    expected = asked(store, ns(100 * HOUR))

    def as_before(connection: Any) -> None:
        numbers = connection.execute(tables.entity.select().where(tables.entity.c.kind == tables.PRODUCER)).fetchall()
        connection.execute(delete(tables.mention).where(tables.mention.c.entity.in_([one.id for one in numbers])))

    sender.write(as_before)
    assert asked(store, ns(100 * HOUR)) == expected
