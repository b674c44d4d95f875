"""A metric's name and a stretch of time enter; its series leave, one for each service and set of attributes.

Gauges show their values, sums how much they grew whatever restarts there were, histograms counts and quantiles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from lineage_hub.errors import InvalidRequest, NotFound
from lineage_hub.model import Scope
from lineage_hub.query.telemetry.analytics import SECOND_NS, check_steps
from lineage_hub.query.telemetry.asking import Answer, Row, Telemetry, Where, total_of
from lineage_hub.query.telemetry.metric_histograms import COLUMNS, steps_of
from lineage_hub.query.telemetry.metric_numbers import HAS_VALUE, INCREASES, LOOK_BACK_NS, STREAM
from lineage_hub.wire import instant_text

MOST_ROWS = 100_000
_STEP = "intDiv(at, {step:UInt64} * 1000000000) * {step:UInt64}"
# JSON with sorted names: one text for one set.
_LABELS = """toJSONString(mapSort(mapFilter((name, _) -> has({by:Array(String)}, name),
    mapUpdate(CAST(resource_attributes, 'Map(String, String)'), CAST(attributes, 'Map(String, String)')))))"""
_EVERY_LABEL = "toJSONString(mapSort(CAST(attributes, 'Map(String, String)')))"


@dataclass(frozen=True, slots=True)
class SeriesQuestion:
    """`by` are the attributes that make a series; without any, all of a point's own do."""

    name: str
    since: int
    until: int
    step_s: int = 60
    service: str | None = None
    attributes: tuple[tuple[str, str], ...] = ()
    by: tuple[str, ...] = ()
    limit: int = 100
    offset: int = 0


def metric_names(store: Telemetry, scope: Scope, asked: SeriesQuestion) -> Answer:
    """Metrics of which there are points in that time; `asked.name` is what their names begin with."""
    where = _where(scope, asked, "startsWith(metric_name, {metric:String})").starts_within(asked.since, asked.until)
    rows = store.ask(
        f"""
        SELECT metric_name, metric_type, unit, temporality, is_monotonic, any(description) AS told, count() AS points,
            arraySort(groupUniqArray(100)(toString(service_name))) AS services,
            max(toUnixTimestamp64Nano(timestamp)) AS last_at, count() OVER () AS found
        FROM metrics WHERE {where}
        GROUP BY metric_name, metric_type, unit, temporality, is_monotonic
        ORDER BY metric_name, metric_type, unit, temporality, is_monotonic
        LIMIT {{limit:UInt32}} OFFSET {{offset:UInt32}}
        """,
        {**where.parameters, "limit": asked.limit, "offset": asked.offset},
    )
    metrics = [
        {
            "name": row["metric_name"],
            **_kind(row),
            "description": row["told"] or None,
            "services": row["services"],
            "points": row["points"],
            "lastAt": instant_text(row["last_at"]),
        }
        for row in rows
    ]
    names = "metric_name, metric_type, unit, temporality, is_monotonic"
    return {"metrics": metrics, "totalCount": total_of(store, rows, f"metrics WHERE {where}", names, where.parameters)}


def metric_series(store: Telemetry, scope: Scope, asked: SeriesQuestion) -> Answer:
    check_steps(asked.since, asked.until, asked.step_s)
    where = _where(scope, asked, "metric_name = {metric:String}")
    within = _where(scope, asked, "metric_name = {metric:String}").starts_within(asked.since, asked.until)
    kinds = store.ask(
        f"""
        SELECT metric_type, unit, temporality, is_monotonic FROM metrics WHERE {within}
        GROUP BY metric_type, unit, temporality, is_monotonic ORDER BY metric_type, unit, temporality, is_monotonic
        """,
        within.parameters,
    )
    if not kinds:
        raise NotFound(
            f"there is no point of the metric {asked.name[:200]!r}",
            subject=asked.name[:200],
            action="list the metrics there are with GET /api/v1/telemetry/metrics, or ask for another time",
        )
    series = []
    for kind in kinds:
        for (service, labels), steps in sorted(_steps(store, asked, where, kind).items()):
            points = [{"at": instant_text(second * SECOND_NS), **told} for second, told in steps.items()]
            attributes = msgspec.json.decode(labels)
            series.append({"service": service, "attributes": attributes, **_kind(kind), "points": points})
    return {
        "name": asked.name,
        "from": instant_text(asked.since),
        "to": instant_text(asked.until),
        "stepS": asked.step_s,
        "totalCount": len(series),
        "series": series[asked.offset : asked.offset + asked.limit],
    }


Steps = dict[tuple[str, str], dict[int, Answer]]


def _steps(store: Telemetry, asked: SeriesQuestion, where: Where, kind: Row) -> Steps:
    of_kind = (
        f"{where} AND metric_type = {{metric_type:String}} AND unit = {{unit:String}}"
        " AND temporality = {temporality:String} AND is_monotonic = {is_monotonic:Bool}"
    )
    parameters: dict[str, Any] = {
        **where.parameters,
        **{name: kind[name] for name in ("metric_type", "unit", "temporality", "is_monotonic")},
        "since": asked.since,
        "until": asked.until,
        "step": asked.step_s,
        "by": list(asked.by),
    }
    labels = _LABELS if asked.by else _EVERY_LABEL
    if kind["metric_type"] in ("histogram", "exponential_histogram"):
        return steps_of(_ask(store, _histograms(of_kind, labels), parameters), asked.since, asked.step_s)
    if kind["metric_type"] == "sum" and (kind["is_monotonic"] or kind["temporality"] == "DELTA"):
        return _found(_ask(store, _growth(of_kind, labels), parameters), lambda row: _grown(row, asked.step_s))
    if kind["metric_type"] == "sum":
        return _found(_ask(store, _levels(of_kind, labels), parameters), lambda row: {"value": row["value"]})
    if kind["metric_type"] == "summary":
        return _found(_ask(store, _summaries(of_kind, labels), parameters), _summary)
    names = ("value", "min", "max", "mean")
    return _found(_ask(store, _gauges(of_kind, labels), parameters), lambda row: {name: row[name] for name in names})


def _ask(store: Telemetry, sql: str, parameters: dict[str, Any]) -> list[Row]:
    rows = store.ask(f"{sql} LIMIT {MOST_ROWS + 1}", parameters)
    if len(rows) > MOST_ROWS:
        raise InvalidRequest(
            f"that is more than {MOST_ROWS} points",
            subject="step",
            action="ask for less time, longer steps, or a service",
        )
    return rows


def _points(of_kind: str, labels: str, columns: str, look_back_ns: int = 0) -> str:
    return f"""
        SELECT service_name, {labels} AS labels, toUnixTimestamp64Nano(timestamp) AS at, {columns}
        FROM metrics WHERE {of_kind}
            AND timestamp >= fromUnixTimestamp64Nano(greatest({{since:Int64}} - {look_back_ns}, 0), 'UTC')
            AND timestamp < fromUnixTimestamp64Nano({{until:Int64}}, 'UTC')
    """


_BY_STEP = "GROUP BY service_name, labels, second ORDER BY service_name, labels, second"


def _gauges(of_kind: str, labels: str) -> str:
    return f"""
        SELECT service_name, labels, {_STEP} AS second, argMax(told, at) AS value, min(told) AS min, max(told) AS max,
            avg(told) AS mean
        FROM ({_points(of_kind, labels, "value AS told")}) {_BY_STEP}
    """


def _levels(of_kind: str, labels: str) -> str:
    """Up and down: what each stream said last in a step, added up."""
    return f"""
        SELECT service_name, labels, second, sum(last) AS value FROM (
            SELECT service_name, labels, {_STEP} AS second, argMax(told, at) AS last
            FROM ({_points(of_kind, labels, f"value AS told, {STREAM} AS stream")})
            GROUP BY service_name, labels, second, stream
        ) {_BY_STEP}
    """


def _growth(of_kind: str, labels: str) -> str:
    return f"""
        SELECT service_name, {labels} AS labels, {_STEP} AS second, sum(increase) AS grown
        FROM ({INCREASES.format(where=of_kind)}) {_BY_STEP}
    """


def _summaries(of_kind: str, labels: str) -> str:
    return f"""
        SELECT service_name, labels, {_STEP} AS second, argMax((points, total, levels), at) AS last
        FROM ({_points(of_kind, labels, "count AS points, value AS total, quantiles AS levels")}) {_BY_STEP}
    """


def _histograms(of_kind: str, labels: str) -> str:
    columns = f"metric_type, toUnixTimestamp64Nano(start_timestamp) AS began, {STREAM} AS stream, {COLUMNS}"
    return _points(of_kind, labels, columns, LOOK_BACK_NS) + " ORDER BY stream, at"


def _found(rows: list[Row], told: Callable[[Row], Answer]) -> Steps:
    found: Steps = {}
    for row in rows:
        found.setdefault((row["service_name"], row["labels"]), {})[row["second"]] = told(row)
    return found


def _grown(row: Row, step_s: int) -> Answer:
    return {"increase": row["grown"], "rate": row["grown"] / step_s}


def _summary(row: Row) -> Answer:
    count, total, levels = row["last"]
    return {"count": count, "sum": total, "quantiles": {f"{level:g}": value for level, value in levels}}


def _where(scope: Scope, asked: SeriesQuestion, named: str) -> Where:
    where = Where(scope).add(named, metric=asked.name).add(HAS_VALUE).with_attributes(asked.attributes)
    if asked.service is not None:
        where.add("service_name = {service:String}", service=asked.service)
    return where


def _kind(row: Row) -> Answer:
    return {
        "type": row["metric_type"],
        "unit": row["unit"],
        "temporality": row["temporality"] or None,
        "monotonic": row["is_monotonic"] if row["metric_type"] == "sum" else None,
    }
