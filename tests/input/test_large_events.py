"""Events of thousands of columns or datasets are taken and shown; they have a hub of their own, others stay quick."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.hub_process import HubProcess
from tests.input.client import WAYS, Client, event, text_of
from tests.input.crawl import about_job, ask, visit

pytestmark = pytest.mark.slow

ONE = WAYS[0]


@pytest.fixture(name="client")
def own_client(tmp_path: Path) -> Iterator[Client]:
    with HubProcess(tmp_path / "data") as hub, httpx.Client(base_url=f"{hub.url}/api/v1/", timeout=60) as http:
        client = Client(http)
        yield client
        client.still_works()


def test_ten_thousand_columns_are_taken_and_shown(client: Client) -> None:
    columns = [f"column_{n}" for n in range(10_000)]
    source = {"namespace": "wide", "name": "source"}
    lineage = {name: {"inputFields": [{**source, "field": name}]} for name in columns}
    facets = {"schema": {"fields": [{"name": n, "type": "INT"} for n in columns]}, "columnLineage": {"fields": lineage}}
    raw = text_of(event(inputs=[source], outputs=[{"namespace": "wide", "name": "table", "facets": facets}]))
    assert client.post(ONE, raw).status_code == 201
    dataset = ask(client, "namespaces/wide/datasets/table")
    assert [field["name"] for field in dataset["fields"]] == columns
    assert len(dataset["columnLineage"]) == 10_000
    graph = ask(client, "column-lineage", nodeId="dataset:wide:table")
    assert (len(graph["graph"]), graph["truncated"], graph["hidden_nodes"]) == (20_000, False, 0)
    few = ask(client, "column-lineage", nodeId="dataset:wide:table", limit=100)
    assert (len(few["graph"]), few["truncated"], few["hidden_nodes"]) == (100, True, 19_900)
    one = ask(client, "column-lineage", nodeId="datasetField:wide:table:column_9999")
    assert {node["id"] for node in one["graph"]} == {
        "datasetField:wide:table:column_9999",
        "datasetField:wide:source:column_9999",
    }
    visit(client, raw)


def test_five_thousand_inputs_are_taken_and_shown(client: Client) -> None:
    inputs = [{"namespace": "many", "name": f"part-{n}"} for n in range(5_000)]
    job = {"namespace": "many", "name": "union"}
    raw = text_of(event(job=job, inputs=inputs, outputs=[{"namespace": "many", "name": "all"}]))
    assert client.post(ONE, raw).status_code == 201
    assert len(about_job(client, "many", "union")["inputs"]) == 5_000
    whole = ask(client, "lineage", nodeId="dataset:many:all")
    assert (len(whole["graph"]), whole["truncated"], whole["hidden_nodes"]) == (5_002, False, 0)
    few = ask(client, "lineage", nodeId="dataset:many:all", limit=10)
    assert (len(few["graph"]), few["truncated"], few["hidden_nodes"]) == (10, True, 4_992)
    assert ask(client, "namespaces/many/datasets", limit=1)["totalCount"] == 5_001
    visit(client, raw)
