"""A path of a workspace's API enters; its JSON leaves, or an error that says what to do.

Requests are awaited, and go out in as many threads as may be under way at a time: httpx's client for threads takes a
third of the CPU that its async one does (1,000 exports: 0.8 s and 3.0 s). What is busy, slow or away is asked again,
later each time and never sooner than it asks for; while one waits because there are too many, the others do as well.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import msgspec

from lineage_hub import __version__
from lineage_hub.connectors.databricks.config import checked_address, checked_token
from lineage_hub.errors import (
    InvalidSetting,
    LineageHubError,
    NotFound,
    Overloaded,
    Refusal,
    SourceUnreadable,
    Transient,
    Unreachable,
)
from lineage_hub.sdk.conversation import retry_after_s
from lineage_hub.transports.patience import Patience

if TYPE_CHECKING:
    import httpx

Json = dict[str, Any]
_WORTH_ANOTHER_TRY = frozenset({408, 425, 429})
_MOST_OF_A_REASON = 300
_LONGEST_WAIT_S = 60.0
# The largest answers are exports, which a workspace ends at 10 MB.
_MOST_BYTES = 64 * 1024 * 1024
# What a token needs for each part of the API, by the beginning of its path.
_PERMISSIONS = (
    ("/api/2.0/pipelines", "CAN VIEW on the pipeline"),
    ("/api/2.1/jobs", "CAN VIEW on the job"),
    ("/api/2.2/jobs", "CAN VIEW on the job"),
    ("/api/2.0/workspace", "CAN READ on the notebook, file or folder"),
    ("/api/2.0/repos", "CAN READ on the Git folder"),
    ("/api/2.0/sql/queries", "CAN VIEW on the query"),
    ("/api/2.1/clusters", "CAN ATTACH TO on the cluster"),
    ("/api/2.1/unity-catalog", "BROWSE on the catalog, or USE CATALOG, USE SCHEMA and SELECT on the table"),
)


@dataclass(frozen=True)
class _Answer:
    status: int
    headers: Mapping[str, str]
    content: bytes


class Connection:
    """Of one workspace, for one event loop. Use it in an `async with` statement."""

    def __init__(
        self,
        host: str,
        token: str,
        *,
        concurrency: int = 16,
        timeout_s: float = 30.0,
        attempts: int = 6,
        first_wait_s: float = 0.5,
    ) -> None:
        import httpx

        if not host:
            raise InvalidSetting(
                "there is no workspace to ask", subject="workspace", action="give --workspace, or set DATABRICKS_HOST"
            )
        token = checked_token(token)
        if not token:
            raise InvalidSetting(
                f"there is no token for {host}", subject="token", action="set DATABRICKS_TOKEN, or give one in the file"
            )
        self.host = checked_address(host)
        self._token = token
        self._attempts, self._timeout_s, self._first_wait_s = attempts, timeout_s, first_wait_s
        self._slots = asyncio.Semaphore(concurrency)
        self._not_before = 0.0
        self.requests = 0
        # As many connections as requests: a pool that is larger keeps sockets of a workspace that counts them.
        limits = httpx.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
        headers = {"Authorization": f"Bearer {token}", "User-Agent": f"lineage-hub/{__version__}"}
        self._client = httpx.Client(headers=headers, timeout=timeout_s, limits=limits)
        self._threads = ThreadPoolExecutor(concurrency, thread_name_prefix="databricks")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(None, self._close)

    def _close(self) -> None:
        self._threads.shutdown(cancel_futures=True)
        self._client.close()

    async def get(self, path: str, params: Mapping[str, str | int] | None = None) -> Json:
        answer = await self._asked(path, params)
        try:
            found = msgspec.json.decode(answer.content)
        except (msgspec.DecodeError, UnicodeDecodeError):
            found = None
        if not isinstance(found, dict):
            raise InvalidSetting(
                f"what answers at {self.host}{path} is no Databricks workspace",
                subject="workspace",
                action="check the address, and that no proxy or login page answers in its place",
            )
        return found

    async def get_bytes(self, path: str, params: Mapping[str, str | int] | None = None) -> bytes:
        return (await self._asked(path, params)).content

    async def pages(
        self, path: str, key: str, params: Mapping[str, str | int], alone: tuple[str, ...]
    ) -> AsyncIterator[Json]:
        """Every item under `key`, page by page. Only the parameters of `alone` go with a token of the next page."""
        asked: dict[str, str | int] = dict(params)
        seen: set[str] = set()
        while True:
            page = await self.get(path, asked)
            for one in objects_of(page, key):
                yield one
            token = str(page.get("next_page_token") or "")
            if not token:
                return
            if token in seen:
                raise SourceUnreadable(f"{path} gives the same page again and again", subject=path, action="try later")
            seen.add(token)
            asked = {name: value for name, value in params.items() if name in alone} | {"page_token": token}

    async def _asked(self, path: str, params: Mapping[str, str | int] | None) -> _Answer:
        patience = Patience(first_s=self._first_wait_s, longest_s=_LONGEST_WAIT_S, open_after=self._attempts + 1)
        while True:
            try:
                async with self._slots:
                    await self._wait_for_the_others()
                    loop = asyncio.get_running_loop()
                    return await loop.run_in_executor(self._threads, self._once, path, params)
            except Transient as error:
                wait_s = patience.failed(error.retry_after_s)
                # Whoever asks for more patience than this is not asked again too early: the report tells of it.
                if patience.failures >= self._attempts or error.retry_after_s > _LONGEST_WAIT_S:
                    raise
                if isinstance(error, Overloaded) and error.retry_after_s:
                    self._not_before = max(self._not_before, time.monotonic() + min(wait_s, _LONGEST_WAIT_S))
            await asyncio.sleep(wait_s)

    async def _wait_for_the_others(self) -> None:
        # Whoever is told to wait longer meanwhile says so to those who come after.
        if (rest := self._not_before - time.monotonic()) > 0:
            await asyncio.sleep(rest)

    def _once(self, path: str, params: Mapping[str, str | int] | None) -> _Answer:
        import httpx

        self.requests += 1
        try:
            with self._client.stream("GET", self.host + path, params=dict(params or {})) as found:
                answer = _Answer(found.status_code, found.headers, self._content(found, path))
        except httpx.TimeoutException:
            raise self._late(path) from None
        except (httpx.TransportError, httpx.DecodingError, httpx.InvalidURL) as error:
            raise Unreachable(
                f"{self.host} does not answer: {type(error).__name__}: {error}",
                subject=self.host,
                action="check the address of the workspace, and the network",
                retry_after_s=0,
            ) from None
        if 200 <= answer.status < 300:
            return answer
        raise self._error_of(answer, path, params or {})

    def _content(self, answer: httpx.Response, path: str) -> bytes:
        """httpx bounds the wait for each piece: one that comes in drops would take forever."""
        until = time.monotonic() + self._timeout_s
        pieces, size = [], 0
        for piece in answer.iter_bytes():
            pieces.append(piece)
            size += len(piece)
            if size > _MOST_BYTES:
                raise SourceUnreadable(
                    f"the answer of {self.host}{path} is larger than {_MOST_BYTES:,} bytes",
                    subject=path,
                    action="see what is there",
                )
            if time.monotonic() > until:
                raise self._late(path)
        return b"".join(pieces)

    def _late(self, path: str) -> Unreachable:
        return Unreachable(
            f"{self.host}{path} did not answer within {self._timeout_s:g} s",
            subject=path,
            action="try again, or give it more time with timeout_s",
            retry_after_s=0,
        )

    def _error_of(self, answer: _Answer, path: str, params: Mapping[str, str | int]) -> LineageHubError:
        code, said = _reason(answer)
        subject = str(params.get("path") or path)
        # Whatever answers may repeat what it was asked with.
        said = said.replace(self._token, "…")
        status = answer.status
        message = f"{self.host} answered {status} for {subject}: {said}"
        if (
            status in _WORTH_ANOTHER_TRY
            or status >= 500
            or code in ("REQUEST_LIMIT_EXCEEDED", "TEMPORARILY_UNAVAILABLE")
        ):
            wait_s = retry_after_s(answer.headers.get("Retry-After"))
            return Overloaded(message, subject=subject, action="try again later", retry_after_s=wait_s)
        if status == 404 or code in ("RESOURCE_DOES_NOT_EXIST", "TABLE_DOES_NOT_EXIST"):
            return NotFound(
                message, subject=subject, action="check that it is still there, and that the token may see it"
            )
        if status == 401:
            action = "the token is wrong, expired or of another workspace: set DATABRICKS_TOKEN to a valid one"
        elif status == 403 or code == "PERMISSION_DENIED":
            needed = next(
                (one for begin, one in _PERMISSIONS if path.startswith(begin)), "the permission that it names"
            )
            action = f"give the token's user or service principal {needed}"
        elif 300 <= status < 400:
            action = "check the address of the workspace: it leads elsewhere"
        else:
            action = "see what the workspace says of it"
        return Refusal(message, answered=status, subject=subject, action=action)


def objects_of(answer: Json, key: str) -> list[Json]:
    """What is in a list of an answer; anything else than objects is passed over."""
    found = answer.get(key)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _reason(answer: _Answer) -> tuple[str, str]:
    """The workspace's own code and words; a proxy's page is cut short."""
    try:
        found = msgspec.json.decode(answer.content)
    except (msgspec.DecodeError, UnicodeDecodeError):
        found = None
    if isinstance(found, dict):
        return str(found.get("error_code") or ""), str(found.get("message") or found.get("error_code") or "")[:500]
    return "", answer.content[:_MOST_OF_A_REASON].decode(errors="replace")
