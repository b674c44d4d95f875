"""Requests enter as columns; batches leave: for each table the rows of all of them, and what the journal says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from lineage_hub.errors import InternalError
from lineage_hub.ingest.telemetry.journal import Intent
from lineage_hub.wire.otlp.columns import Kind, MapColumn

Columns = Mapping[str, Sequence[Any]]
DATABASE = "otel"
# Rollups and the ranges of traces are made from these rows alone.
ROLLED_UP = "traces"
HOUR_NS = 3600 * 10**9
# Of a value that is neither text nor a container, and of the reference to any.
_VALUE_BYTES = 8


@dataclass(slots=True, eq=False)
class Request:
    """`future` ends when the rows are durable."""

    kind: Kind
    namespace: str
    key: bytes
    columns: Columns
    rows: int
    hours: frozenset[int]
    size: int
    future: Future[None]


@dataclass(frozen=True, slots=True)
class Batch:
    kind: Kind
    intent: Intent
    columns: Columns
    requests: Sequence[Request]
    rows: int


def batches_of(requests: Iterable[Request], next_batch: Callable[[], int]) -> list[Batch]:
    """One for each table; requests with other columns than their neighbours get one of their own."""
    alike: dict[tuple[Kind, frozenset[tuple[str, type]]], list[Request]] = {}
    for request in requests:
        shape = frozenset([(name, type(column)) for name, column in request.columns.items()])
        alike.setdefault((request.kind, shape), []).append(request)
    return [_batch(kind, group, next_batch()) for (kind, _), group in alike.items()]


def _batch(kind: Kind, requests: list[Request], number: int) -> Batch:
    columns: dict[str, Any] = {
        name: _joined([request.columns[name] for request in requests]) for name in requests[0].columns
    }
    columns["namespace"] = _namespaces(requests)
    hours = sorted(frozenset[int]().union(*(request.hours for request in requests)))
    intent = Intent(number, f"{DATABASE}.{kind}", tuple(request.key for request in requests), tuple(hours))
    return Batch(kind, intent, columns, requests, sum(request.rows for request in requests))


def _namespaces(requests: Sequence[Request]) -> str | list[str]:
    """A text stands for as many times the same."""
    if len({request.namespace for request in requests}) == 1:
        return requests[0].namespace
    return [name for request in requests for name in [request.namespace] * request.rows]


def _joined(parts: Sequence[Any]) -> Any:
    """A new column: should the batch fail, its requests are tried one by one."""
    joined: Any = MapColumn() if isinstance(parts[0], MapColumn) else []
    for part in parts:
        joined.extend(part)
    return joined


def rows_of(columns: Columns) -> int:
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        raise InternalError("the columns of a request differ in length", subject="telemetry")
    return lengths.pop() if lengths else 0


def hours_of(kind: Kind, columns: Columns) -> frozenset[int]:
    """Of the rollups that these rows go into."""
    try:
        return frozenset({at // HOUR_NS for at in columns["timestamp"]}) if kind == ROLLED_UP else frozenset()
    except (KeyError, TypeError) as error:
        raise InternalError("the rows of a request have no times", subject="telemetry") from error


def size_of(columns: Columns) -> int:
    """About how many bytes the values take; what Python adds to each is left out."""
    return sum(_size_of_values(values) for values in columns.values())


def _size_of_values(values: Iterable[Any]) -> int:
    if isinstance(values, MapColumn):
        # Keys are shared.
        return _VALUE_BYTES * (len(values) + len(values.keys)) + _size_of_values(values.values)
    values = values if isinstance(values, list | tuple) else list(values)
    if not values:
        return 0
    if isinstance(values[0], str | bytes):
        return sum(map(len, values)) + _VALUE_BYTES * len(values)
    if isinstance(values[0], int | float):
        return _VALUE_BYTES * len(values)
    return sum(map(_size_of_value, values)) + _VALUE_BYTES * len(values)


def _size_of_value(value: Any) -> int:
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, Mapping):
        return _size_of_values(list(value)) + _size_of_values(list(value.values()))
    if isinstance(value, list | tuple):
        return sum(map(_size_of_value, value)) + _VALUE_BYTES * len(value)
    return _VALUE_BYTES
