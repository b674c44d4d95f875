"""Expectations over HTTP: set, asked now and for the past, learned, taken back."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from starlette.testclient import TestClient

from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings
from tests.properties.hubs import Clock
from tests.server.conftest import EventMaker

MONDAY = datetime(2026, 11, 2, tzinfo=UTC)
ORDERS = "/api/v1/namespaces/db/datasets/orders/freshness"


class Office:
    """A hub, and a clock that is set in hours after a Monday."""

    def __init__(self, client: TestClient, clock: Clock, event: EventMaker) -> None:
        self.client, self._clock, self._event = client, clock, event

    def at(self, hours: float) -> None:
        self._clock.now = int((MONDAY + timedelta(hours=hours)).timestamp()) * 1_000_000_000

    def write(self, hours: float, name: str = "orders", end: str = "COMPLETE") -> None:
        self.at(hours)
        output = {"namespace": "db", "name": name}
        body = self._event(eventType=end, eventTime=text(hours), run={"runId": f"{name}-{hours}"}, outputs=[output])
        assert self.client.post("/api/v1/lineage", json=body).status_code == 201

    def ask(self, **parameters: Any) -> dict[str, Any]:
        answer = self.client.get(ORDERS, params=parameters)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def listed(self, **parameters: Any) -> list[tuple[str, str]]:
        answer = self.client.get("/api/v1/freshness", params=parameters).json()
        found = [(one["dataset"]["name"], one["state"]) for one in answer["freshness"]]
        assert answer["totalCount"] >= len(found)
        return found


def text(hours: float) -> str:
    return (MONDAY + timedelta(hours=hours)).isoformat().replace("+00:00", "Z")


@pytest.fixture
def office(settings: Settings, event: EventMaker) -> Iterator[Office]:
    clock = Clock()
    with TestClient(create_app(settings, clock=clock)) as client:
        yield Office(client, clock, event)


def test_what_was_deleted_is_neither_late_nor_failing_nor_has_it_a_badge(office: Office) -> None:
    for hours in range(10):
        office.write(hours)
        office.write(hours, "kept")
    for name in ("orders", "kept"):
        assert office.client.put(ORDERS.replace("orders", name), json={"every": "1h"}).status_code == 200
    office.at(40)
    assert office.listed() == [("kept", "late"), ("orders", "late")]
    assert office.client.delete("/api/v1/namespaces/db/datasets/orders").status_code == 200
    assert office.listed() == office.listed(learned="true") == [("kept", "late")]
    assert office.client.get(ORDERS).status_code == 404
    late = office.client.get("/api/v1/overview").json()["lateDatasets"]
    assert (late["count"], [one["dataset"]["name"] for one in late["items"]]) == (1, ["kept"])
    badges = office.client.get("/api/v1/badges", params={"nodeId": ["dataset:db:orders", "dataset:db:kept"]}).json()
    assert [one["id"] for one in badges["badges"]] == ["dataset:db:kept"]
    assert badges["unknown"] == ["dataset:db:orders"]
    office.write(41)
    assert office.listed() == [("kept", "late"), ("orders", "fresh")]


def test_a_dataset_becomes_due_and_late_and_fresh_again(office: Office) -> None:
    office.write(0)
    put = office.client.put(ORDERS, json={"every": "6h", "tolerance": "30m"})
    assert (put.status_code, put.json()["state"]) == (200, "fresh")
    office.at(6.25)
    assert office.ask()["state"] == "due"
    office.at(8)
    assert office.ask() == {
        "dataset": {"namespace": "db", "name": "orders"},
        "state": "late",
        "reason": None,
        "at": text(8),
        "dueAt": text(6),
        "lateSince": text(6.5),
        "lateS": 5400,
        "lateAt": text(6.5),
        "expectation": {"every": "6h", "tolerance": "30m"},
        "setAt": text(0),
        "habit": None,
        "lastWrite": {
            "at": text(0),
            "version": office.client.get("/api/v1/namespaces/db/datasets/orders").json()["currentVersion"],
            "run": {"id": "orders-0", "job": {"namespace": "shop", "name": "load"}},
        },
    }
    office.write(9, end="FAIL")
    assert office.ask()["state"] == "late", "a run that failed wrote nothing"
    office.write(10)
    assert office.ask()["state"] == "fresh"
    past = office.ask(as_of=text(8))
    assert (past["state"], past["lastWrite"]["run"]["id"]) == ("late", "orders-0")
    assert office.ask(as_of=text(20))["state"] == "late", "if nothing comes until then"


def test_a_cron_time_is_kept_with_its_zone(office: Office) -> None:
    office.write(0)
    office.client.put(ORDERS, json={"cron": "0 6 * * 1-5", "zone": "Europe/Berlin", "tolerance": "1h"})
    office.at(5.5)
    asked = office.ask()
    assert (asked["state"], asked["dueAt"], asked["lateAt"]) == ("due", text(5), text(6))
    assert asked["expectation"]["zone"] == "Europe/Berlin"


def test_what_was_expected_before_is_told_of_the_past(office: Office) -> None:
    office.write(0)
    office.client.put(ORDERS, json={"every": "1h", "tolerance": "0s"})
    office.at(2)
    office.client.put(ORDERS, json={"every": "1d"})
    assert office.ask()["state"] == "fresh"
    assert office.ask(as_of=text(1.5))["state"] == "late"
    assert office.ask(as_of=text(2.5), known_at=text(1))["state"] == "late"
    office.at(3)
    assert office.client.delete(ORDERS).status_code == 204
    asked = office.ask()
    assert (asked["state"], asked["reason"], asked["expectation"]) == ("unknown", "nothing is expected", None)
    assert asked["lastWrite"]["run"]["id"] == "orders-0"
    gone = office.client.delete(ORDERS)
    assert (gone.status_code, gone.json()["error"]) == (404, "not_found")


def test_only_those_are_listed_of_which_something_is_expected(office: Office) -> None:
    for name in ("orders", "other", "third"):
        office.write(0, name)
    for name, every in (("orders", "1h"), ("other", "1d")):
        office.client.put(f"/api/v1/namespaces/db/datasets/{name}/freshness", json={"every": every})
    office.at(2)
    assert office.listed() == [("orders", "late"), ("other", "fresh")]
    assert office.listed(state="late") == [("orders", "late")]
    assert office.listed(state="fresh,late", limit=1, offset=1) == [("other", "fresh")]
    assert office.listed(state="due") == []
    assert office.client.get("/api/v1/freshness", params={"state": "stale"}).status_code == 400


def test_habits_are_told_when_they_are_asked_for(office: Office) -> None:
    days = [day for day in range(21) if day % 7 < 5]
    for day in days:
        office.write(24 * day + 6)
    office.write(3, "rare")
    friday = 24 * 18 + 6
    office.at(friday + 40)
    assert office.listed() == []
    assert office.ask()["expectation"] is None
    asked = office.ask(learned=True)
    assert (asked["state"], asked["dueAt"], asked["setAt"]) == ("fresh", text(friday + 72), None)
    assert asked["habit"] == {
        "pattern": "weekdays",
        "gaps": {"weekday": {"due": "1d", "late": "1d2h24m"}},
        "learnedFrom": 14,
        "confidence": 0.785,
    }
    assert office.listed(learned=True) == [("orders", "fresh")], "one write is no habit"
    office.at(friday + 80)
    assert office.listed(learned=True, state="late") == [("orders", "late")]
    assert office.listed(learned=True, state="late", as_of=text(friday + 40)) == []
    office.client.put(ORDERS.replace("orders", "rare"), json={"learned": True})
    assert office.listed() == [("rare", "unknown")], "somebody asked to learn from it"


def test_what_is_refused_says_why(office: Office) -> None:
    office.write(0)
    wrong = office.client.put(ORDERS, json={"every": "soon"})
    assert (wrong.status_code, wrong.json()["subject"]) == (400, "every")
    assert office.client.put(ORDERS.replace("orders", "unheard"), json={"every": "1h"}).status_code == 404
    assert office.client.get(ORDERS.replace("orders", "unheard")).status_code == 404


def test_a_dataset_may_be_called_as_it_likes(office: Office) -> None:
    name = "s3://lake/freshness"
    office.write(0, name)
    path = f"/api/v1/namespaces/db/datasets/{name.replace('/', '%2F')}"
    assert office.client.put(f"{path}/freshness", json={"every": "1h"}).json()["dataset"]["name"] == name
    assert office.client.get(path).json()["name"] == name
