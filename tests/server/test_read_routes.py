"""Questions over HTTP: what the parameters that routes share mean."""

from datetime import UTC, datetime

from httpx import Response
from starlette.testclient import TestClient

from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings
from tests.server.conftest import EventMaker


def test_a_difference_can_be_asked_as_it_was_known(settings: Settings, event: EventMaker) -> None:
    days = iter((3, 4))
    clock = datetime(2026, 11, 1, tzinfo=UTC)
    with TestClient(create_app(settings, clock=lambda: int(clock.timestamp() * 1e9))) as client:
        for inputs in ([], [{"namespace": "n", "name": "source"}]):
            day = next(days)
            clock = datetime(2026, 11, day, tzinfo=UTC)
            sent = event(
                eventType="COMPLETE",
                eventTime=f"2026-11-{day - 2:02}T00:00:00Z",
                inputs=inputs,
                outputs=[{"namespace": "n", "name": "table"}],
            )
            assert client.post("/api/v1/lineage", json=sent).status_code == 201

        def added(**known: str) -> list[str]:
            question = {"nodeId": "dataset:n:table", "from": "2026-11-01T12:00:00Z", **known}
            answer = client.get("/api/v1/lineage/diff", params=question)
            assert answer.status_code == 200, answer.text
            return [edge["origin"] for edge in answer.json()["edges"]["added"]]

        assert added() == ["dataset:n:source"]
        assert added(known_at="2026-11-04T12:00:00Z") == ["dataset:n:source"]
        assert added(known_at="2026-11-03T12:00:00Z") == []


def test_a_field_that_no_event_names_is_not_found(client: TestClient, event: EventMaker) -> None:
    schema = {"_producer": "p", "_schemaURL": "s", "fields": [{"name": "amount", "type": "int"}]}
    output = {"namespace": "db", "name": "orders", "facets": {"schema": schema}}
    assert client.post("/api/v1/lineage", json=event(eventType="COMPLETE", outputs=[output])).status_code == 201

    def ask(field: str) -> Response:
        return client.get("/api/v1/column-lineage", params={"nodeId": f"datasetField:db:orders:{field}"})

    assert ask("amount").status_code == 200
    assert ask("amuont").status_code == 404
    assert "'amount'" in ask("amuont").json()["action"]


def test_a_run_that_failed_has_made_no_version(client: TestClient, event: EventMaker) -> None:
    versions = []
    for run, end in (("good", "COMPLETE"), ("bad", "FAIL")):
        body = event(eventType=end, run={"runId": run}, outputs=[{"namespace": "db", "name": "orders"}])
        assert client.post("/api/v1/lineage", json=body).status_code == 201
        (output,) = client.get(f"/api/v1/jobs/runs/{run}").json()["outputDatasetVersions"]
        versions.append(output["datasetVersionId"]["version"])
    known = client.get("/api/v1/namespaces/db/datasets/orders/versions").json()["versions"]
    assert [one["version"] for one in known] == versions[:1]
    assert versions[1] is None


def test_a_name_that_only_a_dropped_table_mentions_is_not_found(client: TestClient, event: EventMaker) -> None:
    """The name before counts for a rename alone, though the store has it."""
    change = {"lifecycleStateChange": "DROP", "previousIdentifier": {"namespace": "db", "name": "earlier"}}
    facets = {"lifecycleStateChange": {"_producer": "p", "_schemaURL": "s", **change}}
    output = {"namespace": "db", "name": "orders", "facets": facets}
    assert client.post("/api/v1/lineage", json=event(eventType="COMPLETE", outputs=[output])).status_code == 201
    assert client.get("/api/v1/lineage", params={"nodeId": "dataset:db:earlier"}).status_code == 404
