"""Talks enter, their ends leave: here requests really go out, by httpx, once for `await` and once without.

httpx, and not the lean connection of `transports.http`: a client that is awaited needs an async one, both kinds of
httpx behave alike (TLS, proxies, pools, timeouts), and a caller who waits for an answer doesn't feel the millisecond
that a sender in the background would cost its program. It is imported when the first request goes out.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from lineage_hub import __version__
from lineage_hub.errors import Conflict, LineageHubError, Unreachable
from lineage_hub.sdk.conversation import Answer, Pause, Request, Talk
from lineage_hub.sdk.destination import Destination

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")
_MOST_BYTES = 256 * 1024 * 1024


class _Shell:
    """What both have: where they talk to, and whether they are closed."""

    def __init__(self, to: Destination) -> None:
        self.to = to
        self._closed = False

    def _settings(self) -> dict[str, Any]:
        headers = {"User-Agent": f"lineage-hub/{__version__}", "Accept": "application/json"}
        return {"headers": headers | self.to.authorization, "timeout": self.to.timeout_s}

    def _arguments(self, request: Request) -> dict[str, Any]:
        headers = {"Content-Type": "application/json"} if request.body is not None else {}
        return {
            "method": request.method, "url": self.to.url + request.path, "content": request.body, "headers": headers,
        }  # fmt: skip

    def _check_open(self) -> None:
        if self._closed:
            raise Conflict("the client is closed", subject=self.to.url, action="make a new client")

    def _unreachable(self, error: Exception) -> Unreachable:
        why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return Unreachable(
            f"{self.to.url} does not answer: {why}",
            subject=self.to.url,
            action="check the address, and that the hub runs",
            retry_after_s=0,
        )


class _Body:
    """An answer piece by piece, within bounds: a timeout of the connection alone lets a trickle go on for ever."""

    def __init__(self, to: Destination) -> None:
        self._until = time.monotonic() + to.timeout_s
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, part: bytes) -> None:
        self._parts.append(part)
        self._size += len(part)
        if self._size > _MOST_BYTES:
            raise ValueError(f"the answer has more than {_MOST_BYTES:,} bytes")
        if time.monotonic() > self._until:
            raise TimeoutError("the answer doesn't end")

    def answer(self, response: httpx.Response) -> Answer:
        return Answer(response.status_code, b"".join(self._parts), response.headers.get("Retry-After"))


class SyncShell(_Shell):
    """For one process; a child that is forked gets a connection of its own."""

    def __init__(self, to: Destination) -> None:
        super().__init__(to)
        self._client: tuple[int, httpx.Client] | None = None
        self._lock = threading.Lock()

    def run(self, talk: Talk[T]) -> T:
        self._check_open()
        try:
            step = next(talk)
            while True:
                try:
                    answer = self._do(step)
                except LineageHubError as error:
                    step = talk.throw(error)
                else:
                    step = talk.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result

    def _do(self, step: Request | Pause) -> Any:
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            return None
        self._check_open()
        body = _Body(self.to)
        try:
            with self._connected().stream(**self._arguments(step)) as response:
                for part in response.iter_bytes():
                    body.add(part)
            return body.answer(response)
        except Exception as error:
            raise self._unreachable(error) from error

    def _connected(self) -> httpx.Client:
        import httpx

        with self._lock:
            pid = os.getpid()
            if self._client is None or self._client[0] != pid:
                self._client = (pid, httpx.Client(**self._settings()))
            return self._client[1]

    def close(self) -> None:
        self._closed = True
        client, self._client = self._client, None
        if client is not None and client[0] == os.getpid():
            client[1].close()


class AsyncShell(_Shell):
    """Connections belong to a loop: who calls `asyncio.run` twice gets new ones."""

    def __init__(self, to: Destination) -> None:
        super().__init__(to)
        self._clients: dict[asyncio.AbstractEventLoop, httpx.AsyncClient] = {}

    async def run(self, talk: Talk[T]) -> T:
        self._check_open()
        try:
            step = next(talk)
            while True:
                try:
                    answer = await self._do(step)
                except LineageHubError as error:
                    step = talk.throw(error)
                else:
                    step = talk.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result

    async def _do(self, step: Request | Pause) -> Any:
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            return None
        self._check_open()
        body = _Body(self.to)
        try:
            async with self._connected().stream(**self._arguments(step)) as response:
                async for part in response.aiter_bytes():
                    body.add(part)
            return body.answer(response)
        except Exception as error:
            raise self._unreachable(error) from error

    def _connected(self) -> httpx.AsyncClient:
        import httpx

        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            # Those of loops that have ended can be used, and closed, no more.
            self._clients = {other: kept for other, kept in self._clients.items() if not other.is_closed()}
            client = self._clients[loop] = httpx.AsyncClient(**self._settings())
        return client

    async def close(self) -> None:
        self._closed = True
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()


class SyncTalker:
    """A client without `await`: works in a script, a thread, and inside a running loop, which waits for it."""

    def __init__(self, to: Destination) -> None:
        self._shell = SyncShell(to)

    @property
    def destination(self) -> Destination:
        return self._shell.to

    def close(self) -> None:
        """Once or several times."""
        self._shell.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return _shown(self, self.destination)


class AsyncTalker:
    def __init__(self, to: Destination) -> None:
        self._shell = AsyncShell(to)

    @property
    def destination(self) -> Destination:
        return self._shell.to

    async def close(self) -> None:
        """Once or several times."""
        await self._shell.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return _shown(self, self.destination)


def _shown(client: object, to: Destination) -> str:
    return f"{type(client).__name__}(base_url={to.url!r}, namespace={to.namespace!r})"
