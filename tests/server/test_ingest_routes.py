"""Every way in takes good events, keeps bad ones as dead letters, and answers in its own documented shape."""

import gzip
import json
import zlib
from pathlib import Path

import pytest
import zstandard
from sqlalchemy import func, select
from starlette.testclient import TestClient

from lineage_hub.server.app import create_app
from lineage_hub.server.splitting import split_events
from lineage_hub.settings import Settings
from lineage_hub.store import tables
from tests.server.conftest import EventMaker


def stored(client: TestClient) -> int:
    with client.app.state.store.reading() as connection:
        return int(connection.execute(select(func.count()).select_from(tables.event)).scalar_one())


def letters(client: TestClient) -> list[dict[str, object]]:
    found = client.get("/api/v1/dead-letters").json()
    assert found["totalCount"] == len(found["deadLetters"])
    return found["deadLetters"]


def test_one_event_is_stored_and_named_by_its_id(client: TestClient, event: EventMaker) -> None:
    one = event()
    first = client.post("/api/v1/lineage", json=one)
    assert first.status_code == 201
    assert first.json()["repeated"] is False
    again = client.post("/api/v1/lineage", json=one)
    assert again.status_code == 201
    assert again.json() == {"eventId": first.json()["eventId"], "repeated": True}
    assert stored(client) == 1
    assert letters(client) == []


def test_each_of_the_three_kinds_is_taken(client: TestClient, event: EventMaker) -> None:
    for one in (
        event(),
        event(run=None, eventType=None),
        event(run=None, job=None, eventType=None, dataset={"namespace": "n", "name": "d"}),
    ):
        assert client.post("/api/v1/lineage", json=one).status_code == 201
    assert stored(client) == 3


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"[]",
        b"null",
        b"7",
        b'"text"',
        b"{}",
        b"\xff\xfe{}",
        b'{"eventTime": NaN}',
        b"[" * 10_000 + b"]" * 10_000,
        b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
        b'{"eventTime": "2026-11-01T09:30:00", "producer": "p", "job": {"namespace": "n", "name": "j"}}',
        b'{"eventTime": "0001-01-01T00:00:00Z", "producer": "p", "job": {"namespace": "n", "name": "j"}}',
        b'{"eventTime": "9999-12-31T23:59:59Z", "producer": "p", "job": {"namespace": "n", "name": "j"}}',
        b'{"eventTime": "2026-11-01T09:30:00Z", "producer": "", "job": {"namespace": "\\ud800", "name": ""}}',
    ],
    ids=lambda body: repr(body[:24]),
)
def test_a_bad_event_is_a_clear_400_and_a_dead_letter_and_harms_nobody_after_it(
    client: TestClient, event: EventMaker, body: bytes
) -> None:
    answer = client.post("/api/v1/lineage", content=body, headers={"content-type": "application/json"})
    if answer.status_code != 201:
        assert answer.status_code == 400
        assert set(answer.json()) == {"code", "message", "error", "subject", "action"}
        assert answer.json()["error"] == "invalid_event"
        (letter,) = letters(client)
        assert letter["source"] == "lineage"
        assert letter["reason"] == answer.json()["message"]
        assert letter["size"] == len(body)
    assert client.post("/api/v1/lineage", json=event()).status_code == 201


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("zstd", zstandard.ZstdCompressor().compress)],
)
def test_compressed_bodies_are_the_same_events(client: TestClient, event: EventMaker, encoding: str, pack) -> None:
    one = event()
    plain = client.post("/api/v1/lineage", json=one).json()
    packed = client.post(
        "/api/v1/lineage", content=pack(json.dumps(one).encode()), headers={"content-encoding": encoding}
    )
    assert packed.status_code == 201
    assert packed.json() == {"eventId": plain["eventId"], "repeated": True}


@pytest.mark.parametrize("path", ["lineage", "lineage/batch", "lineage/ingest", "webhook/lineage"])
def test_a_body_that_cannot_be_read_is_refused_and_its_beginning_kept(client: TestClient, path: str) -> None:
    url = f"/api/v1/{path}"
    large = client.post(url, content=b"x" * (2 << 20))
    assert large.status_code == 413
    assert large.headers["connection"] == "close"
    bomb = client.post(url, content=gzip.compress(b"\0" * (64 << 20)), headers={"content-encoding": "gzip"})
    assert bomb.status_code == 413
    corrupt = client.post(url, content=b"no gzip", headers={"content-encoding": "gzip"})
    assert corrupt.status_code == 400
    unknown = client.post(url, content=b"{}", headers={"content-encoding": "br"})
    assert unknown.status_code == 415
    assert "zstd" in unknown.headers["accept-encoding"]
    kept = letters(client)
    assert [letter["error"] for letter in kept] == [
        "unsupported_encoding",
        "invalid_request",
        "body_too_large",
        "body_too_large",
    ]
    assert kept[3]["truncated"] is True
    whole = client.get(f"/api/v1/dead-letters/{kept[3]['id']}").json()
    assert whole["body"] == "x" * (64 << 10)
    assert whole["size"] == 2 << 20
    assert {letter["source"] for letter in kept} == {path}


def test_a_batch_of_good_events_is_answered_with_204(client: TestClient, event: EventMaker) -> None:
    answer = client.post("/api/v1/lineage/batch", json=[event() for _ in range(20)])
    assert answer.status_code == 204
    assert answer.content == b""
    assert stored(client) == 20
    assert client.post("/api/v1/lineage/batch", json=[]).status_code == 204


def test_a_batch_with_bad_events_says_which_failed_and_keeps_them(client: TestClient, event: EventMaker) -> None:
    batch = [event(), {"no": "event"}, event(), 7]
    answer = client.post("/api/v1/lineage/batch", json=batch)
    assert answer.status_code == 200
    found = answer.json()
    assert found["status"] == "partial_success"
    assert found["summary"] == {
        "received": 4,
        "successful": 2,
        "failed": 2,
        "retriable": 0,
        "non_retriable": 2,
    }
    assert [(each["index"], each["retriable"]) for each in found["failed_events"]] == [(1, False), (3, False)]
    assert stored(client) == 2
    assert [letter["excerpt"] for letter in letters(client)] == ["7", '{"no":"event"}']


def test_lines_are_a_batch_by_content_type_or_because_they_are_no_array(client: TestClient, event: EventMaker) -> None:
    for headers in ({"content-type": "application/x-ndjson; charset=utf-8"}, {}):
        lines = "\r\n".join(["", *(json.dumps(event()) for _ in range(3)), ""])
        assert client.post("/api/v1/lineage/batch", content=lines, headers=headers).status_code == 204
    assert stored(client) == 6
    broken = json.dumps(event()) + "\n{broken\n" + json.dumps(event())
    answer = client.post("/api/v1/lineage/batch", content=broken)
    assert answer.json()["summary"]["successful"] == 2
    assert letters(client)[0]["excerpt"] == "{broken"


@pytest.mark.parametrize("path", ["lineage/batch", "webhook/lineage"])
@pytest.mark.parametrize("body", [b"", b" \n ", b"[{", b"[1,]", b"[" * 10_000], ids=repr)
def test_a_batch_that_is_not_json_is_kept_whole(client: TestClient, path: str, body: bytes) -> None:
    answer = client.post(f"/api/v1/{path}", content=body)
    assert answer.status_code == 400
    assert answer.json()["error"] == "invalid_request"
    (letter,) = letters(client)
    assert client.get(f"/api/v1/dead-letters/{letter['id']}").json()["body"] == body.decode()


def test_more_events_than_a_request_may_have_are_too_large(client: TestClient, event: EventMaker) -> None:
    many = [event() for _ in range(51)]
    for path, body in (
        ("lineage/batch", many),
        ("lineage/ingest", {"namespace": "team-a", "events": many}),
        ("webhook/lineage", many),
    ):
        assert client.post(f"/api/v1/{path}", json=body).status_code == 413
    assert stored(client) == 0


def test_an_envelope_stores_for_its_tenant_and_tells_what_became_of_each_event(
    client: TestClient, event: EventMaker
) -> None:
    envelope = {"namespace": "team-a", "events": [event(), {}], "source": "airflow"}
    answer = client.post("/api/v1/lineage/ingest", json=envelope)
    assert answer.status_code == 200
    assert answer.json() == {
        "accepted": 1,
        "rejected": 1,
        "errors": ["event 1: eventTime is missing"],
        "namespace": "team-a",
    }
    (letter,) = letters(client)
    assert (letter["tenant"], letter["source"]) == ("team-a", "lineage/ingest:airflow")


def test_the_same_event_of_two_tenants_is_two_events(client: TestClient, event: EventMaker) -> None:
    one = event()
    for tenant in ("team-a", "team-b", "team-a"):
        client.post("/api/v1/lineage/ingest", json={"namespace": tenant, "events": [one]})
    assert stored(client) == 2


@pytest.mark.parametrize(
    "envelope",
    [
        {"events": []},
        {"namespace": "team-a"},
        {"namespace": "Team A", "events": []},
        {"namespace": "ab", "events": []},
        {"namespace": "a" * 51, "events": []},
        {"namespace": "-abc", "events": []},
        {"namespace": 7, "events": []},
        {"namespace": "team-a", "events": {}},
        {"namespace": "team-a", "events": [], "source": 7},
        [],
        "text",
    ],
    ids=str,
)
def test_a_bad_envelope_is_refused_and_kept(client: TestClient, envelope: object) -> None:
    answer = client.post("/api/v1/lineage/ingest", json=envelope)
    assert answer.status_code == 400
    assert len(letters(client)) == 1


def test_a_webhook_takes_one_event_a_list_or_lines(client: TestClient, event: EventMaker) -> None:
    pretty = json.dumps(event(), indent=2)
    for body, accepted in ((pretty, 1), (json.dumps([event(), event()]), 2), (json.dumps(event()), 1)):
        answer = client.post("/api/v1/webhook/lineage", content=body)
        assert answer.status_code == 200
        assert answer.json() == {"accepted": accepted, "rejected": 0, "errors": []}
    assert client.post("/api/v1/webhook/lineage", json=[{}]).json()["rejected"] == 1


def test_events_leave_an_array_byte_for_byte() -> None:
    odd = [b'{"b": 1,  "a":\t1e5, "a": "\\u00e9\xc3\xa9"}', b"1.0", b"[ 1 ,\n2]", b'"x"']
    assert split_events(b" \n[ " + b" ,\n".join(odd) + b" ]\n", "application/json", 10) == odd
    assert split_events(b"\n".join([odd[0], b"", odd[1] + b"\r"]), "application/x-ndjson", 10) == odd[:2]
    assert split_events(odd[0], "", 10) == [odd[0]]


def test_names_with_every_oddity_are_taken(client: TestClient, event: EventMaker) -> None:
    for name in (
        "x" * 65_536,
        "\u202e\u0000"[:1],
        "a\u0301",
        "\U0001f600",
        " ",
        "\\",
        "/:?#",
        "'; --",
        "\x7f\x01",
    ):
        one = event(job={"namespace": "n", "name": name})
        assert client.post("/api/v1/lineage", json=one).status_code == 201, name[:10]
    assert client.post("/api/v1/lineage", json=event(job={"namespace": "n", "name": "x\0"})).status_code == 400
    assert client.post("/api/v1/lineage", json=event(job={"namespace": "n", "name": "x" * 65_537})).status_code == 400


def test_a_queue_that_is_full_is_a_503_that_says_when_to_try_again(tmp_path: Path, event: EventMaker) -> None:
    settings = Settings(data_dir=tmp_path, ingest_queue_bytes=100)
    with TestClient(create_app(settings)) as client:
        for path, body in (("lineage", event()), ("lineage/batch", [event()])):
            answer = client.post(f"/api/v1/{path}", json=body)
            assert answer.status_code == 503
            assert answer.json()["error"] == "overloaded"
            assert int(answer.headers["retry-after"]) >= 1
        assert client.get("/api/v1/health").status_code == 200
