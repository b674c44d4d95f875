"""Search and impact over HTTP: any text is a question or a clear refusal, and every format is well formed."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from lineage_hub.server.app import create_app
from lineage_hub.settings import load_settings
from tests.oracle.build import columns, complete, dataset, facet, schema

ODD = 'odd | "name" `x`\nnext'


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder: Path = tmp_path_factory.mktemp("hub")
    with TestClient(create_app(load_settings({"data_dir": folder, "log_level": "error"}, environ={}))) as client:
        told = [
            complete(1, job="load", inputs=["orders"], outputs=[dataset("注文データ", schema=schema("金額"))]),
            complete(2, job="ship", run=2, inputs=["注文データ"], outputs=["rockets_🚀", ODD]),
            complete(
                3,
                job="sum",
                run=3,
                inputs=[dataset("orders", schema=schema("id"))],
                outputs=[
                    dataset(
                        "totals", ownership=facet(owners=[{"name": "team:a"}]), columnLineage=columns(n="orders.id")
                    )
                ],
            ),
        ]
        for event in told:
            assert client.post("/api/v1/lineage", json=event).status_code == 201
        yield client


def names(client: TestClient, **question: Any) -> list[str]:
    answer = client.get("/api/v1/search", params=question)
    assert answer.status_code == 200, answer.text
    return [one["name"] for one in answer.json()["results"]]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("orders", "orders"),
        ('"orders"', "orders"),
        ("orders*", "orders"),
        ("orders OR NOT", "orders"),
        ("NEAR(orders)", "orders"),
        ("name:orders", "orders"),
        ("-orders", "orders"),
        ("orders' OR 1=1 --", "orders"),
        ("t", "totals"),
        ("or", "orders"),
        ("注文", "注文データ"),
        ("データ", "注文データ"),
        ("金額", "注文データ"),
        ("🚀", "rockets_🚀"),
        ("ＯＲＤＥＲＳ", "orders"),
        ("orders\x00", "orders"),
        ("dataset:db:totals", "totals"),
    ],
)
def test_any_text_is_a_question(client: TestClient, text: str, first: str) -> None:
    assert names(client, q=text)[0] == first


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["owner first", "tag first"])
def test_of_two_texts_that_fit_as_well_the_same_is_told_whichever_came_first(
    tmp_path: Path, order: tuple[int, int]
) -> None:
    told = [
        complete(1, outputs=[dataset("a", ownership=facet(owners=[{"name": "team:a"}]))]),
        complete(1, run=2, outputs=[dataset("a", tags=facet(tags=[{"key": "tier"}]))]),
    ]
    with TestClient(create_app(load_settings({"data_dir": tmp_path, "log_level": "error"}, environ={}))) as client:
        for at in order:
            assert client.post("/api/v1/lineage", json=told[at]).status_code == 201
        (found,) = client.get("/api/v1/search", params={"q": "t"}).json()["results"]
    assert [(one["field"], one["value"]) for one in found["matches"]] == [("tag", "tier")]


@pytest.mark.parametrize("text", ["%", "_", '""', "()", "xyzzy", "*", "\\", "\ud7ff", "—", "q" * 1000])
def test_what_is_not_there_gives_an_empty_answer(client: TestClient, text: str) -> None:
    assert names(client, q=text) == []


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"q": ""},
        {"q": "   "},
        {"q": "x" * 10_000},
        {"q": "a", "filter": "table"},
        {"q": "a", "sort": "size"},
        {"q": "a", "limit": "-1"},
        {"q": "a", "limit": "100000"},
        {"q": "a", "state": "LOST"},
        {"q": "a", "after": "yesterday"},
        {"q": "a", "before": "2026-13-01"},
        {"q": "a", "as_of": "soon"},
        {"q": "a", "tag": [str(n) for n in range(30)]},
    ],
)
def test_a_question_that_is_none_is_refused_with_the_next_action(client: TestClient, question: dict[str, Any]) -> None:
    answer = client.get("/api/v1/search", params=question)
    assert answer.status_code == 400
    assert answer.json()["action"]


def test_the_parameters_of_marquez_are_taken(client: TestClient) -> None:
    assert names(client, q="load", filter="JOB", sort="NAME", limit=1) == ["load"]
    assert names(client, q="load", filter="dataset") == []
    assert names(client, q="orders", before="2026-01-01") == []
    assert names(client, q="orders", after="2026-01-01", namespace="db", sort="UPDATED_AT")[0] == "orders"


def test_a_name_is_found_as_soon_as_its_event_is_answered(client: TestClient) -> None:
    for number in range(5):
        body = complete(10 + number, job="new", run=10 + number, outputs=[f"comet{number}x"])
        assert client.post("/api/v1/lineage", json=body).status_code == 201
        assert names(client, q=f"comet{number}x")[0] == f"comet{number}x"


def test_impact_as_csv_has_a_row_for_each(client: TestClient) -> None:
    answer = client.get("/api/v1/impact", params={"nodeId": "dataset:db:orders", "format": "csv"})
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    found = client.get("/api/v1/impact", params={"nodeId": "dataset:db:orders"}).json()
    assert [row["name"] for row in rows] == [one["name"] for one in found["affected"]]
    assert ODD in [row["name"] for row in rows]


def test_impact_as_markdown_is_whole_tables_whatever_the_names(client: TestClient) -> None:
    answer = client.get("/api/v1/impact", params={"nodeId": "datasetField:db:orders:id", "format": "markdown"})
    assert answer.headers["content-type"].startswith("text/markdown")
    lines = answer.text.splitlines()
    assert lines[0] == "# What depends on datasetField:db:orders:id"
    assert any("1 column of 1 dataset," in line for line in lines)
    table = [line for line in lines[lines.index("## All of it") :] if line.startswith("|")]
    cells = {len(line.replace("\\|", "").split("|")) for line in table}
    assert len(cells) == 1
    assert any('odd \\| "name" \\`x\\` next' in line for line in table)


@pytest.mark.parametrize(
    ("question", "status"),
    [
        ({"nodeId": "dataset:db:orders", "format": "pdf"}, 400),
        ({"nodeId": "nonsense"}, 400),
        ({}, 400),
        ({"nodeId": "dataset:db:nowhere"}, 404),
        ({"nodeId": "datasetField:db:orders:nothing"}, 404),
        ({"nodeId": "dataset:db:orders", "depth": "-1"}, 400),
    ],
)
def test_impact_of_nothing_is_refused(client: TestClient, question: dict[str, str], status: int) -> None:
    answer = client.get("/api/v1/impact", params=question)
    assert (answer.status_code, bool(answer.json()["action"])) == (status, True)
