"""`lineage-hub metrics` lists metrics and shows one over time, for a person, a pipe and a program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from lineage_hub.cli.metrics import bars
from tests.cli.conftest import Cli
from tests.hub_process import HubProcess

pytestmark = pytest.mark.slow
ZERO = 1_794_000_000
WINDOW = ("--from", "2026-11-06T21:00:00Z", "--to", "2026-11-06T22:00:00Z")


def otlp() -> dict[str, Any]:
    """Ten minutes of a counter, a gauge and a histogram."""

    def point(minute: int, route: str, **more: Any) -> dict[str, Any]:
        return {
            "startTimeUnixNano": str(ZERO * 10**9),
            "timeUnixNano": str((ZERO + 60 * minute) * 10**9),
            "attributes": [{"key": "route", "value": {"stringValue": route}}],
            **more,
        }

    counted = [point(at, route, asInt=str(at * 60)) for at in range(1, 11) for route in ("/", "/cart")]
    level = [point(at, "/", asDouble=at / 4) for at in range(1, 11)]
    took = [
        point(at, "/", count=str(at * 4), sum=at * 8.0, bucketCounts=[str(at * 2)] * 2 + ["0"], explicitBounds=[1, 5])
        for at in range(1, 11)
    ]
    quiet = {"quantileValues": [{"quantile": 0.5, "value": 2}, {"quantile": 0.99, "value": "NaN"}]}
    metrics = [
        {
            "name": "http.requests",
            "unit": "{request}",
            "sum": {"dataPoints": counted, "aggregationTemporality": 2, "isMonotonic": True},
        },
        {"name": "queue.length", "unit": "{item}", "gauge": {"dataPoints": level}},
        {"name": "gc.pause", "unit": "s", "summary": {"dataPoints": [point(1, "/", count="3", sum=6, **quiet)]}},
        {"name": "http.took", "unit": "s", "histogram": {"dataPoints": took, "aggregationTemporality": 2}},
    ]
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "shop"}}]}
    return {"resourceMetrics": [{"resource": resource, "scopeMetrics": [{"metrics": metrics}]}]}


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with HubProcess(tmp_path_factory.mktemp("hub") / "data") as process:
        httpx.post(f"{process.url}/v1/metrics", json=otlp(), timeout=60).raise_for_status()
        yield process.url


@pytest.fixture
def ask(cli: Cli, hub: str) -> Cli:
    return lambda *arguments: cli(*arguments, *WINDOW, "--url", hub)


def test_metrics_are_listed_with_type_and_unit(ask: Cli) -> None:
    shown = ask("metrics")
    assert shown.code == 0, shown.err
    rows = [line.split() for line in shown.out.splitlines()[1:]]
    assert [row[0] for row in rows] == ["gc.pause", "http.requests", "http.took", "queue.length"]
    assert rows[1] == ["http.requests", "sum", "{request}", "CUMULATIVE", "20", "shop"]
    some = ask("metrics", "--prefix", "http", "--limit", "1")
    assert len(some.out.splitlines()) == 2
    assert some.err.startswith("… 1 more")
    assert ask("metrics", "--service", "other").out == "No metrics.\n"


def test_one_is_drawn_over_time(ask: Cli) -> None:
    shown = ask("metrics", "http.requests", "--step", "60")
    assert shown.code == 0, shown.err
    lines = shown.out.splitlines()
    assert lines[0].split() == ["SERVICE", "ATTRIBUTES", "FIGURE", "LAST", "LEAST", "MOST", "OVER", "TIME"]
    assert [line.split()[1] for line in lines[1:]] == ["route=/", "route=/cart"]
    assert lines[1].split()[2:7] == ["rate", "{request}/s", "1", "1", "1"]
    assert ask("metrics", "http.requests", "--by", "service.name").out.count("shop") == 2
    assert "value {item}" in ask("metrics", "queue.length").out


def test_points_are_shown_in_figures(ask: Cli) -> None:
    shown = ask("metrics", "http.took", "--step", "600", "--points").out.splitlines()
    assert shown[0] == "shop route=/"
    assert shown[1].split()[:3] == ["AT", "COUNT", "RATE"]
    assert "P95" in shown[1]
    answer = ask("metrics", "http.took", "--step", "3600", "--json").json()
    (point,) = answer["series"][0]["points"]
    assert (point["count"], point["sum"]) == (40, 80.0)
    assert (point["p50"], point["p95"]) == (1.0, pytest.approx(1 + 4 * 0.9))


def test_a_summary_is_shown_with_its_quantiles_though_one_is_no_number(ask: Cli) -> None:
    assert "count" in ask("metrics", "gc.pause").out
    shown = ask("metrics", "gc.pause", "--points").out.splitlines()
    assert shown[1].split() == ["AT", "COUNT", "SUM", "Q0.5", "Q0.99"]
    assert shown[2].split()[1:] == ["3", "6", "2"]


def test_a_metric_that_is_not_there_is_said(ask: Cli) -> None:
    missing = ask("metrics", "nope")
    assert (missing.code, "nope" in missing.err) == (1, True)


def test_bars_go_from_the_least_to_the_greatest() -> None:
    assert bars([0, 1, 2, 3, 4, 5, 6, 7]) == "▁▂▃▄▅▆▇█"
    assert bars([3.0, 3.0]) == "▁▁"
    assert len(bars([float(at) for at in range(1000)])) <= 60
