"""The document at /openapi.json describes every route."""

import re

from starlette.testclient import TestClient


def test_every_route_is_described_with_its_errors(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    for path in (
        "/api/v1/lineage",
        "/api/v1/lineage/batch",
        "/api/v1/lineage/ingest",
        "/api/v1/webhook/lineage",
    ):
        operation = paths[path]["post"]
        assert operation["requestBody"]["content"]["application/json"]["schema"]
        assert {"400", "413", "415", "503"} <= set(operation["responses"])
    assert "application/x-ndjson" in paths["/api/v1/lineage/batch"]["post"]["requestBody"]["content"]
    for path, methods in paths.items():
        for method, operation in methods.items():
            assert operation["summary"], (method, path)
            assert "422" not in operation["responses"], (method, path)
            for status, answer in operation["responses"].items():
                assert answer["description"], (method, path, status)


def test_every_route_is_in_a_group_of_the_page(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    groups = [group["name"] for group in document["tags"]]
    found = {
        tag for methods in document["paths"].values() for operation in methods.values() for tag in operation["tags"]
    }
    assert found == set(groups)
    assert groups[0] == "Events in"
    # A generated summary repeats the function's name; ours begin with a verb and go on in small letters.
    for methods in document["paths"].values():
        for operation in methods.values():
            assert operation["summary"] == operation["summary"].capitalize() or "Prometheus" in operation["summary"]


def test_the_page_of_the_document_needs_nothing_from_elsewhere(client: TestClient) -> None:
    page = client.get("/docs")
    assert page.status_code == 200
    loaded = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert len(loaded) == 3
    for address in loaded:
        assert ":" not in address
        assert client.get("/" + address).status_code == 200
    assert client.get("/docs/other.js").status_code == 400
    assert "cdn" not in page.text


def test_the_references_in_the_document_lead_somewhere(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    known = set(document["components"]["schemas"])
    wanted: set[str] = set()

    def walk(value: object) -> None:
        if isinstance(value, dict):
            if isinstance(value.get("$ref"), str):
                wanted.add(value["$ref"].removeprefix("#/components/schemas/"))
            for each in value.values():
                walk(each)
        elif isinstance(value, list):
            for each in value:
                walk(each)

    walk(document)
    assert wanted <= known
