"""The engine starts when it is needed, is started again when it has died, and never outlives its hub."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lineage_hub.errors import StoreUnavailable
from lineage_hub.store.telemetry.child import LOG_FILE, EngineChild

pytestmark = [pytest.mark.slow, pytest.mark.serial]


@pytest.fixture
def child(tmp_path: Path) -> Iterator[EngineChild]:
    found = EngineChild(tmp_path / "telemetry")
    try:
        yield found
    finally:
        found.close()


def wait_until(holds: Callable[[], bool], deadline_s: float = 30.0) -> None:
    end = time.monotonic() + deadline_s
    while not holds():
        assert time.monotonic() < end, "it did not come true in time"
        time.sleep(0.02)


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_all_threads_get_one_engine(child: EngineChild):
    with ThreadPoolExecutor(8) as threads:
        engines = set(threads.map(lambda _: child.running().port, range(16)))
    assert len(engines) == 1


def test_one_that_was_killed_is_started_again_with_another_secret(child: EngineChild):
    first = child.running()
    os.kill(first.process.pid, signal.SIGKILL)
    wait_until(lambda: not first.is_alive)
    second = child.running()
    assert second.is_alive
    assert second.secret != first.secret


def test_one_that_keeps_dying_is_started_ever_more_slowly(child: EngineChild):
    for _ in range(2):
        engine = child.running()
        engine.process.kill()
        engine.process.wait()
    with pytest.raises(StoreUnavailable, match="ended at once 2 times") as refused:
        child.running()
    assert refused.value.retry_after_s >= 1


def test_one_that_can_not_start_says_what_it_said(tmp_path: Path):
    (tmp_path / "engine").write_text("no folder")
    child = EngineChild(tmp_path)
    with pytest.raises(StoreUnavailable, match="ended at its start") as refused:
        child.running()
    assert "engine" in refused.value.message
    child.close()


def test_closing_ends_it_in_order(child: EngineChild):
    engine = child.running()
    child.close()
    assert engine.process.returncode == 0
    with pytest.raises(StoreUnavailable, match="closed"):
        child.running()


def test_a_second_engine_waits_until_the_first_has_left_the_folder(child: EngineChild):
    first, second = child.running(), EngineChild(child.folder)
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(second.running)
        wait_until(lambda: len(_holders(child.folder)) == 2)
        assert not waiting.done()
        child.close()
        assert waiting.result().is_alive
    assert first.process.returncode == 0
    second.close()


def _holders(folder: Path) -> set[str]:
    lock = str(folder / "engine.lock")
    found = set()
    for fd in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if os.readlink(fd) == lock:
                found.add(fd.parts[2])
        except OSError:
            continue
    return found


PARENT = """
import sys, time
from pathlib import Path
from lineage_hub.store.telemetry.child import EngineChild
child = EngineChild(Path(sys.argv[1]))
print(child.running().process.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_it_ends_with_its_hub_however_that_ends(tmp_path: Path, how: signal.Signals):
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_there(pid)
        parent.send_signal(how)
        parent.wait()
    wait_until(lambda: not is_there(pid))


def test_a_hub_that_is_killed_while_its_engine_starts_leaves_none(tmp_path: Path):
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(tmp_path)], stdout=subprocess.PIPE)
    wait_until((tmp_path / LOG_FILE).exists)
    wait_until(lambda: bool(_engines(tmp_path)))
    parent.kill()
    parent.communicate()
    wait_until(lambda: not _engines(tmp_path))


def _engines(folder: Path) -> list[str]:
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = line.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"lineage_hub.store.telemetry.engine" in words and str(folder).encode() in words:
            found.append(line.parts[2])
    return found
