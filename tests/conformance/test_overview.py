"""Whether everything is all right: the same on every database, and what a count in plain Python says."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from lineage_hub.model import EVERYTHING, NOW, Moment
from lineage_hub.query.badges import badges
from lineage_hub.query.overview import failing, late, runs, schemas
from lineage_hub.query.overview.overview import overview
from lineage_hub.query.overview.patience import Patience
from lineage_hub.query.queries import Queries
from lineage_hub.store import expectations
from lineage_hub.store.open import LineageStore
from lineage_hub.store.tables import DATASET
from tests.conformance.databases import Sender
from tests.oracle.build import (
    Body,
    abort,
    at,
    complete,
    dataset,
    dataset_event,
    facet,
    fail,
    lifecycle,
    ns,
    run_id,
    running,
    schema,
    start,
)

HOUR = 3600
JOBS, DAYS = 12, 3
PRESENT = DAYS * 24 * HOUR + 1800
STATE = {"COMPLETE": "completed", "FAIL": "failed", "ABORT": "aborted", "START": "running", "RUNNING": "running"}


def history(seed: int) -> list[Body]:
    """Runs of a few jobs, an hour or so apart, that end in every way; each writes a table whose columns change."""
    dice = random.Random(seed)
    events: list[Body] = []
    number = 0
    for job in range(JOBS):
        seconds = dice.randint(0, 2 * HOUR)
        columns = ["id"]
        while seconds < PRESENT:
            number += 1
            ends = dice.choices([complete, fail, abort, running, None], [8, 3, 1, 1, 1])[0]
            if dice.random() < 0.1:
                columns = [*columns, f"c{number}"]
            table = dataset(f"t{job}", schema=schema(*columns))
            parts: dict[str, Any] = {"job": f"j{job}", "run": number, "outputs": [table]}
            events.append(start(seconds, **parts))
            if ends is not None:
                said = {"run_facets": {"errorMessage": facet(message=f"\n  broke {number}\nat line 2")}}
                events.append(ends(seconds + dice.randint(1, 3 * HOUR), **parts, **(said if ends is fail else {})))
            seconds += dice.randint(HOUR // 2, 2 * HOUR)
    return [event for event in events if str(event["eventTime"]) <= at(PRESENT)]


def asked(store: LineageStore, hours: int = 24, now: float = PRESENT, moment: Moment = NOW) -> Any:
    with Queries(store).at(EVERYTHING, moment) as snapshot:
        return overview(snapshot, ns(now), hours)


def test_the_counts_are_those_that_a_plain_count_gives(store: LineageStore, sender: Sender) -> None:
    events = history(seed=4)
    shuffled = [*events, *events[::5]]
    random.Random(1).shuffle(shuffled)
    for at_once in range(0, len(shuffled), 50):
        sender.send(shuffled[at_once : at_once + 50])
    queries = Queries(store)
    for hours, now in ((24, PRESENT), (1, PRESENT), (168, PRESENT), (30, PRESENT - 20 * HOUR)):
        seen = [event for event in events if str(event["eventTime"]) <= at(now)]
        begin = (now // HOUR - hours + 1) * HOUR
        within = [event for event in seen if str(event["eventTime"]) >= at(begin)]
        moment = NOW if now == PRESENT else Moment(as_of=ns(now))
        # Asked twice: what is remembered must say the same.
        for _ in range(2):
            with queries.at(EVERYTHING, moment) as snapshot:
                answer = overview(snapshot, ns(PRESENT), hours)
            assert not answer["truncated"]
            assert (answer["at"], answer["from"]) == (at(now), at(begin))
            assert_runs(answer, seen, within)
            assert_hours(answer, within, begin, hours, now)
            assert_schemas(answer, seen, begin)
            assert answer["counts"] == {"jobs": JOBS, "datasets": JOBS, "namespaces": 2}


def assert_runs(answer: Any, seen: list[Body], within: list[Body]) -> None:
    heard = {event["run"]["runId"] for event in within}
    last = {event["run"]["runId"]: event for event in sorted(seen, key=lambda one: str(one["eventTime"]))}
    states = Counter(STATE[str(last[run]["eventType"])] for run in heard)
    expected = {**dict.fromkeys(("completed", "failed", "aborted", "running", "new"), 0), **states}
    assert answer["runs"] == {**expected, "total": len(heard), "truncated": False}
    failed = [last[run] for run in heard if last[run]["eventType"] == "FAIL"]
    by_name = sorted(failed, key=lambda one: (one["job"]["name"], one["run"]["runId"]))
    newest = sorted(by_name, key=lambda one: str(one["eventTime"]), reverse=True)[:10]
    assert answer["failedRuns"]["count"] == len(failed)
    assert answer["failedRuns"]["items"] == [
        {
            "run": one["run"]["runId"],
            "job": {"namespace": "jobs", "name": one["job"]["name"]},
            "failedAt": one["eventTime"],
            "error": f"broke {int(one['run']['runId'][-12:])}",
        }
        for one in newest
    ]


def assert_hours(answer: Any, within: list[Body], begin: float, hours: int, now: float) -> None:
    edges = [at(begin + number * HOUR) for number in range(hours + 1)]
    counts = [sum(low <= str(event["eventTime"]) < high for event in within) for low, high in pairwise(edges)]
    assert [one["events"] for one in answer["events"]["perHour"]] == counts
    assert [one["from"] for one in answer["events"]["perHour"]] == edges[:-1]
    assert answer["events"]["total"] == len(within)
    recent = [event for event in within if str(event["eventTime"]) > at(now - 300)]
    assert answer["events"]["perMinute"] == len(recent) / 5


def assert_schemas(answer: Any, seen: list[Body], begin: float) -> None:
    """Columns are only ever added; a run that began with fewer may end after another that has more."""
    changes: list[tuple[str, str, int, int, list[tuple[str, str]]]] = []
    for job in range(JOBS):
        told = sorted([one for one in seen if one["job"]["name"] == f"j{job}"], key=lambda one: str(one["eventTime"]))
        before: list[str] | None = None
        for event in told:
            columns = [one["name"] for one in event["outputs"][0]["facets"]["schema"]["fields"]]
            if before is not None and columns != before and str(event["eventTime"]) >= at(begin):
                more, fewer = set(columns) - set(before), set(before) - set(columns)
                named = [("added", one) for one in columns if one in more]
                named += [("removed", one) for one in before if one in fewer]
                changes.append((str(event["eventTime"]), f"t{job}", len(more), len(fewer), named[:3]))
            before = columns
    assert answer["schemaChanges"]["count"] == len(changes)
    items = answer["schemaChanges"]["items"]
    shown = [
        (
            *(one["at"], one["dataset"]["name"], one["added"], one["removed"]),
            [(each["how"], each["column"]) for each in one["columns"]],
        )
        for one in items
    ]
    by_name = sorted(changes, key=lambda one: one[1])
    assert shown == sorted(by_name, key=lambda one: one[0], reverse=True)[:10]


def hourly(name: str, until: int, first_run: int) -> list[Body]:
    return [complete(hour * HOUR, job=f"makes {name}", run=first_run + hour, outputs=[name]) for hour in range(until)]


def test_a_dataset_that_misses_its_habit_or_what_is_expected_of_it_is_late(store: LineageStore, sender: Sender) -> None:
    """Written each hour until the tenth, it is late at the twentieth; one that goes on is fresh."""
    sender.send([*hourly("stopped", 10, 100), *hourly("goes on", 21, 200), *hourly("promised", 2, 300)])
    sender.send([dataset_event(0, "read only")])

    def expect(name: str, body: bytes) -> None:
        with Queries(store).at(EVERYTHING, NOW) as snapshot:
            found = snapshot.reader.find(DATASET, "db", name)
        assert found is not None
        sender.write(lambda connection: expectations.put(connection, EVERYTHING, found, body, ns(HOUR)))

    expect("promised", b'{"every":"2h","tolerance":"1h"}')
    answer = asked(store, now=20 * HOUR)["lateDatasets"]
    assert (answer["count"], answer["truncated"]) == (2, False)
    stopped, promised = answer["items"]
    assert promised == {
        "dataset": {"namespace": "db", "name": "promised"},
        "dueAt": at(3 * HOUR),
        "lateSince": at(4 * HOUR),
        "lateS": 16.0 * HOUR,
        "learned": False,
    }
    assert (stopped["dataset"]["name"], stopped["learned"], stopped["dueAt"]) == ("stopped", True, at(10 * HOUR))
    assert asked(store, now=9 * HOUR + 60, moment=Moment(as_of=ns(9 * HOUR + 60)))["lateDatasets"]["count"] == 1
    nodes = ["dataset:db:stopped", "dataset:db:goes on", "dataset:db:promised", "dataset:db:read only"]
    with Queries(store).at(EVERYTHING, NOW) as snapshot:
        shown = badges(snapshot, nodes, ns(20 * HOUR))["badges"]
    assert [(one["freshness"], one["learned"]) for one in shown] == [
        ("late", True),
        ("fresh", True),
        ("late", False),
        ("unknown", False),
    ]
    sender.send([complete(20 * HOUR, job="makes stopped", run=999, outputs=["stopped"])])
    assert [one["dataset"]["name"] for one in asked(store, now=20 * HOUR)["lateDatasets"]["items"]] == ["promised"]
    sender.send([dataset_event(20 * HOUR, "promised", lifecycleStateChange=lifecycle("DROP"))])
    assert asked(store, now=20 * HOUR)["lateDatasets"]["count"] == 0


def check(seconds: float, run: int, name: str, **succeeded: bool) -> Body:
    told = facet(assertions=[{"assertion": one, "success": held, "column": "c"} for one, held in succeeded.items()])
    checked = {**dataset(name), "inputFacets": {"dataQualityAssertions": told}}
    return complete(seconds, job="tests", run=run, inputs=[checked])


def test_checks_that_fail_at_present_are_told_with_since_when(store: LineageStore, sender: Sender) -> None:
    queries = Queries(store)

    def told() -> Any:
        with queries.at(EVERYTHING, NOW) as snapshot:
            return overview(snapshot, ns(100 * HOUR), 24)["failingChecks"]

    assert told() == {"count": 0, "items": [], "truncated": False, "passing": 0}
    sender.send([
        check(1, 1, "a", unique=True, not_null=False),
        check(2, 2, "a", unique=False, not_null=False),
        check(3, 3, "a", unique=False),
        check(4, 4, "b", unique=True),
        *(complete(5 + number, job="other", run=50 + number, inputs=["a"]) for number in range(3)),
    ])  # fmt: skip
    item = {"dataset": {"namespace": "db", "name": "a"}, "column": "c"}
    assert told() == {
        "count": 2,
        "items": [
            {**item, "assertion": "unique", "failingSince": at(2)},
            {**item, "assertion": "not_null", "failingSince": at(1)},
        ],
        "truncated": False,
        "passing": 1,
    }
    sender.send([check(9, 5, "a", not_null=True)])
    assert [one["assertion"] for one in told()["items"]] == ["unique"]
    with queries.at(EVERYTHING, Moment(as_of=ns(1))) as snapshot:
        then = badges(snapshot, ["dataset:db:a", "dataset:db:b"], ns(100))
    assert [(one["id"], one["passing"], one["failing"]) for one in then["badges"]] == [("dataset:db:a", 1, 1)]
    assert then["unknown"] == ["dataset:db:b"]


def test_producers_that_are_silent_for_longer_than_usual_are_told(store: LineageStore, sender: Sender) -> None:
    spoken = [{**complete(hour * HOUR, job="a", run=hour), "producer": "steady"} for hour in range(40)]
    spoken += [{**complete(hour * HOUR + 60, job="b", run=100 + hour), "producer": "stopped"} for hour in range(10)]
    sender.send(spoken)
    queries = Queries(store)
    for now, silent in ((39 * HOUR + 600, 29 * HOUR + 540 + HOUR), (39 * HOUR + 1200, 29 * HOUR + 1140 + HOUR)):
        with queries.at(EVERYTHING, NOW) as snapshot:
            answer = overview(snapshot, ns(now), 24)["silentProducers"]
        (one,) = answer["items"]
        assert (one["producer"], one["lastEventAt"], one["usualGapS"]) == ("stopped", at(9 * HOUR + 60), 1.0 * HOUR)
        assert one["silentForS"] == pytest.approx(silent)
    sender.send([{**complete(38 * HOUR, job="late", run=500), "producer": "stopped"}])
    with queries.at(EVERYTHING, NOW) as snapshot:
        (one,) = overview(snapshot, ns(39 * HOUR + 1200), 24)["silentProducers"]["items"]
    assert (one["producer"], one["lastEventAt"]) == ("stopped", at(38 * HOUR))


def test_a_run_whose_job_was_renamed_meanwhile_counts_once(store: LineageStore, sender: Sender) -> None:
    sender.send([start(1, job="old name", run=1), fail(2, job="new name", run=1), start(3, job="k", run=2)])
    answer = asked(store, now=10)
    assert answer["runs"] == {
        "total": 2, "completed": 0, "failed": 1, "aborted": 0, "running": 1, "new": 0, "truncated": False
    }  # fmt: skip
    assert [one["run"] for one in answer["failedRuns"]["items"]] == [run_id(1)]


def test_too_much_to_look_at_is_said_and_known_after_a_few_answers(
    store: LineageStore, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bounds are lowered, so that a small history meets them."""
    sender.send(history(seed=5))
    sender.send([check(PRESENT - 60, 9_000 + number, f"t{number}", unique=number % 2 == 0) for number in range(JOBS)])
    whole = asked(store)
    assert not whole["truncated"]
    for module, bound, low in (
        (runs, "MOST_RUNS", 40),
        (runs, "_TOGETHER", 2),
        (late, "MOST_WRITES", 50),
        (failing, "MOST_TEXTS", 100),
        (failing, "MOST_READ", 5),
        (schemas, "MOST_DATASETS", 5),
        (schemas, "MOST_READ", 1),
    ):
        monkeypatch.setattr(module, bound, low)
    queries = Queries(store)
    found: list[Any] = []
    while not found or (found[-1]["truncated"] and len(found) < 60):
        with queries.at(EVERYTHING, NOW) as snapshot:
            found.append(overview(snapshot, ns(PRESENT), 24))
    assert found[0]["truncated"]
    assert found[0]["runs"]["total"] < whole["runs"]["total"]
    assert found[-1] == whole


def test_what_an_answer_has_no_patience_for_is_looked_at_meanwhile(store: LineageStore, sender: Sender) -> None:
    sender.send(history(seed=6))
    sender.send([check(PRESENT - 60, 9_000 + number, f"t{number}", unique=number % 2 == 0) for number in range(JOBS)])
    whole = asked(store)
    queries = Queries(store)

    def at_once() -> Any:
        with queries.at(EVERYTHING, NOW) as snapshot:
            return overview(snapshot, ns(PRESENT), 24, Patience(0.0))

    first = at_once()
    assert (first["truncated"], first["runs"]["total"]) == (True, 0)
    assert first["counts"] == whole["counts"]
    assert first["events"] == whole["events"]
    going_on = queries.lately.going_on
    going_on.go_on(queries, lambda: ns(PRESENT), 24)
    if (working := going_on.working) is not None:
        working.join(60)
    assert at_once() == whole
    # An event makes only what it speaks of unknown.
    sender.send([fail(PRESENT - 1, job="j0", run=77_777)])
    again = at_once()
    assert again["runs"]["truncated"]
    assert 0 < again["runs"]["total"] < whole["runs"]["total"]
    assert (again["schemaChanges"], again["failingChecks"]) == (whole["schemaChanges"], whole["failingChecks"])
    with queries.at(EVERYTHING, NOW) as snapshot:
        assert overview(snapshot, ns(PRESENT), 24)["failedRuns"]["count"] == whole["failedRuns"]["count"] + 1


def test_a_longer_stretch_and_a_shorter_one_after_it_are_told_right(store: LineageStore, sender: Sender) -> None:
    sender.send(history(seed=8))
    queries = Queries(store)
    for hours in (6, 168, 24, 1, 168):
        with queries.at(EVERYTHING, NOW) as snapshot:
            assert overview(snapshot, ns(PRESENT), hours) == asked(store, hours)


def test_badges_tell_the_last_run_of_jobs(store: LineageStore, sender: Sender) -> None:
    sender.send([start(1, job="a", run=1), complete(2, job="a", run=1), fail(3, job="b", run=2)])
    sender.send([start(4, job="a", run=3)])
    with Queries(store).at(EVERYTHING, NOW) as snapshot:
        answer = badges(snapshot, ["job:jobs:a", "job:jobs:b", "job:jobs:none", "job:jobs:a"], ns(10))
    assert [(one["id"], one["lastRunState"]) for one in answer["badges"]] == [
        ("job:jobs:a", "RUNNING"),
        ("job:jobs:b", "FAILED"),
    ]
    assert answer["unknown"] == ["job:jobs:none"]
