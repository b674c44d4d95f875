"""A stretch of time enters; how the runs of pipelines and their stages went leaves: rates, durations, records, errors.

A run stands where it started; what it wrote counts when it ended.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lineage_hub.errors import InvalidRequest
from lineage_hub.model import Scope
from lineage_hub.query.telemetry.asking import Answer, Row, Telemetry, Where, total_of
from lineage_hub.wire import instant_text

SECOND_NS = 1_000_000_000
MOST_STEPS = 2_000
# The last word about each run; FINAL leaves out those that were replaced.
_RUNS = "pipeline_runs FINAL"
_ENDED = "status IN ('COMPLETED', 'FAILED', 'ABORTED')"
_COUNTS = f"""
    count() AS runs, countIf(status = 'COMPLETED') AS completed, countIf(status = 'FAILED') AS failed,
    countIf(status = 'ABORTED') AS aborted, countIf(NOT {_ENDED}) AS running
"""
_NAMES = ("p50", "p95", "p99")
_DURATIONS = """
    count() AS runs, quantilesExactInclusive(0.5, 0.95, 0.99)(duration_ms) AS quantiles, avg(duration_ms) AS mean,
    max(duration_ms) AS longest
"""


@dataclass(frozen=True, slots=True)
class RunsQuestion:
    """`stage` is "" for runs of whole pipelines, and None for those and all stages."""

    since: int
    until: int
    step_s: int = 3600
    pipeline: str | None = None
    stage: str | None = None
    namespace: str | None = None
    limit: int = 100
    offset: int = 0

    def stretch(self) -> Answer:
        return {"from": instant_text(self.since), "to": instant_text(self.until)}


def success(store: Telemetry, scope: Scope, asked: RunsQuestion) -> Answer:
    """Over time, in steps; a step in which nothing started is left out."""
    check_steps(asked.since, asked.until, asked.step_s)
    where = _where(scope, asked)
    rows = store.ask(
        f"""
        SELECT intDiv(toUnixTimestamp64Second(timestamp), {{step:UInt32}}) * {{step:UInt32}} AS step, {_COUNTS}
        FROM {_RUNS} WHERE {where} GROUP BY step ORDER BY step
        """,
        {**where.parameters, "step": asked.step_s},
    )
    names = ("runs", "completed", "failed", "aborted", "running")
    total = {name: sum(row[name] for row in rows) for name in names}
    return {
        **asked.stretch(),
        "stepS": asked.step_s,
        **_rates(total),
        "steps": [{"at": instant_text(row["step"] * SECOND_NS), **_rates(row)} for row in rows],
    }


def durations(store: Telemetry, scope: Scope, asked: RunsQuestion) -> Answer:
    """Of runs that have ended, by pipeline and stage, the one with the longest p95 first. Exact."""
    where = _where(scope, asked).add(_ENDED)
    return _page(store, asked, "durations", _DURATIONS, where, "quantiles[2] DESC", _durations)


def durations_over_time(store: Telemetry, scope: Scope, asked: RunsQuestion) -> Answer:
    """Of runs that have ended, in steps, where they started; a step in which none did is left out. Exact."""
    check_steps(asked.since, asked.until, asked.step_s)
    where = _where(scope, asked).add(_ENDED)
    rows = store.ask(
        f"""
        SELECT intDiv(toUnixTimestamp64Second(timestamp), {{step:UInt32}}) * {{step:UInt32}} AS step, {_DURATIONS}
        FROM {_RUNS} WHERE {where} GROUP BY step ORDER BY step
        """,
        {**where.parameters, "step": asked.step_s},
    )
    # Quantiles of steps don't make those of the whole.
    whole = store.ask(f"SELECT {_DURATIONS} FROM {_RUNS} WHERE {where}", where.parameters) if rows else []
    return {
        **asked.stretch(),
        "stepS": asked.step_s,
        **(_durations(whole[0]) if whole else {"runs": 0, "durationMs": None}),
        "steps": [{"at": instant_text(row["step"] * SECOND_NS), **_durations(row)} for row in rows],
    }


def errors(store: Telemetry, scope: Scope, asked: RunsQuestion) -> Answer:
    """By pipeline and stage, the greatest rate first, with the last error of each."""
    last = "argMaxIf({}, timestamp, status = 'FAILED')"
    return _page(
        store,
        asked,
        "errors",
        f"{_COUNTS}, if(completed + failed + aborted = 0, 0, failed / (completed + failed + aborted)) AS rate,"
        f" {last.format('run_id')} AS last_run, {last.format('error_message')} AS last_error,"
        f" {last.format('toUnixTimestamp64Nano(timestamp)')} AS last_at",
        _where(scope, asked),
        "rate DESC, failed DESC",
        lambda row: {
            **_rates(row),
            "lastError": {
                "runId": row["last_run"],
                "startedAt": instant_text(row["last_at"]),
                "message": row["last_error"] or None,
            }
            if row["failed"]
            else None,
        },
    )


def records(store: Telemetry, scope: Scope, asked: RunsQuestion) -> Answer:
    """What runs wrote that have none below them: what a pipeline tells of its stages' rows would count twice."""
    check_steps(asked.since, asked.until, asked.step_s)
    where = _where(scope, asked, "ended_at").add(_ENDED)
    where.add(f"(namespace, run_id) NOT IN (SELECT namespace, parent_run_id FROM {_RUNS} WHERE parent_run_id != '')")
    # One reading for both: most of the work is to find out which runs have others below them.
    rows = store.ask(
        f"""
        SELECT intDiv(toUnixTimestamp64Second(ended_at), {{step:UInt32}}) * {{step:UInt32}} AS step,
            namespace, pipeline_name, sum(records_processed) AS records, sum(bytes_processed) AS bytes
        FROM {_RUNS} WHERE {where} GROUP BY step, namespace, pipeline_name ORDER BY step
        """,
        {**where.parameters, "step": asked.step_s},
    )
    by_step: dict[int, Row] = {}
    by_pipeline: dict[tuple[str, str], Row] = {}
    for row in rows:
        for total in (
            by_step.setdefault(row["step"], {"records": 0, "bytes": 0}),
            by_pipeline.setdefault((row["namespace"], row["pipeline_name"]), {"records": 0, "bytes": 0}),
        ):
            total["records"] += row["records"]
            total["bytes"] += row["bytes"]
    hours = (asked.until - asked.since) / (3600 * SECOND_NS)
    whole = {name: sum(row[name] for row in rows) for name in ("records", "bytes")}
    pipelines = sorted(by_pipeline.items(), key=lambda one: (-one[1]["records"], one[0]))
    return {
        **asked.stretch(),
        "stepS": asked.step_s,
        **_written(whole, hours),
        "steps": [
            {"at": instant_text(step * SECOND_NS), **_written(row, asked.step_s / 3600)}
            for step, row in by_step.items()
        ],
        "byPipeline": [
            {"namespace": namespace, "pipeline": pipeline, **_written(row, hours)}
            for (namespace, pipeline), row in pipelines[asked.offset : asked.offset + asked.limit]
        ],
    }


def check_steps(since: int, until: int, step_s: int) -> None:
    if (until - since) / (step_s * SECOND_NS) > MOST_STEPS:
        raise InvalidRequest(
            f"step={step_s} makes more than {MOST_STEPS} steps", subject="step", action="give a longer step"
        )


def _where(scope: Scope, asked: RunsQuestion, column: str = "timestamp") -> Where:
    where = Where(scope).add(
        f"{column} >= fromUnixTimestamp64Nano({{since:Int64}}, 'UTC')"
        f" AND {column} < fromUnixTimestamp64Nano({{until:Int64}}, 'UTC')",
        since=asked.since,
        until=asked.until,
    )
    for name, value in (("pipeline_name", asked.pipeline), ("stage", asked.stage), ("namespace", asked.namespace)):
        if value is not None:
            where.add(f"{name} = {{{name}:String}}", **{name: value})
    return where


def _page(
    store: Telemetry,
    asked: RunsQuestion,
    name: str,
    figures: str,
    where: Where,
    order: str,
    told: Callable[[Row], Answer],
) -> Answer:
    rows = store.ask(
        f"""
        SELECT namespace, pipeline_name, stage, {figures}, count() OVER () AS found
        FROM {_RUNS} WHERE {where} GROUP BY namespace, pipeline_name, stage
        ORDER BY {order}, namespace, pipeline_name, stage LIMIT {{limit:UInt32}} OFFSET {{offset:UInt32}}
        """,
        {**where.parameters, "limit": asked.limit, "offset": asked.offset},
    )
    return {
        **asked.stretch(),
        "totalCount": total_of(
            store, rows, f"{_RUNS} WHERE {where}", "namespace, pipeline_name, stage", where.parameters
        ),
        name: [
            {
                "namespace": row["namespace"],
                "pipeline": row["pipeline_name"],
                "stage": row["stage"] or None,
                **told(row),
            }
            for row in rows
        ],
    }


def _durations(row: Row) -> Answer:
    quantiles = dict(zip(_NAMES, row["quantiles"], strict=True))
    return {"runs": row["runs"], "durationMs": {**quantiles, "mean": row["mean"], "max": row["longest"]}}


def _rates(row: Row) -> Answer:
    ended = row["completed"] + row["failed"] + row["aborted"]
    return {
        **{name: row[name] for name in ("runs", "completed", "failed", "aborted", "running")},
        "successRate": row["completed"] / ended if ended else None,
        "errorRate": row["failed"] / ended if ended else None,
    }


def _written(row: Row, hours: float) -> Answer:
    """Before 1970 nothing is, and of that no time is left."""
    return {
        "records": row["records"],
        "recordsPerHour": row["records"] / hours if hours else 0.0,
        "bytes": row["bytes"],
        "bytesPerHour": row["bytes"] / hours if hours else 0.0,
    }
