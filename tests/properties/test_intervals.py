"""A list of runs that was asked for before is brought up to date, whatever has been written since."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import build
from tests.oracle.events import Taken
from tests.oracle.view import View, view
from tests.properties.agreement import interval, told_interval
from tests.properties.hubs import Hub, ask_for, fresh_hub
from tests.properties.sizes import TIMEOUT_S, examples

pytestmark = [pytest.mark.slow, pytest.mark.timeout(TIMEOUT_S)]

JOB = ("jobs", "j")
RUNS = ask_for("namespaces", *("jobs", "jobs", "j", "runs"), limit=1000)
# Around the hour that parts two intervals.
SECONDS = [0, 1, 2, 3_600, 3_601, 7_200, 7_201, 10_802]
KINDS = ["START", "START", "START", "RUNNING", "COMPLETE", "COMPLETE", "COMPLETE", "FAIL", "ABORT", None]
FACETS = [*[build.STREAMING] * 6, build.BATCH, {}]


@st.composite
def micro_batches(draw: st.DrawFn) -> list[Taken]:
    bodies = []
    for _ in range(draw(st.integers(4, 14))):
        above = draw(st.sampled_from([None, 90, 90, 90, 90, 90, 91]))
        facets = {"parent": build.parent("app", run=above)} if above else {}
        bodies.append(
            build.run_event(
                draw(st.sampled_from(KINDS)),
                draw(st.sampled_from(SECONDS)),
                run=draw(st.integers(1, 4)),
                job_facets=draw(st.sampled_from(FACETS)),
                run_facets={**facets, **draw(st.sampled_from([{}, {}, {}, build.INFERRED]))},
            )
        )
    return [one for body in bodies for one in build.taken(body)]


def assert_told(hub: Hub, expected: View) -> None:
    status, told = hub.ask(RUNS)
    assert status == 200
    listed = [told_interval(run) for run in told["runs"]]
    assert listed == [interval(expected, one) for one in expected.intervals(JOB)], json.dumps(told, default=str)


@examples(quick=60, soak=2000)
@given(micro_batches(), st.integers(1, 4))
def test_after_each_few_events_the_list_is_what_all_of_them_together_say(taken: list[Taken], step: int) -> None:
    with fresh_hub() as hub:
        for at in range(0, len(taken), step):
            hub.take_all(taken[at : at + step])
            assert_told(hub, view(taken[: at + step]))
