"""The document at /openapi.json describes every route."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from lineage_hub.server import answers

# What programs that are made from the document call: whoever changes one of these breaks them.
LASTING = {
    "getLineage": "/api/v1/lineage",
    "getColumnLineage": "/api/v1/column-lineage",
    "getLineageDiff": "/api/v1/lineage/diff",
    "getEvidence": "/api/v1/edges/{edge}/evidence",
    "getImpact": "/api/v1/impact",
    "searchNames": "/api/v1/search",
    "getJob": "/api/v1/namespaces/{namespace}/jobs/{job}",
    "listJobs": "/api/v1/jobs",
    "listRuns": "/api/v1/namespaces/{namespace}/jobs/{job}/runs",
    "getRun": "/api/v1/jobs/runs/{run_id}",
    "explainRun": "/api/v1/runs/{run_id}/why",
    "compareRuns": "/api/v1/runs/{run_id}/compare/{other_id}",
    "getRunTrace": "/api/v1/runs/{run_id}/trace",
    "getDataset": "/api/v1/namespaces/{namespace}/datasets/{dataset}",
    "listEvents": "/api/v1/events/lineage",
    "listTraces": "/api/v1/traces",
    "getTrace": "/api/v1/traces/{trace_id}",
    "listDeadLetters": "/api/v1/dead-letters",
    "replayDeadLetter": "/api/v1/dead-letters/{letter_id}/replay",
    "listPipelines": "/api/v1/pipeline",
    "runPipeline": "/api/v1/pipeline/run",
    "getPipelineRun": "/api/v1/pipeline/run/{run_id}",
    "cancelPipelineRun": "/api/v1/pipeline/run/{run_id}/cancel",
}


def test_every_operation_has_a_name_of_its_own_that_lasts(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    named = [(one["operationId"], path) for path, methods in paths.items() for one in methods.values()]
    assert len({name for name, _ in named}) == len(named)
    # A verb, then what it is about.
    assert [name for name, _ in named if not re.fullmatch(r"[a-z]+([A-Z][a-z]*)+", name)] == []
    assert LASTING.items() <= dict(named).items()


def test_every_part_of_an_answer_has_a_name_and_a_type(client: TestClient) -> None:
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    assert [name for name in schemas if not re.fullmatch("([A-Z][a-z]+)+", name)] == []
    # A name that two topics use would hide one of them.
    topics = [answers.names, answers.facets, *answers.TOPICS]
    assert sum(len(topic.COMPONENTS) for topic in topics) == len(answers.COMPONENTS)
    assert sum(len(topic.READS) for topic in answers.TOPICS) == len(answers.READS)


@pytest.mark.slow
def test_the_document_can_be_had_without_a_hub(client: TestClient, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lineage_hub.server.openapi"]
    home = tmp_path / "home"
    home.mkdir()
    environment = {**os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home)}
    printed = subprocess.run(command, check=True, capture_output=True, cwd=home, env=environment).stdout
    assert json.loads(printed) == client.get("/openapi.json").json()
    assert list(home.iterdir()) == []


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
