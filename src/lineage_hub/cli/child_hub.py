"""A data folder enters; a hub on embedded defaults runs as a child process, and is gone when the block ends.

The child reads no settings file and no LINEAGE_HUB_ variable, so that it is the same on every machine.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lineage_hub.errors import InternalError, Unreachable
from lineage_hub.settings import PREFIX

START_S = 60.0
STOP_S = 40.0
HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class ChildHub:
    url: str
    log: Path
    process: "subprocess.Popen[bytes]"

    def said(self) -> str:
        """The end of its log."""
        lines = self.log.read_text(errors="replace").splitlines()
        return "\n".join(f"    {line}" for line in lines[-8:]) or "    (nothing)"


@contextmanager
def child_hub(data: Path, extra_flags: tuple[str, ...] = ()) -> Iterator[ChildHub]:
    data.mkdir(parents=True, exist_ok=True)
    no_settings = data / "demo.toml"
    no_settings.touch()
    log = data / "hub.log"
    port = free_port()
    flags = [
        "--host",
        HOST,
        "--port",
        str(port),
        "--data",
        str(data),
        "--config",
        str(no_settings),
        *extra_flags,
    ]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    with log.open("ab") as out:
        # A session of its own: Ctrl-C reaches the demo alone, which then stops the hub in order.
        process = subprocess.Popen(
            [sys.executable, "-m", "lineage_hub.cli", "serve", *flags],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            env=environment,
            start_new_session=True,
        )
    hub = ChildHub(f"http://{HOST}:{port}", log, process)
    try:
        _wait_until_ready(hub)
        yield hub
    finally:
        _stop(hub)


def free_port(wanted: int = 0) -> int:
    """The one that is wanted, if nobody has it."""
    with socket.socket() as listener:
        try:
            listener.bind((HOST, wanted))
        except OSError:
            listener.bind((HOST, 0))
        return int(listener.getsockname()[1])


def _wait_until_ready(hub: ChildHub) -> None:
    import httpx

    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        if hub.process.poll() is not None:
            raise InternalError(
                f"the hub stopped at its start (exit code {hub.process.returncode}); it said:\n{hub.said()}",
                subject=str(hub.log),
                action="run `lineage-hub doctor`",
            )
        try:
            if httpx.get(f"{hub.url}/readyz", timeout=2).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise Unreachable(
        f"the hub was not ready within {START_S:g} s; it said:\n{hub.said()}",
        subject=hub.url,
        action="run `lineage-hub doctor`",
    )


def _stop(hub: ChildHub) -> None:
    hub.process.terminate()
    try:
        hub.process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        hub.process.kill()
        hub.process.wait()
