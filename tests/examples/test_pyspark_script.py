"""The example on Spark: a hub follows a column of its last table to the file that came first."""

from pathlib import Path

import httpx
import pytest

from tests.examples.running import run_example
from tests.hub_process import HubProcess

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]


def test_pyspark_script(tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    with HubProcess(tmp_path / "data") as hub:
        ran = run_example(tmp_path, "pyspark_script.py", str(lake), LINEAGE_HUB_URL=hub.url, SPARK_LOCAL_IP="127.0.0.1")
        assert ran.stdout == "monday: 13.00\ntuesday: 10.00\n"
        api = f"{hub.url}/api/v1"
        found = httpx.get(f"{api}/namespaces/spark-example/jobs", timeout=30).json()["jobs"]
        assert {job["name"]: job["latestRun"]["state"] for job in found} == {
            "shop": "COMPLETED",
            "shop.parquet.lake/amounts": "COMPLETED",
            "shop.insert_into_dir.lake/revenue": "COMPLETED",
        }
        question = {"nodeId": f"datasetField:file:{lake}/revenue:revenue", "depth": "20"}
        graph = httpx.get(f"{api}/column-lineage", params=question, timeout=30).json()["graph"]
        origins = {(one["data"]["dataset"], one["data"]["field"]) for one in graph}
        assert {(f"{lake}/orders", "price"), (f"{lake}/orders", "quantity")} <= origins
        assert (f"{lake}/orders", "customer") not in origins
