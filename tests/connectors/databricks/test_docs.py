"""The example of docs/databricks.md works as it is written, from a folder to the lineage in a hub."""

import re
import shlex
from pathlib import Path

import httpx
import pytest

from lineage_hub.connectors.databricks.config import _SHORT, load_config
from tests.hub_process import HubProcess

PAGE = (Path(__file__).parents[3] / "docs" / "databricks.md").read_text(encoding="utf-8")
FILES = re.findall(r"^\*\*(pipelines/\S+)\*\*\n```\w+\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
SHOWN = re.findall(r"^\$ lineage-hub (databricks scan --path [^\n]+)\n(.*?)^(?:\$|```)", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def written(cli, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for path, text in FILES:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return cli


def test_the_page_has_its_example() -> None:
    assert [path for path, _ in FILES] == [
        "pipelines/shared/brokers.py",
        "pipelines/bronze.py",
        "pipelines/silver.sql",
        "pipelines/gold.sql",
    ]
    assert len(SHOWN) == 2


def test_the_first_command_prints_what_is_shown_and_fails(written) -> None:
    command, output = SHOWN[0]
    found = written(*shlex.split(command))
    assert found.code == 1
    assert found.out + found.err == output


@pytest.mark.slow
def test_the_second_command_brings_the_lineage_to_a_hub_and_again_adds_nothing(written, tmp_path) -> None:
    command, output = SHOWN[1]
    with HubProcess(tmp_path / "hub") as hub:
        found = written(*shlex.split(command), "--url", hub.url)
        assert found.code == 0
        assert (found.out + found.err).replace(hub.url, "http://127.0.0.1:8000") == output

        def get(path, **params):
            answer = httpx.get(f"{hub.url}/api/v1{path}", params=params)
            assert answer.status_code == 200, answer.text
            return answer.json()

        gold = "dataset:databricks://local:main.shop.customers_daily"
        graph = get("/lineage", nodeId=gold, depth=20)["graph"]
        assert {one["id"].rpartition(":")[2] for one in graph if one["type"] == "DATASET"} == {
            "shop.prod.orders",
            "main.shop.orders_raw",
            "main.shop.orders_clean",
            "main.shop.customers_daily",
        }
        columns = get(
            "/column-lineage", nodeId="datasetField:databricks://local:main.shop.customers_daily:total", depth=20
        )
        fields = {one["id"].removeprefix("datasetField:databricks://local:") for one in columns["graph"]}
        assert {"main.shop.orders_clean:amount", "main.shop.orders_raw:body"} <= fields
        before = get("/events/lineage")["totalCount"], graph
        assert written(*shlex.split(command), "--url", hub.url).code == 0
        assert (get("/events/lineage")["totalCount"], get("/lineage", nodeId=gold, depth=20)["graph"]) == before


def test_every_key_of_the_short_form_is_documented() -> None:
    rows = re.findall(r"^\| (`[^|]+) \|", PAGE, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`([a-z_]+)`", row)}
    assert set(_SHORT) <= named


def test_the_files_that_are_shown_can_be_used(tmp_path) -> None:
    shown = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert len(shown) == 2
    for text in shown:
        file = tmp_path / "databricks.yaml"
        file.write_text(text)
        assert load_config(file, environ={"DATABRICKS_TOKEN": "dapi"}).clusters
