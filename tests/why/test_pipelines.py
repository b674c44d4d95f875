"""A pipeline names no dataset and has no spans: its stages, which are runs of their own, say why."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings

FIRST = datetime(2026, 11, 2, 6, tzinfo=UTC)
DAYS = 10
STAGES = {"read": 300, "join": 900, "write": 240}


def run_id(day: int, number: int) -> str:
    return f"018f0000-0000-7000-8000-{day:06d}{number:06d}"


def event(name: str, run: str, kind: str, at: datetime, **more: Any) -> dict[str, Any]:
    told: dict[str, dict[str, Any]] = {}
    if more.get("parent"):
        told["parent"] = {"run": {"runId": more["parent"]}, "job": {"namespace": "etl", "name": "daily"}}
    if more.get("error"):
        told["errorMessage"] = {"message": more["error"], "programmingLanguage": "python"}
    meta = {"_producer": "https://x", "_schemaURL": "https://x"}
    return {
        "eventTime": at.isoformat(),
        "eventType": kind,
        "producer": "https://x",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run, "facets": {key: {**meta, **value} for key, value in told.items()}},
        "job": {"namespace": "etl", "name": name},
        "inputs": [{"namespace": "db", "name": one} for one in more.get("inputs", ())],
        "outputs": [{"namespace": "db", "name": one} for one in more.get("outputs", ())],
    }


def day_of(day: int, took: dict[str, int], fails: str | None = None) -> list[dict[str, Any]]:
    at = FIRST + timedelta(days=day)
    whole = run_id(day, 0)
    told = [event("daily", whole, "START", at)]
    read = "raw"
    for number, (name, seconds) in enumerate(took.items(), 1):
        begins, at = at, at + timedelta(seconds=seconds + day % 3)
        run, sides = run_id(day, number), {"inputs": (read,), "outputs": (name,), "parent": whole}
        told.append(event(f"daily.{name}", run, "START", begins, **sides))
        if name == fails:
            told.append(event(f"daily.{name}", run, "FAIL", at, parent=whole, error="no room"))
            break
        told.append(event(f"daily.{name}", run, "COMPLETE", at, **sides))
        read = name
    return [*told, event("daily", whole, "FAIL" if fails else "COMPLETE", at)]


def why(folder: Path, last: list[dict[str, Any]], settings: Settings | None = None) -> dict[str, Any]:
    with TestClient(create_app(settings or Settings(data_dir=folder))) as client:
        events = [one for day in range(DAYS) for one in day_of(day, STAGES)] + last
        sent = client.post("/api/v1/lineage/batch", json=events)
        assert sent.status_code == 204, sent.text
        return dict(client.get(f"/api/v1/runs/{run_id(DAYS, 0)}/why").json())


def test_the_slow_stage_of_a_late_pipeline_is_a_run(tmp_path: Path) -> None:
    answer = why(tmp_path, day_of(DAYS, STAGES | {"join": 4_000}))
    assert answer["verdict"] == "late"
    first = answer["causes"][0]
    assert (first["kind"], first["subject"]) == ("slow_stage", f"run:{run_id(DAYS, 2)}")
    assert [run["job"]["name"] for run in first["evidence"]["runs"]] == ["daily", "daily.join"]
    assert first["delaySeconds"] == pytest.approx(3_100, rel=0.02)


def test_the_failed_stage_of_a_failed_pipeline_is_a_run(tmp_path: Path) -> None:
    answer = why(tmp_path, day_of(DAYS, STAGES, fails="join"))
    first = answer["causes"][0]
    assert (first["kind"], first["subject"]) == ("own_error", f"run:{run_id(DAYS, 2)}")
    assert first["evidence"]["messages"] == ["no room"]


def test_a_stage_that_was_tried_again_made_its_pipeline_late(tmp_path: Path) -> None:
    told = day_of(DAYS, STAGES | {"join": 4_000})
    begins = FIRST + timedelta(days=DAYS, seconds=STAGES["read"] + 1)
    attempt = run_id(DAYS, 9)
    for one in told:
        if one["run"]["runId"] == run_id(DAYS, 2) and one["eventType"] == "START":
            one["eventTime"] = (begins + timedelta(seconds=3_100)).isoformat()
    told.append(event("daily.join", attempt, "START", begins, parent=run_id(DAYS, 0)))
    ended = begins + timedelta(seconds=30)
    told.append(event("daily.join", attempt, "FAIL", ended, parent=run_id(DAYS, 0), error="connection reset"))
    first = why(tmp_path, told)["causes"][0]
    assert (first["kind"], first["subject"]) == ("retries", f"run:{run_id(DAYS, 2)}")
    assert "2 attempts" in first["sentence"]


def test_a_store_of_telemetry_that_does_not_answer_is_told_and_lineage_answers(tmp_path: Path) -> None:
    nowhere = Settings(data_dir=tmp_path, clickhouse_url="clickhouse://127.0.0.1:9/otel")
    answer = why(tmp_path, day_of(DAYS, STAGES | {"join": 4_000}), nowhere)
    assert answer["telemetry"]["state"] == "unavailable"
    assert answer["causes"][0]["kind"] == "slow_stage"
