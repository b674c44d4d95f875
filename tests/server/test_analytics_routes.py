"""Figures over HTTP: which parameters lead to which question."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from lineage_hub.server.app import create_app
from lineage_hub.settings import Settings
from lineage_hub.wire import instant_text
from tests.query.telemetry.figures.seeded import HOUR, MINUTE, ZERO, Point, columns, point_columns, run_rows

pytestmark = pytest.mark.slow
RUNS = run_rows(11, 40)
POINTS = [
    Point(
        ZERO + minute * MINUTE,
        "http/requests",
        "sum",
        float(minute),
        ZERO,
        temporality="CUMULATIVE",
        is_monotonic=True,
        attributes={"route": route},
    )
    for minute in range(1, 11)
    for route in ("/", "/cart")
]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = Settings(data_dir=tmp_path_factory.mktemp("hub"), log_level="error")
    with TestClient(create_app(settings, clock=lambda: ZERO + 6 * HOUR)) as client:
        store = client.app.state.hub.telemetry.store  # type: ignore[attr-defined]
        store.insert("pipeline_runs", columns(RUNS), 1)
        store.insert("metrics", point_columns(POINTS), 2)
        yield client


def ask(client: TestClient, path: str, **question: Any) -> dict[str, Any]:
    answer = client.get(f"/api/v1/{path}", params=question)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_success_is_that_of_whole_pipelines_unless_a_stage_is_named(client: TestClient) -> None:
    whole = ask(client, "analytics/success", step=1800)
    assert (whole["runs"], whole["stepS"]) == (sum(one.stage == "" for one in RUNS), 1800)
    stage = ask(client, "analytics/success", stage="load", pipeline="daily")
    assert stage["runs"] == sum(one.stage == "load" for one in RUNS)
    assert ask(client, "analytics/success", namespace="team-b")["runs"] < whole["runs"]
    early = ask(client, "analytics/success", **{"to": instant_text(ZERO)})
    assert (early["runs"], early["successRate"], early["steps"]) == (0, None, [])


def test_lists_take_pages_and_names(client: TestClient) -> None:
    for name in ("durations", "errors"):
        whole = ask(client, f"analytics/{name}")
        page = ask(client, f"analytics/{name}", limit=2, offset=1)
        assert (page[name], page["totalCount"]) == (whole[name][1:3], len(whole[name]))
        for empty in ({"limit": 0}, {"offset": 500}):
            assert ask(client, f"analytics/{name}", **empty)["totalCount"] == len(whole[name])
        only = ask(client, f"analytics/{name}", pipeline="hourly")[name]
        assert {one["pipeline"] for one in only} == {"hourly"}
    assert ask(client, "analytics/records", pipeline="hourly", step=600)["byPipeline"]
    assert ask(client, "analytics/resources") == {
        "from": instant_text(ZERO - 18 * HOUR),
        "to": instant_text(ZERO + 6 * HOUR),
        "pipelines": [],
        "services": [],
    }


def test_a_metric_is_found_by_its_name_with_slashes(client: TestClient) -> None:
    (listed,) = ask(client, "telemetry/metrics", prefix="http")["metrics"]
    assert (listed["name"], listed["points"]) == ("http/requests", 20)
    assert ask(client, "telemetry/metrics", limit=0)["totalCount"] == 1
    answer = ask(client, "telemetry/metrics/http%2Frequests", step=86_400, by="route")
    assert [(one["attributes"], one["points"][0]["increase"]) for one in answer["series"]] == [
        ({"route": "/"}, 10),
        ({"route": "/cart"}, 10),
    ]
    assert ask(client, "telemetry/metrics/http%2Frequests")["stepS"] == 864
    only = ask(client, "telemetry/metrics/http%2Frequests", attribute="route=/cart", service="shop")
    assert only["totalCount"] == 1


def test_what_can_not_be_asked_is_refused(client: TestClient) -> None:
    def refused(path: str, **question: Any) -> httpx.Response:
        return client.get(f"/api/v1/{path}", params=question)

    assert refused("telemetry/metrics/nope").status_code == 404
    assert refused("telemetry/metrics/nope", step=0).status_code == 400
    assert refused("analytics/success", step=1).status_code == 400
    assert (
        refused("analytics/success", **{"from": "2026-01-02T00:00:00Z", "to": "2026-01-01T00:00:00Z"}).status_code
        == 400
    )
