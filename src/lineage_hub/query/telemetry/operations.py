"""A stretch of time enters; its operations leave, with rates, errors and durations, also over time.

Counts and totals are exact. Quantiles are those of every span or, where there are very many, of the rollups, which keep
a duration to within 0.4 %.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lineage_hub.errors import InvalidRequest
from lineage_hub.model import Scope
from lineage_hub.query.telemetry.asking import Answer, Row, Telemetry, Where, total_of
from lineage_hub.query.telemetry.rollups import (
    HOUR_NS,
    NAMES,
    SECOND_NS,
    Source,
    middle,
    spans_of_hours,
    touched_hours,
    whole,
)
from lineage_hub.wire import instant_text

# The greatest first, but names.
ORDERS = {
    "p50": "quantiles[1] DESC",
    "p95": "quantiles[2] DESC",
    "p99": "quantiles[3] DESC",
    "max": "longest DESC",
    "total": "total DESC",
    "spans": "spans DESC",
    "errors": "errors DESC",
    "name": "service, operation",
}
MOST_STEPS = 2_000
# Spans that are read one by one: below, that takes less time than to merge the states of the rollups.
MOST_READ = 2_000_000
# Nanoseconds of all spans together: 64 bits hold 584 years, which a million hours are a fifth of.
_SUMS = """
    sum(spans) AS spans, sum(errors) AS errors, sum(toUInt128(duration_sum)) AS total, max(duration_max) AS longest,
    quantilesBFloat16Merge(0.5, 0.95, 0.99)(durations) AS quantiles
"""
_SUMS_EXACT = """
    count() AS spans, countIf(status_code = 'ERROR') AS errors, sum(toUInt128(duration_ns)) AS total,
    max(duration_ns) AS longest,
    quantilesExactInclusive(0.5, 0.95, 0.99)(duration_ns) AS quantiles
"""


@dataclass(frozen=True, slots=True)
class OperationsQuestion:
    since: int
    until: int
    service: str | None = None
    operation: str | None = None
    step_s: int = 0
    """Above 0: each operation over time, in steps of so many seconds."""
    exact: bool | None = None
    """None leaves it to how many spans there are."""
    order: str = "p95"
    limit: int = 100
    offset: int = 0


def operations(store: Telemetry, scope: Scope, asked: OperationsQuestion) -> Answer:
    if asked.order not in ORDERS:
        raise InvalidRequest(f"sort={asked.order[:40]!r} is unknown", subject="sort", action="use " + ", ".join(ORDERS))
    if asked.step_s and (asked.until - asked.since) / (asked.step_s * SECOND_NS) > MOST_STEPS:
        raise InvalidRequest(
            f"step={asked.step_s} makes more than {MOST_STEPS} steps", subject="step", action="give a longer step"
        )
    exact = asked.exact
    if exact is None:
        hours = touched_hours((asked.since, asked.until))
        named = {"service_name": asked.service, "operation_name": asked.operation}
        exact = are_few(store, scope, asked, spans_of_hours(store, scope, hours, **named))
    asked = replace(asked, exact=exact)
    source, sums, parameters = source_of(scope, asked, 0)
    rows = store.ask(
        f"""
        SELECT service_name AS service, operation_name AS operation, {sums}, count() OVER () AS found
        FROM {source} GROUP BY service, operation
        ORDER BY {ORDERS[asked.order]}, service, operation LIMIT {{limit:UInt32}} OFFSET {{offset:UInt32}}
        """,
        {**parameters, "limit": asked.limit, "offset": asked.offset},
    )
    seconds = (asked.until - asked.since) / SECOND_NS
    answers = [
        {"service": row["service"], "operation": row["operation"], **figures(row, seconds, exact)} for row in rows
    ]
    if asked.step_s and answers:
        _add_series(store, scope, asked, answers)
    return {
        "from": instant_text(asked.since),
        "to": instant_text(asked.until),
        "quantilesExact": exact,
        "totalCount": total_of(store, rows, source, "service_name, operation_name", parameters),
        "operations": answers,
    }


def are_few(store: Telemetry, scope: Scope, asked: OperationsQuestion, by_hour: Mapping[int, int]) -> bool:
    """Whether the spans can be read one by one. Hours tell it, unless it hangs on those that the stretch cuts."""
    stretch = (asked.since, asked.until)
    first, last = touched_hours(stretch)
    if sum(spans for hour, spans in by_hour.items() if first <= hour < last) <= MOST_READ:
        return True
    start, end = whole(stretch, HOUR_NS) or (0, 0)
    if sum(spans for hour, spans in by_hour.items() if start <= hour * HOUR_NS < end) > MOST_READ:
        return False
    source = Source(scope, stretch, service_name=asked.service, operation_name=asked.operation, states=False)
    return bool(store.ask(f"SELECT sum(spans) AS spans FROM {source.text}", source.parameters)[0]["spans"] <= MOST_READ)


def source_of(scope: Scope, asked: OperationsQuestion, step_ns: int) -> tuple[str, str, dict[str, object]]:
    """What stands behind FROM, the sums of it, and what it is bound to."""
    stretch = (asked.since, asked.until)
    if not asked.exact:
        source = Source(scope, stretch, step_ns, service_name=asked.service, operation_name=asked.operation)
        return source.text, _SUMS, source.parameters
    where = Where(scope).starts_within(*stretch)
    if asked.service is not None:
        where.add("service_name = {service_name:String}", service_name=asked.service)
    if asked.operation is not None:
        where.add("operation_name = {operation_name:String}", operation_name=asked.operation)
    second = f"intDiv(toUnixTimestamp64Nano(timestamp), {SECOND_NS}) AS second"
    text = f"(SELECT service_name, operation_name, {second}, status_code, duration_ns FROM traces WHERE {where})"
    return text, _SUMS_EXACT, where.parameters


def _add_series(store: Telemetry, scope: Scope, asked: OperationsQuestion, answers: list[Answer]) -> None:
    source, sums, parameters = source_of(scope, asked, asked.step_s * SECOND_NS)
    rows = store.ask(
        f"""
        SELECT service_name AS service, operation_name AS operation,
            intDiv(second, {{step:UInt32}}) * {{step:UInt32}} AS step, {sums}
        FROM {source}
        WHERE service_name IN {{services:Array(String)}} AND operation_name IN {{operations:Array(String)}}
        GROUP BY service, operation, step ORDER BY service, operation, step
        """,
        {
            **parameters,
            "step": asked.step_s,
            # Some pairs of these may not be of the page: they find no place below.
            "services": sorted({one["service"] for one in answers}),
            "operations": sorted({one["operation"] for one in answers}),
        },
    )
    by_name: dict[tuple[str, str], list[Answer]] = {}
    for row in rows:
        at = {"at": instant_text(row["step"] * SECOND_NS)}
        by_name.setdefault((row["service"], row["operation"]), []).append(
            {**at, **figures(row, asked.step_s, bool(asked.exact))}
        )
    for one in answers:
        one["series"] = by_name.get((one["service"], one["operation"]), [])


def figures(row: Row, seconds: float, exact: bool) -> Answer:
    quantiles = [float(one) if exact else min(middle(one), row["longest"]) for one in row["quantiles"]]
    return {
        "spans": row["spans"],
        "errors": row["errors"],
        "errorRate": row["errors"] / row["spans"],
        "spansPerSecond": row["spans"] / seconds if seconds else None,
        "durationNs": {
            **dict(zip(NAMES, quantiles, strict=True)),
            "mean": row["total"] / row["spans"],
            "max": row["longest"],
            "total": row["total"],
        },
    }
