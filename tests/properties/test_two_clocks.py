"""An answer as of a time, or with the knowledge of a time, is that of a hub which has nothing later."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle.events import Taken, distinct
from tests.oracle.view import dataset_node, job_node, view
from tests.properties.arriving import (
    as_built,
    assert_same,
    event_moments,
    happened_by,
    known_by,
    known_moments,
    taken_over_time,
)
from tests.properties.hubs import Hub, ask_for, fresh_hub, text_of
from tests.properties.questions import DEPTH, every_question
from tests.properties.sizes import TIMEOUT_S, examples, moments
from tests.strategies import histories

pytestmark = [pytest.mark.slow, pytest.mark.timeout(TIMEOUT_S)]


@examples(quick=5, soak=50)
@given(st.data())
def test_answers_as_of_a_time_are_those_of_a_hub_that_was_fed_only_the_events_up_to_then(
    data: st.DataObject,
) -> None:
    taken = as_built(data.draw(histories))
    events = distinct(taken)
    questions = every_question(events)
    with fresh_hub(taken) as hub:
        for t in _drawn(data, event_moments(events)):
            with fresh_hub(data.draw(st.permutations(happened_by(taken, t)))) as fresh:
                assert_same(fresh.answers(questions), hub.answers(questions, as_of=text_of(t)))
                _assert_same_window(fresh, hub, taken, t)


@examples(quick=5, soak=50)
@given(st.data())
def test_answers_with_the_knowledge_of_a_time_are_those_of_a_hub_that_had_taken_nothing_later(
    data: st.DataObject,
) -> None:
    taken = data.draw(taken_over_time())
    questions = every_question(distinct(taken))
    with fresh_hub(taken) as hub:
        for k in _drawn(data, known_moments(taken)):
            with fresh_hub(known_by(taken, k)) as fresh:
                assert_same(fresh.answers(questions), hub.answers(questions, known_at=text_of(k)))


@examples(quick=3, soak=50)
@given(st.data())
def test_both_clocks_together_select_what_had_happened_and_was_known(data: st.DataObject) -> None:
    taken = data.draw(taken_over_time())
    events = distinct(taken)
    questions = every_question(events)
    with fresh_hub(taken) as hub:
        for t in _drawn(data, event_moments(events)):
            k = data.draw(st.sampled_from(known_moments(taken)))
            with fresh_hub(happened_by(known_by(taken, k), t)) as fresh:
                told = hub.answers(questions, as_of=text_of(t), known_at=text_of(k))
                assert_same(fresh.answers(questions), told)


def _drawn(data: st.DataObject, possible: list[int]) -> list[int]:
    return data.draw(st.lists(st.sampled_from(possible), max_size=moments(2, 6), min_size=1, unique=True))


def _assert_same_window(fresh: Hub, hub: Hub, taken: list[Taken], t: int) -> None:
    """The last 30 days are counted from t, so both hubs are asked as of t."""
    everything = view(taken)
    nodes = [*map(job_node, everything.jobs), *map(dataset_node, everything.datasets)]
    questions = [ask_for("lineage", nodeId=node, depth=DEPTH, edges="30d") for node in nodes]
    moment = text_of(t)
    assert_same(fresh.answers(questions, as_of=moment), hub.answers(questions, as_of=moment))
