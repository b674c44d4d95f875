"""Every edge of a lineage answer leads to the events that say so."""

from typing import Any

from starlette.testclient import TestClient

from tests.server.conftest import EventMaker

COLUMNS = {
    "_producer": "https://example.com/tests",
    "_schemaURL": "https://openlineage.io/spec/facets/1-2-0/ColumnLineageDatasetFacet.json",
    "fields": {"total": {"inputFields": [{"namespace": "db", "name": "rates", "field": "rate"}]}},
}
ORDERS, REPORT = {"namespace": "db", "name": "orders: raw/é"}, {"namespace": "db", "name": "report"}


def edges_of(client: TestClient, node: str) -> dict[tuple[str, str], dict[str, Any]]:
    graph = client.get("/api/v1/lineage", params={"nodeId": node}).json()["graph"]
    return {(edge["origin"], edge["destination"]): edge for one in graph for edge in one["inEdges"] + one["outEdges"]}


def evidence(client: TestClient, edge: dict[str, Any], **asked: Any) -> dict[str, Any]:
    answer = client.get(f"/api/v1/edges/{edge['id']}/evidence", params=asked)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def test_each_edge_names_the_runs_and_events_behind_it(client: TestClient, event: EventMaker) -> None:
    output = {**REPORT, "facets": {"columnLineage": COLUMNS}}
    for hour in (10, 11, 12):
        time = f"2026-11-01T{hour}:00:00Z"
        body = event(eventType="COMPLETE", eventTime=time, inputs=[ORDERS], outputs=[output])
        assert client.post("/api/v1/lineage", json=body).status_code == 201
    edges = edges_of(client, "job:shop:load")
    orders, rates, report = f"dataset:db:{ORDERS['name']}", "dataset:db:rates", "dataset:db:report"
    assert edges.keys() == {(orders, "job:shop:load"), (rates, "job:shop:load"), ("job:shop:load", report)}
    for ends, edge in edges.items():
        told = evidence(client, edge)
        assert (told["id"], told["origin"], told["destination"]) == (edge["id"], *ends)
        assert (told["runCount"], told["totalCount"]) == (3, 3)
        assert (told["firstSeen"], told["lastSeen"]) == ("2026-11-01T10:00:00Z", "2026-11-01T12:00:00Z")
        assert {one["from"] for one in told["events"]} == {"columns" if ends[0] == rates else "mention"}
        for one in told["events"]:
            assert client.get(f"/api/v1/events/{one['id']}").status_code == 200
    earlier = evidence(client, edges["job:shop:load", report], as_of="2026-11-01T11:30:00Z", limit=1)
    assert (earlier["totalCount"], len(earlier["events"])) == (2, 1)


def test_an_edge_that_no_event_tells_of_is_not_found(client: TestClient, event: EventMaker) -> None:
    client.post("/api/v1/lineage", json=event(eventType="COMPLETE", inputs=[ORDERS], outputs=[REPORT]))
    edge = edges_of(client, "job:shop:load")["job:shop:load", "dataset:db:report"]
    before = client.get(f"/api/v1/edges/{edge['id']}/evidence", params={"as_of": "2026-10-01T00:00:00Z"})
    assert (before.status_code, before.json()["subject"]) == (404, edge["id"])
    nowhere = client.get(f"/api/v1/edges/{'A' * 44}/evidence")
    assert nowhere.status_code == 404
    short = client.get(f"/api/v1/edges/{edge['id'][:-2]}/evidence")
    assert short.status_code == 400
    assert "/api/v1/lineage" in short.json()["action"]
