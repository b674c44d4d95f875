"""examples/telemetry.py does what it says, against a receiver that keeps what comes."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.examples.running import run_example
from tests.sdk.test_telemetry_client import taken
from tests.transports.recorder import TAKEN, Recorder, Reply, Request


def reply(request: Request) -> Reply:
    return taken(request) if request.path == "/api/v1/telemetry/ingest" else TAKEN


@pytest.mark.slow
def test_spans_metrics_and_the_run_belong_together(tmp_path: Path) -> None:
    with Recorder(reply) as receiver:
        ran = run_example(tmp_path, "telemetry.py", LINEAGE_HUB_URL=receiver.url, LINEAGE_HUB_NAMESPACE="shop")
        printed = ran.stdout
        bodies = [json.loads(one.body) for one in receiver.requests if one.path == "/api/v1/telemetry/ingest"]
        events = [one for request in receiver.requests if "lineage" in request.path for one in request.events]
    assert "metrics accepted 1, spans accepted 1" in printed
    assert "sent: True" in printed
    spans: list[dict[str, Any]] = [one for body in bodies for one in body["traces"]]
    assert sorted(one["operation_name"] for one in spans) == ["load", "load", "nightly", "vacuum"]
    (nightly,) = [one for one in spans if one["operation_name"] == "nightly"]
    loads = [one for one in spans if one["operation_name"] == "load"]
    assert {one["parent_span_id"] for one in loads} == {nightly["span_id"]}
    assert {one["attributes"]["table"] for one in loads} == {"orders"}
    assert all(10_000_000 <= one["duration_ns"] < 10_000_000_000 for one in loads)
    header = re.search(r"traceparent: 00-(\w{32})-(\w{16})-", printed)
    assert header is not None
    assert header.groups() == (nightly["trace_id"], nightly["span_id"])
    (metric,) = [one for body in bodies for one in body["metrics"]]
    assert (metric["metric_name"], metric["value"], metric["attributes"]) == ("rows.loaded", 300, {"table": "orders"})
    run_ids = {one["run"]["runId"] for one in events}
    assert run_ids == {nightly["attributes"]["pipeline.run_id"]}
    assert events[-1]["run"]["facets"]["lineageHub_trace"]["traceId"] == nightly["trace_id"]
