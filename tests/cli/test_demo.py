"""`lineage-hub demo` shows the week and ends by itself without a terminal, and keeps serving with one."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from tests.hub_process import clean_environment

DEMO = [sys.executable, "-m", "lineage_hub.cli", "demo", "--events"]
pytestmark = pytest.mark.slow


def test_without_a_terminal_it_shows_everything_and_exits_0(tmp_path: Path) -> None:
    ended = subprocess.run(
        [*DEMO, "--data", str(tmp_path / "demo")],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env=clean_environment(),
        timeout=110,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert "\x1b" not in ended.stdout
    for question in (
        "What feeds the headline figure, and what does it feed?",
        "What is running, and which runs ended last?",
        "runs failed?",
        "What changed around it this week?",
        "What fed it in the middle of the week",
    ):
        assert question in ended.stdout
    assert re.search(r"ingest_shop\.extract_payments +FAILED", ended.stdout)
    assert re.search(r"changed +column .*unit_price INTEGER → NUMERIC\(10,2\)", ended.stdout)


def test_a_hub_that_can_not_start_is_a_failure_with_its_cause(tmp_path: Path) -> None:
    (tmp_path / "lineage.db").write_text("not a database" * 1000)
    ended = subprocess.run(
        [*DEMO, "--data", str(tmp_path)],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env=clean_environment(),
        timeout=110,
        check=False,
    )
    assert ended.returncode != 0
    assert "not a database" in ended.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_with_a_terminal_it_serves_until_it_is_stopped(tmp_path: Path, number: signal.Signals) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*DEMO, "--data", str(tmp_path / "demo")],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=clean_environment() | {"TERM": "xterm", "COLUMNS": "200"},
        start_new_session=True,
    )
    os.close(theirs)
    try:
        said = _read_until(ours, "Ctrl-C stops it.", 100)
        url = re.search(r"serving at (http://\S+)", said)
        assert url, said
        assert httpx.get(f"{url[1]}/livez").status_code == 200
        process.send_signal(number)
        _read_until(ours, "The hub has stopped.", 45)
        assert process.wait(45) == 0
        with pytest.raises(httpx.TransportError):
            httpx.get(f"{url[1]}/livez")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(ours)


def _read_until(terminal: int, text: str, deadline_s: float) -> str:
    said = ""
    end = time.monotonic() + deadline_s
    while text not in said:
        assert time.monotonic() < end, said
        ready, _, _ = select.select([terminal], [], [], 1)
        if ready:
            try:
                said += os.read(terminal, 65536).decode(errors="replace")
            except OSError:
                break
    assert text in said, said
    return said
