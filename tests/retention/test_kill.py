"""A hub that is killed in the middle of a sweep goes on with it, and says the same of the present at any time."""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.hub_process import HubProcess
from tests.oracle import build

pytestmark = [pytest.mark.slow, pytest.mark.serial]
JOBS, DAYS = 5, 300


def events() -> list[build.Body]:
    """A chain of jobs, each once a day; some days a table is dropped and made again."""
    found = []
    for day in range(DAYS):
        for job in range(JOBS):
            parts: dict[str, Any] = {"job": f"j{job}", "run": 1 + day * JOBS + job}
            change = {"lifecycleStateChange": build.lifecycle("DROP")} if job == 2 and day % 10 == 0 else {}
            written = build.dataset(f"t{job + 1}", schema=build.schema("x", f"y{day // 30}"), **change)
            at = day * 86_400 + job
            found.append(build.start(at, **parts))
            found.append(build.complete(at + 1, **parts, inputs=[f"t{job}"], outputs=[written]))
    return found


def present(hub: HubProcess) -> dict[str, Any]:
    with httpx.Client(base_url=f"{hub.url}/api/v1", timeout=30) as client:
        found = {f"t{n}": client.get(f"/namespaces/db/datasets/t{n}").json() for n in range(JOBS + 1)}
        for job in range(JOBS):
            found[f"j{job}"] = client.get(f"/namespaces/jobs/jobs/j{job}").json()
            for what in ("latestRuns", "latestRun"):
                found[f"j{job}"].pop(what)
        found["lineage"] = client.get("/lineage", params={"nodeId": "dataset:db:t0"}).json()
        return found


def sweep(hub: HubProcess) -> dict[str, Any]:
    found: dict[str, Any] = httpx.get(f"{hub.url}/api/v1/retention").json()["sweep"]
    return found


def test_a_kill_in_the_middle_of_a_sweep_harms_nothing(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with HubProcess(data) as hub:
        sent = httpx.post(f"{hub.url}/api/v1/lineage/batch", content=json.dumps(events()), timeout=60)
        assert sent.status_code == 204
        before = present(hub)
    with sqlite3.connect(data / "lineage.db") as connection:
        # As if the hub had been there when it happened.
        connection.execute("UPDATE event SET known_at = event_at")
    kills = 0
    while True:
        hub = HubProcess(data, "--lineage-retention-days", "30")
        try:
            assert present(hub) == before
            assert httpx.post(f"{hub.url}/api/v1/retention/sweep").status_code == 202
            until = time.monotonic() + 60
            while (found := sweep(hub))["running"] and time.monotonic() < until:
                if kills < 2 and found["eventsRemoved"] > 200:
                    kills += 1
                    break
                assert present(hub)["lineage"] == before["lineage"]
            else:
                assert found["error"] is None
                assert not found["running"]
                assert present(hub) == before
                break
        finally:
            hub.kill()
    assert kills == 2
    with sqlite3.connect(data / "lineage.db") as connection:
        counts = {
            what: connection.execute(question).fetchone()[0]
            for what, question in {
                "events": "SELECT count(*) FROM event",
                "events without text": "SELECT count(*) FROM event WHERE seq NOT IN (SELECT seq FROM raw)",
                "texts without event": "SELECT count(*) FROM raw WHERE seq NOT IN (SELECT seq FROM event)",
                "events without shape": "SELECT count(*) FROM event WHERE shape NOT IN (SELECT id FROM shape)",
                "cuts without event": "SELECT count(*) FROM cut WHERE event_id NOT IN (SELECT event_id FROM event)",
                "shapes without event": "SELECT count(*) FROM shape WHERE id NOT IN (SELECT shape FROM event)",
            }.items()
        }
    assert counts.pop("events") < JOBS * DAYS * 2 / 5
    # The last one stays, so that its number isn't given again.
    assert counts.pop("shapes without event") <= 1
    assert set(counts.values()) == {0}, counts
