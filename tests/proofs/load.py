"""Requests enter; they go out over many connections at once until the hub is gone or they are all answered.

What was acked, what was refused and what was in flight when the hub went leave, each counted at the sender.
"""

import asyncio
import json
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

from benchmarks.generator import EventStream
from benchmarks.landscape import layered_landscape
from lineage_hub.sample import shop_week

WEEK_ENDS_AT = datetime(2026, 11, 15, 12, tzinfo=UTC)
PATIENCE_S = 120.0


@dataclass(frozen=True, eq=False)
class Post:
    """A request, and the events in it as they were written."""

    path: str
    body: bytes
    events: tuple[bytes, ...]
    name: str = ""

    def text(self) -> bytes:
        named = f"X-Request-Id: {self.name}\r\n" if self.name else ""
        head = f"POST {self.path} HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\n{named}"
        return f"{head}Content-Length: {len(self.body)}\r\n\r\n".encode() + self.body


def mixed_events(seed: int) -> Iterator[bytes]:
    """Without end: runs of a generated landscape, between them weeks with failures, drops, renames and symlinks."""
    rng = random.Random(f"mixed {seed}")
    stream = EventStream(layered_landscape(40, seed), seed, drift=0.3, runs_per_job=10_000).events()
    for week in range(1_000_000):
        for event in shop_week(seed + week, WEEK_ENDS_AT).events:
            yield json.dumps(event).encode()
            yield from islice(stream, rng.choice((0, 2, 4)))


def one_by_one(events: Iterable[bytes]) -> Iterator[Post]:
    for number, event in enumerate(events):
        yield Post("/api/v1/lineage", event, (event,), f"one-{number}")


def in_batches(events: Iterable[bytes], size: int) -> Iterator[Post]:
    events, number = iter(events), 0
    while batch := tuple(islice(events, size)):
        yield Post("/api/v1/lineage/batch", b"[" + b",".join(batch) + b"]", batch, f"batch-{number}")
        number += 1


class Load:
    """Each connection sends its next request as soon as the last one is answered."""

    def __init__(self, port: int, posts: Iterable[Post], connections: int) -> None:
        self._port, self._posts, self._connections = port, iter(posts), connections
        self.acked: list[Post] = []
        self.refused: list[tuple[Post, int, bytes]] = []
        self.lost: list[Post] = []
        self.not_connected = 0
        self.sent = 0
        self._changed = threading.Condition()
        self._stopping = False
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="load")

    @property
    def answered(self) -> int:
        return len(self.acked) + len(self.refused)

    @property
    def in_flight(self) -> int:
        return self.sent - self.answered - len(self.lost)

    @property
    def statuses(self) -> Counter[int]:
        return Counter(status for _, status, _ in self.refused)

    def acked_events(self) -> set[bytes]:
        return {event for post in self.acked for event in post.events}

    def sent_events(self) -> set[bytes]:
        every = [*self.acked, *(post for post, _, _ in self.refused), *self.lost]
        return {event for post in every for event in post.events}

    def __enter__(self) -> "Load":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()

    def wait_for(self, condition: Callable[["Load"], bool]) -> None:
        with self._changed:
            met = self._changed.wait_for(lambda: condition(self) or not self._thread.is_alive(), PATIENCE_S)
        assert met and condition(self), (  # noqa: PT018
            f"sent {self.sent}, acked {len(self.acked)}, refused {dict(self.statuses)}, lost {len(self.lost)}, "
            f"failure {self._failure!r}"
        )

    def stop(self) -> None:
        """No further requests; those in flight are awaited by `finish`."""
        self._stopping = True

    def finish(self) -> None:
        """Wait until every request is answered or its connection is gone."""
        self._stopping = True
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive(), f"{self.in_flight} requests hang"
        if self._failure is not None:
            raise self._failure

    def next_post(self) -> Post | None:
        post = None if self._stopping else next(self._posts, None)
        if post is not None:
            self._note(lambda: setattr(self, "sent", self.sent + 1))
        return post

    def answer(self, post: Post, status: int, body: bytes) -> None:
        if 200 <= status < 300:
            self._note(lambda: self.acked.append(post))
        else:
            self._note(lambda: self.refused.append((post, status, body)))

    def lose(self, post: Post) -> None:
        self._note(lambda: self.lost.append(post))

    def _note(self, change: Callable[[], None]) -> None:
        with self._changed:
            change()
            self._changed.notify_all()

    def _run(self) -> None:
        try:
            asyncio.run(self._send())
        except BaseException as failure:
            self._failure = failure
        finally:
            self._note(lambda: None)

    async def _send(self) -> None:
        loop = asyncio.get_running_loop()
        ends: list[asyncio.Future[None]] = []
        for _ in range(self._connections):
            end: asyncio.Future[None] = loop.create_future()
            try:
                await loop.create_connection(lambda end=end: _Connection(self, end), "127.0.0.1", self._port)  # type: ignore[misc]
            except OSError:
                self.not_connected += 1
            else:
                ends.append(end)
        if ends:
            await asyncio.wait(ends)


class _Connection(asyncio.Protocol):
    def __init__(self, load: Load, end: "asyncio.Future[None]") -> None:
        self._load, self._end = load, end
        self._transport: asyncio.Transport | None = None
        self._post: Post | None = None
        self._got = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._send_next()

    def _send_next(self) -> None:
        assert self._transport is not None
        self._post, self._got = self._load.next_post(), b""
        if self._post is None:
            self._transport.close()
        else:
            self._transport.write(self._post.text())

    def data_received(self, data: bytes) -> None:
        self._got += data
        head, found, body = self._got.partition(b"\r\n\r\n")
        if not found or self._post is None:
            return
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        if len(body) < int(fields.get(b"content-length", b"0")):
            return
        post, self._post = self._post, None
        self._load.answer(post, int(head[9:12]), body)
        if fields.get(b"connection") == b"close":
            assert self._transport is not None
            self._transport.close()
        else:
            self._send_next()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._post is not None:
            self._load.lose(self._post)
        self._end.set_result(None)
