"""Settings enter; the day on which what arrives today may go leaves, for each namespace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from lineage_hub.settings import Settings
from lineage_hub.store.ages import read_ages


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
    return Retention(settings.telemetry_retention_days, read_ages("telemetry_retention", settings.telemetry_retention))
