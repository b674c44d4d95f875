"""Questions of Marquez's API are answered with Marquez's codes and members, on every database."""

import json

import pytest

from tests.conformance.databases import Database
from tests.conformance.reference import DAY, RECORDED, Api, members
from tests.oracle.build import (
    STREAMING,
    Body,
    at,
    columns,
    complete,
    dataset,
    dataset_event,
    facet,
    fail,
    parent,
    run_event,
    run_id,
    schema,
    start,
    version,
)

WAREHOUSE, SCHEDULER = "postgres://wh.acme.example:5432", "airflow-prod-0"
RUN = "d77ffd80-b0b2-4afb-a1c8-ff8a353a5f02"


@pytest.fixture
def api(database: Database) -> Api:
    api = Api(database.hub())
    api.now(0)
    return api


def recorded_history() -> list[Body]:
    """What the recorded requests ask about, as small as it can be."""

    def made_from(source: str, namespace: str) -> Body:
        told = columns(score=f"{source}.score", amount=f"{source}.amount")
        for field in told["fields"].values():
            field["inputFields"][0]["namespace"] = namespace
        return told

    table = dataset("dom_000.l2_table_000", WAREHOUSE, schema=schema("score", "amount"))
    table["facets"]["columnLineage"] = made_from("raw", "s3://lake")
    mart = dataset("dom_000.l3_table_000", WAREHOUSE, schema=schema("score", "amount"))
    mart["facets"]["columnLineage"] = made_from("dom_000.l2_table_000", WAREHOUSE)
    mart["facets"]["tags"] = facet(tags=[{"key": "PII", "value": "true"}])
    mart["outputFacets"] = {"outputStatistics": facet(rowCount=3)}
    nominal = facet(nominalStartTime=at(0))
    events: list[Body] = []
    for number, (job, run, inputs, outputs) in enumerate(
        (
            ("dag_000", run_id(90), [], []),
            ("dag_000.task_l2_0", run_id(91), [dataset("raw", "s3://lake")], [table]),
            ("dag_000.task_l3_0", RUN, [dataset("dom_000.l2_table_000", WAREHOUSE)], [mart]),
        )
    ):
        for event in (start(number * 10), complete(number * 10 + 5, inputs=inputs, outputs=outputs)):
            event["job"] = {"namespace": SCHEDULER, "name": job, "facets": {}}
            above = parent("dag_000", run=90)
            above["job"]["namespace"] = SCHEDULER
            event["run"] = {"runId": run, "facets": {"nominalTime": nominal} | ({"parent": above} if number else {})}
            events.append(event)
    return events


def test_every_recorded_request_is_answered_with_its_status_and_its_members(api: Api) -> None:
    api.send(*recorded_history())
    lacking = {}
    for one in json.loads(RECORDED.read_text()):
        method, _, url = one["request"].partition(" ")
        content = {"json": one["body"]} if "body" in one else {}
        answer = api.hub.call(method, url.removeprefix("/api/v1"), **content)
        assert answer.status_code == one["status"], f"{one['request']}: {answer.text}"
        if missing := set(one["members"]) - members(answer.json()):
            lacking[one["request"]] = missing
    assert lacking == {}


def test_what_marquez_fails_at_is_answered(api: Api) -> None:
    """Of these Marquez answers each with 500."""
    api.send(complete(1, outputs=["a"]), complete(2, job="k", run=2, inputs=["a"], outputs=["b"]))
    api.refused(400, "POST", "lineage", body={**complete(3), "eventTime": "yesterday"})
    api.refused(400, "POST", "lineage", body=[complete(3)])
    assert [one["connectionUrl"] for one in api.get("sources")["sources"]] == [""]
    assert [one["run"]["id"] for one in api.get("runlineage", "upstream", runId=run_id(2))["runs"]] == [
        run_id(2),
        run_id(1),
    ]


def test_the_runs_upstream_of_a_run_are_those_that_wrote_what_it_read(api: Api) -> None:
    api.send(
        complete(1, job="load", run=1, inputs=["lake"], outputs=["raw"]),
        complete(2, job="load", run=2, inputs=["lake"], outputs=["raw"]),
        complete(3, job="clean", run=3, inputs=["raw"], outputs=["orders"]),
        complete(9, job="load", run=4, inputs=["lake"], outputs=["raw"]),
        complete(10, job="report", run=5, inputs=["orders", "raw"], outputs=["report"]),
        run_event("OTHER", 11, job="named", run=6, inputs=[dataset("raw", version=version("v7"))]),
    )
    answer = api.get("runlineage", "upstream", runId=run_id(5))
    assert [(one["job"]["name"], one["run"]["id"]) for one in answer["runs"]] == [
        ("report", run_id(5)),
        ("clean", run_id(3)),
        ("load", run_id(4)),
        ("load", run_id(2)),
    ]
    first = answer["runs"][0]
    assert first["run"] == {"id": run_id(5), "start": at(10), "end": at(10), "status": "COMPLETED"}
    assert [(one["name"], one["producedByRunId"]) for one in first["inputs"]] == [
        ("orders", run_id(3)),
        ("raw", run_id(4)),
    ]
    raw = api.get("namespaces", "db", "datasets", "raw", "versions")["versions"]
    of_run = {one["createdByRun"]["id"]: one["version"] for one in raw if one["createdByRun"]}
    assert first["inputs"][1]["version"] == of_run[run_id(4)]
    assert first["job"]["version"] == api.get("namespaces", "jobs", "jobs", "report")["currentVersion"]
    assert (answer["truncated"], answer["hidden_runs"]) == (False, 0)
    assert [one["name"] for one in answer["runs"][-1]["inputs"]] == ["lake"]
    assert answer["runs"][-1]["inputs"][0]["producedByRunId"] is None

    near = api.get("runlineage", "upstream", runId=run_id(5), depth=0)
    assert [one["run"]["id"] for one in near["runs"]] == [run_id(5)]
    (named,) = api.get("runlineage", "upstream", runId=run_id(6))["runs"]
    assert (named["run"]["start"], named["run"]["status"]) == (None, "NEW")
    assert named["inputs"][0]["producedByRunId"] is None
    assert named["inputs"][0]["version"] in {one["version"] for one in raw}
    api.refused(404, "GET", "runlineage", "upstream", runId="nobody's")
    api.refused(404, "GET", "runlineage", "upstream", runId=run_id(5), as_of=at(9))
    api.refused(400, "GET", "runlineage", "upstream")
    api.refused(400, "GET", "runlineage", "upstream", runId=run_id(5), depth=-1)


def test_a_child_job_answers_to_both_spellings_and_a_real_job_wins(api: Api) -> None:
    above = {"parent": parent("dag")}
    told = columns(x="a.x")
    api.send(
        complete(1, job="task", run_facets=above, inputs=["a"], outputs=[dataset("b", columnLineage=told)]),
        complete(2, job="app", run=2, run_facets={"parent": parent("task")}),
    )
    own = api.get("namespaces", "jobs", "jobs", "task")
    assert (own["name"], own["simpleName"], own["parentJobName"]) == ("task", "task", "dag")
    assert api.get("namespaces", "jobs", "jobs", "dag.task") == own
    for what in ("runs", "versions"):
        assert api.get("namespaces", "jobs", "jobs", "dag.task", what) == api.get(
            "namespaces", "jobs", "jobs", "task", what
        )
    assert api.nodes("job:jobs:dag.task") == api.nodes("job:jobs:task") == {
        "job:jobs:task", "dataset:db:a", "dataset:db:b",
    }  # fmt: skip
    assert api.get("column-lineage", nodeId="job:jobs:dag.task") == api.get("column-lineage", nodeId="job:jobs:task")
    assert api.get("namespaces", "jobs", "jobs", "dag.task.app")["name"] == "app"
    assert api.get("namespaces", "jobs", "jobs", "task.app")["name"] == "app"
    api.refused(404, "GET", "namespaces", "jobs", "jobs", "other.task")
    assert api.ok("POST", "namespaces", "jobs", "jobs", "dag.task", "tags", "hot")["name"] == "task"
    assert api.ok("PUT", "namespaces", "jobs", "jobs", "dag.task", body={"type": "BATCH"})["name"] == "task"
    assert "dag.task" not in api.names("jobs")

    api.send(complete(3, job="dag.task", run=3, outputs=["c"]))
    assert api.get("namespaces", "jobs", "jobs", "dag.task")["name"] == "dag.task"
    assert api.nodes("job:jobs:dag.task") == {"job:jobs:dag.task", "dataset:db:c"}


def test_a_child_job_keeps_its_longer_name_when_a_run_of_it_has_no_parent(api: Api) -> None:
    api.send(
        complete(1, job="task", run_facets={"parent": parent("dag")}),
        complete(2, job="task", run=2, run_facets={"parent": parent("backfill")}),
        complete(3, job="task", run=3),
    )
    for name in ("dag.task", "backfill.task"):
        assert api.get("namespaces", "jobs", "jobs", name)["name"] == "task"
        assert api.get("badges", nodeId=f"job:jobs:{name}")["badges"][0]["lastRunState"] == "COMPLETED"
    api.refused(404, "GET", "namespaces", "jobs", "jobs", "backfill.task", as_of=at(1))
    api.refused(404, "GET", "namespaces", "jobs", "jobs", "dag.backfill.task")
    assert api.get("badges", nodeId="job:jobs:other.task")["unknown"] == ["job:jobs:other.task"]


def test_a_run_id_that_jobs_share_answers_with_the_latest_and_lists_the_others(api: Api) -> None:
    api.send(
        start(1, job="first", run=7),
        complete(2, job="first", run=7),
        start(3, job="second", run=7),
        start(2, job="third", run=7),
    )
    run = api.get("jobs", "runs", run_id(7))
    assert (run["job"]["name"], run["state"]) == ("second", "RUNNING")
    assert [one["name"] for one in run["sharedWith"]] == ["third", "first"]
    assert api.ok("POST", "jobs", "runs", run_id(7), "complete", at=at(9))["job"]["name"] == "second"


def test_a_run_that_only_its_children_tell_of_answers_by_its_id(api: Api) -> None:
    """As it is listed: the scheduler's own events may be switched off."""
    api.send(
        start(5, job="load", run=1, run_facets={"parent": parent("dag", run=7)}),
        complete(9, job="load", run=1, run_facets={"parent": parent("dag", run=7)}),
        complete(6, job="check", run=2, run_facets={"parent": parent("dag", run=7)}),
    )
    (listed,) = api.get("namespaces", "jobs", "jobs", "dag", "runs")["runs"]
    dag = {"namespace": "jobs", "name": "dag"}
    assert api.get("jobs", "runs", run_id(7)) == {**listed, "job": dag}
    assert (listed["namedOnly"], listed["createdAt"], listed["updatedAt"]) == (True, at(5), at(9))
    for kind in ("run", "job"):
        assert api.get("jobs", "runs", run_id(7), "facets", type=kind) == {"runId": run_id(7), "facets": {}}
    api.refused(400, "GET", "jobs", "runs", run_id(7), "facets", type="x")
    parts = api.get("runs", run_id(7), "children")["children"]
    assert [(one["id"], one["parent"], one["job"]["name"]) for one in parts] == [
        (run_id(1), run_id(7), "load"), (run_id(2), run_id(7), "check"),
    ]  # fmt: skip
    api.refused(404, "GET", "jobs", "runs", run_id(7), as_of=at(4))
    api.send(complete(10, job="other", run=3, run_facets={"parent": parent("another", run=7)}))
    assert api.get("jobs", "runs", run_id(7))["sharedWith"] == [dag]
    api.send(start(4, job="dag", run=7))
    assert api.get("jobs", "runs", run_id(7))["state"] == "RUNNING"
    for part in ((), ("facets",)):
        api.refused(404, "GET", "jobs", "runs", run_id(8), *part)
    api.refused(404, "GET", "runs", run_id(8), "children")


def test_column_lineage_of_a_job_is_that_of_all_that_it_writes_and_a_version_that_of_its_moment(api: Api) -> None:
    old = [dataset("b", columnLineage=columns(x="a.x")), dataset("c", columnLineage=columns(z="a.z"))]
    new = [dataset("b", columnLineage=columns(x="a.y"))]
    api.send(complete(1, inputs=["a"], outputs=old), complete(5, run=2, inputs=["a"], outputs=new))

    def sources(node: str) -> set[str]:
        graph = api.get("column-lineage", nodeId=node)["graph"]
        return {one["id"].removeprefix("datasetField:db:") for one in graph}

    first, second = sorted(api.get("namespaces", "db", "datasets", "b", "versions")["versions"], key=_created)
    assert sources("dataset:db:b") == sources("job:jobs:j") == {"a:y", "b:x"}
    assert sources(f"dataset:db:b#{second['version']}") == {"a:y", "b:x"}
    assert sources(f"dataset:db:b#{first['version']}") == {"a:x", "b:x"}
    assert sources(f"datasetField:db:b:x#{first['version']}") == {"a:x", "b:x"}
    older = api.get("jobs", "runs", run_id(1))["jobVersion"]["version"]
    assert sources(f"job:jobs:j#{older}") == {"a:x", "b:x", "a:z", "c:z"}
    api.refused(404, "GET", "column-lineage", nodeId=f"dataset:db:b#{run_id(1)}")


def _created(version: dict[str, str]) -> str:
    return version["createdAt"]


def test_counts_over_time(api: Api) -> None:
    """The hub's clock stands at half past twelve on the 8th of January, in Berlin an hour later."""
    api.send(
        complete(0, outputs=["a"]),
        start(7 * DAY - 3600, run=2),
        fail(7 * DAY + 1, run=2),
        start(7 * DAY + 12 * 3600, run=3, job="k", inputs=["b"]),
        run_event("ABORT", 7 * DAY + 12 * 3600 + 1799, run=3, job="k"),
        run_event("RUNNING", 7 * DAY + 12 * 3600 + 1799, run=4, job="k"),
        dataset_event(7 * DAY + 5 * 3600, "c", dataSource=facet(name="wh", uri="postgres://wh:5432/x")),
    )
    now = 7 * DAY + 12 * 3600 + 1800
    api.now(now)
    hours = api.get("stats", "lineage-events", period="DAY")
    assert (len(hours), hours[0]["startInterval"]) == (24, at(6 * DAY + 13 * 3600))
    assert hours[-1]["endInterval"] == at(7 * DAY + 13 * 3600)
    counted = {one["startInterval"]: {k: v for k, v in one.items() if v and "Interval" not in k} for one in hours}
    assert {key: value for key, value in counted.items() if value} == {
        at(7 * DAY - 3600): {"start": 1},
        at(7 * DAY): {"fail": 1},
        at(7 * DAY + 12 * 3600): {"start": 1, "abort": 1},
    }
    api.now(now)
    days = api.get("stats", "lineage-events", period="WEEK", timezone="Europe/Berlin")
    assert [one["startInterval"] for one in days] == [at(day * DAY - 3600) for day in range(1, 8)]
    # An hour before midnight in London is midnight in Berlin: the START of run 2 is of the next day there.
    assert [(one["start"], one["fail"], one["abort"]) for one in days[-2:]] == [(0, 0, 0), (2, 1, 1)]
    assert sum(one["complete"] for one in days) == 0

    for what, expected in (("jobs", [1, 2]), ("datasets", [1, 3]), ("sources", [1, 2])):
        api.now(now)
        week = api.get("stats", what, period="WEEK", timezone="UTC")
        assert [one["count"] for one in week[-2:]] == expected, what
        api.now(now)
        assert api.get("stats", what, period="WEEK") == week
        api.now(now)
        assert [one["count"] for one in api.get("stats", what, period="DAY")][::23] == expected, what
    then = api.get("stats", "datasets", period="DAY", as_of=at(7 * DAY + 6 * 3600))
    assert (then[-1]["count"], then[-1]["startInterval"]) == (2, at(7 * DAY + 6 * 3600))
    for what in ("lineage-events", "jobs", "datasets", "sources"):
        api.refused(400, "GET", "stats", what)
        api.refused(400, "GET", "stats", what, period="MONTH")
        api.refused(400, "GET", "stats", what, period="WEEK", timezone="Europe/Atlantis")
    api.refused(400, "GET", "stats", "lineage-events", period="WEEK")


def test_lists_have_pages_and_totals(api: Api) -> None:
    api.send(*(complete(n, job=f"j{n}", run=n, outputs=[f"d{n}"]) for n in range(5)))
    for name in ("t1", "t0", "t2"):
        api.ok("PUT", "tags", name, body={})
        api.ok("PUT", "sources", name, body={"type": "KAFKA", "connectionUrl": "kafka://k"})
    for parts, expected in (
        (("jobs",), ["j1", "j2"]),
        (("namespaces", "jobs", "jobs"), ["j1", "j2"]),
        (("namespaces", "db", "datasets"), ["d1", "d2"]),
        (("tags",), ["t1", "t2"]),
        (("sources",), ["t0", "t1"]),
        (("namespaces",), ["jobs"]),
    ):
        assert api.names(*parts, limit=2, offset=1) == expected, parts
        assert api.names(*parts, limit=0) == []
        api.refused(400, "GET", *parts, limit=-1)
    assert [one["name"] for one in api.get("jobs", lastRunStates="FAILED")["jobs"]] == []
    api.send(fail(9, job="j3", run=9))
    assert api.names("jobs", lastRunStates="FAILED") == ["j3"]
    assert api.get("jobs", lastRunStates="FAILED")["totalCount"] == 1
    for what in ("jobs", "datasets"):
        api.refused(404, "GET", "namespaces", "nowhere", what)
    assert api.names("jobs", lastRunStates="COMPLETED") == ["j0", "j1", "j2", "j4"]


def test_a_streaming_job_has_marquez_word_for_it(api: Api) -> None:
    api.send(start(1, job_facets=STREAMING))
    assert api.get("namespaces", "jobs", "jobs", "j")["type"] == "STREAM"
