"""A folder enters; the address of an engine leaves that runs as a child process, started when it is first asked for.

An engine that died is started again, ever more slowly when it keeps dying, and by one thread for all of them.
"""

from __future__ import annotations

import json
import os
import secrets
import selectors
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from lineage_hub.errors import StoreUnavailable
from lineage_hub.logs import get_logger
from lineage_hub.settings import PREFIX

_log = get_logger("telemetry")
PROGRAM = "lineage_hub.store.telemetry.engine"
LOG_FILE = "engine.log"
START_S = 60.0
STOP_S = 30.0
# An engine that lived this long was well; one that didn't makes the next start wait longer.
WELL_S = 60.0
LONGEST_PAUSE_S = 30.0


@dataclass(frozen=True, slots=True)
class Engine:
    """One life of the engine: after a restart port and secret are others."""

    port: int
    secret: str
    process: subprocess.Popen[bytes]
    started_at: float

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None


class EngineChild:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._deaths = 0
        self._closed = False
        self._may_start_at = 0.0

    @property
    def pid(self) -> int | None:
        engine = self._engine
        return engine.process.pid if engine else None

    def running(self) -> Engine:
        """Ready to be asked; started if there is none."""
        engine = self._engine
        if engine is not None and engine.is_alive:
            return engine
        with self._lock:
            if self._closed:
                raise _unavailable("it was closed")
            if self._engine is not None and self._engine.is_alive:
                return self._engine
            if self._engine is not None:
                self._bury(self._engine)
            pause = self._may_start_at - monotonic()
            if pause > 0:
                raise _unavailable(f"it ended at once {self._deaths} times:\n{self._said()}", int(pause) + 1)
            try:
                self._engine = self._start()
            except BaseException:
                self._slow_down()
                raise
            return self._engine

    def close(self) -> None:
        """In order: what runs ends first."""
        with self._lock:
            self._closed = True
            engine, self._engine = self._engine, None
            if engine is not None:
                _stop(engine.process)

    def _bury(self, engine: Engine) -> None:
        self._engine = None
        _close_pipes(engine.process)
        _log.warning("engine_ended", code=engine.process.returncode, said=self._said().strip()[-500:])
        if monotonic() - engine.started_at < WELL_S:
            # The first death is an accident, and is repaired at once.
            self._deaths += 1
            if self._deaths > 1:
                self._may_start_at = monotonic() + self._pause()
        else:
            self._deaths = 0

    def _slow_down(self) -> None:
        self._deaths += 1
        self._may_start_at = monotonic() + self._pause()

    def _pause(self) -> float:
        return min(LONGEST_PAUSE_S, 0.5 * 2.0**self._deaths)

    def _start(self) -> Engine:
        self.folder.mkdir(parents=True, exist_ok=True)
        secret = secrets.token_urlsafe(32)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
        with (self.folder / LOG_FILE).open("wb") as log:
            # A session of its own: Ctrl-C reaches the hub alone, which then ends the engine in order.
            process = subprocess.Popen(
                [sys.executable, "-m", PROGRAM, "--path", str(self.folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment | {"TZ": "UTC"},
                start_new_session=True,
            )
        try:
            assert process.stdin is not None
            process.stdin.write(secret.encode() + b"\n")
            process.stdin.flush()
            return Engine(self._port_of(process), secret, process, monotonic())
        except BaseException as error:
            process.kill()
            process.wait()
            _close_pipes(process)
            if isinstance(error, BrokenPipeError):
                raise _unavailable(f"it ended at its start:\n{self._said()}") from None
            raise

    def _port_of(self, process: subprocess.Popen[bytes]) -> int:
        """It is told when the engine listens; the end of its output is the end of the engine."""
        assert process.stdout is not None
        told, deadline = b"", monotonic() + START_S
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while not told.endswith(b"\n"):
                if not selector.select(deadline - monotonic()):
                    raise _unavailable(
                        f"it was not ready within {START_S:g} s (does another hub use {self.folder}?):\n{self._said()}"
                    )
                piece = os.read(process.stdout.fileno(), 4096)
                if not piece:
                    raise _unavailable(f"it ended at its start:\n{self._said()}")
                told += piece
        # What the engine's own libraries print before stands in lines before it.
        return int(json.loads(told.splitlines()[-1])["port"])

    def _said(self) -> str:
        """The end of its log."""
        try:
            lines = (self.folder / LOG_FILE).read_text(errors="replace").splitlines()
        except OSError:
            lines = []
        return "\n".join(f"    {line[:500]}" for line in lines[-8:]) or "    (nothing)"


def _stop(process: subprocess.Popen[bytes]) -> None:
    _close_pipes(process)
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except BrokenPipeError:
                pass


def _unavailable(why: str, retry_after_s: int = 1) -> StoreUnavailable:
    return StoreUnavailable(
        f"the telemetry engine does not answer: {why}",
        subject="telemetry",
        action="see `lineage-hub doctor`; a running hub goes on by itself",
        retry_after_s=retry_after_s,
    )
