"""What a workspace's code and runs say is in the hub: from topics to gold, with columns, rows and expectations."""

import uuid
from datetime import UTC, datetime

import httpx
import pytest

from tests.hub_process import HubProcess

SPACE = "databricks://shop"
UPDATE = str(uuid.UUID(int=11))
BEGUN_MS = int(datetime(2026, 11, 1, tzinfo=UTC).timestamp() * 1000)
OVER = {"life_cycle_state": "TERMINATED", "result_state": "SUCCESS"}


def logged(at, kind, details, **origin):
    return {
        "timestamp": f"2026-11-01T00:00:{at:02}.000Z", "event_type": kind, "details": {kind: details},
        "origin": {"update_id": UPDATE, **origin},
    }  # fmt: skip


FLOW = {"flow_name": "main.bronze.orders_raw"}
RULES = {"expectations": [{"name": "has_key", "dataset": "orders_raw", "passed_records": 9, "failed_records": 1}]}
LOG = [
    logged(1, "create_update", {"cause": "JOB_TASK"}),
    logged(2, "flow_progress", {"status": "STARTING"}, **FLOW),
    logged(3, "flow_progress", {"status": "RUNNING", "metrics": {"num_output_rows": 9}, "data_quality": RULES}, **FLOW),
    logged(4, "flow_progress", {"status": "COMPLETED"}, **FLOW),
    logged(5, "update_progress", {"state": "COMPLETED"}),
]


@pytest.mark.slow
def test_a_workspace_is_told_to_a_hub_and_a_second_time_adds_nothing(cli, shop, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "databricks.yaml"
    file.write_text(
        f"workspace: {shop.url}\ntoken: {shop.token}\nnamespace: {SPACE}\nclusters: {{prod: [k2.example]}}\n"
    )
    shop.add_events("p-bronze", LOG)
    started = {"task_key": "ingest", "pipeline_task": {"pipeline_id": "p-bronze"}}
    times = {"start_time": BEGUN_MS, "end_time": BEGUN_MS + 9_000, "state": OVER}
    shop.add_runs(
        shop.add_job("nightly", [started]), [{"run_id": 71, **times, "tasks": [{**started, "run_id": 72, **times}]}]
    )
    with HubProcess(tmp_path / "hub") as hub:

        def get(path, **params):
            answer = httpx.get(f"{hub.url}/api/v1{path}", params=params)
            assert answer.status_code == 200, answer.text
            return answer.json()

        def told():
            done = cli("databricks", "scan", "--config", file, "--events", "--send", "--url", hub.url)
            assert done.code == 0, done.err
            return get("/events/lineage")["totalCount"]

        count = told()
        nodes = get("/lineage", nodeId=f"dataset:{SPACE}:main.gold.daily", depth=20)["graph"]
        # The topic has the name that the configuration gives its cluster.
        assert {one["id"] for one in nodes} == {
            "dataset:kafka://k2.example:9092:prod.orders",
            f"job:{SPACE}:bronze.orders_raw",
            f"dataset:{SPACE}:main.bronze.orders_raw",
            f"job:{SPACE}:silver.orders",
            f"dataset:{SPACE}:main.silver.orders",
            f"job:{SPACE}:gold.daily.daily",
            f"dataset:{SPACE}:main.gold.daily",
        }
        columns = get("/column-lineage", nodeId=f"datasetField:{SPACE}:main.gold.daily:id", depth=20)["graph"]
        assert f"datasetField:{SPACE}:main.bronze.orders_raw:key" in {one["id"] for one in columns}

        space = SPACE.replace("/", "%2F").replace(":", "%3A")
        (run,) = get(f"/namespaces/{space}/jobs/bronze.orders_raw/runs")["runs"]
        assert run["state"] == "COMPLETED"
        (update,) = get(f"/namespaces/{space}/jobs/bronze/runs")["runs"]
        assert (update["id"], update["state"]) == (UPDATE, "COMPLETED")
        (nightly,) = get(f"/namespaces/{space}/jobs/nightly/runs")["runs"]
        assert nightly["state"] == "COMPLETED"
        children = get(f"/runs/{nightly['id']}/children", depth=2)["children"]
        assert [(one["job"]["name"], one["depth"]) for one in children] == [("bronze", 1), ("bronze.orders_raw", 2)]
        (rule,) = get(f"/namespaces/{space}/datasets/main.bronze.orders_raw")["facets"]["dataQualityAssertions"][
            "assertions"
        ]
        assert (rule["assertion"], rule["success"], rule["actual"]) == ("has_key", False, "1")

        assert told() == count
        assert get("/lineage", nodeId=f"dataset:{SPACE}:main.gold.daily", depth=20)["graph"] == nodes
