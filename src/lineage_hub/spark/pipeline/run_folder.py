"""The folder of a run: what was asked enters, its state, its log and a wish to cancel it are kept there.

The driver and whoever started it share nothing else, so either may end and come back.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from lineage_hub.errors import InvalidRequest, NotFound
from lineage_hub.spark.pipeline.status import ENDED, RunStatus, StageStatus

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)
SILENT_S = 45.0


class Asked(msgspec.Struct, frozen=True):
    """What a run is to do. The definition's parameters are not filled in yet, and secrets never are."""

    run_id: str
    pipeline: str
    definition: str
    """YAML, as it was when the run was asked for."""
    parameters: dict[str, str] = {}
    master: str | None = None
    from_stage: str | None = None
    continues: str | None = None
    """The run whose finished loads stay as they are."""
    idempotency_key: str | None = None
    folder: str | None = None
    """Where the definition stood: its relative paths begin there."""
    confined: dict[str, list[str]] | None = None
    """Asked for over the API: only what the configuration allows, as arguments of `confine`."""
    asked_at: float = 0.0


class RunFolder:
    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def id(self) -> str:
        return self.path.name

    @property
    def log(self) -> Path:
        return self.path / "driver.log"

    def asked(self) -> Asked:
        found: Asked = self._read("asked.json", Asked)
        return found

    def status(self) -> RunStatus:
        """As the driver last told it."""
        found: RunStatus = self._read("status.json", RunStatus)
        return found

    def tell(self, status: RunStatus) -> None:
        self._write("status.json", status)

    def ask_to_cancel(self) -> None:
        (self.path / "cancel").touch()

    @property
    def is_cancelled(self) -> bool:
        return (self.path / "cancel").exists()

    @property
    def pid(self) -> int:
        """Of the program that was started for it."""
        try:
            return int((self.path / "pid").read_text())
        except (OSError, ValueError):
            return 0

    def keep_pid(self, pid: int) -> None:
        self._replace("pid", str(pid).encode())

    def is_silent(self, now: float | None = None) -> bool:
        """Neither ended nor heard of: its driver died or hangs."""
        status = self.status()
        if status.state in ENDED:
            return False
        heard_at = max(status.heartbeat_at or 0.0, status.started_at or 0.0, self.asked().asked_at)
        return not _is_alive(self.pid) or (now or time.time()) - heard_at > SILENT_S

    def _read(self, name: str, of: Any) -> Any:
        try:
            return msgspec.json.decode((self.path / name).read_bytes(), type=of)
        except FileNotFoundError:
            raise NotFound(
                f"there is no run {self.id}", subject=self.id, action="list them: `lineage-hub pipeline list`"
            ) from None

    def _write(self, name: str, content: Any) -> None:
        self._replace(name, msgspec.json.encode(content))

    def _replace(self, name: str, text: bytes) -> None:
        """A reader finds the old or the new text, also after a crash."""
        beside = self.path / f".{name}.{os.getpid()}"
        with beside.open("wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self.path / name)


def _is_alive(pid: int) -> bool:
    if not pid:
        return True  # not started yet
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return not Path("/proc/self/stat").exists()
    return state != "Z"


class RunFolders:
    """All runs that were started from one data folder."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def make(self, asked: Asked, namespace: str, kinds: dict[str, str]) -> RunFolder:
        folder = RunFolder(self._root / _checked(asked.run_id))
        folder.path.mkdir(parents=True, mode=0o700)
        folder._write("asked.json", asked)
        stages = [StageStatus(name, kind) for name, kind in kinds.items()]
        folder.tell(RunStatus(asked.run_id, asked.pipeline, namespace, parameters=asked.parameters, stages=stages))
        return folder

    def find(self, run_id: str) -> RunFolder:
        folder = RunFolder(self._root / (run_id if _ID.fullmatch(run_id) else "none"))
        if not (folder.path / "asked.json").exists():
            raise NotFound(
                f"there is no run {run_id[:80]}", subject=run_id[:80], action="list them: `lineage-hub pipeline list`"
            )
        return folder

    def __iter__(self) -> Iterator[RunFolder]:
        """The newest first: ids begin with the time."""
        if not self._root.is_dir():
            return
        for path in sorted(self._root.iterdir(), reverse=True):
            if _ID.fullmatch(path.name) and (path / "status.json").exists():
                yield RunFolder(path)

    def by_key(self, key: str) -> RunFolder | None:
        return next((one for one in self if one.asked().idempotency_key == key), None)


def _checked(run_id: str) -> str:
    """It becomes a folder's name."""
    if not _ID.fullmatch(run_id):
        raise InvalidRequest(f"{run_id!r} is no run id", subject=run_id[:80], action="give a UUID, in lower case")
    return run_id
