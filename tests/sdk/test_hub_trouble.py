"""Whatever the hub does, a tracked function runs once, is heard in time, and loses nothing that it told."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import Job, Run, RunEvent, RunState
from openlineage.client.uuid import generate_new_uuid

from lineage_hub.sdk import configure, flush, lineage_track, outbox, reset_config
from lineage_hub.sdk.warnings import forget_warnings
from lineage_hub.transports.journal import SUFFIX
from tests.hub_process import HubProcess, free_port
from tests.transports.recorder import TAKEN, Recorder, Reply, Request

WAIT_S = 20.0
Configure = Callable[..., None]


@pytest.fixture
def told_to(tmp_path: Path) -> Iterator[Configure]:
    """Turns the SDK to an address, with a spool of this test's own."""
    forget_warnings()

    def turn(url: str, **more: Any) -> None:
        configure(hub_endpoint=url, namespace="team", spool_folder=str(tmp_path / "spool"), **more)

    yield turn
    outbox.close(0)
    reset_config()


def kinds(recorder: Recorder) -> list[str]:
    return [event["eventType"] for event in recorder.taken]


def slow(_: Request) -> Reply:
    time.sleep(2)
    return TAKEN


TROUBLES: dict[str, Callable[[Request], Reply]] = {
    "refuses": lambda _: (400, {}, b'{"message": "no"}'),
    "knows no key": lambda _: (401, {}, b""),
    "has no such path": lambda _: (404, {}, b""),
    "asks for patience": lambda _: (429, {"Retry-After": "30"}, b""),
    "fails": lambda _: (500, {}, b"<html>"),
    "answers with garbage": lambda _: (200, {}, b"\xff\xfe<html>"),
    "is slow": slow,
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_function_runs_once_and_at_once_whatever_the_hub_answers(told_to: Configure, trouble: str) -> None:
    ran: list[int] = []
    failure = KeyError("its own")

    @lineage_track("job", inputs="s3://lake/a")
    def work(number: int) -> list[int]:
        ran.append(number)
        if number == 2:
            raise failure
        return ran

    with Recorder(TROUBLES[trouble]) as hub:
        told_to(hub.url)
        began = time.monotonic()
        assert work(1) is ran
        with pytest.raises(KeyError) as raised:
            work(2)
        assert time.monotonic() - began < 1.5
    assert raised.value is failure
    assert ran == [1, 2]


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "no address at all", "http://", "ftp://hub"])
@pytest.mark.parametrize("send_async", [True, False])
def test_a_function_runs_when_no_hub_is_there(told_to: Configure, url: str, send_async: bool) -> None:
    told_to(url, timeout=0.2)
    tracked = lineage_track("job", send_async=send_async)(lambda number: number + 1)
    assert [tracked(number) for number in range(3)] == [1, 2, 3]


def test_an_async_function_runs_when_no_hub_is_there(told_to: Configure) -> None:
    told_to("http://127.0.0.1:9")

    @lineage_track()
    async def waits(seconds: float = 0.0) -> str:
        await asyncio.sleep(seconds)
        return "done"

    assert asyncio.run(waits()) == "done"


def test_calls_that_wait_have_been_sent_when_they_return(told_to: Configure) -> None:
    with Recorder() as hub:
        told_to(hub.url)

        @lineage_track("plain", send_async=False)
        def plain() -> None:
            assert True

        @lineage_track("fails", send_async=False)
        def fails() -> None:
            raise ValueError

        @lineage_track("async", send_async=False)
        async def waits() -> None:
            await asyncio.sleep(0)

        plain()
        assert kinds(hub) == ["START", "COMPLETE"]
        with pytest.raises(ValueError):
            fails()
        assert kinds(hub)[2:] == ["START", "FAIL"]
        asyncio.run(waits())
        assert kinds(hub)[4:] == ["START", "COMPLETE"]


def test_a_call_that_waits_does_so_no_longer_than_is_configured(told_to: Configure) -> None:
    told_to("http://127.0.0.1:9", timeout=0.3)
    began = time.monotonic()
    lineage_track("job", send_async=False)(lambda: None)()
    assert 0.2 < time.monotonic() - began < 5


def test_many_calls_make_few_requests(told_to: Configure) -> None:
    with Recorder() as hub:
        told_to(hub.url)
        tracked = lineage_track("job")(lambda: None)
        for _ in range(200):
            tracked()
        assert flush(WAIT_S)
        assert kinds(hub) == ["START", "COMPLETE"] * 200
        assert len({event["run"]["runId"] for event in hub.taken}) == 200
        assert len(hub.requests) < 100


def test_a_hub_that_is_busy_gets_the_events_later(told_to: Configure) -> None:
    replies = iter([(429, {"Retry-After": "0"}, b""), (503, {"Retry-After": "0"}, b"")])
    with Recorder(lambda _: next(replies, TAKEN)) as hub:
        told_to(hub.url)
        lineage_track("job")(lambda: None)()
        assert flush(WAIT_S)
        assert kinds(hub) == ["START", "COMPLETE"]


@pytest.mark.parametrize(
    "dataset",
    [
        {"type": "oracel", "name": "shop.orders"},
        {"type": "", "name": "orders"},
        {"type": None, "name": "orders"},
        {"type": {"a": 1}, "name": "orders"},
        {"type": "mysql", "name": {"table": "orders"}},
        {"table": "orders"},
    ],
)
def test_a_dataset_never_has_the_look_of_a_dictionary_for_a_name(told_to: Configure, dataset: dict[str, Any]) -> None:
    with Recorder() as hub:
        told_to(hub.url)
        assert lineage_track("job", inputs=dataset, outputs="s3://lake/b")(lambda: 7)() == 7
        assert flush(WAIT_S)
        assert kinds(hub) == ["START", "COMPLETE"]
        for event in hub.taken:
            names = [
                part
                for side in ("inputs", "outputs")
                for one in event[side]
                for part in (one["namespace"], one["name"])
            ]
            assert all(isinstance(part, str) and "{" not in part for part in names), names


def test_closing_says_whether_everything_has_arrived(told_to: Configure) -> None:
    tracked = lineage_track("job")(lambda: None)
    with Recorder() as hub:
        told_to(hub.url)
        tracked()
        assert outbox.close(WAIT_S) is True
    told_to("http://127.0.0.1:9")
    tracked()
    assert outbox.close(0.2) is False


def test_openlineages_client_with_a_spool_raises_nothing_and_says_what_is_left(tmp_path: Path) -> None:
    inner = {"type": "batch", "url": "http://127.0.0.1:9"}
    config = {"type": "lineage_hub.transports.openlineage.SpoolTransport", "folder": str(tmp_path), "transport": inner}
    client = OpenLineageClient(config={"transport": config})
    client.emit(
        RunEvent(
            eventType=RunState.COMPLETE,
            eventTime="2026-11-01T09:30:00Z",
            producer="https://example.com/tests",
            run=Run(str(generate_new_uuid())),
            job=Job("shop", "load"),
        )
    )
    assert client.close(0.2) is False
    assert list(tmp_path.glob(f"*{SUFFIX}"))


@pytest.mark.slow
def test_what_was_told_while_the_hub_was_down_it_has_once_it_is_up(told_to: Configure, tmp_path: Path) -> None:
    port = free_port()
    told_to(f"http://127.0.0.1:{port}")

    @lineage_track("job", outputs="s3://lake/a")
    def work() -> None:
        assert threading.current_thread()

    threads = [threading.Thread(target=work) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not flush(0.1)
    with HubProcess(tmp_path / "hub", port=port) as hub:
        assert flush(60)
        runs = httpx.get(f"{hub.url}/api/v1/namespaces/team/jobs/job/runs").json()["runs"]
    assert [run["state"] for run in runs] == ["COMPLETED"] * 10
