"""A dataset is fresh, due or late by what is expected of it, as a minute-by-minute watch would say."""

import json
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lineage_hub.errors import InvalidRequest
from lineage_hub.lineage.expectations import duration, expectation_answer, read_expectation, seconds
from lineage_hub.lineage.freshness import AsUsual, Cron, Every, freshness, next_cron_time

MINUTE = 60_000_000_000
ZERO = datetime(2026, 3, 1, tzinfo=UTC)
ZONES = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "America/Santiago"])


def ns(minutes: int) -> int:
    return int(ZERO.timestamp()) * 1_000_000_000 + minutes * MINUTE


@given(st.integers(0, 10_000), st.integers(1, 5_000), st.integers(0, 2_000), st.integers(0, 10_000))
def test_an_interval_is_counted_from_the_last_write(last: int, every: int, tolerance: int, waited: int) -> None:
    found = freshness(Every(every * 60, tolerance * 60), [ns(last)], 0, ns(last + waited))
    assert found.state == ("fresh" if waited < every else "due" if waited < every + tolerance else "late")
    assert (found.due_at, found.late_at) == (ns(last + every), ns(last + every + tolerance))
    assert found.late_s == ((waited - every - tolerance) * 60 if found.state == "late" else None)


def test_what_was_never_written_is_due_from_the_time_on_at_which_it_is_expected() -> None:
    expected = Every(3600, 600)
    before = freshness(expected, [], ns(0), ns(59))
    assert (before.state, before.reason) == ("unknown", "it was never written")
    assert freshness(expected, [], ns(0), ns(60)).state == "due"
    late = freshness(expected, [], ns(0), ns(75))
    assert (late.state, late.late_s) == ("late", 300)


def matches(field: str, value: int) -> bool:
    """The part of cron's grammar that is used here."""
    if field.startswith("*/"):
        return value % int(field[2:]) == 0
    return field == "*" or str(value) in field.split(",")


def fits(expression: str, at: datetime) -> bool:
    minute, hour, day, _, weekday = expression.split()
    return (
        matches(minute, at.minute)
        and matches(hour, at.hour)
        and matches(day, at.day)
        and matches(weekday, at.isoweekday() % 7)
    )


MINUTES = st.sampled_from(["0", "30", "*/15", "5,50"])
HOURS = st.sampled_from(["*", "*/6", "0", "6,18", "2"])
DAYS = st.sampled_from(["* * *", "1 * *", "* * 1,2,3,4,5", "* * 0"])
EXPRESSIONS = st.builds("{} {} {}".format, MINUTES, HOURS, DAYS)


@given(EXPRESSIONS, ZONES, st.integers(0, 60 * 24 * 60), st.integers(0, 59))
def test_a_cron_time_is_the_first_minute_that_fits_on_the_clocks_of_its_zone(
    expression: str, zone_name: str, after: int, second: int
) -> None:
    """Where clocks are not being changed; the next test is about that."""
    zone, minute = ZoneInfo(zone_name), after + 1
    while not fits(expression, (ZERO + timedelta(minutes=minute)).astimezone(zone)):
        minute += 1
    offsets = {
        (ZERO + timedelta(minutes=one)).astimezone(zone).utcoffset()
        for one in (after - 180, *range(after, minute, 180), minute + 180)
    }
    assume(len(offsets) == 1)
    assert next_cron_time(expression, zone_name, ns(after) + second * 1_000_000_000) == ns(minute)


@pytest.mark.parametrize(
    ("expression", "after", "expected"),
    [
        # In Berlin clocks go from 2 to 3 on 29 March, and from 3 to 2 on 25 October.
        ("30 2 * * *", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"),
        ("30 2 * * *", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"),
        ("30 2 * * *", "2026-10-25T00:45:00Z", "2026-10-26T01:30:00Z"),
        ("45 2 * * *", "2026-10-25T01:30:00Z", "2026-10-26T01:45:00Z"),
        ("0 6 * * *", "2026-10-24T04:00:00Z", "2026-10-25T05:00:00Z"),
    ],
)
def test_a_cron_time_comes_once_a_day_also_when_clocks_are_changed(expression: str, after: str, expected: str) -> None:
    def moment(text: str) -> int:
        return int(datetime.fromisoformat(text).timestamp()) * 1_000_000_000

    assert next_cron_time(expression, "Europe/Berlin", moment(after)) == moment(expected)


@given(EXPRESSIONS, st.integers(0, 60 * 24 * 9), st.integers(0, 300), st.integers(0, 300), st.integers(0, 60 * 24 * 3))
def test_a_cron_time_is_late_when_a_watch_would_have_missed_its_write(
    expression: str, last: int, tolerance: int, early: int, waited: int
) -> None:
    """The watch looks at the clock every minute, and holds times against the last write."""
    now = last + waited
    missed = [
        minute
        for minute in range(last, now + 1)
        if fits(expression, ZERO + timedelta(minutes=minute)) and last < minute - early
    ]
    found = freshness(Cron(expression, "UTC", tolerance * 60, early * 60), [ns(last)], 0, ns(now))
    if not missed:
        assert found.state == "fresh"
    elif now < missed[0] + tolerance:
        assert found.state == "due"
    else:
        assert (found.state, found.late_at) == ("late", ns(missed[0] + tolerance))
        assert found.late_s == (now - missed[0] - tolerance) * 60


def test_a_history_that_is_too_short_leaves_it_unknown() -> None:
    found = freshness(AsUsual("UTC"), [ns(0), ns(60)], 0, ns(10_000))
    assert found.state == "unknown"
    assert found.reason == "its history has 2 writes; a habit takes 6"


def test_a_cron_time_that_never_comes_leaves_it_unknown() -> None:
    """Of every third day of February none is its fifth Monday."""
    found = freshness(Cron("0 0 */3 2 1#5", "UTC", 0, 0), [ns(0)], 0, ns(10_000))
    assert (found.state, found.reason) == ("unknown", "the cron time never comes")


def test_a_habit_decides_as_an_interval_does() -> None:
    written = [ns(60 * hour) for hour in range(50)]
    states = [freshness(AsUsual("UTC"), written, 0, ns(49 * 60 + waited)).state for waited in (59, 60, 65, 66)]
    assert states == ["fresh", "due", "due", "late"]


@given(st.integers(0, 315_360_000))
def test_a_duration_is_read_as_it_is_written(total: int) -> None:
    assert seconds(duration(total), "every") == total


@pytest.mark.parametrize(
    "body",
    [
        b'{"every": "6h", "tolerance": "30m"}',
        b'{"cron": "0 6 * * 1-5", "zone": "Europe/Berlin", "tolerance": "1h", "early": "0s"}',
        b'{"learned": true, "zone": "Asia/Tokyo"}',
    ],
)
def test_an_expectation_is_answered_as_it_was_sent(body: bytes) -> None:
    assert expectation_answer(read_expectation(body)) == json.loads(body)


def test_what_is_left_out_has_a_value() -> None:
    assert read_expectation(b'{"every": "10h"}') == Every(36_000, 3_600)
    assert read_expectation(b'{"cron": " 0  6 * * * "}') == Cron("0 6 * * *", "UTC", 3_600, 0)
    assert read_expectation(b'{"learned": true}') == AsUsual("UTC")


@pytest.mark.parametrize(
    ("body", "subject"),
    [
        (b"", "body"),
        (b"[]", "body"),
        (b"{}", "body"),
        (b'{"every": "6h", "cron": "0 6 * * *"}', "body"),
        (b'{"learned": false}', "body"),
        (b'{"evry": "6h"}', "body"),
        (b'{"every": ""}', "every"),
        (b'{"every": "0s"}', "every"),
        (b'{"every": "6 hours"}', "every"),
        (b'{"every": "-1h"}', "every"),
        (b'{"every": "99999w"}', "every"),
        (b'{"every": "6h", "zone": "UTC"}', "zone"),
        (b'{"learned": true, "tolerance": "1h"}', "tolerance"),
        (b'{"cron": "0 6 * *"}', "cron"),
        (b'{"cron": "0 0 6 * * *"}', "cron"),
        (b'{"cron": "61 6 * * *"}', "cron"),
        (b'{"cron": "0 0 31 2 *"}', "cron"),
        (b'{"cron": "0 0 */3 2 1#5"}', "cron"),
        (b'{"cron": "0 6 * * *", "zone": "Mars/Olympus"}', "zone"),
        (b'{"cron": "0 6 * * *", "zone": "../../etc/passwd"}', "zone"),
        (b'{"cron": "0 6 * * *", "zone": ""}', "zone"),
    ],
)
def test_what_can_not_be_expected_is_refused_and_says_what_is_wrong(body: bytes, subject: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_expectation(body)
    assert refused.value.subject == subject
    assert refused.value.action
