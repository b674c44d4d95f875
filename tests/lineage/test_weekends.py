"""Time on weekdays is what a count hour by hour gives."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from lineage_hub.lineage.weekends import after_weekday_time, weekday_time, whole_weekends

HOUR = 3_600_000_000_000
ZERO = datetime(2026, 1, 1, tzinfo=UTC)
# Whole hours off; clocks of Berlin and New York are changed twice a year, those of Santiago at midnight.
ZONES = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo", "America/Santiago"])
HOURS = st.integers(0, 365 * 24)


def ns(hours: int) -> int:
    return int(ZERO.timestamp()) * 1_000_000_000 + hours * HOUR


def on_a_weekday(hour: int, zone: str) -> bool:
    return (ZERO + timedelta(hours=hour)).astimezone(ZoneInfo(zone)).weekday() < 5


@given(HOURS, st.integers(0, 24 * 40), ZONES)
def test_time_on_weekdays_is_counted_by_the_clocks_of_the_zone(begin: int, length: int, zone: str) -> None:
    naive = sum(on_a_weekday(hour, zone) for hour in range(begin, begin + length))
    assert weekday_time(ns(begin), ns(begin + length), ZoneInfo(zone)) == naive * HOUR


@given(HOURS, st.integers(1, 24 * 20), ZONES)
def test_the_moment_after_so_much_of_it_is_the_first_by_which_it_has_passed(begin: int, amount: int, zone: str) -> None:
    hour, passed = begin, 0
    while passed < amount:
        passed += on_a_weekday(hour, zone)
        hour += 1
    assert after_weekday_time(ns(begin), amount * HOUR, ZoneInfo(zone)) == ns(hour)


@given(HOURS, st.integers(0, 24 * 40), ZONES)
def test_whole_weekends_lie_between_two_weekdays(begin: int, length: int, zone: str) -> None:
    weekdays = [on_a_weekday(hour, zone) for hour in range(begin, begin + length + 1)]
    begins = [at for at in range(1, len(weekdays)) if weekdays[at - 1] and not weekdays[at]]
    ends = [at for at in range(1, len(weekdays)) if not weekdays[at - 1] and weekdays[at]]
    naive = [
        (ns(begin + one), ns(begin + min(end for end in ends if end > one))) for one in begins if ends[-1:] > [one]
    ]
    assert whole_weekends(ns(begin), ns(begin + length), ZoneInfo(zone)) == naive
