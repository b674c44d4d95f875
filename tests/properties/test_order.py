"""Order, repetition, spelling, batching and concurrent writers leave no trace in any answer."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle.events import distinct
from tests.oracle.identity import event_id
from tests.properties.arriving import as_built, assert_same, clockless, eventually, send
from tests.properties.hubs import Clock, folder, fresh_hub, opened
from tests.properties.questions import every_question
from tests.properties.sizes import TIMEOUT_S, examples
from tests.strategies import Arrival, arrivals, histories, spellings

pytestmark = [pytest.mark.slow, pytest.mark.timeout(TIMEOUT_S)]


@examples(quick=8, soak=200)
@given(st.data())
def test_every_order_repetition_spelling_and_batching_gives_the_same_answers(data: st.DataObject) -> None:
    history = data.draw(histories)
    requests = data.draw(arrivals(history))
    taken = as_built(history)
    questions = every_question(distinct(taken))
    with fresh_hub(taken) as plain, fresh_hub() as other:
        send(other, requests)
        assert_same(clockless(plain.answers(questions)), clockless(other.answers(questions)))


@examples(quick=4, soak=100)
@given(st.data())
def test_two_hubs_that_write_into_one_folder_at_the_same_time_tell_what_one_would(
    data: st.DataObject,
) -> None:
    history = data.draw(histories)
    shares = [data.draw(arrivals(history)) for _ in range(2)]
    taken = as_built(history)
    questions = every_question(distinct(taken))
    with fresh_hub(taken) as plain:
        expected = clockless(plain.answers(questions))
    with folder() as data_dir:
        with opened(data_dir) as one, opened(data_dir, Clock(5)) as two, ThreadPoolExecutor(2) as writers:
            for done in [writers.submit(send, hub, share) for hub, share in zip((one, two), shares, strict=True)]:
                done.result()
            eventually(one, questions, expected)
            eventually(two, questions, expected)
        with opened(data_dir) as again:
            assert_same(expected, clockless(again.answers(questions)))


@examples(quick=5, soak=150)
@given(st.data())
def test_the_id_of_an_event_is_told_when_it_is_taken_and_is_the_same_for_every_spelling(
    data: st.DataObject,
) -> None:
    history = [sent for sent in data.draw(histories) if sent.tenant == "default"]
    with fresh_hub() as hub:
        for sent, event in zip(history, as_built(history), strict=True):
            [read] = distinct([event])
            assert event_id("default", read.body) == read.id
            hub.take(Arrival("default", (sent.raw,)))
            for raw in (sent.raw, data.draw(spellings(sent))):
                told = hub.post("/lineage", raw)[1]
                assert told["repeated"] is True
                assert told["eventId"].endswith(read.id)  # its time stands before it
