"""Names in paths: which part of a path is a name, and what becomes of names that were not escaped."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.server.conftest import EventMaker


def taken(client: TestClient, event: dict[str, Any]) -> None:
    assert client.post("/api/v1/lineage", json=event).status_code == 201


@pytest.mark.parametrize("table", ["jobs", "datasets", "runs", "versions", "tags"])
def test_a_table_that_is_called_like_a_part_of_paths_is_found(
    client: TestClient, event: EventMaker, table: str
) -> None:
    taken(client, event(outputs=[{"namespace": "db", "name": table}]))
    found = client.get(f"/api/v1/namespaces/db/datasets/{table}")
    assert (found.status_code, found.json().get("name")) == (200, table)
    assert client.get(f"/api/v1/namespaces/db/datasets/{table}/versions").json()["totalCount"] == 0
    assert client.post(f"/api/v1/namespaces/db/datasets/{table}/tags/{table}").json()["tags"] == [table]


def test_slashes_of_names_may_be_left_unescaped_where_nothing_else_fits(client: TestClient, event: EventMaker) -> None:
    job = {"namespace": "air/flow", "name": "dag/task"}
    taken(client, event(job=job, run={"runId": "a/b"}, outputs=[{"namespace": "s3://lake", "name": "raw/clicks"}]))
    ok = {
        "namespaces/s3://lake": "s3://lake",
        "namespaces/s3://lake/datasets/raw/clicks": "raw/clicks",
        "namespaces/air/flow/jobs/dag/task": "dag/task",
    }
    for path, name in ok.items():
        assert client.get(f"/api/v1/{path}").json()["name"] == name
    assert client.get("/api/v1/jobs/runs/a/b").json()["id"] == "a/b"
    assert client.post("/api/v1/namespaces/s3://lake/datasets/raw/clicks/tags/x").json()["tags"] == ["x"]
    assert client.delete("/api/v1/namespaces/s3://lake/datasets/raw/clicks").status_code == 200
    assert 'route="/api/v1/namespaces/{namespace}/jobs/{job}",status="200"' in client.get("/metrics").text


def test_a_method_that_a_list_has_not_is_not_meant_for_a_longer_name(client: TestClient) -> None:
    for path in ("namespaces/db/datasets", "namespaces/db/jobs", "namespaces/db/datasets/t/versions"):
        for method in ("PUT", "DELETE"):
            assert client.request(method, f"/api/v1/{path}", json={"ownerName": "me"}).status_code == 405
    assert client.get("/api/v1/namespaces").json()["totalCount"] == 0


@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_a_name_that_is_no_text_is_refused(client: TestClient, method: str) -> None:
    answer = client.request(method, "/api/v1/namespaces/a%ffb", json={"ownerName": "me"})
    assert (answer.status_code, answer.json()["subject"]) == (400, "a%ffb")
