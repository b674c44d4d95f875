"""Rules over HTTP: set, previewed, counted, told of, taken back; and what can't be a rule."""

import time
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from tests.server.conftest import EventMaker

RULES = "/api/v1/rules"
HOST = {
    "id": "host",
    "on": "dataset.namespace",
    "match": "exact",
    "pattern": "pg://10.0.0.7",
    "replacement": "pg://shop",
}


def settle(client: TestClient) -> dict[str, Any]:
    give_up = time.monotonic() + 30
    while (found := client.get(f"{RULES}/refold").json())["state"] != "done":
        assert time.monotonic() < give_up, found
    return dict(found)


def send(client: TestClient, event: dict[str, Any]) -> str:
    answer = client.post("/api/v1/lineage", json=event)
    assert answer.status_code == 201, answer.text
    return str(client.get("/api/v1/events/lineage?limit=1").json()["ids"][0])


def dataset(name: str, namespace: str = "pg://10.0.0.7", **facets: Any) -> dict[str, Any]:
    return {"namespace": namespace, "name": name, "facets": facets}


def facet(**members: Any) -> dict[str, Any]:
    return {"_producer": "https://example.com", "_schemaURL": "https://example.com/facet.json", **members}


def names(client: TestClient, namespace: str) -> list[str]:
    listed = client.get(f"/api/v1/namespaces/{quote(namespace, safe='')}/datasets")
    return [one["name"] for one in listed.json().get("datasets", [])]


def test_every_mention_of_a_name_is_renamed_and_comes_back(client: TestClient, event: EventMaker) -> None:
    source = {"namespace": "pg://10.0.0.7", "name": "a", "field": "x"}
    outputs = [
        dataset(
            "b",
            columnLineage=facet(fields={"y": {"inputFields": [source]}}),
            symlinks=facet(identifiers=[{"namespace": "pg://10.0.0.7", "name": "b_table", "type": "TABLE"}]),
            lifecycleStateChange=facet(
                lifecycleStateChange="RENAME", previousIdentifier={"namespace": "pg://10.0.0.7", "name": "b_old"}
            ),
        )
    ]
    parent = facet(
        run={"runId": "p"},
        job={"namespace": "old", "name": "dag"},
        root={"run": {"runId": "r"}, "job": {"namespace": "old", "name": "root"}},
    )
    made = event(
        eventType="COMPLETE",
        run={"runId": "one", "facets": {"parent": parent}},
        job={"namespace": "old", "name": "load"},
        inputs=[dataset("a")],
        outputs=outputs,
    )
    sent = send(client, made)
    before = client.get("/api/v1/lineage?nodeId=job:old:load").content
    assert client.post(f"{RULES}/names", json=HOST).status_code == 201
    jobs = {"on": "job.namespace", "match": "prefix", "pattern": "o", "replacement": "g"}
    assert client.put(f"{RULES}/names/jobs", json=jobs).status_code == 200
    assert settle(client)["eventsChanged"] == 1
    assert [one["name"] for one in client.get("/api/v1/namespaces").json()["namespaces"]] == ["gld", "pg://shop"]
    graph = client.get("/api/v1/lineage?nodeId=job:gld:load").json()["graph"]
    assert {node["id"] for node in graph} == {"job:gld:load", "dataset:pg://shop:a", "dataset:pg://shop:b_table"}
    columns = client.get("/api/v1/column-lineage?nodeId=dataset:pg://shop:b_table").json()["graph"]
    assert {field["namespace"] for node in columns for field in node["data"]["inputFields"]} == {"pg://shop"}
    run = client.get("/api/v1/jobs/runs/one").json()
    assert (run["args"]["namespace"], run["facets"]["parent"]["root"]["job"]["namespace"]) == ("gld", "gld")
    told = client.get(f"/api/v1/events/{sent}").json()
    assert told["event"] == made
    renamed = {
        (one["kind"], one["from"]["name"]): (one["to"]["namespace"], one["rules"]) for one in told["rewritten"]["names"]
    }
    assert renamed == {
        **{("dataset", name): ("pg://shop", ["host"]) for name in ("a", "b", "b_old", "b_table")},
        **{("job", name): ("gld", ["jobs"]) for name in ("dag", "load", "root")},
    }
    edge = next(node for node in graph if node["type"] == "JOB")["outEdges"][0]
    evidence = client.get(f"/api/v1/edges/{edge['id']}/evidence").json()["events"]
    assert {one["to"]["name"] for one in evidence[0]["rewritten"]} >= {"load"}
    for rule in ("host", "jobs"):
        assert client.delete(f"{RULES}/names/{rule}").status_code == 204
    settle(client)
    assert client.get("/api/v1/lineage?nodeId=job:old:load").content == before
    assert "rewritten" not in client.get(f"/api/v1/events/{sent}").json()
    assert client.get("/api/v1/namespaces/gld").status_code == 404


def test_rules_count_once_each_in_their_order(client: TestClient, event: EventMaker) -> None:
    swapped = {"on": "dataset.name", "match": "exact"}
    rules = [
        {"id": "there", "order": 1, "pattern": "a", "replacement": "b", **swapped},
        {"id": "back", "order": 2, "pattern": "b", "replacement": "a", **swapped},
        {"id": "off", "order": 3, "pattern": "a", "replacement": "z", "enabled": False, **swapped},
    ]
    assert client.put(RULES, json={"names": rules}).json()["changes"]["names"]["added"] == ["back", "off", "there"]
    send(client, event(outputs=[dataset("a"), dataset("b"), dataset("c")]))
    assert names(client, "pg://10.0.0.7") == ["a", "c"]
    assert [one["id"] for one in client.get(f"{RULES}/names").json()["rules"]] == ["there", "back", "off"]
    applied = client.post(f"{RULES}/names/apply", json={"ids": ["off"]}).json()
    assert [one["enabled"] for one in applied["rules"]] == [True, True, True]
    settle(client)
    assert names(client, "pg://10.0.0.7") == ["c", "z"]
    assert client.post(f"{RULES}/undo").status_code == 200
    settle(client)
    assert names(client, "pg://10.0.0.7") == ["a", "c"]
    history = client.get(f"{RULES}/history").json()
    assert (history["totalCount"], [one["number"] for one in history["history"]]) == (3, [3, 2, 1])


def test_of_names_that_become_one_in_a_list_the_last_of_the_document_counts(
    client: TestClient, event: EventMaker
) -> None:
    def described(name: str, text: str) -> dict[str, Any]:
        return dataset(name, documentation=facet(description=text))

    client.put(
        RULES, json={"names": [{**HOST, "on": "dataset.name", "match": "glob", "pattern": "?", "replacement": "x"}]}
    )
    send(client, event(eventType="COMPLETE", outputs=[described("a", "1"), described("b", "2"), described("a", "3")]))
    found = client.get(f"/api/v1/namespaces/{quote('pg://10.0.0.7', safe='')}/datasets/x").json()
    assert found["description"] == "3"


def test_a_result_that_cannot_be_a_name_changes_nothing(client: TestClient, event: EventMaker) -> None:
    rules = [
        {"id": "empty", "on": "dataset.name", "match": "prefix", "pattern": "a", "replacement": ""},
        {"id": "long", "on": "dataset.name", "match": "glob", "pattern": "b*", "replacement": "$1" * 500},
    ]
    assert client.put(RULES, json={"names": rules}).status_code == 200
    long = "b" + "x" * 200
    send(client, event(outputs=[dataset("a"), dataset("ab"), dataset(long)]))
    assert names(client, "pg://10.0.0.7") == ["a", "b", long]


def test_a_preview_shows_what_merges_and_changes_nothing(client: TestClient, event: EventMaker) -> None:
    for at, host in enumerate(("pg://10.0.0.7", "pg://10.0.0.8", "pg://shop")):
        send(
            client,
            event(eventType="COMPLETE", run={"runId": str(at)}, outputs=[dataset("orders", host), dataset("x", "s3")]),
        )
    rule = {**HOST, "match": "glob", "pattern": "pg://10.*"}
    before = client.get(RULES).content
    told = client.post(f"{RULES}/names/preview", json={"rules": [rule]}).json()
    assert (told["events"], told["edges"], told["totalCount"], told["truncated"]) == (2, 2, 2, False)
    assert [one["from"]["namespace"] for one in told["names"]] == ["pg://10.0.0.7", "pg://10.0.0.8"]
    assert told["merges"] == [
        {
            "kind": "dataset",
            "into": {"namespace": "pg://shop", "name": "orders"},
            "from": [{"namespace": f"pg://10.0.0.{n}", "name": "orders"} for n in (7, 8)],
            "exists": True,
        }
    ]
    assert client.post(f"{RULES}/names/preview?events=1", json={"rules": [rule]}).json()["truncated"] is True
    assert client.get(RULES).content == before
    client.post(f"{RULES}/names", json=rule)
    settle(client)
    found = client.get(f"/api/v1/namespaces/{quote('pg://shop', safe='')}/datasets/orders/versions").json()
    assert found["totalCount"] == 3
    back = client.post(f"{RULES}/names/preview", json={"remove": ["host"]}).json()
    assert (back["events"], back["totalCount"]) == (2, 2)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"match": "regex", "pattern": "("}, "missing )"),
        ({"match": "regex", "pattern": "(?=a)"}, "invalid perl operator"),
        ({"match": "regex", "pattern": "(a)", "replacement": "$2"}, "no group $2"),
        ({"match": "glob", "pattern": "*", "replacement": "${name}"}, "no group $name"),
        ({"match": "glob", "pattern": "*", "replacement": "$"}, "names no group"),
        ({"match": "like"}, "'like' is unknown"),
        ({"on": "dataset"}, "'dataset' is unknown"),
        ({"on": []}, "on is empty"),
        ({"pattern": ""}, "the pattern is empty"),
        ({"pattern": "x" * 1001}, "longer than 1000"),
        ({"id": "a/b"}, "not an id"),
        ({"id": None}, "can't be read"),
        ({"tenant": "A B"}, "not a tenant"),
        ({"order": "first"}, "can't be read"),
        ({"surprise": 1}, "surprise"),
    ],
)
def test_what_cannot_be_a_rule_is_refused_with_the_reason(
    client: TestClient, change: dict[str, Any], said: str
) -> None:
    for answer in (
        client.post(f"{RULES}/names", json={**HOST, **change}),
        client.put(RULES, json={"names": [{**HOST, **change}]}),
        client.post(f"{RULES}/names/preview", json={"rules": [{**HOST, **change}]}),
    ):
        assert answer.status_code == 400, answer.text
        assert said in answer.json()["message"]
        assert answer.json()["action"]
    assert client.get(RULES).json()["number"] == 0


def test_what_is_there_or_not_there_is_said(client: TestClient) -> None:
    assert client.post(f"{RULES}/names", json=HOST).status_code == 201
    assert client.post(f"{RULES}/names", json=HOST).status_code == 409
    assert client.put(f"{RULES}/names/other", json=HOST).status_code == 400
    assert client.delete(f"{RULES}/names/other").status_code == 404
    assert client.delete(f"{RULES}/facets/host").status_code == 404
    assert client.post(f"{RULES}/names/apply", json={"ids": ["other"]}).status_code == 404
    assert client.get(f"{RULES}/others").status_code in (400, 404)
    assert client.put(RULES, content=b"[]").status_code == 400
    assert client.put(RULES, json={"names": [HOST, HOST]}).json()["message"] == "two rules have one id"
    assert client.post(f"{RULES}/facets", json={"id": "f", "facet": "x", "action": "eat"}).status_code == 400
    again = client.put(RULES, json={"names": [HOST]}).json()
    assert (again["changed"], again["number"]) == (False, 1)


@pytest.mark.timeout(20)
def test_a_pattern_that_would_try_for_ever_elsewhere_takes_no_time(client: TestClient, event: EventMaker) -> None:
    rule = {**HOST, "on": "dataset.name", "match": "regex", "pattern": "(a*)*(a|aa)+$b", "replacement": "$1"}
    assert client.post(f"{RULES}/names", json=rule).status_code == 201
    globs = {**HOST, "id": "globs", "on": "dataset.name", "match": "glob", "pattern": "*a" * 30 + "b"}
    assert client.post(f"{RULES}/names", json=globs).status_code == 201
    send(client, event(outputs=[dataset("a" * 10_000)]))
    assert names(client, "pg://10.0.0.7") == ["a" * 10_000]


PLAN = facet(plan=[{"node": "x" * 50, "id": number} for number in range(400)])


def facet_rule(**changes: Any) -> dict[str, Any]:
    return {"id": "plans", "facet": "spark.*", "action": "aside", "overBytes": 1000, **changes}


def test_a_facet_set_aside_is_whole_in_the_raw_event(client: TestClient, event: EventMaker) -> None:
    made = event(eventType="COMPLETE", run={"runId": "one", "facets": {"spark.logicalPlan": PLAN, "small": facet(a=1)}})
    sent = send(client, made)
    assert client.post(f"{RULES}/facets", json=facet_rule(place="run")).status_code == 201
    shown = client.get("/api/v1/jobs/runs/one").json()["facets"]
    size = len(canonical(PLAN))
    assert shown["small"] == facet(a=1)
    aside = {"rule": "plans", "bytes": size, "whole": "raw event", "event": sent}
    assert shown["spark.logicalPlan"] == facet(lineageHub_aside=aside)
    assert client.get("/api/v1/jobs/runs/one/facets?type=run").json()["facets"] == shown
    told = client.get(f"/api/v1/events/{sent}").json()
    assert told["event"] == made
    assert told["rewritten"]["facets"] == [
        {"place": "run", "facet": "spark.logicalPlan", "action": "aside", "rule": "plans", "bytes": size}
    ]
    client.delete(f"{RULES}/facets/plans")
    assert client.get("/api/v1/jobs/runs/one").json()["facets"]["spark.logicalPlan"] == PLAN


def canonical(value: object) -> str:
    import json

    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def test_facets_of_datasets_are_trimmed_or_dropped_before_they_are_folded(
    client: TestClient, event: EventMaker
) -> None:
    fields = [{"name": f"column{at}", "type": "INT", "description": "d" * 90} for at in range(30)]
    output = dataset("t", schema=facet(fields=fields), secret=facet(a=1), documentation=facet(description="kept"))
    send(client, event(eventType="COMPLETE", outputs=[output]))
    rules = [
        {"id": "columns", "facet": "schema", "place": "dataset", "action": "trim", "keepElements": 2, "keepBytes": 7},
        {"id": "secrets", "facet": "sec???", "action": "drop"},
    ]
    assert client.put(RULES, json={"facets": rules}).status_code == 200
    assert settle(client)["eventsChanged"] == 1
    path = f"/api/v1/namespaces/{quote('pg://10.0.0.7', safe='')}/datasets/t"
    found = client.get(path).json()
    assert [(one["name"], one["description"]) for one in found["fields"]] == [
        ("column0"[:7], "d" * 7),
        ("column1"[:7], "d" * 7),
    ]
    assert found["facets"]["schema"]["lineageHub_trimmed"]["rule"] == "columns"
    assert set(found["facets"]) == {"schema", "documentation"}
    client.put(RULES, json={})
    settle(client)
    assert client.get(path).json()["facets"]["schema"] == facet(fields=fields)


def test_a_parent_under_its_old_name_is_renamed_and_kept_as_one_under_its_name(
    client: TestClient, event: EventMaker
) -> None:
    everything = facet_rule(facet="*", action="drop", raw="drop")
    assert client.post(f"{RULES}/facets", json=everything).status_code == 201
    parent = facet(run={"runId": "p"}, job={"namespace": "old", "name": "dag"}, root={"job": None})
    made = event(run={"runId": "one", "facets": {"parentRun": parent}}, job={"namespace": "old", "name": "load"})
    kept = client.get(f"/api/v1/events/{send(client, made)}").json()["event"]
    assert kept["run"]["facets"] == {"parentRun": parent}
    jobs = {"on": "job.namespace", "match": "exact", "pattern": "old", "replacement": "new"}
    assert client.put(RULES, json={"names": [{"id": "jobs", **jobs}]}).status_code == 200
    settle(client)
    run = client.get("/api/v1/jobs/runs/one").json()
    assert run["facets"]["parentRun"]["job"] == {"namespace": "new", "name": "dag"}
    assert (run["args"]["namespace"], run["args"]["name"]) == ("new", "dag")
    assert client.get("/api/v1/namespaces/new/jobs/load").json()["parentJobName"] == "dag"


@pytest.mark.parametrize("action", ["drop", "aside", "trim"])
def test_what_raw_events_do_not_keep_is_gone_and_a_repeat_is_still_known(
    client: TestClient, event: EventMaker, action: str
) -> None:
    old = event(run={"runId": "old", "facets": {"spark.logicalPlan": PLAN}})
    send(client, old)
    rule = facet_rule(action=action, raw="drop", keepElements=1)
    assert client.post(f"{RULES}/facets", json=rule).status_code == 201
    made = event(
        eventTime="2026-11-02T09:30:00Z",
        run={"runId": "new", "facets": {"spark.logicalPlan": PLAN, "parent": facet(x="y" * 2000)}},
        outputs=[{**dataset("t"), "outputFacets": {"spark.out": PLAN, "outputStatistics": facet(rowCount=3)}}],
    )
    sent = send(client, made)
    kept = client.get(f"/api/v1/events/{sent}").json()["event"]
    assert len(str(kept)) < 4000 + len(str(made["run"]["facets"]["parent"]))
    assert kept["run"]["facets"]["parent"] == made["run"]["facets"]["parent"]
    assert kept["outputs"][0]["outputFacets"]["outputStatistics"] == facet(rowCount=3)
    assert ("spark.logicalPlan" in kept["run"]["facets"]) == (action != "drop")
    again = client.post("/api/v1/lineage/ingest", json={"events": [made]}).json()
    assert client.get("/api/v1/events/lineage").json()["totalCount"] == 2, again
    client.delete(f"{RULES}/facets/plans")
    settle(client)
    assert client.get("/api/v1/jobs/runs/old").json()["facets"]["spark.logicalPlan"] == PLAN
    assert client.get("/api/v1/jobs/runs/new").json()["facets"].get("spark.logicalPlan") != PLAN


def test_a_preview_of_facets_tells_the_bytes(client: TestClient, event: EventMaker) -> None:
    for at in range(3):
        send(client, event(run={"runId": str(at), "facets": {"spark.logicalPlan": PLAN}}))
    told = client.post(f"{RULES}/facets/preview", json={"rules": [facet_rule(action="drop")]}).json()
    size = len(canonical(PLAN))
    assert told["facets"] == [
        {"place": "run", "facet": "spark.logicalPlan", "action": "drop", "rule": "plans", "count": 3,
         "bytes": 3 * size, "bytesLeft": 0}
    ]  # fmt: skip
    assert (told["bytesSaved"], told["events"], told["truncated"]) == (3 * size, 3, False)
    short = client.post(f"{RULES}/facets/preview?events=2", json={"rules": [facet_rule()]}).json()
    assert (short["eventsLookedAt"], short["totalCount"], short["truncated"]) == (2, 3, True)
