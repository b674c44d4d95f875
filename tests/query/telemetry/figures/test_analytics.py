"""Each figure about runs equals what plain Python makes of the same rows."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean, quantiles
from typing import Any

import pytest

from lineage_hub.errors import InvalidRequest
from lineage_hub.model import EVERYTHING, Scope
from lineage_hub.query.telemetry import analytics
from lineage_hub.query.telemetry.analytics import RunsQuestion
from lineage_hub.query.telemetry.resources import resources
from lineage_hub.wire import instant, instant_text
from tests.query.telemetry.figures.conftest import Figures
from tests.query.telemetry.figures.seeded import HOUR, SECOND, SPARK, ZERO, RunRow

pytestmark = pytest.mark.slow
WINDOWS = [(ZERO, ZERO + 5 * HOUR), (ZERO + HOUR + 7, ZERO + 3 * HOUR - 1), (ZERO - HOUR, ZERO - 1)]
ENDED = ("COMPLETED", "FAILED", "ABORTED")
Key = tuple[str, str, str]


def within(figures: Figures, window: tuple[int, int]) -> list[RunRow]:
    return [one for one in figures.runs if window[0] <= one.timestamp < window[1]]


def rates(runs: list[RunRow]) -> dict[str, Any]:
    ended = [one for one in runs if one.status in ENDED]
    return {
        "runs": len(runs),
        **{status.lower(): sum(one.status == status for one in runs) for status in (*ENDED, "RUNNING")},
        "successRate": sum(one.status == "COMPLETED" for one in ended) / len(ended) if ended else None,
        "errorRate": sum(one.status == "FAILED" for one in ended) / len(ended) if ended else None,
    }


def grouped(runs: list[RunRow]) -> dict[Key, list[RunRow]]:
    found: dict[Key, list[RunRow]] = {}
    for one in runs:
        found.setdefault((one.namespace, one.pipeline_name, one.stage), []).append(one)
    return found


def key_of(answer: dict[str, Any]) -> Key:
    return answer["namespace"], answer["pipeline"], answer["stage"] or ""


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ({"stage": ""}, lambda one: one.stage == ""),
        ({"pipeline": "daily", "stage": "load"}, lambda one: (one.pipeline_name, one.stage) == ("daily", "load")),
        ({"namespace": "team-b"}, lambda one: one.namespace == "team-b"),
    ],
)
def test_success_over_time_counts_each_run_once_where_it_started(
    figures: Figures, window: tuple[int, int], question: dict[str, str], wanted: Callable[[RunRow], bool]
) -> None:
    for step_s in (3600, 777):
        answer = analytics.success(figures.store, EVERYTHING, RunsQuestion(*window, step_s, **question))
        runs = [one for one in within(figures, window) if wanted(one)]
        by_step: dict[int, list[RunRow]] = {}
        for one in runs:
            by_step.setdefault(one.timestamp // (step_s * SECOND) * step_s * SECOND, []).append(one)
        assert {name: answer[name] for name in rates([])} == rates(runs)
        assert answer["steps"] == [{"at": instant_text(at), **rates(of)} for at, of in sorted(by_step.items())]


@pytest.mark.parametrize("window", WINDOWS)
def test_durations_are_those_of_runs_that_ended(figures: Figures, window: tuple[int, int]) -> None:
    answer = analytics.durations(figures.store, EVERYTHING, RunsQuestion(*window))
    expected = grouped([one for one in within(figures, window) if one.status in ENDED])
    assert {key_of(one) for one in answer["durations"]} == set(expected)
    assert answer["totalCount"] == len(expected)
    for one in answer["durations"]:
        assert_durations(one, [run.duration_ms for run in expected[key_of(one)]])
    slowest = [one["durationMs"]["p95"] for one in answer["durations"]]
    assert slowest == sorted(slowest, reverse=True)


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("stage", ["", "load"])
def test_durations_over_time_are_those_of_runs_that_started_then_and_ended(
    figures: Figures, window: tuple[int, int], stage: str
) -> None:
    runs = [one for one in within(figures, window) if one.status in ENDED and one.stage == stage]
    for step_s in (3600, 777):
        answer = analytics.durations_over_time(figures.store, EVERYTHING, RunsQuestion(*window, step_s, stage=stage))
        by_step: dict[str, list[int]] = {}
        for one in sorted(runs, key=lambda one: one.timestamp):
            at = instant_text(one.timestamp // (step_s * SECOND) * step_s * SECOND)
            by_step.setdefault(at, []).append(one.duration_ms)
        assert [one["at"] for one in answer["steps"]] == list(by_step)
        for step in answer["steps"]:
            assert_durations(step, by_step[step["at"]])
        if runs:
            assert_durations(answer, [one.duration_ms for one in runs])
        else:
            assert (answer["runs"], answer["durationMs"]) == (0, None)


def assert_durations(told: dict[str, Any], took: list[int]) -> None:
    cuts = quantiles(took, n=100, method="inclusive") if len(took) > 1 else took * 100
    figure = told["durationMs"]
    assert [figure["p50"], figure["p95"], figure["p99"]] == pytest.approx([cuts[49], cuts[94], cuts[98]])
    assert (told["runs"], figure["max"]) == (len(took), max(took))
    assert figure["mean"] == pytest.approx(fmean(took))


@pytest.mark.parametrize("window", WINDOWS)
def test_errors_are_told_by_stage_with_the_last_one(figures: Figures, window: tuple[int, int]) -> None:
    answer = analytics.errors(figures.store, EVERYTHING, RunsQuestion(*window))
    expected = grouped(within(figures, window))
    assert {key_of(one) for one in answer["errors"]} == set(expected)
    for one in answer["errors"]:
        runs = expected[key_of(one)]
        assert {name: one[name] for name in rates([])} == rates(runs)
        last = max((run for run in runs if run.status == "FAILED"), key=lambda run: run.timestamp, default=None)
        if last is None:
            assert one["lastError"] is None
        else:
            told = one["lastError"]
            assert (told["runId"], told["message"]) == (last.run_id, last.error_message)
            assert instant(told["startedAt"]) == last.timestamp
    rate = [one["errorRate"] or 0 for one in answer["errors"]]
    assert rate == sorted(rate, reverse=True)


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("pipeline", [None, "daily"])
def test_records_count_once_when_their_run_ends(
    figures: Figures, window: tuple[int, int], pipeline: str | None
) -> None:
    answer = analytics.records(figures.store, EVERYTHING, RunsQuestion(*window, 1800, pipeline))
    parents = {(one.namespace, one.parent_run_id) for one in figures.runs}
    counted = [
        one
        for one in figures.runs
        if (one.namespace, one.run_id) not in parents
        and one.status in ENDED
        and window[0] <= one.ended_at < window[1]
        and pipeline in (None, one.pipeline_name)
    ]
    hours = (window[1] - window[0]) / HOUR
    assert answer["records"] == sum(one.records_processed for one in counted)
    assert answer["bytes"] == sum(one.bytes_processed for one in counted)
    assert answer["recordsPerHour"] == pytest.approx(answer["records"] / hours)
    steps: dict[int, int] = {}
    for one in counted:
        at = one.ended_at // (1800 * SECOND) * 1800 * SECOND
        steps[at] = steps.get(at, 0) + one.records_processed
    assert [(one["at"], one["records"], one["recordsPerHour"]) for one in answer["steps"]] == [
        (instant_text(at), total, total * 2) for at, total in sorted(steps.items())
    ]
    by_pipeline: dict[tuple[str, str], int] = {}
    for one in counted:
        name = one.namespace, one.pipeline_name
        by_pipeline[name] = by_pipeline.get(name, 0) + one.records_processed
    assert {(one["namespace"], one["pipeline"]): one["records"] for one in answer["byPipeline"]} == by_pipeline


def test_pages_follow_each_other_and_a_scope_sees_its_own(figures: Figures) -> None:
    window = WINDOWS[0]
    whole = analytics.errors(figures.store, EVERYTHING, RunsQuestion(*window))["errors"]
    page = analytics.errors(figures.store, EVERYTHING, RunsQuestion(*window, limit=2, offset=1))
    assert (page["errors"], page["totalCount"]) == (whole[1:3], len(whole))
    own = analytics.errors(figures.store, Scope("team-b", frozenset({"team-b"})), RunsQuestion(*window))["errors"]
    assert own == [one for one in whole if one["namespace"] == "team-b"]
    with pytest.raises(InvalidRequest, match="steps"):
        analytics.success(figures.store, EVERYTHING, RunsQuestion(*window, 1))


@pytest.mark.parametrize("window", WINDOWS)
def test_resources_of_pipelines_are_those_of_their_spans(figures: Figures, window: tuple[int, int]) -> None:
    runs = {(one.namespace, one.run_id): one for one in figures.runs}
    expected: dict[tuple[Any, ...], list[Any]] = {}
    for span in figures.spans:
        if window[0] <= span.start < window[1] and span.name.startswith("spark stage"):
            run = runs.get((span.namespace, span.run_id))
            name = (span.namespace, run.pipeline_name, run.stage or None) if run else (span.namespace, None, None)
            expected.setdefault(name, []).append(span)
    answer = resources(figures.store, EVERYTHING, RunsQuestion(*window))["pipelines"]
    assert {(one["namespace"], one["pipeline"], one["stage"]) for one in answer} == set(expected)
    for one in answer:
        spans = expected[one["namespace"], one["pipeline"], one["stage"]]
        assert (one["spans"], one["runs"]) == (len(spans), len({span.run_id for span in spans}))
        for name, attribute in SPARK.items():
            values = [int(span.attributes.get(attribute, ("0", ""))[0]) for span in spans]
            assert one[name] == (max(values) if name == "peakMemoryBytes" else sum(values)), name
    only = resources(figures.store, EVERYTHING, RunsQuestion(*window, pipeline="daily", stage="load"))["pipelines"]
    assert only == [one for one in answer if (one["pipeline"], one["stage"]) == ("daily", "load")]
