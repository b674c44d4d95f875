"""Why a run was late: where the lateness began, and what took longer there."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from lineage_hub.lineage.causes import Run, Stage
from tests.lineage.causes.days import DAY, FIRST, HOUR, MINUTE, asked, daily, kinds, late, stages, use

STAGES = {"scan": (0, 600), "join": (600, 1_200), "write": (1_800, 600)}


def last_late(runs: list[Run], **more: float) -> list[Run]:
    return [*runs[:-1], late(runs[-1], **more)]


def test_a_run_as_usual_needs_no_cause() -> None:
    answer = asked(daily("load", HOUR, 20 * MINUTE))
    assert answer.verdict == "as_usual"
    assert answer.causes == ()


def test_two_earlier_runs_are_too_few_to_tell() -> None:
    answer = asked(last_late(daily("load", HOUR, 20 * MINUTE, days=3), lasts=HOUR))
    assert (answer.verdict, kinds(answer)) == ("unknown", ["unknown"])
    assert "too few" in answer.sentence


def test_the_origin_of_a_chain_comes_before_its_links() -> None:
    first = last_late(daily("first", HOUR, 20 * MINUTE), lasts=HOUR)
    second = last_late(daily("second", 1.5 * HOUR, 20 * MINUTE, ("first",)), begins=55 * MINUTE)
    third = last_late(daily("third", 2 * HOUR, 20 * MINUTE, ("second",)), begins=50 * MINUTE)
    answer = asked(first, second, third)
    assert kinds(answer) == ["late_upstream"]
    cause = answer.causes[0]
    assert cause.subject == f"run:{first[-1].id}"
    assert cause.evidence.runs == (third[-1].id, second[-1].id, first[-1].id)
    assert cause.delay_s == pytest.approx(50 * MINUTE, rel=0.1)


def test_both_ways_of_a_diamond_lead_to_one_origin() -> None:
    top = last_late(daily("top", HOUR, 20 * MINUTE), lasts=HOUR)
    left = last_late(daily("left", 1.5 * HOUR, 30 * MINUTE, ("top",)), begins=52 * MINUTE)
    right = last_late(daily("right", 1.5 * HOUR, 25 * MINUTE, ("top",)), begins=51 * MINUTE)
    bottom = last_late(daily("bottom", 2.1 * HOUR, 20 * MINUTE, ("left", "right")), begins=48 * MINUTE)
    answer = asked(top, left, right, bottom)
    assert [cause.subject for cause in answer.causes] == [f"run:{top[-1].id}"]


def test_the_origin_says_why_it_was_late_itself() -> None:
    first = daily("first", HOUR, 40 * MINUTE, stages=STAGES)
    slow = stages(first[-1].started_at, STAGES | {"join": (600, 4_800), "write": (5_400, 600)})
    first[-1] = late(first[-1], lasts=HOUR, stages=slow)
    second = last_late(daily("second", 2 * HOUR, 20 * MINUTE, ("first",)), begins=45 * MINUTE)
    cause = asked(first, second).causes[0]
    assert cause.kind == "late_upstream"
    assert [one.kind for one in cause.because] == ["slow_stage"]
    assert "'join'" in cause.sentence


def test_a_late_run_upstream_that_was_not_waited_for_is_no_cause() -> None:
    feed = last_late(daily("feed", HOUR, 20 * MINUTE), lasts=HOUR)
    late_by_itself = last_late(daily("report", 6 * HOUR, 20 * MINUTE, ("feed",)), begins=2 * HOUR)
    assert kinds(asked(feed, late_by_itself)) == ["unknown"]


def test_an_upstream_run_within_its_spread_is_no_cause() -> None:
    feed = last_late(daily("feed", HOUR, 20 * MINUTE, noise=120), lasts=150)
    report = last_late(daily("report", 2 * HOUR, 20 * MINUTE, ("feed",)), lasts=HOUR)
    assert kinds(asked(feed, report)) == ["unknown"]


def test_a_stage_beside_a_longer_one_is_no_cause() -> None:
    beside = {"long": (0, 2_000), "short": (0, 500), "write": (2_000, 400)}
    runs = daily("load", HOUR, 2_400, stages=beside)
    slow = stages(runs[-1].started_at, beside | {"short": (0, 1_500)})
    runs[-1] = late(runs[-1], lasts=HOUR, stages=slow)
    assert kinds(asked(runs)) == ["unknown"]


def test_skew_spill_and_garbage_name_the_slow_stage_for_what_it_is() -> None:
    for change, kind in (
        ({"skew": 12.0}, "skew"),
        ({"spilled_bytes": 5e9}, "resources"),
        ({"gc_s": 3_000.0}, "resources"),
        ({"attempts": 3}, "retries"),
        ({}, "slow_stage"),
    ):
        runs = daily("load", HOUR, 2_400, stages=STAGES)
        parts = list(stages(runs[-1].started_at, STAGES | {"join": (600, 4_800), "write": (5_400, 600)}))
        parts[1] = replace(parts[1], **change)  # type: ignore[arg-type]
        runs[-1] = late(runs[-1], lasts=HOUR, stages=tuple(parts))
        answer = asked(runs)
        assert kinds(answer) == [kind]
        assert answer.causes[0].evidence.spans == (parts[1].span_id,)


def test_more_records_explain_as_much_longer() -> None:
    runs = daily("load", HOUR, 40 * MINUTE, inputs=(use("raw", 1_000_000),))
    runs[-1] = late(runs[-1], lasts=80 * MINUTE, inputs=(use("raw", 3_000_000),))
    cause = asked(runs).causes[0]
    assert cause.kind == "more_data"
    assert cause.evidence.figures[0].usual == 1_000_000
    assert cause.score > 0.9


def test_a_fifth_more_records_do_not_explain_thrice_the_time() -> None:
    runs = daily("load", HOUR, 40 * MINUTE, inputs=(use("raw", 1_000_000),))
    runs[-1] = late(runs[-1], lasts=80 * MINUTE, inputs=(use("raw", 1_200_000),))
    assert kinds(asked(runs))[0] == "unknown"


def test_new_code_explains_what_has_been_slow_since() -> None:
    runs = daily("load", HOUR, 20 * MINUTE, code="v1")
    runs[-3:] = [late(run, lasts=HOUR, code="v2") for run in runs[-3:]]
    cause = asked(runs).causes[0]
    assert cause.kind == "code_change"
    assert "3 runs ago" in cause.sentence
    assert cause.evidence.runs == (runs[-1].id, runs[-3].id)


def test_code_that_changes_every_day_explains_little() -> None:
    runs = [replace(run, code=f"v{day}") for day, run in enumerate(daily("load", HOUR, 20 * MINUTE))]
    assert kinds(asked(last_late(runs, lasts=HOUR)))[0] == "unknown"


def test_a_failed_attempt_before_makes_it_late() -> None:
    runs = daily("load", HOUR, 20 * MINUTE)
    attempt = replace(runs[-1], id="first try", state="FAILED", error="connection reset")
    again = late(runs[-1], begins=90 * MINUTE)
    answer = asked([*runs[:-1], attempt, again])
    assert kinds(answer) == ["retries"]
    assert "connection reset" in answer.sentence
    report = last_late(daily("report", 2 * HOUR, 20 * MINUTE, ("load",)), begins=52 * MINUTE)
    assert kinds(asked([*runs[:-1], attempt, again], report)) == ["failed_dependency"]


def test_a_run_that_has_not_ended_is_late_so_far() -> None:
    runs = daily("load", HOUR, 20 * MINUTE)
    runs[-1] = replace(runs[-1], state="RUNNING", ended_at=None)
    assert asked(runs, now=runs[-1].started_at + 10 * MINUTE).verdict == "running"
    answer = asked(runs, now=runs[-1].started_at + 3 * HOUR)
    assert answer.verdict == "late"
    assert "so far" in answer.sentence


def test_a_nominal_time_is_the_measure_where_it_is_told() -> None:
    runs = [replace(run, expected_at=FIRST + day * DAY) for day, run in enumerate(daily("load", HOUR, 20 * MINUTE))]
    # A day and a half late: the rhythm alone would take it for half a day.
    runs[-1] = late(runs[-1], begins=36 * HOUR)
    assert asked(runs).delay_s == pytest.approx(36 * HOUR, rel=0.01)


def test_many_ways_upstream_are_walked_once() -> None:
    layers, jobs = 14, []
    for layer in range(layers):
        feeds = tuple(f"job {layer - 1} {side}" for side in "ab") if layer else ()
        for side in "ab":
            runs = daily(f"job {layer} {side}", layer * 0.5 * HOUR, 25 * MINUTE, feeds)
            jobs.append(last_late(runs, begins=HOUR if layer else 0.0, lasts=0.0 if layer else HOUR))
    began = time.process_time()
    answer = asked(*jobs)
    assert time.process_time() - began < 3
    assert {cause.kind for cause in answer.causes} == {"late_upstream"}
    assert all(cause.subject.startswith("run:job 0") for cause in answer.causes)


def test_stages_that_all_take_longer_are_not_told_apart() -> None:
    runs = daily("load", HOUR, 2_400, stages=STAGES)
    slower = {"scan": (0.0, 1_200.0), "join": (1_200.0, 2_400.0), "write": (3_600.0, 1_200.0)}
    runs[-1] = late(runs[-1], lasts=2_400, stages=stages(runs[-1].started_at, slower))
    assert kinds(asked(runs)) == ["unknown"]


def test_an_unheard_of_stage_is_left_alone() -> None:
    runs = daily("load", HOUR, 2_400, stages=STAGES)
    new = Stage("new", "n", runs[-1].started_at, 3_000)
    runs[-1] = late(runs[-1], lasts=HOUR, stages=(*runs[-1].stages, new))
    assert kinds(asked(runs)) == ["unknown"]


def test_a_run_begun_before_its_time_is_measured_by_how_long_it_takes() -> None:
    slow = last_late(daily("load", 6 * HOUR, 20 * MINUTE), begins=-2 * HOUR, lasts=HOUR)
    answer = asked(slow)
    assert (answer.verdict, kinds(answer)) == ("late", ["unknown"])
    assert answer.delay_s == pytest.approx(HOUR, rel=0.02)
    quick = last_late(daily("load", 6 * HOUR, 20 * MINUTE), begins=-2 * HOUR)
    assert asked(quick).verdict == "as_usual"
