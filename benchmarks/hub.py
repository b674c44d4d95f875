"""A data folder enters. A hub runs on it as a child; its CPU, memory, disk and start are measured."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

START_PATIENCE_S = 120.0
STOP_PATIENCE_S = 120.0
POLL_EVERY_S = 0.005
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class HubError(Exception):
    """The hub did not start, died, or would not stop; the text holds the end of its log."""


@dataclass(frozen=True)
class Memory:
    """Of the whole process tree. PSS counts a page that several processes share once."""

    rss_mb: float
    pss_mb: float


def hub_command() -> list[str]:
    """The command that stands beside the interpreter that runs this."""
    return [str(Path(sys.executable).parent / "lineage-hub"), "serve"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def process_tree(pid: int) -> list[int]:
    """The process and all that descend from it."""
    parents: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = Path("/proc", entry, "stat").read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue  # it ended while we looked
            parent = int(stat.rpartition(")")[2].split()[1])
            parents.setdefault(parent, []).append(int(entry))
    found = [pid]
    for one in found:
        found.extend(parents.get(one, ()))
    return found


def cpu_seconds(pid: int) -> float:
    """CPU time of a process tree since its start: all threads, children that live and that have ended."""
    total = 0.0
    for one in process_tree(pid):
        try:
            # The kernel's CPU clock of another process: nanoseconds, where /proc/<pid>/stat counts in 10 ms.
            total += time.clock_gettime((~one << 3) | 2)
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        except (OSError, ProcessLookupError):
            continue
        total += (int(fields[13]) + int(fields[14])) / _TICKS_PER_S
    return total


def memory_of(pid: int) -> Memory:
    sums = {"Rss:": 0, "Pss:": 0}
    for one in process_tree(pid):
        try:
            lines = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
        except (OSError, ProcessLookupError):
            continue
        for line in lines:
            name, _, rest = line.partition(" ")
            if name in sums:
                sums[name] += int(rest.split()[0])
    return Memory(rss_mb=sums["Rss:"] * 1024 / 1e6, pss_mb=sums["Pss:"] * 1024 / 1e6)


def folder_bytes(folder: Path) -> int:
    """What the folder takes on disk, in whole blocks."""
    return sum(f.stat().st_blocks * 512 for f in folder.rglob("*") if f.is_file()) if folder.exists() else 0


class Hub:
    """`with Hub(folder) as hub:` starts it, waits until it is ready, and stops it by SIGTERM."""

    def __init__(self, data: Path, *, command: Sequence[str] | None = None, first_path: str | None = None) -> None:
        self.data = data
        self.port = free_port()
        self.ready_s = 0.0
        self.first_answer_s = 0.0
        self.start_cpu_s = 0.0
        self._command = list(command or hub_command())
        self._first_path = first_path
        self._log_path = data.with_name(f"{data.name}.log")
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> Self:
        self.data.mkdir(parents=True, exist_ok=True)
        # Settings of the person who runs this must not colour the figures.
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LINEAGE_HUB_")}
        arguments = ["--host", "127.0.0.1", "--port", str(self.port), "--data", str(self.data)]
        started_at = time.perf_counter()
        with self._log_path.open("wb") as log:
            self._process = subprocess.Popen(
                [*self._command, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=environment,
            )
        try:
            self._wait_for("/readyz", (200,), started_at)
            self.ready_s = self.first_answer_s = time.perf_counter() - started_at
            if self._first_path is not None:
                # Nothing is there to be found in an empty hub: "not found" is its answer then.
                self._wait_for(self._first_path, (200, 404), started_at)
                self.first_answer_s = time.perf_counter() - started_at
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise
        self.start_cpu_s = self.cpu_s()
        return self

    def _wait_for(self, path: str, statuses: tuple[int, ...], started_at: float) -> None:
        assert self._process is not None
        status: int | str = "no answer"
        while time.perf_counter() - started_at < START_PATIENCE_S:
            if self._process.poll() is not None:
                raise HubError(f"the hub ended with {self._process.returncode} at its start\n{self.log_end()}")
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=START_PATIENCE_S)
            try:
                connection.request("GET", path)
                answer = connection.getresponse()
                answer.read()
                status = answer.status
                if status in statuses:
                    return
            except OSError:
                pass
            finally:
                connection.close()
            time.sleep(POLL_EVERY_S)
        raise HubError(f"GET {path} gave {status} for {START_PATIENCE_S:.0f} s\n{self.log_end()}")

    def cpu_s(self) -> float:
        return cpu_seconds(self.pid)

    def memory(self) -> Memory:
        return memory_of(self.pid)

    def disk_bytes(self) -> int:
        return folder_bytes(self.data)

    def log_end(self, characters: int = 3000) -> str:
        return self._log_path.read_text(errors="replace")[-characters:] if self._log_path.exists() else ""

    def stop(self) -> float:
        """Ask it to end, and give the seconds it took."""
        process, self._process = self._process, None
        if process is None:
            return 0.0
        asked_at = time.perf_counter()
        process.send_signal(signal.SIGTERM)
        try:
            code = process.wait(STOP_PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise HubError(f"the hub ignored SIGTERM for {STOP_PATIENCE_S:.0f} s\n{self.log_end()}") from None
        if code not in (0, -signal.SIGTERM):
            raise HubError(f"the hub ended with {code}\n{self.log_end()}")
        return time.perf_counter() - asked_at

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
