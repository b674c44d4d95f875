"""Hours enter; the statements leave that make their rollups and ranges of traces anew from the tables.

Each view says itself how its rows are made, so what is made anew is what was made at the insert. Another hub may make
the same hour anew at the same time: whether the tables agree then is asked afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

HOUR_NS = 3600 * 10**9
# The table that a view fills, and how a row of it tells its hour. The hours of operations follow from their minutes.
_HOUR_OF = {
    "trace_ranges": "hour",
    "operation_minutes": "intDiv(toUnixTimestamp64Second(at), 3600)",
    "operation_hours": "intDiv(toUnixTimestamp64Second(at), 3600)",
}
_VIEWS = {"trace_ranges": "trace_ranges_of_traces", "operation_minutes": "operation_minutes_of_traces"}
_HOUR_OF_SPAN = f"intDiv(toUnixTimestamp64Nano(timestamp), {HOUR_NS})"
MOST_HOURS = 500
SELECT_OF_VIEWS = "SELECT name, as_select FROM system.tables WHERE database = currentDatabase() AND as_select != ''"


Columns = Callable[[str], Iterable[str]]


def rebuilding(hours: Iterable[int], selects: dict[str, str], columns: Columns) -> Iterator[str]:
    """`selects` are those of the views, by name; `columns` tells those of a table."""
    each = sorted(set(hours))
    for first in range(0, len(each), MOST_HOURS):
        yield from _of_some(each[first : first + MOST_HOURS], selects, columns)


def disagreeing(hours: Sequence[int]) -> str:
    """A question for those of the hours of which a table counts other spans than there are."""
    listed = ", ".join(str(int(hour)) for hour in hours)
    told = [f"SELECT {_HOUR_OF_SPAN} AS hour, count() AS spans FROM traces {_within(sorted(hours))} GROUP BY hour"]
    for table, hour in _HOUR_OF.items():
        of_hours = f"FROM {table} WHERE {hour} IN ({listed}) GROUP BY told"
        told.append(f"SELECT toInt64({hour}) AS told, sum(spans) AS spans {of_hours}")
    return (
        f"SELECT hour FROM ({' UNION ALL '.join(told)}) GROUP BY hour"
        f" HAVING count() != {len(told)} OR min(spans) != max(spans) ORDER BY hour"
    )


def _of_some(hours: Sequence[int], selects: dict[str, str], columns: Columns) -> Iterator[str]:
    listed = ", ".join(str(int(hour)) for hour in hours)
    for table, hour in _HOUR_OF.items():
        yield f"DELETE FROM {table} WHERE {hour} IN ({listed})"
    within = _within(hours)
    for table, view in _VIEWS.items():
        before, group, after = selects[view].rpartition("GROUP BY")
        names = ", ".join(columns(table))
        yield f"INSERT INTO {table} ({names}) SELECT {names} FROM ({before}{within} {group}{after})"


def _within(hours: Sequence[int]) -> str:
    """The bounds are for the table's order: only these hours are read."""
    listed = ", ".join(str(int(hour)) for hour in hours)
    return (
        f"WHERE {_HOUR_OF_SPAN} IN ({listed})"
        f" AND timestamp >= fromUnixTimestamp64Nano({hours[0] * HOUR_NS}, 'UTC')"
        f" AND timestamp <= fromUnixTimestamp64Nano({min((hours[-1] + 1) * HOUR_NS, 2**63) - 1}, 'UTC')"
    )
