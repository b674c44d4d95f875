"""A port enters; another one that passes on what it hears leaves, and can be closed and opened at will."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from asyncio import StreamReader, StreamWriter
from collections.abc import Coroutine
from typing import Any, TypeVar

from tests.hub_process import free_port

T = TypeVar("T")


class Forwarder:
    """Closed at first. Who is connected when it is closed loses the connection."""

    def __init__(self, target: int) -> None:
        self.port = free_port()
        self._target = target
        self._server: asyncio.Server | None = None
        self._writers: set[StreamWriter] = set()
        self._passing: set[asyncio.Task[Any]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def open(self) -> None:
        self._server = self._run(asyncio.start_server(self._pass_on, "127.0.0.1", self.port))

    def close(self) -> None:
        self._run(self._close())

    def end(self) -> None:
        self.close()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    async def _close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
            # Who was accepted a moment ago is there from the next turn of the loop on.
            await asyncio.sleep(0)
        for writer in list(self._writers):
            writer.transport.abort()
        # Each connection ends by itself now, and closes both of its sockets.
        if self._passing:
            await asyncio.wait(list(self._passing))

    async def _pass_on(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._passing.add(task)
        used = {writer}
        self._writers |= used
        try:
            with contextlib.suppress(OSError):
                there, back = await asyncio.open_connection("127.0.0.1", self._target)
                used.add(back)
                self._writers.add(back)
                if writer.transport.is_closing():
                    return
                await asyncio.gather(_pump(reader, back), _pump(there, writer), return_exceptions=True)
        finally:
            self._writers -= used
            for one in used:
                one.transport.abort()
            # A socket is closed in the turn of the loop after that.
            await asyncio.sleep(0)
            self._passing.discard(task)


async def _pump(reader: StreamReader, writer: StreamWriter) -> None:
    try:
        while piece := await reader.read(1 << 16):
            writer.write(piece)
            await writer.drain()
    finally:
        writer.transport.abort()
