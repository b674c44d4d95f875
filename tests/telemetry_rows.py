"""Rows of every table with values at the edges of their types, and what they look like when they come back."""

from typing import Any

HOUR_NS = 3600 * 10**9
AT = 1_767_225_600 * 10**9  # the first moment of 2026
LATEST = 2**63 - 1
ODD = "it's \\ \t\n \0 é 💥"
COMMON: dict[str, list[Any]] = {
    "namespace": ["default", "team-b"],
    "service_name": ["shop", ODD],
    "attributes": [{"a": ODD, "n": "1"}, {}],
    "attribute_types": [{"n": "int"}, {}],
    "resource_attributes": [{"service.name": "shop"}, {"": ""}],
    "resource_attribute_types": [{}, {"": "empty"}],
    "scope_name": ["lib", ""],
    "scope_version": ["1.0", ""],
}
SPANS: dict[str, list[Any]] = {
    "timestamp": [AT + 123_456_789, LATEST],
    "trace_id": ["0123456789abcdef" * 2, "f" * 32],
    "span_id": ["0123456789abcdef", "f" * 16],
    "parent_span_id": ["", "0" * 15 + "1"],
    "trace_state": ["a=b", ""],
    "operation_name": ["GET /", ODD],
    "duration_ns": [1, 2**63],
    "status_code": ["ERROR", "UNSET"],
    "status_message": [ODD, ""],
    "span_kind": ["SERVER", "UNSPECIFIED"],
    "flags": [2**32 - 1, 0],
    "events": [[(AT + 1, "first", {"k": ODD}), (LATEST, "second", {})], []],
    "links": [[], [("e" * 32, "d" * 16, "x=y", {"k": "v"})]],
    "dropped_attributes": [2**32 - 1, 0],
    "dropped_events": [1, 0],
    "dropped_links": [2, 0],
    "run_id": ["3f5e83fa-3480-44ff-99c5-ff943904e5e8", ""],
    "pipeline_run_id": ["", "p"],
    **COMMON,
}
POINTS: dict[str, list[Any]] = {
    "timestamp": [AT + 999_999_999, 0],
    "start_timestamp": [0, LATEST],
    "metric_name": ["requests", ODD],
    "metric_type": ["sum", "exponential_histogram"],
    "value": [0.1, float("-inf")],
    "int_value": [-(2**63), 2**63 - 1],
    "is_int": [True, False],
    "unit": ["1", "ms"],
    "description": ["", ODD],
    "temporality": ["CUMULATIVE", ""],
    "is_monotonic": [True, False],
    "count": [2**64 - 1, 0],
    "min": [5e-324, -0.0],
    "max": [1.7976931348623157e308, float("inf")],
    "has_sum": [True, False],
    "has_min": [False, True],
    "has_max": [True, True],
    "bucket_counts": [[0, 2**64 - 1], []],
    "explicit_bounds": [[0.1], []],
    "scale": [-(2**31), 2**31 - 1],
    "zero_count": [2**64 - 1, 0],
    "zero_threshold": [1e-300, 0.0],
    "positive_offset": [-5, 5],
    "positive_counts": [[1, 2, 3], []],
    "negative_offset": [7, -7],
    "negative_counts": [[], [4]],
    "quantiles": [[(0.5, 1.5), (0.99, 2.5)], []],
    "exemplars": [[], [(AT + 7, 2.5, "a" * 32, "b" * 16, {"k": "v"})]],
    "flags": [1, 0],
    **COMMON,
}
LOGS: dict[str, list[Any]] = {
    "timestamp": [AT + 5, AT + 6],
    "observed_timestamp": [AT + 7, 0],
    "trace_id": ["a" * 32, ""],
    "span_id": ["b" * 16, ""],
    "flags": [1, 0],
    "severity_number": [255, 0],
    "severity_text": ["ERROR", ""],
    "body": [ODD, '{"a": 1}'],
    "body_type": ["string", "map"],
    "event_name": ["", "it.happened"],
    "run_id": ["r", ""],
    **COMMON,
}
PIPELINE_RUNS: dict[str, list[Any]] = {
    "timestamp": [AT + 1, AT + 2],
    "run_id": ["r1", "r2"],
    "pipeline_name": ["p", ODD],
    "stage": ["", "load"],
    "status": ["COMPLETE", "FAIL"],
    "namespace": ["default", "team-b"],
    "duration_ms": [2**64 - 1, 0],
    "records_processed": [1, 2**64 - 1],
    "bytes_processed": [0, 2**64 - 1],
    "error_message": ["", ODD],
    "job_namespace": ["n", ""],
    "ended_at": [AT + 3, LATEST],
    "parent_run_id": ["", "r1"],
    "version": [2**64 - 1, 1],
}
EVERY = {"traces": SPANS, "metrics": POINTS, "logs": LOGS, "pipeline_runs": PIPELINE_RUNS}
_PARTS = {
    "events": ("timestamp", "name", "attributes"),
    "links": ("trace_id", "span_id", "trace_state", "attributes"),
    "exemplars": ("timestamp", "value", "trace_id", "span_id", "attributes"),
}


def as_they_come_back(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """Tuples with names leave as dictionaries."""
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    for row in rows:
        for name in row.keys() & _PARTS.keys():
            row[name] = [dict(zip(_PARTS[name], one, strict=True)) for one in row[name]]
    return rows


def spans(number: int, *, at: int = AT, step: int = 10**9, trace_id: str = "a" * 32, **others: Any) -> dict[str, Any]:
    """Of one operation, one after the other; every tenth has failed."""
    return {
        "timestamp": [at + n * step for n in range(number)],
        "trace_id": [trace_id] * number,
        "span_id": [f"{n:016x}" for n in range(number)],
        "operation_name": ["op"] * number,
        "service_name": ["shop"] * number,
        "span_kind": ["SERVER"] * number,
        "duration_ns": [1000 + n for n in range(number)],
        "status_code": ["ERROR" if n % 10 == 0 else "OK" for n in range(number)],
        "namespace": ["default"] * number,
        **others,
    }
