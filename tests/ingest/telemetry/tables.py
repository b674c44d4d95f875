"""Tables in memory, for tests of what the intake does around its store; whatever a test wants goes wrong in them."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lineage_hub.errors import StoreUnavailable

Row = dict[str, Any]
HOUR_NS = 3600 * 10**9


class MemoryTables:
    """The rollup counts spans by the hour; like the real one it is written with each insert, and can be made anew."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.rollup: dict[int, int] = {}
        self.inserts: list[tuple[str, int]] = []
        self.removed: list[int] = []
        self.before_insert: Callable[[str, int], None] = lambda table, rows: None
        """May raise, or wait; it is told the table and how many rows."""
        self.cut_after: int | None = None
        """After so many rows of the next insert the store is gone; they stay."""
        self.is_gone = False
        self._lock = threading.Lock()

    def insert(self, table: str, columns: Mapping[str, Any], batch: int) -> None:
        count = len(columns["timestamp"])
        self.before_insert(table, count)
        self._check()
        with self._lock:
            self.inserts.append((table, count))
            for at in range(count):
                if self.cut_after == at:
                    self.cut_after, self.is_gone = None, True
                    self._check()
                values = {name: each if isinstance(each, str) else each[at] for name, each in columns.items()}
                if values.get("bad"):
                    raise ValueError("a value that doesn't fit")
                self.rows.append({**values, "table": table, "batch": batch})
                if table == "otel.traces":
                    hour = values["timestamp"] // HOUR_NS
                    self.rollup[hour] = self.rollup.get(hour, 0) + 1

    def remove(self, batch: int, tables: Sequence[str]) -> None:
        self._check()
        with self._lock:
            self.removed.append(batch)
            self.rows = [row for row in self.rows if not (row["batch"] == batch and row["table"] in tables)]

    def rebuild(self, hours: Sequence[int]) -> None:
        self._check()
        with self._lock:
            for hour in hours:
                of_hour = [row for row in self.rows if row["table"] == "otel.traces"]
                self.rollup[hour] = sum(row["timestamp"] // HOUR_NS == hour for row in of_hour)

    def ask(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        self._check()
        return []

    def values(self, column: str = "span_id") -> list[Any]:
        return [row[column] for row in self.rows]

    def _check(self) -> None:
        if self.is_gone:
            raise StoreUnavailable("the store is gone", subject="telemetry")
