"""What a hub says over HTTP is what the oracle says, for hand-made histories and for any other."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tests.oracle.test_intervals
import tests.oracle.test_oracle  # noqa: F401 (the hand-made histories stand beside their expectations)
from tests.oracle.build import run_id, spelled
from tests.oracle.events import Taken, distinct
from tests.oracle.histories import HISTORIES
from tests.oracle.identity import canon, parse
from tests.oracle.view import view
from tests.properties.agreement import Agreement
from tests.properties.arriving import FIRST_KNOWN, event_moments, known_moments, taken_over_time
from tests.properties.hubs import Hub, fresh_hub
from tests.properties.sizes import TIMEOUT_S, examples, moments
from tests.strategies import crowded_histories

pytestmark = [pytest.mark.slow, pytest.mark.timeout(TIMEOUT_S)]


def assert_agreement(agreement: Agreement) -> None:
    found = agreement.differences()
    moment = f"as_of {agreement.as_of}, known_at {agreement.known_at}"
    assert not found, f"{len(found)} differences ({moment}):\n" + "\n".join(found[:20])


def assert_agreement_on(taken: list[Taken], t: int | None, k: int | None, hub: Hub) -> None:
    """A failure is told for as few of the events, and in as plain a spelling, as still show it."""
    if not Agreement(hub, view(taken, t, k), t, k).differences():
        return
    at = 0
    while at < len(taken):
        fewer = taken[:at] + taken[at + 1 :]
        if _differ(fewer, t, k):
            taken = fewer
        else:
            at += 1
    plain = [replace(one, raw=canon(parse(one.raw)).encode()) for one in taken]
    taken = plain if _differ(plain, t, k) else taken
    with fresh_hub(taken) as small:
        texts = "\n".join(f"{one.tenant} {one.known_at} {one.raw.decode()}" for one in taken)
        found = Agreement(small, view(taken, t, k), t, k).differences()
        raise AssertionError(f"as_of {t}, known_at {k}:\n{texts}\n" + "\n".join(found[:20]))


def _differ(taken: list[Taken], t: int | None, k: int | None) -> bool:
    with fresh_hub(taken) as hub:
        return bool(Agreement(hub, view(taken, t, k), t, k).differences())


def in_its_own_world(name: str) -> list[Taken]:
    """A hand-made history in namespaces and with run ids of its own, so that one hub can hold all of them."""
    number = list(HISTORIES).index(name)
    worlds = {
        b'"namespace": "db"': b'"namespace": "db-%d"' % number,
        b'"namespace": "jobs"': b'"namespace": "jobs-%d"' % number,
        run_id(0)[:8].encode() + b"-": b"%08d-" % number,
    }
    taken = []
    for body in HISTORIES[name]:
        raw = spelled(body)
        for here, there in worlds.items():
            raw = raw.replace(here, there)
        taken.append(Taken("default", FIRST_KNOWN, raw))
    return taken


@pytest.fixture(scope="module")
def hub_of_all_histories() -> Iterator[Hub]:
    with fresh_hub(taken for name in HISTORIES for taken in in_its_own_world(name)) as hub:
        yield hub


@pytest.mark.parametrize("name", HISTORIES)
def test_the_hub_and_the_oracle_agree_on_every_hand_made_history(name: str, hub_of_all_histories: Hub) -> None:
    taken = in_its_own_world(name)
    assert_agreement(Agreement(hub_of_all_histories, view(taken), alone=False))
    times = sorted({event.at for event in distinct(taken)})
    for t in times[-moments(1, 100) :]:
        assert_agreement(Agreement(hub_of_all_histories, view(taken, t=t), as_of=t, alone=False))


@examples(quick=12, soak=200)
@given(st.data())
def test_the_hub_and_the_oracle_agree_on_any_history_at_any_moment(data: st.DataObject) -> None:
    taken = data.draw(taken_over_time())
    times = [None, *event_moments(distinct(taken))]
    known = [None, *known_moments(taken)]
    with fresh_hub(taken) as hub:
        assert_agreement_on(taken, None, None, hub)
        for _ in range(moments(1, 5)):
            t, k = data.draw(st.sampled_from(times)), data.draw(st.sampled_from(known))
            assert_agreement_on(taken, t, k, hub)


@examples(quick=40, soak=1000)
@given(st.data())
def test_the_hub_and_the_oracle_agree_when_one_event_has_several_names_for_a_dataset(data: st.DataObject) -> None:
    taken = data.draw(taken_over_time(crowded_histories))
    with fresh_hub(taken) as hub:
        assert_agreement_on(taken, None, None, hub)
        assert_agreement_on(taken, data.draw(st.sampled_from(event_moments(distinct(taken)))), None, hub)
