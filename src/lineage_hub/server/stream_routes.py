"""A wish to listen enters; runs, events and changes leave as server-sent events, from now on or from an earlier id.

An id is the number of an event and the place of the message among those that the event gives, so that a client which
comes back with the last one misses nothing and gets nothing twice, also from another hub on the same database.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import StreamingResponse

from lineage_hub.errors import InvalidRequest
from lineage_hub.query.live import TOPICS, Item
from lineage_hub.server.feed import Feed
from lineage_hub.server.hub import hub_of
from lineage_hub.server.read_routes import EVENTS
from lineage_hub.server.requests import ONLY_HEAD

router = APIRouter(prefix="/api/v1")
HEARTBEAT_S = 15.0
RETRY_MS = 2_000
CHUNK_BYTES = 64 << 10
# After every message of an event.
END = len(TOPICS)
_ID = re.compile(r"([0-9]{1,18})(?:\.([0-9]))?")
DESCRIBED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Messages of the topics, until one side ends it. The data of `events` is an EventMessage, "
        "of `runs` a RunMessage, of `changes` a ChangeMessage.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


class Position(NamedTuple):
    seq: int
    part: int = END

    @property
    def all_told(self) -> int:
        """The last event of which nothing more is wanted."""
        return self.seq if self.part >= END - 1 else self.seq - 1

    def __str__(self) -> str:
        return str(self.seq) if self.part >= END else f"{self.seq}.{self.part}"


class Wanted(NamedTuple):
    topics: frozenset[str]
    namespace: str | None
    job: str | None
    dataset: str | None

    def takes(self, item: Item) -> bool:
        """Names as the event has them; with both a job and a dataset it must speak of both."""
        if self.job is None and self.dataset is None:
            return self.namespace is None or any(
                name[0] == self.namespace for names in (item.jobs, item.datasets) for name in names
            )
        return all(
            wanted is None or any(name[1] == wanted and self.namespace in (None, name[0]) for name in names)
            for wanted, names in ((self.job, item.jobs), (self.dataset, item.datasets))
        )


@router.get("/stream", summary="Listen to runs, events and changes", tags=EVENTS, responses=DESCRIBED)
async def stream(
    request: Request,
    topics: Annotated[str, Query(description="runs, events, changes; several by commas.")] = "runs,events,changes",
    namespace: Annotated[str | None, Query(description="Of the job, or of a dataset.")] = None,
    job: Annotated[str | None, Query(description="Only what speaks of a job of this name.")] = None,
    dataset: Annotated[str | None, Query(description="Only what speaks of a dataset of this name.")] = None,
    after: Annotated[str | None, Query(description="The last id that was seen; 0 for all that there is.")] = None,
    last_event_id: Annotated[str | None, Header(description="The same, as browsers send it; it counts first.")] = None,
) -> Response:
    """Server-sent events. Without an id it begins with what comes next."""
    chosen = frozenset(one for one in topics.split(",") if one)
    unknown = sorted(chosen - set(TOPICS))
    if unknown or not chosen:
        what = unknown[0] if unknown else ""
        raise InvalidRequest(f"topic {what[:40]!r} is unknown", subject="topics", action="use " + ", ".join(TOPICS))
    wanted = Wanted(chosen, namespace, job, dataset)
    position = _position(last_event_id or after)
    feed = hub_of(request.scope).feed
    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    last = await feed.last_seq()
    if request.scope.get(ONLY_HEAD):
        return Response(media_type="text/event-stream", headers=headers)
    told = messages(feed, wanted, position, last)
    return StreamingResponse(told, media_type="text/event-stream", headers=headers)


async def messages(
    feed: Feed, wanted: Wanted, position: Position | None, last: int, heartbeat_s: float = HEARTBEAT_S
) -> AsyncIterator[bytes]:
    """Until the hub stops. `last` is the number of the last event when the client came."""
    with feed.listening(last):
        greeting = b"retry: %d\n" % RETRY_MS
        if position is not None and position.seq > last:
            greeting += b'event: reset\ndata: {"reason":"no event here has that id; it goes on from the last one"}\n'
            position = None
        position = position or Position(last)
        yield greeting + b"id: %s\n\n" % str(position).encode()
        clock = asyncio.get_running_loop().time
        told_at = clock()
        while not feed.closed:
            # Before the look, so that nothing which is written meanwhile is missed.
            news = feed.news()
            part = await feed.after(position.all_told)
            for chunk in _chunks(part.items, wanted, position):
                yield chunk
                told_at = clock()
            moved = part.last_seq > position.seq
            position = max(position, Position(part.last_seq))
            if not moved:
                await asyncio.wait((news,), timeout=max(told_at + heartbeat_s - clock(), 0))
            if clock() - told_at >= heartbeat_s:
                # Also tells how far it has got, though nothing of it was wanted.
                yield b": still there\nid: %s\n\n" % str(position).encode()
                told_at = clock()


def _chunks(items: Iterable[Item], wanted: Wanted, position: Position) -> Iterator[bytes]:
    chunk = bytearray()
    for item in items:
        if not wanted.takes(item):
            continue
        for message in item.messages:
            if message.topic in wanted.topics and (item.seq, message.part) > position:
                head = b"event: %s\nid: %d.%d\ndata: " % (message.topic.encode(), item.seq, message.part)
                chunk += head + message.data + b"\n\n"
        if len(chunk) > CHUNK_BYTES:
            yield bytes(chunk)
            chunk.clear()
    if chunk:
        yield bytes(chunk)


def _position(text: str | None) -> Position | None:
    if text is None:
        return None
    match = _ID.fullmatch(text.strip())
    if match is None:
        raise InvalidRequest(
            f"{text[:40]!r} is not the id of a message", subject="Last-Event-ID", action="send one as it was received"
        )
    return Position(int(match[1]), END if match[2] is None else int(match[2]))
