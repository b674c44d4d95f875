"""An application enters; a client that starts it, sends it requests without a socket and stops it leaves.

It speaks ASGI as a server would, and spends a tenth of what a general test client does: proofs ask a lot.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, Self, TypeVar
from urllib.parse import unquote

from fastapi import FastAPI

T = TypeVar("T")
Answer = tuple[int, bytes]


class Client:
    """The application runs in a loop and a thread of its own, from `with` to its end."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def get(self, *urls: str) -> list[Answer]:
        return self._run(self._get(urls))

    def post(self, url: str, body: bytes) -> Answer:
        return self._run(self._request("POST", url, body))

    def put(self, url: str, body: bytes) -> Answer:
        return self._run(self._request("PUT", url, body))

    def __enter__(self) -> Self:
        self._thread.start()
        self._run(self._start())
        return self

    def __exit__(self, *_: object) -> None:
        self._run(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _start(self) -> None:
        self._stopping = asyncio.Event()
        started = asyncio.Event()
        self._life = asyncio.create_task(self._live(started))
        await asyncio.wait([self._life, asyncio.create_task(started.wait())], return_when="FIRST_COMPLETED")
        if self._life.done():
            self._life.result()

    async def _live(self, started: asyncio.Event) -> None:
        async with self._app.router.lifespan_context(self._app):
            started.set()
            await self._stopping.wait()

    async def _stop(self) -> None:
        self._stopping.set()
        await self._life
        await self._loop.shutdown_default_executor()

    async def _get(self, urls: tuple[str, ...]) -> list[Answer]:
        return [await self._request("GET", url, b"") for url in urls]

    async def _request(self, method: str, url: str, body: bytes) -> Answer:
        path, _, query = url.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [
                (b"host", b"hub"),
                (b"content-type", b"application/json"),
                (b"content-length", b"%d" % len(body)),
            ],
            "client": ("127.0.0.1", 1),
            "server": ("hub", 80),
        }
        sent: list[dict[str, Any]] = []
        received = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive() -> dict[str, Any]:
            return next(received, {"type": "http.disconnect"})

        async def send(message: Any) -> None:
            sent.append(message)

        await self._app(scope, receive, send)
        return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])
