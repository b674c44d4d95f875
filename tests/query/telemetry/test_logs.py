"""Logs are found by each condition and by all together, as plain Python finds them, and pages hold each once."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from lineage_hub.errors import InvalidRequest
from lineage_hub.model import EVERYTHING, Scope
from lineage_hub.query.telemetry.logs import LogQuestion, SpansOfRun, least_severity, logs, severity_name, words_of
from lineage_hub.wire import instant_text
from tests.query.telemetry.conftest import Known
from tests.query.telemetry.seeded import HOUR, ZERO, SeededLog

pytestmark = pytest.mark.slow
ALL = (ZERO, ZERO + 8 * HOUR)
Holds = Callable[[SeededLog], bool]


def has_words(body: str, *words: str) -> bool:
    found = {word.lower() if word.isascii() else word for word in re.split(r"[^\w]|_", body)}
    return all(word in found for word in words)


QUESTIONS: list[tuple[LogQuestion, Holds]] = [
    (LogQuestion(*ALL), lambda one: True),
    (LogQuestion(ZERO + HOUR, ZERO + 2 * HOUR), lambda one: ZERO + HOUR <= one.at < ZERO + 2 * HOUR),
    (LogQuestion(*ALL, service="billing"), lambda one: one.service == "billing"),
    (LogQuestion(*ALL, severity="warn"), lambda one: one.severity[0] >= 13),
    (LogQuestion(*ALL, severity="ERROR", service="shop"), lambda o: o.severity[0] >= 17 and o.service == "shop"),
    (LogQuestion(*ALL, words="refused"), lambda one: has_words(one.body, "refused")),
    (LogQuestion(*ALL, words="peer, CONNECTION!"), lambda one: has_words(one.body, "peer", "connection")),
    (LogQuestion(*ALL, words="order_id"), lambda one: has_words(one.body, "order", "id")),
    (LogQuestion(*ALL, words="naïve 42"), lambda one: has_words(one.body, "naïve", "42")),
    (LogQuestion(*ALL, words="Ärger"), lambda one: has_words(one.body, "Ärger")),
    (LogQuestion(*ALL, words="conn"), lambda one: False),
    (LogQuestion(*ALL, attributes=(("thread", "2"),)), lambda one: one.attributes["thread"][0] == "2"),
]


@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize(("asked", "holds"), QUESTIONS)
def test_logs_that_meet_the_conditions_are_listed(
    known: Known, asked: LogQuestion, holds: Holds, descending: bool
) -> None:
    from dataclasses import replace

    expected = [one for one in known.logs if holds(one)]
    answer = logs(known.store, EVERYTHING, replace(asked, descending=descending, limit=1000))
    assert answer["totalCount"] == len(expected)
    times = [instant_text(one.at) for one in sorted(expected, key=lambda one: one.at, reverse=descending)]
    assert [one["at"] for one in answer["logs"]] == times
    told = sorted((one["at"], one["body"], one["service"], one["traceId"] or "") for one in answer["logs"])
    assert told == sorted((instant_text(one.at), one.body, one.service, one.trace_id) for one in expected)


def test_those_of_a_trace_and_of_a_span_are_found(known: Known) -> None:
    one = next(one for one in known.logs if one.trace_id)
    of_trace = logs(known.store, EVERYTHING, LogQuestion(*ALL, trace_id=one.trace_id))
    assert of_trace["totalCount"] == sum(other.trace_id == one.trace_id for other in known.logs)
    of_span = logs(known.store, EVERYTHING, LogQuestion(*ALL, trace_id=one.trace_id, span_id=one.span_id))
    assert of_span["totalCount"] == sum(other.span_id == one.span_id for other in known.logs)


def test_those_of_a_run_are_also_those_of_its_spans(known: Known) -> None:
    inside = [one for one in known.logs if one.trace_id]
    spans = tuple({one.span_id for one in inside if one.trace_id == inside[0].trace_id})
    run = SpansOfRun("no log names it", inside[0].trace_id, spans)
    found = logs(known.store, EVERYTHING, LogQuestion(*ALL, run=run))
    assert found["totalCount"] == sum(one.trace_id == inside[0].trace_id for one in inside)
    nothing = logs(known.store, EVERYTHING, LogQuestion(*ALL, run=SpansOfRun("no log names it")))
    assert nothing["totalCount"] == 0


def test_a_record_is_told_whole(known: Known) -> None:
    answer = logs(known.store, EVERYTHING, LogQuestion(*ALL, descending=False, limit=1))["logs"][0]
    first = min(known.logs, key=lambda one: one.at)
    assert answer["observedAt"] == instant_text(first.at + 5)
    assert answer["severity"] == (first.severity[1] or "DEBUG")
    assert answer["attributes"] == {"thread": int(first.attributes["thread"][0])}
    assert answer["resourceAttributes"] == {"host.name": f"host-{first.service}"}


def test_pages_hold_each_record_once(known: Known) -> None:
    found = []
    for offset in range(0, 310, 31):
        found += logs(known.store, EVERYTHING, LogQuestion(*ALL, limit=31, offset=offset))["logs"]
    assert len(found) == len(known.logs)
    assert sorted((one["at"], one["body"]) for one in found) == sorted((instant_text(o.at), o.body) for o in known.logs)


def test_a_tenant_reads_its_own(known: Known) -> None:
    found = logs(known.store, Scope("team-b", frozenset({"team-b"})), LogQuestion(*ALL))
    assert found["totalCount"] == sum(one.namespace == "team-b" for one in known.logs)


def test_a_question_without_a_word_and_an_unknown_severity_are_refused() -> None:
    for text in ("", "...", "_"):
        with pytest.raises(InvalidRequest):
            words_of(text)
    with pytest.raises(InvalidRequest):
        least_severity("loud")
    assert least_severity("Warning") == 13
    assert [severity_name(number) for number in (0, 1, 8, 9, 24)] == ["", "TRACE", "DEBUG", "INFO", "FATAL"]
