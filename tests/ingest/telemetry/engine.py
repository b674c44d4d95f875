"""Numbers of requests enter, columns leave; what tables and rollups say of them leaves, and who runs the engine."""

import os
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

from lineage_hub.store.telemetry.open import TelemetryStore

HOUR_NS = 3600 * 10**9
# The last full hour: what is inserted lies in two of them.
NOW_NS = time.time_ns() // HOUR_NS * HOUR_NS
ENGINE = b"lineage_hub.store.telemetry.engine"


def span_columns(request: int, rows: int) -> dict[str, list[Any]]:
    """Of that request: trace and time follow from its number."""
    return {
        "timestamp": [NOW_NS + (request % 2) * HOUR_NS - row * 10**6 - 1 for row in range(rows)],
        "trace_id": [f"{request:032x}"] * rows,
        "span_id": [f"{request:08x}{row:08x}" for row in range(rows)],
        "operation_name": [f"operation {row % 5}" for row in range(rows)],
        "service_name": [f"service {request % 3}"] * rows,
        "span_kind": ["SERVER"] * rows,
        "duration_ns": [1000 + row for row in range(rows)],
        "status_code": ["ERROR" if row % 10 == 0 else "OK" for row in range(rows)],
    }


def point_columns(request: int, rows: int) -> dict[str, list[Any]]:
    return {
        "timestamp": [NOW_NS - row for row in range(rows)],
        "metric_name": [f"metric {request % 7}"] * rows,
        "metric_type": ["gauge"] * rows,
        "service_name": [f"point {request}"] * rows,
        "value": [float(row) for row in range(rows)],
    }


def log_columns(request: int, rows: int) -> dict[str, list[Any]]:
    return {
        "timestamp": [NOW_NS - row for row in range(rows)],
        "observed_timestamp": [NOW_NS] * rows,
        "body": [f"request {request} line {row}" for row in range(rows)],
    }


COLUMNS = {"traces": span_columns, "metrics": point_columns, "logs": log_columns}


def identity(kind: str, request: int) -> bytes:
    return sha256(f"{kind} {request}".encode()).digest()


def spans_everywhere(store: TelemetryStore) -> dict[str, int]:
    """The number of spans by each table and rollup; equal when every request counts once in all of them."""
    asked = {
        "rows": "SELECT count() AS found FROM traces",
        "spans": "SELECT uniqExact(span_id) AS found FROM traces",
        "minutes": "SELECT sum(spans) AS found FROM operation_minutes",
        "hours": "SELECT sum(spans) AS found FROM operation_hours",
        "ranges": "SELECT sum(spans) AS found FROM trace_ranges",
    }
    return {name: int(store.ask(sql)[0]["found"]) for name, sql in asked.items()}


def all_equal(count: int) -> dict[str, int]:
    return dict.fromkeys(("rows", "spans", "minutes", "hours", "ranges"), count)


def rollups_agree(store: TelemetryStore) -> bool:
    """Errors and durations by service, operation and hour, from the rows themselves and from both rollups."""
    keys = "service_name, operation_name, span_kind"
    rows = f"""
        SELECT {keys}, intDiv(toUnixTimestamp64Nano(timestamp), {HOUR_NS}) AS hour, count() AS spans,
            countIf(status_code = 'ERROR') AS errors, sum(duration_ns) AS duration, max(duration_ns) AS longest
        FROM traces GROUP BY ALL ORDER BY ALL
    """
    rolled = f"""
        SELECT {keys}, intDiv(toUnixTimestamp64Second(at), 3600) AS hour, sum(r.spans) AS spans,
            sum(r.errors) AS errors, sum(duration_sum) AS duration, max(duration_max) AS longest
        FROM %s AS r GROUP BY ALL ORDER BY ALL
    """
    truth = store.ask(rows)
    return all(store.ask(rolled % table) == truth for table in ("operation_minutes", "operation_hours"))


def engine_pid(folder: Path) -> int | None:
    """The process that holds the tables of this folder now; a program that waits for its turn doesn't count."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            words = (process / "cmdline").read_bytes().split(b"\0") if process.name.isdigit() else []
            if ENGINE in words and str(folder).encode() in words:
                found.append(int(process.name))
        except OSError:
            continue
    return min(found, default=None)


def kill_engine(folder: Path) -> bool:
    pid = engine_pid(folder)
    if pid is None:
        return False
    try:
        os.kill(pid, 9)
    except ProcessLookupError:
        return False
    return True
