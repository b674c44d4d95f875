"""The program of the engine's process: a folder and, on standard input, a secret enter; a port leaves.

It serves ClickHouse's HTTP interface on loopback until its standard input ends, which a hub that is killed ends too.
"""

import argparse
import asyncio
import fcntl
import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from lineage_hub.store.telemetry.connections import Connections, Refused
from lineage_hub.store.telemetry.front import front
from lineage_hub.store.telemetry.parts import remove_empty_deletes

READERS = 4
WRITERS = 2
LOCK_FILE = "engine.lock"
# How it ends when parts are hollow.
HOLLOW = 3
DATA_FOLDER = "engine"
# What runs gets this long to end once the hub is gone.
LINGER_S = 15.0
# A connection that the engine closed while it was idle would fail the insert that comes next.
KEEP_ALIVE_S = 7 * 24 * 3600
# What parts were made from stays two minutes.
LOOK_AT_PARTS_S = 15.0


class _Server(uvicorn.Server):
    """Ends when it is told to; signals are handled here."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                lifespan="off",
                log_config=None,
                access_log=False,
                timeout_keep_alive=KEEP_ALIVE_S,
                timeout_graceful_shutdown=int(LINGER_S) - 5,
            )
        )

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="lineage_hub.store.telemetry.engine")
    parser.add_argument("--path", type=Path, required=True, help="folder that holds the tables")
    folder: Path = parser.parse_args(words).path
    secret = sys.stdin.buffer.readline().decode().strip()
    running: list[_Server] = []
    threading.Thread(target=_end_with_the_hub, args=(running,), daemon=True).start()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK_FILE).open("wb") as lock:
        # The engine of a hub that was killed may still be ending; two on one folder would destroy it.
        fcntl.flock(lock, fcntl.LOCK_EX)
        _serve(folder / DATA_FOLDER, secret, running)
    # The engine's own threads don't always let the interpreter end.
    os._exit(0)


def _end_with_the_hub(running: list[_Server]) -> None:
    while os.read(0, 1024):
        pass
    for server in running:
        server.should_exit = True
    if running:
        threading.Event().wait(LINGER_S)
    os._exit(1)


def _serve(data: Path, secret: str, running: list[_Server]) -> None:
    for path in remove_empty_deletes(data):
        _say(f"{path} is empty, written on a full disk: removed")
    connections = Connections(data, readers=READERS, writers=WRITERS, when_hollow=_end_for_the_next)
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    # Else the end of each answer would wait 40 ms for the client to confirm its beginning.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    server = _Server(front(connections, secret, readers=READERS, writers=WRITERS))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, server.handle_exit)
    running.append(server)
    threading.Thread(target=_watch, args=(connections,), daemon=True).start()
    _tell(listener.getsockname()[1])
    asyncio.run(server.serve(sockets=[listener]))
    connections.close()


def _watch(connections: Connections) -> None:
    while True:
        threading.Event().wait(LOOK_AT_PARTS_S)
        try:
            connections.parts.look()
        except Refused as refused:
            _say(f"the parts can't be listed: {refused.message}")


def _end_for_the_next(hollow: list[str]) -> None:
    """At once, without an answer to anyone: who waits asks the next engine, which has the sources of these parts."""
    for path in hollow:
        _say(f"{path} lacks what was written into it: the disk was full")
    os._exit(HOLLOW)


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def _tell(port: int) -> None:
    sys.stdout.write(json.dumps({"port": port}) + "\n")
    sys.stdout.flush()
    # Nobody reads on: what the engine prints from here on goes to its log.
    os.dup2(2, 1)


if __name__ == "__main__":
    main()
