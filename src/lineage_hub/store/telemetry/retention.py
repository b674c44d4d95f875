"""Settings enter; the day on which what arrives today may go leaves, for each namespace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from lineage_hub.errors import InvalidSetting
from lineage_hub.settings import Settings

MOST_DAYS = 36_500


@dataclass(frozen=True, slots=True)
class Retention:
    days: int
    by_namespace: dict[str, int]

    def expires_at(self, namespaces: str | Sequence[str]) -> list[date]:
        """Counted from the day of arrival, so that what comes late, or from a wrong clock, is kept as long."""
        today = datetime.now(UTC).date()
        each = [namespaces] if isinstance(namespaces, str) else namespaces
        ends = {one: today + timedelta(self.by_namespace.get(one, self.days)) for one in set(each)}
        return [ends[one] for one in each]


def read_retention(settings: Settings) -> Retention:
    found = {}
    for part in filter(None, map(str.strip, settings.telemetry_retention.split(","))):
        namespace, separator, days = part.rpartition("=")
        if not separator or not days.isascii() or not days.isdigit() or not 1 <= int(days) <= MOST_DAYS:
            raise InvalidSetting(
                f"telemetry_retention has a part that can't be read: {part!r}",
                subject="telemetry_retention",
                action="write it as namespace=days, parts separated by commas: team-a=90,team-b=7",
            )
        found[namespace.strip()] = int(days)
    return Retention(settings.telemetry_retention_days, found)
