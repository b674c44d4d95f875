"""Among names as data teams have them, a name with a mistake is found, and so is one rare word of it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from benchmarks.estate_names import Mistake, estate, whole_names_mistyped, words_mistyped
from benchmarks.search import events
from lineage_hub.server.app import create_app
from lineage_hub.settings import load_settings

pytestmark = pytest.mark.slow
NAMES, ASKED = 2_000, 150


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder: Path = tmp_path_factory.mktemp("names")
    settings = load_settings({"data_dir": folder, "log_level": "error"}, environ={})
    with TestClient(create_app(settings)) as client:
        batch = [json.loads(event) for event in events(estate(NAMES))]
        assert client.post("/api/v1/lineage/batch", json=batch).status_code in (200, 204)
        yield client


def share_found(client: TestClient, mistakes: list[Mistake]) -> float:
    found = 0
    for one in mistakes:
        results = client.get("/api/v1/search", params={"q": one.typed}).json()["results"]
        found += one.meant.node_id in [result["nodeId"] for result in results[:5]]
    return found / len(mistakes)


@pytest.mark.parametrize("seed", [11, 12])
def test_a_whole_name_with_a_mistake_is_among_the_first_five(client: TestClient, seed: int) -> None:
    assert share_found(client, list(whole_names_mistyped(estate(NAMES), ASKED, seed))) >= 0.99


@pytest.mark.parametrize("seed", [21, 22])
def test_a_rare_word_with_a_mistake_is_among_the_first_five(client: TestClient, seed: int) -> None:
    assert share_found(client, list(words_mistyped(estate(NAMES), ASKED, seed))) >= 0.95
