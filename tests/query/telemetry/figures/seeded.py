"""Runs, spans of Spark's stages and points of metrics, made from a seed; columns to insert them with."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass, field
from typing import Any

from tests.query.telemetry.seeded import HOUR, SECOND, ZERO, Seeded, span_columns

MINUTE = 60 * SECOND
PIPELINES = {"daily": ("extract", "transform", "load"), "hourly": ("copy",), "alone": ()}
SPARK = {
    "tasks": "spark.tasks",
    "cpuNs": "spark.executor.cpu_ns",
    "gcMs": "spark.executor.gc_ms",
    "peakMemoryBytes": "spark.memory.peak_bytes",
    "recordsIn": "spark.records.in",
    "bytesIn": "spark.bytes.in",
    "recordsOut": "spark.records.out",
    "bytesOut": "spark.bytes.out",
    "shuffleReadBytes": "spark.shuffle.read_bytes",
    "shuffleWrittenBytes": "spark.shuffle.written_bytes",
    "spilledBytes": "spark.spill.bytes",
}


@dataclass
class RunRow:
    timestamp: int
    run_id: str
    pipeline_name: str
    stage: str
    status: str
    namespace: str
    duration_ms: int
    records_processed: int
    bytes_processed: int
    error_message: str
    ended_at: int
    parent_run_id: str
    version: int
    job_namespace: str = "jobs"


def run_rows(seed: int, count: int = 120) -> list[RunRow]:
    """The last word about each, pipelines and their stages."""
    dice = random.Random(seed)
    found: list[RunRow] = []
    for number in range(count):
        pipeline, namespace = dice.choice(list(PIPELINES)), dice.choice(("default", "default", "team-b"))
        whole = _run(dice, f"run-{number}", pipeline, "", namespace, ZERO + dice.randrange(5 * HOUR), "")
        # What it tells of its stages' rows must not count a second time.
        stages = [
            _run(dice, f"run-{number}-{stage}", pipeline, stage, namespace, whole.timestamp + 1, whole.run_id)
            for stage in PIPELINES[pipeline]
        ]
        found += [whole, *stages]
    return found


def _run(
    dice: random.Random, run_id: str, pipeline: str, stage: str, namespace: str, start: int, parent: str
) -> RunRow:
    status = dice.choice(("COMPLETED", "COMPLETED", "COMPLETED", "FAILED", "ABORTED", "RUNNING"))
    took = 0 if status == "RUNNING" else dice.randrange(1, 3_000_000)
    return RunRow(
        start,
        run_id,
        pipeline,
        stage,
        status,
        namespace,
        took,
        dice.randrange(10_000),
        dice.randrange(10_000_000),
        f"broken {dice.random()}" if status == "FAILED" else "",
        0 if status == "RUNNING" else start + took * 1_000_000,
        parent,
        7,
    )


def earlier(rows: list[RunRow]) -> list[RunRow]:
    """What was said of them before."""
    return [RunRow(**{**asdict(one), "status": "RUNNING", "version": 1, "ended_at": 0}) for one in rows]


def columns(rows: list[Any]) -> dict[str, list[Any]]:
    told = [asdict(one) for one in rows]
    return {name: [one[name] for one in told] for name in told[0]}


def spark_spans(seed: int, rows: list[RunRow]) -> list[Seeded]:
    dice = random.Random(seed)
    found = []
    for one in rows:
        if one.stage or one.pipeline_name == "alone":
            for number in range(dice.randrange(3)):
                found.append(_spark_span(dice, one.run_id, one.timestamp + number, one.namespace))
    # Of a run that no event has told of; and one that is no stage of Spark.
    found += [_spark_span(dice, "unheard", ZERO + HOUR, "default")]
    found += [Seeded("f" * 32, "1" * 16, "", "etl", "other", ZERO + HOUR, 5, "OK", 0, "default", {}, run_id="unheard")]
    return found


def _spark_span(dice: random.Random, run_id: str, start: int, namespace: str) -> Seeded:
    attributes = {name: (str(dice.randrange(1 << 40)), "int") for name in SPARK.values() if dice.random() < 0.9}
    trace, span = f"{dice.getrandbits(128) | 1:032x}", f"{dice.getrandbits(64) | 1:016x}"
    name = f"spark stage {dice.randrange(100)}"
    return Seeded(trace, span, "", "etl", name, start, 1000, "OK", 0, namespace, attributes, run_id=run_id)


@dataclass
class Point:
    timestamp: int
    metric_name: str
    metric_type: str
    value: float = 0.0
    start_timestamp: int = 0
    int_value: int = 0
    is_int: bool = False
    unit: str = "1"
    description: str = "what it is"
    temporality: str = ""
    is_monotonic: bool = False
    count: int = 0
    min: float = 0.0
    max: float = 0.0
    has_sum: bool = True
    has_min: bool = False
    has_max: bool = False
    bucket_counts: list[int] = field(default_factory=list)
    explicit_bounds: list[float] = field(default_factory=list)
    scale: int = 0
    zero_count: int = 0
    zero_threshold: float = 0.0
    positive_offset: int = 0
    positive_counts: list[int] = field(default_factory=list)
    negative_offset: int = 0
    negative_counts: list[int] = field(default_factory=list)
    quantiles: list[tuple[float, float]] = field(default_factory=list)
    exemplars: list[Any] = field(default_factory=list)
    flags: int = 0
    namespace: str = "default"
    service_name: str = "shop"
    attributes: dict[str, str] = field(default_factory=dict)
    attribute_types: dict[str, str] = field(default_factory=dict)
    resource_attributes: dict[str, str] = field(default_factory=dict)
    resource_attribute_types: dict[str, str] = field(default_factory=dict)
    scope_name: str = "tests"
    scope_version: str = ""


def point_columns(points: list[Point]) -> dict[str, list[Any]]:
    return {name: [getattr(one, name) for one in points] for name in Point.__dataclass_fields__}


__all__ = ["HOUR", "MINUTE", "SECOND", "SPARK", "ZERO", "Point", "RunRow", "span_columns"]
