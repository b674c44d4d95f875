"""What users declare and say through Marquez's API holds from then on, in every answer, on every database."""

import pytest

from tests.conformance.databases import Database
from tests.conformance.reference import Api
from tests.oracle.build import at, columns, complete, dataset, facet, job_event, run_id, schema, start, symlinks

PG = {"type": "POSTGRESQL", "connectionUrl": "jdbc:postgresql://db:5432/x", "description": "the warehouse"}
TABLE = {"type": "DB_TABLE", "physicalName": "public.t", "sourceName": "pg"}
# Slashes, colons, blanks, percent signs, dots, other scripts, and words that paths have themselves.
ODD = "s3://lake/a b%2F%zz:ü.日本/jobs/x/datasets/y#?&+'\"\\"


@pytest.fixture
def api(database: Database) -> Api:
    api = Api(database.hub())
    api.now(1000)
    return api


@pytest.fixture
def team(api: Api) -> Api:
    """With a namespace, a source and a table."""
    api.ok("PUT", "namespaces", "team", body={"ownerName": "data"})
    api.ok("PUT", "sources", "pg", body=PG)
    api.ok("PUT", "namespaces", "team", "datasets", "t", body={**TABLE, "fields": [{"name": "a", "type": "INTEGER"}]})
    return api


def test_a_namespace_has_the_owner_that_was_said_last_and_an_earlier_one_earlier(api: Api) -> None:
    api.refused(404, "GET", "namespaces", "team")
    made = api.ok("PUT", "namespaces", "team", body={"ownerName": "data", "description": "x"})
    assert made == {
        "name": "team", "createdAt": at(1002), "updatedAt": at(1002), "ownerName": "data", "description": "x",
        "isHidden": False,
    }  # fmt: skip
    later = api.ok("PUT", "namespaces", "team", body={"ownerName": "ops"})
    assert later == {**made, "updatedAt": at(1003), "ownerName": "ops"}
    assert api.get("namespaces", "team") == later
    assert api.ok("PUT", "namespaces", "team", body={"ownerName": "ops", "description": "y"})["description"] == "y"
    for moment in ("as_of", "known_at"):
        assert api.get("namespaces", "team", **{moment: at(1002)}) == made
        api.refused(404, "GET", "namespaces", "team", **{moment: at(1001)})
    api.send(complete(5, outputs=["a"]))
    api.ok("PUT", "namespaces", "db", body={"ownerName": "dba"})
    known = {one["name"]: one for one in api.get("namespaces")["namespaces"]}
    assert [(name, one["ownerName"], one["createdAt"]) for name, one in known.items()] == [
        ("db", "dba", at(5)),
        ("jobs", "anonymous", at(5)),
        ("team", "ops", at(1002)),
    ]
    assert api.names("namespaces", "team", "jobs") == api.names("namespaces", "team", "datasets") == []
    for body in ({}, {"ownerName": ""}, {"ownerName": 5}, [], "x"):
        assert "ownerName" in api.refused(400, "PUT", "namespaces", "team", body=body)["action"]


def test_sources_are_declared_or_named_by_events(api: Api) -> None:
    made = api.ok("PUT", "sources", "pg", body=PG)
    assert made == {**PG, "name": "pg", "createdAt": at(1001), "updatedAt": at(1001)}
    assert api.get("sources", "pg") == made
    again = api.ok("PUT", "sources", "pg", body={"type": "PG", "connectionUrl": "postgres://me:secret@db/x"})
    assert again["connectionUrl"] == "postgres://me:********@db/x"
    assert (again["description"], again["createdAt"], again["updatedAt"]) == ("the warehouse", at(1001), at(1003))
    assert api.get("sources", "pg", as_of=at(1001)) == made
    api.refused(404, "GET", "sources", "other")
    for body in ({"type": "POSTGRESQL"}, {"connectionUrl": "x"}, {**PG, "type": ""}, []):
        api.refused(400, "PUT", "sources", "pg", body=body)

    told = facet(name="lake", uri="s3://key:secret@lake")
    api.send(complete(1, outputs=[dataset("a", dataSource=told)]), complete(3, run=2, outputs=["b"]))
    lake = api.get("sources", "lake")
    assert lake == {
        "type": "S3", "name": "lake", "createdAt": at(1), "updatedAt": at(1), "connectionUrl": "s3://key:********@lake",
        "description": None,
    }  # fmt: skip
    assert api.names("sources") == ["default", "lake", "pg"]
    assert api.names("sources", as_of=at(2)) == ["lake"]
    assert api.get("sources", "default")["connectionUrl"] == ""


def test_a_declared_dataset_is_an_event_with_its_facets_and_a_version(team: Api) -> None:
    api = team
    body = {
        **TABLE,
        "fields": [{"name": "a", "type": "INTEGER", "description": "the key", "tags": ["PK"]}, {"name": "b"}],
        "tags": ["PII"],
        "description": "orders",
    }
    made = api.ok("PUT", "namespaces", "team", "datasets", "orders", body=body)
    assert made == api.get("namespaces", "team", "datasets", "orders")
    assert [made[key] for key in ("type", "physicalName", "sourceName", "description", "tags")] == [
        "DB_TABLE", "public.t", "pg", "orders", ["PII"],
    ]  # fmt: skip
    assert made["fields"] == [
        {"name": "a", "type": "INTEGER", "tags": ["PK"], "description": "the key"},
        {"name": "b", "type": None, "tags": [], "description": None},
    ]
    assert made["facets"]["dataSource"]["uri"] == PG["connectionUrl"]
    (event,) = [one for one in api.get("events", "lineage")["events"] if one.get("dataset", {}).get("name") == "orders"]
    assert event["eventTime"] == made["createdAt"] == made["updatedAt"]
    reference = api.get("events", "lineage")["ids"][0]
    assert api.get("events", reference)["warnings"] == []

    again = api.ok("PUT", "namespaces", "team", "datasets", "orders", body=body)
    assert again["currentVersion"] == made["currentVersion"] is not None
    assert again["updatedAt"] > again["createdAt"] == made["createdAt"]
    other = api.ok("PUT", "namespaces", "team", "datasets", "orders", body={**body, "fields": [{"name": "z"}]})
    versions = api.get("namespaces", "team", "datasets", "orders", "versions")
    assert [one["version"] for one in versions["versions"]] == [other["currentVersion"], made["currentVersion"]]
    assert [[field["name"] for field in one["fields"]] for one in versions["versions"]] == [["z"], ["a", "b"]]
    one = api.get("namespaces", "team", "datasets", "orders", "versions", made["currentVersion"])
    assert one == versions["versions"][1]
    stream = {**TABLE, "type": "STREAM", "schemaLocation": "http://registry/1"}
    shown = api.ok("PUT", "namespaces", "team", "datasets", "s", body=stream)
    assert (shown["type"], shown["schemaLocation"]) == ("STREAM", "http://registry/1")
    (version,) = api.get("namespaces", "team", "datasets", "s", "versions")["versions"]
    assert version["schemaLocation"] == "http://registry/1"

    for wrong in ({**TABLE, "type": "PIPE"}, {"type": "DB_TABLE"}, {**TABLE, "fields": [{}]}, {**TABLE, "tags": "x"}):
        api.refused(400, "PUT", "namespaces", "team", "datasets", "x", body=wrong)
    api.refused(404, "PUT", "namespaces", "nowhere", "datasets", "x", body=TABLE)
    api.refused(404, "PUT", "namespaces", "team", "datasets", "x", body={**TABLE, "sourceName": "unheard of"})
    api.refused(404, "PUT", "namespaces", "team", "datasets", "x", body={**TABLE, "runId": run_id(1)})
    assert api.names("namespaces", "team", "datasets") == ["orders", "s", "t"]


def test_what_is_declared_as_it_was_before_is_the_current_version_again(team: Api) -> None:
    api, table = team, ("namespaces", "team", "datasets", "orders")
    narrow, wide = ({**TABLE, "fields": [{"name": name} for name in names]} for names in ("a", "ab"))
    first, second, back, same = (api.ok("PUT", *table, body=body) for body in (narrow, wide, narrow, narrow))
    assert len({first["currentVersion"], second["currentVersion"], back["currentVersion"]}) == 3
    assert same["currentVersion"] == back["currentVersion"]
    versions = api.get(*table, "versions")["versions"]
    assert [len(one["fields"]) for one in versions] == [1, 2, 1]
    assert versions[0]["version"] == back["currentVersion"]


def test_a_declared_job_has_edges_with_evidence(team: Api) -> None:
    api = team
    api.ok("PUT", "namespaces", "team", "datasets", "u", body=TABLE)
    body = {
        "type": "STREAM",
        "inputs": [{"namespace": "team", "name": "t"}],
        "outputs": [{"namespace": "team", "name": "u"}],
        "location": "https://example.com/job.py",
        "description": "copies",
        "context": {"SQL": "SELECT 1"},
        "tags": ["hot"],
    }
    made = api.ok("PUT", "namespaces", "team", "jobs", "copy", body=body)
    assert made == api.get("namespaces", "team", "jobs", "copy")
    shown = [made[key] for key in ("type", "inputs", "outputs", "location", "description", "tags", "latestRun")]
    assert shown == ["STREAM", body["inputs"], body["outputs"], body["location"], "copies", ["hot"], None]
    assert made["facets"]["sql"]["query"] == "SELECT 1"
    graph = api.get("lineage", nodeId="dataset:team:t")["graph"]
    assert {one["id"] for one in graph} == {"dataset:team:t", "job:team:copy", "dataset:team:u"}
    (edge,) = next(one for one in graph if one["id"] == "dataset:team:t")["outEdges"]
    assert api.get("edges", edge["id"], "evidence")["totalCount"] == 1
    (version,) = api.get("namespaces", "team", "jobs", "copy", "versions")["versions"]
    assert version["version"] == made["currentVersion"]

    unknown = {**body, "inputs": [{"namespace": "team", "name": "nothing"}]}
    api.refused(404, "PUT", "namespaces", "team", "jobs", "copy", body=unknown)
    api.refused(404, "PUT", "namespaces", "nowhere", "jobs", "copy", body=body)
    for wrong in ({**body, "type": "X"}, {}, {**body, "inputs": ["t"]}):
        api.refused(400, "PUT", "namespaces", "team", "jobs", "copy", body=wrong)
    assert api.ok("PUT", "namespaces", "team", "jobs", "idle", body={"type": "SERVICE"})["type"] == "SERVICE"


def test_a_declared_run_goes_through_its_states(team: Api) -> None:
    api = team
    api.ok("PUT", "namespaces", "team", "datasets", "u", body=TABLE)
    io = {"inputs": [{"namespace": "team", "name": "t"}], "outputs": [{"namespace": "team", "name": "u"}]}
    job = api.ok("PUT", "namespaces", "team", "jobs", "copy", body={"type": "BATCH", **io})
    runs = ("namespaces", "team", "jobs", "copy", "runs")
    body = {"id": run_id(1), "nominalStartTime": at(0), "nominalEndTime": at(60), "args": {"mail": "me", "retries": 1}}
    made = api.call("POST", *runs, body=body)
    assert (made.status_code, made.headers["location"]) == (201, f"/api/v1/jobs/runs/{run_id(1)}")
    run = made.json()
    assert run == api.get("jobs", "runs", run_id(1))
    shown = [run[key] for key in ("id", "state", "startedAt", "endedAt", "durationMs", "nominalStartTime")]
    assert shown == [run_id(1), "NEW", None, None, None, at(0)]
    assert run["args"] == {"nominal_start_time": at(0), "mail": "me", "retries": "1"}
    (read,) = run["inputDatasetVersions"]
    assert read["datasetVersionId"]["version"] == api.get("namespaces", "team", "datasets", "t")["currentVersion"]

    started = api.ok("POST", "jobs", "runs", run_id(1), "start", at=at(2000))
    assert (started["state"], started["startedAt"], started["durationMs"]) == ("RUNNING", at(2000), None)
    done = api.ok("POST", "jobs", "runs", run_id(1), "complete", at="2026-01-01T01:33:24+01:00")
    assert (done["state"], done["endedAt"], done["durationMs"]) == ("COMPLETED", at(2004), 4000)
    (written,) = done["outputDatasetVersions"]
    assert api.get("namespaces", "team", "datasets", "u")["currentVersion"] == written["datasetVersionId"]["version"]
    now = api.get("namespaces", "team", "jobs", "copy")
    for what in ("inputs", "outputs", "currentVersion"):
        assert now[what] == job[what]
    assert now["latestRun"]["id"] == run_id(1)

    for word, state in (("fail", "FAILED"), ("abort", "ABORTED")):
        other = api.ok("POST", *runs, status=201)
        assert other["id"] != run_id(1)
        ended = api.ok("POST", "jobs", "runs", other["id"], word)
        assert (ended["state"], ended["outputDatasetVersions"]) == (state, [])
    assert [one["state"] for one in api.get(*runs)["runs"]] == ["ABORTED", "FAILED", "COMPLETED"]
    both = api.ok("POST", "jobs", "runs", run_id(1), "fail", at=at(2003))
    assert (both["state"], both["conflict"]) == ("FAILED", ["COMPLETE", "FAIL"])
    assert api.get("namespaces", "team", "jobs", "copy")["outputs"] == job["outputs"]

    assert "exists" in api.refused(400, "POST", *runs, body={"id": run_id(1)})["message"]
    api.refused(400, "POST", *runs, body={"nominalStartTime": "soon"})
    api.refused(400, "POST", *runs, body=[])
    api.refused(404, "POST", "namespaces", "team", "jobs", "nothing", "runs", body={})
    for word in ("start", "complete", "fail", "abort"):
        api.refused(404, "POST", "jobs", "runs", "nobody", word)
        api.refused(400, "POST", "jobs", "runs", run_id(1), word, at="yesterday")


def test_what_is_declared_for_a_run_is_what_the_run_wrote(team: Api) -> None:
    api = team
    api.ok("PUT", "namespaces", "team", "jobs", "make", body={"type": "BATCH"})
    run = api.ok("POST", "namespaces", "team", "jobs", "make", "runs", status=201)["id"]
    api.ok("PUT", "namespaces", "team", "datasets", "made", body={**TABLE, "runId": run})
    assert api.nodes("dataset:team:made") == {"dataset:team:made", "job:team:make"}
    done = api.ok("POST", "jobs", "runs", run, "complete")
    (written,) = done["outputDatasetVersions"]
    version = api.get("namespaces", "team", "datasets", "made", "versions")["versions"][0]
    assert version["version"] == written["datasetVersionId"]["version"]
    assert version["createdByRun"]["id"] == run
    io = {"inputs": [{"namespace": "team", "name": "t"}], "outputs": [{"namespace": "team", "name": "made"}]}
    api.ok("PUT", "namespaces", "team", "jobs", "make", body={"type": "BATCH", **io, "runId": run})
    assert [one["datasetVersionId"]["name"] for one in api.get("jobs", "runs", run)["inputDatasetVersions"]] == ["t"]
    api.refused(404, "PUT", "namespaces", "team", "jobs", "other", body={"type": "BATCH", "runId": run})


def test_a_run_of_a_team_is_ended_for_that_team(api: Api) -> None:
    """The tenant is part of what a run is: an end for another one would make a second run."""
    envelope = {"namespace": "team-a", "events": [start(1, run=1, outputs=["a"])]}
    assert api.ok("POST", "lineage", "ingest", body=envelope)["accepted"] == 1
    assert api.ok("POST", "jobs", "runs", run_id(1), "complete", at=at(5))["state"] == "COMPLETED"
    assert api.get("namespaces", "jobs", "jobs", "j", "runs")["totalCount"] == 1


def test_tags_of_events_and_of_users_are_shown_together(api: Api) -> None:
    told = facet(tags=[{"key": "gold"}, {"key": "tier", "value": "1"}, {"key": "pk", "field": "x"}])
    api.send(
        complete(
            1,
            outputs=[dataset("a", schema=schema("x", "y"), tags=told)],
            job_facets={"tags": facet(tags=[{"key": "nightly"}])},
        )
    )
    a, j = ("namespaces", "db", "datasets", "a"), ("namespaces", "jobs", "jobs", "j")
    before = api.get("lineage", nodeId="dataset:db:a")
    assert api.ok("POST", *a, "tags", "PII")["tags"] == ["gold", "tier:1", "PII"]
    tagged = api.ok("POST", *a, "fields", "x", "tags", "PII")
    assert {one["name"]: one["tags"] for one in tagged["fields"]} == {"x": ["pk", "PII"], "y": []}
    assert api.ok("DELETE", *a, "tags", "gold")["tags"] == ["tier:1", "PII"]
    assert api.ok("DELETE", *a, "fields", "x", "tags", "pk")["fields"][0]["tags"] == ["PII"]
    assert api.ok("POST", *j, "tags", "hot")["tags"] == ["nightly", "hot"]
    assert api.ok("DELETE", *j, "tags", "nightly")["tags"] == ["hot"]
    shown = api.get(*a)
    (node,) = [one for one in api.get("lineage", nodeId="dataset:db:a")["graph"] if one["type"] == "DATASET"]
    (listed,) = api.get("namespaces", "db", "datasets")["datasets"]
    (version,) = api.get(*a, "versions")["versions"]
    for one in (node["data"], listed, version):
        assert (one["tags"], one["fields"]) == (shown["tags"], shown["fields"])
    assert api.get("namespaces", "jobs", "jobs")["jobs"][0]["tags"] == ["hot"]

    # A user's word stands whatever events say, until a user says otherwise.
    api.send(complete(2, run=2, outputs=[dataset("a", schema=schema("x", "y"), tags=told)]))
    assert api.get(*a)["tags"] == ["tier:1", "PII"]
    assert api.get(*a, as_of=at(1001))["tags"] == ["gold", "tier:1"]
    assert api.ok("POST", *a, "tags", "gold")["tags"] == ["gold", "tier:1", "PII"]
    for tag in ("PII", "gold", "tier:1"):
        api.ok("DELETE", *a, "tags", tag)
    assert api.get(*a)["tags"] == []
    assert api.get("lineage", nodeId="dataset:db:a", known_at=at(1001)) == before

    assert api.ok("PUT", "tags", "PII", body={"description": "personal"}) == {"name": "PII", "description": "personal"}
    assert api.ok("PUT", "tags", "PII", body={})["description"] == "personal"
    assert api.names("tags") == ["PII", "gold", "hot", "nightly", "pk", "tier:1"]
    described = {one["name"]: one["description"] for one in api.get("tags")["tags"]}
    assert (described["PII"], described["hot"]) == ("personal", None)
    api.refused(400, "PUT", "tags", "PII", body={"description": 5})
    for parts in ((*a, "fields", "nothing", "tags", "PII"), ("namespaces", "db", "datasets", "z", "tags", "PII")):
        api.refused(404, "POST", *parts)
        api.refused(404, "DELETE", *parts)
    api.refused(404, "POST", "namespaces", "jobs", "jobs", "z", "tags", "PII")


def test_a_tag_is_found_under_each_name_of_a_dataset(api: Api) -> None:
    api.send(complete(1, outputs=[dataset("l", symlinks=symlinks(TABLE="t"))]))
    assert api.ok("POST", "namespaces", "db", "datasets", "l", "tags", "PII")["name"] == "t"
    for name in ("l", "t"):
        assert api.get("namespaces", "db", "datasets", name)["tags"] == ["PII"]


def test_a_hidden_dataset_is_gone_until_an_event_mentions_it(api: Api) -> None:
    first = complete(1, inputs=["a"], outputs=[dataset("b", schema=schema("x"), columnLineage=columns(x="a.x"))])
    second = complete(2, job="k", run=2, inputs=["b"], outputs=[dataset("c", columnLineage=columns(y="b.x"))])
    api.send(first, second)
    b = ("namespaces", "db", "datasets", "b")
    whole, shown = api.nodes("dataset:db:a"), api.get(*b)
    fields = {"datasetField:db:c:y", "datasetField:db:b:x", "datasetField:db:a:x"}

    def seen(**moment: object) -> set[str]:
        return {one["id"] for one in api.get("column-lineage", nodeId="dataset:db:c", **moment)["graph"]}

    assert seen() == fields
    api.now(2000)
    assert api.ok("DELETE", *b) == shown
    api.refused(404, "GET", *b)
    api.refused(404, "GET", *b, "versions")
    api.refused(404, "DELETE", *b)
    api.refused(404, "GET", "lineage", nodeId="dataset:db:b")
    assert api.names("namespaces", "db", "datasets") == ["a", "c"]
    assert api.nodes("dataset:db:a") == {"dataset:db:a", "job:jobs:j"}
    assert api.nodes("dataset:db:a", edges="ever") == {"dataset:db:a", "job:jobs:j"}
    assert seen() == set()
    assert api.get("namespaces", "jobs", "jobs", "j")["outputs"] == []
    assert api.get("namespaces", "jobs", "jobs")["jobs"][1]["inputs"] == []
    for moment in ("as_of", "known_at"):
        assert api.nodes("dataset:db:a", **{moment: at(2000)}) == whole
        assert seen(**{moment: at(2000)}) == fields

    api.send(first)  # a repeat is the same event, and the hub has known it before
    api.refused(404, "GET", *b)
    api.now(3000)
    api.send(complete(0.5, job="late", run=9, outputs=["b"]))  # it happened long ago, but the hub learns of it now
    assert api.get(*b)["fields"] == shown["fields"]
    assert api.names("namespaces", "db", "datasets") == ["a", "b", "c"]
    assert api.nodes("dataset:db:a") == {*whole, "job:jobs:late"}
    assert api.get("namespaces", "jobs", "jobs")["jobs"][0]["outputs"] == [{"namespace": "db", "name": "b"}]
    assert seen() == fields
    api.refused(404, "GET", *b, known_at=at(2500))


def test_a_hidden_job_is_gone_until_an_event_mentions_it(api: Api) -> None:
    api.send(
        complete(1, inputs=["a"], outputs=[dataset("b", columnLineage=columns(x="a.x"))]),
        complete(2, job="k", run=2, inputs=["b"], outputs=["c"]),
    )
    shown = api.get("namespaces", "jobs", "jobs", "j")
    assert len(api.get("column-lineage", nodeId="dataset:db:b")["graph"]) == 2
    api.now(2000)
    assert api.ok("DELETE", "namespaces", "jobs", "jobs", "j") == shown
    api.refused(404, "GET", "namespaces", "jobs", "jobs", "j")
    for node in ("job:jobs:j", f"run:{run_id(1)}"):
        api.refused(404, "GET", "lineage", nodeId=node)
    assert api.names("jobs") == api.names("namespaces", "jobs", "jobs") == ["k"]
    assert api.nodes("dataset:db:b") == {"dataset:db:b", "job:jobs:k", "dataset:db:c"}
    assert api.nodes("dataset:db:b", direction="upstream") == {"dataset:db:b"}
    assert api.get("column-lineage", nodeId="dataset:db:b")["graph"] == []
    assert api.get("jobs", "runs", run_id(1))["state"] == "COMPLETED"
    assert api.names("jobs", known_at=at(1999)) == ["j", "k"]
    api.send(start(3000, run=5))
    assert api.names("jobs") == ["j", "k"]
    assert "dataset:db:a" in api.nodes("dataset:db:b")
    assert len(api.get("column-lineage", nodeId="dataset:db:b")["graph"]) == 2


def test_a_hidden_namespace_hides_what_is_in_it_and_comes_back_with_what_is_mentioned(api: Api) -> None:
    api.send(
        complete(1, inputs=["a"], outputs=["b"]),
        complete(2, job="k", run=2, inputs=["b"], outputs=[dataset("c", "elsewhere")]),
        job_event(3, "idle"),
    )
    api.ok("PUT", "namespaces", "db", body={"ownerName": "dba"})
    shown = api.get("namespaces", "db")
    api.now(2000)
    assert api.ok("DELETE", "namespaces", "db") == shown
    assert api.names("namespaces") == ["elsewhere", "jobs"]
    assert api.get("namespaces", "db") == {**shown, "isHidden": True}
    assert api.names("namespaces", "db", "datasets") == []
    assert api.nodes("job:jobs:k") == {"job:jobs:k", "dataset:elsewhere:c"}
    assert api.names("namespaces", known_at=at(1500)) == ["db", "elsewhere", "jobs"]
    api.ok("DELETE", "namespaces", "jobs")
    assert (api.names("namespaces"), api.names("jobs")) == (["elsewhere"], [])
    assert api.get("stats", "jobs", period="DAY", as_of=at(3000))[-1]["count"] == 0

    api.send(complete(2500, job="k", run=3, inputs=["b"]))
    assert api.names("namespaces") == ["db", "elsewhere", "jobs"]
    assert api.get("namespaces", "db")["isHidden"] is False
    assert api.names("namespaces", "db", "datasets") == ["b"]
    assert api.names("jobs") == ["k"]
    api.ok("DELETE", "namespaces", "elsewhere")
    assert api.names("namespaces") == ["db", "jobs"]
    api.ok("PUT", "namespaces", "elsewhere", body={"ownerName": "x"})
    assert api.names("namespaces") == ["db", "elsewhere", "jobs"]
    assert api.names("namespaces", "elsewhere", "datasets") == []
    api.refused(404, "DELETE", "namespaces", "nowhere")


def test_a_dataset_with_several_names_is_hidden_under_all_of_them(api: Api) -> None:
    api.send(complete(1, outputs=[dataset("l", symlinks=symlinks(TABLE="t"))]))
    api.now(2000)
    api.ok("DELETE", "namespaces", "db", "datasets", "l")
    for name in ("l", "t"):
        api.refused(404, "GET", "namespaces", "db", "datasets", name)
    assert api.names("namespaces", "db", "datasets") == []
    api.send(complete(3, job="k", run=2, inputs=["t"]))
    assert api.names("namespaces", "db", "datasets") == ["t"]


# As names of tables they are as good as any; a path may not be read by the wrong one of its words.
WORDS_OF_PATHS = ("jobs", "datasets", "runs", "versions", "tags", "fields", "namespaces", "facets", "start")


def test_odd_names_work_in_every_path(api: Api) -> None:
    for name in (ODD, "a/fields/b/tags/c", "x/tags/y", "%", "...", " ", "名前", *WORDS_OF_PATHS):
        api.ok("PUT", "namespaces", name, body={"ownerName": "me"})
        api.ok("PUT", "sources", name, body=PG)
        assert api.get("sources", name)["name"] == name
        assert api.ok("PUT", "tags", name, body={})["name"] == name
        body = {**TABLE, "sourceName": name, "fields": [{"name": name, "type": "INT"}]}
        table = ("namespaces", name, "datasets", name)
        made = api.ok("PUT", *table, body=body)
        assert (made["name"], made["namespace"], made["sourceName"]) == (name, name, name)
        assert api.ok("POST", *table, "tags", name)["tags"] == [name]
        assert api.ok("POST", *table, "fields", name, "tags", name)["fields"][0]["tags"] == [name]
        assert api.ok("DELETE", *table, "fields", name, "tags", name)["fields"][0]["tags"] == []
        assert api.ok("DELETE", *table, "tags", name)["tags"] == []
        io = {"inputs": [{"namespace": name, "name": name}], "outputs": []}
        job = ("namespaces", name, "jobs", name)
        assert api.ok("PUT", *job, body={"type": "BATCH", **io})["inputs"] == io["inputs"]
        assert api.ok("POST", *job, "tags", name)["tags"] == [name]
        assert api.ok("DELETE", *job, "tags", name)["tags"] == []
        run = f"run {name}"
        assert api.ok("POST", *job, "runs", body={"id": run}, status=201)["id"] == run
        for word in ("start", "complete", "fail", "abort"):
            assert api.ok("POST", "jobs", "runs", run, word)["id"] == run
        assert api.get("jobs", "runs", run, "facets", type="run")["runId"] == run
        assert api.get("runlineage", "upstream", runId=run)["runs"][0]["run"]["id"] == run
        assert [one["id"] for one in api.get(*job, "runs")["runs"]] == [run]
        (version,) = api.get(*job, "versions")["versions"]
        assert api.get(*job, "versions", version["version"])["name"] == name
        assert api.get(*table, "versions", made["currentVersion"])["name"] == name
        node = f"{name}:{name}"
        assert api.nodes(f"dataset:{node}") == {f"dataset:{node}", f"job:{node}"}
        assert api.get("column-lineage", nodeId=f"datasetField:{node}:{name}")["graph"]
        assert api.ok("DELETE", *job)["name"] == name
        assert api.ok("DELETE", *table)["name"] == name
        assert api.ok("DELETE", "namespaces", name)["name"] == name
    assert api.names("namespaces") == api.names("jobs") == []
    for parts in (("namespaces", "a\0b"), ("sources", "a\0b"), ("tags", "a\0b")):
        api.refused(400, "PUT", *parts, body={"ownerName": "x", **PG})


def test_what_is_said_to_one_hub_another_one_on_the_database_tells_at_once(database: Database) -> None:
    one, two = Api(database.hub()), Api(database.hub())
    for api in (one, two):
        api.now(1000)
    one.send(complete(1, inputs=["a"], outputs=["b"]))
    a = ("namespaces", "db", "datasets", "a")
    questions = [a, ("namespaces", "db", "datasets"), ("jobs",), ("namespaces",), ("tags",), ("sources",)]

    def told(api: Api) -> list[object]:
        return [*(api.get(*parts) for parts in questions), api.get("lineage", nodeId="dataset:db:a")]

    before = told(one)
    assert told(two) == before
    for turn, (method, parts, body) in enumerate(
        (
            ("POST", (*a, "tags", "PII"), None),
            ("POST", ("namespaces", "jobs", "jobs", "j", "tags", "hot"), None),
            ("DELETE", ("namespaces", "db", "datasets", "b"), None),
            ("PUT", ("namespaces", "db"), {"ownerName": "dba"}),
            ("DELETE", (*a, "tags", "PII"), None),
            ("PUT", ("sources", "pg"), PG),
        )
    ):
        writer, reader = (one, two) if turn % 2 else (two, one)
        writer.ok(method, *parts, body=body)
        after = told(reader)
        assert after == told(writer)
        assert after == told(Api(database.hub()))
        assert after != before, parts
        before = after
    api = two
    api.now(5000)
    api.send(complete(9, job="k", run=4, inputs=["b"]))
    assert told(one) == told(two)
    assert "dataset:db:b" in one.nodes("dataset:db:a")
