"""Run ids are UUIDs of version 7: different in every thread and child process, and in the order of time."""

import random
import subprocess
import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

from lineage_hub.sdk.run_ids import new_run_id


def test_an_id_is_a_uuid_of_version_7_that_begins_with_its_time() -> None:
    before = time.time_ns() // 1_000_000
    made = [uuid.UUID(new_run_id().decode()) for _ in range(1_000)]
    after = time.time_ns() // 1_000_000
    assert {one.version for one in made} == {7}
    assert {one.variant for one in made} == {uuid.RFC_4122}
    assert all(before <= one.int >> 80 <= after for one in made)
    text = new_run_id().decode()
    assert str(uuid.UUID(text)) == text


def test_ids_of_many_threads_differ() -> None:
    with ThreadPoolExecutor(8) as threads:
        made = [one for part in threads.map(lambda _: [new_run_id() for _ in range(5_000)], range(8)) for one in part]
    assert len(set(made)) == 40_000


FORKS = """
import os, sys
from lineage_hub.sdk.run_ids import new_run_id
new_run_id()
for _ in range(8):
    if os.fork() == 0:
        # Only the random part: children may be born in one millisecond.
        sys.stdout.write("".join(new_run_id()[14:].decode() + "\\n" for _ in range(3)))
        sys.stdout.flush()
        os._exit(0)
for _ in range(8):
    os.wait()
"""


def test_forked_processes_make_ids_of_their_own() -> None:
    made = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, check=True).stdout.split()
    assert len(made) == len(set(made)) == 24


def test_a_teams_random_numbers_are_its_own() -> None:
    random.seed(42)
    wanted = [random.random() for _ in range(3)]
    random.seed(42)
    new_run_id()
    assert [random.random() for _ in range(3)] == wanted


def test_programs_that_start_at_once_make_different_ids() -> None:
    command = [sys.executable, "-c", "from lineage_hub.sdk.run_ids import new_run_id; print(new_run_id()[14:])"]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert len({one.communicate(timeout=30)[0] for one in started}) == 4
