"""A hub as a process listens where it says, finishes what it began when told to stop, and exits with 0."""

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from sqlalchemy import create_engine, func, select

from lineage_hub.errors import Conflict, InvalidSetting
from lineage_hub.server.serve import bind, run
from lineage_hub.settings import Settings
from lineage_hub.store import tables
from tests.server.conftest import EventMaker

PROGRAM = """
import sys
from pathlib import Path
from lineage_hub.logs import set_up_logs
from lineage_hub.server.serve import run
from lineage_hub.settings import Settings
set_up_logs("info", "json")
run(Settings(data_dir=Path(sys.argv[1]), server_port=0))
"""


@contextmanager
def serving(data: Path) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    log = data / "hub.log"
    with log.open("wb") as out:
        process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(data)], stderr=out)
    try:
        yield wait_for_address(log, process), process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(10)


def wait_for_address(log: Path, process: "subprocess.Popen[bytes]") -> str:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        for line in log.read_text().splitlines():
            if line.endswith("}") and (said := json.loads(line))["event"] == "listening":
                return str(said["url"])
        time.sleep(0.02)
    pytest.fail(f"the hub did not say where it listens: {log.read_text()}")


def stored(data: Path) -> int:
    engine = create_engine(f"sqlite:///{data / 'lineage.db'}")
    with engine.connect() as connection:
        found = int(connection.execute(select(func.count()).select_from(tables.event)).scalar_one())
    engine.dispose()
    return found


def test_it_serves_and_ends_with_0_on_sigterm_and_sigint(tmp_path: Path, event: EventMaker) -> None:
    for number, stop in enumerate((signal.SIGTERM, signal.SIGINT)):
        with serving(tmp_path) as (url, process):
            assert httpx.post(f"{url}/api/v1/lineage", json=event(), timeout=60).status_code == 201
            assert httpx.get(f"{url}/readyz", timeout=60).status_code == 200
            process.send_signal(stop)
            assert process.wait(60) == 0
        assert stored(tmp_path) >= number


@pytest.mark.slow
def test_everything_that_was_answered_with_201_before_sigterm_is_stored(tmp_path: Path, event: EventMaker) -> None:
    taken: list[int] = []
    odd: list[int] = []

    def send(url: str, bodies: Iterator[dict[str, object]]) -> None:
        with httpx.Client(timeout=60) as client:
            for body in bodies:
                try:
                    status = client.post(f"{url}/api/v1/lineage", json=body).status_code
                except httpx.TransportError:
                    return
                (taken if status == 201 else odd).append(status)

    with serving(tmp_path) as (url, process):
        senders = [threading.Thread(target=send, args=(url, iter([event() for _ in range(5000)]))) for _ in range(16)]
        for sender in senders:
            sender.start()
        deadline = time.monotonic() + 60
        while len(taken) < 100 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        for sender in senders:
            sender.join(10)
    assert len(taken) >= 100
    # A request that came in while the hub stopped may be told to go elsewhere; none may fail otherwise.
    assert set(odd) <= {503}
    assert stored(tmp_path) >= len(taken)


def test_a_body_over_the_limit_is_answered_over_a_real_connection(tmp_path: Path, event: EventMaker) -> None:
    with serving(tmp_path) as (url, _):
        large = httpx.post(f"{url}/api/v1/lineage", content=b"x" * (40 << 20), timeout=60)
        assert large.status_code == 413
        assert httpx.post(f"{url}/api/v1/lineage", json=event(), timeout=60).status_code == 201
        found = httpx.get(f"{url}/api/v1/dead-letters", timeout=60).json()
        assert found["totalCount"] == 1
        assert found["deadLetters"][0]["truncated"] is True


def test_a_body_sent_in_pieces_is_one_body(tmp_path: Path, event: EventMaker) -> None:
    text = json.dumps(event(producer="x" * 300_000)).encode()

    def pieces() -> Iterator[bytes]:
        for at in range(0, len(text), 10_000):
            yield text[at : at + 10_000]

    with serving(tmp_path) as (url, _):
        assert httpx.post(f"{url}/api/v1/lineage", content=pieces(), timeout=60).status_code == 201


def test_every_address_of_a_name_is_bound_and_refuses_until_it_listens() -> None:
    bound = bind("localhost", 0)
    try:
        assert {one.getsockname()[0] for one in bound} & {"127.0.0.1", "::1"}
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(bound[0].getsockname()[:2], timeout=5)
    finally:
        for one in bound:
            one.close()


def test_where_it_can_not_listen_is_told_with_the_next_action() -> None:
    taken = socket.create_server(("127.0.0.1", 0))
    with taken, pytest.raises(Conflict, match="Address already in use") as refused:
        bind("127.0.0.1", taken.getsockname()[1])
    assert "--port" in (refused.value.action or "")
    with pytest.raises(InvalidSetting, match=r"no\.such\.host\.invalid") as refused_name:
        bind("no.such.host.invalid", 0)
    assert "--host" in (refused_name.value.action or "")


def test_a_port_of_grpc_that_is_taken_is_told_before_anything_starts(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(Conflict) as refused:
            run(Settings(data_dir=tmp_path, server_port=0, otlp_grpc_port=taken.getsockname()[1]))
    assert "--otlp-grpc-port" in (refused.value.action or "")
    assert list(tmp_path.iterdir()) == []
