"""What a client is told by the hub is what its caller gets, whatever is between them."""

import asyncio
import gc
import json
import logging
import socket
import threading
import time
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from openlineage.client.event_v2 import Job, Run, RunEvent, RunState

from lineage_hub.errors import (
    Conflict,
    InvalidEvent,
    InvalidRequest,
    InvalidSetting,
    NotFound,
    Overloaded,
    Refusal,
    Transient,
    Unreachable,
)
from lineage_hub.sdk import LineageHubClient, LineageHubConfig, LineageResult, SyncLineageHubClient, config
from tests.hub_process import HubProcess
from tests.sdk.twins import ask, both_kinds, quick
from tests.transports.recorder import Recorder, Reply, Request

KEY, PASSWORD = "key-of-a-team-42", "open-sesame"


def event(number: int) -> dict[str, Any]:
    return {
        "eventTime": "2026-11-01T00:00:00Z",
        "eventType": "START",
        "producer": "https://example.com/tests",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": f"00000000-0000-4000-8000-{number:012d}"},
        "job": {"namespace": "clients", "name": f"job-{number}"},
        "inputs": [],
        "outputs": [],
    }


def taken(request: Request) -> Reply:
    """As a hub that takes everything."""
    envelope = json.loads(request.body)
    answer = {"accepted": len(envelope["events"]), "rejected": 0, "errors": [], "namespace": envelope["namespace"]}
    return 200, {}, json.dumps(answer).encode()


def send(kind: str, url: str, events: Any, *, api_key: str | None = None, source: Any = None, **settings: Any) -> Any:
    made = {"base_url": url, "api_key": api_key, "config": quick(**settings)}
    return ask(kind, LineageHubClient, "send_lineage_events", events, made=made, source=source)


@both_kinds
def test_events_go_in_an_envelope_with_the_key_in_the_header(kind: str) -> None:
    with Recorder(taken) as hub:
        result = send(kind, hub.url, [event(1), event(2)], api_key=KEY, source="nightly")
        (request,) = hub.requests
    assert result == LineageResult(accepted=2, rejected=0, errors=(), namespace="team-a")
    assert (request.method, request.path) == ("POST", "/api/v1/lineage/ingest")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(request.body) == {"namespace": "team-a", "events": [event(1), event(2)], "source": "nightly"}


@both_kinds
def test_a_call_may_name_another_namespace(kind: str) -> None:
    with Recorder(taken) as hub:
        made = {"base_url": hub.url, "namespace": "team-b", "config": quick()}
        ask(kind, LineageHubClient, "send_lineage_events", [event(1)], made=made)
        result = ask(kind, LineageHubClient, "send_lineage_events", [event(1)], made=made, namespace="team-c")
        assert [json.loads(one.body)["namespace"] for one in hub.requests] == ["team-b", "team-c"]
    assert result.namespace == "team-c"


def test_what_is_not_given_comes_from_the_configuration() -> None:
    with Recorder(taken) as hub:
        config.configure(hub_endpoint=hub.url + "/", api_key=KEY, namespace="configured")
        try:
            with SyncLineageHubClient() as client:
                client.send_lineage_events([event(1)])
        finally:
            config.reset_config()
        (request,) = hub.requests
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(request.body)["namespace"] == "configured"


@both_kinds
def test_events_are_mappings_json_or_objects_of_openlineage(kind: str) -> None:
    known = RunEvent(
        eventTime="2026-11-01T00:00:00Z",
        eventType=RunState.START,
        run=Run(runId="00000000-0000-4000-8000-000000000003"),
        job=Job(namespace="clients", name="job-3"),
        producer="https://example.com/tests",
    )
    with Recorder(taken) as hub:
        events = (one for one in (event(1), json.dumps(event(2), indent=1), json.dumps(event(2)).encode(), known))
        assert send(kind, hub.url, events).accepted == 4
        sent = hub.requests[0].events
    assert sent[:3] == [event(1), event(2), event(2)]
    assert (sent[3]["eventType"], sent[3]["job"]["name"]) == ("START", "job-3")


@both_kinds
def test_no_events_are_no_request(kind: str) -> None:
    with Recorder(taken) as hub:
        assert send(kind, hub.url, []) == LineageResult(namespace="team-a")
        assert hub.requests == []


@both_kinds
def test_what_was_refused_is_told_and_does_not_count_as_accepted(kind: str) -> None:
    answer = {"accepted": 1, "rejected": 1, "errors": ["event 1: no job"], "namespace": "team-a"}
    with Recorder(lambda _: (200, {}, json.dumps(answer).encode())) as hub:
        assert send(kind, hub.url, [event(1), {}]) == LineageResult(1, 1, ("event 1: no job",), "team-a")


@both_kinds
def test_many_events_go_in_several_requests_and_errors_keep_their_place(kind: str) -> None:
    def reply(request: Request) -> Reply:
        count = len(request.events)
        answer = {"accepted": count - 1, "rejected": 1, "errors": ["event 7: no"], "namespace": "team-a"}
        return 200, {}, json.dumps(answer).encode()

    with Recorder(reply) as hub:
        result = send(kind, hub.url, [event(number) for number in range(2500)])
        assert sum(len(one.events) for one in hub.requests) == 2500
        assert len(hub.requests) == 3
    assert (result.accepted, result.rejected) == (2497, 3)
    assert result.errors == ("event 7: no", "event 1007: no", "event 2007: no")


@both_kinds
@pytest.mark.parametrize("counts", [(3, 0), (0, 0), (-1, 3), (1, 0)])
def test_an_answer_that_does_not_add_up_is_no_success(kind: str, counts: tuple[int, int]) -> None:
    answer = {"accepted": counts[0], "rejected": counts[1], "errors": [], "namespace": "team-a"}
    with Recorder(lambda _: (200, {}, json.dumps(answer).encode())) as hub, pytest.raises(InvalidSetting):
        send(kind, hub.url, [event(1), event(2)])


@both_kinds
@pytest.mark.parametrize("body", [b"<html>sign in</html>", b"", b"\xff\xfe", b"[]", b'{"accepted": "many"}', b"nul"])
def test_a_success_that_is_no_hubs_is_no_success(kind: str, body: bytes) -> None:
    with Recorder(lambda _: (200, {"Content-Type": "text/html"}, body)) as hub:
        with pytest.raises(InvalidSetting, match="not a Lineage Hub") as told:
            send(kind, hub.url, [event(1)])
        assert len(hub.requests) == 1
    assert told.value.action


@both_kinds
@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_what_may_go_better_is_tried_again(kind: str, status: int) -> None:
    with Recorder() as hub:
        hub.reply = lambda request: (status, {}, b"<html>busy</html>") if len(hub.requests) < 2 else taken(request)
        assert send(kind, hub.url, [event(1)], retry_attempts=3).accepted == 1
        assert len(hub.requests) == 3
        assert len({one.body for one in hub.requests}) == 1


@both_kinds
def test_after_the_last_attempt_the_error_is_raised(kind: str) -> None:
    with Recorder(lambda _: (500, {}, b"<html>oops</html>")) as hub:
        with pytest.raises(Overloaded, match=r"500.*oops"):
            send(kind, hub.url, [event(1)], retry_attempts=4)
        assert len(hub.requests) == 4


@both_kinds
@pytest.mark.parametrize("attempts", [0, 1])
def test_one_attempt_is_made_in_any_case(kind: str, attempts: int) -> None:
    with Recorder(lambda _: (503, {}, b"")) as hub:
        with pytest.raises(Transient):
            send(kind, hub.url, [event(1)], retry_attempts=attempts)
        assert len(hub.requests) == 1


@both_kinds
@pytest.mark.parametrize(
    ("status", "error"), [(400, Refusal), (401, Refusal), (403, Refusal), (404, NotFound), (307, Refusal)]
)
def test_what_fails_again_is_raised_at_once(kind: str, status: int, error: type[Exception]) -> None:
    with Recorder(lambda _: (status, {}, b"because")) as hub:
        with pytest.raises(error, match=f"{status}.*because"):
            send(kind, hub.url, [event(1)])
        assert len(hub.requests) == 1


@both_kinds
@pytest.mark.parametrize("as_date", [False, True])
def test_it_waits_as_long_as_the_hub_asks_for(kind: str, as_date: bool) -> None:
    asked: list[float] = []

    def reply(request: Request) -> Reply:
        asked.append(time.monotonic())
        if len(asked) > 1:
            return taken(request)
        wait = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True) if as_date else "1"
        return 429, {"Retry-After": wait}, b""

    with Recorder(reply) as hub:
        assert send(kind, hub.url, [event(1)]).accepted == 1
    assert 0.99 <= asked[1] - asked[0] < 4


@both_kinds
def test_a_hub_that_asks_for_more_patience_than_a_call_has_is_not_asked_again(kind: str) -> None:
    with Recorder(lambda _: (429, {"Retry-After": "3600"}, b"")) as hub:
        with pytest.raises(Overloaded) as told:
            send(kind, hub.url, [event(1)])
        assert len(hub.requests) == 1
    assert told.value.retry_after_s == 3600


@both_kinds
def test_a_hub_that_is_not_there_is_unreachable(kind: str) -> None:
    with pytest.raises(Unreachable, match=r"127\.0\.0\.1:9") as told:
        send(kind, "http://127.0.0.1:9", [event(1)], retry_attempts=2)
    assert told.value.action


@both_kinds
def test_a_hub_that_hangs_is_unreachable_after_the_timeout(kind: str) -> None:
    ended = threading.Event()

    def never(request: Request) -> Reply:
        ended.wait(30)
        return taken(request)

    with Recorder(never) as hub:
        started = time.monotonic()
        with pytest.raises(Unreachable):
            send(kind, hub.url, [event(1)], timeout=0.2, retry_attempts=2)
        assert time.monotonic() - started < 5
        ended.set()


@both_kinds
def test_an_answer_that_breaks_off_is_tried_again_and_then_an_error(kind: str) -> None:
    with Recorder(lambda _: (200, {"Content-Length": "1000", "Connection": "close"}, b'{"accepted": 1')) as hub:
        with pytest.raises(Unreachable):
            send(kind, hub.url, [event(1)], retry_attempts=2)
        assert len(hub.requests) == 2


@both_kinds
def test_an_answer_that_trickles_ends_with_the_timeout(kind: str) -> None:
    """Each byte comes in time, the whole of it never would."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        stop = threading.Event()

        def trickle() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                while not stop.wait(0.05):
                    try:
                        connection.sendall(b"x")
                    except OSError:
                        return

        thread = threading.Thread(target=trickle)
        thread.start()
        try:
            with pytest.raises(Unreachable, match="doesn't end"):
                send(kind, f"http://127.0.0.1:{listener.getsockname()[1]}", [event(1)], timeout=0.4, retry_attempts=1)
        finally:
            stop.set()
            thread.join()


@both_kinds
@pytest.mark.parametrize("given", [{"eventType": "START"}, "{}", b"{}", 7])
def test_one_event_in_the_place_of_a_list_is_an_error(kind: str, given: Any) -> None:
    with pytest.raises(InvalidRequest, match="list"):
        send(kind, "http://127.0.0.1:9", given)


@both_kinds
def test_an_event_that_cannot_be_written_names_its_place(kind: str) -> None:
    circle: dict[str, Any] = {}
    circle["circle"] = circle
    with Recorder(taken) as hub:
        with pytest.raises(InvalidEvent, match="event 1"):
            send(kind, hub.url, [event(1), circle])
        assert hub.requests == []


@both_kinds
def test_text_that_is_no_json_stays_one_event_of_the_envelope(kind: str) -> None:
    """What closes the list and names another namespace must not be read as part of the envelope."""
    sly = '{}], "namespace": "team-b", "events": [{}'
    with Recorder(taken) as hub:
        send(kind, hub.url, [event(1), sly, b"\xff\xfe", event(2)])
        envelope = json.loads(hub.requests[0].body)
    assert envelope["namespace"] == "team-a"
    assert [envelope["events"][at] for at in (0, 1, 3)] == [event(1), sly, event(2)]
    assert len(envelope["events"]) == 4


@both_kinds
def test_a_dry_run_prints_and_takes_nothing(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    with Recorder(taken) as hub:
        assert send(kind, hub.url, [event(1)], dry_run=True).accepted == 0
        assert hub.requests == []
    assert json.loads(capsys.readouterr().err) == event(1)


@both_kinds
def test_lineage_that_is_switched_off_is_not_sent(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    with Recorder(taken) as hub:
        assert send(kind, hub.url, [event(1)], enable_lineage=False) == LineageResult(namespace="team-a")
        assert hub.requests == []
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("url", ["ftp://host", "host:8000", "http://", "http://host:99999", "http://user:secret@:1"])
def test_an_address_that_is_none_is_an_error_at_once(url: str) -> None:
    with pytest.raises(InvalidSetting) as told:
        LineageHubClient(url)
    assert "secret" not in str(told.value)


def test_a_client_without_an_address_says_how_to_give_one() -> None:
    with pytest.raises(InvalidSetting) as told:
        SyncLineageHubClient(config=LineageHubConfig())
    assert "LINEAGE_HUB_URL" in str(told.value.action)


@pytest.mark.parametrize("key", ["line\nbreak", "schlüssel", " spaced "])
def test_a_key_that_no_header_can_hold_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(InvalidSetting) as told:
        LineageHubClient("http://127.0.0.1:9", api_key=key)
    assert key not in f"{told.value!r} {told.value.body()}"


@both_kinds
@pytest.mark.parametrize("status", [401, 500, None])
def test_secrets_stand_in_no_repr_log_or_error(kind: str, status: int | None, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with Recorder(lambda _: (status or 200, {}, b"no")) as hub:
        url = f"http://someone:{PASSWORD}@{hub.url.removeprefix('http://') if status else '127.0.0.1:9'}"
        for key in (KEY, None):
            client = LineageHubClient(url, key, config=quick(api_key=KEY))
            with pytest.raises((Refusal, Transient)) as told:
                send(kind, url, [event(1)], api_key=key, retry_attempts=1)
            told_as = "".join(traceback.format_exception(told.value))
            shown = f"{client!r} {client.destination!r} {told.value!r} {told.value.body()} {told_as} {caplog.text}"
            assert "127.0.0.1" in shown
            assert KEY not in shown
            assert PASSWORD not in shown


@both_kinds
def test_a_login_in_the_address_is_used_unless_there_is_a_key(kind: str) -> None:
    with Recorder(taken) as hub:
        address = hub.url.replace("http://", "http://some%40one:pass@")
        send(kind, address, [event(1)])
        send(kind, address, [event(1)], api_key=KEY)
        with_login, with_key = (one.headers["authorization"] for one in hub.requests)
    assert with_login == "Basic c29tZUBvbmU6cGFzcw=="
    assert with_key == f"Bearer {KEY}"


def test_the_plain_client_works_inside_a_running_loop() -> None:
    async def main() -> int:
        with SyncLineageHubClient(hub.url, config=quick()) as client:
            return int(client.send_lineage_events([event(1)]).accepted)

    with Recorder(taken) as hub:
        assert asyncio.run(main()) == 1


def test_closing_twice_is_closing_once_and_afterwards_nothing_is_sent() -> None:
    async def main() -> None:
        client = LineageHubClient(hub.url, config=quick())
        await client.send_lineage_events([event(1)])
        await client.close()
        await client.close()
        with pytest.raises(Conflict, match="closed"):
            await client.send_lineage_events([event(1)])

    with Recorder(taken) as hub:
        asyncio.run(main())
        plain = SyncLineageHubClient(hub.url, config=quick())
        plain.close()
        plain.close()
        with pytest.raises(Conflict, match="closed"):
            plain.health_check()
        assert len(hub.requests) == 1


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")  # of loops that ended with a connection open
def test_one_client_serves_one_loop_after_another() -> None:
    with Recorder(taken) as hub:
        client = LineageHubClient(hub.url, config=quick())
        for _ in range(3):
            assert asyncio.run(client.send_lineage_events([event(1)])).accepted == 1
        asyncio.run(client.close())
        del client
        gc.collect()


def test_many_tasks_share_a_client() -> None:
    async def main() -> int:
        async with LineageHubClient(hub.url, config=quick()) as client:
            results = await asyncio.gather(*[client.send_lineage_events([event(number)]) for number in range(40)])
            return sum(one.accepted for one in results)

    with Recorder(taken) as hub:
        assert asyncio.run(main()) == 40


@both_kinds
def test_an_unhealthy_hub_has_answered(kind: str) -> None:
    body = {"status": "unhealthy", "dependencies": {"store": {"status": "unhealthy", "detail": "no answer"}}}
    with Recorder(lambda _: (503, {}, json.dumps(body).encode())) as hub:
        health = ask(kind, LineageHubClient, "health_check", made={"base_url": hub.url, "config": quick()})
        assert len(hub.requests) == 1
    assert (health.status, health.is_healthy) == ("unhealthy", False)
    assert health.dependencies["store"].detail == "no answer"


@pytest.fixture(scope="module")
def real_hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    folder: Path = tmp_path_factory.mktemp("clients")
    with HubProcess(folder / "hub") as hub:
        yield hub


@both_kinds
@pytest.mark.slow
def test_a_real_hub_tells_of_its_health(kind: str, real_hub: HubProcess) -> None:
    health = ask(kind, LineageHubClient, "health_check", made={"base_url": real_hub.url, "config": quick()})
    assert health.is_healthy
    assert health.service == "lineage-hub"
    assert health.timestamp is not None
    assert health.dependencies["store"].status == "healthy"


@both_kinds
@pytest.mark.slow
def test_a_real_hub_rejects_garbage_and_takes_the_rest(kind: str, real_hub: HubProcess) -> None:
    garbage: list[Any] = [{"garbage": number} for number in range(250)]
    garbage += [f"not json {number}" for number in range(100)]
    garbage += [b'"], "events": [', b"{", b"\xff", "", "null", "[]", "7"] * 20
    garbage += [{"eventTime": "yesterday", "run": {"runId": "x"}}] * 10
    assert len(garbage) == 500
    result = send(kind, real_hub.url, garbage)
    assert (result.accepted, result.rejected) == (0, 500)
    assert [one.partition(":")[0] for one in result.errors] == [f"event {at}" for at in range(500)]
    mixed = send(kind, real_hub.url, [event(1), {"garbage": 1}, event(2)])
    assert (mixed.accepted, mixed.rejected) == (2, 1)
    assert mixed.errors[0].startswith("event 1: ")


@both_kinds
@pytest.mark.slow
def test_a_real_hub_tells_of_its_namespaces(kind: str, real_hub: HubProcess) -> None:
    made = {"base_url": real_hub.url, "config": quick()}
    odd = "s3://bucket/with slash?and#more"
    events = [{**event(number), "job": {"namespace": f"many-{number:04d}", "name": "job"}} for number in range(600)]
    events.append({**event(700), "job": {"namespace": odd, "name": "job"}})
    assert send(kind, real_hub.url, events).rejected == 0
    names = [one.name for one in ask(kind, LineageHubClient, "list_namespaces", made=made)]
    assert {f"many-{number:04d}" for number in range(600)} | {odd} <= set(names)
    assert len(names) == len(set(names))
    found = ask(kind, LineageHubClient, "get_namespace", odd, made=made)
    assert found.name == odd
    assert found.created_at == datetime(2026, 11, 1, tzinfo=UTC)
    with pytest.raises(NotFound, match="nowhere"):
        ask(kind, LineageHubClient, "get_namespace", "nowhere", made=made)
    with pytest.raises(InvalidRequest, match="namespace"):
        ask(kind, LineageHubClient, "send_lineage_events", [event(1)], made=made, namespace="No Tenant")
