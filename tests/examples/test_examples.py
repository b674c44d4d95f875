"""Each example runs as its docstring says, and a hub then knows what the example tells of."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from tests.examples.running import EXAMPLES, run_example
from tests.hub_process import HubProcess

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HubProcess]:
    with HubProcess(tmp_path_factory.mktemp("hub") / "data") as running:
        yield running


class Asked:
    """What a hub answers about the jobs of one namespace."""

    def __init__(self, hub: HubProcess, namespace: str) -> None:
        self._api = f"{hub.url}/api/v1"
        self._jobs = f"{self._api}/namespaces/{namespace}/jobs"

    def get(self, url: str, **params: Any) -> Any:
        answer = httpx.get(url, params=params, timeout=30)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def jobs(self) -> dict[str, Any]:
        """By simple name."""
        return {job["simpleName"]: job for job in self.get(self._jobs)["jobs"]}

    def runs(self, job: str) -> list[Any]:
        """The earliest first."""
        return sorted(self.get(f"{self._jobs}/{quote(job, safe='')}/runs")["runs"], key=lambda one: one["startedAt"])

    def facets(self, run: Any) -> Any:
        return self.get(f"{self._api}/jobs/runs/{run['id']}/facets", type="run")["facets"]

    def columns(self, node: str) -> dict[str, set[str]]:
        """Of each field the fields that it is made from, as dataset.field."""
        graph = self.get(f"{self._api}/column-lineage", nodeId=node, depth=1)["graph"]
        return {
            one["data"]["field"]: {f"{source['dataset']}.{source['field']}" for source in one["data"]["inputFields"]}
            for one in graph
            if one["data"]["inputFields"]
        }


def names(datasets: list[Any]) -> list[str]:
    return sorted(f"{one['namespace']}/{one['name']}" for one in datasets)


def test_simple_lineage(tmp_path: Path, hub: HubProcess) -> None:
    assert run_example(tmp_path, "simple_lineage.py", LINEAGE_HUB_URL=hub.url).stdout == "ada: 37.50\nbob: 12.50\n"
    asked = Asked(hub, "simple-example")
    jobs = asked.jobs()
    assert jobs.keys() == {"read_orders", "total_by_customer"}
    assert names(jobs["read_orders"]["inputs"]) == ["mysql://db.example:3306/shop.orders"]
    assert names(jobs["read_orders"]["outputs"]) == ["s3://lake/orders"]
    assert names(jobs["total_by_customer"]["outputs"]) == ["s3://lake/customer_totals"]
    assert jobs["total_by_customer"]["description"] == "Sums what each customer spent."
    (total,) = asked.runs("total_by_customer")
    assert total["state"] == "COMPLETED"
    rows = asked.facets(total)["shop_rows"]
    assert (rows["read"], rows["written"]) == (3, 2)


def test_pipeline_stages(tmp_path: Path, hub: HubProcess) -> None:
    ran = run_example(tmp_path, "pipeline_stages.py", LINEAGE_HUB_URL=hub.url)
    assert ran.stdout.splitlines()[-1] == "{'monday': 24.0, 'tuesday': 10.0}"
    asked = Asked(hub, "pipeline-example")
    assert asked.jobs().keys() == {"daily_revenue", "extract", "transform", "load"}
    (whole,) = asked.runs("daily_revenue")
    assert whole["state"] == "COMPLETED"
    stages = [one for stage in ("extract", "transform", "load") for one in asked.runs(stage)]
    assert [one["state"] for one in stages] == ["COMPLETED", "COMPLETED", "FAILED", "COMPLETED"]
    assert {asked.facets(one)["parent"]["run"]["runId"] for one in stages} == {whole["id"]}
    assert asked.facets(stages[2])["errorMessage"]["message"] == "the warehouse does not answer"
    assert asked.columns("dataset:postgres://db.example:5432:shop.public.revenue") == {
        "day": {"clean/orders.day"},
        "revenue": {"clean/orders.amount"},
    }
    assert asked.columns("dataset:s3://lake:clean/orders")["amount"] == {"raw/orders.price", "raw/orders.quantity"}


def test_ml_pipeline(tmp_path: Path, hub: HubProcess) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    ran = run_example(tmp_path, "ml_pipeline.py", str(folder), LINEAGE_HUB_URL=hub.url)
    printed = dict(part.split() for part in ran.stdout.split(", "))
    assert 0.8 < float(printed["accuracy"]) <= 1.0
    assert (folder / "model.joblib").exists()
    asked = Asked(hub, "ml-example")
    jobs = asked.jobs()
    wrote = {name: [Path(one["name"]).name for one in job["outputs"]] for name, job in jobs.items()}
    assert {name: sorted(found) for name, found in wrote.items()} == {
        "iris_model": [],
        "load_features": ["features.csv"],
        "split": ["test.csv", "train.csv"],
        "train": ["model.joblib"],
        "evaluate": [],
    }
    assert names(jobs["evaluate"]["inputs"]) == [f"file/{folder}/model.joblib", f"file/{folder}/test.csv"]
    (evaluated,) = asked.runs("evaluate")
    metrics = asked.facets(evaluated)["ml_metrics"]
    assert f"{metrics['accuracy']:.3f}" == printed["accuracy"]
    assert asked.facets(asked.runs("train")[0])["ml_model"]["rows"] == 105
    model = f"dataset:file:{folder}/model.joblib"
    graph = asked.get(f"{hub.url}/api/v1/lineage", nodeId=model, direction="upstream")["graph"]
    assert "dataset:ml-example:sklearn.iris" in {node["id"] for node in graph}


@pytest.mark.parametrize("name", ["simple_lineage.py", "pipeline_stages.py"])
def test_without_a_hub_events_are_printed_and_valid(tmp_path: Path, name: str) -> None:
    printed = [line for line in run_example(tmp_path, name).stderr.splitlines() if line.startswith("{")]
    kinds = [json.loads(line)["eventType"] for line in printed]
    assert kinds.count("START") == len(kinds) / 2 > 1


def test_every_example_is_in_the_index_with_how_to_run_it() -> None:
    index = (EXAMPLES / "README.md").read_text()
    for example in EXAMPLES.glob("*.py"):
        assert f"[{example.name}]({example.name})" in index
        assert f"python examples/{example.name}" in example.read_text()
