"""Telemetry costs a hub nothing until it is used; then health and metrics tell of it, and runs are in its table."""

import json
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings
from tests.hub_process import HubProcess
from tests.ingest.telemetry.engine import engine_pid
from tests.proofs.test_telemetry_kill import body
from tests.server.conftest import EventMaker

UNUSED = """
import sys
from pathlib import Path
from starlette.testclient import TestClient
from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings

with TestClient(create_app(Settings(data_dir=Path(sys.argv[1])))) as client:
    assert client.get("/api/v1/health").json()["dependencies"]["telemetry"]["detail"] == "not in use"
    client.get("/metrics").raise_for_status()
heavy = ["chdb", "pyarrow", "clickhouse_connect", "grpc", "google.protobuf", "lineage_hub.ingest.telemetry.intake"]
print([name for name in heavy if name in sys.modules])
"""


def test_a_hub_without_telemetry_imports_starts_and_makes_nothing_for_it(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", UNUSED, tmp_path], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert not (tmp_path / "telemetry").exists()


@pytest.mark.slow
def test_a_running_hub_that_takes_events_has_no_process_or_folder_for_it(tmp_path: Path) -> None:
    event = {
        "eventType": "COMPLETE",
        "eventTime": "2026-11-17T00:00:00Z",
        "run": {"runId": "018f4e1c-7c1d-7000-8000-00000000002a"},
        "job": {"namespace": "shop", "name": "load"},
        "producer": "https://example.org",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    }
    with HubProcess(tmp_path / "data") as hub:
        assert httpx.post(f"{hub.url}/api/v1/lineage", json=event).status_code == 201
        why = httpx.get(f"{hub.url}/api/v1/runs/{event['run']['runId']}/why")  # type: ignore[index]
        assert why.json()["telemetry"]["state"] == "none"
        tasks = list(Path(f"/proc/{hub.pid}/task").iterdir())
        assert [one for task in tasks for one in (task / "children").read_text().split()] == []
        mapped = Path(f"/proc/{hub.pid}/maps").read_text()
        assert [name for name in ("chdb", "pyarrow", "clickhouse_connect", "grpc") if name in mapped] == []
    assert not (tmp_path / "data" / "telemetry").exists()


def values(client: TestClient) -> dict[str, float]:
    families = text_string_to_metric_families(client.get("/metrics").text)
    return {
        " ".join([sample.name, *sample.labels.values()]): sample.value
        for family in families
        if "telemetry" in family.name
        for sample in family.samples
    }


def test_metrics_of_telemetry_are_there_before_it_is_used(client: TestClient) -> None:
    found = values(client)
    for name in (
        "rows_total traces",
        "rows_total metrics",
        "rows_total logs",
        "requests_total repeated",
        "requests_total refused",
        "requests_total failed",
        "batches_total",
        "batches_taken_back_total",
        "queue_bytes",
        "insert_duration_seconds_count",
        "batch_rows_count",
    ):
        assert found[f"lineage_hub_telemetry_{name}"] == 0


@pytest.mark.slow
def test_the_first_request_starts_it_and_the_next_hub_goes_on(settings: Settings, event: EventMaker) -> None:
    folder = Path(settings.data_dir) / "telemetry"
    app = create_app(settings)
    with TestClient(app) as client:
        client.post("/api/v1/lineage", json=event(run={"runId": "before"})).raise_for_status()
        assert engine_pid(folder) is None
        for _ in range(2):
            answer = client.post("/v1/traces", content=body(1, 30), headers={"content-type": "application/json"})
            assert (answer.status_code, json.loads(answer.content)) == (200, {})
        found = values(client)
        assert found["lineage_hub_telemetry_rows_total traces"] == 30
        assert found["lineage_hub_telemetry_requests_total repeated"] == 1
        assert found["lineage_hub_telemetry_batches_total"] == 1
        assert found["lineage_hub_telemetry_insert_duration_seconds_count"] == 1
        assert found["lineage_hub_telemetry_queue_bytes"] == 0
        health = client.get("/api/v1/health").json()
        assert (health["status"], health["dependencies"]["telemetry"]["detail"]) == ("healthy", "0 bytes wait")
        assert runs(app, 1) == {"before"}
    assert engine_pid(folder) is None
    app = create_app(settings)
    with TestClient(app) as client:
        client.post("/api/v1/lineage", json=event(run={"runId": "after"})).raise_for_status()
        assert runs(app, 2) == {"before", "after"}, "a hub that has telemetry follows runs from its start"


def runs(app: object, wanted: int) -> set[str]:
    store = app.state.hub.telemetry.store  # type: ignore[attr-defined]
    deadline = time.monotonic() + 30
    while True:
        found = {row["run_id"] for row in store.ask("SELECT run_id FROM pipeline_runs")}
        if len(found) >= wanted or time.monotonic() > deadline:
            return found
        time.sleep(0.05)
