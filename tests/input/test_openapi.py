"""What schemathesis makes of the API's own description, on a hub that knows things, is answered as it is described."""

from __future__ import annotations

import datetime
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Threads of the hub load it when telemetry is first asked for; hypothesis must not find it half loaded.
import numpy  # noqa: F401
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

from lineage_hub.server.answers import READS
from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings
from tests.properties.sizes import SOAK, TIMEOUT_S
from tests.server.recording_taker import RecordingTaker

EXAMPLES = 2_000 if SOAK else 12
RECORDING = Path(__file__).parent.parent / "fixtures" / "recordings" / "direct.ndjson"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    unsupported_method,
]
# These answer 200 and name the bad events in the answer.
TELL_FAILURES_IN_THE_ANSWER = {
    "/api/v1/lineage/batch",
    "/api/v1/lineage/ingest",
    "/api/v1/webhook/lineage",
    "/api/v1/telemetry/ingest",
}
# The schema of protobuf's bytes doesn't say which of them are a message.
OTLP = {"/v1/traces", "/v1/metrics", "/v1/logs"}
# A cron time, a zone or ten years are only text by their schema; so are patterns, groups and tenants, and a rule for
# facets is none for names; and the moment of a question that is sent as a body.
MAY_REFUSE_TEXT = {
    "/api/v1/badges",
    "/api/v1/namespaces/{namespace}/datasets/{dataset}/freshness",
    "/api/v1/rules",
    "/api/v1/rules/{kind}",
    "/api/v1/rules/{kind}/{rule_id}",
    "/api/v1/rules/{kind}/preview",
}
# Refused again if the letter is still no event; letters are there by the time, from what other cases sent.
# Sample data is for a hub that is empty.
DEPENDS_ON_WHAT_IS_THERE = {"/api/v1/dead-letters/{letter_id}/replay", "/api/v1/sample"}
# Its answer has no end; tests/server/test_stream.py and tests/conformance/test_live.py listen to it.
ENDLESS = {"/api/v1/stream"}
# What the description of a time says beyond its format.
TIMES = strategies.datetimes(min_value=datetime.datetime(1678, 1, 1), max_value=datetime.datetime(2261, 1, 1)).map(
    lambda moment: moment.isoformat() + "Z"
)
schemathesis.openapi.format("date-time", TIMES)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(TIMEOUT_S)]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = Settings(data_dir=tmp_path_factory.mktemp("openapi"), log_level="error", ingest_max_body_bytes=1 << 20)
    with TestClient(create_app(settings, telemetry=RecordingTaker()), raise_server_exceptions=False) as opened:
        sent = opened.post("/api/v1/lineage/batch", content=RECORDING.read_bytes())
        assert sent.status_code == 204, sent.text
        yield opened


@pytest.fixture(scope="module")
def known(client: TestClient) -> dict[str, list[str]]:
    """Values of parameters that name something, by the parameter's name."""
    events = [json.loads(line) for line in RECORDING.read_bytes().splitlines()]
    datasets = [one for event in events for one in [*event.get("inputs", []), *event.get("outputs", [])]]
    jobs = [event["job"] for event in events if "job" in event]
    names = {
        "namespace": [one["namespace"] for one in [*datasets, *jobs]],
        "dataset": [one["name"] for one in datasets],
        "job": [one["name"] for one in jobs],
        "run_id": [event["run"]["runId"] for event in events if "run" in event],
        "event_id": client.get("/api/v1/events/lineage").json()["ids"],
        "nodeId": [f"dataset:{one['namespace']}:{one['name']}" for one in datasets]
        + [f"job:{one['namespace']}:{one['name']}" for one in jobs],
    }
    return {name: sorted(set(values)) for name, values in names.items()}


def operations() -> list[tuple[str, str]]:
    paths = create_app(Settings()).openapi()["paths"]
    return [(method, path) for path, methods in paths.items() for method in methods if path not in ENDLESS]


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["valid", "invalid"])
@pytest.mark.parametrize(("method", "path"), operations())
def test_whatever_is_asked_is_answered_as_described(
    client: TestClient, known: dict[str, list[str]], method: str, path: str, mode: GenerationMode
) -> None:
    operation = schemathesis.openapi.from_asgi("/openapi.json", client.app)[path][method]
    checks: list[Any] = [*CHECKS]
    if path not in TELL_FAILURES_IN_THE_ANSWER | OTLP and mode is GenerationMode.NEGATIVE:
        checks.append(negative_data_rejection)
    # A node id or a time that is only text by its schema may still be refused.
    if method != "get" and path not in OTLP | MAY_REFUSE_TEXT | DEPENDS_ON_WHAT_IS_THERE:
        checks.append(positive_data_acceptance)

    @given(case=operation.as_strategy(generation_mode=mode), dice=strategies.randoms(use_true_random=False))
    @settings(
        max_examples=EXAMPLES,
        derandomize=not SOAK,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def answer(case: schemathesis.Case, dice: random.Random) -> None:
        if mode is GenerationMode.POSITIVE and dice.random() < 0.7:
            for values in (case.path_parameters, case.query):
                for name in (values or {}).keys() & known.keys():
                    values[name] = dice.choice(known[name])
        case.call_and_validate(checks=checks)

    try:
        answer()
    except Unsatisfiable:
        assert mode is GenerationMode.NEGATIVE  # a route that takes nothing can't be sent anything wrong


def test_every_question_says_what_it_is_answered_with(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    reads = {path for path, methods in paths.items() if "get" in methods and path.startswith("/api/v1/")}
    described_by_themselves = {
        "/api/v1/pipeline",
        "/api/v1/pipeline/run",
        "/api/v1/pipeline/run/{run_id}",
        "/api/v1/stream",
    }
    assert reads - READS.keys() == described_by_themselves
    assert all("content" in paths[path]["get"]["responses"]["200"] for path in described_by_themselves)
    assert {path for path in READS if path.startswith("/api/v1/")} <= reads
