"""The store enters; whoever listens gets what is written from then on, or from where it was left, in pages.

One task reads what is new for all who listen. Nobody has a queue: a listener keeps a number, and one that falls behind
what is held here reads from the store at its own pace, so slow ones cost no memory.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool

from lineage_hub.errors import LineageHubError, Overloaded
from lineage_hub.logs import get_logger
from lineage_hub.model import EVERYTHING
from lineage_hub.query.live import Item, Live, Page
from lineage_hub.store.open import LineageStore
from lineage_hub.store.written import last_seq

PAGE_EVENTS = 200
MOST_HELD, MOST_HELD_BYTES = 5_000, 8 << 20
MOST_LISTENERS = 1_000
# What this hub writes wakes the task at once; what another one writes is looked for this often.
LOOK_EVERY_S, LONGEST_PAUSE_S = 0.5, 10.0
_log = get_logger("server")


class Part(NamedTuple):
    """All that was written after the number asked for, up to `last_seq`."""

    items: list[Item]
    last_seq: int


class Feed:
    def __init__(self, store: LineageStore) -> None:
        self._store = store
        self._live, self._live_behind = Live(store), Live(store)
        self._held: deque[Item] = deque()
        self._held_bytes = 0
        # What is held is all that has a number above `_from`, up to `_last`.
        self._from = self._last = 0
        # The task reads on as long as this is its own number; it is never cut off, since a thread may read for it.
        self._reading = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._written = asyncio.Event()
        self._news: asyncio.Future[None] | None = None
        # Those who read from the store take turns: they must not take all its connections.
        self._behind = asyncio.Lock()
        self.listeners = 0
        self.closed = False

    async def last_seq(self) -> int:
        """The number of the last event, for one who wants to listen from there on; refused if there is no room."""
        if self.closed or self.listeners >= MOST_LISTENERS:
            why = "the hub is stopping" if self.closed else f"{MOST_LISTENERS} clients listen already"
            raise Overloaded(why, subject="stream", action="connect again after a pause")
        return await run_in_threadpool(self._last_seq)

    @contextlib.contextmanager
    def listening(self, last: int) -> Iterator[None]:
        """`last` is a number from which on somebody will read."""
        self.listeners += 1
        try:
            if self.listeners == 1 and not self.closed:
                self._begin(last)
            yield
        finally:
            self.listeners -= 1
            if not self.listeners:
                self._end()

    def news(self) -> asyncio.Future[None]:
        """Done when there is more than at this moment: take it first, then look, then wait, and nothing is missed."""
        if self._news is None or self._news.done():
            self._news = asyncio.get_running_loop().create_future()
            if self.closed:
                self._news.set_result(None)
        return self._news

    async def after(self, seq: int) -> Part:
        if seq >= self._from:
            back = 0
            for item in reversed(self._held):
                if item.seq <= seq:
                    break
                back += 1
            return Part(list(islice(self._held, len(self._held) - back, None)), max(self._last, seq))
        async with self._behind:
            page = await run_in_threadpool(self._live_behind.page, EVERYTHING, seq, PAGE_EVENTS)
        return Part(page.items, page.last_seq)

    def close(self) -> None:
        """All who listen come to their end."""
        self.closed = True
        self._tell()
        self._end()

    async def stop(self) -> None:
        """The same; when it returns, nothing is read from the store any more."""
        self.close()
        await asyncio.gather(*self._tasks)

    def _begin(self, last: int) -> None:
        self._from = self._last = last
        # The task before may still be at its last page, in a thread.
        self._live = Live(self._store)
        self._loop = asyncio.get_running_loop()
        self._store.changes.listeners.append(self._wake)
        task = asyncio.create_task(self._follow(self._reading), name="feed")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _end(self) -> None:
        self._reading += 1
        self._written.set()
        with contextlib.suppress(ValueError):
            self._store.changes.listeners.remove(self._wake)
        self._held.clear()
        self._held_bytes = 0

    def _wake(self) -> None:
        """In whichever thread has written."""
        with contextlib.suppress(RuntimeError):  # the loop may be gone after a hard stop
            self._loop.call_soon_threadsafe(self._written.set)

    async def _follow(self, number: int) -> None:
        pause_s, live = LOOK_EVERY_S, self._live
        while self._reading == number:
            # Before the look: what is written while it lasts wakes the next one.
            self._written.clear()
            try:
                page = await run_in_threadpool(live.page, EVERYTHING, self._last, PAGE_EVENTS)
            except LineageHubError as error:
                pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
                _log.warning("stream_waits_for_the_store", reason=error.message)
            except Exception:  # a defect here must not end it for all
                pause_s = LONGEST_PAUSE_S
                _log.exception("stream_waits_for_the_store")
            else:
                pause_s = LOOK_EVERY_S
                if self._reading != number:
                    break
                self._hold(page)
                if page.more:
                    continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await self._written.wait()

    def _hold(self, page: Page) -> None:
        if page.last_seq == self._last:
            return
        for item in page.items:
            self._held.append(item)
            self._held_bytes += item.size
        self._last = page.last_seq
        while self._held and (len(self._held) > MOST_HELD or self._held_bytes > MOST_HELD_BYTES):
            oldest = self._held.popleft()
            self._held_bytes -= oldest.size
            self._from = oldest.seq
        self._tell()

    def _tell(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)

    def _last_seq(self) -> int:
        with self._store.reading() as connection:
            return last_seq(connection, EVERYTHING)
