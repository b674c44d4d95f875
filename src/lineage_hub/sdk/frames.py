"""DataFrames enter, known by the module of their class; what they say of their datasets leaves as facets.

Nothing is imported and nothing is computed: a frame's rows are counted only where it knows their number already.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lineage_hub.sdk.said import facet
from lineage_hub.sdk.warnings import warn_once

Field = dict[str, Any]

# A schema of more columns would make events that nobody reads.
MOST_COLUMNS = 10_000
_PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset})
_SINGLE = _PLAIN - {tuple, list, dict}
_NESTED = 20
_kinds: dict[type, str | None] = {}


def kind_of(value: Any) -> str | None:
    """pandas, polars, spark or spark-pandas; None of what is no DataFrame. Asks the type, never the object."""
    cls = type(value)
    if cls in _PLAIN:
        return None
    try:
        return _kinds[cls]
    except KeyError:
        if len(_kinds) > 1000:
            _kinds.clear()
        _kinds[cls] = found = _kind_of_class(cls)
        return found


def _kind_of_class(cls: type) -> str | None:
    for base in cls.__mro__:
        if base.__name__ != "DataFrame":
            continue
        package, _, rest = str(base.__module__).partition(".")
        if package == "pyspark":
            return "spark-pandas" if rest.startswith("pandas") else "spark"
        if package in ("pandas", "polars"):
            return package
    return None


def frames_in(values: Iterable[Any]) -> list[Any]:
    found = []
    for value in values:
        # Plain it mostly is, and each call asks.
        if type(value) not in _PLAIN and kind_of(value) is not None:
            found.append(value)
    return found


def frames_of_result(result: Any) -> list[Any]:
    """The frame, or those in a tuple, list or dictionary."""
    if type(result) in _SINGLE:
        return []
    if isinstance(result, tuple | list):
        return frames_in(result)
    return frames_in(result.values() if isinstance(result, dict) else (result,))


def matched(datasets: Sequence[Any], frames: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Each dataset with its frame: as many frames as datasets belong together in order, else nothing is claimed."""
    return zip(datasets, frames if len(frames) == len(datasets) else [None] * len(datasets), strict=True)


def facets_of(frame: Any, side: str) -> dict[str, Any]:
    """`side` is inputs or outputs. A frame that can't be read says nothing, which is told once."""
    try:
        kind = kind_of(frame)
        if kind is None:
            warn_once("no frame", "a %s is no DataFrame of pandas, polars or Spark", type(frame).__name__)
            return {}
        return {**schema_facet(_fields(frame, kind)), **rows_facet(_rows(frame, kind), side)}
    except Exception as error:
        warn_once(f"frame {type(error).__name__}", "a DataFrame's columns can't be told: %s", error)
        return {}


def schema_facet(fields: Sequence[Field] | None) -> dict[str, Any]:
    return {"schema": facet("1-2-0/SchemaDatasetFacet", fields=fields)} if fields else {}


def rows_facet(rows: int | None, side: str) -> dict[str, Any]:
    if rows is None:
        return {}
    if side == "inputs":
        return {"inputStatistics": facet("1-0-0/InputStatisticsInputDatasetFacet", rowCount=rows)}
    return {"outputStatistics": facet("1-0-2/OutputStatisticsOutputDatasetFacet", rowCount=rows)}


def fields_of(frame: Any) -> list[Field]:
    """A pandas Series is its one column."""
    kind = kind_of(frame)
    if kind is not None:
        return _fields(frame, kind)
    name = getattr(frame, "name", None)
    return [] if name is None else [{"name": column_name(name), "type": str(frame.dtype)}]


def _fields(frame: Any, kind: str) -> list[Field]:
    if kind == "spark":
        return _struct_fields(frame.schema.fields, 0)
    pairs = frame.schema.items() if kind == "polars" else zip(frame.columns, frame.dtypes, strict=True)
    fields: dict[str, Field] = {}
    for name, dtype in pairs:
        # A name that comes twice says nothing more than once.
        named = column_name(name)
        fields.setdefault(named, {"name": named, "type": str(dtype)})
        if len(fields) > MOST_COLUMNS:
            return []
    return list(fields.values())


def column_name(name: Any) -> str:
    """Levels of a MultiIndex are joined by dots."""
    return ".".join(str(level) for level in name) if isinstance(name, tuple) else str(name)


def _rows(frame: Any, kind: str) -> int | None:
    """Spark would have to run a job to know."""
    return len(frame) if kind in ("pandas", "polars") else None


def _struct_fields(fields: Iterable[Any], depth: int) -> list[Field]:
    found: list[Field] = []
    for field in fields:
        one: Field = {"name": str(field.name), "type": str(field.dataType.simpleString())}
        if nested := _nested(field.dataType, depth):
            one["fields"] = nested
        found.append(one)
        if len(found) > MOST_COLUMNS:
            return []
    return found


def _nested(kind: Any, depth: int) -> list[Field]:
    """Of a struct, and of an array of structs."""
    inner = getattr(kind, "fields", None)
    if inner is None:
        inner = getattr(getattr(kind, "elementType", None), "fields", None)
    if not isinstance(inner, Sequence) or isinstance(inner, Mapping | str) or depth >= _NESTED:
        return []
    return _struct_fields(inner, depth + 1)
