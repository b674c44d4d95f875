"""A rejected event can be found, read, mended, replayed and dropped, and nothing of it is lost on the way."""

import base64
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select
from starlette.testclient import TestClient

from lineage_hub.store import tables
from tests.server.conftest import EventMaker

LETTERS = "/api/v1/dead-letters"


def stored(client: TestClient) -> int:
    with client.app.state.store.reading() as connection:
        return int(connection.execute(select(func.count()).select_from(tables.event)).scalar_one())


def tenants(client: TestClient) -> set[str]:
    with client.app.state.store.reading() as connection:
        names = select(tables.tenant.c.name).where(tables.tenant.c.id.in_(select(tables.event.c.tenant)))
        return set(connection.execute(names).scalars())


def letter_of(client: TestClient) -> dict[str, object]:
    return client.get(LETTERS).json()["deadLetters"][0]


def test_the_list_has_pages_and_a_total(client: TestClient) -> None:
    for number in range(5):
        client.post("/api/v1/lineage", content=f"bad {number}")
    found = client.get(LETTERS, params={"limit": 2, "offset": 1}).json()
    assert found["totalCount"] == 5
    assert [letter["excerpt"] for letter in found["deadLetters"]] == ["bad 3", "bad 2"]
    assert "body" not in found["deadLetters"][0]
    assert client.get(LETTERS, params={"offset": 9}).json() == {"deadLetters": [], "totalCount": 5}


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "limit=x", "offset=-1", "offset=99999999999999999999"])
def test_a_page_that_makes_no_sense_is_a_bad_request(client: TestClient, query: str) -> None:
    assert client.get(f"{LETTERS}?{query}").status_code == 400


def test_a_body_is_shown_as_text_or_in_base64(client: TestClient) -> None:
    client.post("/api/v1/lineage", content="{ bad é".encode())
    client.post("/api/v1/lineage", content=b"\xff\x00")
    assert client.get(f"{LETTERS}/1").json()["body"] == "{ bad é"
    binary = client.get(f"{LETTERS}/2").json()
    assert binary["encoding"] == "base64"
    assert base64.b64decode(binary["body"]) == b"\xff\x00"


@pytest.mark.parametrize("letter_id", ["1", "0", "x", "99999999999999999999", str(2**63 - 1)])
@pytest.mark.parametrize("how", ["get", "patch", "replay", "delete"])
def test_a_letter_that_is_not_there_is_a_clear_4xx(client: TestClient, letter_id: str, how: str) -> None:
    url = f"{LETTERS}/{letter_id}"
    answer = {
        "get": lambda: client.get(url),
        "patch": lambda: client.patch(url, json={"body": {}}),
        "replay": lambda: client.post(f"{url}/replay"),
        "delete": lambda: client.delete(url),
    }[how]()
    assert answer.status_code == (404 if letter_id in ("1", str(2**63 - 1)) else 400)
    assert set(answer.json()) == {"code", "message", "error", "subject", "action"}


def test_a_letter_is_mended_and_replayed_for_its_tenant(client: TestClient, event: EventMaker) -> None:
    good = event()
    bad = {**good, "eventTime": "yesterday"}
    client.post("/api/v1/lineage/ingest", json={"namespace": "team-a", "events": [bad]})
    letter_id = letter_of(client)["id"]
    failed = client.post(f"{LETTERS}/{letter_id}/replay")
    assert failed.status_code == 400
    edited = client.patch(f"{LETTERS}/{letter_id}", json={"body": good})
    assert edited.status_code == 200
    assert json.loads(edited.json()["body"]) == good
    assert edited.json()["editedAt"] is not None
    replayed = client.post(f"{LETTERS}/{letter_id}/replay")
    assert replayed.status_code == 200
    assert replayed.json()["tenant"] == "team-a"
    assert replayed.json()["repeated"] is False
    assert tenants(client) == {"team-a"}
    assert client.get(LETTERS).json()["totalCount"] == 0
    direct = client.post("/api/v1/lineage/ingest", json={"namespace": "team-a", "events": [good]})
    assert direct.json()["accepted"] == 1
    assert stored(client) == 1


def test_a_mended_body_keeps_its_bytes_given_as_json_or_as_text(client: TestClient) -> None:
    client.post("/api/v1/lineage", content=b"bad")
    for sent, kept in (
        (b'{"body": {"b":  1.0, "a": "\\u00e9"}}', '{"b":  1.0, "a": "\\u00e9"}'),
        (b'{"body": "{ \\"a\\": 1 }"}', '{ "a": 1 }'),
    ):
        assert client.patch(f"{LETTERS}/1", content=sent).json()["body"] == kept


@pytest.mark.parametrize("edit", [b"", b"{}", b"[]", b'{"body": }', b'{"body": 1, "x": 2}', b'{"body": "\\ud800"}'])
def test_an_edit_that_cannot_be_read_changes_nothing(client: TestClient, edit: bytes) -> None:
    client.post("/api/v1/lineage", content=b"bad")
    assert client.patch(f"{LETTERS}/1", content=edit).status_code == 400
    assert client.get(f"{LETTERS}/1").json()["body"] == "bad"


def test_a_replay_that_fails_keeps_the_one_letter_with_its_new_reason(client: TestClient, event: EventMaker) -> None:
    client.post("/api/v1/lineage", content=b"bad")
    client.patch(f"{LETTERS}/1", json={"body": event(producer=None)})
    answer = client.post(f"{LETTERS}/1/replay")
    assert answer.status_code == 400
    found = client.get(LETTERS).json()
    assert found["totalCount"] == 1
    assert found["deadLetters"][0]["reason"] == answer.json()["message"] == "producer is missing"


def test_a_letter_that_was_cut_cannot_be_replayed_before_it_is_mended(client: TestClient, event: EventMaker) -> None:
    client.post("/api/v1/lineage", content=b"x" * (2 << 20))
    assert client.post(f"{LETTERS}/1/replay").status_code == 409
    client.patch(f"{LETTERS}/1", json={"body": event()})
    assert client.post(f"{LETTERS}/1/replay").status_code == 200


def test_a_batch_that_was_refused_whole_is_replayed_whole_or_not_at_all(client: TestClient, event: EventMaker) -> None:
    batch = [event(), event()]
    client.post("/api/v1/lineage/batch", content=json.dumps(batch)[:-1])
    client.patch(f"{LETTERS}/1", json={"body": [*batch, {}]})
    failed = client.post(f"{LETTERS}/1/replay")
    assert failed.status_code == 400
    assert "event 2" in failed.json()["message"]
    assert stored(client) == 0
    client.patch(f"{LETTERS}/1", json={"body": batch})
    assert len(client.post(f"{LETTERS}/1/replay").json()["eventIds"]) == 2
    assert stored(client) == 2


def test_a_mended_envelope_goes_to_the_tenant_that_it_names(client: TestClient, event: EventMaker) -> None:
    envelope = {"namespace": "Bad Name", "events": [event()]}
    client.post("/api/v1/lineage/ingest", json=envelope)
    assert client.post(f"{LETTERS}/1/replay").status_code == 400
    client.patch(f"{LETTERS}/1", json={"body": {**envelope, "namespace": "team-b"}})
    assert client.post(f"{LETTERS}/1/replay").json()["tenant"] == "team-b"
    assert tenants(client) == {"team-b"}


def test_all_letters_are_replayed_and_those_that_fail_stay(client: TestClient, event: EventMaker) -> None:
    for _ in range(12):
        client.post("/api/v1/lineage", content=b"bad")
    for letter_id in (2, 5, 11):
        client.patch(f"{LETTERS}/{letter_id}", json={"body": event()})
    answer = client.post(f"{LETTERS}/replay")
    assert answer.status_code == 200
    assert (answer.json()["replayed"], answer.json()["failed"]) == (3, 9)
    assert answer.json()["errors"][0]["id"] == 1
    assert stored(client) == 3
    assert client.get(LETTERS).json()["totalCount"] == 9


def test_a_letter_can_be_dropped_once(client: TestClient) -> None:
    client.post("/api/v1/lineage", content=b"bad")
    assert client.delete(f"{LETTERS}/1").status_code == 204
    assert client.delete(f"{LETTERS}/1").status_code == 404


def test_changes_of_letters_that_are_not_there_harm_no_event_beside_them(client: TestClient, event: EventMaker) -> None:
    """They share transactions with events: a refusal of one must not become a failure of the others."""
    with ThreadPoolExecutor(16) as pool:
        drops = [pool.submit(client.delete, f"{LETTERS}/999") for _ in range(40)]
        events = [pool.submit(client.post, "/api/v1/lineage", json=event()) for _ in range(40)]
        assert {drop.result().status_code for drop in drops} == {404}
        assert {taken.result().status_code for taken in events} == {201}
    assert stored(client) == 40


def test_at_the_bound_the_oldest_go_and_the_metric_counts_them(client: TestClient) -> None:
    for number in range(120):
        client.post("/api/v1/lineage", content=f"bad {number}")
    found = client.get(LETTERS).json()
    assert found["totalCount"] <= 100
    assert found["deadLetters"][0]["excerpt"] == "bad 119"
    metrics = client.get("/metrics").text
    assert "lineage_hub_dead_letters_stored_total 120.0" in metrics
    assert f"lineage_hub_dead_letters_evicted_total {120 - found['totalCount']}.0" in metrics
