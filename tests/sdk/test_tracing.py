"""Runs and spans are part of the trace that they happen in, and pass it on."""

import json
import os
import re
import subprocess
import sys
import timeit
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from lineage_hub.sdk import config, current_run, current_traceparent, outbox, trace_headers, track
from lineage_hub.sdk.runs import Run
from lineage_hub.sdk.trace_context import TraceContext, around_new_run, begun_by, enter, leave, parse
from lineage_hub.wire import Decoder

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = f"00-{TRACE}-{SPAN}-01"
VALID = re.compile(r"00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
Sent = list[dict[str, Any]]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sent]:
    for name in ("TRACEPARENT", "TRACESTATE"):
        monkeypatch.delenv(name, raising=False)
    found: Sent = []

    def keep(event: bytes) -> None:
        Decoder().decode(event, "default")
        found.append(json.loads(event))

    before = outbox.replace_by(keep)
    config.configure(namespace="team")
    yield found
    outbox.replace_by(before)
    config.reset_config()


def trace_of(event: dict[str, Any]) -> dict[str, Any] | None:
    facet: dict[str, Any] | None = event["run"]["facets"].get("lineageHub_trace")
    return facet


@pytest.mark.parametrize(
    ("text", "state", "expected"),
    [
        (PARENT, "", TraceContext(TRACE, SPAN, 1)),
        (f" {PARENT} ", "", TraceContext(TRACE, SPAN, 1)),
        (f"00-{TRACE}-{SPAN}-00", "", TraceContext(TRACE, SPAN, 0)),
        (f"00-{TRACE}-{SPAN}-ff", "", TraceContext(TRACE, SPAN, 3)),
        (f"cc-{TRACE}-{SPAN}-01-what-comes-later", "", TraceContext(TRACE, SPAN, 1)),
        (PARENT, "a=1, b@v=x y", TraceContext(TRACE, SPAN, 1, "a=1,b@v=x y")),
        (PARENT, "no member", TraceContext(TRACE, SPAN, 1)),
        (PARENT, ",".join(f"k{number}=v" for number in range(33)), TraceContext(TRACE, SPAN, 1)),
        ("", "", None),
        ("garbage", "", None),
        (f"ff-{TRACE}-{SPAN}-01", "", None),
        (f"00-{TRACE}-{SPAN}-01-more", "", None),
        (f"00-{'0' * 32}-{SPAN}-01", "", None),
        (f"00-{TRACE}-{'0' * 16}-01", "", None),
        (f"00-{TRACE.upper()}-{SPAN}-01", "", None),
        (f"00-{TRACE[1:]}-{SPAN}-01", "", None),
    ],
)
def test_a_header_is_read_as_w3c_says(text: str, state: str, expected: TraceContext | None) -> None:
    assert parse(text, state) == expected


def test_without_a_trace_a_run_has_no_facet(sent: Sent) -> None:
    with track("load"):
        pass
    assert [trace_of(one) for one in sent] == [None, None]
    assert current_traceparent() is None
    assert trace_headers() == {}


def test_a_run_is_in_the_trace_of_opentelemetrys_span(sent: Sent) -> None:
    tracer = TracerProvider().get_tracer("tests")
    with tracer.start_as_current_span("outer"):
        carrier: dict[str, str] = {}
        TraceContextTextMapPropagator().inject(carrier)
        with track("load"):
            inside = current_traceparent()
    with track("after"):
        pass
    expected = carrier["traceparent"]
    assert inside == expected
    start, complete, after, _ = sent
    facet = trace_of(start)
    assert facet is not None
    assert (facet["traceparent"], facet["traceId"], facet["spanId"]) == (expected, *expected.split("-")[1:3])
    assert facet["_producer"].startswith("https://")
    assert facet["_schemaURL"].startswith("https://")
    assert trace_of(complete) == facet
    assert trace_of(after) is None


def test_the_environments_trace_is_taken_and_passed_on(sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACEPARENT", PARENT)
    monkeypatch.setenv("TRACESTATE", "vendor=opaque")
    with track("load"), track("inner"):
        assert current_traceparent() == PARENT
        assert trace_headers() == {"traceparent": PARENT, "tracestate": "vendor=opaque"}
    for one in sent:
        facet = trace_of(one)
        assert facet is not None
        assert (facet["traceId"], facet["tracestate"]) == (TRACE, "vendor=opaque")


def test_a_span_of_opentelemetry_weighs_more_than_the_environment(sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACEPARENT", PARENT)
    tracer = TracerProvider().get_tracer("tests")
    with tracer.start_as_current_span("outer") as span, track("load"):
        pass
    facet = trace_of(sent[0])
    assert facet is not None
    assert facet["traceId"] == f"{span.get_span_context().trace_id:032x}"


@pytest.mark.parametrize("bad", ["garbage", f"00-{'0' * 32}-{SPAN}-01", "\udcff"])
def test_an_environment_that_cannot_be_read_is_none(sent: Sent, monkeypatch: pytest.MonkeyPatch, bad: str) -> None:
    monkeypatch.setenv("TRACEPARENT", bad)
    with track("load"):
        pass
    assert trace_of(sent[0]) is None


def test_a_run_in_no_trace_begins_one_when_it_is_asked_for(sent: Sent) -> None:
    with track("outer") as outer:
        with track("inner") as inner:
            told = current_traceparent()
            assert current_traceparent() == told
        with track("later"):
            later = current_traceparent()
    assert told is not None
    assert later is not None
    assert VALID.fullmatch(told)
    assert VALID.fullmatch(later)
    assert told.split("-")[1] == later.split("-")[1] == outer.id.replace("-", "")
    assert told.split("-")[2] == inner.id.replace("-", "")[16:]
    assert told.split("-")[2] != later.split("-")[2]
    ends = {one["job"]["name"]: trace_of(one) for one in sent if one["eventType"] == "COMPLETE"}
    assert {facet["traceId"] for facet in ends.values() if facet} == {told.split("-")[1]}
    assert len(ends) == 3
    assert ends["inner"] is not None
    assert ends["inner"]["traceparent"] == told


@pytest.mark.parametrize("run_id", ["nightly-2026-11-01", "", "ü" * 50, "0" * 32, "\udcff"])
def test_any_run_id_gives_a_valid_trace(run_id: str) -> None:
    assert VALID.fullmatch(begun_by(run_id, run_id).traceparent)
    assert parse(begun_by(run_id, run_id).traceparent) is not None


def test_what_is_passed_on_opentelemetry_reads(sent: Sent) -> None:
    with track("load"):
        headers = trace_headers()
    context = get_current_span(TraceContextTextMapPropagator().extract(headers)).get_span_context()
    assert context.is_valid
    assert f"{context.trace_id:032x}" == headers["traceparent"].split("-")[1]


CHILD = """
import json
from lineage_hub.sdk import outbox, track
outbox.replace_by(lambda event: print(event.decode()))
with track("child"):
    pass
"""


@pytest.mark.slow
def test_a_child_process_is_in_the_trace_of_the_one_that_started_it(sent: Sent) -> None:
    with track("parent"):
        told = current_traceparent()
        assert told is not None
        environment = {**os.environ, "TRACEPARENT": told, "PYTHONPATH": ":".join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", CHILD], env=environment, capture_output=True, text=True, timeout=30, check=True
        )
    child = trace_of(json.loads(done.stdout.splitlines()[0]))
    parent = trace_of(sent[-1])
    assert child is not None
    assert parent is not None
    assert child["traceId"] == parent["traceId"]


def test_the_innermost_of_both_kinds_of_spans_counts(sent: Sent) -> None:
    tracer = TracerProvider().get_tracer("tests")
    ours = TraceContext(TRACE, SPAN)
    token = enter(ours)
    assert around_new_run(None) == ours
    with tracer.start_as_current_span("inside of ours") as span:
        found = around_new_run(None)
        assert found is not None
        assert found.span_id == f"{span.get_span_context().span_id:016x}"
        inner = TraceContext(TRACE, "00000000000000aa")
        second = enter(inner)
        assert around_new_run(None) == inner
        leave(second)
    assert around_new_run(None) == ours
    leave(token)
    assert around_new_run(None) is None


@pytest.mark.serial
def test_a_run_without_a_trace_costs_next_to_nothing_more(sent: Sent) -> None:
    best = min(timeit.repeat(lambda: around_new_run(None), number=2000, repeat=5)) / 2000
    assert best < 5e-6
    assert current_run() is None
    assert Run("team", "load", lambda _: None).trace is None
