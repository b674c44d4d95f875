"""Conditions of a question enter with their values; the text of a WHERE and bound parameters leave."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

from lineage_hub.model import Scope

Answer = dict[str, Any]
Row = dict[str, Any]
DAY_NS = 86_400_000_000_000
# Where in time traces are is asked in the same breath as for their spans: each question has a cost of its own.
STRETCH_OF_TRACES = """
    WITH (
        SELECT (min(ranges.started_at), max(ranges.ended_at)) FROM trace_ranges AS ranges
        WHERE trace_id IN {ids:Array(String)}
    ) AS stretch
"""


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
        return self.add(started_between("since", "until"), since=max(since, 0), until=max(until, 0))

    def of_traces(self, ids: Collection[str]) -> Where:
        """In a question that begins with `STRETCH_OF_TRACES`: of a large table only that stretch of time is read."""
        return self.add(
            "trace_id IN {ids:Array(String)}"
            " AND timestamp >= tupleElement(stretch, 1) AND timestamp <= tupleElement(stretch, 2)",
            ids=sorted(ids),
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


def started_between(since: str, until: str) -> str:
    """The names that its first nanosecond is bound by, and the one after the last."""
    return (
        f"timestamp >= fromUnixTimestamp64Nano({{{since}:Int64}}, 'UTC')"
        f" AND timestamp < fromUnixTimestamp64Nano({{{until}:Int64}}, 'UTC')"
    )


def has_attribute(column: str, number: int, value: str) -> str:
    """Its name and value are bound by their number."""
    name = f"{{name_{number}:String}}"
    equal = f"{column}[{name}] = {{value_{number}:String}}"
    # A key that is missing reads as empty text too.
    return equal if value else f"mapContains({column}, {name}) AND {equal}"
