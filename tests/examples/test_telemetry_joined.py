"""What examples/telemetry.py sends to a running hub belongs together there: run and trace lead to each other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.examples.running import run_example
from tests.hub_process import HubProcess

pytestmark = pytest.mark.slow


def test_the_run_and_its_trace_lead_to_each_other(tmp_path: Path) -> None:
    with HubProcess(tmp_path / "data") as hub:
        ran = run_example(tmp_path, "telemetry.py", LINEAGE_HUB_URL=hub.url, LINEAGE_HUB_NAMESPACE="shop")
        header = re.search(r"traceparent: 00-(\w{32})-(\w{16})-", ran.stdout)
        assert header is not None, ran.stdout

        def ask(path: str) -> dict[str, Any]:
            answer = httpx.get(f"{hub.url}/api/v1{path}", timeout=60)
            assert answer.status_code == 200, answer.text
            return dict(answer.json())

        trace = ask(f"/traces/{header[1]}")
        assert [one["name"] for one in trace["spans"]] == ["nightly", "load", "load"]
        (run,) = trace["runs"]
        assert run["job"]["name"] == "nightly_load"
        assert run["inferred"] is False
        assert [one["as"] for one in trace["datasets"]] == [["output"]]
        back = ask(f"/runs/{run['id']}/trace")
        assert (back["traceId"], back["joinedBy"]) == (header[1], "trace")
        (dataset,) = trace["datasets"]
        path = f"/namespaces/{dataset['namespace'].replace('/', '%2F')}/datasets/{dataset['name']}/telemetry"
        assert [one["traceId"] for one in ask(path)["runs"]] == [header[1]]
