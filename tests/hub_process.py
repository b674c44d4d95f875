"""A data folder enters; a real hub runs in a child process on a free port, and is gone when the test is over.

Tests that need one take the fixture `hub` (shared by the session) or start a `HubProcess` of their own.
"""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import httpx

START_S = 60.0
STOP_S = 40.0


def free_port() -> int:
    """Below those of outgoing connections, one of which could have it before the hub listens."""
    chance = random.SystemRandom()
    while True:
        port = chance.randrange(20_000, 32_000)
        with socket.socket() as listener:
            try:
                listener.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


class HubProcess:
    """Ready to take events once it is constructed; `with HubProcess(folder) as hub:` stops it at the end."""

    def __init__(
        self,
        data: Path,
        *flags: str,
        port: int | None = None,
        environment: Mapping[str, str] | None = None,
        wait: bool = True,
        before: Sequence[str] = (),
    ) -> None:
        """`before` are words in front of the command, of a program that runs it in its own place."""
        self.data = Path(data)
        self.data.mkdir(parents=True, exist_ok=True)
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = self.data.parent / f"{self.data.name}.log"
        no_settings = self.data.parent / f"{self.data.name}.toml"
        no_settings.touch()
        command = [*before, sys.executable, "-m", "lineage_hub.cli", "serve", "--host", "127.0.0.1"]
        command += ["--port", str(self.port), "--data", str(self.data), "--config", str(no_settings), *flags]
        with self.log.open("ab") as out:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                env=clean_environment() | dict(environment or {}),
                start_new_session=True,
            )
        if wait:
            try:
                self.wait_until_ready()
            except BaseException:
                self.kill()
                raise

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        return self._process.poll()

    def wait_until_ready(self, deadline_s: float = START_S) -> None:
        end = time.monotonic() + deadline_s
        while time.monotonic() < end:
            if self._process.poll() is not None:
                raise AssertionError(f"the hub stopped with {self._process.returncode}:\n{self.said()}")
            try:
                if httpx.get(f"{self.url}/readyz", timeout=2).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.02)
        raise AssertionError(f"the hub was not ready within {deadline_s:g} s:\n{self.said()}")

    def terminate(self) -> None:
        """SIGTERM, without waiting for the end."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)

    def wait_for_exit(self, deadline_s: float = STOP_S) -> int:
        """For a hub that ends by itself."""
        return self._process.wait(deadline_s)

    def stop(self) -> int:
        """SIGTERM, which drains; gives the exit code."""
        self.terminate()
        return self.wait()

    def wait(self) -> int:
        """For the end after `terminate`; gives the exit code."""
        try:
            return self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the hub did not stop within {STOP_S:g} s:\n{self.said()}") from None

    def kill(self) -> None:
        """SIGKILL, as a crash would."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def said(self) -> str:
        return self.log.read_text(errors="replace")[-4000:]

    def __enter__(self) -> "HubProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def clean_environment() -> dict[str, str]:
    """Without the settings of the one who runs the tests."""
    own = ("LINEAGE_HUB_", "OPENLINEAGE_", "TRACEPARENT", "TRACESTATE")
    return {name: value for name, value in os.environ.items() if not name.startswith(own)}
