"""Conditions of a question enter with their values; the text of a WHERE and bound parameters leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from lineage_hub.model import Scope

Answer = dict[str, Any]
Row = dict[str, Any]
DAY_NS = 86_400_000_000_000
_PAIRS = "arrayMap((name, value) -> cityHash64(name, value), mapKeys({0}), mapValues({0}))"
# As the index `of_attributes` has it.
OF_ATTRIBUTES = f"arrayConcat({_PAIRS.format('attributes')}, {_PAIRS.format('resource_attributes')})"


class Telemetry(Protocol):
    """What a question needs of the telemetry store."""

    def ask(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[Row]: ...


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

    def with_attributes(self, attributes: Sequence[tuple[str, str]]) -> Where:
        """Of the span or log itself, or of the resource that it comes from."""
        for number, (name, value) in enumerate(attributes):
            key, text = f"{{name_{number}:String}}", f"{{value_{number}:String}}"
            either = [f"{column}[{key}] = {text}" for column in ("attributes", "resource_attributes")]
            if not value:
                # A key that is missing reads as empty text too.
                either = [f"mapContains({one.partition('[')[0]}, {key}) AND {one}" for one in either]
            self.add(f"({either[0]} OR {either[1]})", **{f"name_{number}": name, f"value_{number}": value})
            # Costs nothing where there is no such index.
            self.add(f"indexHint(has({OF_ATTRIBUTES}, cityHash64({key}, {text})))")
        return self

    def __str__(self) -> str:
        return " AND ".join(self._conditions) or "1"
