"""A body of OTLP enters, by HTTP or gRPC; once its rows are durable, what was taken and what was refused leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import TypeVar

from lineage_hub.errors import ExtraMissing
from lineage_hub.wire.otlp import read_logs, read_metrics, read_traces
from lineage_hub.wire.otlp.columns import Columns, Encoding, Kind, MapColumn, PointColumns, TelemetryTaker

TOO_MANY_NAMES = "there are as many metrics as telemetry_max_metric_names allows; name fewer, or raise it"
# Below this a body is read at once: a thread costs more than the work.
_READ_HERE = 64 << 10
# About what a row takes besides its texts, and an attribute besides its.
_ROW_BYTES, _ATTRIBUTE_BYTES = 512, 32
T = TypeVar("T")
# Seconds of work, for which nobody else should wait.
_LARGE = 4 << 20
# Reading holds the interpreter's lock: more threads would not read more.
_reader = ThreadPoolExecutor(1, "otlp reader")


def ready(taker: TelemetryTaker | None) -> TelemetryTaker:
    if taker is None:
        raise ExtraMissing.of("telemetry", "taking telemetry")
    return taker


async def take(
    taker: TelemetryTaker, kind: Kind, namespace: str, body: bytes, encoding: Encoding, received_ns: int
) -> Columns:
    def read() -> Columns:
        if kind == "traces":
            return read_traces(body, encoding)
        return read_metrics(body, encoding) if kind == "metrics" else read_logs(body, encoding, received_ns=received_ns)

    found = await read_aside(body, read)
    await hand_over(taker, kind, namespace, body, found)
    return found


async def read_aside(body: bytes, read: Callable[[], T]) -> T:
    """So that a large body doesn't keep other requests waiting."""
    if len(body) <= _READ_HERE:
        return read()
    if len(body) > _LARGE:
        return await asyncio.to_thread(read)
    return await asyncio.get_running_loop().run_in_executor(_reader, read)


async def hand_over(taker: TelemetryTaker, kind: Kind, namespace: str, body: bytes, found: Columns) -> None:
    if isinstance(found, PointColumns) and found.count:
        too_many = await taker.admit(namespace, found.names())
        if too_many:
            found.refuse(too_many, TOO_MANY_NAMES)
    if found.count:
        await taker.submit(kind, namespace, sha256(body).digest(), found.columns, size=_size(body, found))


def _size(body: bytes, found: Columns) -> int:
    attributes = found.columns["attributes"]
    flat = len(attributes.keys) if isinstance(attributes, MapColumn) else 0
    return len(body) + _ROW_BYTES * found.count + _ATTRIBUTE_BYTES * flat
