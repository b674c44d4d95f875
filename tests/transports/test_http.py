"""How answers of a server are understood, and what is sent to it."""

import json
import threading
from typing import Any

import pytest

from lineage_hub.errors import (
    InvalidEvent,
    InvalidSetting,
    LineageHubError,
    Overloaded,
    Refusal,
    Transient,
    Unreachable,
)
from lineage_hub.transports import TransportFactory
from lineage_hub.transports.base import Transport, event_text
from tests.transports.recorder import TAKEN, Recorder, Reply, Request


def batch(url: str, **more: Any) -> Transport:
    return TransportFactory().create({"type": "batch", "url": url, **more})


@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_a_single_event_is_confirmed_by_any_success(status: int) -> None:
    with Recorder(lambda _: (status, {}, b"")) as server:
        with batch(server.url) as transport:
            transport.send({"number": 1})
        assert server.numbers == [1]
        assert server.requests[0].path == "/api/v1/lineage"


@pytest.mark.parametrize(
    ("status", "error"),
    [(400, InvalidEvent), (401, Refusal), (404, Refusal), (408, Transient), (429, Overloaded), (500, Overloaded)],
)
def test_what_is_worth_another_try_is_told_apart(status: int, error: type[LineageHubError]) -> None:
    with (
        Recorder(lambda _: (status, {"Retry-After": "9"}, b"because")) as server,
        batch(server.url) as transport,
        pytest.raises(error) as told,
    ):
        transport.send({"number": 1})
    assert "because" in str(told.value)
    if isinstance(told.value, Transient):
        assert told.value.retry_after_s == 9


def test_many_events_go_in_one_request() -> None:
    with Recorder() as server, batch(server.url, api_key="key", headers={"X-Team": "a"}) as transport:
        assert transport.send_batch([b'{"number":%d}' % number for number in range(100)]) == []
        assert server.numbers == list(range(100))
        (request,) = server.requests
        assert (request.path, request.headers["x-team"]) == ("/api/v1/lineage/batch", "a")
        assert request.headers["authorization"] == "Bearer key"


def test_a_server_without_the_batch_endpoint_gets_single_events() -> None:
    def reply(request: Request) -> Reply:
        return (404, {}, b"") if request.path.endswith("batch") else TAKEN

    with Recorder(reply) as server, batch(server.url) as transport:
        for first in (0, 3):
            transport.send_batch([b'{"number":%d}' % number for number in range(first, first + 3)])
        assert server.numbers == list(range(6))
        assert len([one for one in server.requests if one.path.endswith("batch")]) == 1


def test_events_that_the_server_wants_again_are_a_transient_error() -> None:
    summary = {"failed_events": [{"index": 0, "reason": "busy", "retriable": True}]}
    with (
        Recorder(lambda _: (200, {}, json.dumps(summary).encode())) as server,
        batch(server.url) as transport,
        pytest.raises(Transient),
    ):
        transport.send_batch([b'{"number":1}', b'{"number":2}'])


def test_a_tenant_gets_its_events_in_an_envelope() -> None:
    answer = {"accepted": 1, "rejected": 1, "errors": [{"index": 1, "reason": "no"}], "namespace": "team-a"}
    with Recorder(lambda _: (200, {}, json.dumps(answer).encode())) as server:
        hub = TransportFactory().create({"type": "hub", "url": server.url, "namespace": "team-a", "source": "tests"})
        with hub:
            (refused,) = hub.send_batch([b'{"number":1}', b'{"number":2}'])
        assert (refused.index, refused.reason) == (1, "no")
        sent = json.loads(server.requests[0].body)
        assert (sent["namespace"], sent["source"], len(sent["events"])) == ("team-a", "tests", 2)


def envelope_answered(errors: list[Any], events: int = 2) -> list[Any]:
    answer = {"accepted": 1, "rejected": 1, "errors": errors, "namespace": "team-a"}
    with (
        Recorder(lambda _: (200, {}, json.dumps(answer).encode())) as server,
        TransportFactory().create({"type": "hub", "url": server.url, "namespace": "team-a"}) as hub,
    ):
        return list(hub.send_batch([b'{"number":%d}' % number for number in range(events)]))


def test_a_hub_names_what_it_refused_by_its_place() -> None:
    (refused,) = envelope_answered(["event 1: run.runId: is missing"])
    assert (refused.index, refused.reason) == (1, "run.runId: is missing")


@pytest.mark.parametrize("errors", [[], ["some event was bad"], ["event 7: no"]])
def test_what_was_refused_without_a_place_is_found_by_sending_single_events(errors: list[str]) -> None:
    with pytest.raises(InvalidEvent):
        envelope_answered(errors)


def test_a_connection_that_the_server_closed_meanwhile_is_made_again() -> None:
    with Recorder(lambda _: (204, {"Connection": "close"}, b"")) as server, batch(server.url) as transport:
        for number in range(3):
            transport.send({"number": number})
        assert server.numbers == [0, 1, 2]


def test_a_server_that_does_not_answer_in_time_is_unreachable() -> None:
    ended = threading.Event()

    def never(_: Request) -> Reply:
        ended.wait(30)
        return TAKEN

    with Recorder(never) as server:
        with pytest.raises(Unreachable, match=server.url):
            batch(server.url, timeout=0.2).send({"number": 1})
        ended.set()


def test_secrets_in_an_address_are_not_told() -> None:
    with pytest.raises(Unreachable) as told:
        batch("http://user:password@127.0.0.1:9").send({"number": 1})
    assert "password" not in str(told.value)


def test_an_event_is_text_a_mapping_or_an_object_of_openlineage() -> None:
    assert event_text(b'{"a":\n1}') == b'{"a": 1}'
    assert event_text('{"a": "ü"}') == '{"a": "ü"}'.encode()
    assert event_text({"a": [1, None]}) == b'{"a":[1,null]}'


def test_an_event_that_is_no_json_is_an_error_of_ours() -> None:
    circle: dict[str, Any] = {}
    circle["circle"] = circle
    for bad in (circle, "\ud800", {"text": "\ud800"}):
        with pytest.raises(InvalidEvent):
            event_text(bad)


@pytest.mark.parametrize("key", ["geheim\n", "geheim\r\nX-Other: 1", "gehéim"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_told(key: str) -> None:
    with pytest.raises(InvalidSetting) as told:
        batch("http://127.0.0.1:9", api_key=key)
    assert "geh" not in f"{told.value} {told.value.action} {told.value.subject}"
