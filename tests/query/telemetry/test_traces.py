"""One trace and lists of traces from the real engine are what was put in, to the nanosecond."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lineage_hub.errors import InvalidRequest, NotFound
from lineage_hub.model import EVERYTHING, Scope
from lineage_hub.query.telemetry.trace_list import TraceQuestion, traces
from lineage_hub.query.telemetry.traces import find_trace, trace, trace_answer, trace_id_of
from lineage_hub.wire import instant_text
from tests.query.telemetry.conftest import Known
from tests.query.telemetry.seeded import HOUR, ZERO, Seeded

pytestmark = pytest.mark.slow
ALL = (ZERO, ZERO + 4 * HOUR)
HOURS = (ZERO // HOUR * HOUR + HOUR, ZERO // HOUR * HOUR + 3 * HOUR)
TEAM_B = Scope("team-b", frozenset({"team-b"}))


def by_trace(spans: list[Seeded]) -> dict[str, list[Seeded]]:
    found: dict[str, list[Seeded]] = {}
    for one in spans:
        found.setdefault(one.trace_id, []).append(one)
    return found


def test_each_trace_comes_back_as_it_was_sent(known: Known) -> None:
    for trace_id, sent in by_trace(known.spans).items():
        found = find_trace(known.store, EVERYTHING, trace_id)
        assert found is not None
        assert found.hidden == 0
        got = {one.span_id: one for one in found.tree.spans}
        assert got.keys() == {one.span_id for one in sent}
        for one in sent:
            span = got[one.span_id]
            assert (span.name, span.service, span.parent_span_id) == (one.name, one.service, one.parent)
            assert (span.started_at, span.duration_ns, span.ended_at) == (one.start, one.duration, one.end)
            assert (span.status, span.status_message) == (one.status, "it failed" if one.status == "ERROR" else "")
            assert span.attributes["http.status_code"] == int(one.attributes["http.status_code"][0])
            assert span.attributes["ratio"] == float(one.attributes["ratio"][0])
            assert span.attributes["cached"] is (one.attributes["cached"][0] == "true")
            assert span.attributes.get("tags") == (["a", 7] if "tags" in one.attributes else None)
            assert span.resource == {"host.name": f"host-{one.service}"}
            assert [(e.at, e.name, e.attributes) for e in span.events] == one.events
            assert [(e.trace_id, e.span_id, e.attributes) for e in span.links] == [
                (a, b, d) for a, b, _, d in one.links
            ]


def test_the_answer_counts_from_the_start_of_the_trace(known: Known) -> None:
    for trace_id, sent in list(by_trace(known.spans).items())[:10]:
        answer = trace_answer(trace(known.store, EVERYTHING, trace_id))
        zero = min(one.start for one in sent)
        assert answer["startedAt"] == instant_text(zero)
        assert answer["durationNs"] == max(one.end for one in sent) - zero
        assert answer["spanCount"] == len(sent)
        assert answer["errorCount"] == sum(one.status == "ERROR" for one in sent)
        assert {one["spanId"]: one["offsetNs"] for one in answer["spans"]} == {s.span_id: s.start - zero for s in sent}
        root = next(one for one in sent if not one.parent)
        assert sum(one["durationNs"] for one in answer["criticalPath"]) == root.duration


def test_what_is_beyond_the_most_spans_is_counted(known: Known) -> None:
    trace_id, sent = max(by_trace(known.spans).items(), key=lambda one: len(one[1]))
    found = find_trace(known.store, EVERYTHING, trace_id, most=3)
    assert found is not None
    assert (len(found.tree.spans), found.hidden) == (3, len(sent) - 3)
    assert found.errors == sum(one.status == "ERROR" for one in sent)


def test_another_tenants_trace_is_not_there(known: Known) -> None:
    mine = next(one for one in known.spans if one.namespace == "team-b")
    other = next(one for one in known.spans if one.namespace == "default")
    assert find_trace(known.store, TEAM_B, mine.trace_id) is not None
    assert find_trace(known.store, TEAM_B, other.trace_id) is None


def test_a_trace_that_is_not_there_is_not_found_and_a_bad_id_is_refused(known: Known) -> None:
    with pytest.raises(NotFound, match="No span"):
        trace(known.store, EVERYTHING, "0" * 31 + "1")
    for text in ("", "xyz", "0" * 31, "' OR 1=1 --"):
        with pytest.raises(InvalidRequest):
            trace_id_of(text)
    assert trace_id_of("018F0000-0000-7000-8000-000000000001") == "018f0000000070008000000000000001"


Holds = Callable[[Seeded], bool]
QUESTIONS: list[tuple[TraceQuestion, Holds]] = [
    (TraceQuestion(*ALL), lambda one: True),
    (TraceQuestion(ZERO + HOUR, ZERO + 2 * HOUR), lambda one: ZERO + HOUR <= one.start < ZERO + 2 * HOUR),
    (TraceQuestion(ZERO + 1000, ZERO + HOUR // 4), lambda one: ZERO + 1000 <= one.start < ZERO + HOUR // 4),
    (TraceQuestion(*HOURS), lambda one: HOURS[0] <= one.start < HOURS[1]),
    (TraceQuestion(*ALL, service="billing"), lambda one: one.service == "billing"),
    (TraceQuestion(*ALL, operation="INSERT"), lambda one: one.name == "INSERT"),
    (TraceQuestion(*ALL, least_ns=10**9), lambda one: one.duration >= 10**9),
    (TraceQuestion(*ALL, errors_only=True), lambda one: one.status == "ERROR"),
    (
        TraceQuestion(*ALL, service="shop", errors_only=True, least_ns=10**8),
        lambda one: one.service == "shop" and one.status == "ERROR" and one.duration >= 10**8,
    ),
    (
        TraceQuestion(*ALL, attributes=(("http.status_code", "404"), ("http.method", "POST"))),
        lambda one: one.attributes["http.status_code"][0] == "404" and one.attributes["http.method"][0] == "POST",
    ),
    (TraceQuestion(*ALL, attributes=(("host.name", "host-warehouse"),)), lambda one: one.service == "warehouse"),
    (TraceQuestion(*ALL, attributes=(("missing", ""),)), lambda one: False),
    (TraceQuestion(*ALL, service="x' OR '1'='1"), lambda one: False),
]


@pytest.mark.parametrize(("asked", "holds"), QUESTIONS)
def test_traces_with_a_span_that_meets_the_conditions_are_listed(
    known: Known, asked: TraceQuestion, holds: Holds
) -> None:
    began: dict[str, int] = {}
    for one in known.spans:
        if holds(one):
            began[one.trace_id] = min(one.start, began.get(one.trace_id, one.start))
    order = sorted(began, key=lambda trace_id: (-began[trace_id], trace_id))
    every = by_trace(known.spans)
    answer = traces(known.store, EVERYTHING, asked)
    assert answer["totalCount"] == len(order)
    assert [one["traceId"] for one in answer["traces"]] == order[: asked.limit]
    for one in answer["traces"]:
        sent = every[one["traceId"]]
        root = next(span for span in sent if not span.parent)
        assert (one["name"], one["service"], one["status"]) == (root.name, root.service, root.status)
        assert one["startedAt"] == instant_text(min(span.start for span in sent))
        assert one["durationNs"] == max(s.end for s in sent) - min(s.start for s in sent)
        assert (one["spanCount"], one["errorCount"]) == (len(sent), sum(s.status == "ERROR" for s in sent))
        assert one["services"] == sorted({span.service for span in sent})


def test_pages_hold_each_trace_once(known: Known) -> None:
    found = []
    for offset in range(0, 70, 7):
        found += traces(known.store, EVERYTHING, TraceQuestion(*ALL, limit=7, offset=offset))["traces"]
    ids = [one["traceId"] for one in found]
    assert len(ids) == len(set(ids)) == len(by_trace(known.spans))


def test_a_page_beyond_the_last_is_empty_and_still_counts(known: Known) -> None:
    for asked in (
        TraceQuestion(*ALL, offset=1000),
        TraceQuestion(*ALL, limit=0),
        TraceQuestion(*ALL, least_ns=1, offset=99),
    ):
        page = traces(known.store, EVERYTHING, asked)
        assert (page["traces"], page["totalCount"]) == ([], len(by_trace(known.spans)))


def test_a_tenant_lists_its_own(known: Known) -> None:
    listed = traces(known.store, TEAM_B, TraceQuestion(*ALL, limit=100))
    assert {one["traceId"] for one in listed["traces"]} == {
        one.trace_id for one in known.spans if one.namespace == "team-b"
    }
