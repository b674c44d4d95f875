"""A stretch of time enters; what covers it exactly leaves as a source of rows: whole hours, whole minutes, then spans.

Each row tells of one operation: how many spans and errors, how long in all and at most, and a state for quantiles.
"""

from __future__ import annotations

import math

from lineage_hub.model import Scope
from lineage_hub.query.telemetry.asking import Telemetry, Where, started_between

SECOND_NS = 1_000_000_000
MINUTE_NS, HOUR_NS = 60 * SECOND_NS, 3_600 * SECOND_NS
NAMES = ("p50", "p95", "p99")
_LEVELS = "0.5, 0.95, 0.99"
Stretch = tuple[int, int]


def whole(stretch: Stretch, unit: int) -> Stretch | None:
    """The whole minutes or hours in it."""
    start, end = -(-stretch[0] // unit) * unit, stretch[1] // unit * unit
    return (start, end) if start < end else None


def around(stretch: Stretch, inner: Stretch | None) -> list[Stretch]:
    """What is left of it before and after the inner part."""
    if inner is None:
        return [stretch] if stretch[0] < stretch[1] else []
    return [one for one in ((stretch[0], inner[0]), (inner[1], stretch[1])) if one[0] < one[1]]


def touched_hours(stretch: Stretch) -> tuple[int, int]:
    """The first hour since 1970 that it is in, and the one after the last."""
    return stretch[0] // HOUR_NS, -(-stretch[1] // HOUR_NS)


def pieces(stretch: Stretch, step_ns: int = 0) -> list[tuple[str, Stretch]]:
    """Which table each part is read from. Rows of a rollup must fit into the steps of a series, if one is wanted."""
    if step_ns % MINUTE_NS:
        return [("traces", stretch)]
    hours = whole(stretch, HOUR_NS) if step_ns % HOUR_NS == 0 else None
    found = [("operation_hours", hours)] if hours else []
    for rest in around(stretch, hours):
        minutes = whole(rest, MINUTE_NS)
        if minutes:
            found.append(("operation_minutes", minutes))
        found += [("traces", edge) for edge in around(rest, minutes)]
    return found


def middle(kept: float) -> float:
    """Of the durations that the state for quantiles keeps as this one: it cuts off all but eight binary digits."""
    if kept < 256:
        return kept
    return kept + math.ldexp(1.0, math.frexp(kept)[1] - 9)


class Source:
    """`text` stands where a table stands; its conditions and what it is bound to come with it."""

    def __init__(
        self, scope: Scope, stretch: Stretch, step_ns: int = 0, *, states: bool = True, **equal: str | None
    ) -> None:
        """Without `states` there are counts only, which is much less to read."""
        self.parameters: dict[str, object] = {}
        parts = []
        for number, (table, (start, end)) in enumerate(pieces((max(stretch[0], 0), max(stretch[1], 0)), step_ns)):
            where = Where(scope)
            for column, value in equal.items():
                if value is not None:
                    where.add(f"{column} = {{{column}:String}}", **{column: value})
            part = _of_spans if table == "traces" else _of_rollup
            parts.append(part(where, table, number, states))
            unit = 1 if table == "traces" else SECOND_NS
            self.parameters |= {**where.parameters, f"start_{number}": start // unit, f"end_{number}": end // unit}
        self.text = "(" + " UNION ALL ".join(parts or [_of_spans(Where(scope).add("0"), "traces", -1, states)]) + ")"


def spans_of_hours(store: Telemetry, scope: Scope, hours: tuple[int, int], **equal: str | None) -> dict[int, int]:
    """How many spans began in each hour since 1970, from the first to before the last."""
    source = Source(scope, (hours[0] * HOUR_NS, hours[1] * HOUR_NS), 0, states=False, **equal)
    rows = store.ask(
        f"SELECT intDiv(second, 3600) AS hour, sum(spans) AS spans FROM {source.text} GROUP BY hour", source.parameters
    )
    return {row["hour"]: row["spans"] for row in rows}


def _of_spans(where: Where, table: str, number: int, states: bool) -> str:
    if number >= 0:
        where.add(started_between(f"start_{number}", f"end_{number}"))
    more = f""", sum(duration_ns) AS duration_sum, max(duration_ns) AS duration_max,
            quantilesBFloat16State({_LEVELS})(duration_ns) AS durations"""
    return f"""
        SELECT service_name, operation_name, intDiv(toUnixTimestamp64Nano(timestamp), {SECOND_NS}) AS second,
            count() AS spans, countIf(status_code = 'ERROR') AS errors {more if states else ""}
        FROM {table} WHERE {where} GROUP BY service_name, operation_name, second
    """


def _of_rollup(where: Where, table: str, number: int, states: bool) -> str:
    where.add(
        f"at >= toDateTime64({{start_{number}:Int64}}, 0, 'UTC')"
        f" AND at < toDateTime64({{end_{number}:Int64}}, 0, 'UTC')"
    )
    more = f""", sum(duration_sum) AS duration_sum, max(duration_max) AS duration_max,
            quantilesBFloat16MergeState({_LEVELS})(durations) AS durations"""
    return f"""
        SELECT service_name, operation_name, toInt64(toUnixTimestamp64Second(at)) AS second,
            sum(spans) AS spans, sum(errors) AS errors {more if states else ""}
        FROM {table} WHERE {where} GROUP BY service_name, operation_name, second
    """
