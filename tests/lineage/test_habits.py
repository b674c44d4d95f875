"""How often a dataset is usually written is learned from its history, whatever odd thing happened in between."""

import random
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage_hub.lineage.habits import LEAST_GAPS, Habit, learn

HOUR = 3_600_000_000_000
MONDAY = datetime(2026, 9, 7, tzinfo=UTC)


def ns(at: datetime) -> int:
    return int(at.timestamp()) * 1_000_000_000


def at_hours(hours: list[float], start: datetime = MONDAY) -> list[int]:
    return [ns(start + timedelta(hours=hour)) for hour in hours]


def habit_of(written_at: list[int]) -> Habit:
    habit = learn(written_at)
    assert habit is not None
    return habit


def next_one(habit: Habit, hours: float) -> tuple[float, float]:
    """Due and late, in hours after that Monday."""
    due, late = habit.after(at_hours([hours])[0])
    return (due - ns(MONDAY)) / HOUR, (late - ns(MONDAY)) / HOUR


def test_what_is_written_daily_is_due_a_day_later() -> None:
    habit = habit_of(at_hours([24 * day + 6 for day in range(30)]))
    assert habit.pattern == "every day"
    assert next_one(habit, 30 * 24 + 6) == (31 * 24 + 6, pytest.approx(31 * 24 + 6 + 2.4))


def test_too_short_a_history_says_nothing() -> None:
    for length in range(LEAST_GAPS + 1):
        assert learn(at_hours([24.0 * day for day in range(length)])) is None
    assert learn(at_hours([24.0 * day for day in range(LEAST_GAPS + 1)])) is not None
    assert learn(at_hours([1.0] * 100)) is None


def test_more_history_makes_it_surer() -> None:
    sure = [habit_of(at_hours([24.0 * day for day in range(length)])).confidence for length in (6, 12, 60, 400)]
    assert sure == sorted(sure)
    assert sure[0] < 0.6
    assert sure[-1] > 0.98


def test_an_outage_does_not_change_the_habit() -> None:
    hours = [float(hour) for hour in range(24 * 20) if not 100 <= hour < 220]
    assert next_one(habit_of(at_hours(hours)), 480) == (481, pytest.approx(481.1))


def test_writes_in_a_burst_count_as_one() -> None:
    """Twenty-four partitions within a minute, once a day."""
    hours = [24 * day + part / 1440 for day in range(20) for part in range(24)]
    due, late = next_one(habit_of(at_hours(hours)), 19 * 24 + 0.4)
    assert due == pytest.approx(20 * 24, abs=0.5)
    assert late == pytest.approx(20 * 24 + 2.4, abs=0.5)


def test_nights_without_writes_are_no_reason_to_worry() -> None:
    hours = [24 * day + hour for day in range(20) for hour in (6.0, 7.0, 8.0)]
    due, late = next_one(habit_of(at_hours(hours)), 19 * 24 + 8)
    assert (due, late) == (20 * 24 + 6, pytest.approx(20 * 24 + 6 + 2.2))


def test_after_friday_what_rests_at_weekends_is_due_on_monday() -> None:
    days = [day for day in range(35) if day % 7 < 5]
    habit = habit_of(at_hours([24 * day + 6 for day in days]))
    assert habit.pattern == "weekdays"
    friday = 32 * 24 + 6
    assert next_one(habit, friday) == (35 * 24 + 6, pytest.approx(35 * 24 + 8.4))
    assert next_one(habit, friday - 24)[0] == friday


def test_one_rerun_on_a_saturday_does_not_make_it_a_working_day() -> None:
    days = [day for day in range(56) if day % 7 < 5]
    habit = habit_of(at_hours([24 * day + 6 for day in days] + [19 * 24 + 10.0]))
    assert habit.pattern == "weekdays"
    assert next_one(habit, 53 * 24 + 6)[0] == 56 * 24 + 6


def test_weekends_may_have_a_pace_of_their_own() -> None:
    hours = [float(hour) for hour in range(24 * 21) if hour // 24 % 7 < 5 or hour % 6 == 0]
    habit = habit_of(at_hours(hours))
    assert habit.pattern == "weekdays and weekends"
    assert next_one(habit, 30)[0] == 31  # a Tuesday
    assert next_one(habit, 5 * 24 + 6)[0] == 5 * 24 + 12  # a Saturday
    assert next_one(habit, 5 * 24 - 0.5)[0] == 5 * 24 + 5.5  # across the border at the slower pace


@pytest.mark.parametrize("seed", range(5))
def test_writes_that_come_as_usual_are_hardly_ever_called_late(seed: int) -> None:
    """On days that were not learned from; the scatter is that of a normal job."""
    dice = random.Random(seed)
    hours = [24 * day + 6 + abs(dice.gauss(0, 1)) for day in range(200)]
    habit = habit_of(at_hours(hours[:100]))
    late = [end > next_one(habit, begin)[1] for begin, end in pairwise(hours[100:])]
    assert sum(late) <= 3
    assert next_one(habit, hours[-1])[1] - hours[-1] < 36


@given(st.lists(st.integers(1, 500), min_size=1, max_size=60))
def test_the_gaps_of_a_habit_are_those_of_a_naive_count(minutes: list[int]) -> None:
    times = [ns(MONDAY)]
    for gap in minutes:
        times.append(times[-1] + gap * 60_000_000_000)
    habit = learn(times)
    # One copy of a gap for each of its minutes: the middle one is where half of the time has passed.
    spread = sorted(gap for gap in minutes for _ in range(gap))
    usual = spread[(len(spread) - 1) // 2]
    pauses = sorted(gap for gap in minutes if gap >= Fraction(usual, 2))
    if len(minutes) < LEAST_GAPS or len(pauses) < LEAST_GAPS:
        assert habit is None or habit.pattern == "weekdays and weekends"
        return
    assert habit is not None
    if habit.pattern != "every day":
        return
    due = next(gap for gap in pauses if sum(one <= gap for one in pauses) >= Fraction(9, 10) * len(pauses))
    high = next(gap for gap in pauses if sum(one <= gap for one in pauses) >= Fraction(98, 100) * len(pauses))
    late = max(Fraction(due) * 11 / 10, min(Fraction(high), Fraction(due) * 3 / 2))
    assert habit.after(times[-1]) == (times[-1] + due * 60_000_000_000, times[-1] + late * 60_000_000_000)
    assert habit.gaps == len(pauses)
    assert 0 < habit.confidence <= sum(gap <= late for gap in pauses) / len(pauses)
