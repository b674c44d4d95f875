"""Rules that are added late, changed or taken back give the answers of a hub that had them from the first event."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle.events import Taken, distinct
from tests.oracle.rules import rewriting
from tests.oracle.view import view
from tests.properties.agreement import Agreement
from tests.properties.arriving import event_moments, taken_over_time
from tests.properties.hubs import Hub, Question, fresh_hub
from tests.properties.questions import every_question
from tests.properties.sizes import TIMEOUT_S, examples
from tests.strategies import crowded_histories, histories

pytestmark = [pytest.mark.slow, pytest.mark.timeout(TIMEOUT_S)]
Rule = dict[str, Any]

# Names meet: two become one, one takes the other's place, a job becomes another, a pattern goes wrong.
RULES: list[Rule] = [
    {"on": "dataset.name", "match": "exact", "pattern": "a", "replacement": "b"},
    {"on": "dataset.name", "match": "exact", "pattern": "b", "replacement": "a"},
    {"on": "dataset.name", "match": "regex", "pattern": "([abc])", "replacement": "one", "namespace": "d*"},
    {"on": "dataset.namespace", "match": "prefix", "pattern": "s3://", "replacement": "gs://"},
    {"on": "dataset.namespace", "match": "glob", "pattern": "*bucket", "replacement": "db"},
    {"on": ["dataset.namespace", "job.namespace"], "match": "regex", "pattern": "(.)(.*)", "replacement": "$2$1$$"},
    {"on": "job.name", "match": "exact", "pattern": "j1", "replacement": "j2"},
    {"on": "job.name", "match": "glob", "pattern": "j?*", "replacement": "$1/j", "tenant": "team-b"},
    {"on": "job.namespace", "match": "prefix", "pattern": "job", "replacement": "db", "producer": "*"},
    {"on": "job.name", "match": "glob", "pattern": "*", "replacement": "x", "producer": "https://nobody"},
    {"on": "dataset.name", "match": "prefix", "pattern": "l", "replacement": ""},
    {"on": "dataset.name", "match": "exact", "pattern": "c", "replacement": "db", "enabled": False},
]


@st.composite
def sets_of_rules(draw: st.DrawFn) -> list[Rule]:
    chosen = draw(st.lists(st.sampled_from(RULES), min_size=1, max_size=4))
    return [{"id": f"r{at}", "order": draw(st.integers(0, 2)), **rule} for at, rule in enumerate(chosen)]


def set_rules(hub: Hub, rules: list[Rule]) -> None:
    """And wait until history is folded by them."""
    status, body = hub.client.put("/api/v1/rules", json.dumps({"names": rules}).encode())
    assert status == 200, body
    settle(hub)


def settle(hub: Hub) -> None:
    give_up = time.monotonic() + 60
    while json.loads(hub.client.get("/api/v1/rules/refold")[0][1])["state"] != "done":
        assert time.monotonic() < give_up, "history is not folded"
        time.sleep(0.005)


def asked_about(taken: list[Taken], rules: list[Rule]) -> list[Question]:
    """All that events name, as they were sent and as rules make them."""
    told = [*distinct(taken), *distinct(taken, rewriting(rules))]
    return list(dict.fromkeys(every_question(told)))


def assert_same(asked: list[Question], hub: Hub, expected: list[tuple[int, bytes]]) -> None:
    for question, answer, wanted in zip(asked, hub.client.get(*map(str, asked)), expected, strict=True):
        assert answer == wanted, str(question)


@examples(quick=20, soak=500)
@given(st.data())
def test_rules_may_come_at_any_time_and_go_again(data: st.DataObject) -> None:
    taken = data.draw(taken_over_time(data.draw(st.sampled_from([histories, crowded_histories]))))
    rules, others = data.draw(sets_of_rules()), data.draw(sets_of_rules())
    asked = asked_about(taken, rules)
    half = len(taken) // 2
    with fresh_hub() as early:
        set_rules(early, rules)
        early.take_all(taken)
        expected = early.client.get(*map(str, asked))
        t = data.draw(st.sampled_from([None, *event_moments(distinct(taken))]))
        found = Agreement(early, view(taken, t, rewrite=rewriting(rules)), t).differences()
        assert not found, "\n".join([str(rules), *(f"{one.tenant} {one.raw.decode()}" for one in taken), *found[:20]])
    with fresh_hub(taken) as late:
        plain = late.client.get(*map(str, asked))
        set_rules(late, rules)
        assert_same(asked, late, expected)
        late.take_all(taken[:half])  # repeats, of which each must be recognised under its new name
        assert_same(asked, late, expected)
        set_rules(late, others)
        set_rules(late, [])
        assert_same(asked, late, plain)
    with fresh_hub() as changing:
        set_rules(changing, others)
        changing.take_all(taken[:half])
        status, _ = changing.client.put("/api/v1/rules", json.dumps({"names": rules}).encode())
        assert status == 200
        changing.take_all(taken)  # while history is folded: what was there comes again as well
        settle(changing)
        assert_same(asked, changing, expected)
