"""Bodies come out as they were sent, whatever wrapped them; what can't be read is refused with a reason."""

import asyncio
import gzip
import tracemalloc
import zlib
from collections.abc import Sequence

import pytest
import zstandard

from lineage_hub.errors import BodyTooLarge, InvalidRequest, UnsupportedEncoding
from lineage_hub.server.bodies import ClientGone, RefusedBody, read_body

LIMIT, KEEP = 1 << 20, 64 << 10
TEXT = b'{"eventTime": "2024-01-01T00:00:00Z", "n": [' + b", ".join(b"%d" % n for n in range(20_000)) + b"]}"


def read(body: bytes | Sequence[bytes], encoding: str | None = None, limit: int = LIMIT) -> bytes:
    pieces = [body] if isinstance(body, bytes) else list(body)
    messages = [
        {"type": "http.request", "body": piece, "more_body": at + 1 < len(pieces)} for at, piece in enumerate(pieces)
    ]

    async def receive() -> dict[str, object]:
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    headers = [] if encoding is None else [(b"content-encoding", encoding.encode())]
    scope = {"type": "http", "headers": headers}
    return asyncio.run(read_body(scope, receive, limit=limit, keep=KEEP))


def refusal(body: bytes | Sequence[bytes], encoding: str | None = None, limit: int = LIMIT) -> RefusedBody:
    with pytest.raises(RefusedBody) as caught:
        read(body, encoding, limit)
    return caught.value


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


PACKED = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "GZIP": gzip.compress,
    "deflate": zlib.compress,
    "deflate ": raw_deflate,
    "zstd": zstd,
    "identity": bytes,
    "gzip, gzip": lambda data: gzip.compress(gzip.compress(data)),
    "zstd, zstd": lambda data: zstd(zstd(data)),
    "gzip, zstd": lambda data: zstd(gzip.compress(data)),
    "deflate,identity,zstd": lambda data: zstd(raw_deflate(data)),
}


def test_a_plain_body_comes_out_as_it_was_sent_in_one_piece_or_many() -> None:
    assert read(TEXT) == TEXT
    assert read([TEXT[:100], b"", TEXT[100:]]) == TEXT
    assert read(b"") == b""


@pytest.mark.parametrize("encoding", PACKED)
@pytest.mark.parametrize("data", [b"{}", TEXT, b""], ids=["small", "large", "empty"])
def test_every_encoding_is_taken_off(encoding: str, data: bytes) -> None:
    packed = PACKED[encoding](data)
    assert read(packed, encoding) == data
    assert read([packed[:7], packed[7:]], encoding) == data


def test_members_of_gzip_and_frames_of_zstd_that_follow_one_another_are_one_body() -> None:
    assert read(gzip.compress(b"one ") + gzip.compress(b"two"), "gzip") == b"one two"
    assert read(gzip.compress(b"padded") + b"\0" * 512, "gzip") == b"padded"
    assert read(zstd(b"one ") + zstd(b"two"), "zstd") == b"one two"


def test_zstd_without_a_content_size_is_read() -> None:
    packer = zstandard.ZstdCompressor().compressobj()
    assert read(packer.compress(TEXT) + packer.flush(), "zstd") == TEXT


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "deflate ", "zstd", "gzip, zstd"])
def test_a_body_cut_short_or_corrupt_is_a_bad_request(encoding: str) -> None:
    packed = PACKED[encoding](TEXT)
    corrupt = packed[:40] + bytes(byte ^ 0xFF for byte in packed[40:80]) + packed[80:]
    for body in (packed[:-1], packed[: len(packed) // 2], packed[:3], corrupt, b"not compressed at all"):
        refused = refusal(body, encoding)
        assert isinstance(refused.error, InvalidRequest), body
        assert refused.kept


def test_what_follows_the_compressed_data_is_not_ignored() -> None:
    assert isinstance(refusal(gzip.compress(b"{}") + b"more", "gzip").error, InvalidRequest)
    assert isinstance(refusal(zlib.compress(b"{}") + b"more", "deflate").error, InvalidRequest)
    assert isinstance(refusal(zstd(b"{}") + b"more", "zstd").error, InvalidRequest)


@pytest.mark.parametrize("encoding", ["br", "gzip, br", "nonsense", "gzip, gzip, gzip, gzip"])
def test_an_encoding_that_is_not_read_is_unsupported(encoding: str) -> None:
    assert isinstance(refusal(TEXT, encoding).error, UnsupportedEncoding)


def test_the_limit_is_exact_and_the_beginning_of_what_is_over_it_is_kept() -> None:
    assert len(read(b"x" * LIMIT)) == LIMIT
    for body in (b"x" * (LIMIT + 1), [b"x" * 1000] * 2000):
        refused = refusal(body)
        assert isinstance(refused.error, BodyTooLarge)
        assert refused.kept == b"x" * KEEP
        assert refused.size > LIMIT


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "zstd", "gzip, gzip", "zstd, zstd"])
def test_a_bomb_is_refused_in_bounded_memory(encoding: str) -> None:
    bomb = PACKED[encoding](b"\0" * (256 << 20))
    tracemalloc.start()
    refused = refusal(bomb, encoding)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(refused.error, BodyTooLarge)
    assert refused.kept == b"\0" * KEEP
    assert peak < 64 << 20


def test_zstd_with_a_window_beyond_what_senders_may_assume_is_refused() -> None:
    parameters = zstandard.ZstdCompressionParameters.from_level(3, window_log=27, enable_ldm=True)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    assert isinstance(refusal(packer.compress(TEXT * 100) + packer.flush(), "zstd").error, InvalidRequest)


def test_a_sender_that_hangs_up_is_told_apart_from_a_bad_body() -> None:
    async def receive() -> dict[str, object]:
        return {"type": "http.disconnect"}

    with pytest.raises(ClientGone):
        asyncio.run(read_body({"type": "http", "headers": []}, receive, limit=LIMIT, keep=KEEP))
