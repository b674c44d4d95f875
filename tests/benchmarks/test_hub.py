"""The measurements of a child process, on a small server that burns, holds and writes a known amount."""

import sys
import time
import urllib.request
from pathlib import Path

import pytest

from benchmarks.hub import Hub, HubError

STAND_IN = """
import argparse, http.server, pathlib, signal, sys, threading, time

arguments = argparse.ArgumentParser()
for name in ("--host", "--port", "--data"):
    arguments.add_argument(name)
wanted = arguments.parse_args()
held = bytearray(b"x" * 40_000_000)
pathlib.Path(wanted.data, "facts").write_bytes(held[:1_000_000])

def burn(seconds):
    started = time.thread_time()
    while time.thread_time() - started < seconds:
        pass

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/burn":
            worker = threading.Thread(target=burn, args=(0.2,))
            worker.start()
            worker.join()
        self.send_response(404 if self.path == "/missing" else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
http.server.HTTPServer((wanted.host, int(wanted.port)), Handler).serve_forever()
"""


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    program = tmp_path / "stand_in.py"
    program.write_text(STAND_IN)
    return [sys.executable, str(program)]


def test_cpu_memory_and_disk_are_those_of_the_child(tmp_path: Path, command: list[str]) -> None:
    with Hub(tmp_path / "data", command=command, first_path="/missing") as hub:
        assert 0 < hub.ready_s <= hub.first_answer_s
        before = hub.cpu_s()
        urllib.request.urlopen(f"http://127.0.0.1:{hub.port}/burn").close()
        # Also of a thread that is gone.
        assert 0.2 <= hub.cpu_s() - before < 0.4
        memory = hub.memory()
        assert 40 < memory.pss_mb <= memory.rss_mb < 120
        assert 1_000_000 <= hub.disk_bytes() < 1_100_000
        time.sleep(0.01)
        assert 0 < hub.stop() < 5


def test_a_hub_that_ends_at_once_is_an_error_with_its_last_words(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import sys; print('the port is taken'); sys.exit(3)"]
    with pytest.raises(HubError, match=r"ended with 3 at its start(.|\n)*the port is taken"):
        Hub(tmp_path / "data", command=command).start()
