"""The load sender against a small server that reads requests and answers as it is told."""

import asyncio
import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from benchmarks.generator import EventStream
from benchmarks.landscape import layered_landscape
from benchmarks.sender import UnexpectedAnswerError, get, post, post_batches, post_events, send


class Listener:
    """Keeps every request and answers each with the next of its answers, the last one for ever."""

    def __init__(self, *answers: bytes) -> None:
        self.answers = answers
        self.seen: list[tuple[str, bytes]] = []
        self.connections = 0
        self.port = 0

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                lengths = [line.split(":")[1] for line in head.split("\r\n") if line.startswith("Content-Length")]
                body = await reader.readexactly(int(lengths[0])) if lengths else b""
                answer = self.answers[min(len(self.seen), len(self.answers) - 1)]
                self.seen.append((head.split("\r\n")[0], body))
                if not answer:
                    break
                # In two pieces, so that the reader has to wait for the second.
                writer.write(answer[:20])
                await writer.drain()
                writer.write(answer[20:])
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()


@contextmanager
def listening(*answers: bytes) -> Iterator[Listener]:
    listener = Listener(*answers)
    loop = asyncio.new_event_loop()
    ready = threading.Event()
    stop: asyncio.Future[None] = loop.create_future()

    async def serve() -> None:
        server = await asyncio.start_server(listener.converse, "127.0.0.1", 0)
        listener.port = server.sockets[0].getsockname()[1]
        ready.set()
        async with server:
            await stop
        await asyncio.sleep(0.05)  # the conversations see their peer leave

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    ready.wait(5)
    try:
        yield listener
    finally:
        loop.call_soon_threadsafe(stop.set_result, None)
        thread.join(5)
        loop.close()


CREATED = b"HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n"


def test_every_event_is_sent_once_over_connections_that_stay_open() -> None:
    events = list(EventStream(layered_landscape(jobs=20), runs_per_job=5))
    with listening(CREATED) as listener:
        done = send(listener.port, post_events(events), connections=8)
    assert done.statuses == {201: 200}
    assert listener.connections == 8
    assert sorted(body for _, body in listener.seen) == sorted(events)
    assert 0 < done.percentile_ms(0.5) <= done.percentile_ms(0.99) <= done.percentile_ms(1.0)


@pytest.mark.parametrize("ndjson", [False, True])
def test_batches_hold_all_events_in_order(ndjson: bool) -> None:
    events = list(EventStream(layered_landscape(jobs=20)))
    with listening(b"HTTP/1.1 204 No Content\r\n\r\n") as listener:
        send(listener.port, post_batches(events, 16, ndjson=ndjson))
    bodies = [body for _, body in listener.seen]
    read = [json.loads(b"[" + b.replace(b"\n", b",") + b"]") if ndjson else json.loads(b) for b in bodies]
    assert [len(batch) for batch in read] == [16, 16, 8]
    assert [event for batch in read for event in batch] == [json.loads(event) for event in events]


def test_answers_are_read_whole_however_they_are_framed() -> None:
    body = json.dumps({"graph": [1, 2, 3]}).encode()
    zipped = gzip.compress(body)
    plain = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
    packed = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b" % (
        len(zipped),
        zipped,
    )
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n%b\r\n%x\r\n%b\r\n0\r\n\r\n"
    chunked %= (body[:5], len(body) - 5, body[5:])
    with listening(plain, packed, chunked) as listener:
        requests = [get("/api/v1/lineage", nodeId="dataset:s3://a b:c", depth=5)] * 3
        done = send(listener.port, requests, examine=lambda answer: len(json.loads(answer)["graph"]))
    assert done.findings == [3, 3, 3]
    assert listener.seen[0][0] == "GET /api/v1/lineage?nodeId=dataset%3As3%3A%2F%2Fa%20b%3Ac&depth=5 HTTP/1.1"


def test_an_unexpected_status_is_an_error_that_shows_the_answer() -> None:
    refused = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 9\r\n\r\nno run id"
    with (
        listening(CREATED, refused, CREATED) as listener,
        pytest.raises(UnexpectedAnswerError, match="no run id"),
    ):
        send(listener.port, [post("/api/v1/lineage", b"{}")] * 3)


def test_a_server_that_hangs_up_is_an_error() -> None:
    with listening(CREATED, b"") as listener, pytest.raises(UnexpectedAnswerError, match="before an answer"):
        send(listener.port, [post("/api/v1/lineage", b"{}")] * 3)
