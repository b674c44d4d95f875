"""Events that were added arrive, in order and in batches, whatever the hub does meanwhile."""

import asyncio
import json
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from lineage_hub.errors import Conflict, InvalidEvent, InvalidSetting, StorageFull
from lineage_hub.sdk import (
    BatchingLineageClient,
    LineageHubClient,
    SyncBatchingLineageClient,
    SyncLineageHubClient,
    config,
)
from lineage_hub.transports.journal import REJECTED
from tests.hub_process import HubProcess, free_port
from tests.sdk.test_client import event, taken
from tests.sdk.twins import quick
from tests.transports.recorder import Recorder, Reply, Request

WAIT_S = 20.0
Make = Callable[..., SyncBatchingLineageClient]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[SyncBatchingLineageClient] = []

    def client(url: str, *, api_key: str = "key", **more: Any) -> SyncBatchingLineageClient:
        settings = quick(spool_folder=str(tmp_path / "spool"), timeout=WAIT_S)
        base = SyncLineageHubClient(url, api_key, "team-b", settings)
        made.append(SyncBatchingLineageClient(base, **more))
        return made[-1]

    yield client
    for one in made:
        one.stop(0)


def arrived(hub: Recorder) -> list[str]:
    return [one["job"]["name"] for one in hub.taken]


def test_events_arrive_in_order_in_batches_at_the_base_clients_address(make: Make) -> None:
    with Recorder(taken) as hub:
        client = make(hub.url, batch_size=10, flush_interval=60.0)
        for number in range(35):
            client.add_event(event(number))
        assert client.flush(WAIT_S)
        assert arrived(hub) == [f"job-{number}" for number in range(35)]
        assert max(len(one.events) for one in hub.requests) <= 10
        assert {one.headers["authorization"] for one in hub.requests} == {"Bearer key"}
        assert {json.loads(one.body)["namespace"] for one in hub.requests} == {"team-b"}
        assert (client.counts.taken, client.counts.sent, client.counts.rejected) == (35, 35, 0)


def wait_for(condition: Callable[[], bool], seconds: float = WAIT_S) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not come to be"
        time.sleep(0.005)


def test_a_full_batch_does_not_wait_for_the_interval(make: Make) -> None:
    with Recorder(taken) as hub:
        client = make(hub.url, batch_size=5, flush_interval=600.0)
        for number in range(5):
            client.add_event(event(number))
        wait_for(lambda: len(hub.taken) == 5)
        client.add_event(event(5))
        client.add_event(event(6))
        assert client.flush(WAIT_S)
        assert len(hub.taken) == 7


def test_a_few_events_leave_after_the_interval(make: Make) -> None:
    arrivals: list[float] = []

    def reply(request: Request) -> Reply:
        arrivals.append(time.monotonic())
        return taken(request)

    with Recorder(reply) as hub:
        client = make(hub.url, batch_size=100, flush_interval=0.4)
        started = time.monotonic()
        client.add_event(event(1))
        client.add_event(event(2))
        wait_for(lambda: len(hub.taken) == 2)
        assert arrivals[0] - started >= 0.39
        assert len(hub.requests) == 1


def test_a_hub_that_is_down_costs_no_event_and_raises_nothing(make: Make) -> None:
    port = free_port()
    client = make(f"http://127.0.0.1:{port}", flush_interval=0.0)
    for number in range(50):
        client.add_event(event(number))
    assert not client.flush(0.3)
    with Recorder(taken, port=port) as hub:
        assert client.flush(WAIT_S)
        assert arrived(hub) == [f"job-{number}" for number in range(50)]


def test_what_was_left_behind_the_next_client_sends(make: Make) -> None:
    port = free_port()
    first = make(f"http://127.0.0.1:{port}")
    first.add_event(event(1))
    assert not first.stop(0.1)
    with Recorder(taken, port=port) as hub:
        second = make(f"http://127.0.0.1:{port}", flush_interval=0.0)
        second.add_event(event(2))
        assert second.flush(WAIT_S)
        wait_for(lambda: sorted(arrived(hub)) == ["job-1", "job-2"])


def test_a_stopped_client_takes_nothing_until_it_is_started_again(make: Make) -> None:
    with Recorder(taken) as hub:
        client = make(hub.url, flush_interval=60.0)
        client.add_event(event(1))
        assert client.stop()
        assert client.stop()
        assert arrived(hub) == ["job-1"]
        with pytest.raises(Conflict, match="stopped"):
            client.add_event(event(2))
        client.start()
        client.add_event(event(3))
        assert client.stop()
        assert arrived(hub) == ["job-1", "job-3"]


def test_without_auto_start_nothing_runs_before_the_first_event(make: Make, tmp_path: Path) -> None:
    with Recorder(taken) as hub:
        before = threading.active_count()
        client = make(hub.url, auto_start=False)
        assert client.flush()
        assert threading.active_count() == before
        assert not (tmp_path / "spool").exists()
        client.add_event(event(1))
        assert client.flush()
        assert len(hub.taken) == 1


def test_what_the_hub_rejects_is_put_aside_and_counted_and_the_rest_arrives(make: Make, tmp_path: Path) -> None:
    def reply(request: Request) -> Reply:
        events = json.loads(request.body)["events"]
        errors = [f"event {at}: no such thing" for at, one in enumerate(events) if one["job"]["name"] == "job-1"]
        answer = {"accepted": len(events) - len(errors), "rejected": len(errors), "errors": errors}
        return 200, {}, json.dumps(answer).encode()

    with Recorder(reply) as hub:
        client = make(hub.url, batch_size=3)
        for number in range(3):
            client.add_event(event(number))
        assert client.flush()
        assert (client.counts.sent, client.counts.rejected) == (2, 1)
    (aside,) = (tmp_path / "spool").rglob(REJECTED)
    (kept,) = [json.loads(line) for line in aside.read_text().splitlines()]
    assert (kept["reason"], kept["event"]["job"]["name"]) == ("no such thing", "job-1")


def test_a_full_spool_says_so_and_goes_on_when_there_is_room(make: Make) -> None:
    port = free_port()
    client = make(f"http://127.0.0.1:{port}", flush_interval=0.0)
    spool = client._batches._opened()
    spool.journal._max_bytes, spool.journal._room = 2000, 0
    for number in range(4):
        client.add_event(event(number))
    with pytest.raises(StorageFull, match="full") as told:
        client.add_event({**event(4), "producer": "https://example.com/" + "x" * 2000})
    assert told.value.action
    assert (client.counts.taken, client.counts.refused) == (4, 1)
    with Recorder(taken, port=port):
        assert client.flush()
        client.add_event(event(100))
        assert client.flush()


CIRCLE: dict[str, Any] = {}
CIRCLE["circle"] = CIRCLE


@pytest.mark.parametrize("bad", ["not json", b"[]", b"\xff", '{}], "namespace": "x", "events": [{}', CIRCLE, 7])
def test_an_event_that_is_no_json_object_is_refused_at_once(make: Make, bad: Any) -> None:
    with Recorder(taken) as hub:
        client = make(hub.url)
        with pytest.raises(InvalidEvent):
            client.add_event(bad)
        client.add_event(json.dumps(event(1)))
        assert client.flush()
        assert arrived(hub) == ["job-1"]


@pytest.mark.parametrize("more", [{"batch_size": 0}, {"flush_interval": -1.0}, {"flush_interval": float("nan")}])
def test_batches_that_can_be_none_are_an_error(make: Make, more: dict[str, Any]) -> None:
    with pytest.raises(InvalidSetting):
        make("http://127.0.0.1:9", **more)


def test_a_namespace_that_no_hub_takes_is_an_error_before_any_event_is_taken() -> None:
    base = SyncLineageHubClient("http://127.0.0.1:9", namespace="My Team", config=quick())
    with pytest.raises(InvalidSetting, match="My Team"):
        SyncBatchingLineageClient(base)


def test_a_dry_run_prints_and_leaves_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = SyncLineageHubClient(config=quick(dry_run=True, spool_folder=str(tmp_path / "spool")))
    with SyncBatchingLineageClient(base) as client:
        client.add_event(event(1))
    assert json.loads(capsys.readouterr().err) == event(1)
    assert not (tmp_path / "spool").exists()


def test_a_login_in_the_address_is_used(tmp_path: Path) -> None:
    with Recorder(taken) as hub:
        url = hub.url.replace("http://", "http://user:pass@")
        base = SyncLineageHubClient(url, config=quick(spool_folder=str(tmp_path)))
        with SyncBatchingLineageClient(base) as client:
            client.add_event(event(1))
            assert client.flush()
        assert hub.requests[0].headers["authorization"] == "Basic dXNlcjpwYXNz"


def test_the_awaited_client_is_made_without_a_loop_and_used_in_one(tmp_path: Path) -> None:
    async def main() -> None:
        async with client:
            await asyncio.gather(*[client.add_event(event(number)) for number in range(20)])
            assert await client.flush(WAIT_S)
            assert len(hub.taken) == 20
            await client.add_event(event(20))
        with pytest.raises(Conflict):
            await client.add_event(event(21))

    with Recorder(taken) as hub:
        config.configure(hub_endpoint=hub.url, namespace="team-c", spool_folder=str(tmp_path))
        try:
            client = BatchingLineageClient(flush_interval=60.0)
        finally:
            config.reset_config()
        asyncio.run(main())
        assert len(hub.taken) == 21
        assert {json.loads(one.body)["namespace"] for one in hub.requests} == {"team-c"}


def test_a_flush_does_not_hold_up_the_loop(tmp_path: Path) -> None:
    async def main() -> tuple[bool, float]:
        base = LineageHubClient("http://127.0.0.1:9", config=quick(spool_folder=str(tmp_path)))
        client = BatchingLineageClient(base, flush_interval=0.0)
        await client.add_event(event(1))
        flushing = asyncio.create_task(client.flush(0.5))
        longest, before = 0.0, time.monotonic()
        while not flushing.done():
            await asyncio.sleep(0.005)
            longest, before = max(longest, time.monotonic() - before), time.monotonic()
        await client.stop(0)
        return flushing.result(), longest

    flushed, longest = asyncio.run(main())
    assert not flushed
    assert longest < 0.4


PROGRAM = """
import sys
from lineage_hub.sdk import SyncBatchingLineageClient
client = SyncBatchingLineageClient()
for number in range(3):
    client.add_event({"eventTime": "2026-11-01T00:00:00Z", "job": {"namespace": "n", "name": f"job-{number}"}})
"""


@pytest.mark.slow
def test_a_program_that_ends_sends_what_it_added(tmp_path: Path) -> None:
    with Recorder(taken) as hub:
        environment = {"LINEAGE_HUB_URL": hub.url, "LINEAGE_HUB_SPOOL_FOLDER": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env={**_path(), **environment}, capture_output=True, timeout=30, check=True
        )
        assert arrived(hub) == ["job-0", "job-1", "job-2"], done.stderr


def _path() -> dict[str, str]:
    return {"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin:/bin"}


@pytest.mark.slow
@pytest.mark.serial
def test_a_hundred_thousand_events_for_a_hub_that_is_down_take_little_memory(make: Make) -> None:
    client = make(f"http://127.0.0.1:{free_port()}")
    text = json.dumps(event(1)).encode()
    client.add_event(text)
    tracemalloc.start()
    try:
        started = time.process_time()
        for _ in range(100_000):
            client.add_event(text)
        taken_s = time.process_time() - started
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert client.counts.taken == 100_001
    assert most < 30 * 1024 * 1024
    # Traced, which costs several times as much as the work itself.
    assert 100_000 / taken_s > 5_000


@pytest.mark.slow
def test_what_a_real_hub_rejects_keeps_nothing_back(make: Make, tmp_path: Path) -> None:
    with HubProcess(tmp_path / "hub") as hub:
        client = make(hub.url, batch_size=10)
        for number in range(30):
            client.add_event(event(number) if number % 3 else {"garbage": number})
        assert client.flush(WAIT_S)
        assert (client.counts.sent, client.counts.rejected) == (20, 10)
        assert httpx.get(f"{hub.url}/api/v1/events/lineage?limit=1").json()["totalCount"] == 20


@pytest.mark.slow
def test_a_real_hub_has_all_events_of_a_hurried_program(make: Make, tmp_path: Path) -> None:
    count = 6_000
    with HubProcess(tmp_path / "hub") as hub:
        client = make(hub.url, batch_size=100)
        for number in range(count):
            client.add_event({**event(number), "job": {"namespace": "clients", "name": f"job-{number % 50}"}})
        assert client.flush(WAIT_S)
        assert httpx.get(f"{hub.url}/api/v1/events/lineage?limit=1").json()["totalCount"] == count
