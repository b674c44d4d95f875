"""Programs that send through a spool are killed, and hubs come and go: every event whose call returned arrives."""

import json
import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.hub_process import HubProcess, free_port
from tests.proofs.figures import write_figures
from tests.proofs.replay import ids_of_stored
from tests.proofs.sizes import SEED, TIMEOUT_S, pick
from tests.proofs.test_full_disk import small_filesystem

pytestmark = [pytest.mark.slow, pytest.mark.serial, pytest.mark.timeout(TIMEOUT_S)]

# Says the number of each event on standard output once its call has returned.
PROGRAM = """
import os, sys, time
from lineage_hub.transports.spool import SpoolConfig, SpoolTransport
url, folder, first, count, pause = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
spool = SpoolTransport(SpoolConfig(
    transport={"type": "batch", "url": url}, folder=folder, longest_wait=0.5, cooling=0.2, exit_timeout=120,
))
for number in range(first, first + count):
    for kind in ("START", "COMPLETE"):
        spool.send({
            "eventTime": f"2026-11-01T00:00:{'00' if kind == 'START' else '01'}Z", "eventType": kind,
            "producer": "https://example.com/tests", "run": {"runId": f"run-{number}"},
            "job": {"namespace": "spool", "name": f"job-{number % 50}"},
        })
        os.write(1, f"{kind} {number}\\n".encode())
    time.sleep(pause)
"""


UNTIL_FULL = """
import sys
from lineage_hub.errors import StorageFull
from lineage_hub.transports.spool import SpoolConfig, SpoolTransport
spool = SpoolTransport(SpoolConfig(
    transport={"type": "batch", "url": sys.argv[1]}, folder=sys.argv[2], longest_wait=0.2, cooling=0.2,
))
taken = refused = 0
def send():
    global taken, refused
    try:
        spool.send({
            "eventTime": "2026-11-01T00:00:00Z", "eventType": "START", "producer": "https://example.com/tests",
            "run": {"runId": f"run-{taken}"}, "job": {"namespace": "spool", "name": "x" * 2000},
        })
        taken += 1
    except StorageFull:
        refused += 1
while refused < 5:
    send()
print("full", taken, flush=True)
sys.stdin.readline()
assert spool.flush(60)
send()
assert spool.flush(60)
print("done", taken, refused, flush=True)
"""


def program(url: str, folder: Path, first: int, count: int, pause_s: float = 0.0) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PROGRAM, url, str(folder), str(first), str(count), str(pause_s)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)


def stored(hub: HubProcess) -> list[tuple[str, str]]:
    """Kind and run of every event that the hub has."""
    events = [json.loads(text) for text in ids_of_stored(hub)]
    return [(event["eventType"], event["run"]["runId"]) for event in events if event["job"]["namespace"] == "spool"]


def returned(output: bytes) -> set[tuple[str, str]]:
    return {(kind, f"run-{number}") for kind, number in map(str.split, output.decode().splitlines())}


def test_events_whose_call_returned_arrive_though_the_program_was_killed(tmp_path: Path) -> None:
    rng = random.Random(f"spool {SEED}")
    kills = pick(10, 100)
    told: set[tuple[str, str]] = set()
    with HubProcess(tmp_path / "hub") as hub:
        for number in range(kills):
            running = program(hub.url, tmp_path / "spool", number * 10_000, 10_000)
            assert running.stdout is not None
            first = running.stdout.readline()
            time.sleep(rng.uniform(0, 0.15))
            running.kill()
            told |= returned(first + running.stdout.read())
            running.wait()
            running.stdout.close()
        last = program(hub.url, tmp_path / "spool", kills * 10_000, 1)
        output, _ = last.communicate(timeout=120)
        told |= returned(output)
        wait_until(lambda: told <= set(stored(hub)), 60)
        found = stored(hub)
        assert len(found) == len(set(found))
    assert not list((tmp_path / "spool").glob("rejected*"))
    write_figures(
        "spool_kill",
        "kill -9 of a program that sends through a spool: events whose call returned arrive, each once",
        kills=kills,
        events_returned=len(told),
        events_lost=0,
    )


def test_a_hub_that_comes_and_goes_loses_nothing_and_keeps_the_order_of_a_run(tmp_path: Path) -> None:
    seconds, least_flaps, pause_s = pick((30, 5, 0.005), (600, 100, 0.005))
    port = free_port()
    hub = HubProcess(tmp_path / "hub", port=port)
    running = program(hub.url, tmp_path / "spool", 0, int(seconds / pause_s), pause_s)
    output: list[bytes] = []
    assert running.stdout is not None
    reader = threading.Thread(target=lambda: output.append(running.stdout.read()))  # type: ignore[union-attr]
    reader.start()
    flaps = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end or flaps < least_flaps:
        time.sleep(1)
        hub.kill()
        time.sleep(1)
        hub = HubProcess(tmp_path / "hub", port=port)
        flaps += 1
    try:
        assert running.wait(pick(180, 1800)) == 0
        reader.join()
        running.stdout.close()
        # It may have ended while the hub was away: then the next process sends what is left.
        last, _ = program(hub.url, tmp_path / "spool", 10_000_000, 1).communicate(timeout=180)
        told = returned(output[0] + last)
        wait_until(lambda: told <= set(stored(hub)), 60)
        found = stored(hub)
        assert len(found) == len(set(found)) == len(told)
        assert in_order(hub)
    finally:
        hub.kill()
    write_figures(
        "spool_flapping",
        "a hub that is killed and started every second or two: nothing is lost, the order of a run is kept",
        seconds=seconds,
        kills=flaps,
        events=len(told),
        events_lost=0,
    )


def in_order(hub: HubProcess) -> bool:
    """By the hub's own clock: no COMPLETE was known before its START."""
    with closing(sqlite3.connect(f"file:{hub.data}/lineage.db?mode=ro", uri=True)) as connection:
        rows = connection.execute("SELECT run, type, seq FROM event WHERE run IS NOT NULL ORDER BY seq").fetchall()
    begun: set[bytes] = set()
    for run, kind, _ in rows:
        if kind == 1:
            begun.add(run)
        elif run not in begun:
            return False
    return True


def test_a_spool_on_a_full_disk_refuses_and_goes_on_when_there_is_room(tmp_path: Path) -> None:
    with small_filesystem(tmp_path / "small", 4) as small:
        port = free_port()
        command = [sys.executable, "-c", UNTIL_FULL, f"http://127.0.0.1:{port}", str(small / "spool")]
        running = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert running.stdout is not None
        assert running.stdin is not None
        taken = int(running.stdout.readline().split()[1])
        assert taken > 100
        with HubProcess(tmp_path / "hub", port=port) as hub:
            running.stdin.write(b"go\n")
            running.stdin.flush()
            said = running.stdout.readline().split()
            assert running.wait(60) == 0
            assert said == [b"done", b"%d" % (taken + 1), b"5"]
            assert len(stored(hub)) == taken + 1
            gaps = [one for one in ids_of_stored(hub) if b"lineageHub_gap" in one]
            assert len(gaps) == 1
            assert json.loads(gaps[0])["run"]["facets"]["lineageHub_gap"]["refused"] == 5
        running.stdin.close()
        running.stdout.close()


def wait_until(condition: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.2)
