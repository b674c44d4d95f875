"""A tracked function does what it did before, exactly once, and each of its calls is a span."""

import asyncio
import contextvars
import inspect
import json
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider

from lineage_hub.errors import Overloaded
from lineage_hub.sdk import (
    LineageHubConfig,
    Metric,
    Span,
    config,
    flush,
    outbox,
    telemetry_outbox,
    telemetry_track,
    track,
    warnings,
)
from lineage_hub.sdk.telemetry_outbox import SpanOutbox
from lineage_hub.wire import instant
from tests.hub_process import free_port
from tests.sdk.test_telemetry_client import taken
from tests.transports.recorder import Recorder, Reply, Request

WAIT_S = 20.0
Spans = Callable[[], list[dict[str, Any]]]


def rows_of(hub: Recorder) -> list[dict[str, Any]]:
    return [row for request in hub.requests for row in json.loads(request.body)["traces"]]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorder]:
    for name in ("TRACEPARENT", "TRACESTATE", "OTEL_SERVICE_NAME"):
        monkeypatch.delenv(name, raising=False)
    warnings.forget_warnings()
    before = outbox.replace_by(lambda _: None)
    with Recorder(taken) as server:
        config.configure(hub_endpoint=server.url, api_key="key", namespace="team-a", flush_interval=60.0)
        yield server
        assert telemetry_outbox.close(WAIT_S)
    outbox.replace_by(before)
    config.reset_config()


@pytest.fixture
def spans(hub: Recorder) -> Spans:
    def all_of_them() -> list[dict[str, Any]]:
        assert flush(WAIT_S)
        return rows_of(hub)

    return all_of_them


@telemetry_track
def doubled(number: int) -> int:
    """Twice as much."""
    return 2 * number


def test_a_function_is_itself_and_each_call_a_span(spans: Spans, hub: Recorder) -> None:
    before = time.time_ns()
    assert [doubled(1), doubled(number=2)] == [2, 4]
    after = time.time_ns()
    assert (doubled.__name__, doubled.__doc__) == ("doubled", "Twice as much.")
    assert list(inspect.signature(doubled).parameters) == ["number"]
    assert pickle.loads(pickle.dumps(doubled)) is doubled
    first, second = spans()
    assert first["operation_name"] == "doubled"
    assert (first["status_code"], first["span_kind"]) == ("OK", "INTERNAL")
    assert len({one["trace_id"] for one in (first, second)}) == 2
    assert (len(first["trace_id"]), len(first["span_id"]), first["parent_span_id"]) == (32, 16, "")
    assert before <= instant(first["timestamp"]) <= instant(first["timestamp"]) + first["duration_ns"] <= after
    assert hub.requests[0].headers["authorization"] == "Bearer key"
    assert json.loads(hub.requests[0].body)["namespace"] == "team-a"


def test_name_service_namespace_and_tags_are_those_that_were_given(spans: Spans, hub: Recorder) -> None:
    @telemetry_track("load", service_name="etl", namespace="team-b", tags={"rows": 3, "dry": False})
    def one() -> None: ...

    @telemetry_track(tags=["nightly"])
    def two() -> None: ...

    one()
    two()
    by_name = {row["operation_name"].rpartition(".")[2]: row for row in spans()}
    assert (by_name["load"]["service_name"], by_name["load"]["attributes"]) == ("etl", {"rows": 3, "dry": False})
    assert by_name["two"]["attributes"] == {"nightly": True}
    assert by_name["two"]["service_name"] == "unknown_service:python"
    assert {json.loads(one.body)["namespace"] for one in hub.requests} == {"team-a", "team-b"}


def test_an_error_is_the_functions_own_and_stands_in_the_span(spans: Spans) -> None:
    failure = ValueError("no such table")

    @telemetry_track("broken")
    def fails() -> None:
        raise failure

    with pytest.raises(ValueError, match="no such table") as raised:
        fails()
    assert raised.value is failure
    (span,) = spans()
    assert (span["status_code"], span["status_message"]) == ("ERROR", "no such table")
    (event,) = span["events"]
    assert (event["name"], event["attributes"]["exception.type"]) == ("exception", "ValueError")
    assert "test_telemetry.py" in event["attributes"]["exception.stacktrace"]


def test_how_long_it_took_is_in_nanoseconds(spans: Spans) -> None:
    @telemetry_track("sleep")
    def sleep() -> None:
        time.sleep(0.05)

    sleep()
    (span,) = spans()
    assert 50_000_000 <= span["duration_ns"] < 5_000_000_000


def test_calls_inside_a_call_are_its_children(spans: Spans) -> None:
    @telemetry_track("outer")
    def outer() -> int:
        return doubled(1) + doubled(2)

    outer()
    rows = spans()
    (root,) = [row for row in rows if row["operation_name"] == "outer"]
    children = [row for row in rows if row["operation_name"] == "doubled"]
    assert {row["trace_id"] for row in rows} == {root["trace_id"]}
    assert [row["parent_span_id"] for row in children] == [root["span_id"]] * 2
    assert root["parent_span_id"] == ""


def test_async_functions_generators_and_methods_are_told_of_too(spans: Spans) -> None:
    class Loader:
        @telemetry_track("method")
        def method(self) -> int:
            return 1

        @telemetry_track("class")
        @classmethod
        def of_class(cls) -> type:
            return cls

        @telemetry_track("static")
        @staticmethod
        def static(number: int) -> int:
            return number

    @telemetry_track("waits")
    async def waits(seconds: float = 0.0) -> str:
        await asyncio.sleep(seconds)
        return "done"

    @telemetry_track("steps")
    def steps() -> Iterator[int]:
        yield doubled(1)
        yield 3

    @telemetry_track("async steps")
    async def async_steps() -> AsyncIterator[int]:
        yield 1
        await waits()

    async def main() -> tuple[str, list[int]]:
        return await waits(), [number async for number in async_steps()]

    assert (Loader().method(), Loader.of_class(), Loader.static(4)) == (1, Loader, 4)
    assert inspect.iscoroutinefunction(waits)
    assert asyncio.run(main()) == ("done", [1])
    given = []
    for number in steps():
        given.append(number)
        doubled(number)
    assert given == [2, 3]
    rows = spans()
    names = [row["operation_name"] for row in rows]
    assert sorted(names) == sorted(
        ["method", "class", "static", "waits", "waits", "async steps", "doubled", "doubled", "doubled", "steps"]
    )
    by_id = {row["span_id"]: row["operation_name"] for row in rows}
    parents = sorted(by_id[row["parent_span_id"]] for row in rows if row["parent_span_id"])
    assert parents == ["async steps", "steps"]
    assert {row["status_code"] for row in rows} == {"OK"}


def test_a_generator_that_is_left_early_is_no_error(spans: Spans) -> None:
    @telemetry_track("steps")
    def steps() -> Iterator[int]:
        yield 1
        yield 2

    for _ in steps():
        break
    (span,) = spans()
    assert span["status_code"] == "OK"


def test_a_coroutine_that_is_given_up_ends_without_noise(spans: Spans) -> None:
    @telemetry_track("waits")
    async def waits() -> None:
        await asyncio.Event().wait()

    async def main() -> None:
        contextvars.copy_context().run(given_up.send, None)

    given_up = waits()
    asyncio.run(main())
    given_up.close()
    assert [row["operation_name"] for row in spans()] == ["waits"]


def test_a_span_is_in_the_run_and_the_run_in_the_span(hub: Recorder) -> None:
    events: list[dict[str, Any]] = []
    outbox.replace_by(lambda event: events.append(json.loads(event)))

    @telemetry_track("step")
    def step() -> None:
        with track("inner"):
            pass

    with track("outer") as run:
        step()
    assert flush(WAIT_S)
    (span,) = rows_of(hub)
    assert span["attributes"] == {"pipeline.run_id": run.id}
    facets = {(one["job"]["name"], one["eventType"]): one["run"]["facets"] for one in events}
    assert facets["inner", "START"]["lineageHub_trace"]["traceId"] == span["trace_id"]
    assert facets["inner", "START"]["lineageHub_trace"]["spanId"] == span["span_id"]
    assert facets["outer", "COMPLETE"]["lineageHub_trace"]["traceId"] == span["trace_id"]
    assert span["parent_span_id"] == ""


def test_a_span_is_a_child_of_opentelemetrys(spans: Spans) -> None:
    @telemetry_track("outer")
    def outer() -> None:
        doubled(1)

    tracer = TracerProvider().get_tracer("tests")
    with tracer.start_as_current_span("theirs") as theirs:
        outer()
    rows = {row["operation_name"]: row for row in spans()}
    assert rows["outer"]["trace_id"] == f"{theirs.get_span_context().trace_id:032x}"
    assert rows["outer"]["parent_span_id"] == f"{theirs.get_span_context().span_id:016x}"
    assert rows["doubled"]["parent_span_id"] == rows["outer"]["span_id"]


def test_a_span_is_a_child_of_the_environments(spans: Spans, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACEPARENT", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    doubled(1)
    (span,) = spans()
    assert (span["trace_id"], span["parent_span_id"]) == ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331")


def test_telemetry_that_is_switched_off_leaves_the_function_alone(hub: Recorder) -> None:
    config.configure(hub_endpoint=hub.url, enable_telemetry=False)
    assert doubled(4) == 8
    assert flush(WAIT_S)
    assert hub.requests == []


def test_a_dry_run_prints(hub: Recorder, capsys: pytest.CaptureFixture[str]) -> None:
    config.configure(hub_endpoint=hub.url, dry_run=True)
    doubled(4)
    assert flush(WAIT_S)
    assert hub.requests == []
    assert json.loads(capsys.readouterr().err)["operation_name"] == "doubled"


class Rude:
    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


@pytest.mark.parametrize("tags", [7, {"a": Rude()}, [Rude()], {1: object()}, [["list"]]])
def test_bad_tags_cost_the_function_nothing(spans: Spans, tags: Any) -> None:
    ran = []

    @telemetry_track("job", tags=tags)
    def job() -> str:
        ran.append(1)
        return "result"

    assert job() == "result"
    assert ran == [1]
    assert [row["operation_name"] for row in spans()] == ["job"]


def test_an_error_without_a_text_is_the_functions_own_too(spans: Spans) -> None:
    class Broken(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    @telemetry_track("job")
    def job() -> None:
        raise Broken

    with pytest.raises(Broken):
        job()
    (span,) = spans()
    assert span["events"][0]["attributes"]["exception.type"].endswith("Broken")


@pytest.mark.parametrize("status", [401, 404, 429, 500])
def test_spans_wait_for_a_receiver_that_cannot_take_them_yet(hub: Recorder, spans: Spans, status: int) -> None:
    hub.reply = lambda request: (status, {"Retry-After": "0"}, b"") if len(hub.requests) < 2 else taken(request)
    doubled(1)
    spans()
    assert len(hub.requests) == 3
    assert len({one.body for one in hub.requests}) == 1


def test_spans_that_are_refused_for_good_are_dropped_and_told_of(
    hub: Recorder, spans: Spans, caplog: pytest.LogCaptureFixture
) -> None:
    hub.reply = lambda _: (400, {}, b"no such field")
    doubled(1)
    spans()
    doubled(2)
    spans()
    assert len(hub.requests) == 2
    assert caplog.text.count("no such field") == 1


def test_spans_are_sent_in_batches_and_a_full_one_does_not_wait(hub: Recorder) -> None:
    config.configure(hub_endpoint=hub.url, batch_size=10, flush_interval=600.0)
    for number in range(25):
        doubled(number)
    until = time.monotonic() + WAIT_S
    while len(rows_of(hub)) < 20:
        assert time.monotonic() < until
        time.sleep(0.005)
    assert flush(WAIT_S)
    assert [len(json.loads(one.body)["traces"]) for one in hub.requests] == [10, 10, 5]


def test_a_few_spans_leave_after_the_interval(hub: Recorder) -> None:
    config.configure(hub_endpoint=hub.url, batch_size=1000, flush_interval=0.05)
    doubled(1)
    until = time.monotonic() + WAIT_S
    while not hub.requests:
        assert time.monotonic() < until
        time.sleep(0.005)


def span(number: int) -> Span:
    return Span(name=f"span-{number}", start_ns=1, end_ns=2)


def test_a_receiver_that_is_down_costs_a_bounded_memory_and_the_oldest_spans(caplog: pytest.LogCaptureFixture) -> None:
    received: list[Span | Metric] = []
    is_up = threading.Event()

    class Receiver:
        def __call__(self, namespace: str, told: list[Span | Metric]) -> int:
            if not is_up.is_set():
                raise Overloaded("down", retry_after_s=0)
            received.extend(told)
            return 0

        def close(self) -> None: ...

    warnings.forget_warnings()
    waiting = SpanOutbox(LineageHubConfig(flush_interval=0.0), Receiver(), most_bytes=200 * 1024)
    for number in range(5000):
        waiting.put(span(number))
    assert not waiting.flush(0.01)
    is_up.set()
    assert waiting.flush(WAIT_S)
    assert len(received) <= 300
    assert received[-1].name == "span-4999"
    assert (waiting.taken, waiting.sent) == (5000, len(received))
    assert waiting.dropped == 5000 - len(received)
    assert caplog.text.count("oldest") == 1


def test_spans_and_metrics_go_by_otlp_where_opentelemetrys_variable_says(
    hub: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Recorder(lambda _: (200, {}, b"{}")) as receiver:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url + "/")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=a%20b, x-more=1")
        doubled(1)
        telemetry_outbox.send(Metric(name="rows", value=7, kind="counter"))
        assert flush(WAIT_S)
        told = {one.path: json.loads(one.body) for one in receiver.requests}
        assert [one["name"] for one in told["/v1/traces"]["resourceSpans"][0]["scopeSpans"][0]["spans"]] == ["doubled"]
        metrics = told["/v1/metrics"]["resourceMetrics"][0]["scopeMetrics"][0]["metrics"]
        assert [(one["name"], one["sum"]["dataPoints"][0]["asInt"]) for one in metrics] == [("rows", "7")]
        assert {(one.headers["x-team"], one.headers["x-more"]) for one in receiver.requests} == {("a b", "1")}
        assert telemetry_outbox.close(WAIT_S)
    assert not hub.requests


def test_threads_lose_no_span(hub: Recorder, spans: Spans) -> None:
    def work() -> None:
        for number in range(200):
            doubled(number)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    rows = spans()
    assert len({row["span_id"] for row in rows}) == len(rows) == 1600


def test_a_new_configuration_keeps_what_waits_for_the_old_address(hub: Recorder) -> None:
    doubled(1)
    with Recorder(taken) as other:
        config.configure(hub_endpoint=other.url, flush_interval=60.0)
        doubled(2)
        assert flush(WAIT_S)
        assert (len(rows_of(hub)), len(rows_of(other))) == (1, 1)


PROGRAM = """
import sys, time
from lineage_hub.sdk import telemetry_track

@telemetry_track("job", service_name="program")
def job(): return 5

assert job() == 5
"""
FORKING = """
import os
from lineage_hub.sdk import flush, telemetry_track

@telemetry_track
def parent(): ...

@telemetry_track
def child(): ...

parent()
pid = os.fork()
if pid == 0:
    child()
    assert flush(20)
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
assert flush(20)
"""


def run(program: str, url: str) -> tuple[float, str]:
    environment = {**os.environ, "PYTHONPATH": ":".join(sys.path), "LINEAGE_HUB_URL": url}
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    return time.monotonic() - started, done.stderr


@pytest.mark.slow
def test_a_program_that_ends_sends_its_spans_first(hub: Recorder) -> None:
    run(PROGRAM, hub.url)
    assert [row["service_name"] for row in rows_of(hub)] == ["program"]


@pytest.mark.slow
def test_a_receiver_that_is_down_holds_up_the_end_of_a_program_for_a_bounded_time() -> None:
    took, told = run(PROGRAM, f"http://127.0.0.1:{free_port()}")
    assert took < 10
    assert told.count("spans wait") == 1


@pytest.mark.slow
def test_a_receiver_that_hangs_holds_up_the_end_of_a_program_for_a_bounded_time() -> None:
    ended = threading.Event()

    def never(request: Request) -> Reply:
        ended.wait(60)
        return taken(request)

    with Recorder(never) as receiver:
        took, _ = run(PROGRAM, receiver.url)
        ended.set()
    assert took < 10


@pytest.mark.slow
def test_parent_and_child_of_a_fork_send_their_own_spans_once(hub: Recorder) -> None:
    run(FORKING, hub.url)
    assert sorted(row["operation_name"] for row in rows_of(hub)) == ["child", "parent"]


def test_troubles_of_ours_are_told_once_and_never_raised(
    hub: Recorder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: Span) -> None:
        raise OSError("out of threads")

    monkeypatch.setattr(telemetry_outbox, "_outbox", broken)
    assert [doubled(number) for number in range(20)] == [2 * number for number in range(20)]
    assert caplog.text.count("out of threads") == 1
