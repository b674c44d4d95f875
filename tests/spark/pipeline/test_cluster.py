"""The same pipeline on a real cluster: a master and two workers, from the files that come with pyspark."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pyspark
import pytest

from tests.hub_process import HubProcess, clean_environment, free_port
from tests.spark.pipeline.shop_files import write_files

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(600)]
PATIENCE_S = 120.0


@contextmanager
def _daemon(log: Path, *arguments: str) -> Iterator[None]:
    environment = {**os.environ, "SPARK_NO_DAEMONIZE": "1", "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [str(Path(pyspark.__file__).with_name("bin") / "spark-class"), *arguments]
    with log.open("wb") as out:
        process = subprocess.Popen(command, env=environment, stdout=out, stderr=subprocess.STDOUT)
    try:
        yield
    finally:
        process.terminate()
        process.wait(60)


def _wait_for(log: Path, text: str, times: int = 1) -> None:
    until = time.monotonic() + PATIENCE_S
    while log.read_text().count(text) < times:
        assert time.monotonic() < until, f"no {text!r} in:\n{log.read_text()[-3000:]}"
        time.sleep(0.1)


@pytest.fixture
def master(tmp_path: Path) -> Iterator[str]:
    url = f"spark://127.0.0.1:{free_port()}"
    log = tmp_path / "master.log"
    with ExitStack() as running:
        place = ("--host", "127.0.0.1", "--webui-port", "0")
        kind = "org.apache.spark.deploy.master.Master"
        running.enter_context(_daemon(log, kind, *place, "--port", url.rpartition(":")[2]))
        _wait_for(log, "I have been elected leader")
        for number in range(2):
            worker = ("org.apache.spark.deploy.worker.Worker", *place, "--cores", "1", "--memory", "1g")
            folder = ("--work-dir", str(tmp_path / f"worker-{number}"))
            running.enter_context(_daemon(tmp_path / f"worker-{number}.log", *worker, *folder, url))
        _wait_for(log, "Registering worker", 2)
        yield url


def test_a_pipeline_runs_on_a_cluster_unchanged(master: str, tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    write_files(shop)
    with HubProcess(tmp_path / "hub") as hub:
        environment = clean_environment() | {
            "LINEAGE_HUB_DATA_DIR": str(tmp_path / "data"),
            "LINEAGE_HUB_SPOOL_FOLDER": str(tmp_path / "spool"),
            "LINEAGE_HUB_URL": hub.url,
            "SPARK_LOCAL_IP": "127.0.0.1",
        }
        command = [sys.executable, "-m", "lineage_hub.cli", "pipeline", "run", str(shop / "small.yaml")]
        command += ["-p", f"at={shop}", "--master", master, "--json"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=500)
        assert done.returncode == 0, done.stdout + done.stderr
        told = json.loads(done.stdout)
        assert {one["state"] for one in told["stages"]} == {"COMPLETE"}
        assert [one["rows"] for one in told["stages"]] == [3, 3, 3]
        log = (tmp_path / "master.log").read_text()
        assert "Registered app small" in log
        assert log.count("Launching executor") >= 2
        run = httpx.get(f"{hub.url}/api/v1/jobs/runs/{told['run_id']}", timeout=30).json()
        assert run["state"] == "COMPLETED"
    assert list((shop / "doubled").rglob("*.parquet"))
