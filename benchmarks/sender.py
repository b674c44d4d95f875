"""Ready-made HTTP requests enter. They go out over kept-alive connections; statuses and latencies leave."""

import argparse
import asyncio
import gzip
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import quote, urlencode

from benchmarks.generator import EventStream, in_batches
from benchmarks.landscape import layered_landscape

JSON = "application/json"
NDJSON = "application/x-ndjson"
# A request that takes longer has hung: far above any bound that is measured here.
PATIENCE_S = 300.0


def post(path: str, body: bytes, content_type: str = JSON) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: hub\r\nContent-Type: {content_type}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def get(path: str, **parameters: str | int) -> bytes:
    query = f"?{urlencode(parameters, quote_via=quote)}" if parameters else ""
    return f"GET {path}{query} HTTP/1.1\r\nHost: hub\r\nAccept: {JSON}\r\n\r\n".encode()


def post_events(events: Iterable[bytes]) -> Iterator[bytes]:
    return (post("/api/v1/lineage", event) for event in events)


def post_batches(events: Iterable[bytes], size: int = 500, *, ndjson: bool = False) -> Iterator[bytes]:
    bodies = in_batches(iter(events), size, ndjson=ndjson)
    return (post("/api/v1/lineage/batch", body, NDJSON if ndjson else JSON) for body in bodies)


class UnexpectedAnswerError(Exception):
    """The server answered with a status that the sender did not ask for, or not at all."""


@dataclass
class Sending:
    """What came back."""

    statuses: Counter[int] = field(default_factory=Counter)
    latencies_s: list[float] = field(default_factory=list)
    received_bytes: int = 0
    wall_s: float = 0.0
    findings: list[int] = field(default_factory=list)
    bad_status: int | None = None
    bad_answer: bytes = b""

    @property
    def requests(self) -> int:
        return len(self.latencies_s)

    @property
    def requests_per_s(self) -> float:
        return self.requests / self.wall_s if self.wall_s else 0.0

    def percentile_ms(self, share: float) -> float:
        ordered = sorted(self.latencies_s)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0

    def summary(self) -> dict[str, float | int | dict[str, int]]:
        return {
            "requests": self.requests,
            "requests_per_s": round(self.requests_per_s, 1),
            "p50_ms": round(self.percentile_ms(0.50), 2),
            "p99_ms": round(self.percentile_ms(0.99), 2),
            "max_ms": round(self.percentile_ms(1.0), 2),
            "received_bytes": self.received_bytes,
            "statuses": {str(status): count for status, count in sorted(self.statuses.items())},
        }


@dataclass
class _Errand:
    requests: Iterator[bytes]
    expect: frozenset[int]
    examine: Callable[[bytes], int] | None
    done: Sending = field(default_factory=Sending)
    failed: Exception | None = None

    def settle(self, status: int, body: bytes, size: int, took_s: float) -> None:
        self.done.statuses[status] += 1
        self.done.latencies_s.append(took_s)
        self.done.received_bytes += size
        if status not in self.expect and self.done.bad_status is None:
            self.done.bad_status, self.done.bad_answer = status, body[:500]
        elif self.examine is not None:
            self.done.findings.append(self.examine(body))


class _Connection(asyncio.Protocol):
    """Sends the next request as soon as the last one is answered."""

    def __init__(self, errand: _Errand, finished: "asyncio.Future[None]") -> None:
        self._errand = errand
        self._finished = finished
        self._transport: asyncio.Transport | None = None
        self._sent_at = 0.0
        self._reset()

    def _reset(self) -> None:
        self._head = bytearray()
        self._body: list[bytes] = []
        self._size = 0
        self._status = 0
        self._expected: int | None = None  # None before the head is read and while a chunked body comes
        self._chunked = self._closing = self._gzipped = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._send_next()

    def _send_next(self) -> None:
        assert self._transport is not None
        request = next(self._errand.requests, None)
        if request is None or self._errand.failed is not None:
            self._finish()
            return
        self._reset()
        self._sent_at = time.perf_counter()
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        if not self._status:
            self._head += data
            end = self._head.find(b"\r\n\r\n")
            if end < 0:
                return
            self._read_head(bytes(self._head[:end]).lower())
            data = bytes(self._head[end + 4 :])
        if data:
            self._body.append(data)
            self._size += len(data)
        if (self._chunked and data.endswith(b"0\r\n\r\n")) or (not self._chunked and self._size == self._expected):
            self._answered()

    def _read_head(self, head: bytes) -> None:
        self._status = int(head[9:12])
        fields = dict(line.split(b":", 1) for line in head.split(b"\r\n")[1:])
        self._chunked = b"chunked" in fields.get(b"transfer-encoding", b"")
        self._gzipped = b"gzip" in fields.get(b"content-encoding", b"")
        self._closing = b"close" in fields.get(b"connection", b"")
        self._expected = None if self._chunked else int(fields.get(b"content-length", b"0"))

    def _answered(self) -> None:
        took_s = time.perf_counter() - self._sent_at
        body = b""
        if self._errand.examine is not None or self._status not in self._errand.expect:
            body = b"".join(self._body)
            body = _unchunk(body) if self._chunked else body
            body = gzip.decompress(body) if self._gzipped else body
        self._errand.settle(self._status, body, self._size, took_s)
        if self._closing:
            self._finish(UnexpectedAnswerError("the server closed a connection that was to be kept alive"))
        else:
            self._send_next()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._finished.done():
            self._finish(UnexpectedAnswerError(f"connection lost before an answer came: {exc or 'closed'}"))

    def _finish(self, failure: Exception | None = None) -> None:
        self._errand.failed = self._errand.failed or failure
        if not self._finished.done():
            self._finished.set_result(None)
        if self._transport is not None:
            self._transport.close()


def _unchunk(body: bytes) -> bytes:
    parts, at = [], 0
    while (end := body.find(b"\r\n", at)) >= 0:
        size = int(body[at:end].split(b";")[0], 16)
        if size == 0:
            break
        parts.append(body[end + 2 : end + 2 + size])
        at = end + 4 + size
    return b"".join(parts)


async def _send_all(host: str, port: int, connections: int, errand: _Errand) -> None:
    loop = asyncio.get_running_loop()
    ends = [loop.create_future() for _ in range(connections)]
    started_at = time.perf_counter()
    for end in ends:
        await loop.create_connection(lambda end=end: _Connection(errand, end), host, port)  # type: ignore[misc]
    while True:
        seen = errand.done.requests
        _, waiting = await asyncio.wait(ends, timeout=PATIENCE_S)
        if not waiting:
            break
        if errand.done.requests == seen:
            raise UnexpectedAnswerError(f"no answer for {PATIENCE_S:.0f} s, {seen} came before")
    errand.done.wall_s = time.perf_counter() - started_at


def send(
    port: int,
    requests: Iterable[bytes],
    *,
    connections: int = 1,
    expect: Iterable[int] = (200, 201, 204),
    examine: Callable[[bytes], int] | None = None,
    host: str = "127.0.0.1",
) -> Sending:
    """Send all requests; `examine` turns each body into a number, after its clock has stopped."""
    errand = _Errand(iter(requests), frozenset(expect), examine)
    asyncio.run(_send_all(host, port, connections, errand))
    if errand.failed is not None:
        raise errand.failed
    if errand.done.bad_status is not None:
        counts = dict(errand.done.statuses)
        answer = errand.done.bad_answer.decode(errors="replace")
        first = f"the first unexpected is {errand.done.bad_status}: {answer}"
        raise UnexpectedAnswerError(f"statuses {counts}; {first}")
    return errand.done


def main() -> None:
    parser = argparse.ArgumentParser(description="Send generated events to a server that already runs.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--batch", type=int, default=0, help="events a request; 0 sends them one by one")
    parser.add_argument("--jobs", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=1, help="runs a job")
    wanted = parser.parse_args()
    events = list(EventStream(layered_landscape(wanted.jobs), runs_per_job=wanted.runs))
    requests = list(post_batches(events, wanted.batch) if wanted.batch else post_events(events))
    print(send(wanted.port, requests, connections=wanted.connections, host=wanted.host).summary())


if __name__ == "__main__":
    main()
