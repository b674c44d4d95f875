"""A real PostgreSQL for tests: programs of the system enter, a server of its own and a fresh database a test leave.

Each test process starts its own server when the first test asks for it, on a Unix socket in a temporary folder, so
no port is taken and nothing is shared. Without the programs the tests fail and say how to get them.
"""

from __future__ import annotations

import itertools
import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest

START_TIMEOUT_S = 60
STOP_TIMEOUT_S = 30
USER = "hub"
HOW_TO_GET_IT = (
    "These tests need PostgreSQL's server programs (initdb, postgres), which were not found on PATH nor in "
    "/usr/lib/postgresql/*/bin. Install them with:  scripts/system-packages postgresql"
)
OPTIONS = {
    "listen_addresses": "",
    "max_connections": "50",
    "shared_buffers": "32MB",
    # What becomes of data when power fails is PostgreSQL's promise, not what is tested here.
    "fsync": "off",
    "autovacuum": "off",
    # Two writers that wait for each other in a circle are found at once.
    "deadlock_timeout": "200ms",
}


@dataclass
class PostgresServer:
    """A running server; `database` gives the URL of an empty database that is gone afterwards."""

    socket_folder: Path
    port: int = 5432
    _command: list[str | Path] = field(default_factory=list)
    _as_user: dict[str, str | int] = field(default_factory=dict)
    _process: subprocess.Popen[bytes] | None = None
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    @contextmanager
    def database(self) -> Iterator[str]:
        name = f"test_{next(self._numbers)}"
        with self._administrator() as connection:
            connection.execute(f"CREATE DATABASE {name}")
        try:
            yield f"postgresql://{USER}@/{name}?host={self.socket_folder}&port={self.port}"
        finally:
            with self._administrator() as connection:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)")

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Returns when it answers; on the data that it had when it was stopped."""
        log = self.socket_folder / "log"
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                self._command,
                stdout=output,
                stderr=output,
                stdin=subprocess.DEVNULL,
                cwd=self.socket_folder,
                **self._as_user,
            )
        _await_answer(self, self._process, log)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Closes connections, then ends in order; SIGQUIT ends at once, as a crash would."""
        if self._process is None:
            return
        process, self._process = self._process, None
        process.send_signal(how)
        try:
            process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGQUIT)
            process.wait(STOP_TIMEOUT_S)

    def answers(self) -> bool:
        try:
            self._administrator().close()
        except psycopg.OperationalError:
            return False
        return True

    def _administrator(self) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(
            dbname="postgres",
            user=USER,
            host=str(self.socket_folder),
            port=self.port,
            autocommit=True,
            connect_timeout=10,
        )


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    with running_server() as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    with postgres_server.database() as url:
        yield url


@contextmanager
def running_server(tcp_port: int | None = None, options: Mapping[str, str] | None = None) -> Iterator[PostgresServer]:
    """With a port it listens on loopback too, for clients that don't know sockets in folders."""
    programs = find_programs()
    if programs is None:
        pytest.fail(HOW_TO_GET_IT, pytrace=False)
    as_user = unprivileged_user()
    folder = Path(tempfile.mkdtemp(prefix="hub-pg-"))
    try:
        if as_user:
            shutil.chown(folder, **as_user)
        data = folder / "data"
        _initialise(programs, data, as_user)
        reached = {} if tcp_port is None else {"listen_addresses": "127.0.0.1", "port": str(tcp_port)}
        chosen = {**OPTIONS, **reached, **(options or {})}
        settings = [word for name, value in chosen.items() for word in ("-c", f"{name}={value}")]
        command = [programs / "postgres", "-D", data, "-k", folder, *settings]
        server = PostgresServer(folder, tcp_port or 5432, command, as_user)
        try:
            server.start()
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def find_programs() -> Path | None:
    """The folder with initdb and postgres; of several versions in Debian's folders the newest."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).resolve().parent] if on_path else []
    installed = Path("/usr/lib/postgresql").glob("*/bin")
    folders += sorted(installed, key=lambda folder: _number(folder.parent.name), reverse=True)
    return next((folder for folder in folders if _has_programs(folder)), None)


def _has_programs(folder: Path) -> bool:
    return all(os.access(folder / name, os.X_OK) for name in ("initdb", "postgres"))


def unprivileged_user() -> dict[str, str | int]:
    """PostgreSQL refuses to run as root, so root runs it as somebody else."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": found.pw_uid, "group": found.pw_gid}
    pytest.fail("PostgreSQL can't run as root. Make a user for it with:  useradd --system postgres", pytrace=False)


def _initialise(programs: Path, data: Path, as_user: dict[str, str | int]) -> None:
    command: list[str | Path] = [
        programs / "initdb", "--no-sync", "--auth=trust", f"--username={USER}", "--encoding=UTF8", "-D", data,
    ]  # fmt: skip
    shown = subprocess.run([programs / "initdb", "--version"], check=True, capture_output=True, text=True).stdout
    # Text is sorted by the rules of a language, as in many databases, so that an answer which leaned on the order
    # of the database would be seen to.
    command += ["--locale=C", *(["--locale-provider=icu", "--icu-locale=de-DE"] if _number(shown) >= 15 else [])]
    done = subprocess.run(command, capture_output=True, text=True, cwd=data.parent, check=False, **as_user)
    if done.returncode != 0:
        pytest.fail(f"{programs / 'initdb'} failed:\n{done.stdout}{done.stderr}", pytrace=False)


def _await_answer(server: PostgresServer, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_TIMEOUT_S
    while not server.answers():
        if process.poll() is not None or time.monotonic() > until:
            pytest.fail(f"PostgreSQL did not start:\n{log.read_text(errors='replace')[-4000:]}", pytrace=False)
        time.sleep(0.02)


def _number(text: str) -> int:
    found = re.search(r"\d+", text)
    return int(found[0]) if found else 0
