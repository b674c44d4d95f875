"""What arrives is kept for the days of its namespace."""

from datetime import UTC, datetime, timedelta

import pytest

from lineage_hub.errors import InvalidSetting
from lineage_hub.settings import Settings
from lineage_hub.store.telemetry.retention import read_retention


def test_a_namespace_has_its_own_days_or_those_of_all():
    retention = read_retention(Settings(telemetry_retention_days=30, telemetry_retention=" team-a=90, team-b=7,"))
    today = datetime.now(UTC).date()
    days = [end - today for end in retention.expires_at(["team-b", "default", "team-a", "team-b"])]
    assert days == [timedelta(7), timedelta(30), timedelta(90), timedelta(7)]


@pytest.mark.parametrize("text", ["team-a", "team-a=0", "team-a=many", "team-a=-1", "team-a=99999999"])
def test_days_that_can_not_be_read_are_refused(text: str):
    with pytest.raises(InvalidSetting, match="telemetry_retention") as refused:
        read_retention(Settings(telemetry_retention=f"default=3,{text}"))
    assert text in refused.value.message
