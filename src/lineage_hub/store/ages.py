"""The text of a setting enters; for how many days each tenant's rows stay leaves."""

from __future__ import annotations

from lineage_hub.errors import InvalidSetting

MOST_DAYS = 36_500


def read_ages(setting: str, text: str) -> dict[str, int]:
    """Of `team-a=90,team-b=7`."""
    found = {}
    for part in filter(None, map(str.strip, text.split(","))):
        tenant, separator, days = part.rpartition("=")
        if not separator or not days.isascii() or not days.isdigit() or not 1 <= int(days) <= MOST_DAYS:
            raise InvalidSetting(
                f"{setting} has a part that can't be read: {part!r}",
                subject=setting,
                action="write it as namespace=days, parts separated by commas: team-a=90,team-b=7",
            )
        found[tenant.strip()] = int(days)
    return found
