"""A filesystem without room: 503 that says why, reads go on, and the hub goes on by itself when room returns."""

import os
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import httpx
import pytest

from tests.hub_process import HubProcess
from tests.proofs.figures import write_figures
from tests.proofs.load import Load, Post, in_batches, mixed_events, one_by_one
from tests.proofs.replay import check_integrity, check_replay, ids_of_stored
from tests.proofs.sizes import SEED, TIMEOUT_S, pick

pytestmark = [pytest.mark.slow, pytest.mark.serial, pytest.mark.timeout(TIMEOUT_S)]

# Room for the log at its usual length and for the database; a ballast leaves 4 MB of it.
SIZE_MB = 96
LEFT_BYTES = 4 << 20
CONNECTIONS = 12


@contextmanager
def small_filesystem(folder: Path, size_mb: int) -> Iterator[Path]:
    if os.geteuid() != 0:
        pytest.fail("a small filesystem can only be mounted by root: run `sudo make test`, or run it in a container")
    folder.mkdir()
    options = f"size={size_mb}m,mode=0700"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, text=True, check=False
    )
    if mounted.returncode != 0:
        pytest.fail(f"a tmpfs could not be mounted ({mounted.stderr.strip()}); in a container, give it CAP_SYS_ADMIN")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_told_with_503_and_the_hub_goes_on_when_space_returns(tmp_path: Path) -> None:
    rng = random.Random(f"full {SEED}")
    rounds = pick(2, 10)
    acked: set[bytes] = set()
    refused = compared = reads = 0
    slowest_s = 0.0
    with small_filesystem(tmp_path / "small", SIZE_MB) as data:
        ballast = data / "ballast"
        with HubProcess(data) as hub:
            for number in range(rounds):
                ballast.write_bytes(bytes(max(0, free_bytes(data) - LEFT_BYTES)))
                events = mixed_events(SEED + number)
                posts = one_by_one(events) if number % 2 else in_batches(events, 50)
                with Load(hub.port, posts, CONNECTIONS) as load:
                    load.wait_for(lambda now: len(now.refused) >= 3 * CONNECTIONS)
                acked |= load.acked_events()
                check_refusals(load)
                reads += check_reads(hub, acked)
                ballast.unlink()
                waiting = [post for post, _, _ in load.refused]
                slowest_s = max(slowest_s, send_until_taken(hub, waiting[0]))
                with Load(hub.port, waiting, CONNECTIONS) as again:
                    again.wait_for(lambda now: now.answered == len(waiting))  # noqa: B023
                assert not again.refused, again.refused[0][1:]
                acked |= again.acked_events()
                refused += len(load.refused)
            stored = ids_of_stored(hub)
            assert acked <= stored.keys()
            check_integrity(data)
            compared += check_replay(hub, stored, tmp_path / "replay", rng, pick(6, 20))
        # What another process reads is what this one wrote: nothing lived in its memory alone.
        with HubProcess(data) as hub:
            assert ids_of_stored(hub) == stored
            compared += check_replay(hub, stored, tmp_path / "replay_of_restarted", rng, pick(6, 20))
    write_figures(
        "full_disk",
        f"a full filesystem of {SIZE_MB} MB: 503 with the reason, reads go on, nothing acked is lost, "
        "the hub goes on by itself when space returns",
        times_full=rounds,
        requests_refused=refused,
        reads_while_full=reads,
        events_acked=len(acked),
        events_lost=0,
        slowest_recovery_s=round(slowest_s, 3),
        bodies_compared=compared,
    )


def check_refusals(load: Load) -> None:
    assert load.statuses.keys() == {503}, load.statuses
    for _, _, body in load.refused:
        assert b'"storage_full"' in body, body
    assert not load.lost


def check_reads(hub: HubProcess, acked: set[bytes]) -> int:
    assert acked <= ids_of_stored(hub).keys()
    found = httpx.get(f"{hub.url}/api/v1/jobs", params={"limit": 3}, timeout=30)
    assert found.status_code == 200, found.text
    for job in found.json()["jobs"]:
        node = f"job:{job['namespace']}:{job['name']}"
        graph = httpx.get(f"{hub.url}/api/v1/lineage", params={"nodeId": node, "depth": 5}, timeout=30)
        assert graph.status_code == 200, graph.text
    assert httpx.get(f"{hub.url}/livez", timeout=30).status_code == 200
    return 5


def send_until_taken(hub: HubProcess, post: Post) -> float:
    """As a producer that tries again; how long it took leaves."""
    began_at = time.monotonic()
    while True:
        answer = httpx.post(f"{hub.url}{post.path}", content=post.body, timeout=30)
        took_s = time.monotonic() - began_at
        if answer.is_success:
            return took_s
        assert answer.status_code == 503, answer.text
        assert took_s < 20, f"still {answer.text} after {took_s:.0f} s with room on the disk"


def test_a_hub_that_cannot_start_on_a_full_disk_says_so_and_starts_when_there_is_room(tmp_path: Path) -> None:
    posts = list(in_batches(islice(mixed_events(SEED), 200), 100))
    with small_filesystem(tmp_path / "small", SIZE_MB) as data:
        with HubProcess(data) as hub:
            for post in posts:
                assert httpx.post(f"{hub.url}{post.path}", content=post.body, timeout=30).status_code == 204
        ballast = data / "ballast"
        ballast.write_bytes(bytes(free_bytes(data)))
        refused = HubProcess(data, wait=False)
        assert refused.wait() == 3
        assert "the store can't write" in refused.said()
        ballast.unlink()
        with HubProcess(data) as hub:
            assert ids_of_stored(hub).keys() == {event for post in posts for event in post.events}
            check_integrity(data)


def free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free
