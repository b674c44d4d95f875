"""What series say equals a count of the measurements themselves, whatever restarts and forms of telling there were."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from lineage_hub.errors import InvalidRequest, NotFound
from lineage_hub.model import EVERYTHING, Scope
from lineage_hub.query.telemetry.analytics import RunsQuestion
from lineage_hub.query.telemetry.metric_series import SeriesQuestion, metric_names, metric_series
from lineage_hub.query.telemetry.resources import resources
from lineage_hub.wire import instant
from tests.query.telemetry.figures.conftest import Figures
from tests.query.telemetry.figures.measured import BOUNDS, LENGTH, Measurement, reports
from tests.query.telemetry.figures.seeded import HOUR, MINUTE, SECOND, ZERO

pytestmark = pytest.mark.slow
WHOLE = (ZERO, ZERO + LENGTH + 1)
PART = (ZERO + 33 * MINUTE + 1, ZERO + 71 * MINUTE)
Group = dict[str, Any]


def ask(figures: Figures, name: str, window: tuple[int, int] = WHOLE, step_s: int = 600, **more: Any) -> Group:
    return metric_series(figures.store, EVERYTHING, SeriesQuestion(name, *window, step_s, **more))


def told(figures: Figures, window: tuple[int, int], step_s: int) -> dict[tuple[str, int], list[Measurement]]:
    """By route and step, what the reports of that time speak of."""
    found: dict[tuple[str, int], list[Measurement]] = {}
    for host, route, _, since, until in reports(figures.metrics):
        if window[0] <= until < window[1]:
            of = [
                one
                for one in figures.metrics.measurements
                if (one.host, one.route) == (host, route) and since <= one.at < until
            ]
            found.setdefault((route, until // (step_s * SECOND) * step_s * SECOND), []).extend(of)
    return found


def points(answer: Group) -> Iterator[tuple[str, int, Group]]:
    for series in answer["series"]:
        for point in series["points"]:
            yield series["attributes"]["route"], instant(point["at"]), point


@pytest.mark.parametrize("window", [WHOLE, PART])
@pytest.mark.parametrize("name", ["requests", "requests.delta"])
@pytest.mark.parametrize("step_s", [600, 77])
def test_a_sum_grows_by_what_was_counted(figures: Figures, name: str, window: tuple[int, int], step_s: int) -> None:
    """Host b began twice: what it told before is not taken away, nor counted again."""
    expected = {key: len(of) for key, of in told(figures, window, step_s).items()}
    answer = ask(figures, name, window, step_s)
    found = {(route, at): point for route, at, point in points(answer)}
    assert {key: point["increase"] for key, point in found.items()} == expected
    assert {key: point["rate"] for key, point in found.items()} == pytest.approx(
        {key: count / step_s for key, count in expected.items()}
    )
    assert [one["attributes"] for one in answer["series"]] == [{"route": "/", "z": "1"}, {"route": "/cart", "z": "1"}]


def test_the_first_point_of_a_stream_that_began_before_says_nothing(figures: Figures) -> None:
    """Its neighbour is older than the store looks back, so nobody knows how much of it belongs to the stretch."""
    (point,) = [
        one for one in reports(figures.metrics) if one[0] == "a" and one[1] == "/" and one[4] == ZERO + 30 * SECOND
    ]
    assert point[2] == ZERO
    late = (ZERO + 30 * SECOND, ZERO + 31 * SECOND)
    found = ask(figures, "requests", late, 60)["series"]
    assert found == []
    from_the_beginning = (ZERO, ZERO + 31 * SECOND)
    assert len(ask(figures, "requests", from_the_beginning, 60)["series"]) == 2


def test_series_are_made_by_the_attributes_that_are_asked_for(figures: Figures) -> None:
    by_host = ask(figures, "requests", by=("host.name",))
    counts = {one["attributes"]["host.name"]: sum(p["increase"] for p in one["points"]) for one in by_host["series"]}
    reported = dict.fromkeys(("a", "b"), 0)
    for host, route, _, since, until in reports(figures.metrics):
        reported[host] += sum(
            since <= one.at < until and (one.host, one.route) == (host, route) for one in figures.metrics.measurements
        )
    assert counts == reported
    one_route = ask(figures, "requests", attributes=(("route", "/cart"), ("host.name", "a")), by=("route",))
    assert [one["attributes"] for one in one_route["series"]] == [{"route": "/cart"}]
    page = ask(figures, "requests", limit=1, offset=1)
    assert ([one["attributes"]["route"] for one in page["series"]], page["totalCount"]) == (["/cart"], 2)


def test_a_gauge_shows_its_last_value_and_its_extremes(figures: Figures) -> None:
    values: dict[tuple[str, int], list[tuple[int, float]]] = {}
    for host, route, _, since, until in reports(figures.metrics):
        of = [
            one.value
            for one in figures.metrics.measurements
            if (one.host, one.route) == (host, route) and since <= one.at < until
        ]
        values.setdefault((route, until // (600 * SECOND) * 600 * SECOND), []).append((until, sum(of)))
    seen = 0
    for route, at, point in points(ask(figures, "process.memory.usage")):
        expected = values[route, at]
        numbers = [value for _, value in expected]
        assert (point["min"], point["max"]) == (min(numbers), max(numbers))
        assert point["mean"] == pytest.approx(sum(numbers) / len(numbers))
        last = max(when for when, _ in expected)
        assert point["value"] in [value for when, value in expected if when == last]
        seen += 1
    assert seen == len(values)


def test_what_goes_up_and_down_is_added_over_its_senders(figures: Figures) -> None:
    last: dict[tuple[str, int, str, int], tuple[int, int]] = {}
    for host, route, began, _, until in reports(figures.metrics):
        whole = sum(
            began <= one.at < until and (one.host, one.route) == (host, route) for one in figures.metrics.measurements
        )
        key = (route, until // (600 * SECOND) * 600 * SECOND, host, 0)
        last[key] = max(last.get(key, (0, 0)), (until, whole % 17))
    expected: dict[tuple[str, int], int] = {}
    for (route, at, _, _), (_, value) in last.items():
        expected[route, at] = expected.get((route, at), 0) + value
    assert {(route, at): point["value"] for route, at, point in points(ask(figures, "queue"))} == expected


def in_bucket(value: float, edges: list[float]) -> tuple[float, float]:
    return next((low, high) for low, high in pairwise(edges) if low < value <= high)


@pytest.mark.parametrize("window", [WHOLE, PART])
@pytest.mark.parametrize("name", ["took", "took.delta", "took.fine", "took.fine.delta"])
def test_quantiles_lie_in_the_bucket_of_the_measurement(figures: Figures, name: str, window: tuple[int, int]) -> None:
    expected = told(figures, window, 600)
    found = {(route, at): point for route, at, point in points(ask(figures, name, window))}
    assert set(found) == set(expected)
    for key, of in expected.items():
        point, values = found[key], sorted(one.value for one in of)
        assert point["count"] == len(values)
        assert point["sum"] == pytest.approx(sum(values), abs=1e-6)
        if not values:
            assert point["p50"] is None
            continue
        for level, figure in ((0.5, "p50"), (0.95, "p95"), (0.99, "p99")):
            rank = next(at for at in range(len(values)) if at + 1 >= level * len(values) - 1e-9)
            value = values[rank]
            if "fine" in name:
                # The scale fell to one at most: neighbours are a factor of 2^(1/2) apart.
                assert value / 2 <= point[figure] <= value * 2
            else:
                low, high = in_bucket(value, [0.0, *BOUNDS, float("inf")])
                assert low <= point[figure] <= high, (key, figure, value)
        if "delta" in name:
            assert (point["min"], point["max"]) == (values[0], values[-1])


def test_a_summary_is_shown_as_it_was_told(figures: Figures) -> None:
    for _, _, point in points(ask(figures, "took.summary")):
        assert point["quantiles"]["0.5"] == 1.5
        assert set(point) == {"at", "count", "sum", "quantiles"}


def test_metrics_are_listed_with_their_kinds_and_units(figures: Figures) -> None:
    answer = metric_names(figures.store, EVERYTHING, SeriesQuestion("", *WHOLE))
    found = {one["name"]: one for one in answer["metrics"]}
    assert answer["totalCount"] == len(found) == 10
    kinds = {name: (one["type"], one["unit"], one["temporality"], one["monotonic"]) for name, one in found.items()}
    assert kinds["requests"] == ("sum", "{request}", "CUMULATIVE", True)
    assert kinds["queue"] == ("sum", "{item}", "CUMULATIVE", False)
    assert kinds["process.memory.usage"] == ("gauge", "By", None, None)
    assert kinds["took.fine.delta"] == ("exponential_histogram", "s", "DELTA", None)
    assert found["requests"]["points"] == sum(1 for _ in reports(figures.metrics))
    assert found["requests"]["services"] == ["shop"]
    began = metric_names(figures.store, EVERYTHING, SeriesQuestion("took.f", *WHOLE, limit=1))
    assert ([one["name"] for one in began["metrics"]], began["totalCount"]) == (["took.fine"], 2)
    nothing = metric_names(figures.store, Scope("x", frozenset({"team-x"})), SeriesQuestion("", *WHOLE))
    assert nothing == {"metrics": [], "totalCount": 0}


def test_a_metric_that_nobody_sent_is_not_found(figures: Figures) -> None:
    with pytest.raises(NotFound, match="nope"):
        ask(figures, "nope")
    with pytest.raises(NotFound):
        ask(figures, "requests", (ZERO - HOUR, ZERO))
    with pytest.raises(InvalidRequest, match="steps"):
        ask(figures, "requests", WHOLE, 1)


@pytest.mark.parametrize("window", [WHOLE, PART])
def test_resources_of_services_are_what_their_metrics_say(figures: Figures, window: tuple[int, int]) -> None:
    (service,) = resources(figures.store, EVERYTHING, RunsQuestion(*window))["services"]
    cpu = sum(one.value for of in told(figures, window, 600).values() for one in of)
    assert service["cpu"] == {"process.cpu.time": {"seconds": pytest.approx(cpu)}}
    used = [
        sum(
            one.value
            for one in figures.metrics.measurements
            if (one.host, one.route) == (host, route) and since <= one.at < until
        )
        for host, route, _, since, until in reports(figures.metrics)
        if window[0] <= until < window[1]
    ]
    memory = service["memory"]["process.memory.usage"]
    assert (memory["maxBytes"], memory["meanBytes"]) == (pytest.approx(max(used)), pytest.approx(sum(used) / len(used)))
