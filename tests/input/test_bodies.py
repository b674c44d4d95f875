"""Bodies that are too large, packed wrongly or cut off are refused; their beginning is kept and nothing is harmed."""

from __future__ import annotations

import base64
import gzip
import json
import socket
import zlib
from functools import cache

import httpx
import pytest
import zstandard

from tests.hub_process import HubProcess
from tests.input.client import BODY_LIMIT, ERROR_FIELDS, KEPT, WAYS, Client, Way, event, text_of

pytestmark = pytest.mark.slow


def test_a_body_over_the_limit_is_refused_and_its_beginning_kept(client: Client, way: Way) -> None:
    body = b"[" + b"x" * BODY_LIMIT
    answer = client.post(way, body)
    assert answer.status_code == 413
    assert answer.json()["error"] == "body_too_large"
    (letter,) = client.letters()
    whole = client.get(f"dead-letters/{letter['id']}").json()
    assert whole["body"].encode() == body[:KEPT]
    assert (whole["size"], whole["truncated"], whole["source"]) == (len(body), True, way.path)
    refused = client.call("POST", f"dead-letters/{letter['id']}/replay")
    assert refused.status_code == 409
    good = event()
    assert client.call("PATCH", f"dead-letters/{letter['id']}", json={"body": good}).status_code == 200
    assert client.call("POST", f"dead-letters/{letter['id']}/replay").status_code == 200
    assert client.get(f"jobs/runs/{good['run']['runId']}").status_code == 200


def test_a_body_of_the_very_limit_is_taken(client: Client, way: Way) -> None:
    raw = text_of(event())
    body = way.wrap(raw) + b" " * (BODY_LIMIT - len(way.wrap(raw)))
    assert client.post(way, body).status_code in (200, 201, 204)
    assert client.letters() == []


@cache
def bomb(encoding: str) -> bytes:
    plain = b" " * (64 << 20)
    if encoding == "zstd":
        return zstandard.ZstdCompressor().compress(plain)
    return gzip.compress(plain, 1) if encoding == "gzip" else zlib.compress(plain, 1)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "zstd"])
def test_a_bomb_stops_at_the_limit(client: Client, encoding: str, way: Way) -> None:
    assert len(bomb(encoding)) < BODY_LIMIT
    answer = client.post(way, bomb(encoding), content_encoding=encoding)
    assert answer.status_code == 413
    (letter,) = client.letters()
    assert letter["truncated"] is True


@cache
def bomb_within_a_bomb() -> bytes:
    return gzip.compress(gzip.compress(b" " * (128 << 20), 1))


def test_a_bomb_within_a_bomb_stops_at_the_limit(client: Client, way: Way) -> None:
    assert len(bomb_within_a_bomb()) < 10_000
    assert client.post(way, bomb_within_a_bomb(), content_encoding="gzip, gzip").status_code == 413


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "zstd"])
def test_a_body_that_is_packed_wrongly_is_refused_and_kept_as_it_came(client: Client, encoding: str, way: Way) -> None:
    raw = way.wrap(text_of(event()))
    packed = {
        "gzip": gzip.compress(raw),
        "deflate": zlib.compress(raw),
        "zstd": zstandard.ZstdCompressor().compress(raw),
    }[encoding]
    spoiled = [packed[: len(packed) // 2], packed[:-1], packed + b"more", raw]
    for body in spoiled:
        answer = client.post(way, body, content_encoding=encoding)
        assert answer.status_code == 400, (body, answer.text)
        assert "decompress" in answer.json()["message"]
        letter = client.get(f"dead-letters/{client.letters()[0]['id']}").json()
        kept = letter["body"].encode() if letter["encoding"] == "utf-8" else base64.b64decode(letter["body"])
        assert kept == body
    assert client.post(way, packed, content_encoding=encoding).status_code in (200, 201, 204)


def test_an_encoding_that_is_not_read_is_named_with_those_that_are(client: Client, way: Way) -> None:
    answer = client.post(way, b"{}", content_encoding="br")
    assert answer.status_code == 415
    assert "gzip" in answer.json()["action"]
    assert client.post(way, b"{}", content_encoding="gzip, gzip, gzip, gzip").status_code == 415


def test_the_content_type_of_one_event_does_not_matter(client: Client) -> None:
    for content_type in ("text/plain", "application/octet-stream", "application/json; charset=latin-1", "", "%%"):
        assert client.post(WAYS[0], text_of(event()), content_type=content_type).status_code == 201


def test_a_sender_that_hangs_up_in_the_middle_leaves_nothing_behind(client: Client, running: HubProcess) -> None:
    before = client.get("events/lineage", limit=0).json()["totalCount"]
    for way in WAYS:
        with socket.create_connection(("127.0.0.1", running.port)) as half:
            half.sendall(
                f"POST /api/v1/{way.path} HTTP/1.1\r\nhost: hub\r\ncontent-length: 1000\r\n\r\n".encode() + b'{"a":'
            )
    assert client.get("events/lineage", limit=0).json()["totalCount"] == before
    assert client.letters() == []


@pytest.mark.parametrize(
    "request_text",
    [
        b"POST /api/v1/lineage HTTP/1.1\r\nhost: h\r\ncontent-length: -1\r\n\r\n",
        b"POST /api/v1/lineage HTTP/1.1\r\nhost: h\r\ncontent-length: x\r\n\r\n",
        b"POST /api/v1/lineage HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"GET /api/v1/lineage?nodeId=\xff\xfe HTTP/1.1\r\nhost: h\r\n\r\n",
        b"GET /api/v1/namespaces/\xff/jobs HTTP/1.1\r\nhost: h\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"BREW /pot HTTP/1.1\r\nhost: h\r\n\r\n",
    ],
    ids=lambda text: repr(text[:50]),
)
def test_what_is_hardly_http_never_is_a_500(client: Client, running: HubProcess, request_text: bytes) -> None:
    with socket.create_connection(("127.0.0.1", running.port), timeout=10) as connection:
        connection.sendall(request_text)
        connection.shutdown(socket.SHUT_WR)
        answer = connection.recv(65_536)
    status = answer.split(b" ")[1:2]
    assert not status or status[0][:1] == b"4", answer[:300]


def test_after_a_refused_body_the_same_connection_or_a_new_one_serves_on(running: HubProcess) -> None:
    with httpx.Client(base_url=f"{running.url}/api/v1/") as http:
        for _ in range(3):
            large = http.post("lineage", content=iter([b" " * (1 << 20)] * 6))
            assert large.status_code == 413
            assert json.loads(large.content).keys() == ERROR_FIELDS
            assert http.post("lineage", content=text_of(event())).status_code == 201
