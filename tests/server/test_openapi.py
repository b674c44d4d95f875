"""The document at /openapi.json describes every route, and what schemathesis makes of it never breaks the hub."""

import datetime

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings, strategies
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    positive_data_acceptance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)
from starlette.testclient import TestClient

from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings

# What the description of a time says beyond its format.
TIMES = strategies.datetimes(min_value=datetime.datetime(1678, 1, 1), max_value=datetime.datetime(2261, 1, 1)).map(
    lambda moment: moment.isoformat() + "Z"
)
schemathesis.openapi.format("date-time", TIMES)
# These answer 200 and name the bad events in the answer.
TELL_FAILURES_IN_THE_ANSWER = {"/api/v1/lineage/batch", "/api/v1/lineage/ingest", "/api/v1/webhook/lineage"}


EXAMPLES = 20


def operations() -> list[tuple[str, str]]:
    paths = create_app(Settings()).openapi()["paths"]
    return [(method, path) for path, methods in paths.items() for method in methods]


@pytest.mark.slow
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["valid", "invalid"])
@pytest.mark.parametrize(("method", "path"), operations())
def test_whatever_is_sent_is_answered_as_described(
    client: TestClient, method: str, path: str, mode: GenerationMode
) -> None:
    operation = schemathesis.openapi.from_asgi("/openapi.json", client.app)[path][method]
    checks = [
        not_a_server_error,
        status_code_conformance,
        content_type_conformance,
        response_schema_conformance,
        unsupported_method,
    ]
    if path not in TELL_FAILURES_IN_THE_ANSWER:
        checks.append(negative_data_rejection)
    # A node id or a time that is only text by its schema may still be refused.
    if method != "get":
        checks.append(positive_data_acceptance)

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    def answer(case: schemathesis.Case) -> None:
        case.call_and_validate(checks=checks)

    try:
        answer()
    except Unsatisfiable:
        assert mode is GenerationMode.NEGATIVE  # a route that takes nothing can't be sent anything wrong


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
    assert client.get("/docs").status_code == 200


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
