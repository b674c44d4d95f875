"""Pipelines are started, watched and cancelled over the API; a dead driver is told of, a restart of the hub is not."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from benchmarks.hub import process_tree
from tests.hub_process import HubProcess
from tests.spark.pipeline.shop_files import PIPELINE, write_files

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(600)]
# A start of Spark on a machine that does much else.
PATIENCE_S = 240.0
# What a run that has lost its driver may take to be known as failed.
DEATH_S = 60.0


class Service:
    """A hub that may start the pipelines of a folder, and reach files in it."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        write_files(folder / "shop")
        self._environment = {
            "LINEAGE_HUB_PIPELINE_FOLDER": str(folder / "shop"),
            "LINEAGE_HUB_PIPELINE_ROOTS": str(folder / "shop"),
            "LINEAGE_HUB_PIPELINE_MASTER": "local[1]",
            "LINEAGE_HUB_SPOOL_FOLDER": str(folder / "spool"),
            **settings,
        }
        self._environment["LINEAGE_HUB_PIPELINE_ENVIRONMENT"] = "LINEAGE_HUB_SPOOL_FOLDER"
        self._hub = HubProcess(folder / "data", environment=self._environment)

    def restart(self) -> None:
        assert self._hub.stop() == 0
        self._hub = HubProcess(self.folder / "data", environment=self._environment, port=self._hub.port)

    def stop(self) -> None:
        for run in self.get("/pipeline/run")["runs"]:
            if run["state"] in ("WAITING", "RUNNING"):
                self.kill_driver(run["run_id"])
        self._hub.stop()

    def kill_driver(self, run_id: str) -> None:
        """The driver alone: the JVM that it had started ends by itself."""
        pid = int((self.folder / "data" / "pipelines" / "runs" / run_id / "pid").read_text())
        tree = process_tree(pid)
        os.kill(pid, signal.SIGKILL)
        until = time.monotonic() + DEATH_S
        while any(_is_there(one) for one in tree):
            assert time.monotonic() < until, "what the driver had started outlives it"
            time.sleep(0.1)

    def ask(self, method: str, path: str, **request: Any) -> httpx.Response:
        return httpx.request(method, f"{self._hub.url}/api/v1{path}", timeout=60, **request)

    def get(self, path: str, **question: str) -> dict[str, Any]:
        answer = self.ask("GET", path, params=question)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def run(self, pipeline: str, **more: Any) -> httpx.Response:
        wish = {"pipeline": pipeline, "parameters": {"at": str(self.folder / "shop")}, **more}
        return self.ask("POST", "/pipeline/run", json=wish)

    def run_of(self, run_id: str) -> dict[str, Any]:
        return self.get(f"/pipeline/run/{run_id}")

    def wait(self, run_id: str, wanted: Callable[[dict[str, Any]], bool], patience_s: float = PATIENCE_S) -> Any:
        until = time.monotonic() + patience_s
        while time.monotonic() < until:
            told = self.run_of(run_id)
            if wanted(told):
                return told
            time.sleep(0.25)
        log = (self.folder / "data" / "pipelines" / "runs" / run_id / "driver.log").read_text()[-3000:]
        raise AssertionError(f"the run did not get there: {told}\n{log}")

    def wait_in_hub(self, run_id: str, state: str) -> dict[str, Any]:
        until = time.monotonic() + DEATH_S
        while time.monotonic() < until:
            answer = self.ask("GET", f"/jobs/runs/{run_id}")
            if answer.status_code == 200 and answer.json()["state"] == state:
                return dict(answer.json())
            time.sleep(0.25)
        raise AssertionError(f"{run_id} is not {state} in the hub: {answer.text}")


def _is_there(pid: int) -> bool:
    """One that has ended and that nobody has asked for its exit code isn't."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    made = Service(tmp_path_factory.mktemp("service"))
    yield made
    made.stop()


def _stage(told: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in told["stages"] if one["name"] == name)


def _ended(told: dict[str, Any]) -> bool:
    return told["state"] not in ("WAITING", "RUNNING")


def _is_moving(told: dict[str, Any]) -> bool:
    return bool(_stage(told, "never")["state"] == "RUNNING" and told["heartbeat_at"])


def test_a_run_is_asked_for_and_told_of(service: Service) -> None:
    assert [one["name"] for one in service.get("/pipeline")["pipelines"]] == ["endless", "small"]
    answer = service.run("small", idempotency_key="the first")
    assert answer.status_code == 202, answer.text
    run_id = answer.json()["run_id"]
    again = service.run("small", idempotency_key="the first")
    assert (again.status_code, again.json()["run_id"]) == (200, run_id)
    told = service.wait(run_id, _ended)
    assert told["state"] == "COMPLETE", told
    assert {one["name"]: (one["state"], one["rows"]) for one in told["stages"]} == {
        "orders": ("COMPLETE", 3),
        "doubled": ("COMPLETE", 3),
        "doubled_orders": ("COMPLETE", 3),
    }
    service.wait_in_hub(run_id, "COMPLETED")
    for stage in told["stages"]:
        run = service.wait_in_hub(stage["run_id"], "COMPLETED")
        assert run["facets"]["parent"]["run"]["runId"] == run_id
    shop = service.folder / "shop"
    origins = service.get("/column-lineage", nodeId=f"datasetField:file:{shop}/doubled:twice", depth="20")
    assert (f"{shop}/orders.csv", "amount") in {(n["data"]["dataset"], n["data"]["field"]) for n in origins["graph"]}
    assert [one["run_id"] for one in service.get("/pipeline/run", pipeline="small")["runs"]] == [run_id]
    figures = service.get("/metrics")
    assert figures["pipelines"], figures


def test_a_run_outlives_a_restart_of_the_hub_and_a_killed_driver_is_a_failure(service: Service) -> None:
    run_id = service.run("endless").json()["run_id"]
    before = service.wait(run_id, _is_moving)
    service.restart()
    after = service.wait(run_id, lambda told: told["heartbeat_at"] > before["heartbeat_at"])
    assert after["state"] == "RUNNING"
    service.kill_driver(run_id)
    told = service.wait(run_id, _ended, DEATH_S)
    assert (told["state"], _stage(told, "never")["state"]) == ("FAIL", "FAIL")
    run = service.wait_in_hub(run_id, "FAILED")
    assert "lineageHub_inferred" in run["facets"]
    for stage in told["stages"]:
        assert service.wait_in_hub(stage["run_id"], "FAILED")["facets"]["parent"]["run"]["runId"] == run_id
    assert not (service.folder / "shop" / "never").exists()


def test_a_run_is_cancelled(service: Service) -> None:
    run_id = service.run("endless").json()["run_id"]
    service.wait(run_id, _is_moving)
    assert service.ask("POST", f"/pipeline/run/{run_id}/cancel").status_code == 202
    told = service.wait(run_id, _ended)
    assert told["state"] == "ABORT"
    assert service.wait_in_hub(run_id, "ABORTED")
    assert service.ask("POST", f"/pipeline/run/{run_id}/cancel").status_code == 409
    assert not (service.folder / "shop" / "never").exists()


@pytest.mark.parametrize(
    ("wish", "status", "says"),
    [
        ({"pipeline": "smal"}, 404, "there is no pipeline"),
        ({"pipeline": "../shop/small"}, 404, "there is no pipeline"),
        ({}, 400, "no pipeline is named"),
        ({"pipeline": "small"}, 400, "at"),
        ({"pipeline": "small", "parameters": {"at": "/etc"}}, 400, "/etc"),
        ({"pipeline": "small", "parameters": {"at": "SHOP/../.."}}, 400, ".."),
        ({"pipeline": "small", "parameters": {"at": "SHOP", "no": "1"}}, 400, "no"),
        ({"pipeline": "small", "parameters": {"at": "SHOP"}, "from_stage": "no"}, 400, "there is no stage"),
        ({"definition": PIPELINE, "parameters": {"at": "SHOP"}}, 400, "runs no definition"),
        ({"pipeline": "small", "wish": 1}, 400, "wish"),
        ({"pipeline": 1}, 400, "can't be read"),
    ],
)
def test_what_can_not_be_run_is_refused_with_its_cause(
    service: Service, wish: dict[str, Any], status: int, says: str
) -> None:
    shop = str(service.folder / "shop")
    given = {name: value.replace("SHOP", shop) for name, value in wish.get("parameters", {}).items()}
    answer = service.ask("POST", "/pipeline/run", json={**wish, "parameters": given} if given else wish)
    assert answer.status_code == status, answer.text
    assert says in answer.text


def test_a_run_that_is_not_there(service: Service) -> None:
    for path in ("/pipeline/run/0199f0d2-0000-7000-8000-000000000000", "/pipeline/run/..%2f..", "/pipeline/run/x"):
        assert service.ask("GET", path).status_code == 404
