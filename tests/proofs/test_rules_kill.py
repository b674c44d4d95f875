"""kill -9 while history is folded: the next hub goes on, and says what one says that had the rules from the start."""

import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from benchmarks.generator import EventStream, in_batches
from benchmarks.landscape import layered_landscape
from tests.hub_process import HubProcess
from tests.proofs.sizes import TIMEOUT_S, pick

pytestmark = [pytest.mark.slow, pytest.mark.serial, pytest.mark.timeout(TIMEOUT_S)]
EVENTS, KILLS = pick(1_600, 40_000), pick(2, 12)


def rule(at: int) -> dict[str, Any]:
    """Each of them makes other names of all names."""
    on = ["job.name", "dataset.name", "job.namespace"]
    return {"id": "all", "on": on, "match": "regex", "pattern": "(.*)(.)", "replacement": f"${{2}}{at}$1"}


def progress(hub: HubProcess) -> dict[str, Any]:
    return dict(httpx.get(f"{hub.url}/api/v1/rules/refold").json())


def answers(hub: HubProcess) -> list[bytes]:
    with httpx.Client(base_url=f"{hub.url}/api/v1", timeout=60) as client:
        jobs = client.get("/jobs", params={"limit": 1000})
        nodes = [f"job:{one['namespace']}:{one['name']}" for one in jobs.json()["jobs"]]
        graphs = [client.get("/lineage", params={"nodeId": node, "depth": 3}).content for node in nodes]
        events = client.get("/events/lineage", params={"limit": 1000}).content
        return [jobs.content, client.get("/namespaces").content, events, *graphs]


def send(hub: HubProcess, events: list[bytes]) -> None:
    for batch in in_batches(iter(events), 200):
        assert httpx.post(f"{hub.url}/api/v1/lineage/batch", content=batch, timeout=60).status_code == 204


def set_rule(hub: HubProcess, at: int) -> None:
    assert httpx.put(f"{hub.url}/api/v1/rules", json={"names": [rule(at)]}, timeout=60).status_code == 200


def wait_until(hub: HubProcess, changed: int | None) -> None:
    """Until so many events were folded again, or all."""
    give_up = time.monotonic() + 120
    while (found := progress(hub))["state"] != "done" and (changed is None or found["eventsChanged"] < changed):
        assert time.monotonic() < give_up, found
    assert changed is None or found["state"] != "done", "it was too quick to be killed meanwhile"


def test_a_hub_that_is_killed_while_it_folds_history_goes_on(tmp_path: Path) -> None:
    events = list(EventStream(layered_landscape(40), runs_per_job=EVENTS // 80).events(0, EVENTS))
    with HubProcess(tmp_path / "early") as early:
        set_rule(early, KILLS)
        send(early, events)
        expected = answers(early)
    hub = HubProcess(tmp_path / "killed")
    try:
        send(hub, events)
        for at in range(1, KILLS + 1):
            set_rule(hub, at)
            wait_until(hub, changed=EVENTS * at // (10 + KILLS))
            hub.kill()
            hub = HubProcess(tmp_path / "killed")
        send(hub, events[::7])
        wait_until(hub, changed=None)
        assert progress(hub)["number"] == KILLS
        assert answers(hub) == expected
    finally:
        hub.kill()
