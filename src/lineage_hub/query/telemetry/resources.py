"""A stretch of time enters; what pipelines and services used of machines leaves: CPU, memory, bytes.

Of pipelines the spans of Spark's stages tell (`spark.*`), of services the metrics of OpenTelemetry's conventions.
"""

from __future__ import annotations

from lineage_hub.model import Scope
from lineage_hub.query.telemetry.analytics import RunsQuestion
from lineage_hub.query.telemetry.asking import Answer, Row, Telemetry, Where
from lineage_hub.query.telemetry.metric_numbers import HAS_VALUE, INCREASES

# Answer's name, attribute, and how the values of several spans become one; in the order of the column `spark_use`.
_OF_SPANS = (
    ("tasks", "spark.tasks", "sum"),
    ("cpuNs", "spark.executor.cpu_ns", "sum"),
    ("gcMs", "spark.executor.gc_ms", "sum"),
    ("peakMemoryBytes", "spark.memory.peak_bytes", "max"),
    ("recordsIn", "spark.records.in", "sum"),
    ("bytesIn", "spark.bytes.in", "sum"),
    ("recordsOut", "spark.records.out", "sum"),
    ("bytesOut", "spark.bytes.out", "sum"),
    ("shuffleReadBytes", "spark.shuffle.read_bytes", "sum"),
    ("shuffleWrittenBytes", "spark.shuffle.written_bytes", "sum"),
    ("spilledBytes", "spark.spill.bytes", "sum"),
)
CPU_METRICS = ("process.cpu.time", "container.cpu.time", "jvm.cpu.time")
MEMORY_METRICS = ("process.memory.usage", "container.memory.usage", "jvm.memory.used")


def resources(store: Telemetry, scope: Scope, asked: RunsQuestion) -> Answer:
    return {
        **asked.stretch(),
        "pipelines": _pipelines(store, scope, asked),
        "services": _services(store, scope, asked),
    }


def _pipelines(store: Telemetry, scope: Scope, asked: RunsQuestion) -> list[Answer]:
    """By pipeline and stage, the one with the most CPU first; spans of a run that no event told of have neither."""
    where = Where(scope).starts_within(asked.since, asked.until)
    if asked.namespace is not None:
        where.add("namespace = {namespace:String}", namespace=asked.namespace)
    wanted, spark = "1", "startsWith(operation_name, 'spark stage ')"
    for name, value in (("pipeline_name", asked.pipeline), ("stage", asked.stage)):
        if value is not None:
            wanted += f" AND {name} = {{{name}:String}}"
            where.parameters[name] = value
    rows = store.ask(
        f"""
        SELECT namespace, pipeline_name, stage, uniqExact(run_id) AS runs, sum(spans) AS spans,
            sumForEach(sums) AS total, maxForEach(greatest) AS most, total[{{cpu:UInt8}}] AS cpu
        FROM (
            SELECT namespace, run_id, count() AS spans, sumForEach(spark_use) AS sums, maxForEach(spark_use) AS greatest
            FROM traces PREWHERE {spark} WHERE {where} GROUP BY namespace, run_id
        ) AS used
        LEFT JOIN (
            SELECT namespace, run_id, pipeline_name, stage FROM pipeline_runs FINAL
            WHERE (namespace, run_id) IN (SELECT DISTINCT namespace, run_id FROM traces PREWHERE {spark} WHERE {where})
        ) AS known
        USING (namespace, run_id)
        WHERE {wanted} GROUP BY namespace, pipeline_name, stage
        ORDER BY cpu DESC, namespace, pipeline_name, stage LIMIT {{limit:UInt32}} OFFSET {{offset:UInt32}}
        """,
        {
            **where.parameters,
            "cpu": 1 + [name for name, _, _ in _OF_SPANS].index("cpuNs"),
            "limit": asked.limit,
            "offset": asked.offset,
        },
    )
    return [
        {
            "namespace": row["namespace"],
            "pipeline": row["pipeline_name"] or None,
            "stage": row["stage"] or None,
            "runs": row["runs"],
            "spans": row["spans"],
            **{name: row["most" if how == "max" else "total"][at] for at, (name, _, how) in enumerate(_OF_SPANS)},
        }
        for row in rows
    ]


def _services(store: Telemetry, scope: Scope, asked: RunsQuestion) -> list[Answer]:
    where = _metrics(scope, asked, CPU_METRICS)
    cpu = store.ask(
        f"""
        SELECT namespace, service_name, metric_name, sum(increase) AS seconds FROM ({INCREASES.format(where=where)})
        GROUP BY namespace, service_name, metric_name
        """,
        {**where.parameters, "since": asked.since, "until": asked.until},
    )
    where = _metrics(scope, asked, MEMORY_METRICS).starts_within(asked.since, asked.until)
    memory = store.ask(
        f"""
        SELECT namespace, service_name, metric_name, max(value) AS most, avg(value) AS mean
        FROM metrics WHERE {where} GROUP BY namespace, service_name, metric_name
        """,
        where.parameters,
    )
    found: dict[tuple[str, str], Answer] = {}
    for row in cpu:
        _service(found, row)["cpu"][row["metric_name"]] = {"seconds": row["seconds"]}
    for row in memory:
        _service(found, row)["memory"][row["metric_name"]] = {"maxBytes": row["most"], "meanBytes": row["mean"]}
    return [found[name] for name in sorted(found)]


def _service(found: dict[tuple[str, str], Answer], row: Row) -> Answer:
    name = row["namespace"], row["service_name"]
    return found.setdefault(name, {"namespace": name[0], "service": name[1], "cpu": {}, "memory": {}})


def _metrics(scope: Scope, asked: RunsQuestion, names: tuple[str, ...]) -> Where:
    where = Where(scope).add("metric_name IN {names:Array(String)}", names=list(names)).add(HAS_VALUE)
    if asked.namespace is not None:
        where.add("namespace = {namespace:String}", namespace=asked.namespace)
    return where
