"""Events that were taken arrive, in order, whatever the other side does meanwhile."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lineage_hub.errors import InvalidSetting, StorageFull
from lineage_hub.transports.gap import GAP_FACET
from lineage_hub.transports.journal import REJECTED, SUFFIX
from lineage_hub.transports.spool import SpoolConfig, SpoolTransport
from tests.transports.recorder import TAKEN, Recorder, Reply, Request

WAIT_S = 20.0
MakeSpool = Callable[..., SpoolTransport]


def event(number: int) -> dict[str, Any]:
    return {"eventTime": "2026-11-01T00:00:00Z", "number": number}


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[MakeSpool]:
    made: list[SpoolTransport] = []

    def make(url: str, **more: Any) -> SpoolTransport:
        settings: dict[str, Any] = {"linger": 0.0, "first_wait": 0.01, "longest_wait": 0.05, "cooling": 0.05}
        config = SpoolConfig(
            transport={"type": "batch", "url": url}, folder=str(tmp_path / "spool"), **{**settings, **more}
        )
        made.append(SpoolTransport(config))
        return made[-1]

    yield make
    for one in made:
        one.close(0)


def test_events_arrive_once_and_in_order(spool: MakeSpool) -> None:
    with Recorder() as hub:
        sender = spool(hub.url)
        for number in range(500):
            sender.send(event(number))
        assert sender.flush(WAIT_S)
        assert hub.numbers == list(range(500))
        assert len(hub.requests) < 500
        assert (sender.counts.taken, sender.counts.sent) == (500, 500)


def test_a_full_batch_a_flush_and_the_end_do_not_wait_for_company(spool: MakeSpool) -> None:
    with Recorder() as hub:
        sender = spool(hub.url, linger=600.0, batch_events=5)
        for number in range(5):
            sender.send(event(number))
        until = time.monotonic() + WAIT_S
        while len(hub.taken) < 5:
            assert time.monotonic() < until
            time.sleep(0.005)
        sender.send(event(5))
        assert sender.flush(WAIT_S)
        sender.send(event(6))
        assert sender.close(WAIT_S)
        assert hub.numbers == list(range(7))


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
def test_what_the_server_cannot_take_now_is_sent_again(spool: MakeSpool, status: int) -> None:
    replies = iter([(status, {"Retry-After": "0"}, b"busy")] * 3)
    with Recorder(lambda _: next(replies, TAKEN)) as hub:
        sender = spool(hub.url)
        for number in range(10):
            sender.send(event(number))
        assert sender.flush(WAIT_S)
        assert sorted(hub.numbers) == list(range(10))


def test_it_waits_as_long_as_the_server_asks_for(spool: MakeSpool) -> None:
    asked: list[float] = []

    def reply(_: Request) -> Reply:
        asked.append(time.monotonic())
        return (429, {"Retry-After": "1"}, b"") if len(asked) == 1 else TAKEN

    with Recorder(reply) as hub:
        sender = spool(hub.url, longest_wait=5.0)
        sender.send(event(1))
        assert sender.flush(WAIT_S)
    assert asked[1] - asked[0] >= 1.0


def test_a_server_that_is_down_keeps_no_one_waiting_and_loses_nothing(spool: MakeSpool) -> None:
    with Recorder() as hub:
        url = hub.url
    sender = spool(url)
    for number in range(200):
        sender.send(event(number))
    assert not sender.flush(0.2)
    sender.close(0)
    with Recorder() as hub:
        again = spool(hub.url)
        again.send(event(200))
        wait_for(lambda: len(hub.numbers) == 201)
        assert sorted(hub.numbers) == list(range(201))
        assert [number for number in hub.numbers if number < 200] == list(range(200))


def test_an_event_that_is_refused_is_put_aside_and_the_others_go_on(spool: MakeSpool, tmp_path: Path) -> None:
    def reply(request: Request) -> Reply:
        bad = [at for at, one in enumerate(request.events) if one["number"] == 3]
        if not bad:
            return TAKEN
        if request.path == "/api/v1/lineage":
            return (400, {}, b'{"message": "not a three"}')
        summary = {"status": "partial_success", "failed_events": [{"index": bad[0], "reason": "not a three"}]}
        return (200, {}, json.dumps(summary).encode())

    with Recorder(reply) as hub:
        sender = spool(hub.url)
        for number in range(6):
            sender.send(event(number))
        assert sender.flush(WAIT_S)
    (line,) = (tmp_path / "spool" / REJECTED).read_text().splitlines()
    assert json.loads(line)["event"]["number"] == 3
    assert "not a three" in json.loads(line)["reason"]
    assert (sender.counts.sent, sender.counts.rejected) == (5, 1)


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_wrong_key_or_address_costs_no_event(spool: MakeSpool, tmp_path: Path, status: int) -> None:
    wrong = threading.Event()
    wrong.set()
    with Recorder(lambda _: (status, {}, b"no") if wrong.is_set() else TAKEN) as hub:
        sender = spool(hub.url)
        for number in range(5):
            sender.send(event(number))
        assert not sender.flush(0.3)
        wrong.clear()
        assert sender.flush(WAIT_S)
        assert sorted(set(hub.numbers)) == list(range(5))
    assert not (tmp_path / "spool" / REJECTED).exists()


def test_an_answer_that_is_no_summary_is_no_confirmation(spool: MakeSpool) -> None:
    replies = iter([(200, {}, b"<html>Welcome to our network</html>")])
    with Recorder(lambda _: next(replies, TAKEN)) as hub:
        sender = spool(hub.url, linger=0.2)
        for number in range(3):
            sender.send(event(number))
        assert sender.flush(WAIT_S)
        assert len(hub.requests) == 2


def test_the_circuit_opens_after_failures_and_closes_after_a_success(spool: MakeSpool) -> None:
    working = threading.Event()
    with Recorder(lambda _: TAKEN if working.is_set() else (503, {"Retry-After": "0"}, b"")) as hub:
        sender = spool(hub.url, open_after=3, cooling=0.5)
        sender.send(event(1))
        wait_for(lambda: sender.circuit == "open")
        tried = len(hub.requests)
        assert tried == 3
        wait_for(lambda: sender.circuit == "half-open")
        working.set()
        assert sender.flush(WAIT_S)
        assert sender.circuit == "closed"


def test_a_full_spool_refuses_and_later_tells_of_the_gap(spool: MakeSpool) -> None:
    working = threading.Event()
    with Recorder(lambda _: TAKEN if working.is_set() else (503, {"Retry-After": "0"}, b"")) as hub:
        sender = spool(hub.url, max_bytes=2_000)
        taken = refused = 0
        while refused < 3:
            try:
                sender.send(event(taken))
                taken += 1
            except StorageFull:
                refused += 1
        working.set()
        assert sender.flush(WAIT_S)
        sender.send(event(taken))
        assert sender.flush(WAIT_S)
        assert hub.numbers == list(range(taken + 1))
        (gap,) = [one for one in hub.taken if "number" not in one]
        facet = gap["run"]["facets"][GAP_FACET]
        assert facet["refused"] == 3
        assert facet["since"] <= facet["until"]
        assert gap["job"]["namespace"] == "lineage-hub"


def test_two_processes_share_a_folder(tmp_path: Path) -> None:
    with Recorder() as hub:
        running = [
            subprocess.Popen([sys.executable, "-c", PROGRAM, hub.url, str(tmp_path), str(first)])
            for first in (0, 1_000)
        ]
        assert [one.wait(60) for one in running] == [0, 0]
        for first in (0, 1_000):
            assert [n for n in hub.numbers if first <= n < first + 300] == list(range(first, first + 300))
    assert list(tmp_path.glob(f"*{SUFFIX}")) == []


PROGRAM = """
import sys
from lineage_hub.transports.spool import SpoolConfig, SpoolTransport
url, folder, first = sys.argv[1:]
spool = SpoolTransport(SpoolConfig(transport={"type": "batch", "url": url}, folder=folder, exit_timeout=30))
for number in range(int(first), int(first) + 300):
    spool.send({"number": number})
"""


def test_a_child_process_sends_its_own_events_and_the_parent_its(spool: MakeSpool) -> None:
    with Recorder() as hub:
        sender = spool(hub.url)
        for number in range(50):
            sender.send(event(number))
        child = os.fork()
        if child == 0:
            try:
                for number in range(1_000, 1_050):
                    sender.send(event(number))
                os._exit(0 if sender.flush(WAIT_S) else 1)
            except BaseException:
                os._exit(2)
        for number in range(50, 100):
            sender.send(event(number))
        assert sender.flush(WAIT_S)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert [n for n in hub.numbers if n < 1_000] == list(range(100))
        assert [n for n in hub.numbers if n >= 1_000] == list(range(1_000, 1_050))


def test_a_durable_send_returns_after_the_disk_has_it(spool: MakeSpool, tmp_path: Path) -> None:
    with Recorder() as hub:
        url = hub.url
    sender = spool(url, durable=True)
    sender.send(event(1))
    segment = sender.journal.segments[0]
    assert segment.synced == segment.size


def test_events_for_one_server_never_reach_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with Recorder() as one, Recorder() as other:
        url = "http://127.0.0.1:9"
        first = SpoolTransport(SpoolConfig(transport={"type": "batch", "url": url}))
        first.send(event(1))
        first.close(0)
        second = SpoolTransport(SpoolConfig(transport={"type": "batch", "url": other.url}, linger=0.0))
        second.send(event(2))
        assert second.flush(WAIT_S)
        second.close(0)
        assert (one.numbers, other.numbers) == ([], [2])


@pytest.mark.parametrize("hub_is", ["down", "slow"])
def test_a_program_ends_soon_whatever_the_hub_does(tmp_path: Path, hub_is: str) -> None:
    ended = threading.Event()

    def slowly(_: Request) -> Reply:
        ended.wait(60)
        return TAKEN

    program = PROGRAM.replace("exit_timeout=30", "exit_timeout=1")
    with Recorder(slowly) as hub:
        url = hub.url if hub_is == "slow" else "http://127.0.0.1:9"
        began = time.monotonic()
        subprocess.run([sys.executable, "-c", program, url, str(tmp_path), "0"], check=True, timeout=30)
        took = time.monotonic() - began
        ended.set()
    assert took < 10
    assert list(tmp_path.glob(f"*{SUFFIX}"))


def test_many_threads_send_at_once_and_tell_of_a_gap_once(spool: MakeSpool) -> None:
    working = threading.Event()
    with Recorder(lambda _: TAKEN if working.is_set() else (503, {"Retry-After": "0"}, b"")) as hub:
        sender = spool(hub.url, max_bytes=20_000)
        refused = [0] * 8

        def send(thread: int) -> None:
            for number in range(100):
                try:
                    sender.send(event(thread * 100 + number))
                except StorageFull:
                    refused[thread] += 1

        def all_at_once() -> None:
            threads = [threading.Thread(target=send, args=(thread,)) for thread in range(8)]
            for one in threads:
                one.start()
            for one in threads:
                one.join()

        all_at_once()
        assert sum(refused) > 0
        working.set()
        assert sender.flush(WAIT_S)
        sender.send(event(1_000))
        assert sender.flush(WAIT_S)
        gaps = [one["run"]["facets"][GAP_FACET]["refused"] for one in hub.taken if "number" not in one]
        assert sum(gaps) == sum(refused) == sender.counts.refused
        assert len(set(hub.numbers)) == sender.counts.taken
        for thread in range(8):
            mine = [number for number in hub.numbers if thread * 100 <= number < thread * 100 + 100]
            assert mine == sorted(mine)


def test_a_spool_in_a_spool_is_refused(tmp_path: Path) -> None:
    inner = {"type": "spool", "folder": str(tmp_path / "a"), "transport": {"type": "console"}}
    with pytest.raises(InvalidSetting, match="spool"):
        SpoolTransport(SpoolConfig(transport=inner, folder=str(tmp_path / "b")))


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.005)
