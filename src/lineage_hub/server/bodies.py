"""A request as it arrives enters; its body leaves, decompressed, whole and within the limit.

What can't be read leaves as a `RefusedBody`, which carries the beginning of the body for the dead letters.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator

import zstandard
from starlette.types import Message, Receive, Scope

from lineage_hub.errors import BodyTooLarge, InvalidRequest, LineageHubError, UnsupportedEncoding

ENCODINGS = ("gzip", "deflate", "zstd", "identity")
MAX_STACKED = 3
_PIECE = 64 << 10
# A block of zstd holds up to 128 KB and may take four bytes, so the input of one call bounds its output.
_ZSTD_PIECE = 1 << 10
# What RFC 9659 lets a sender assume; larger windows would cost their size in memory for each request.
_ZSTD_WINDOW = 8 << 20
# Below this a body is inflated at once: a thread costs more than the work.
_INFLATE_HERE = 16 << 10
# A sender that pauses for longer than this in the middle of a body has gone away or means harm.
_PAUSE_S = 60.0

Inflate = Callable[[bytes], Iterable[bytes]]
Pieces = Generator[bytes, None, bytes]


class RefusedBody(Exception):
    """`kept` is the beginning of the body, `size` as much as was seen of it."""

    def __init__(self, error: LineageHubError, kept: bytes, size: int) -> None:
        super().__init__(error.message)
        self.error, self.kept, self.size = error, kept, size


class ClientGone(Exception):
    """The sender hung up before its body was complete; nobody is left to answer."""


async def read_body(scope: Scope, receive: Receive, *, limit: int, keep: int) -> bytes:
    """The whole body, at most `limit` bytes as sent and at most that many after decompression."""
    encoding = b""
    for name, value in scope["headers"]:
        if name == b"content-encoding":
            encoding = encoding + b"," + value if encoding else value
    message = await receive()
    # One event nearly always comes in one piece and plain: nothing more is done to it.
    if message["type"] == "http.request" and not message.get("more_body"):
        body: bytes = message["body"]
        if len(body) > limit:
            raise _too_large(body, limit, keep)
    else:
        body = await _gather(message, receive, limit, keep)
    if not encoding or not body:
        return body
    return await _decode(body, encoding.decode("latin-1"), limit, keep)


async def _gather(message: Message, receive: Receive, limit: int, keep: int) -> bytes:
    pieces: list[bytes] = []
    size = 0
    over = False
    while True:
        if message["type"] == "http.disconnect":
            raise ClientGone
        piece: bytes = message.get("body", b"")
        size += len(piece)
        if size <= limit:
            pieces.append(piece)
        elif not over:
            over = True
            pieces = [b"".join([*pieces, piece])[:keep]]
        # An answer before the end of the body reaches few clients, so some more is read and thrown away.
        if not message.get("more_body") or size > 2 * limit:
            break
        try:
            async with asyncio.timeout(_PAUSE_S):
                message = await receive()
        except TimeoutError:
            stalled = InvalidRequest("the rest of the body did not arrive", subject="body", action="send it again")
            raise RefusedBody(stalled, b"".join(pieces)[:keep], size) from None
    body = b"".join(pieces)
    if over:
        raise _too_large(body, limit, keep, size)
    return body


async def _decode(body: bytes, encoding: str, limit: int, keep: int) -> bytes:
    names = [name for part in encoding.split(",") if (name := part.strip().lower())]
    for name in names:
        if name not in _INFLATE and name != "identity":
            error = UnsupportedEncoding(
                f"the content encoding {name[:40]!r} is not read",
                subject="content-encoding",
                action="use one of " + ", ".join(ENCODINGS),
            )
            raise RefusedBody(error, body[:keep], len(body))
    # The last encoding named was applied last.
    steps = [_INFLATE[name] for name in reversed(names) if name != "identity"]
    if len(steps) > MAX_STACKED:
        error = UnsupportedEncoding(
            f"more than {MAX_STACKED} content encodings are stacked",
            subject="content-encoding",
            action="compress the body once",
        )
        raise RefusedBody(error, body[:keep], len(body))
    for step in steps:
        if len(body) <= _INFLATE_HERE:
            body = inflate(body, step, limit, keep)
        else:
            body = await asyncio.to_thread(inflate, body, step, limit, keep)
    return body


def inflate(body: bytes, step: Inflate, limit: int, keep: int) -> bytes:
    """One encoding taken off, stopping at the limit however much more there would be."""
    pieces: list[bytes] = []
    size = 0
    try:
        for piece in step(body):
            size += len(piece)
            pieces.append(piece)
            if size > limit:
                kept = b"".join(pieces)[:keep]
                del pieces
                raise _too_large(kept, limit, keep, size)
    except (zlib.error, zstandard.ZstdError, EOFError) as error:
        refusal = InvalidRequest(
            f"the body can't be decompressed: {error}",
            subject="content-encoding",
            action="send the body whole, in the encoding that its header names",
        )
        raise RefusedBody(refusal, body[:keep], len(body)) from None
    return b"".join(pieces)


def _gunzip(body: bytes) -> Iterator[bytes]:
    rest = body
    while rest:
        rest = yield from _inflate_member(rest, 16 + zlib.MAX_WBITS)
        # Members follow one another; writers that fill whole blocks pad the last one with zeros.
        if rest[:2] != b"\x1f\x8b":
            if rest.strip(b"\0"):
                raise EOFError("something else follows the gzip member")
            return


def _undeflate(body: bytes) -> Iterator[bytes]:
    # The name means zlib's format; many senders leave its header out.
    with_header = len(body) > 1 and body[0] & 0x0F == 8 and (body[0] << 8 | body[1]) % 31 == 0
    if with_header:
        try:
            zlib.decompressobj().decompress(body[:_PIECE], 1)
        except zlib.error:
            with_header = False
    rest = yield from _inflate_member(body, zlib.MAX_WBITS if with_header else -zlib.MAX_WBITS)
    if rest:
        raise EOFError("something else follows the deflated data")


def _inflate_member(body: bytes, window: int) -> Pieces:
    stream = zlib.decompressobj(window)
    pending = body
    while not stream.eof:
        piece = stream.decompress(pending, _PIECE)
        pending = stream.unconsumed_tail
        if piece:
            yield piece
        elif not pending and not stream.eof:
            raise EOFError("it ends too early")
    return stream.unused_data


def _unzstd(body: bytes) -> Iterator[bytes]:
    rest = body
    while rest:
        stream = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()
        at = 0
        while not stream.eof:
            if at >= len(rest):
                raise EOFError("it ends too early")
            piece = stream.decompress(rest[at : at + _ZSTD_PIECE])
            at += _ZSTD_PIECE
            if piece:
                yield piece
        rest = stream.unused_data + rest[at:]


def _too_large(body: bytes, limit: int, keep: int, size: int | None = None) -> RefusedBody:
    error = BodyTooLarge(
        f"the body is larger than {limit} bytes",
        subject="body",
        action="send fewer events in one request, or raise ingest_max_body_bytes",
    )
    return RefusedBody(error, body[:keep], len(body) if size is None else size)


_INFLATE: dict[str, Inflate] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _undeflate,
    "zstd": _unzstd,
}
