"""Times are read the way people write them, and a time that could mean two moments is refused."""

from datetime import UTC, datetime, timedelta

import pytest

from lineage_hub.cli.times import read_time
from lineage_hub.errors import InvalidRequest


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2026-11-11", "2026-11-11T00:00:00Z"),
        ("2026-11-11T09:00:00Z", "2026-11-11T09:00:00Z"),
        ("2026-11-11T09:00:00+02:00", "2026-11-11T09:00:00+02:00"),
        ("2026-11-11T09:00:00.123456789Z", "2026-11-11T09:00:00.123456789Z"),
    ],
)
def test_a_time_with_a_zone_goes_on_as_written_and_a_date_is_its_midnight(text: str, read: str) -> None:
    assert read_time(text, "--as-of") == read


@pytest.mark.parametrize(
    ("text", "ago"),
    [
        ("30m", timedelta(minutes=30)),
        ("12h", timedelta(hours=12)),
        ("3d ago", timedelta(days=3)),
        ("now", timedelta()),
    ],
)
def test_a_while_ago_counts_from_now(text: str, ago: timedelta) -> None:
    read = datetime.fromisoformat(str(read_time(text, "--as-of")))
    assert abs(datetime.now(UTC) - ago - read) < timedelta(seconds=5)


@pytest.mark.parametrize("text", ["2026-11-11T09:00:00", "yesterday", "", "11.11.2026"])
def test_what_is_no_moment_is_refused_with_the_way_to_write_it(text: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_time(text, "--as-of")
    assert refused.value.subject == "--as-of"
    assert refused.value.action


def test_none_stays_none() -> None:
    assert read_time(None, "--as-of") is None
