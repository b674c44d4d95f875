"""A hub with retention on, as its users meet it: settings, routes, 410, dead letters, late events, two hubs."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import pytest
from starlette.testclient import TestClient

from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings, load_settings
from lineage_hub.store import tables
from tests.conformance.databases import Databases, count
from tests.oracle import build
from tests.oracle.build import ns
from tests.properties.hubs import Clock, text_of

DAY = 86_400


class Hub:
    def __init__(self, client: TestClient, clock: Clock, settings: Settings) -> None:
        self.client, self.clock, self.settings = client, clock, settings

    def send(self, *bodies: build.Body, tenant: str = "default") -> None:
        """Each when it happened."""
        for body in bodies:
            self.clock.now = ns(0) + _seconds(body) * 10**9
            envelope = {"namespace": tenant, "events": [body]}
            answer = self.client.post("/api/v1/lineage/ingest", content=json.dumps(envelope))
            assert answer.json()["accepted"] == 1, answer.text

    def get(self, path: str, **params: Any) -> Any:
        answer = self.client.get(f"/api/v1{path}", params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def sweep(self, **params: str) -> Any:
        """A hub that has been up for a while may be at it by itself: then what it did is in the totals of tenants."""
        until = time.monotonic() + 100
        while (answer := self.client.post("/api/v1/retention/sweep", params=params)).status_code == 409:
            assert time.monotonic() < until, answer.text
            time.sleep(0.02)
        assert answer.status_code == 202, answer.text
        while (found := self.get("/retention"))["sweep"]["running"] and time.monotonic() < until:
            time.sleep(0.02)
        assert not found["sweep"]["running"], found
        assert found["sweep"]["error"] is None, found
        return found


def _seconds(body: build.Body) -> int:
    return int((datetime.fromisoformat(body["eventTime"]) - build.ZERO).total_seconds())


def runs(days: int, job: str = "daily", first: int = 0) -> list[build.Body]:
    """One a day, all of them alike."""
    found = []
    for day in range(days):
        found.append(build.start(day * DAY, job=job, run=first + day))
        found.append(build.complete(day * DAY + 60, job=job, run=first + day, inputs=["a"], outputs=["b"]))
    return found


@pytest.fixture
def hub(databases: Databases) -> Iterator[Hub]:
    with opened(databases) as hub:
        yield hub


@contextmanager
def opened(databases: Databases, **flags: Any) -> Iterator[Hub]:
    database = databases.new()
    clock = Clock(ns(0))
    settings = load_settings(
        {
            "data_dir": database.settings.data_dir,
            "database_url": database.settings.database_url,
            "log_level": "error",
            **flags,
        },
        environ={},
    )
    with TestClient(create_app(settings, clock=clock)) as client:
        yield Hub(client, clock, settings)


def at(day: float) -> str:
    return text_of(ns(day * DAY))


def test_nothing_goes_unless_it_was_asked_for(hub: Hub) -> None:
    hub.send(*runs(20))
    hub.clock.now = ns(4000 * DAY)
    assert hub.sweep()["sweep"]["eventsRemoved"] == 0
    assert hub.get("/events/lineage")["totalCount"] == 40
    assert "horizon" not in hub.get("/events/lineage")


def test_old_runs_go_and_the_present_stays(hub: Hub) -> None:
    hub.send(*runs(60))
    lineage = hub.get("/lineage", nodeId="dataset:db:b")
    dataset, job = hub.get("/namespaces/db/datasets/b"), hub.get("/namespaces/jobs/jobs/daily")
    edge = lineage["graph"][0]["outEdges"][0]["id"]
    evidence = hub.get(f"/edges/{edge}/evidence")
    assert hub.client.put("/api/v1/retention/default", content=b'{"days": 10}').status_code == 200
    hub.clock.now = ns(60 * DAY)
    swept = hub.sweep()
    [tenant] = swept["tenants"]
    assert (tenant["days"], tenant["setBy"]) == (10, "tenant")
    assert tenant["horizon"] == at(50).replace(".000000000", "")
    # Of the first fifty days' runs the first and the last twelve stay.
    assert tenant["removedEvents"] == 2 * 37
    assert hub.get("/lineage", nodeId="dataset:db:b") == lineage
    assert hub.get("/namespaces/db/datasets/b") == dataset
    after = hub.get("/namespaces/jobs/jobs/daily")
    assert {**after, "latestRuns": 0} == {**job, "latestRuns": 0}
    told = hub.get(f"/edges/{edge}/evidence")
    assert [told[key] for key in ("firstSeen", "lastSeen")] == [evidence[key] for key in ("firstSeen", "lastSeen")]
    assert (told["totalCount"], told["horizon"]) == (23, tenant["horizon"])
    listed = hub.get("/namespaces/jobs/jobs/daily/runs")
    assert (listed["totalCount"], listed["horizon"]) == (23, tenant["horizon"])
    assert hub.sweep()["sweep"]["eventsRemoved"] == 0


def test_a_moment_before_the_horizon_is_gone_and_the_horizon_is_told(hub: Hub) -> None:
    hub.send(*runs(20))
    hub.client.put("/api/v1/retention/default", content=b'{"days": 5}')
    hub.clock.now = ns(20 * DAY)
    hub.sweep()
    horizon = at(15).replace(".000000000", "")
    for clock in ("as_of", "known_at"):
        gone = hub.client.get("/api/v1/lineage", params={"nodeId": "dataset:db:b", clock: at(14.99)})
        assert (gone.status_code, gone.json()["error"], gone.json()["subject"]) == (410, "gone", horizon)
        assert gone.json()["action"]
        assert hub.get("/lineage", nodeId="dataset:db:b", **{clock: horizon})["graph"]
    diff = hub.client.get("/api/v1/lineage/diff", params={"nodeId": "dataset:db:b", "from": at(3)})
    assert diff.status_code == 410


def test_each_tenant_has_its_own_days(databases: Databases) -> None:
    with opened(databases, lineage_retention_days=50, lineage_retention="team-b=5,team-c=7") as hub:
        for number, tenant in enumerate(("default", "team-b", "team-c")):
            hub.send(*runs(40, job=f"of {tenant}", first=100 * number), tenant=tenant)
        hub.client.put("/api/v1/retention/team-c", content=b'{"days": 0}')
        hub.clock.now = ns(40 * DAY)
        found = {one["tenant"]: one for one in hub.sweep()["tenants"]}
        assert {name: (one["days"], one["setBy"], one["removedEvents"]) for name, one in found.items()} == {
            "default": (50, "default", 0),
            "team-b": (5, "lineage_retention", 2 * 22),
            "team-c": (0, "tenant", 0),
        }
        assert hub.client.delete("/api/v1/retention/team-c").status_code == 204
        found = {one["tenant"]: one for one in hub.sweep(tenant="team-c")["tenants"]}
        assert (found["team-c"]["setBy"], found["team-c"]["removedEvents"]) == ("lineage_retention", 2 * 20)


def test_what_no_event_leads_to_any_more_goes_and_comes_back_when_it_is_told_again(hub: Hub) -> None:
    schemas = [
        build.complete(day * DAY, job="j", run=day, outputs=[build.dataset("b", schema=build.schema(f"f{day}"))])
        for day in range(30)
    ]
    hub.send(*schemas)
    store = hub.client.app.state.store  # type: ignore[attr-defined]
    before = count(store, tables.shape), count(store, tables.blob)
    hub.client.put("/api/v1/retention/default", content=b'{"days": 5}')
    hub.clock.now = ns(30 * DAY)
    hub.sweep()
    after = count(store, tables.shape), count(store, tables.blob)
    assert [was - now for was, now in zip(before, after, strict=True)] == [13, 13]
    # The writer had this shape in its memory.
    again = build.complete(31 * DAY, job="j", run=99, outputs=[build.dataset("b", schema=build.schema("f7"))])
    hub.send(again)
    assert [field["name"] for field in hub.get("/namespaces/db/datasets/b")["fields"]] == ["f7"]
    assert (count(store, tables.shape), count(store, tables.blob)) == (after[0] + 1, after[1] + 1)


def test_a_second_hub_on_the_database_forgets_what_the_first_removed(databases: Databases) -> None:
    schemas = [
        build.complete(day * DAY, job="j", run=day, outputs=[build.dataset("b", schema=build.schema(f"f{day}"))])
        for day in range(25)
    ]
    clock = Clock()
    with opened(databases) as first, TestClient(create_app(first.settings, clock=clock)) as client:
        second = Hub(client, clock, first.settings)
        second.send(*schemas)
        first.client.put("/api/v1/retention/default", content=b'{"days": 3}')
        first.clock.now = ns(25 * DAY)
        assert first.sweep()["tenants"][0]["removedEvents"] > 5
        second.send(build.complete(26 * DAY, job="j", run=99, outputs=[build.dataset("b", schema=build.schema("f5"))]))
        for hub in (first, second):
            assert [field["name"] for field in hub.get("/namespaces/db/datasets/b")["fields"]] == ["f5"]
        gone = second.client.get("/api/v1/jobs", params={"as_of": at(2)})
        assert gone.status_code == 410


def test_dead_letters_go_by_their_age(hub: Hub) -> None:
    for day in (0, 1, 8):
        hub.clock.now = ns(day * DAY)
        assert hub.client.post("/api/v1/lineage", content=b'{"no": "event %d"}' % day).status_code == 400
    hub.client.put("/api/v1/retention/default", content=b'{"days": 5}')
    hub.clock.now = ns(10 * DAY)
    assert hub.sweep()["sweep"]["deadLettersRemoved"] == 2
    [left] = hub.get("/dead-letters")["deadLetters"]
    assert "event 8" in left["excerpt"]


def test_a_late_event_from_before_the_horizon_counts_with_a_warning(hub: Hub) -> None:
    hub.send(*runs(20))
    hub.client.put("/api/v1/retention/default", content=b'{"days": 5}')
    hub.clock.now = ns(20 * DAY)
    hub.sweep()
    late = build.complete(2 * DAY, job="forgotten", run=500, outputs=["only there"])
    answer = hub.client.post("/api/v1/lineage", content=json.dumps(late)).json()
    assert hub.get("/namespaces/db/datasets/only there")["name"] == "only there"
    warned = hub.get(f"/events/{answer['eventId']}")["warnings"]
    assert any("horizon" in one["warning"] for one in warned)
    assert hub.sweep()["sweep"]["eventsRemoved"] == 0


@pytest.mark.parametrize(
    "body", [b"{}", b'{"days": -1}', b'{"days": "5"}', b'{"days": 1.5}', b'{"days": 5, "more": 1}', b"nonsense"]
)
def test_what_can_not_be_a_number_of_days_is_refused(hub: Hub, body: bytes) -> None:
    answer = hub.client.put("/api/v1/retention/default", content=body)
    assert (answer.status_code, answer.json()["subject"]) == (400, "days")
    assert hub.client.put("/api/v1/retention/No Tenant", content=b'{"days": 1}').json()["subject"] == "tenant"
