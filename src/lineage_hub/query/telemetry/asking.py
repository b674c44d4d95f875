"""Conditions of a question enter with their values; the text of a WHERE and bound parameters leave."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from lineage_hub.model import Scope

Answer = dict[str, Any]
Row = dict[str, Any]
DAY_NS = 86_400_000_000_000


class Telemetry(Protocol):
    """What a question needs of the telemetry store."""

    def ask(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[Row]: ...


def total_of(store: Telemetry, rows: list[Row], source: str, names: str, parameters: Mapping[str, Any]) -> int:
    """How many all pages hold: each row of a page tells it as `found`, and a page without rows is asked for."""
    if rows:
        return int(rows[0]["found"])
    return int(store.ask(f"SELECT uniqExact({names}) AS found FROM {source}", parameters)[0]["found"])


class Where:
    """Conditions that all hold; it begins with what the scope may see."""

    def __init__(self, scope: Scope) -> None:
        self._conditions: list[str] = []
        self.parameters: dict[str, Any] = {}
        if scope.tenants is not None:
            self.add("namespace IN {tenants:Array(String)}", tenants=sorted(scope.tenants))

    def add(self, condition: str, **parameters: Any) -> Where:
        self._conditions.append(condition)
        self.parameters.update(parameters)
        return self

    def starts_within(self, since: int, until: int) -> Where:
        """From `since` to before `until`, in nanoseconds."""
        return self.add(
            "timestamp >= fromUnixTimestamp64Nano({since:Int64}, 'UTC')"
            " AND timestamp < fromUnixTimestamp64Nano({until:Int64}, 'UTC')",
            since=max(since, 0),
            until=max(until, 0),
        )

    def with_attributes(
        self, attributes: Sequence[tuple[str, str]], in_resources: Callable[[int], bool] = lambda number: True
    ) -> Where:
        """Of the span or log itself, or of the resource that it comes from.

        Each of the two columns is dear to read: `in_resources` may know that no resource has the one of that number.
        """
        for number, (name, value) in enumerate(attributes):
            self.parameters |= {f"name_{number}": name, f"value_{number}": value}
            either = has_attribute("attributes", number, value)
            if in_resources(number):
                either += f" OR {has_attribute('resource_attributes', number, value)}"
            self.add(f"({either})")
        return self

    def __str__(self) -> str:
        return " AND ".join(self._conditions) or "1"


def has_attribute(column: str, number: int, value: str) -> str:
    """Its name and value are bound by their number."""
    name = f"{{name_{number}:String}}"
    equal = f"{column}[{name}] = {{value_{number}:String}}"
    # A key that is missing reads as empty text too.
    return equal if value else f"mapContains({column}, {name}) AND {equal}"
