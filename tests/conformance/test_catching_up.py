"""Two hubs on one database: what one has written the other tells at once, though it remembers its answers."""

import pytest

from lineage_hub.model import EVERYTHING, NOW
from lineage_hub.query.queries import Queries
from tests.conformance.asking import answers, assert_equal
from tests.conformance.databases import Database, Hub
from tests.conformance.histories import taken_over_time
from tests.oracle.build import Body, complete, dataset, dataset_event, facet, fail, lifecycle, schema, symlinks
from tests.oracle.events import distinct
from tests.properties.hubs import ask_for

LINEAGE = ask_for("lineage", nodeId="dataset:db:a")


def told_by(hub: Hub) -> bytes:
    status, body = hub.get(LINEAGE)
    assert status == 200
    return body


CHANGES: dict[str, Body] = {
    "another run reads the dataset": complete(5, job="other", run=5, inputs=["a"], outputs=["c"]),
    "a run of the same job has other datasets": complete(5, run=5, inputs=["a"], outputs=["c"]),
    "a run fails": fail(5, run=5, inputs=["a"], outputs=["c"]),
    "a facet changes": dataset_event(5, "a", documentation=facet(description="news")),
    "a schema changes": complete(5, run=5, inputs=[dataset("a", schema=schema("x"))], outputs=["b"]),
    "the dataset is dropped": dataset_event(5, "a", lifecycleStateChange=lifecycle("DROP")),
    "the dataset is renamed": dataset_event(5, "new", lifecycleStateChange=lifecycle("RENAME", "a")),
    "the dataset is joined with another": dataset_event(5, "a", symlinks=symlinks(TABLE="t")),
    "an event comes late": complete(0.5, job="late", run=7, inputs=["a"], outputs=["l"]),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_remembered_answer_is_given_up_when_another_hub_writes(database: Database, change: str) -> None:
    one, two = database.hub(), database.hub()
    for hub, body in (
        (one, complete(1, inputs=["a"], outputs=["b"])),
        (two, complete(2, job="k", run=2, inputs=["b"])),
    ):
        assert hub.post(body) == 201
    before = told_by(one)
    assert told_by(two) == before == told_by(one)
    assert two.post(CHANGES[change]) == 201
    told = told_by(one)
    assert told == told_by(two)
    assert told == told_by(database.hub())
    assert told != before


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", range(2))
def test_hubs_that_take_turns_tell_what_a_fresh_one_tells(database: Database, seed: int) -> None:
    """After each turn, so that every answer was remembered by both before something else happened."""
    taken = taken_over_time(seed + 20, most=6)
    senders = [database.sender() for _ in range(2)]
    queries = [Queries(sender.store) for sender in senders]
    turns = 4
    for turn in range(turns):
        senders[turn % 2].send_taken(taken[turn::turns])
        told = distinct(taken)
        expected = answers(Queries(database.store()), EVERYTHING, NOW, told)
        for asked in queries:
            assert_equal(answers(asked, EVERYTHING, NOW, told), expected)
