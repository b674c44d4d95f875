"""The recipe of docs/spark.md for jobs of the JVM: OpenLineage's listener under spark-submit tells a real hub."""

import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.hub_process import HubProcess, clean_environment

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(540)]
DOCS = Path(__file__).parents[2] / "docs" / "spark.md"
# It knows nothing of Lineage Hub.
PROGRAM = """
    import sys
    from pyspark.sql import SparkSession, functions as F
    spark = SparkSession.builder.appName("nightly").getOrCreate()
    orders = spark.read.csv(sys.argv[1], header=True, schema="customer string, amount double, note string")
    report = orders.where("amount > 0").groupBy("customer").agg(F.sum("amount").alias("total"))
    report.write.mode("overwrite").parquet(sys.argv[2])
    spark.stop()
"""


def recipe() -> list[str]:
    """The words of the block that begins with spark-submit."""
    found = re.search(r"```\w*\n(spark-submit .*?)```", DOCS.read_text(), re.DOTALL)
    assert found is not None
    return shlex.split(found[1].replace("\\\n", " "))


def ask(hub: HubProcess, path: str, **question: str) -> dict[str, Any]:
    answer = httpx.get(f"{hub.url}/api/v1{path}", params=question, timeout=30)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_the_hub_shows_lineage_and_columns_of_a_job_under_the_listener(tmp_path: Path) -> None:
    (tmp_path / "orders").mkdir()
    (tmp_path / "orders" / "day.csv").write_text("customer,amount,note\nann,2.5,x\nann,1.5,y\nbob,-1,z\n")
    program = tmp_path / "job.py"
    program.write_text(textwrap.dedent(PROGRAM))
    with HubProcess(tmp_path / "hub") as hub:
        words = [word.replace("http://hub:8000", hub.url) for word in recipe()]
        assert words[0] == "spark-submit"
        assert words[-1] == "job.py"
        command = [str(Path(sys.executable).parent / "spark-submit"), "--master", "local[2]"]
        command += ["--conf", "spark.ui.enabled=false", *words[1:-1], str(program)]
        ended = subprocess.run(
            [*command, str(tmp_path / "orders"), str(tmp_path / "report")],
            env={**clean_environment(), "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=480,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr[-3000:]
        report = f"file:{tmp_path}/report"
        graph = ask(hub, "/lineage", nodeId=f"dataset:{report}", depth="5")["graph"]
        nodes = {one["id"] for one in graph}
        assert f"dataset:file:{tmp_path}/orders" in nodes
        jobs = ask(hub, "/jobs", limit="100")["jobs"]
        (writer,) = [one for one in jobs if f"{tmp_path}/report" in [made["name"] for made in one["outputs"]]]
        assert writer["latestRun"]["state"] == "COMPLETED"
        assert [read["name"] for read in writer["inputs"]] == [f"{tmp_path}/orders"]
        columns = ask(hub, "/column-lineage", nodeId=f"datasetField:{report}:total", depth="5")["graph"]
        origins = {(one["data"]["dataset"], one["data"]["field"]) for one in columns}
        assert (f"{tmp_path}/orders", "amount") in origins
        assert (f"{tmp_path}/orders", "note") not in origins
        running = [one for one in jobs if one["latestRun"]["state"] not in ("COMPLETED", "FAILED", "ABORTED")]
        assert running == []
    assert os.listdir(tmp_path / "report")
