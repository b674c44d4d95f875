"""SIGTERM under load: what is in flight is answered, what is answered is stored, nobody new is let in."""

import re
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path

import httpx
import pytest

from tests.hub_process import HubProcess
from tests.proofs.figures import write_figures
from tests.proofs.load import Load, in_batches, mixed_events, one_by_one
from tests.proofs.replay import check_integrity, ids_of_stored
from tests.proofs.sizes import SEED, TIMEOUT_S, pick

pytestmark = [pytest.mark.slow, pytest.mark.serial, pytest.mark.timeout(TIMEOUT_S)]

CONNECTIONS = 24
# Above what a drain takes, below the setting that would cut it short.
EXIT_S = 20.0


def test_requests_that_wait_for_the_disk_are_answered_and_new_connections_refused(tmp_path: Path) -> None:
    posts = list(one_by_one(islice(mixed_events(SEED), CONNECTIONS)))
    with started(tmp_path / "data") as hub, closing(sqlite3.connect(hub.data / "lineage.db")) as other:
        # While another process holds the lock, no write can end: all requests are in flight for certain.
        other.execute("BEGIN IMMEDIATE")
        with Load(hub.port, posts, CONNECTIONS) as load:
            load.wait_for(lambda now: now.sent == CONNECTIONS)
            wait_until_taken(hub, sum(len(post.body) for post in posts))
            hub.terminate()
            wait_until_refused(hub)
            assert load.in_flight == CONNECTIONS
            assert hub.exit_code is None
            other.execute("ROLLBACK")
        assert hub.wait() == 0
    assert len(load.acked) == CONNECTIONS, (load.statuses, len(load.lost))
    with HubProcess(tmp_path / "data") as again:
        assert ids_of_stored(again).keys() == load.acked_events()


@contextmanager
def started(data: Path) -> Iterator[HubProcess]:
    """A hub that the test itself stops; it is gone afterwards in any case."""
    hub = HubProcess(data)
    try:
        yield hub
    finally:
        hub.kill()


@pytest.mark.parametrize("kind", ["singles", "batches"])
def test_a_hub_under_load_drains_and_exits_with_0_on_sigterm(tmp_path: Path, kind: str) -> None:
    stops = pick(2, 20)
    acked: set[bytes] = set()
    answered = went_elsewhere = 0
    slowest_s = 0.0
    for number in range(stops):
        events = mixed_events(SEED + number)
        posts = one_by_one(events) if kind == "singles" else in_batches(events, 50)
        with started(tmp_path / "data") as hub, Load(hub.port, posts, CONNECTIONS) as load:
            load.wait_for(lambda now: now.answered >= 2 * CONNECTIONS and now.in_flight >= CONNECTIONS // 2)
            hub.terminate()
            began_at = time.monotonic()
            wait_until_refused(hub)
            code = hub.wait()
            took_s = time.monotonic() - began_at
        assert (code, took_s < EXIT_S) == (0, True), f"{took_s:.1f} s\n{hub.said()}"
        assert not load.lost, f"{len(load.lost)} requests got no answer"
        assert load.statuses.keys() <= {503}, load.statuses
        acked |= load.acked_events()
        answered, went_elsewhere = answered + len(load.acked), went_elsewhere + len(load.refused)
        slowest_s = max(slowest_s, took_s)
    with HubProcess(tmp_path / "data") as again:
        assert acked <= ids_of_stored(again).keys()
        check_integrity(again.data)
    write_figures(
        f"sigterm_{kind}",
        f"SIGTERM under load, {kind}: every request in flight is answered, exit code 0, acked events are stored",
        stops=stops,
        requests_acked=answered,
        requests_told_to_go_elsewhere=went_elsewhere,
        requests_without_answer=0,
        events_acked=len(acked),
        slowest_exit_s=round(slowest_s, 2),
    )


def wait_until_taken(hub: HubProcess, size: int) -> None:
    """Until the queue of the hub holds this many bytes."""
    deadline = time.monotonic() + 60
    waiting = 0.0
    while waiting < size:
        assert time.monotonic() < deadline, f"{waiting:g} of {size} bytes were taken"
        metrics = httpx.get(f"{hub.url}/metrics", timeout=30).text
        found = re.search(r"^lineage_hub_queue_bytes ([\d.e+]+)$", metrics, re.M)
        assert found is not None, metrics
        waiting = float(found[1])


def wait_until_refused(hub: HubProcess) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", hub.port), timeout=5).close()
        except ConnectionError:
            return
        assert time.monotonic() < deadline, "the hub still takes connections after SIGTERM"
        time.sleep(0.002)
