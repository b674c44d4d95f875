"""examples/basic_usage.py does what it says, against a real hub."""

from pathlib import Path

import httpx
import pytest

from tests.examples.running import run_example
from tests.hub_process import HubProcess


@pytest.mark.slow
def test_the_pipeline_and_its_lineage_are_in_the_hub(tmp_path: Path) -> None:
    with HubProcess(tmp_path / "hub") as hub:
        ran = run_example(tmp_path, "basic_usage.py", LINEAGE_HUB_URL=hub.url, LINEAGE_HUB_NAMESPACE="examples")
        printed = ran.stdout
        assert "total: 49" in printed
        assert "sent: True" in printed
        assert "lineage-hub" in printed
        assert "accepted 1, rejected 1" in printed
        assert "namespaces: examples" in printed
        events = httpx.get(f"{hub.url}/api/v1/events/lineage").json()
        jobs = {one["name"] for one in httpx.get(f"{hub.url}/api/v1/namespaces/examples/jobs").json()["jobs"]}
    told = [(one["job"]["name"].rpartition(".")[2], one["eventType"]) for one in events["events"]]
    assert sorted(told) == [
        ("daily_report", "COMPLETE"),
        ("daily_report", "START"),
        ("extract", "COMPLETE"),
        ("extract", "START"),
        ("import_prices", "COMPLETE"),
        ("total", "COMPLETE"),
        ("total", "START"),
    ]
    assert {"import_prices", "daily_report"} <= jobs
    outputs = {output["name"] for one in events["events"] for output in one["outputs"]}
    assert outputs == {"orders", "totals/3", "report", "prices"}
