"""What badges and the overview say of the present rests on events that stay: how checks stand, what is late."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from lineage_hub.lineage.habits import WRITES_KEPT, learn
from tests.conformance.databases import Databases
from tests.oracle import build
from tests.oracle.build import ns
from tests.retention.test_over_http import DAY, Hub, opened

TABLE = "dataset:db:t"
FRESHNESS = "/namespaces/db/datasets/t/freshness"


@pytest.fixture
def hub(databases: Databases) -> Iterator[Hub]:
    with opened(databases) as hub:
        yield hub


def checked(day: float, place: str = "inputFacets", *, job: str = "check", **results: bool) -> build.Body:
    made = [{"assertion": name, "column": "x", "success": success} for name, success in results.items()]
    table = {"namespace": "db", "name": "t", place: {"dataQualityAssertions": build.facet(assertions=made)}}
    return build.complete(day * DAY, job=job, run=int(1_000 + 10 * day), inputs=[table])


def written(*days: float) -> list[build.Body]:
    return [build.complete(day * DAY, job="write", run=int(10 * day), outputs=["t"]) for day in days]


def sweep(hub: Hub, now: float, days: int) -> int:
    assert hub.client.put("/api/v1/retention/default", json={"days": days}).status_code == 200
    hub.clock.now = ns(now * DAY)
    return sum(int(one["removedEvents"]) for one in hub.sweep()["tenants"])


def failing(hub: Hub, **moment: str) -> dict[str, str]:
    found = hub.get("/overview", **moment)["failingChecks"]["items"]
    return {one["assertion"]: one["failingSince"][:10] for one in found}


def day(number: float) -> str:
    return build.at(number * DAY)[:10]


def badge(hub: Hub, **moment: str) -> Any:
    return hub.get("/badges", nodeId=TABLE, **moment)["badges"][0]


@pytest.mark.parametrize("place", ["facets", "inputFacets"])
def test_a_check_that_only_old_events_tell_of_stands_as_it_did(hub: Hub, place: str) -> None:
    for number in range(40):
        # One passes again and again, one has failed since the seventh day, two were made once, long ago.
        once = {"odd": False, "even": True} if number == 3 else {}
        hub.send(checked(number, place, whole=True, broken=number < 7, **once))
    before = badge(hub), failing(hub)
    assert before == (before[0] | {"passing": 2, "failing": 2}, {"odd": day(3), "broken": day(7)})
    assert sweep(hub, 45, 2) > 30
    assert (badge(hub), failing(hub)) == before
    hub.send(checked(46, place, broken=True))
    assert (badge(hub)["passing"], failing(hub)) == (3, {"odd": day(3)})


def test_what_one_check_found_before_it_passed_is_not_part_of_its_failure_now(hub: Hub) -> None:
    """The first event of all stays, and it tells of a failure; so must the success that came after it."""
    hub.send(checked(0, broken=False), *(checked(number, broken=number == 5) for number in range(1, 30)))
    assert failing(hub) == {"broken": day(6)}
    assert sweep(hub, 40, 2) > 20
    assert failing(hub) == {"broken": day(6)}


def test_a_success_that_was_learned_late_still_divides_two_failures(hub: Hub) -> None:
    hub.send(*(checked(number, broken=False) for number in range(10)))
    hub.clock.now = ns(30 * DAY)
    late = checked(4.5, broken=True)
    assert hub.client.post("/api/v1/lineage", json=late).status_code == 201
    assert failing(hub) == {"broken": day(5)}
    # It isn't known for long enough to go, but all the failures are.
    assert sweep(hub, 31, 10) == 7
    assert failing(hub) == {"broken": day(5)}


def test_a_success_that_another_tenant_tells_divides_them_too(hub: Hub) -> None:
    for number in range(10):
        hub.send(checked(number, broken=False))
        if number == 4:
            hub.send(checked(4.5, job="other", broken=True), tenant="team-b")
    assert failing(hub) == {"broken": day(5)}
    assert sweep(hub, 31, 10) == 7
    assert failing(hub) == {"broken": day(5)}


@pytest.mark.parametrize("expected", [{"every": "1d"}, {"cron": "0 6 * * *"}])
def test_what_is_late_by_what_was_set_is_so_to_the_second(hub: Hub, expected: dict[str, str]) -> None:
    hub.send(*written(*range(30)))
    assert hub.client.put(f"/api/v1{FRESHNESS}", json=expected).status_code == 200
    hub.clock.now = ns(60 * DAY)
    before = hub.get(FRESHNESS), badge(hub), hub.get("/overview")["lateDatasets"]
    assert before[0]["state"] == "late"
    assert sweep(hub, 60, 20) > 0
    assert (hub.get(FRESHNESS), badge(hub), hub.get("/overview")["lateDatasets"]) == before


def test_a_dataset_that_stopped_long_before_the_horizon_is_still_late_by_its_habit(hub: Hub) -> None:
    days = [7 * week for week in range(30)]
    hub.send(*written(*days))
    hub.clock.now = ns(400 * DAY)
    before = hub.get(FRESHNESS, learned=True)
    assert (before["state"], before["habit"]["learnedFrom"]) == ("late", 29)
    assert sweep(hub, 400, 30) > 10
    after = hub.get(FRESHNESS, learned=True)
    assert (after["state"], after["habit"]["learnedFrom"]) == ("late", WRITES_KEPT - 1)
    assert {**after, "habit": 0} == {**before, "habit": 0}
    assert (badge(hub)["freshness"], badge(hub)["learned"]) == ("late", True)


def test_a_habit_is_learned_from_writes_between_which_nothing_went(hub: Hub) -> None:
    """The first write of all stays too: the years since then are no gap."""
    days = [0, *(700 + number for number in range(60))]
    hub.send(*written(*days))
    assert sweep(hub, 760, 20) > 20
    found = hub.get(FRESHNESS, learned=True)
    times = [ns(number * DAY) for number in days]
    left = [at for at in times if at > ns(740 * DAY)]
    expected = learn([*[at for at in times if at <= ns(740 * DAY)][-WRITES_KEPT:], *left])
    assert expected is not None
    due_at, late_at = expected.after(times[-1])
    assert found["habit"]["learnedFrom"] == expected.gaps
    assert (found["dueAt"], found["lateAt"]) == tuple(build.at((at - ns(0)) / 10**9) for at in (due_at, late_at))
