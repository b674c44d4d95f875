"""Histories and ways to send them enter; what a hub has taken by when, and comparisons of hubs, leave."""

from __future__ import annotations

import time
from collections.abc import Iterable

from hypothesis import strategies as st

from tests.oracle.build import ns
from tests.oracle.events import Event, Taken, distinct
from tests.oracle.identity import NS, Json
from tests.properties.hubs import Hub, Question
from tests.strategies import Arrival, Sent, arrivals, histories

Answers = dict[str, tuple[int, Json]]
FIRST_KNOWN = ns(100 * 86_400)  # hubs learn of events long after they happened


def as_built(history: Iterable[Sent]) -> list[Taken]:
    return [Taken(sent.tenant, FIRST_KNOWN, sent.raw) for sent in history]


@st.composite
def taken_over_time(draw: st.DrawFn, of: st.SearchStrategy[list[Sent]] = histories) -> list[Taken]:
    """A history that arrives bit by bit, in any order and with repeats; some requests share a moment."""
    history = draw(of)
    known_at = FIRST_KNOWN
    taken: list[Taken] = []
    for arrival in draw(arrivals(history)):
        known_at += draw(st.sampled_from([0, 1, NS]))
        taken += [Taken(arrival.tenant, known_at, raw) for raw in arrival.raws]
    return taken


def event_moments(events: Iterable[Event]) -> list[int]:
    """Every time at which something happened, and a nanosecond before and after."""
    return sorted({at + d for at in {e.at for e in events} for d in (-1, 0, 1)})


def known_moments(taken: Iterable[Taken]) -> list[int]:
    return sorted({one.known_at + d for one in taken for d in (-1, 0)})


def happened_by(taken: Iterable[Taken], t: int) -> list[Taken]:
    taken = list(taken)
    ids = {e.raw: e.at for one in taken for e in distinct([one])}
    return [one for one in taken if ids[one.raw] <= t]


def known_by(taken: Iterable[Taken], k: int) -> list[Taken]:
    return [one for one in taken if one.known_at <= k]


def send(hub: Hub, requests: Iterable[Arrival]) -> None:
    for request in requests:
        hub.take(request)


def without_known_at(value: Json) -> Json:
    """Answers tell the hub's own clock in fields of this name only."""
    if isinstance(value, dict):
        return {k: without_known_at(v) for k, v in value.items() if k not in ("known_at", "knownAt")}
    return [without_known_at(v) for v in value] if isinstance(value, list) else value


def unequal(expected: Answers, told: Answers) -> list[str]:
    return [
        f"{question}\n    expected {expected[question]!r}\n    told     {told[question]!r}"
        for question in expected
        if expected[question] != told[question]
    ]


def assert_same(expected: Answers, told: Answers) -> None:
    found = unequal(expected, told)
    assert not found, f"{len(found)} of {len(expected)} answers differ:\n" + "\n".join(found[:5])


def clockless(answers: Answers) -> Answers:
    return {question: (status, without_known_at(body)) for question, (status, body) in answers.items()}


def eventually(hub: Hub, questions: list[Question], expected: Answers, within_s: float = 10) -> None:
    """A hub learns soon of what another one wrote into its data folder."""
    until = time.monotonic() + within_s
    while unequal(expected, told := clockless(hub.answers(questions))) and time.monotonic() < until:
        time.sleep(0.05)
    assert_same(expected, told)
