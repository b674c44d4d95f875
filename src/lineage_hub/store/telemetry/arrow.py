"""Columns of plain values and the types that ClickHouse gives them enter; Arrow's arrays leave.

What is nested is laid flat and never built row by row: that is where the time would go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Any, Protocol, runtime_checkable

from lineage_hub.errors import InternalError

_TOKEN = re.compile(r"[\w.]+|'(?:[^'\\]|\\.)*'|[(),]")
_SCALARS = {
    "String": "string",
    "Bool": "bool_",
    "Float64": "float64",
    "Float32": "float32",
    "Date": "date32",
    **{f"{sign}Int{bits}": f"{sign.lower()}int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)},
}


@runtime_checkable
class FlatMaps(Protocol):
    """Maps as Arrow has them: map i has the keys and values from offsets[i] to offsets[i + 1].

    Where rows share maps, `rows` names the map of each row.
    """

    offsets: list[int]
    keys: list[str]
    values: Any
    rows: list[int] | None


@dataclass(frozen=True, slots=True)
class Type:
    """`names` are those of a tuple's parts."""

    kind: str
    parts: tuple[Type, ...] = ()
    names: tuple[str, ...] = ()


def read_type(text: str) -> Type:
    """Of a column, as DESCRIBE tells it."""
    return _read(iter([*_TOKEN.findall(text), ")"]), ")")[0][1]


def _read(tokens: Iterator[str], end: str) -> list[tuple[str, Type]]:
    """What stands between parentheses: types, which in a tuple may have names."""
    found: list[tuple[str, Type]] = []
    words: list[str] = []
    parts: list[tuple[str, Type]] = []
    for token in tokens:
        if token == "(":
            parts = _read(tokens, ")")
        elif token in (",", end):
            if words:
                kind = words[-1]
                named = Type(kind, tuple(part for _, part in parts), tuple(name for name, _ in parts))
                wraps = kind in ("LowCardinality", "Nullable")
                found.append((words[0] if len(words) > 1 else "", named.parts[0] if wraps else named))
            words, parts = [], []
            if token == end:
                return found
        else:
            words.append(token)
    raise InternalError("the type of a column can't be read", subject="telemetry")


def array_of(kind: Type, values: Any) -> Any:
    import pyarrow as pa  # type: ignore[import-untyped]

    if kind.kind in _SCALARS or kind.kind == "DateTime64":
        scalar = getattr(pa, _SCALARS[kind.kind])() if kind.kind in _SCALARS else pa.timestamp("ns", "UTC")
        found = pa.array(values, scalar)
        if found.null_count:
            # ClickHouse would put a zero in its place.
            raise ValueError("a value is missing")
        return found
    if kind.kind == "Map":
        return _maps(kind, values)
    if kind.kind == "Array":
        offsets = pa.array(accumulate(map(len, values), initial=0), pa.int32())
        return pa.ListArray.from_arrays(offsets, array_of(kind.parts[0], list(chain.from_iterable(values))))
    if kind.kind == "Tuple":
        columns = zip(*values, strict=True) if values else ((),) * len(kind.parts)
        arrays = [array_of(part, list(column)) for part, column in zip(kind.parts, columns, strict=True)]
        names = [name or str(at) for at, name in enumerate(kind.names, 1)]
        return pa.StructArray.from_arrays(arrays, names)
    raise InternalError(f"a column of type {kind.kind} can't be inserted", subject="telemetry")


def _maps(kind: Type, values: FlatMaps | Sequence[Mapping[str, str]]) -> Any:
    import pyarrow as pa

    rows = None
    if isinstance(values, FlatMaps):
        offsets, keys, items, rows = values.offsets, values.keys, values.values, values.rows
    else:
        offsets = list(accumulate(map(len, values), initial=0))
        keys = list(chain.from_iterable(values))
        items = list(chain.from_iterable(one.values() for one in values))
    maps = pa.MapArray.from_arrays(
        pa.array(offsets, pa.int32()), array_of(kind.parts[0], keys), array_of(kind.parts[1], items)
    )
    return maps if rows is None else maps.take(pa.array(rows, pa.int32()))


def table_of(types: Mapping[str, Type], columns: Mapping[str, Any]) -> Any:
    """A text in the place of a column stands for that many times the same."""
    import pyarrow as pa

    lengths = {len(values) for values in columns.values() if not isinstance(values, str)}
    if len(lengths) != 1:
        raise InternalError("the columns of an insert differ in length", subject="telemetry")
    unknown = columns.keys() - types.keys()
    if unknown:
        raise InternalError(f"there is no column {', '.join(sorted(unknown))}", subject="telemetry")
    rows = lengths.pop()
    try:
        arrays = [
            pa.repeat(values, rows) if isinstance(values, str) else array_of(types[name], values)
            for name, values in columns.items()
        ]
    except (pa.ArrowException, UnicodeError, TypeError, ValueError, OverflowError) as error:
        raise InternalError(f"the values of an insert don't fit their columns: {error}", subject="telemetry") from error
    return pa.Table.from_arrays(arrays, list(columns))
