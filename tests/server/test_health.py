"""Health tells what the parts really answer; a hub whose parts are gone says so with 503."""

from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from lineage_hub import __version__
from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings
from tests.server.conftest import EventMaker


def test_a_healthy_hub_tells_each_part_with_its_latency(client: TestClient) -> None:
    answer = client.get("/api/v1/health")
    assert answer.status_code == 200
    found = answer.json()
    assert (found["status"], found["service"], found["version"]) == ("healthy", "lineage-hub", __version__)
    assert found["timestamp"].endswith("Z")
    assert set(found["dependencies"]) == {"store", "writer", "disk", "telemetry"}
    for part in found["dependencies"].values():
        assert set(part) == {"status", "latency_ms", "detail"}
        assert part["status"] == "healthy"
        assert part["latency_ms"] >= 0


def test_the_probes_answer(client: TestClient) -> None:
    assert client.get("/livez").json() == {"status": "alive"}
    assert client.get("/readyz").json() == {"status": "ready"}


def test_a_writer_that_has_ended_makes_the_hub_unhealthy_but_not_dead(tmp_path: Path) -> None:
    app = create_app(Settings(data_dir=tmp_path))
    with TestClient(app) as client:
        client.portal.call(app.state.intake.stop)
        found = client.get("/api/v1/health")
        assert found.status_code == 503
        assert found.json()["status"] == "unhealthy"
        assert found.json()["dependencies"]["writer"]["status"] == "unhealthy"
        assert found.json()["dependencies"]["store"]["status"] == "healthy"
        assert client.get("/readyz").status_code == 503
        assert client.get("/livez").status_code == 200


def test_metrics_are_well_formed_and_count_events_groups_and_the_process(client: TestClient, event: EventMaker) -> None:
    one = event()
    for body in (one, one, event(), {}):
        client.post("/api/v1/lineage", json=body)
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    families = {family.name: family for family in text_string_to_metric_families(answer.text)}
    outcomes = {
        (sample.labels["outcome"], sample.labels["kind"]): sample.value
        for sample in families["lineage_hub_events"].samples
        if sample.name.endswith("_total") and sample.value
    }
    assert outcomes == {("accepted", "RunEvent"): 2, ("repeated", "RunEvent"): 1, ("rejected", "unknown"): 1}
    for name in (
        "lineage_hub_group_events",
        "lineage_hub_commit_duration_seconds",
        "lineage_hub_request_duration_seconds",
        "lineage_hub_queue_bytes",
        "lineage_hub_dead_letters_stored",
        "lineage_hub_dead_letters_evicted",
        "process_cpu_seconds",
        "process_resident_memory_bytes",
    ):
        assert name in families


def test_two_hubs_in_one_process_count_for_themselves(tmp_path: Path, client: TestClient, event: EventMaker) -> None:
    client.post("/api/v1/lineage", json=event())
    with TestClient(create_app(Settings(data_dir=tmp_path / "other"))) as other:
        assert 'lineage_hub_events_total{kind="RunEvent",outcome="accepted"} 0.0' in other.get("/metrics").text
