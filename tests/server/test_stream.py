"""Server-sent events over HTTP: heard, resumed, refused; who goes away frees all, and a hub that stops says so."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from lineage_hub.server.feed import Feed
from lineage_hub.server.serve import HubServer, bind, make_server
from lineage_hub.settings import Settings
from tests.server.conftest import EventMaker

PATIENCE_S = 30.0


@dataclass
class Running:
    server: HubServer
    url: str
    thread: threading.Thread

    @property
    def feed(self) -> Feed:
        app: Any = self.server.config.app
        return app.state.hub.feed

    def post(self, *events: dict[str, Any]) -> None:
        for event in events:
            assert httpx.post(f"{self.url}/api/v1/lineage", json=event).status_code == 201

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(PATIENCE_S)
        assert not self.thread.is_alive()


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Running]:
    """In a thread, so that what it holds can be looked at."""
    sockets = bind("127.0.0.1", 0)
    server = make_server(Settings(data_dir=tmp_path, log_level="error"))
    running = Running(
        server, f"http://127.0.0.1:{sockets[0].getsockname()[1]}", threading.Thread(target=server.run, args=(sockets,))
    )
    running.thread.start()
    until(lambda: server.started)
    yield running
    running.stop()
    for one in sockets:
        one.close()


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, "it doesn't come true"
        time.sleep(0.005)


class Listener:
    """Reads messages as a browser does, field by field."""

    def __init__(self, hub: Running, after: str | None = None, **question: str) -> None:
        headers = {"Last-Event-ID": after} if after is not None else {}
        self._client = httpx.Client(timeout=PATIENCE_S)
        self._open = self._client.stream("GET", f"{hub.url}/api/v1/stream", params=question, headers=headers)
        self.answer = self._open.__enter__()
        self._lines = self.answer.iter_lines()
        self.last_id = ""

    def next(self) -> tuple[str, Any] | None:
        fields: dict[str, str] = {}
        for line in self._lines:
            if not line:
                if "data" in fields:
                    return fields["event"], json.loads(fields["data"])
                if fields:
                    return "", None
            elif not line.startswith(":"):
                name, _, value = line.partition(": ")
                fields[name] = value
                self.last_id = value if name == "id" else self.last_id
        return None

    def close(self) -> None:
        self._open.__exit__(None, None, None)
        self._client.close()

    def __enter__(self) -> "Listener":
        assert self.answer.status_code == 200
        assert self.next() == ("", None), "the greeting tells where it stands"
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@pytest.mark.slow
def test_a_listener_hears_and_resumes(hub: Running, event: EventMaker) -> None:
    hub.post(event(run={"runId": "before"}))
    with Listener(hub, topics="runs") as one:
        assert one.answer.headers["content-type"].startswith("text/event-stream")
        assert one.last_id == "1"
        hub.post(event(run={"runId": "r"}))
        topic, run = one.next() or ("", None)
        assert (topic, run["run"], run["state"]) == ("runs", "r", "RUNNING")
    hub.post(event(run={"runId": "r"}, eventType="COMPLETE", eventTime="2026-11-01T09:31:00Z"))
    with Listener(hub, after=one.last_id, topics="runs") as again:
        topic, run = again.next() or ("", None)
        assert (run["run"], run["stateBefore"], run["state"], run["durationMs"]) == (
            "r",
            "RUNNING",
            "COMPLETED",
            60_000,
        )
    with Listener(hub, topics="events", after="0") as whole:
        assert [(whole.next() or ("", None))[1]["run"] for _ in range(3)] == ["before", "r", "r"]


@pytest.mark.slow
def test_who_goes_away_frees_all_and_a_stopping_hub_ends_the_stream(hub: Running, event: EventMaker) -> None:
    listeners = [Listener(hub, topics="events").__enter__() for _ in range(20)]
    assert hub.feed.listeners == 20
    for one in listeners[1:]:
        one.close()
    until(lambda: hub.feed.listeners == 1)
    hub.post(event(run={"runId": "still"}))
    assert (listeners[0].next() or ("", None))[1]["run"] == "still"
    started = time.monotonic()
    hub.stop()
    assert time.monotonic() - started < 10, "it doesn't wait for those who listen"
    assert listeners[0].next() is None, "the answer ends as a whole one does"
    listeners[0].close()
    assert hub.feed.listeners == 0


@pytest.mark.slow
def test_one_that_does_not_read_costs_no_memory_and_gets_all_in_the_end(hub: Running, event: EventMaker) -> None:
    """More is told than sockets and buffers hold, while nobody reads."""
    total = 3_000
    names = [{"namespace": "n" * 100, "name": f"{number:04d}" * 25} for number in range(40)]
    with Listener(hub, topics="events") as slow:
        for first in range(0, total, 500):
            bodies = [event(run={"runId": f"{first + one}"}, outputs=names) for one in range(500)]
            assert httpx.post(f"{hub.url}/api/v1/lineage/batch", json=bodies, timeout=60).status_code == 204
        until(lambda: hub.feed._last == total)
        assert hub.feed._held_bytes <= 8 << 20
        assert [(slow.next() or ("", None))[1]["run"] for _ in range(total)] == [str(one) for one in range(total)]


@pytest.mark.parametrize(
    ("question", "subject"),
    [({"topics": "runs,news"}, "topics"), ({"topics": ""}, "topics"), ({"after": "yesterday"}, "Last-Event-ID")],
)
def test_what_can_not_be_told_is_refused(client: TestClient, question: dict[str, str], subject: str) -> None:
    answer = client.get("/api/v1/stream", params=question)
    assert (answer.status_code, answer.json()["subject"]) == (400, subject)


def test_a_head_of_it_has_an_end(client: TestClient) -> None:
    answer = client.head("/api/v1/stream")
    assert (answer.status_code, answer.headers["content-type"].split(";")[0]) == (200, "text/event-stream")
