"""How runs of pipelines went: counted by hand from a few events."""

from pathlib import Path

import httpx
import pytest

from tests.hub_process import HubProcess

PARENT = {"run": {"runId": "018f0000-0000-7000-8000-000000000001"}, "job": {"namespace": "etl", "name": "daily"}}


def event(
    name: str, run: int, kind: str, second: int, rows: int | None = None, parent: bool = True
) -> dict[str, object]:
    facets = {"parent": {"_producer": "https://x", "_schemaURL": "https://x", **PARENT}} if parent else {}
    statistics = {"_producer": "https://x", "_schemaURL": "https://x", "rowCount": rows}
    outputs = [] if rows is None else [
        {"namespace": "file", "name": f"/{name}", "outputFacets": {"outputStatistics": statistics}}
    ]  # fmt: skip
    return {
        "eventTime": f"2026-11-02T10:00:{second:02d}Z",
        "eventType": kind,
        "producer": "https://x",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": f"018f0000-0000-7000-8000-{run:012d}", "facets": facets},
        "job": {"namespace": "etl", "name": name},
        "inputs": [],
        "outputs": outputs,
    }


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    folder: Path = tmp_path_factory.mktemp("hub")
    with HubProcess(folder) as process:
        told = [
            event("daily", 1, "START", 0, parent=False),
            event("daily.read", 2, "START", 1),
            event("daily.read", 2, "COMPLETE", 3, rows=100),
            event("daily.write", 3, "START", 3),
            event("daily.write", 3, "FAIL", 7),
            event("daily.write", 4, "START", 8),
            event("daily.write", 4, "RUNNING", 9, rows=10),
            event("daily.write", 4, "COMPLETE", 10, rows=50),
            event("daily", 1, "COMPLETE", 10, parent=False),
            event("alone", 5, "START", 0, parent=False),
            event("alone", 5, "FAIL", 1, parent=False),
        ]
        for one in told:
            httpx.post(f"{process.url}/api/v1/lineage", json=one).raise_for_status()
        yield process.url


def metrics(hub: str, **question: str) -> dict[str, object]:
    answer = httpx.get(f"{hub}/api/v1/metrics", params=question)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


DAY = {"from": "2026-11-02T10:00:00Z", "to": "2026-11-02T11:00:00Z"}


def test_rates_durations_and_records_are_those_of_the_runs(hub: str) -> None:
    found = metrics(hub, **DAY)
    pipelines = found["pipelines"]
    assert isinstance(pipelines, dict)
    assert (pipelines["runs"], pipelines["completed"], pipelines["failed"]) == (1, 1, 0)
    assert pipelines["successRate"] == 1.0
    assert pipelines["durationMs"] == {"p50": 10_000.0, "p95": 10_000.0}
    assert pipelines["recordsPerHour"] == pytest.approx(150)


def test_errors_are_told_by_stage_and_a_lone_job_is_no_pipeline(hub: str) -> None:
    stages = {one["name"]: one for one in metrics(hub, **DAY)["byStage"]}  # type: ignore[attr-defined]
    assert stages.keys() == {"daily.read", "daily.write"}
    assert (stages["daily.write"]["runs"], stages["daily.write"]["errorRate"]) == (2, 0.5)
    assert (stages["daily.read"]["errorRate"], stages["daily.read"]["records"]) == (0.0, 100)
    assert [one["name"] for one in metrics(hub, **DAY)["byPipeline"]] == ["daily"]  # type: ignore[attr-defined]


def test_a_stretch_without_runs_has_no_rates(hub: str) -> None:
    found = metrics(hub, **{"from": "2026-11-03T00:00:00Z", "to": "2026-11-03T01:00:00Z"})
    assert found["pipelines"]["successRate"] is None  # type: ignore[index]
    assert found["byStage"] == []


def test_a_stretch_that_ends_before_it_begins_is_refused(hub: str) -> None:
    answer = httpx.get(f"{hub}/api/v1/metrics", params={"from": DAY["to"], "to": DAY["from"]})
    assert answer.status_code == 400
    assert "earlier" in answer.json()["action"]
