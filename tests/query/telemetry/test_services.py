"""Service map and operations against plain Python over the same spans, for windows that fit no minute."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from statistics import quantiles
from typing import Any

import pytest

from lineage_hub.errors import InvalidRequest
from lineage_hub.model import EVERYTHING, Scope
from lineage_hub.query.telemetry.operations import OperationsQuestion, operations
from lineage_hub.query.telemetry.rollups import HOUR_NS, MINUTE_NS, pieces
from lineage_hub.query.telemetry.services import service_map
from lineage_hub.settings import Settings
from lineage_hub.store.telemetry.open import open_telemetry
from lineage_hub.wire import instant_text
from tests.query.telemetry.conftest import Known
from tests.query.telemetry.seeded import HOUR, SECOND, ZERO, Seeded, span_columns, spans

pytestmark = pytest.mark.slow
WINDOWS = [
    (ZERO, ZERO + 4 * HOUR),
    (ZERO + HOUR + 1, ZERO + 2 * HOUR - 1),
    (ZERO - ZERO % HOUR, ZERO - ZERO % HOUR + 2 * HOUR),
    (ZERO + 20 * SECOND, ZERO + 31 * SECOND),
    (ZERO + 90 * SECOND, ZERO + 40 * 60 * SECOND + 7),
    (ZERO + 45 * 60 * SECOND, ZERO + HOUR + 50 * 60 * SECOND + 3),
    (ZERO + 50 * 60 * SECOND, ZERO + 3 * HOUR + 10 * 60 * SECOND),
    (ZERO - 9 * HOUR + 5 * SECOND, ZERO + 40 * 60 * SECOND + 7),
]
MOST_READ = "lineage_hub.query.telemetry.operations.MOST_READ"
# The rollups keep eight binary digits of a duration; the middle of what they may stand for is told.
PRECISION = 1 / 256


def within(known: Known, window: tuple[int, int]) -> list[Seeded]:
    return [one for one in known.spans if window[0] <= one.start < window[1]]


def exact_quantiles(durations: list[int]) -> list[float]:
    if len(durations) == 1:
        return [float(durations[0])] * 3
    cuts = quantiles(durations, n=100, method="inclusive")
    return [cuts[49], cuts[94], cuts[98]]


@pytest.mark.parametrize("near", [0, 24 * HOUR], ids=["edge by edge", "edges together"])
@pytest.mark.parametrize("window", WINDOWS)
def test_calls_are_spans_whose_parent_is_of_another_service(
    known: Known, window: tuple[int, int], near: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lineage_hub.query.telemetry.calls._NEAR_NS", near)
    parents = {(one.trace_id, one.span_id): one for one in known.spans}
    calls: dict[tuple[str, str], list[Seeded]] = {}
    for one in within(known, window):
        parent = parents.get((one.trace_id, one.parent))
        if parent is not None and parent.service != one.service:
            calls.setdefault((parent.service, one.service), []).append(one)
    answer = service_map(known.store, EVERYTHING, *window)
    assert [(one["caller"], one["callee"]) for one in answer["calls"]] == sorted(calls)
    for one in answer["calls"]:
        made = calls[one["caller"], one["callee"]]
        assert (one["calls"], one["errors"]) == (len(made), sum(span.status == "ERROR" for span in made))
        durations = [span.duration for span in made]
        assert one["durationNs"] == {"mean": sum(durations) / len(made), "max": max(durations)}


@pytest.mark.parametrize("most_read", [-1, 2_000_000], ids=["from rollups", "from every span"])
@pytest.mark.parametrize("window", WINDOWS)
def test_services_have_their_counts_and_durations(
    known: Known, window: tuple[int, int], most_read: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MOST_READ, most_read)
    by_service: dict[str, list[Seeded]] = {}
    for span in within(known, window):
        by_service.setdefault(span.service, []).append(span)
    answer = service_map(known.store, EVERYTHING, *window)
    assert answer["quantilesExact"] is (most_read > 0)
    assert [one["name"] for one in answer["services"]] == sorted(by_service)
    for one in answer["services"]:
        check(one, by_service[one["name"]], (window[1] - window[0]) / SECOND, most_read > 0)


@pytest.mark.parametrize("window", WINDOWS)
def test_spans_are_read_one_by_one_up_to_a_number_of_them(
    known: Known, window: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    spans = len(within(known, window))
    for most_read, exact in ((spans, True), (spans - 1, False)):
        monkeypatch.setattr(MOST_READ, most_read)
        assert service_map(known.store, EVERYTHING, *window)["quantilesExact"] is exact
        assert operations(known.store, EVERYTHING, OperationsQuestion(*window))["quantilesExact"] is exact


@pytest.mark.parametrize("cut", [0, 20 * 60 * SECOND], ids=["whole hours", "an hour that is cut"])
def test_an_hour_is_read_again_when_spans_were_added(tmp_path: Path, cut: int) -> None:
    made = [one for one in spans(3, 12) if one.namespace == "default"]
    store = open_telemetry(Settings(data_dir=tmp_path))
    window = (ZERO - ZERO % HOUR + cut, ZERO - ZERO % HOUR + 4 * HOUR)

    def counted() -> dict[tuple[str, str], int]:
        calls = service_map(store, EVERYTHING, *window)["calls"]
        return {(one["caller"], one["callee"]): one["calls"] for one in calls}

    def expected(known: list[Seeded]) -> dict[tuple[str, str], int]:
        by_id = {one.span_id: one for one in known}
        found: dict[tuple[str, str], int] = {}
        for one in known:
            parent = by_id.get(one.parent)
            if parent is not None and parent.service != one.service and one.start >= window[0]:
                found[parent.service, one.service] = found.get((parent.service, one.service), 0) + 1
        return found

    try:
        # Callees first: what they were called by comes later.
        order = sorted(made, key=lambda one: one.span_id)
        for batch, end in enumerate((len(order) // 3, 2 * len(order) // 3, len(order)), 1):
            start = (batch - 1) * len(order) // 3
            store.insert("traces", span_columns(order[start:end]), batch)
            assert counted() == counted() == expected(order[:end])
    finally:
        store.close()


def check(figures: dict[str, Any], spans: list[Seeded], seconds: float, exact: bool) -> None:
    durations = sorted(one.duration for one in spans)
    errors = sum(one.status == "ERROR" for one in spans)
    assert (figures["spans"], figures["errors"]) == (len(spans), errors)
    assert figures["errorRate"] == errors / len(spans)
    assert figures["spansPerSecond"] == pytest.approx(len(spans) / seconds, rel=1e-12)
    told = figures["durationNs"]
    assert (told["total"], told["max"]) == (sum(durations), durations[-1])
    assert told["mean"] == pytest.approx(sum(durations) / len(spans), rel=1e-12)
    got = [told[name] for name in ("p50", "p95", "p99")]
    if exact:
        assert got == pytest.approx(exact_quantiles(durations), rel=1e-12)
        return
    for level, value in zip((0.5, 0.95, 0.99), got, strict=True):
        # One of the two durations next to the place that the level has among them.
        place = level * (len(durations) - 1)
        low, high = durations[math.floor(place)], durations[min(math.ceil(level * len(durations)), len(durations) - 1)]
        assert low * (1 - PRECISION) <= value <= high * (1 + PRECISION)


def by_operation(spans: list[Seeded]) -> dict[tuple[str, str], list[Seeded]]:
    found: dict[tuple[str, str], list[Seeded]] = {}
    for one in spans:
        found.setdefault((one.service, one.name), []).append(one)
    return found


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("window", WINDOWS)
def test_counts_are_exact_and_quantiles_as_exact_as_promised(
    known: Known, window: tuple[int, int], exact: bool
) -> None:
    expected = by_operation(within(known, window))
    answer = operations(known.store, EVERYTHING, OperationsQuestion(*window, exact=exact, order="name"))
    assert [(one["service"], one["operation"]) for one in answer["operations"]] == sorted(expected)
    assert answer["totalCount"] == len(expected)
    for one in answer["operations"]:
        check(one, expected[one["service"], one["operation"]], (window[1] - window[0]) / SECOND, exact)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("step_s", [45, 60, 300, 3600, 7200])
def test_steps_over_time_hold_the_spans_of_their_time(known: Known, step_s: int, exact: bool) -> None:
    window = (ZERO + 90 * SECOND, ZERO + 2 * HOUR + 7)
    answer = operations(
        known.store, EVERYTHING, OperationsQuestion(*window, service="shop", step_s=step_s, exact=exact)
    )
    expected = by_operation([one for one in within(known, window) if one.service == "shop"])
    assert {(one["service"], one["operation"]) for one in answer["operations"]} == expected.keys()
    for one in answer["operations"]:
        steps: dict[str, list[Seeded]] = {}
        for span in expected[one["service"], one["operation"]]:
            at = span.start // (step_s * SECOND) * step_s * SECOND
            steps.setdefault(instant_text(at), []).append(span)
        assert [step["at"] for step in one["series"]] == sorted(steps)
        for step in one["series"]:
            check(step, steps[step["at"]], step_s, exact)


@pytest.mark.parametrize("order", ["p50", "p95", "p99", "max", "total", "spans", "errors"])
def test_the_slowest_or_most_come_first(known: Known, order: str) -> None:
    asked = OperationsQuestion(*WINDOWS[0], exact=True, order=order)
    found = operations(known.store, EVERYTHING, asked)["operations"]
    values = [one[order] if order in ("spans", "errors") else one["durationNs"][order] for one in found]
    assert values == sorted(values, reverse=True)


def test_one_operation_and_a_page_of_them_are_told(known: Known) -> None:
    one = operations(known.store, EVERYTHING, OperationsQuestion(*WINDOWS[0], service="billing", operation="refund"))
    assert [(each["service"], each["operation"]) for each in one["operations"]] == [("billing", "refund")]
    page = operations(known.store, EVERYTHING, OperationsQuestion(*WINDOWS[0], order="name", limit=2, offset=1))
    assert [each["operation"] for each in page["operations"]] == ["refund", "GET /"]
    assert page["totalCount"] == 6


def test_a_tenant_sees_its_own_operations(known: Known) -> None:
    scope = Scope("team-b", frozenset({"team-b"}))
    found = operations(known.store, scope, OperationsQuestion(*WINDOWS[0]))["operations"]
    assert sum(one["spans"] for one in found) == sum(one.namespace == "team-b" for one in known.spans)


def test_a_stretch_without_spans_has_no_operations(known: Known) -> None:
    nothing = operations(known.store, EVERYTHING, OperationsQuestion(10**18, 10**18 + HOUR, step_s=60))
    assert (nothing["operations"], nothing["totalCount"]) == ([], 0)
    assert service_map(known.store, EVERYTHING, 10**18, 10**18 + HOUR)["calls"] == []


def test_too_many_steps_and_an_unknown_order_are_refused(known: Known) -> None:
    with pytest.raises(InvalidRequest, match="steps"):
        operations(known.store, EVERYTHING, OperationsQuestion(*WINDOWS[0], step_s=1))
    with pytest.raises(InvalidRequest, match="unknown"):
        operations(known.store, EVERYTHING, OperationsQuestion(*WINDOWS[0], order="spans; DROP TABLE traces"))


@pytest.mark.parametrize("step", [0, MINUTE_NS, HOUR_NS])
@pytest.mark.parametrize("window", WINDOWS)
def test_the_pieces_of_a_stretch_cover_it_once(window: tuple[int, int], step: int) -> None:
    found = sorted(pieces(window, step), key=lambda one: one[1])
    assert found[0][1][0] == window[0]
    assert found[-1][1][1] == window[1]
    assert all(first[1][1] == second[1][0] for first, second in itertools.pairwise(found))
    for table, (start, end) in found:
        unit = {"operation_hours": HOUR_NS, "operation_minutes": MINUTE_NS, "traces": 1}[table]
        assert start % unit == end % unit == 0
        assert table != "traces" or end - start < 2 * MINUTE_NS
